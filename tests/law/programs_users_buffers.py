"""Buffers and states: exchanged arrays, closures that write, structures in loops, order of sums."""

# Written as users write, not as the linter would.
# ruff: noqa: ARG001, B007, B905

import numpy as np

from .corpus import law

R = np.random.default_rng(9)
X = R.random(6)
M = R.random((4, 5))
C = R.random((2, 3, 4))
I = np.array([2, 0, 1, 5, 3, 4])
X = R.random(6)
M = R.random((4, 5))
C = R.random((2, 3, 4))
I = np.array([2, 0, 1, 5, 3, 4])


@law((X, 3))
def double_buffer(x, n):
    a = x.copy()
    b = np.zeros_like(a)
    for k in range(n):
        b[1:-1] = (a[:-2] + a[2:]) / 2
        b[0] = a[0]
        b[-1] = a[-1]
        a, b = b, a
    return a, b


@law((X, 3), (X, 4))
def triple_buffer(x, n):
    p, c, nx = x.copy(), x * 0.9, np.zeros(6)
    for _ in range(n):
        for i in range(1, 5):
            nx[i] = 2 * c[i] - p[i] + 0.1 * (c[i + 1] - 2 * c[i] + c[i - 1])
        p, c, nx = c, nx, p
    return p, c, nx


@law((X, 3))
def history(x, n):
    h = np.zeros((n + 1, 6))
    h[0] = x
    for t in range(n):
        cur = h[t]
        h[t + 1] = cur
        h[t + 1, 1:] += 0.5 * cur[:-1]
        cur[0] = -1
    return h


@law((X, 4))
def ring(x, n):
    buf = np.zeros(3)
    out = np.zeros(n)
    pos = 0
    for t in range(n):
        buf[pos] = x[t]
        pos = (pos + 1) % 3
        out[t] = buf.sum() + buf[pos] - buf[pos - 1]
    return out


@law((X,))
def closure_acc(x):
    tot = np.zeros(2)

    def add(v, k=0):
        tot[k] += v
        return tot[k]

    r = [add(x[0]), add(x[1], 1), add(x[2])]
    for v in x:
        add(v, k=1)
    return tot, r


@law((X,))
def func_returns_view(x):
    def head(a, n):
        return a[:n]

    h = head(x, 3)
    h[:] = 0
    head(x, 5)[4] = 9
    return x, h


@law((X,))
def func_rebinds(x):
    def f(a):
        a = a * 2
        a[0] = 0
        return a

    def g(a):
        a *= 2
        a[0] = 0

    y = f(x)
    g(x)
    return x, y


@law((X, True), (X, False))
def optional_copy(x, flag):
    y = x.copy()
    if flag:
        y[0] = 5
    else:
        y = y[::-1]
    z = y * 1
    z[1] = 3
    return x, y, z


@law(({"w": X.copy(), "b": 1.0}, 3))
def dict_state(p, n):
    q = {"w": p["w"].copy(), "b": p["b"]}
    for _ in range(n):
        q["w"] -= 0.1 * q["w"]
        q["b"] = q["b"] * 0.5
        q["w"][0] = q["b"]
    return q


@law((X, 3))
def list_state(x, n):
    st = [x.copy(), np.zeros(6)]
    for _ in range(n):
        st[1] += st[0]
        st[0] = st[0] * 0.5
        st[1][0] = -1
    return st


@law((X, 2))
def tuple_state(x, n):
    st = (x, x * 2, 0)
    for i in range(n):
        a, b, k = st
        st = (b - a, a + b, k + i)
    return st


@law((X,))
def while_complex(x):
    i, j = 0, len(x) - 1
    n = 0
    while i < j and n < 100:
        if x[i] > x[j]:
            x[i], x[j] = x[j], x[i]
            i += 1
        else:
            j -= 1
        n += 1
        if n % 3 == 0:
            continue
        x[i] += 0.01
    return x, i, j, n


@law((5,), (1,), (0,))
def pascal(n):
    t = np.zeros((n + 1, n + 1), int)
    for i in range(n + 1):
        t[i, 0] = 1
        for j in range(1, i + 1):
            t[i, j] = t[i - 1, j - 1] + t[i - 1, j]
    return t


@law((X,))
def shadow(x):
    s = 0
    for x_ in x:
        i = 0
        for i in range(3):
            s += i * x_
        s += i
    return s, i


@law((X, 6), (X, 3))
def outer_name_update(x, n):
    lo, hi = 0.0, 1.0
    for i in range(n):
        lo, hi = (lo + hi) / 2 if x[i] > 0.5 else lo, hi if x[i] > 0.5 else (lo + hi) / 2
    return lo, hi


@law((X,))
def accumulate_order(x):
    s = 0.0
    p = 1.0
    m = np.inf
    for i in range(6):
        s = s * 0.5 + x[i]
        p *= 1 + x[i] * s
        m = min(m, p - s)
    return s, p, m


@law((np.array([1e16, 1.0, -1e16, 1.0]),))
def kahan(x):
    s = 0.0
    c = 0.0
    for v in x:
        y = v - c
        t = s + y
        c = (t - s) - y
        s = t
    return s, c


@law((np.array([0.1] * 7),))
def exact_order(x):
    s = 0.0
    for v in x:
        s -= v
    return s == -0.7, s


@law((np.array([3, 1, 2]), np.array([1.0, 2.0, 3.0])))
def repeat_by_count(n, v):
    out = np.zeros(int(n.sum()))
    k = 0
    for c, u in zip(n, v):
        for _ in range(c):
            out[k] = u
            k += 1
    return out


@law((np.array([3, 1, 2]),))
def zeros_from_values(n):
    return np.zeros(n[0]), np.ones((n[1], n[2])), np.arange(n.sum()), np.full(n.max(), 7.0)


@law((X, -1), (X, 0), (X, 2))
def neg_sizes(x, n):
    return np.zeros(n)


@law((X, 4))
def where_chain(x, n):
    for _ in range(n):
        x = np.where(x > 0.5, x * 0.5, np.where(x < 0.1, x + 1, x * 1.5))
    return x


@law((np.array([[1, 0, 2], [0, 3, 0]]),))
def sparse_build(a):
    nnz = np.count_nonzero(a)
    v = np.zeros(nnz, a.dtype)
    c = np.zeros(nnz, int)
    p = np.zeros(a.shape[0] + 1, int)
    k = 0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] != 0:
                v[k] = a[i, j]
                c[k] = j
                k += 1
        p[i + 1] = k
    return v, c, p


@law((X, X[::-1].copy()))
def out_params(x, o):
    def step(a, b):
        for i in range(1, 5):
            b[i] = a[i - 1] + a[i + 1]

    step(x, o)
    step(o, x)


@law((M, M.copy()))
def out_params_2d(a, b):
    b[...] = 0
    for i in range(1, 3):
        for j in range(1, 4):
            b[i, j] = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]
    a[:] = b
    return b.sum()


@law((X,))
def inplace_alias_add(x):
    y = x
    x = x + 1
    y += x
    return x, y


@law((X,))
def slice_self(x):
    x[1:4] = x[0:3]
    x[::2] = x[::-2]
    x[:] = x[::-1] + x
    return x


@law((M,))
def t_self(m):
    s = m[:, :4]
    s += s.T
    s[:] = s.T @ s
    return m
