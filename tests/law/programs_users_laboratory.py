"""Programs as scientists write them in plain Python: lists, loops with returns, small classes."""

# Written as users write, not as the linter would.
# ruff: noqa: B905, C416

import itertools
import math
from dataclasses import dataclass, field

import numpy as np

from .corpus import law

R = np.random.default_rng(77)
X9 = R.random(9)
Y9 = R.random(9)
T5 = np.array([0.0, 0.4, 1.1, 1.7, 2.5])
P43 = R.random((4, 3))
W44 = np.array([[0.0, 2.0, 9.0, 4.0], [2.0, 0.0, 3.0, 9.0], [9.0, 3.0, 0.0, 1.0], [4.0, 9.0, 1.0, 0.0]])


@law((1.0, 0.05, 12), (2.0, 0.3, 0))
def decay_history(y0, h, n):
    ts = [0.0]
    ys = [y0]
    for k in range(n):
        y = ys[-1]
        k1 = -0.7 * y
        k2 = -0.7 * (y + 0.5 * h * k1)
        ys.append(y + h * k2)
        ts.append((k + 1) * h)
    return np.array(ts), np.array(ys), len(ys)


@law((0.3, 40, 1e-3), (3.0, 5, 1e-9))
def newton_history(x, n, tol):
    trail = [x]
    for _ in range(n):
        step = (x**3 - 2.0 * x - 5.0) / (3.0 * x * x - 2.0)
        x -= step
        trail.append(x)
        if abs(step) < tol:
            break
    return trail


@law(
    (T5, X9[:5]),
)
def lagrange(ts, ys):
    total = 0.0
    x = 0.9
    for i in range(len(ts)):
        total += ys[i] * math.prod((x - ts[j]) / (ts[i] - ts[j]) for j in range(len(ts)) if j != i)
    return total


@law(
    (T5, X9[:5]),
)
def divided_differences(ts, ys):
    n = len(ts)
    table = [[0.0] * n for _ in range(n)]
    for i in range(n):
        table[i][0] = ys[i]
    for j in range(1, n):
        for i in range(n - j):
            table[i][j] = (table[i + 1][j - 1] - table[i][j - 1]) / (ts[i + j] - ts[i])
    return np.array(table)[0]


@law((X9,))
def moving_median(xs):
    return np.array([sorted([xs[i - 1], xs[i], xs[i + 1]])[1] for i in range(1, len(xs) - 1)])


@law((X9, 3), (X9, 2))
def moving_average_steps(xs, k):
    return np.array([np.mean(xs[i : i + k]) for i in range(0, len(xs) - k + 1, k)])


@law((X9,))
def local_maxima(xs):
    return np.array([i for i in range(1, len(xs) - 1) if xs[i - 1] < xs[i] > xs[i + 1]])


@law((X9, Y9))
def weighted_pairs(xs, ys):
    pairs = [(x, y) for x, y in zip(xs, ys)]
    best = max(pairs, key=lambda p: p[0] * p[1])
    mean = sum(x * y for x, y in pairs) / len(pairs)
    return best, mean


@law((30,), (2,))
def primes(n):
    found = []
    for k in range(2, n):
        composite = False
        for d in range(2, int(math.sqrt(k)) + 1):
            if k % d == 0:
                composite = True
                break
        if not composite:
            found.append(k)
    return found


@law((27,), (1,))
def collatz(n):
    steps = np.zeros(200, dtype=np.int64)
    count = 0
    while n != 1:
        steps[count] = n
        count += 1
        n = n // 2 if n % 2 == 0 else 3 * n + 1
    return steps[:count], max(steps[: count + 1])


@law((6,), (0,))
def pascal(n):
    rows = np.zeros((n + 1, n + 1), dtype=np.int64)
    for i, j in np.ndindex(n + 1, n + 1):
        if j == 0:
            rows[i, j] = 1
        elif j <= i:
            rows[i, j] = rows[i - 1, j - 1] + rows[i - 1, j]
    return rows


@dataclass
class Body:
    position: object
    velocity: object
    mass: float = 1.0
    trail: list = field(default_factory=list)

    def kinetic(self):
        return 0.5 * self.mass * np.dot(self.velocity, self.velocity)

    def __lt__(self, other):
        return self.kinetic() < other.kinetic()


@law((P43[0], P43[1], 0.1))
def two_bodies(p, q, dt):
    a = Body(p.copy(), q * 0.1)
    b = Body(q.copy(), -p * 0.1, mass=2.0)
    for _ in range(3):
        d = b.position - a.position
        f = d / (np.dot(d, d) + 0.1) ** 1.5
        a.velocity = a.velocity + dt * b.mass * f
        b.velocity = b.velocity - dt * a.mass * f
        a.position = a.position + dt * a.velocity
        b.position = b.position + dt * b.velocity
        a.trail.append(a.kinetic())
    return a.position, b.position, a < b, a.trail


@dataclass(frozen=True)
class Quaternion:
    w: float
    x: float
    y: float
    z: float

    def __mul__(self, o):
        return Quaternion(
            self.w * o.w - self.x * o.x - self.y * o.y - self.z * o.z,
            self.w * o.x + self.x * o.w + self.y * o.z - self.z * o.y,
            self.w * o.y - self.x * o.z + self.y * o.w + self.z * o.x,
            self.w * o.z + self.x * o.y - self.y * o.x + self.z * o.w,
        )

    def __invert__(self):
        return Quaternion(self.w, -self.x, -self.y, -self.z)

    def rotate(self, v):
        r = self * Quaternion(0.0, v[0], v[1], v[2]) * ~self
        return np.array([r.x, r.y, r.z])


@law((0.3, P43))
def rotated(angle, points):
    q = Quaternion(math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0)
    return np.array([q.rotate(p) for p in points]), q * ~q == Quaternion(1.0, 0.0, 0.0, 0.0)


@dataclass
class Dual:
    value: float
    slope: float = 0.0

    def __add__(self, o):
        return Dual(self.value + o.value, self.slope + o.slope)

    def __mul__(self, o):
        return Dual(self.value * o.value, self.value * o.slope + self.slope * o.value)

    def __radd__(self, o):
        return Dual(o + self.value, self.slope)


@law((1.5,), (0.0,))
def dual_numbers(x):
    d = Dual(x, 1.0)
    y = 3.0 + d * d * d + d
    return y.value, y.slope


@law((W44, 0), (W44, 2))
def dijkstra(w, source):
    n = len(w)
    dist = [math.inf] * n
    done = [False] * n
    dist[source] = 0.0
    for _ in range(n):
        u = -1
        for v in range(n):
            if not done[v] and (u < 0 or dist[v] < dist[u]):
                u = v
        done[u] = True
        for v in range(n):
            if w[u, v] > 0.0 and dist[u] + w[u, v] < dist[v]:
                dist[v] = dist[u] + w[u, v]
    return np.array(dist)


@law((W44,))
def edges_sorted(w):
    edges = [(w[i, j], i, j) for i in range(len(w)) for j in range(len(w))]
    total = 0.0
    parent = [i for i in range(len(w))]
    for weight, i, j in edges:
        if 0.0 < weight < 4.0 and parent[i] != parent[j]:
            total += weight
            old, new = parent[i], parent[j]
            for k in range(len(parent)):
                if parent[k] == old:
                    parent[k] = new
    return total, parent


@law((np.array([3, 1, 4, 1, 5, 9, 2, 6]),))
def longest_increasing(a):
    n = len(a)
    best = [1] * n
    for i in range(n):
        for j in range(i):
            if a[j] < a[i]:
                best[i] = max(best[i], best[j] + 1)
    return max(best)


@law((np.array([1, 3, 4, 5]), np.array([1, 4, 5, 7]), 7))
def knapsack(weights, values, capacity):
    dp = [[0] * (capacity + 1) for _ in range(len(weights) + 1)]
    for i in range(1, len(weights) + 1):
        for c in range(capacity + 1):
            best = dp[i - 1][c]
            if weights[i - 1] <= c:
                best = max(best, dp[i - 1][c - weights[i - 1]] + values[i - 1])
            dp[i][c] = int(best)
    return dp[len(weights)][capacity]


@law((np.array([1, 2, 3, 4]), np.array([2, 4, 3, 4, 5])))
def edit_distance(a, b):
    previous = list(range(len(b) + 1))
    for i in range(1, len(a) + 1):
        current = [i]
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            current.append(min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost))
        previous = current
    return previous[-1]


@law((X9, 4))
def autocorrelation(xs, lags):
    mean = xs.mean()
    return np.array([sum((xs[i] - mean) * (xs[i + k] - mean) for i in range(len(xs) - k)) for k in range(lags)])


@law((X9, 0.4), (X9, 2.0))
def first_crossing(xs, level):
    for i, (a, b) in enumerate(itertools.pairwise(xs)):
        if a < level <= b:
            return float(i + (level - a) / (b - a))
    return -1.0


@law((X9, 3), (X9, -2))
def decimate(xs, k):
    ys = xs[::k]
    return ys - ys.mean(), len(ys)


@law((P43,))
def distance_matrix(points):
    n = len(points)
    d = np.array([[math.dist(points[i], points[j]) for j in range(n)] for i in range(n)])
    nearest = [min((d[i, j], j) for j in range(n) if j != i) for i in range(n)]
    return d, nearest


@law((X9, 20, 1e-6), (X9, 1, 1e-6))
def smooth_until(u, n, tol):
    u = u.copy()
    v = np.empty_like(u)
    for k in range(n):
        v[0], v[-1] = u[0], u[-1]
        v[1:-1] = 0.5 * (u[:-2] + u[2:])
        if np.max(np.abs(v - u)) < tol:
            return v, k
        u, v = v, u
    return u, n


@law((X9, 3), (X9, 4))
def wave_in_argument(u, n):
    old = u.copy()
    for _ in range(n):
        new = np.zeros_like(u)
        new[1:-1] = 2 * u[1:-1] - old[1:-1] + 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        old, u = u, new
    return u


@law((P43, 2), (P43, 0))
def power_iteration(m, n):
    a = m.T @ m
    v = np.ones(3)
    estimates = []
    for _ in range(n):
        w = a @ v
        norm = math.sqrt(sum(x * x for x in w))
        v = w / norm
        estimates.append(norm)
    return v, estimates
