"""Particles, lattices and rays."""

# Written as users write, not as the linter would.
# ruff: noqa: B905, RET505, RUF046

import math
from dataclasses import dataclass, replace

import numpy as np

from .corpus import law

R = np.random.default_rng(3)


@dataclass
class Bodies:
    pos: np.ndarray
    vel: np.ndarray
    mass: np.ndarray


def acceleration(pos, mass, soft):
    n = len(mass)
    acc = np.zeros_like(pos)
    for i in range(n):
        for j in range(n):
            if i == j:
                continue
            d = pos[j] - pos[i]
            r2 = d @ d + soft**2
            acc[i] += mass[j] * d / (r2 * math.sqrt(r2))
    return acc


BODIES = Bodies(R.random((4, 3)), R.random((4, 3)), R.random(4))


@law((BODIES, 0.01, 5), (BODIES, 0.01, 0), (Bodies(R.random((1, 3)), R.random((1, 3)), R.random(1)), 0.1, 3))
def nbody_leapfrog(bodies, dt, steps):
    pos, vel = bodies.pos.copy(), bodies.vel.copy()
    acc = acceleration(pos, bodies.mass, 0.1)
    for _ in range(steps):
        vel += 0.5 * dt * acc
        pos += dt * vel
        acc = acceleration(pos, bodies.mass, 0.1)
        vel += 0.5 * dt * acc
    kinetic = 0.5 * np.sum(bodies.mass * np.sum(vel**2, axis=1))
    return Bodies(pos, vel, bodies.mass), kinetic


@law(
    (BODIES, 0.01, 3),
)
def nbody_replace(bodies, dt, steps):
    for _ in range(steps):
        d = bodies.pos[None, :, :] - bodies.pos[:, None, :]
        r3 = ((d**2).sum(-1) + 0.01) ** -1.5
        acc = (d * r3[:, :, None] * bodies.mass[None, :, None]).sum(axis=1)
        vel = bodies.vel + dt * acc
        bodies = replace(bodies, pos=bodies.pos + dt * vel, vel=vel)
    return bodies


@law(
    (BODIES, 0.01, 3),
)
def nbody_mutates_state(b, dt, steps):
    for _ in range(steps):
        b.vel += dt * acceleration(b.pos, b.mass, 0.1)
        b.pos += dt * b.vel
    return np.linalg.norm(b.pos, axis=1)


@law((R.random((6, 2)) * 3, 1.0, 3.0), (R.random((9, 2)) * 2, 0.7, 2.0))
def cell_list_pairs(pos, cutoff, box):
    n = len(pos)
    m = int(box / cutoff)
    head = -np.ones((m, m), dtype=np.int64)
    nxt = -np.ones(n, dtype=np.int64)
    for i in range(n):
        cx = int(pos[i, 0] / cutoff) % m
        cy = int(pos[i, 1] / cutoff) % m
        nxt[i] = head[cx, cy]
        head[cx, cy] = i
    pairs = 0
    energy = 0.0
    for i in range(n):
        cx = int(pos[i, 0] / cutoff) % m
        cy = int(pos[i, 1] / cutoff) % m
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                j = head[(cx + dx) % m, (cy + dy) % m]
                while j != -1:
                    if j > i:
                        rx = pos[i, 0] - pos[j, 0]
                        ry = pos[i, 1] - pos[j, 1]
                        rx -= box * round(rx / box)
                        ry -= box * round(ry / box)
                        r2 = rx * rx + ry * ry
                        if r2 < cutoff * cutoff:
                            inv6 = 1.0 / (r2**3)
                            energy += 4.0 * (inv6 * inv6 - inv6)
                            pairs += 1
                    j = nxt[j]
    return pairs, energy


@law((R.random((5, 3)) * 2, 0.8, 2.0), (R.random((2, 3)), 0.8, 2.0))
def lennard_jones_forces(x, sigma, box):
    n = x.shape[0]
    f = np.zeros_like(x)
    u = 0.0
    for i in range(n - 1):
        for j in range(i + 1, n):
            d = x[i] - x[j]
            d = d - box * np.round(d / box)
            r2 = np.dot(d, d)
            if r2 > 6.25 or r2 == 0.0:
                continue
            s6 = (sigma**2 / r2) ** 3
            u += 4 * (s6**2 - s6)
            pair = 24 * (2 * s6**2 - s6) / r2 * d
            f[i] += pair
            f[j] -= pair
    return u, f


def cubic_spline(q):
    if q < 1:
        return 1 - 1.5 * q**2 + 0.75 * q**3
    elif q < 2:
        return 0.25 * (2 - q) ** 3
    return 0.0


@law((R.random((7, 2)), R.random(7), 0.4), (R.random((1, 2)), R.random(1), 0.4))
def sph_density(x, m, h):
    n = len(x)
    rho = np.zeros(n)
    norm = 10.0 / (7 * np.pi * h**2)
    for i in range(n):
        for j in range(n):
            q = np.hypot(x[i, 0] - x[j, 0], x[i, 1] - x[j, 1]) / h
            rho[i] += m[j] * norm * cubic_spline(q)
    pressure = 1000.0 * ((rho / rho.mean()) ** 7 - 1)
    return rho, pressure


@law(
    (np.where(R.random((5, 5)) < 0.5, -1, 1), 0.4, R.random((3, 5, 5))),
    (np.ones((1, 1), int), 0.4, R.random((2, 1, 1))),
)
def ising(spins, beta, uniforms):
    s = spins.copy()
    n, m = s.shape
    for sweep in range(uniforms.shape[0]):
        for i in range(n):
            for j in range(m):
                nb = s[(i + 1) % n, j] + s[i - 1, j] + s[i, (j + 1) % m] + s[i, j - 1]
                dE = 2 * s[i, j] * nb
                if dE <= 0 or uniforms[sweep, i, j] < np.exp(-beta * dE):
                    s[i, j] *= -1
    return s, s.mean()


def sphere(p):
    return np.linalg.norm(p - np.array([0.0, 0.0, 3.0])) - 1.0


def plane(p):
    return p[1] + 1.0


def scene(p):
    return min(sphere(p), plane(p))


@law((4, 3), (1, 1), (0, 2))
def ray_march(width, height):
    image = np.zeros((height, width))
    for y in range(height):
        for x in range(width):
            d = np.array([(x + 0.5) / width - 0.5, 0.5 - (y + 0.5) / height, 1.0])
            d /= np.linalg.norm(d)
            p = np.zeros(3)
            t = 0.0
            hit = False
            for _ in range(64):
                dist = scene(p)
                if dist < 1e-4:
                    hit = True
                    break
                t += dist
                p = d * t
                if t > 50:
                    break
            image[y, x] = t if hit else -1.0
    return image


@law((R.random((4, 3)), R.random((4, 3)) - 0.5, np.array([[0.5, 0.5, 2.0], [0.0, 0.0, 4.0]]), np.array([0.4, 1.0])))
def ray_spheres(origins, directions, centres, radii):
    hits = np.full(len(origins), -1)
    ts = np.full(len(origins), np.inf)
    for r in range(len(origins)):
        d = directions[r] / np.sqrt(directions[r] @ directions[r])
        for s in range(len(radii)):
            oc = origins[r] - centres[s]
            b = oc @ d
            disc = b * b - (oc @ oc - radii[s] ** 2)
            if disc < 0:
                continue
            t = -b - np.sqrt(disc)
            if 1e-6 < t < ts[r]:
                ts[r] = t
                hits[r] = s
    return hits, ts


@law((6, 5, 20), (2, 2, 3))
def mandelbrot(w, h, limit):
    out = np.zeros((h, w), dtype=np.int32)
    for i in range(h):
        for j in range(w):
            cr = -2.0 + 3.0 * j / w
            ci = -1.0 + 2.0 * i / h
            zr = zi = 0.0
            k = 0
            while zr * zr + zi * zi <= 4.0 and k < limit:
                zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
                k += 1
            out[i, j] = k
    return out


@law((R.random(9), R.random(9) - 0.5, 4, 0.1), (R.random(1), R.random(1), 4, 0.1))
def particle_in_cell(x, v, cells, dt):
    dx = 1.0 / cells
    rho = np.zeros(cells)
    n = len(x)
    for i in range(n):
        g = x[i] / dx
        j = int(math.floor(g))
        w = g - j
        rho[j % cells] += 1 - w
        rho[(j + 1) % cells] += w
    rho = rho / n * cells - 1
    e = np.cumsum(rho) * dx
    e -= e.mean()
    for i in range(n):
        j = int(x[i] / dx)
        w = x[i] / dx - j
        field = e[j % cells] * (1 - w) + e[(j + 1) % cells] * w
        v[i] -= field * dt
        x[i] = (x[i] + v[i] * dt) % 1.0
    return rho, e


@law((200, 2463534242), (0, 1))
def pi_xorshift(n, seed):
    s = seed
    inside = 0
    for _ in range(n):
        s ^= (s << 13) & 0xFFFFFFFF
        s ^= s >> 17
        s ^= (s << 5) & 0xFFFFFFFF
        a = s / 4294967296.0
        s ^= (s << 13) & 0xFFFFFFFF
        s ^= s >> 17
        s ^= (s << 5) & 0xFFFFFFFF
        b = s / 4294967296.0
        if a * a + b * b < 1.0:
            inside += 1
    return 4 * inside / n if n else 0.0


@law((np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.2, 0.0]), np.array([0.0, 0.0, 1.0]), 0.1, 10))
def boris_pusher(E, v, B, dt, steps):
    trajectory = np.zeros((steps, 3))
    x = np.zeros(3)
    t = 0.5 * dt * B
    s = 2 * t / (1 + t @ t)
    for k in range(steps):
        minus = v + 0.5 * dt * E
        prime = minus + np.cross(minus, t)
        plus = minus + np.cross(prime, s)
        v = plus + 0.5 * dt * E
        x = x + dt * v
        trajectory[k] = x
    return trajectory


@law(
    (np.array([1.0, 2.0, 3.0]), np.array([[0, 1], [1, 2]]), np.array([1.0, 1.0]), 0.01, 5),
)
def spring_network(x, edges, rest, dt, steps):
    v = np.zeros_like(x)
    for _ in range(steps):
        f = np.zeros_like(x)
        for (a, b), r in zip(edges, rest):
            d = x[b] - x[a]
            force = 10.0 * (abs(d) - r) * np.sign(d)
            f[a] += force
            f[b] -= force
        v = 0.99 * (v + dt * f)
        x = x + dt * v
    return x, v
