"""Linear algebra by hand: factorisations, eigenvalues, direct solvers."""

# Written as users write, not as the linter would.
# ruff: noqa: B007

import math

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


def lu_factor(a):
    n = a.shape[0]
    lu = a.copy()
    piv = np.arange(n)
    for k in range(n):
        p = k + np.argmax(np.abs(lu[k:, k]))
        if p != k:
            lu[[k, p]] = lu[[p, k]]
            piv[[k, p]] = piv[[p, k]]
        for i in range(k + 1, n):
            lu[i, k] /= lu[k, k]
            lu[i, k + 1 :] -= lu[i, k] * lu[k, k + 1 :]
    return lu, piv


@law((A3,), (A5,), (A1,), (np.array([[0.0, 1.0], [1.0, 0.0]]),))
def lu_with_pivots(a):
    return lu_factor(a)


@law((A3, B3), (A5, B5), (A1, B1))
def lu_solve(a, b):
    lu, piv = lu_factor(a)
    x = b[piv]
    n = len(b)
    for i in range(n):
        x[i] -= lu[i, :i] @ x[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - np.dot(lu[i, i + 1 :], x[i + 1 :])) / lu[i, i]
    return x


@law((A3,), (A5,), (-A3,), (np.zeros((0, 0)),))
def cholesky(a):
    n = a.shape[0]
    L = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j] - np.sum(L[i, :j] * L[j, :j])
            if i == j:
                if s <= 0.0:
                    raise ValueError(f"not positive definite at {i}")
                L[i, i] = math.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
    return L


@law((G53,), (A3,), (G22,))
def gram_schmidt(a):
    m, n = a.shape
    q = np.zeros((m, n))
    r = np.zeros((n, n))
    for j in range(n):
        v = a[:, j].copy()
        for i in range(j):
            r[i, j] = q[:, i] @ v
            v -= r[i, j] * q[:, i]
        r[j, j] = np.linalg.norm(v)
        q[:, j] = v / r[j, j]
    return q, r


@law((G53,), (A3,))
def householder_qr(a):
    m, n = a.shape
    r = a.copy()
    q = np.eye(m)
    for k in range(min(m - 1, n)):
        x = r[k:, k]
        norm = np.sqrt((x * x).sum())
        if norm == 0.0:
            continue
        alpha = -np.copysign(norm, x[0])
        v = x.copy()
        v[0] -= alpha
        beta = 2.0 / (v @ v)
        r[k:, k:] -= beta * np.outer(v, v @ r[k:, k:])
        q[:, k:] -= beta * np.outer(q[:, k:] @ v, v)
    return q, r


@law((A3,), (A5,))
def givens_hessenberg(h):
    h = np.triu(h, -1)
    n = h.shape[0]
    for k in range(n - 1):
        r = np.hypot(h[k, k], h[k + 1, k])
        c, s = h[k, k] / r, h[k + 1, k] / r
        top = c * h[k] + s * h[k + 1]
        bottom = -s * h[k] + c * h[k + 1]
        h[k], h[k + 1] = top, bottom
    return h


@law((R.random(7), R.random(8) + 2, R.random(7), R.random(8)), (R.random(0), R.random(1) + 2, R.random(0), R.random(1)))
def thomas(lower, diag, upper, rhs):
    n = len(diag)
    c = np.empty(n)
    d = np.empty(n)
    c[0] = upper[0] / diag[0] if n > 1 else 0.0
    d[0] = rhs[0] / diag[0]
    for i in range(1, n):
        m = diag[i] - lower[i - 1] * c[i - 1]
        if i < n - 1:
            c[i] = upper[i] / m
        d[i] = (rhs[i] - lower[i - 1] * d[i - 1]) / m
    x = np.zeros(n)
    x[-1] = d[-1]
    for i in reversed(range(n - 1)):
        x[i] = d[i] - c[i] * x[i + 1]
    return x


@law((A3, 100, 1e-12), (A5, 100, 1e-12), (A1, 3, 1e-12))
def power_iteration(A, max_iter, tol):
    v = np.ones(A.shape[0]) / np.sqrt(A.shape[0])
    eig = 0.0
    for k in range(max_iter):
        w = A @ v
        new = np.dot(v, w)
        v = w / np.linalg.norm(w)
        if abs(new - eig) < tol * abs(new):
            return new, v
        eig = new
    return eig, v


@law((G53, 2), (A5, 3))
def pca_by_deflation(data, components):
    centred = data - data.mean(axis=0)
    cov = centred.T @ centred / (len(data) - 1)
    d = cov.shape[0]
    basis = np.zeros((components, d))
    variances = np.zeros(components)
    for c in range(components):
        v = np.full(d, 1.0 / d**0.5)
        v[c % d] += 0.5
        for _ in range(300):
            v = cov @ v
            v /= np.sqrt(np.sum(v**2))
        lam = v @ cov @ v
        basis[c] = v
        variances[c] = lam
        cov = cov - lam * np.outer(v, v)
    return np.abs(basis), variances


@law((A5, B5, 3), (A3, B3, 2))
def lanczos(A, b, m):
    n = len(b)
    V = np.zeros((m + 1, n))
    alpha = np.zeros(m)
    beta = np.zeros(m)
    V[0] = b / np.linalg.norm(b)
    for j in range(m):
        w = A @ V[j]
        if j > 0:
            w -= beta[j - 1] * V[j - 1]
        alpha[j] = w @ V[j]
        w -= alpha[j] * V[j]
        beta[j] = np.linalg.norm(w)
        if beta[j] > 1e-14:
            V[j + 1] = w / beta[j]
    T = np.diag(alpha) + np.diag(beta[:-1], 1) + np.diag(beta[:-1], -1)
    return T, V


@law((A3, 30), (A5, 30))
def jacobi_eigenvalues(S, sweeps):
    A = S.copy()
    n = A.shape[0]
    for _ in range(sweeps):
        off = np.sum(np.triu(A, 1) ** 2)
        if off < 1e-26:
            break
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(A[p, q]) < 1e-300:
                    continue
                theta = (A[q, q] - A[p, p]) / (2 * A[p, q])
                t = math.copysign(1.0, theta) / (abs(theta) + math.sqrt(theta * theta + 1))
                c = 1 / math.sqrt(t * t + 1)
                s = t * c
                for k in range(n):
                    akp, akq = A[k, p], A[k, q]
                    A[k, p] = c * akp - s * akq
                    A[k, q] = s * akp + c * akq
                for k in range(n):
                    apk, aqk = A[p, k], A[q, k]
                    A[p, k] = c * apk - s * aqk
                    A[q, k] = s * apk + c * aqk
    return np.sort(np.diag(A))


@law((np.array([4.0, 3.0, 2.0, 1.0]), np.array([1.0, 2.0, 3.0, 4.0])), (np.array([2.0]), np.array([6.0])))
def levinson(r, y):
    n = len(r)
    f = np.zeros(n)
    b = np.zeros(n)
    x = np.zeros(n)
    f[0] = b[0] = 1.0 / r[0]
    x[0] = y[0] / r[0]
    for k in range(1, n):
        ef = 0.0
        eb = 0.0
        ex = 0.0
        for i in range(k):
            ef += r[k - i] * f[i]
            eb += r[i + 1] * b[i]
            ex += r[k - i] * x[i]
        denom = 1.0 - ef * eb
        f_old = f[: k + 1].copy()
        b_old = b[: k + 1].copy()
        for i in range(k + 1):
            shifted = b_old[i - 1] if i > 0 else 0.0
            f[i] = (f_old[i] - ef * shifted) / denom
            b[i] = (shifted - eb * f_old[i]) / denom
        x[: k + 1] += (y[k] - ex) * b[: k + 1]
    return x
