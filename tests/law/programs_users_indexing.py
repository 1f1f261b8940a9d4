"""One construct each: sums, masks, promotion, division, indices, shapes that do not fit."""

import math

import numpy as np

from .corpus import law

R = np.random.default_rng(8)
X5 = R.random(5)
M34 = R.random((3, 4))
I5 = np.array([3, -1, 4, 1, -5])
F32 = R.random(5).astype(np.float32)
I32 = I5.astype(np.int32)
X5 = R.random(5)
M34 = R.random((3, 4))
I5 = np.array([3, -1, 4, 1, -5])
F32 = R.random(5).astype(np.float32)
I32 = I5.astype(np.int32)
X5 = R.random(5)
M34 = R.random((3, 4))
I5 = np.array([3, -1, 4, 1, -5])
F32 = R.random(5).astype(np.float32)
I32 = I5.astype(np.int32)
X5 = R.random(5)
M34 = R.random((3, 4))
I5 = np.array([3, -1, 4, 1, -5])
F32 = R.random(5).astype(np.float32)
I32 = I5.astype(np.int32)
X5 = R.random(5)
M34 = R.random((3, 4))
I5 = np.array([3, -1, 4, 1, -5])
F32 = R.random(5).astype(np.float32)
I32 = I5.astype(np.int32)
nan = np.nan


@law((np.array([1.0, nan]),), (np.array([nan, 1.0]),), (X5,))
def builtin_min_array(x):
    return min(x), max(x)


@law((np.array([1e100, 1.0, -1e100]),))
def fsum_exact(x):
    return math.fsum(x)


@law((1.0, 2.0), (2.0, 1.0))
def sorted_pair(a, b):
    lo, hi = sorted((a, b))
    return lo, hi


@law((X5,))
def sum_gen(x):
    return sum(v * v for v in x)


@law((X5,))
def sum_gen_range(x):
    return sum(x[i] * x[i] for i in range(len(x)))


@law((X5,), (X5 - 0.5,))
def all_gen(x):
    return all(v > 0 for v in x), any(v > 0.9 for v in x)


@law((X5,))
def max_gen(x):
    return max(abs(v) for v in x)


@law((X5,))
def walrus(x):
    s = 0.0
    i = 0
    while (v := x[i]) < 2 and i < 4:
        s += v
        i += 1
    return s, i


@law((X5,))
def where_nonzero(x):
    return np.nonzero(x > 0.5)[0]


@law((X5,))
def where_single(x):
    return np.where(x > 0.5)[0]


@law((X5,))
def mask_select(x):
    return x[x > 0.5]


@law((X5,))
def mask_sum(x):
    return x[x > 0.5].sum(), x[x > 0.5].mean(), len(x[x > 0.5])


@law((X5,))
def mask_assign(x):
    x[x > 0.5] = 0.0
    return x


@law((X5,))
def mask_assign_array(x):
    y = x * 2
    m = x > 0.5
    x[m] = y[m]
    return x


@law((X5,))
def mask_aug(x):
    x[x > 0.5] += 1
    return x


@law((M34,))
def mask_rows(m):
    m[m[:, 0] > 0.3] = 0
    return m


@law((M34,))
def mask_2d(m):
    m[m > 0.3] = m.mean()
    return m


@law((I5,))
def unique_count(x):
    return len(np.unique(x))


@law((X5,))
def argwhere(x):
    return np.argmax(x > 0.5), np.flatnonzero(x > 0.5)


@law((F32, 2.0), (F32, np.float64(2.0)), (F32, np.float32(2)))
def f32_promote(x, s):
    return x * s, x.sum() * s, x[0] * s, x + 1, x / 3, np.sqrt(x), x.mean()


@law((I5,), (I32,))
def int_promote(x):
    return (
        x / 2,
        x // 2,
        x % 3,
        x**2,
        x * 1.5,
        -x,
        abs(x),
        x.sum(),
        x.mean(),
        x.prod(),
        x.cumsum(),
        np.sqrt(x),
        x >> 1,
        x & 3,
        ~x,
    )


@law((I32,))
def i32_scalar(x):
    s = x[0] * 2
    t = x[0] + x[1]
    u = 0
    for v in x:
        u += v
    return s, t, u, x[0] / 2, x[0] // 2, x[0] * 1.5


@law((np.array([2**31 - 1], dtype=np.int32),))
def i32_wrap(x):
    return x + 1, x * 2, x.sum()


@law((7, -2), (-7, 2), (7, 0), (0, 5))
def py_int_div(a, b):
    return a // b, a % b, divmod(a, b), a / b


@law((7.5, -2.0), (-7.5, 2.0), (7.0, 0.0))
def py_float_div(a, b):
    return a // b, a % b, a / b


@law((np.array([7, 0, -7]), np.array([2, 0, 2])))
def np_int_div(a, b):
    return a // b, a % b


@law(
    (np.array([2, 3]), 2),
)
def np_ipow(a, b):
    return a**b, 2**a, a**2.0


@law(
    (np.array([2, 3]), -1),
)
def np_ipow_neg(a, b):
    return a**b


@law((X5, 7), (X5, -6), (X5, 4), (X5, -5))
def idx(x, i):
    return x[i]


@law((X5, 7), (X5, -6))
def idx_write(x, i):
    x[i] = 1.0
    return x


@law((X5, np.array([1, 7])), (X5, np.array([-1, 0])))
def fancy(x, i):
    return x[i]


@law((X5, np.array([1, 7])), (X5, np.array([1, 1])))
def fancy_add(x, i):
    x[i] += 1.0
    return x


@law((X5, R.random(4)), (X5, R.random(1)), (X5, R.random(5)))
def broadcast_err(x, y):
    return x + y


@law((M34, R.random(4)), (M34, R.random(3)), (M34, R.random((3, 1))))
def bcast2(x, y):
    return x * y


@law((M34, R.random(4)), (M34, R.random(3)))
def matvec(m, v):
    return m @ v


@law((X5, 3), (X5, 9), (X5, -2), (X5, 0))
def slice_clip(x, n):
    return x[:n], x[n:], x[-n:]


@law((X5, 6), (X5, 5))
def reshape_err(x, n):
    return x.reshape(n)


@law((np.arange(6.0),), (np.arange(5.0),))
def reshape_auto(x):
    return x.reshape(2, -1)


@law((X5,))
def assign_mismatch(x):
    x[1:3] = x[:4]
    return x


@law((-1.0,), (4.0,))
def math_domain(x):
    return math.sqrt(x)


@law((0.0,), (4.0,))
def math_log(x):
    return math.log(x)


@law((1000.0,), (1.0,))
def math_exp_over(x):
    return math.exp(x)


@law((0.0,), (2.0,))
def zero_div(x):
    return 1.0 / x


@law((np.float64(0.0),), (np.float64(2.0),))
def np_zero_div(x):
    return 1.0 / x
