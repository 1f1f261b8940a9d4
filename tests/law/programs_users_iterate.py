"""Iterative solvers, sparse formats, grids and multigrid."""

# Written as users write, not as the linter would.
# ruff: noqa: B007

import numpy as np

from .corpus import law

R = np.random.default_rng(1)


def spd(n):
    a = R.standard_normal((n, n))
    return a @ a.T + n * np.eye(n)


A3, A5, A1 = spd(3), spd(5), spd(1)
B3, B5, B1 = R.standard_normal(3), R.standard_normal(5), R.standard_normal(1)
G53 = R.standard_normal((5, 3))
G22 = R.standard_normal((2, 2))


@law((A3, B3, 1e-10), (A5, B5, 1e-10), (A1, B1, 1e-10))
def conjugate_gradients(A, b, tol):
    x = np.zeros_like(b)
    r = b - A @ x
    p = r.copy()
    rs = r @ r
    iterations = 0
    while np.sqrt(rs) > tol and iterations < 50:
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        rs_new = r @ r
        p = r + (rs_new / rs) * p
        rs = rs_new
        iterations += 1
    return x, np.sqrt(rs) < tol


@law((A3, B3, 20), (A5, B5, 20), (A3, B3, 0))
def jacobi(A, b, sweeps):
    D = np.diag(A)
    R = A - np.diag(D)
    x = np.zeros(len(b))
    for _ in range(sweeps):
        x = (b - R @ x) / D
    return x


@law((A3, B3, 1.2), (A5, B5, 1.0), (A5, B5, 0.9))
def sor(A, b, omega):
    n = b.size
    x = np.zeros(n)
    for it in range(200):
        biggest = 0.0
        for i in range(n):
            sigma = 0.0
            for j in range(n):
                if j != i:
                    sigma += A[i, j] * x[j]
            new = (1 - omega) * x[i] + omega * (b[i] - sigma) / A[i, i]
            biggest = max(biggest, abs(new - x[i]))
            x[i] = new
        if biggest < 1e-12:
            break
    return x, it < 199


INDPTR = np.array([0, 2, 2, 5])
INDICES = np.array([0, 2, 0, 1, 2])
DATA = np.array([1.0, 2.0, 3.0, 4.0, 5.0])


@law(
    (INDPTR, INDICES, DATA, B3),
    (np.array([0]), INDICES[:0], DATA[:0], B3),
    (INDPTR.astype(np.int32), INDICES.astype(np.int32), DATA, B3),
)
def csr_matvec(indptr, indices, data, x):
    n = len(indptr) - 1
    y = np.zeros(n)
    for i in range(n):
        for k in range(indptr[i], indptr[i + 1]):
            y[i] += data[k] * x[indices[k]]
    return y


@law((INDPTR, INDICES, DATA, B3), (np.array([0, 0]), INDICES[:0], DATA[:0], B3))
def csr_transpose_matvec(indptr, indices, data, x):
    y = np.zeros(3)
    for i in range(len(indptr) - 1):
        lo, hi = indptr[i], indptr[i + 1]
        y[indices[lo:hi]] += data[lo:hi] * x[i]
    return y


@law(
    (np.array([0, 0, 2, 1]), np.array([1, 1, 0, 2]), np.array([1.0, 2.0, 3.0, 4.0]), 3),
    (np.array([], int), np.array([], int), np.array([]), 2),
)
def coo_to_csr(row, col, val, n):
    nnz = len(val)
    indptr = np.zeros(n + 1, dtype=np.int64)
    for r in row:
        indptr[r + 1] += 1
    indptr = np.cumsum(indptr)
    fill = indptr[:-1].copy()
    cols = np.empty(nnz, dtype=col.dtype)
    vals = np.empty_like(val)
    for k in range(nnz):
        dest = fill[row[k]]
        cols[dest] = col[k]
        vals[dest] = val[k]
        fill[row[k]] += 1
    return indptr, cols, vals


@law((np.array([0, 0, 2, 1]), np.array([1, 1, 0, 2]), np.array([1.0, 2.0, 3.0, 4.0]), 3))
def coo_dense(row, col, val, n):
    dense = np.zeros((n, n))
    np.add.at(dense, (row, col), val)
    return dense


@law((R.random((4, 5)), 1.0), (R.random((3, 3)), 0.5), (R.random((2, 2)), 0.5))
def gauss_seidel_poisson(f, h):
    n, m = f.shape
    u = np.zeros((n, m))
    for sweep in range(10):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] = 0.25 * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - h * h * f[i, j])
    return u


@law((R.random((6, 6)), 4), (R.random((3, 4)), 1))
def red_black(f, sweeps):
    u = np.zeros_like(f)
    for _ in range(sweeps):
        for colour in (0, 1):
            for i in range(1, f.shape[0] - 1):
                start = 1 + (i + colour) % 2
                for j in range(start, f.shape[1] - 1, 2):
                    u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - f[i, j])
    return u


def smooth(u, f, h, sweeps):
    for _ in range(sweeps):
        u[1:-1] = u[1:-1] + 0.66 * 0.5 * (u[:-2] + u[2:] - 2 * u[1:-1] + h * h * f[1:-1])
    return u


def residual(u, f, h):
    r = np.zeros_like(u)
    r[1:-1] = f[1:-1] + (u[:-2] - 2 * u[1:-1] + u[2:]) / h**2
    return r


def restrict(r):
    coarse = r[::2].copy()
    coarse[1:-1] = 0.25 * (r[1:-3:2] + 2 * r[2:-2:2] + r[3:-1:2])
    return coarse


def prolong(e):
    fine = np.zeros(2 * len(e) - 1)
    fine[::2] = e
    fine[1::2] = 0.5 * (e[:-1] + e[1:])
    return fine


@law((np.sin(np.linspace(0, 3, 17)),), (np.sin(np.linspace(0, 3, 9)),))
def two_grid(f):
    h = 1.0 / (len(f) - 1)
    u = np.zeros_like(f)
    norms = []
    for k in range(3):
        u = smooth(u, f, h, 2)
        r = residual(u, f, h)
        e = smooth(np.zeros(len(f) // 2 + 1), restrict(r), 2 * h, 20)
        u = u + prolong(e)
        norms.append(np.max(np.abs(r)))
    return u, norms


@law((A5, B5, 3), (A3, B3, 3))
def gmres(A, b, m):
    n = len(b)
    Q = np.zeros((n, m + 1))
    H = np.zeros((m + 1, m))
    beta = np.linalg.norm(b)
    Q[:, 0] = b / beta
    for k in range(m):
        y = A @ Q[:, k]
        for j in range(k + 1):
            H[j, k] = Q[:, j] @ y
            y = y - H[j, k] * Q[:, j]
        H[k + 1, k] = np.linalg.norm(y)
        if H[k + 1, k] > 1e-12:
            Q[:, k + 1] = y / H[k + 1, k]
    e1 = np.zeros(m + 1)
    e1[0] = beta
    coefficients = np.linalg.solve(H.T @ H, H.T @ e1)
    return Q[:, :m] @ coefficients


@law((G53, B5), (R.standard_normal((4, 2)), R.standard_normal(4)))
def least_squares_normal(X, y):
    coef = np.linalg.solve(X.T @ X, X.T @ y)
    res = y - X @ coef
    dof = X.shape[0] - X.shape[1]
    sigma2 = res @ res / dof
    stderr = np.sqrt(np.diag(np.linalg.inv(X.T @ X)) * sigma2)
    r2 = 1 - (res**2).sum() / ((y - y.mean()) ** 2).sum()
    return coef, stderr, r2


@law((A3, 2), (A3, 0), (A3, 7), (A1, 5))
def matrix_power(A, k):
    result = np.eye(len(A))
    base = A.copy()
    while k > 0:
        if k & 1:
            result = result @ base
        base = base @ base
        k >>= 1
    return result


@law((A3 * 0.05,), (A5 * 0.05,))
def expm_taylor(A):
    n = A.shape[0]
    s = max(0, int(np.ceil(np.log2(np.abs(A).sum(axis=1).max() + 1e-300))) + 1)
    X = A / 2**s
    term = np.eye(n)
    E = np.eye(n)
    for k in range(1, 15):
        term = term @ X / k
        E += term
    for _ in range(s):
        E = E @ E
    return E


@law((A3, B3), (A5, B5))
def quadratic_forms(A, x):
    direct = x @ A @ x
    by_einsum = np.einsum("i,ij,j->", x, A, x)
    by_loop = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            by_loop += x[i] * A[i, j] * x[j]
    return direct, by_einsum, by_loop


@law((G53,), (G22,), (np.zeros((0, 2)),))
def gaussian_elimination_rank(a):
    m = a.copy()
    rows, cols = m.shape
    rank = 0
    for c in range(cols):
        pivot = -1
        for r in range(rank, rows):
            if abs(m[r, c]) > 1e-9:
                pivot = r
                break
        if pivot < 0:
            continue
        if pivot != rank:
            tmp = m[rank].copy()
            m[rank] = m[pivot]
            m[pivot] = tmp
        m[rank] /= m[rank, c]
        for r in range(rows):
            if r != rank:
                m[r] -= m[r, c] * m[rank]
        rank += 1
        if rank == rows:
            break
    return rank, m


@law((A3,), (A5,))
def blocked_matmul(a):
    n = a.shape[0]
    c = np.zeros((n, n))
    bs = 2
    for ii in range(0, n, bs):
        for jj in range(0, n, bs):
            for kk in range(0, n, bs):
                for i in range(ii, min(ii + bs, n)):
                    for j in range(jj, min(jj + bs, n)):
                        acc = c[i, j]
                        for k in range(kk, min(kk + bs, n)):
                            acc += a[i, k] * a[k, j]
                        c[i, j] = acc
    return c
