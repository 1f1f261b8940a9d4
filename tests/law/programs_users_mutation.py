"""Arrays that change: views, rows and columns, permutations, histograms, compaction."""

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
X = R.random(6)
M = R.random((4, 5))
C = R.random((2, 3, 4))
I = np.array([2, 0, 1, 5, 3, 4])
X = R.random(6)
M = R.random((4, 5))
C = R.random((2, 3, 4))
I = np.array([2, 0, 1, 5, 3, 4])


@law((X, 3), (X, 0), (X, 1))
def rebind_in_branch(x, n):
    y = np.zeros(6)
    for i in range(n):
        if x[i] > 0.5:
            y = y + x
        else:
            y[i] = 1.0
    return y


@law(
    (X,),
)
def write_through_loop_view(x):
    for i in range(0, len(x), 2):
        v = x[i : i + 2]
        v[0] += v[1]
        v *= 2
    return x


@law((M,))
def row_swap_view(m):
    for i in range(len(m) // 2):
        a = m[i].copy()
        m[i] = m[-1 - i]
        m[-1 - i] = a
    return m


@law((M,))
def row_swap_fancy(m):
    m[[0, 2]] = m[[2, 0]]
    m[:, [0, 1]] = m[:, [1, 0]]
    return m


@law((M,))
def col_ops(m):
    for j in range(m.shape[1] - 1):
        m[:, j + 1] += m[:, j]
        m[:, j] /= m[:, j].max()
    return m


@law((M,))
def self_update_rows(m):
    for i in range(1, len(m)):
        m[i] += m[i - 1]
    for i in range(len(m) - 2, -1, -1):
        m[i] -= 0.5 * m[i + 1]
    return m


@law((M,))
def diag_write(m):
    for i in range(4):
        m[i, i] = 0
        m[i, -1] = i
        m[-1, i] -= 1
    return m


@law((X, I))
def gather_scatter_chain(x, p):
    y = x[p]
    y[p] = x
    x[p[::2]] += y[1::2]
    x[p] *= x
    return x, y


@law((X, I))
def permute_loop(x, p):
    for i in range(len(x)):
        x[p[i]] = x[i] + 1
    return x


@law((X, I))
def hist_and_read(x, p):
    h = np.zeros(6)
    for i in range(6):
        h[p[i] % 3] += x[i]
        if h[0] > 1:
            h[5] += 1
    return h


@law((X, I))
def hist_two(x, p):
    h = np.zeros(3)
    c = np.zeros(3, int)
    for i in range(6):
        k = p[i] % 3
        h[k] += x[i] * x[p[i]]
        c[k] += 1
        h[2 - k] -= 0.5
    return h, c


@law((X,))
def prefix_variants(x):
    a = np.zeros(7)
    for i in range(6):
        a[i + 1] = a[i] + x[i]
    b = x.copy()
    for i in range(1, 6):
        b[i] = max(b[i - 1], b[i])
    c = np.zeros(6)
    s = 0.0
    for i in range(6):
        c[i] = s
        s += x[i]
    d = x.copy()
    for i in range(4, -1, -1):
        d[i] += d[i + 1]
    return a, b, c, d, s


@law((X, 0.3), (X, -1.0), (X, 9.0))
def first_index(x, t):
    k = -1
    for i in range(len(x)):
        if x[i] > t:
            k = i
            break
    y = np.zeros(6)
    y[: k + 1] = 1
    return k, y


@law((X,))
def argmax_loop(x):
    best, bi = -np.inf, 0
    second = -np.inf
    for i, v in enumerate(x):
        if v > best:
            second = best
            best, bi = v, i
        elif v > second:
            second = v
    return best, bi, second


@law((X,))
def last_wins(x):
    y = np.zeros(3)
    for i in range(6):
        y[i % 3] = x[i]
    z = 0.0
    for i in range(6):
        if x[i] > 0.3:
            z = x[i]
    return y, z


@law((X,))
def cond_write(x):
    y = np.full(6, -1.0)
    for i in range(6):
        if x[i] > 0.5:
            y[i] = x[i]
        elif x[i] > 0.2:
            y[5 - i] = 0.5
    return y


@law((X,))
def compact(x):
    y = np.zeros(6)
    k = 0
    for v in x:
        if v > 0.4:
            y[k] = v
            k += 1
    return y[:k], k


@law((M,))
def nested_compact(m):
    out = np.zeros((20, 2), int)
    k = 0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            if m[i, j] > 0.5:
                out[k] = (i, j)
                k += 1
    return out[:k]


@law((C,))
def three_d(c):
    s = np.zeros((2, 4))
    for i in range(2):
        for j in range(3):
            s[i] += c[i, j] * (j + 1)
    t = c.sum(axis=1)
    u = c[:, 1]
    v = c[..., 2]
    w = c[1, :, ::2]
    c[0, :, 1] = 7
    c[:, 0] += 1
    return (
        s,
        t,
        u,
        v,
        w,
        c.max(axis=(0, 2)),
        c.transpose(2, 0, 1)[1],
        c.reshape(6, 4)[::2],
        c.mean(axis=-2, keepdims=True),
    )


@law((C, np.array([1, 0]), np.array([2, 1])))
def three_d_fancy(c, i, j):
    return (
        c[i],
        c[i, j],
        c[:, j],
        c[i, j, 1:3],
        c[:, :, j],
        c[0, j],
        c[i, :, 0] if False else c[i][:, :, 0],
        c[c > 0.5].sum(),
        c[:, 0][c[:, 0] > 0.5].size,
    )
