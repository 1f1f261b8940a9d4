"""Corners of the language: rounding, bits, scalars, control flow, types that change, faults."""

# Written as users write, not as the linter would.
# ruff: noqa: B007, F842, PLR0124, RUF005

import math

import numpy as np

from .corpus import law

R = np.random.default_rng(8)
X5 = R.random(5)
M34 = R.random((3, 4))
I5 = np.array([3, -1, 4, 1, -5])
F32 = R.random(5).astype(np.float32)
X5 = R.random(5)
M34 = R.random((3, 4))
I5 = np.array([3, -1, 4, 1, -5])
F32 = R.random(5).astype(np.float32)
X5 = R.random(5)
M34 = R.random((3, 4))
I5 = np.array([3, -1, 4, 1, -5])
F32 = R.random(5).astype(np.float32)
X5 = R.random(5)
M34 = R.random((3, 4))
I5 = np.array([3, -1, 4, 1, -5])
F32 = R.random(5).astype(np.float32)
X8 = R.random(8)


@law((0.1, 0.2), (1e308, 10.0), (math.nan, 1.0), (math.inf, -math.inf))
def float_edge(a, b):
    return a + b == 0.3, a * b, a - b, a < b, a == a, max(a, b), min(a, b), abs(a), a != a


@law((1.5,), (-1.5,), (2.5,), (0.5,), (-0.5,))
def rounding(x):
    return (
        round(x),
        int(x),
        math.floor(x),
        math.ceil(x),
        math.trunc(x),
        np.rint(x),
        np.round(x),
        np.floor(x),
        x // 1,
        x % 1,
        -x // 1,
    )


@law((math.nan,))
def int_nan(x):
    return int(x)


@law((5, 3), (-5, 3), (5, -3))
def bit_ops(a, b):
    return a & b, a | b, a ^ b, ~a, a << 2, a >> 1, a << b if b > 0 else 0


@law(
    (5, -3),
)
def neg_shift(a, b):
    return a << b


@law((np.int32(7), np.int64(3)), (np.int32(-7), np.int64(3)))
def np_scalar_types(a, b):
    return a + b, a / b, a // b, a % b, a * 2, a * 2.0, -a, abs(a), a**2, a > b, a + True, np.float32(1) * a


@law((np.float32(0.1),))
def f32_scalar(a):
    return a * 2, a * 0.1, a + np.float64(0.1), math.sin(a), np.sin(a), a**2, float(a), a == 0.1, a // 0.03


@law((F32,))
def f32_accum(x):
    s = 0.0
    for v in x:
        s += v
    t = np.float32(0)
    for v in x:
        t += v * v
    return s, t


@law((F32, X5))
def f32_mix(a, b):
    return (
        a + b,
        a @ b.astype(np.float32),
        np.dot(a, a),
        np.where(a > 0.5, a, 0.0),
        np.where(a > 0.5, a, b),
        np.maximum(a, 0),
        np.clip(a, 0.1, 0.9),
        np.concatenate((a, b)),
        np.array([a[0], 1.0]),
        np.array([a[0], b[0]]),
    )


@law((I5,))
def int_where(x):
    return (
        np.where(x > 0, x, 0),
        np.where(x > 0, 1, 0.5),
        np.maximum(x, 0.0),
        np.clip(x, 0, 2),
        np.array([x[0], 0.5]),
        np.mean(x),
        np.linalg.norm(x),
        np.exp(x),
        x @ x,
        np.dot(x, 0.5),
        np.sum(x > 0),
        np.cumsum(x > 0),
    )


@law((True, False), (True, True))
def bools(a, b):
    return a and b, a or b, not a, a ^ b, a + b, a & b, a == b, int(a), a * 2.5, -a


@law((X5,))
def np_bool(x):
    m = x[0] > 0.5
    n = x[1] > 0.5
    return m and n, m or n, not m, m & n, m + n if False else 0, bool(m), int(m)


@law((3,), (0,))
def while_else(n):
    i = 0
    while i < n:
        if i == 5:
            break
        i += 1
    else:
        return i, True
    return i, False


@law((X8, 0.5), (X8, 2.0))
def nested_break(x, t):
    found = -1
    for i in range(len(x)):
        for j in range(i):
            if x[i] + x[j] > t:
                found = i * 10 + j
                break
        else:
            continue
        break
    return found


@law((X8,))
def undefined_after(x):
    for v in x:
        last = v
    return last


@law((np.array([]),))
def undefined_after_empty(x):
    for v in x:
        last = v
    return last


@law((1.0,), (-1.0,))
def undefined_branch(x):
    if x > 0:
        y = 1.0
    return y


@law((4,))
def counter_after(n):
    for i in range(n):
        pass
    return i


@law(
    (3,),
)
def triple_nest(n):
    s = 0
    for i in range(n):
        for j in range(i, n):
            for k in range(j, n):
                if (i + j + k) % 2:
                    continue
                s += i * j * k
    return s


@law((X8,))
def type_change(x):
    s = 0
    for v in x:
        s = s + v
    k = 0
    for i in range(3):
        k = k + 0.5
    return s, k


@law((X8,))
def list_of_arrays(x):
    rows = []
    for i in range(3):
        rows.append(x * i)
    return np.array(rows), np.stack(rows), np.vstack(rows), sum(rows), np.mean(rows, axis=0)


@law((X8,))
def tuple_ops(x):
    t = (1, 2.0, x[0])
    u = t + (3,)
    a, b, *c = u
    return u[1:], len(u), u[-1], a, b, c, 2.0 in (1, 2.0), t[0] if True else 0, (1,) * 3


@law((X8,))
def ann(x: np.ndarray) -> float:
    y: float = 0.0
    z: int
    for v in x:
        y += v
    return y


@law((M34,))
def einsums(m):
    return (
        np.einsum("ij->j", m),
        np.einsum("ij,ij->i", m, m),
        np.einsum("ij,kj->ik", m, m),
        np.einsum("ii", m[:, :3]),
        np.einsum("i,j->ij", m[0], m[1]),
        np.einsum("ij->ji", m),
        np.tensordot(m, m, axes=([1], [1])),
        np.tensordot(m, m.T, 1),
    )


@law((M34,))
def linalg_more(m):
    a = m[:, :3] @ m[:, :3].T + np.eye(3) * 3
    return (
        np.linalg.det(a),
        np.linalg.inv(a),
        np.linalg.cholesky(a),
        np.linalg.solve(a, m),
        np.linalg.norm(a),
        np.linalg.norm(a, ord=1),
        np.linalg.slogdet(a),
        np.linalg.matrix_power(a, 3),
    )


@law((X8,))
def aug_in_cond(x):
    x += 1 if x[0] > 0.5 else 2
    x[1] += x[2] if x[3] > x[4] else -x[2]
    return x


@law((X8,))
def multi_assign(x):
    a = b = x
    a[0] = 5.0
    c = d = 0
    c += 1
    return a, b, c, d


@law((X8,))
def subscript_expr_targets(x):
    i = 0
    x[i], i = 3.0, 2
    x[(i + 1) % 8] *= 2
    x[i : i + 2] = x[i + 2 : i + 4]
    return x


@law((X8, 4), (X8, 9))
def partial_writes_before_fault(x, n):
    for i in range(n):
        x[i] = float(i)
    return x


@law((X8, 4), (X8, 12))
def partial_rw_before_fault(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
        x[i] = s
    return s


@law((np.array([1, 2, 0, 4]),))
def div_fault_loop(x):
    s = 0
    for v in x:
        s += 10 // int(v)
    return s


@law((np.array([4.0, -1.0]),))
def sqrt_fault_loop(x):
    out = np.zeros(2)
    for i in range(2):
        out[i] = math.sqrt(x[i])
    return out
