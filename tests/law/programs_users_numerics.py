"""Ordinary differential equations, roots, optimisation, splines and quadrature."""

# Written as users write, not as the linter would.
# ruff: noqa: ARG001, B007, E731, PLR1714, RUF059

import math

import numpy as np

from .corpus import law

R = np.random.default_rng(4)
TABLEAU_C = np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0])
TABLEAU_A = [
    [],
    [1 / 5],
    [3 / 40, 9 / 40],
    [44 / 45, -56 / 15, 32 / 9],
    [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
    [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
    [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
]
B5 = np.array([35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0])
B4 = np.array([5179 / 57600, 0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40])


def van_der_pol(t, y):
    return np.array([y[1], 2.0 * (1 - y[0] ** 2) * y[1] - y[0]])


@law((np.array([2.0, 0.0]), 0.0, 1.0, 1e-6), (np.array([2.0, 0.0]), 0.0, 0.0, 1e-6))
def rk45_tableau(y, t, t_end, tol):
    h = 0.1
    steps = 0
    rejected = 0
    while t < t_end:
        h = min(h, t_end - t)
        k = np.zeros((7, len(y)))
        for s in range(7):
            dy = np.zeros_like(y)
            for j, a in enumerate(TABLEAU_A[s]):
                dy += a * k[j]
            k[s] = van_der_pol(t + TABLEAU_C[s] * h, y + h * dy)
        y5 = y + h * (B5 @ k)
        err = np.max(np.abs(h * ((B5 - B4) @ k)))
        if err <= tol:
            t += h
            y = y5
            steps += 1
        else:
            rejected += 1
        h *= min(5.0, max(0.2, 0.9 * (tol / (err + 1e-300)) ** 0.2))
    return y, steps, rejected


def rk4_step(f, t, y, h, *args):
    k1 = f(t, y, *args)
    k2 = f(t + h / 2, y + h / 2 * k1, *args)
    k3 = f(t + h / 2, y + h / 2 * k2, *args)
    k4 = f(t + h, y + h * k3, *args)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@law((np.array([0.99, 0.01, 0.0]), 0.5, 0.1, 20), (np.array([0.99, 0.01, 0.0]), 0.5, 0.1, 0))
def sir_model(y, beta, gamma, days):
    def rhs(t, y, beta, gamma):
        s, i, r = y
        return np.array([-beta * s * i, beta * s * i - gamma * i, gamma * i])

    history = [y[1]]
    out = np.zeros((days + 1, 3))
    out[0] = y
    for d in range(days):
        for _ in range(4):
            y = rk4_step(rhs, 0.0, y, 0.25, beta, gamma)
        out[d + 1] = y
    peak = np.argmax(out[:, 1])
    return out, peak, history[0]


@law(
    (1.0, 0.0, 40, 1e-10),
)
def shooting(a, b, n, tol):
    def endpoint(slope):
        h = 1.0 / n
        y, v = a, slope
        for k in range(n):
            x = k * h
            k1y, k1v = v, -y + x
            k2y, k2v = v + h * k1v, -(y + h * k1y) + x + h
            y += h * (k1y + k2y) / 2
            v += h * (k1v + k2v) / 2
        return y - b

    s0, s1 = -1.0, 1.0
    f0, f1 = endpoint(s0), endpoint(s1)
    count = 0
    while abs(f1) > tol and count < 30:
        s0, s1 = s1, s1 - f1 * (s1 - s0) / (f1 - f0)
        f0, f1 = f1, endpoint(s1)
        count += 1
    return s1, count


def bisect(f, lo, hi, tol=1e-12):
    flo = f(lo)
    while hi - lo > tol:
        mid = 0.5 * (lo + hi)
        fmid = f(mid)
        if flo * fmid <= 0:
            hi = mid
        else:
            lo, flo = mid, fmid
    return 0.5 * (lo + hi)


@law((2.0,), (10.0,))
def roots_by_bisection(c):
    return bisect(lambda x: x**3 - c, 0.0, c + 1), bisect(lambda x: math.cos(x) - x / c, 0.0, 3.0, tol=1e-8)


@law((1.0, 2.0), (-3.0, 3.0))
def brent(a, b):
    f = lambda x: x**3 - x - 2 if x > -2 else x + 10.0
    fa, fb = f(a), f(b)
    if abs(fa) < abs(fb):
        a, b, fa, fb = b, a, fb, fa
    c, fc, d = a, fa, a
    mflag = True
    for it in range(100):
        if fb == 0 or abs(b - a) < 1e-12:
            return b
        if fa != fc and fb != fc:
            s = (
                a * fb * fc / ((fa - fb) * (fa - fc))
                + b * fa * fc / ((fb - fa) * (fb - fc))
                + c * fa * fb / ((fc - fa) * (fc - fb))
            )
        else:
            s = b - fb * (b - a) / (fb - fa)
        lo, hi = sorted(((3 * a + b) / 4, b))
        if (
            not (lo < s < hi)
            or (mflag and abs(s - b) >= abs(b - c) / 2)
            or (not mflag and abs(s - b) >= abs(c - d) / 2)
        ):
            s = (a + b) / 2
            mflag = True
        else:
            mflag = False
        fs = f(s)
        d, c, fc = c, b, fb
        if fa * fs < 0:
            b, fb = s, fs
        else:
            a, fa = s, fs
        if abs(fa) < abs(fb):
            a, b, fa, fb = b, a, fb, fa
    return b


@law(
    (np.linspace(0, 1, 8), 2.5 * np.exp(-1.3 * np.linspace(0, 1, 8)), np.array([1.0, -0.5])),
)
def levenberg_marquardt(t, y, p):
    def residuals(q):
        return y - q[0] * np.exp(q[1] * t)

    lam = 1e-2
    r = residuals(p)
    cost = r @ r
    for _ in range(50):
        J = np.empty((len(t), 2))
        J[:, 0] = -np.exp(p[1] * t)
        J[:, 1] = -p[0] * t * np.exp(p[1] * t)
        A = J.T @ J
        g = J.T @ r
        step = np.linalg.solve(A + lam * np.diag(np.diag(A)), -g)
        trial = residuals(p + step)
        if trial @ trial < cost:
            p = p + step
            r, cost = trial, trial @ trial
            lam *= 0.3
            if np.abs(step).max() < 1e-12:
                break
        else:
            lam *= 5.0
    return np.round(p, 9)


def rosenbrock(x):
    return sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def rosenbrock_grad(x):
    g = np.zeros_like(x)
    g[:-1] = -400 * x[:-1] * (x[1:] - x[:-1] ** 2) - 2 * (1 - x[:-1])
    g[1:] += 200 * (x[1:] - x[:-1] ** 2)
    return g


@law((np.array([-1.2, 1.0]), 20), (np.array([0.5, 0.5, 0.5]), 10))
def bfgs(x, iterations):
    n = len(x)
    H = np.eye(n)
    g = rosenbrock_grad(x)
    for _ in range(iterations):
        p = -H @ g
        alpha = 1.0
        fx = np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
        while rosenbrock(x + alpha * p) > fx + 1e-4 * alpha * (g @ p) and alpha > 1e-10:
            alpha *= 0.5
        s = alpha * p
        x = x + s
        g_new = rosenbrock_grad(x)
        y = g_new - g
        g = g_new
        ys = y @ s
        if ys > 1e-12:
            rho = 1.0 / ys
            V = np.eye(n) - rho * np.outer(s, y)
            H = V @ H @ V.T + rho * np.outer(s, s)
    return x


@law(
    (np.array([0.0, 1.0, 2.5, 4.0]), np.array([1.0, 0.0, 2.0, 1.0]), np.linspace(-0.5, 4.5, 7)),
    (np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([0.5])),
)
def natural_cubic_spline(x, y, xs):
    n = len(x)
    h = np.diff(x)
    alpha = np.zeros(n)
    for i in range(1, n - 1):
        alpha[i] = 3 / h[i] * (y[i + 1] - y[i]) - 3 / h[i - 1] * (y[i] - y[i - 1])
    l, mu, z = np.ones(n), np.zeros(n), np.zeros(n)
    for i in range(1, n - 1):
        l[i] = 2 * (x[i + 1] - x[i - 1]) - h[i - 1] * mu[i - 1]
        mu[i] = h[i] / l[i]
        z[i] = (alpha[i] - h[i - 1] * z[i - 1]) / l[i]
    c, b, d = np.zeros(n), np.zeros(n - 1), np.zeros(n - 1)
    for j in range(n - 2, -1, -1):
        c[j] = z[j] - mu[j] * c[j + 1]
        b[j] = (y[j + 1] - y[j]) / h[j] - h[j] * (c[j + 1] + 2 * c[j]) / 3
        d[j] = (c[j + 1] - c[j]) / (3 * h[j])
    out = np.empty(len(xs))
    for k, v in enumerate(xs):
        i = min(max(np.searchsorted(x, v) - 1, 0), n - 2)
        t = v - x[i]
        out[k] = y[i] + t * (b[i] + t * (c[i] + t * d[i]))
    return out


@law(
    (np.array([0.0, 0, 0, 0, 1, 2, 3, 3, 3, 3]), R.random(6), 3, np.linspace(0, 2.99, 5)),
    (np.array([0.0, 0, 1, 1]), R.random(2), 1, np.array([0.5])),
)
def de_boor(knots, control, degree, ts):
    result = np.zeros(len(ts))
    d = np.zeros(degree + 1)
    for m, t in enumerate(ts):
        k = degree
        while k < len(control) - 1 and t >= knots[k + 1]:
            k += 1
        for j in range(degree + 1):
            d[j] = control[j + k - degree]
        for r in range(1, degree + 1):
            for j in range(degree, r - 1, -1):
                left = knots[j + k - degree]
                alpha = (t - left) / (knots[j + 1 + k - r] - left)
                d[j] = (1.0 - alpha) * d[j - 1] + alpha * d[j]
        result[m] = d[degree]
    return result


@law((0.0, math.pi, 5), (0.0, 1.0, 0))
def romberg(a, b, levels):
    f = lambda x: math.sin(x) * math.exp(-x)
    table = np.zeros((levels + 1, levels + 1))
    h = b - a
    table[0, 0] = 0.5 * h * (f(a) + f(b))
    for i in range(1, levels + 1):
        h /= 2
        s = 0.0
        for k in range(1, 2**i, 2):
            s += f(a + k * h)
        table[i, 0] = 0.5 * table[i - 1, 0] + h * s
        for j in range(1, i + 1):
            table[i, j] = table[i, j - 1] + (table[i, j - 1] - table[i - 1, j - 1]) / (4**j - 1)
    return table[levels, levels], table


@law((np.array([1.0, -6.0, 11.0, -6.0]),), (np.array([2.0, -4.0]),))
def polynomial_roots_deflation(coefficients):
    c = coefficients.astype(float)
    n = len(c) - 1
    roots = np.zeros(n)
    for k in range(n):
        m = n - k
        x = 0.1
        for _ in range(100):
            p, dp = c[0], 0.0
            for a in c[1 : m + 1]:
                dp = dp * x + p
                p = p * x + a
            if dp == 0:
                break
            dx = p / dp
            x -= dx
            if abs(dx) < 1e-14 * abs(x):
                break
        roots[k] = x
        for j in range(1, m):
            c[j] += x * c[j - 1]
    return roots


@law(
    (np.array([10, 5, 0]), np.array([0.1, 0.05]), R.random((40, 2)), 5.0),
    (np.array([0, 0, 0]), np.array([0.1, 0.05]), R.random((4, 2)), 5.0),
)
def gillespie(x, rates, uniforms, t_end):
    x = x.copy()
    t = 0.0
    k = 0
    stoich = np.array([[-1, 1, 0], [0, -1, 1]])
    while t < t_end and k < len(uniforms):
        a = np.array([rates[0] * x[0] * x[1], rates[1] * x[1]])
        total = a.sum()
        if total == 0:
            break
        t += -np.log(uniforms[k, 0]) / total
        threshold = uniforms[k, 1] * total
        cumulative = 0.0
        for reaction in range(len(a)):
            cumulative += a[reaction]
            if threshold < cumulative:
                x += stoich[reaction]
                break
        k += 1
    return x, k
