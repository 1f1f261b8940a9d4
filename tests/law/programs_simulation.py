"""Numerical classics: simulation, filters, linear algebra by hand."""

# ruff: noqa: B905, PLR1730

import numpy as np

from .corpus import law

R = np.random.default_rng(7)
A4 = R.normal(size=(4, 4)) + 4 * np.eye(4)
SPD = A4 @ A4.T


@law(
    (
        np.array([0.0, 1.0]),
        np.eye(2),
        np.array([0.5]),
        np.array([[1.0, 0.1], [0.0, 1.0]]),
        np.array([[1.0, 0.0]]),
        0.01 * np.eye(2),
        np.array([[0.1]]),
    )
)
def kalman_step(x, P, z, F, H, Q, R):
    x = F @ x
    P = F @ P @ F.T + Q
    S = H @ P @ H.T + R
    K = P @ H.T @ np.linalg.inv(S)
    x = x + K @ (z - H @ x)
    P = (np.eye(len(x)) - K @ H) @ P
    return x, P


@law((R.normal(size=(3, 3)), R.normal(size=(3, 3)), np.array([1.0, 2.0, 0.5]), 0.01, 3))
def nbody(pos, vel, mass, dt, steps):
    n = len(mass)
    for _ in range(steps):
        for i in range(n):
            a = np.zeros(3)
            for j in range(n):
                if i == j:
                    continue
                r = pos[j] - pos[i]
                d2 = np.dot(r, r) + 1e-3
                a += mass[j] * r / (d2 * np.sqrt(d2))
            vel[i] += dt * a
        pos += dt * vel
    kinetic = 0.0
    for m, v in zip(mass, vel):
        kinetic += 0.5 * m * (v**2).sum()
    return kinetic


@law((R.normal(size=(5, 6)), 0.1, 3), (R.normal(size=(2, 6)), 0.1, 1))
def heat2d(u, alpha, steps):
    for _ in range(steps):
        lap = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] += alpha * lap
    return u


@law((R.normal(size=(5, 4)), 0.1, 3))
def heat2d_loops(u, alpha, steps):
    n, m = u.shape
    v = u.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                v[i, j] = u[i, j] + alpha * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4 * u[i, j])
        u, v = v, u.copy()
    return u


@law((R.integers(0, 2, size=(4, 5)), 2))
def life(board, steps):
    n, m = board.shape
    for _ in range(steps):
        new = np.zeros_like(board)
        for i in range(n):
            for j in range(m):
                total = 0
                for di in (-1, 0, 1):
                    for dj in (-1, 0, 1):
                        if di != 0 or dj != 0:
                            total += board[(i + di) % n, (j + dj) % m]
                alive = total == 3 or (board[i, j] == 1 and total == 2)
                new[i, j] = 1 if alive else 0
        board = new
    return board


@law((R.normal(size=6),), (np.zeros(0),))
def prefix_sum(x):
    out = np.empty_like(x)
    s = 0.0
    for i in range(len(x)):
        s += x[i]
        out[i] = s
    return out


@law((A4 / 6, 5), (A4 / 6, 0))
def matrix_power(a, n):
    result = np.eye(a.shape[0])
    base = a.copy()
    while n > 0:
        if n % 2 == 1:
            result = result @ base
        base = base @ base
        n //= 2
    return result


@law((A4, np.arange(4.0)), (np.zeros((2, 2)), np.ones(2)))
def gauss(a, b):
    n = len(b)
    a = a.copy()
    x = b.copy()
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[p, k]):
                p = i
        if a[p, k] == 0.0:
            raise ValueError("singular matrix")
        if p != k:
            for j in range(n):
                a[k, j], a[p, j] = a[p, j], a[k, j]
            x[k], x[p] = x[p], x[k]
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            a[i, k:] -= f * a[k, k:]
            x[i] -= f * x[k]
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


@law((np.array([[0.0, 3.0, 9.0], [2.0, 0.0, 1.0], [4.0, 7.0, 0.0]]),))
def floyd_warshall(dist):
    n = len(dist)
    d = dist.copy()
    for k in range(n):
        for i in range(n):
            for j in range(n):
                via = d[i, k] + d[k, j]
                if via < d[i, j]:
                    d[i, j] = via
    return d


@law((np.arange(6.0), np.array([0.5, 0.25])))
def fir(x, h):
    n, m = len(x), len(h)
    y = np.zeros(n)
    for i in range(n):
        acc = 0.0
        for k in range(m):
            if i - k >= 0:
                acc += h[k] * x[i - k]
        y[i] = acc
    return y


@law((np.array([1.0, 2.0, 3.0]), 2.0))
def horner(coeffs, x):
    r = 0.0
    for c in reversed(coeffs):
        r = r * x + c
    return r


@law((SPD, 5))
def power_iteration(a, steps):
    v = np.ones(a.shape[0])
    lam = 0.0
    for _ in range(steps):
        w = a @ v
        lam = np.linalg.norm(w)
        v = w / lam
    return lam, v


@law((SPD, np.arange(4.0), 1e-10))
def conjugate_gradient(a, b, tol):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    rs = r @ r
    count = 0
    while np.sqrt(rs) > tol and count < 50:
        ap = a @ p
        alpha = rs / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        p = r + (new / rs) * p
        rs = new
        count += 1
    return x, count


@law((A4,))
def lu(a):
    n = a.shape[0]
    l = np.eye(n)
    u = a.copy()
    for k in range(n):
        l[k + 1 :, k] = u[k + 1 :, k] / u[k, k]
        u[k + 1 :, k:] -= l[k + 1 :, k][:, None] * u[k, k:]
        u[k + 1 :, k] = 0.0
    return l, u


@law((np.array([0.0, 1.0, 1.0]), np.array([4.0, 4.0, 4.0]), np.array([1.0, 1.0, 0.0]), np.array([1.0, 2.0, 3.0])))
def thomas(a, b, c, d):
    n = len(d)
    cp = np.empty(n)
    dp = np.empty(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x = np.empty(n)
    x[-1] = dp[-1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x


@law(
    (R.normal(size=(3, 2)), R.normal(size=(4, 2)), np.array([0, 2, 1, 0])),
    (R.normal(size=(3, 2)), R.normal(size=(4, 2)), np.array([0, 3, 1, 0])),
)
def softmax_loss(w, x, labels):
    total = 0.0
    for row, label in zip(x, labels):
        z = w @ row
        z = z - z.max()
        total += np.log(np.exp(z).sum()) - z[label]
    return total / len(labels)


@law((R.normal(size=(4, 2)),))
def pairwise(x):
    n = len(x)
    d = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            d[i, j] = np.sqrt(((x[i] - x[j]) ** 2).sum())
    return d


@law((np.arange(5.0), 0.3), (np.zeros(0), 0.3))
def exponential_smoothing(x, alpha):
    out = np.zeros(len(x))
    level = x[0]
    for t, value in enumerate(x):
        level = alpha * value + (1 - alpha) * level
        out[t] = level
    return out
