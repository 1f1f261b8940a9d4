"""The models that the benchmark times, and others like them, as plain Python."""

# ruff: noqa: PLR1730

import math

import numpy as np

from .corpus import law

R = np.random.default_rng(7)


@law(
    (np.linspace(0, 9, 6), 2.0),
    (np.arange(5, dtype=np.float32) * 2, 2.0),
    mixed=[(np.zeros(1), 2.0), (np.zeros(0), 2.0)],
)
def energy(x, k):
    e = 0.0
    for i in range(len(x) - 1):
        d = x[i + 1] - x[i]
        if d > 1.0:
            e += 0.5 * k * (d - 1.0) ** 2
    return e


def field(a, b, d, c, x, y):
    return a * x - b * x * y, d * x * y - c * y


@law((np.array([1.5, 1.0, 1.0, 3.0]), 1e-2, 20), mixed=[(np.array([1.5, 1.0, 1.0, 3.0]), 1e-2, 0)])
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


@law((np.array([1.0, 2.0, 3.0]), 0.01, 5))
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


@law((np.sin(np.arange(8.0)), np.cos(np.arange(8.0)), 0.3, 5), (np.sin(np.arange(8.0)), np.zeros(8), 0.3, 0))
def burgers(u0, target, lam, steps):
    u = u0.copy()
    h = np.empty_like(u)
    o = np.empty_like(u)
    for _ in range(steps):
        burgers_step(u, h, lam, o)
        u, o = o, u
    return 0.5 * ((u - target) ** 2).sum()


@law((np.array([0, 2, 3, 3, 5]), np.array([0, 2, 1, 3, 0]), np.arange(1.0, 6.0), np.arange(4.0)))
def csr(ptr, col, v, x):
    f = 0.0
    for i in range(x.shape[0]):
        s = 0.0
        for k in range(ptr[i], ptr[i + 1]):
            s += v[k] * x[col[k]]
        f += x[i] * s
    return 0.5 * f


@law((R.normal(size=(7, 3)), R.normal(size=(2, 3))))
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


@law((R.normal(size=(7, 3)), R.normal(size=(3, 3))))
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


@law((R.normal(size=3), R.normal(size=(3, 2)), R.normal(size=(3, 3)), R.normal(size=(5, 2)), 1.0))
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


@law(
    (
        R.normal(size=(2, 11)),
        R.normal(size=(4, 3)),
        np.ones(5),
        R.normal(size=(5, 2)),
        np.array([0, 1, 0, 1, 1]),
        np.array([0, 1, 2, 3, 0]),
    )
)
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


@law((R.normal(size=(3, 6)), R.normal(size=(6, 4))))
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


@law((np.array([[1.0, 0.1, 2.5], [0.5, 0.0, 2.0]]), np.array([[0.9, 0.2, 2.4], [1.0, 0.3, 2.5]]), 1.4, 0.1))
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
