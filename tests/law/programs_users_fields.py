"""Fields on grids: heat, waves, fluids, reactions."""

import math

import numpy as np

from .corpus import law

R = np.random.default_rng(3)


@law((R.random((6, 7)), 0.1, 5), (R.random((3, 3)), 0.1, 1), (R.random((2, 2)), 0.1, 1))
def heat_2d(u, alpha, steps):
    u = u.copy()
    for _ in range(steps):
        lap = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] += alpha * lap
        u[0, :] = u[1, :]
        u[-1, :] = u[-2, :]
        u[:, 0], u[:, -1] = u[:, 1], u[:, -2]
    return u


@law((R.random((5, 4, 6)), 3), (R.random((1, 1, 1)), 2), (R.random((3, 3, 3)), 0))
def heat_3d_buffers(u, steps):
    a = u.copy()
    b = u.copy()
    nx, ny, nz = u.shape
    for _ in range(steps):
        for i in range(1, nx - 1):
            for j in range(1, ny - 1):
                for k in range(1, nz - 1):
                    b[i, j, k] = (
                        a[i - 1, j, k]
                        + a[i + 1, j, k]
                        + a[i, j - 1, k]
                        + a[i, j + 1, k]
                        + a[i, j, k - 1]
                        + a[i, j, k + 1]
                    ) / 6.0
        a, b = b, a
    return a


@law((R.random((5, 5)), np.zeros((5, 5)), 0.3, 4), (R.random((3, 4)), np.zeros((3, 4)), 0.3, 1))
def wave_equation(u0, v0, c, steps):
    prev = u0 - v0
    cur = u0.copy()
    for _ in range(steps):
        lap = np.roll(cur, 1, 0) + np.roll(cur, -1, 0) + np.roll(cur, 1, 1) + np.roll(cur, -1, 1) - 4 * cur
        prev, cur = cur, 2 * cur - prev + c**2 * lap
    return cur


@law((30, 12), (5, 0), (2, 3))
def fdtd_1d(n, steps):
    ez = np.zeros(n)
    hy = np.zeros(n)
    for t in range(steps):
        for i in range(1, n):
            ez[i] += 0.5 * (hy[i - 1] - hy[i])
        ez[n // 2] += math.exp(-0.5 * ((t - 5.0) / 2.0) ** 2)
        for i in range(n - 1):
            hy[i] += 0.5 * (ez[i] - ez[i + 1])
    return ez, hy


C9 = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]])
W9 = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)


@law((R.random((9, 4, 5)) + 1, 0.6, 3), (R.random((9, 1, 1)) + 1, 0.6, 1))
def lattice_boltzmann(f, tau, steps):
    f = f.copy()
    for _ in range(steps):
        rho = f.sum(axis=0)
        ux = np.zeros_like(rho)
        uy = np.zeros_like(rho)
        for k in range(9):
            ux += C9[k, 0] * f[k]
            uy += C9[k, 1] * f[k]
        ux /= rho
        uy /= rho
        usq = 1.5 * (ux**2 + uy**2)
        for k in range(9):
            cu = 3.0 * (C9[k, 0] * ux + C9[k, 1] * uy)
            feq = W9[k] * rho * (1 + cu + 0.5 * cu**2 - usq)
            f[k] += (feq - f[k]) / tau
        for k in range(9):
            f[k] = np.roll(np.roll(f[k], C9[k, 0], axis=0), C9[k, 1], axis=1)
    return f


def minmod(a, b):
    return np.where(a * b > 0, np.where(np.abs(a) < np.abs(b), a, b), 0.0)


def euler_flux(rho, mom, ener, gamma):
    u = mom / rho
    p = (gamma - 1) * (ener - 0.5 * rho * u**2)
    return np.array([mom, mom * u + p, (ener + p) * u]), np.abs(u) + np.sqrt(gamma * p / rho)


@law(
    (np.array([[1.0] * 5 + [0.125] * 5, [0.0] * 10, [2.5] * 5 + [0.25] * 5]), 0.1, 3),
)
def sod_rusanov(U, dx, steps):
    gamma = 1.4
    U = U.copy()
    t = 0.0
    for _ in range(steps):
        F, c = euler_flux(U[0], U[1], U[2], gamma)
        dt = 0.4 * dx / c.max()
        amax = np.maximum(c[:-1], c[1:])
        flux = 0.5 * (F[:, :-1] + F[:, 1:]) - 0.5 * amax * (U[:, 1:] - U[:, :-1])
        U[:, 1:-1] -= dt / dx * (flux[:, 1:] - flux[:, :-1])
        t += dt
    return U, t


@law((np.sin(np.linspace(0, 6, 12)), 0.4, 5), (np.ones(3), 0.4, 2))
def advect_muscl(q, cfl, steps):
    for _ in range(steps):
        padded = np.concatenate((q[-2:], q, q[:2]))
        d = np.diff(padded)
        slope = minmod(d[:-1], d[1:])
        left = padded[1:-1] + 0.5 * (1 - cfl) * slope
        flux = left[:-1]
        q = q - cfl * (flux[1:] - flux[:-1])
    return q


@law(
    (R.random((5, 6)), R.random((5, 6)), R.random((5, 6)), 0.1),
)
def semi_lagrangian(q, u, v, dt):
    n, m = q.shape
    out = np.empty_like(q)
    for i in range(n):
        for j in range(m):
            x = min(max(i - dt * u[i, j], 0.0), n - 1.001)
            y = min(max(j - dt * v[i, j], 0.0), m - 1.001)
            i0, j0 = int(x), int(y)
            fx, fy = x - i0, y - j0
            top = q[i0, j0] * (1 - fy) + q[i0, j0 + 1] * fy
            bot = q[i0 + 1, j0] * (1 - fy) + q[i0 + 1, j0 + 1] * fy
            out[i, j] = top * (1 - fx) + bot * fx
    return out


@law(
    (R.random((6, 6)), R.random((6, 6)), 10),
)
def project_velocity(u, v, iterations):
    n = u.shape[0]
    div = np.zeros((n, n))
    p = np.zeros((n, n))
    div[1:-1, 1:-1] = -0.5 * (u[2:, 1:-1] - u[:-2, 1:-1] + v[1:-1, 2:] - v[1:-1, :-2]) / n
    for _ in range(iterations):
        p[1:-1, 1:-1] = (div[1:-1, 1:-1] + p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]) / 4
    u[1:-1, 1:-1] -= 0.5 * n * (p[2:, 1:-1] - p[:-2, 1:-1])
    v[1:-1, 1:-1] -= 0.5 * n * (p[1:-1, 2:] - p[1:-1, :-2])
    return np.abs(div).max()


@law(
    (R.random((8, 8)), R.random((8, 8)), 4, {"Du": 0.16, "Dv": 0.08, "F": 0.06, "k": 0.062}),
)
def gray_scott(u, v, steps, p):
    U, V = np.pad(u, 1, mode="wrap"), np.pad(v, 1, mode="wrap")
    for _ in range(steps):
        Lu = U[:-2, 1:-1] + U[1:-1, :-2] - 4 * U[1:-1, 1:-1] + U[1:-1, 2:] + U[2:, 1:-1]
        Lv = V[:-2, 1:-1] + V[1:-1, :-2] - 4 * V[1:-1, 1:-1] + V[1:-1, 2:] + V[2:, 1:-1]
        uc, vc = U[1:-1, 1:-1], V[1:-1, 1:-1]
        uvv = uc * vc * vc
        uc += p["Du"] * Lu - uvv + p["F"] * (1 - uc)
        vc += p["Dv"] * Lv + uvv - (p["F"] + p["k"]) * vc
        for a in (U, V):
            a[0, :] = a[-2, :]
            a[-1, :] = a[1, :]
            a[:, 0] = a[:, -2]
            a[:, -1] = a[:, 1]
    return U[1:-1, 1:-1], V[1:-1, 1:-1]


@law(
    (np.linspace(-4, 4, 17), 0.05, 5),
)
def schrodinger_split(x, dt, steps):
    dx = x[1] - x[0]
    re = np.exp(-(x**2))
    im = np.zeros_like(x)
    V = 0.5 * x**2
    for _ in range(steps):
        re[1:-1] += dt * (-0.5 * (im[2:] - 2 * im[1:-1] + im[:-2]) / dx**2 + V[1:-1] * im[1:-1])
        im[1:-1] -= dt * (-0.5 * (re[2:] - 2 * re[1:-1] + re[:-2]) / dx**2 + V[1:-1] * re[1:-1])
    prob = re**2 + im**2
    return np.trapezoid(prob, x), prob
