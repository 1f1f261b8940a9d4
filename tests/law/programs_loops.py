"""Small programs on what loops go over, and on what is decided while compiling."""

# ruff: noqa: B905

import numpy as np

from .corpus import law

WEIGHTS = (0.5, 0.25, 0.25)
X = np.array([3.0, -1.0, 2.0, 5.0, -4.0])
M = np.arange(12.0).reshape(3, 4)


@law((X,))
def enumerate_loop(x):
    s = 0.0
    for i, v in enumerate(x, 1):
        s += i * v
    return s


@law((X, X[:3]))
def zip_loop(x, y):
    s = 0.0
    for a, b in zip(x, y):
        s += a * b
    return s


@law((X, X))
def zip_enumerate(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y)):
        s += i * a * b
    return s


@law((X,))
def reversed_loop(x):
    s = 0.0
    for v in reversed(x):
        s = s * 0.5 + v
    for i in reversed(range(3)):
        s += i
    return s


@law((10,), (0,))
def range_steps(n):
    s = 0
    for i in range(0, n, 3):
        s += i
    for i in range(n, 0, -2):
        s -= i
    for i in range(n - 1, -1, -1):
        s = s * 2 + i
    return s


@law((10, 3), (10, -3), (10, 0))
def dynamic_step(n, k):
    s = 0
    for i in range(0, n, k):
        s += i + 1
    return s


@law((X,))
def static_unroll(x):
    s = 0.0
    for w, shift in ((0.5, -1), (0.25, 1), (0.25, 2)):
        s += w * x[shift]
    return s


@law((X,))
def tuple_by_counter(x):
    s = 0.0
    for k in range(3):
        s += WEIGHTS[k] * x[k]
    return s


@law((X,), (3,), (3.5,))
def isinstance_static(x):
    if isinstance(x, np.ndarray):
        return x.sum()
    if isinstance(x, int):
        return x + 1
    return x


@law((2.0,), (2.0, 5.0))
def none_default(x, scale=None):
    if scale is None:
        scale = 2.0
    return x * scale


@law((np.ones((3, 1)),), (M,))
def shape_static(m):
    if m.ndim == 2 and m.shape[1] == 1:
        return m[:, 0]
    return m


@law((X,), (X.astype(np.float32),))
def dtype_static(x):
    if x.dtype == np.float32:
        return x * 2
    return x + 1


@law((X, "sum"), (X, "max"), (X, "nothing"))
def string_option(x, mode):
    if mode == "sum":
        return x.sum()
    if mode in ("max", "min"):
        return x.max() if mode == "max" else x.min()
    raise ValueError(mode)


@law((2,), (5,))
def membership(k):
    return k in (1, 2, 3), k not in (4, 5)


@law((2.0,))
def is_none(x):
    y = None
    return y is None, x is not None


@law(())
def static_math():
    return 2**10 + 7 // 2 - 3 % 2 + len("abc")


@law((X,))
def multiple_results(x):
    return x.min(), x.max(), x.argmax(), len(x), x.shape


@law((M,))
def nested_map(m):
    n, k = m.shape
    out = np.zeros(n)
    for i in range(n):
        s = 0.0
        for j in range(k):
            if j % 2 == 0:
                s += m[i, j]
            else:
                s -= m[i, j]
        out[i] = s
    return out


@law((4,))
def triangular(n):
    m = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            m[i, j] = i + j
    return m


@law((X,), (np.zeros(1),))
def counter_offsets(x):
    n = len(x)
    y = np.zeros(n)
    for i in range(1, n - 1):
        y[i] = x[i - 1] - 2 * x[i] + x[i + 1]
    return y


@law((X,), (np.zeros(0),))
def wrap_around(x):
    n = len(x)
    y = np.empty(n)
    for i in range(n):
        y[i] = x[(i + 1) % n] - x[i - 1]
    return y


@law((X, 2))
def shift_loop(x, n):
    for _ in range(n):
        x = np.concatenate((x[1:], x[:1]))
    return x


@law((np.arange(4.0).reshape(2, 2), np.ones(2), 3))
def matmul_loop(a, x, n):
    for _ in range(n):
        x = a @ x
    return x


@law((X,))
def none_result(x):
    x[0] = 1.0


@law((X,), (3,))
def pass_through(x):
    return x


@law((X,))
def same_twice(x):
    y = x * 2
    return y, y


@law((1.5,))
def docstring(x):
    """A docstring."""
    "another string"
    pass
    return x


@law((0.5,))
def import_inside(x):
    import math as m
    from math import cos

    return m.sin(x) + cos(x)


@law((X,))
def static_range_list(x):
    cuts = [0, 2, 3]
    return [x[cuts[k] : cuts[k + 1]].sum() for k in range(2)]


@law((5,), mixed=[(0,)])
def fixpoint_types(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b * 0.5
    return a


@law((X, 10.0))
def while_with_and(x, t):
    i = 0
    while i < len(x) and x[i] < t:
        i += 1
    return i


@law((X,))
def two_loops(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    t = 0.0
    for i in range(len(x)):
        t += (x[i] - s) ** 2
    return s, t


@law((X,), (np.zeros(0),))
def maximum_by_hand(x):
    best = x[0]
    where = 0
    for i in range(1, len(x)):
        if x[i] > best:
            best, where = x[i], i
    return best, where


@law((3,))
def empty_loop_body(n):
    for _ in range(n):
        pass
    return n


@law((np.array([[1.0, -1.0, 2.0], [3.0, 4.0, -2.0]]),))
def nested_break(a):
    count = 0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] < 0:
                break
            count += 1
    return count


@law((X,), (abs(X),))
def flag_variable(x):
    ok = True
    for v in x:
        if v < 0:
            ok = False
    return ok


@law((X, 2))
def float_index_loop(x, n):
    t = 0.0
    while t < n:
        x = x + t
        t += 0.5
    return x


@law((3.7,), (-3.7,))
def int_cast(x):
    return int(x), float(int(x)), bool(x), round(x)


@law((X,), (X.astype(np.float32),))
def numpy_scalars(x):
    a = x[0]
    return a * 2, a / 3, a**2, a > 0, np.sqrt(a), abs(a)


@law((X,))
def inplace_vs_rebind(x):
    y = x
    y = y + 1
    y[0] = -1.0
    return x, y


@law((X,))
def chained_assignment(x):
    a = b = x * 2
    a[0] = 7.0
    return b


@law((X,))
def two_views(x):
    left, right = x[:2], x[2:]
    left[:] = right[::-1][:2]
    return x


@law((X,))
def update_while_iterating(x):
    for i in range(1, len(x)):
        x[i] = x[i] + x[i - 1]
    return x


@law((X, X * 2))
def write_through_tuple(x, y):
    for a in (x, y):
        a[0] = 5.0
    return x.sum() + y.sum()


@law((M,))
def accumulate_rows(m):
    total = np.zeros(m.shape[1])
    for row in m:
        total += row
    return total


@law((M,))
def diagonal(m):
    return np.array([m[0, 0], m[1, 1]])


@law((5,))
def bool_loop(n):
    flags = np.zeros(n, dtype=bool)
    for i in range(n):
        flags[i] = i % 2 == 0
    return flags


@law((np.array([1, 2, 3], dtype=np.int32),))
def int32_loop(x):
    s = x[0]
    for i in range(1, len(x)):
        s += x[i]
    return s
