"""Numerical classics, written as plain Python."""

import math

import numpy as np


def energy(x, k):
    e = 0.0
    for i in range(len(x) - 1):
        d = x[i + 1] - x[i]
        if d > 1.0:
            e += 0.5 * k * (d - 1.0) ** 2
    return e


def field(a, b, d, c, x, y):
    return a * x - b * x * y, d * x * y - c * y


def lotka_volterra(p, h, steps):
    a, b, d, c = p[0], p[1], p[2], p[3]
    x = 1.0
    y = 1.0
    for _ in range(steps):
        k1, l1 = field(a, b, d, c, x, y)
        k2, l2 = field(a, b, d, c, x + 0.5 * h * k1, y + 0.5 * h * l1)
        k3, l3 = field(a, b, d, c, x + 0.5 * h * k2, y + 0.5 * h * l2)
        k4, l4 = field(a, b, d, c, x + h * k3, y + h * l3)
        x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        y += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
    return x * x + y


def lorenz(state, dt, n):
    def f(s):
        x, y, z = s
        return np.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])

    for _ in range(n):
        k1 = f(state)
        k2 = f(state + 0.5 * dt * k1)
        k3 = f(state + 0.5 * dt * k2)
        k4 = f(state + dt * k3)
        state = state + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return state


def burgers_step(u, h, lam, o):
    n = u.shape[0]
    hl = 0.25 * lam
    for i in range(n - 1):
        h[i] = 0.5 * (u[i] + u[i + 1]) - hl * (u[i + 1] * u[i + 1] - u[i] * u[i])
    h[n - 1] = 0.5 * (u[n - 1] + u[0]) - hl * (u[0] * u[0] - u[n - 1] * u[n - 1])
    o[0] = u[0] - 0.5 * lam * (h[0] * h[0] - h[n - 1] * h[n - 1])
    for i in range(1, n):
        o[i] = u[i] - 0.5 * lam * (h[i] * h[i] - h[i - 1] * h[i - 1])


def burgers(u0, target, lam, steps):
    u = u0.copy()
    h = np.empty_like(u)
    o = np.empty_like(u)
    for _ in range(steps):
        burgers_step(u, h, lam, o)
        u, o = o, u
    return 0.5 * ((u - target) ** 2).sum()


def csr(ptr, col, v, x):
    f = 0.0
    for i in range(x.shape[0]):
        s = 0.0
        for k in range(ptr[i], ptr[i + 1]):
            s += v[k] * x[col[k]]
        f += x[i] * s
    return 0.5 * f


def kmeans(points, centres):
    f = 0.0
    for i in range(points.shape[0]):
        b = 1e300
        for j in range(centres.shape[0]):
            s = 0.0
            for t in range(centres.shape[1]):
                z = points[i, t] - centres[j, t]
                s += z * z
            if s < b:
                b = s
        f += b
    return f


def kmeans_assign(points, centres):
    labels = np.zeros(len(points), dtype=np.int64)
    counts = np.zeros(len(centres))
    for i, p in enumerate(points):
        best = np.sum((p - centres[0]) ** 2)
        for j in range(1, len(centres)):
            d = np.sum((p - centres[j]) ** 2)
            if d < best:
                best = d
                labels[i] = j
        counts[labels[i]] += 1
    return labels, counts


def gmm(al, mu, icf, x, gam):
    n, d = x.shape
    K = al.shape[0]
    ed = np.exp(icf[:, :d])
    f = 0.0
    pr = 0.0
    m = np.empty(K)
    xc = np.empty(d)
    s = np.empty(d)
    sq = np.empty(K)
    for k in range(K):
        t = 0.0
        for j in range(d):
            t += icf[k, j]
            pr += ed[k, j] ** 2
        for j in range(d, icf.shape[1]):
            pr += icf[k, j] ** 2
        sq[k] = t
    for i in range(n):
        mx = -1e300
        for k in range(K):
            for j in range(d):
                xc[j] = x[i, j] - mu[k, j]
                s[j] = ed[k, j] * xc[j]
            p = d
            for c in range(d):
                t = xc[c]
                for r in range(c + 1, d):
                    s[r] += icf[k, p + r - c - 1] * t
                p += d - c - 1
            q = 0.0
            for j in range(d):
                q += s[j] * s[j]
            m[k] = al[k] + sq[k] - 0.5 * q
            if m[k] > mx:
                mx = m[k]
        e = 0.0
        for k in range(K):
            e += math.exp(m[k] - mx)
        f += mx + math.log(e)
    mx = al.max()
    e = np.exp(al - mx).sum()
    return f - n * (mx + math.log(e)) - 0.5 * gam * gam * pr - 0.5 * n * d * math.log(2 * math.pi)


def bundle_adjustment(cams, Xs, w, ft, ci, pi):
    P = w.shape[0]
    e = np.empty((P, 2))
    for i in range(P):
        c = cams[ci[i]]
        X = Xs[pi[i]]
        x0 = X[0] - c[3]
        x1 = X[1] - c[4]
        x2 = X[2] - c[5]
        t2 = c[0] * c[0] + c[1] * c[1] + c[2] * c[2]
        if t2 > 0:
            t = math.sqrt(t2)
            cs = math.cos(t)
            sn = math.sin(t)
            it = 1 / t
            w0 = c[0] * it
            w1 = c[1] * it
            w2 = c[2] * it
            dt = (w0 * x0 + w1 * x1 + w2 * x2) * (1 - cs)
            y0 = x0 * cs + (w1 * x2 - w2 * x1) * sn + w0 * dt
            y1 = x1 * cs + (w2 * x0 - w0 * x2) * sn + w1 * dt
            y2 = x2 * cs + (w0 * x1 - w1 * x0) * sn + w2 * dt
        else:
            y0 = x0 + c[1] * x2 - c[2] * x1
            y1 = x1 + c[2] * x0 - c[0] * x2
            y2 = x2 + c[0] * x1 - c[1] * x0
        u = y0 / y2
        v = y1 / y2
        r2 = u * u + v * v
        L = 1 + c[9] * r2 + c[10] * r2 * r2
        e[i, 0] = w[i] * (c[6] * L * u + c[7] - ft[i, 0])
        e[i, 1] = w[i] * (c[6] * L * v + c[8] - ft[i, 1])
    return e


def arm(q, dh):
    B = q.shape[0]
    o = np.empty((B, 6))
    m = np.empty(12)
    for b in range(B):
        for r in range(12):
            m[r] = 1.0 if r % 5 == 0 else 0.0
        for j in range(6):
            c = math.cos(q[b, j])
            s = math.sin(q[b, j])
            a = dh[j, 0]
            dd = dh[j, 1]
            ca = dh[j, 2]
            sa = dh[j, 3]
            for r in range(3):
                X = m[4 * r]
                Y = m[4 * r + 1]
                Z = m[4 * r + 2]
                x1 = c * X + s * Y
                y1 = c * Y - s * X
                m[4 * r] = x1
                m[4 * r + 1] = ca * y1 + sa * Z
                m[4 * r + 2] = ca * Z - sa * y1
                m[4 * r + 3] += a * x1 + dd * Z
        for r in range(3):
            o[b, r] = m[4 * r + 3]
            o[b, 3 + r] = m[4 * r]
    return o


def harten(l, delta):
    a = abs(l)
    return (l * l + delta * delta) / (2 * delta) if a < delta else a


def roe(UL, UR, g, de):
    F = np.empty_like(UL)
    for b in range(UL.shape[0]):
        L0, L1, L2 = UL[b, 0], UL[b, 1], UL[b, 2]
        Q0, Q1, Q2 = UR[b]
        ul = L1 / L0
        pl = (g - 1) * (L2 - 0.5 * L1 * ul)
        hl = (L2 + pl) / L0
        ur = Q1 / Q0
        pr = (g - 1) * (Q2 - 0.5 * Q1 * ur)
        hr = (Q2 + pr) / Q0
        sl, sr = math.sqrt(L0), math.sqrt(Q0)
        i = 1 / (sl + sr)
        u = (sl * ul + sr * ur) * i
        h = (sl * hl + sr * hr) * i
        a2 = (g - 1) * (h - 0.5 * u * u)
        a = math.sqrt(a2)
        rho = sl * sr
        dr, du, dp = Q0 - L0, ur - ul, pr - pl
        ia = 1 / a2
        w1 = 0.5 * (dp - rho * a * du) * ia
        w2 = dr - dp * ia
        w3 = 0.5 * (dp + rho * a * du) * ia
        l1 = harten(u - a, de) * w1
        l2 = harten(u, de) * w2
        l3 = harten(u + a, de) * w3
        F[b, 0] = 0.5 * (L1 + Q1) - 0.5 * (l1 + l2 + l3)
        F[b, 1] = 0.5 * (L1 * ul + pl + Q1 * ur + pr) - 0.5 * (l1 * (u - a) + l2 * u + l3 * (u + a))
        F[b, 2] = 0.5 * (L1 * hl + Q1 * hr) - 0.5 * (l1 * (h - u * a) + l2 * 0.5 * u * u + l3 * (h + u * a))
    return F


def kalman_step(x, P, z, F, H, Q, R):
    x = F @ x
    P = F @ P @ F.T + Q
    S = H @ P @ H.T + R
    K = P @ H.T @ np.linalg.inv(S)
    x = x + K @ (z - H @ x)
    P = (np.eye(len(x)) - K @ H) @ P
    return x, P


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


def heat2d(u, alpha, steps):
    for _ in range(steps):
        lap = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] += alpha * lap
    return u


def heat2d_loops(u, alpha, steps):
    n, m = u.shape
    v = u.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                v[i, j] = u[i, j] + alpha * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4 * u[i, j])
        u, v = v, u.copy()
    return u


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


def prefix_sum(x):
    out = np.empty_like(x)
    s = 0.0
    for i in range(len(x)):
        s += x[i]
        out[i] = s
    return out


def binary_search(a, key):
    lo, hi = 0, len(a) - 1
    while lo <= hi:
        mid = (lo + hi) // 2
        if a[mid] == key:
            return mid
        if a[mid] < key:
            lo = mid + 1
        else:
            hi = mid - 1
    return -1


def newton_sqrt(a, tol=1e-12):
    x = a if a > 1.0 else 1.0
    while abs(x * x - a) > tol * a:
        x = 0.5 * (x + a / x)
    return x


def newton_iterations(a, maxiter):
    x = a
    for k in range(maxiter):
        new = 0.5 * (x + a / x)
        err = abs(new - x)
        x = new
        if err < 1e-10:
            break
    return x, k, err


def mandelbrot(width, height, limit):
    out = np.zeros((height, width), dtype=np.int64)
    for j in range(height):
        for i in range(width):
            cr = -2.0 + 3.0 * i / width
            ci = -1.0 + 2.0 * j / height
            zr = zi = 0.0
            n = 0
            while n < limit and zr * zr + zi * zi < 4.0:
                zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
                n += 1
            out[j, i] = n
    return out


def matrix_power(a, n):
    result = np.eye(a.shape[0])
    base = a.copy()
    while n > 0:
        if n % 2 == 1:
            result = result @ base
        base = base @ base
        n //= 2
    return result


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


def insertion_sort(a):
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a


def bubble_sort(x):
    a = x.copy()
    n = len(a)
    swapped = True
    while swapped:
        swapped = False
        for i in range(n - 1):
            if a[i] > a[i + 1]:
                a[i], a[i + 1] = a[i + 1], a[i]
                swapped = True
        n -= 1
    return a


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


def edit_distance(a, b):
    m, n = len(a), len(b)
    d = np.zeros((m + 1, n + 1), dtype=np.int64)
    for i in range(m + 1):
        d[i, 0] = i
    for j in range(n + 1):
        d[0, j] = j
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[m, n]


def monte_carlo_pi(n, seed):
    state = seed
    inside = 0
    for _ in range(n):
        state = (1103515245 * state + 12345) % 2147483648
        x = state / 2147483648
        state = (1103515245 * state + 12345) % 2147483648
        y = state / 2147483648
        if x * x + y * y <= 1.0:
            inside += 1
    return 4.0 * inside / n


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


def sieve(n):
    prime = np.ones(n + 1, dtype=bool)
    prime[0] = False
    prime[1] = False
    i = 2
    while i * i <= n:
        if prime[i]:
            for j in range(i * i, n + 1, i):
                prime[j] = False
        i += 1
    return prime.sum()


def horner(coeffs, x):
    r = 0.0
    for c in reversed(coeffs):
        r = r * x + c
    return r


def trapezoid(f, a, b, n):
    h = (b - a) / n
    total = 0.5 * (f(a) + f(b))
    for i in range(1, n):
        total += f(a + i * h)
    return total * h


def integrate_exp(n):
    return trapezoid(lambda t: math.exp(-t * t), 0.0, 1.0, n)


def power_iteration(a, steps):
    v = np.ones(a.shape[0])
    lam = 0.0
    for _ in range(steps):
        w = a @ v
        lam = np.linalg.norm(w)
        v = w / lam
    return lam, v


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


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def histogram(x, lo, hi, bins):
    h = np.zeros(bins, dtype=np.int64)
    for v in x:
        k = int((v - lo) / (hi - lo) * bins)
        if 0 <= k < bins:
            h[k] += 1
    return h


def lu(a):
    n = a.shape[0]
    l = np.eye(n)
    u = a.copy()
    for k in range(n):
        l[k + 1 :, k] = u[k + 1 :, k] / u[k, k]
        u[k + 1 :, k:] -= l[k + 1 :, k][:, None] * u[k, k:]
        u[k + 1 :, k] = 0.0
    return l, u


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


def softmax_loss(w, x, labels):
    total = 0.0
    for row, label in zip(x, labels):
        z = w @ row
        z = z - z.max()
        total += np.log(np.exp(z).sum()) - z[label]
    return total / len(labels)


def pairwise(x):
    n = len(x)
    d = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            d[i, j] = np.sqrt(((x[i] - x[j]) ** 2).sum())
    return d


def exponential_smoothing(x, alpha):
    out = np.zeros(len(x))
    level = x[0]
    for t, value in enumerate(x):
        level = alpha * value + (1 - alpha) * level
        out[t] = level
    return out


def longest_run(x):
    best = current = 0
    for v in x:
        current = current + 1 if v > 0 else 0
        best = max(best, current)
    return best


R = np.random.default_rng(7)
A4 = R.normal(size=(4, 4)) + 4 * np.eye(4)
SPD = A4 @ A4.T
CASES = [
    (energy, (np.linspace(0, 9, 6), 2.0)), 
    (energy, (np.arange(5, dtype=np.float32) * 2, 2.0)),
    (lotka_volterra, (np.array([1.5, 1.0, 1.0, 3.0]), 1e-2, 20)),
    (lorenz, (np.array([1.0, 2.0, 3.0]), 0.01, 5)),
    (burgers, (np.sin(np.arange(8.0)), np.cos(np.arange(8.0)), 0.3, 5)), (burgers, (np.sin(np.arange(8.0)), np.zeros(8), 0.3, 0)),
    (csr, (np.array([0, 2, 3, 3, 5]), np.array([0, 2, 1, 3, 0]), np.arange(1.0, 6.0), np.arange(4.0))),
    (kmeans, (R.normal(size=(7, 3)), R.normal(size=(2, 3)))),
    (kmeans_assign, (R.normal(size=(7, 3)), R.normal(size=(3, 3)))),
    (gmm, (R.normal(size=3), R.normal(size=(3, 2)), R.normal(size=(3, 3)), R.normal(size=(5, 2)), 1.0)),
    (bundle_adjustment, (R.normal(size=(2, 11)), R.normal(size=(4, 3)), np.ones(5), R.normal(size=(5, 2)), np.array([0, 1, 0, 1, 1]), np.array([0, 1, 2, 3, 0]))),
    (arm, (R.normal(size=(3, 6)), R.normal(size=(6, 4)))),
    (roe, (np.array([[1.0, 0.1, 2.5], [0.5, 0.0, 2.0]]), np.array([[0.9, 0.2, 2.4], [1.0, 0.3, 2.5]]), 1.4, 0.1)),
    (kalman_step, (np.array([0.0, 1.0]), np.eye(2), np.array([0.5]), np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]]), 0.01 * np.eye(2), np.array([[0.1]]))),
    (nbody, (R.normal(size=(3, 3)), R.normal(size=(3, 3)), np.array([1.0, 2.0, 0.5]), 0.01, 3)),
    (heat2d, (R.normal(size=(5, 6)), 0.1, 3)), (heat2d, (R.normal(size=(2, 6)), 0.1, 1)),
    (heat2d_loops, (R.normal(size=(5, 4)), 0.1, 3)),
    (life, (R.integers(0, 2, size=(4, 5)), 2)),
    (prefix_sum, (R.normal(size=6),)), (prefix_sum, (np.zeros(0),)),
    (binary_search, (np.array([1, 3, 5, 7, 9]), 7)), (binary_search, (np.array([1, 3, 5, 7, 9]), 4)), (binary_search, (np.array([], dtype=np.int64), 4)),
    (newton_sqrt, (2.0,)), (newton_sqrt, (0.25,)), (newton_iterations, (2.0, 50)), (newton_iterations, (2.0, 2)), (newton_iterations, (2.0, 0)),
    (mandelbrot, (5, 4, 10)), (matrix_power, (A4 / 6, 5)), (matrix_power, (A4 / 6, 0)),
    (gauss, (A4, np.arange(4.0))), (gauss, (np.zeros((2, 2)), np.ones(2))),
    (insertion_sort, (np.array([3.0, 1.0, 2.0, -5.0]),)), (insertion_sort, (np.zeros(0),)), (bubble_sort, (np.array([3, 1, 2, -5, 7, 0]),)),
    (floyd_warshall, (np.array([[0.0, 3.0, 9.0], [2.0, 0.0, 1.0], [4.0, 7.0, 0.0]]),)),
    (edit_distance, (np.array([1, 2, 3, 4]), np.array([1, 3, 4, 4, 5]))), (edit_distance, (np.zeros(0, dtype=np.int64), np.array([1]))),
    (monte_carlo_pi, (50, 42)), (monte_carlo_pi, (0, 42)), (fir, (np.arange(6.0), np.array([0.5, 0.25]))), (sieve, (30,)),
    (horner, (np.array([1.0, 2.0, 3.0]), 2.0)), (integrate_exp, (10,)), (power_iteration, (SPD, 5)),
    (conjugate_gradient, (SPD, np.arange(4.0), 1e-10)), (gcd, (48, 36)), (gcd, (7, 0)), (collatz, (27,)),
    (histogram, (R.normal(size=20), -2.0, 2.0, 5)), (lu, (A4,)),
    (thomas, (np.array([0.0, 1.0, 1.0]), np.array([4.0, 4.0, 4.0]), np.array([1.0, 1.0, 0.0]), np.array([1.0, 2.0, 3.0]))),
    (softmax_loss, (R.normal(size=(3, 2)), R.normal(size=(4, 2)), np.array([0, 2, 1, 0]))),
    (softmax_loss, (R.normal(size=(3, 2)), R.normal(size=(4, 2)), np.array([0, 3, 1, 0]))),
    (pairwise, (R.normal(size=(4, 2)),)), (exponential_smoothing, (np.arange(5.0), 0.3)), (exponential_smoothing, (np.zeros(0), 0.3)),
    (longest_run, (np.array([1, 1, -1, 1, 1, 1, 0]),)),
]  # fmt: skip

# A variable that is a Python number on one path and a NumPy scalar on another is a NumPy scalar in compiled code.
MIXED = [
    (energy, (np.zeros(1), 2.0)),
    (energy, (np.zeros(0), 2.0)),
    (lotka_volterra, (np.array([1.5, 1.0, 1.0, 3.0]), 1e-2, 0)),
]
