"""Programs as users in machine learning, finance, robotics and engineering write them in plain Python."""

# Written as users write, not as the linter would.
# ruff: noqa: B905

import itertools
import math
from collections import namedtuple
from dataclasses import dataclass, field, replace

import numpy as np

from .corpus import law

R = np.random.default_rng(91)
X8 = R.random(8)
PRICES = 100.0 + np.cumsum(R.normal(size=12))
M45 = R.random((4, 5))
M33 = R.random((3, 3)) + 3.0 * np.eye(3)
CASH = np.array([-100.0, 30.0, 40.0, 50.0])
LABELS = np.array([0, 2, 1, 2])


@law((M45, [(R.random((5, 3)), R.random(3)), (R.random((3, 2)), R.random(2))]))
def forward_layers(x, layers):
    activations = [x]
    for w, b in layers:
        x = np.maximum(x @ w + b, 0.0)
        activations.append(x)
    return activations[-1], len(activations), sum(a.sum() for a in activations)


@law((M45, LABELS))
def cross_entropy(logits, labels):
    losses = []
    for row, label in zip(logits, labels):
        top = max(row)
        losses.append(math.log(sum(math.exp(v - top) for v in row)) - (row[label] - top))
    return np.array(losses), sum(losses) / len(losses)


@law((M45, LABELS, 5))
def one_hot_rows(x, labels, k):
    eye = np.array([[1.0 if j == label else 0.0 for j in range(k)] for label in labels])
    return x * eye


@law((M45,))
def attention(x):
    scores = np.array([[np.dot(q, k) / math.sqrt(len(q)) for k in x] for q in x])
    weights = np.array([np.exp(row - row.max()) for row in scores])
    weights /= weights.sum(axis=1, keepdims=True)
    return weights @ x


@law((X8, 3), (X8, 1))
def beam(scores, k):
    kept = []
    used = np.zeros(len(scores), dtype=bool)
    for _ in range(k):
        best = -1
        for i in range(len(scores)):
            if not used[i] and (best < 0 or scores[i] > scores[best]):
                best = i
        used[best] = True
        kept.append(best)
    return kept, used


@law((X8, 0.5, 4), (X8, 0.9, 0))
def adam_history(g, lr, n):
    m = np.zeros_like(g)
    v = np.zeros_like(g)
    w = np.zeros_like(g)
    norms = []
    for t in range(1, n + 1):
        m = 0.9 * m + 0.1 * g
        v = 0.99 * v + 0.01 * g * g
        w = w - lr * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.99**t)) + 1e-8)
        norms.append(float(np.sqrt(np.sum(w * w))))
    return w, norms


@law((PRICES, 3), (PRICES, 5))
def moving_averages(prices, k):
    out = [np.nan] * (k - 1) + [float(sum(prices[i - k + 1 : i + 1]) / k) for i in range(k - 1, len(prices))]
    return np.array(out)


@law((PRICES,))
def drawdowns(prices):
    peak = prices[0]
    path = []
    for p in prices:
        peak = max(peak, p)
        path.append((p - peak) / peak)
    worst = min(path)
    return worst, np.argmin(np.array(path))


@law((PRICES, 0.02), (PRICES, 9.0))
def stop_loss(prices, limit):
    held = np.zeros(len(prices))
    entry = prices[0]
    for i, p in enumerate(prices):
        held[i] = p - entry
        if p < entry * (1.0 - limit):
            return held, i
    return held, len(prices)


@law((CASH, 0.1), (CASH, 0.0))
def internal_rate(flows, guess):
    rate = guess
    for _ in range(50):
        value = sum(c / (1.0 + rate) ** k for k, c in enumerate(flows))
        slope = sum(-k * c / (1.0 + rate) ** (k + 1) for k, c in enumerate(flows))
        step = value / slope
        rate -= step
        if abs(step) < 1e-12:
            return rate
    return rate


@law((100.0, 95.0, 0.03, 0.2, 6), (100.0, 120.0, 0.01, 0.4, 1))
def binomial_put(s, k, r, sigma, n):
    dt = 1.0 / n
    u = math.exp(sigma * math.sqrt(dt))
    p = (math.exp(r * dt) - 1.0 / u) / (u - 1.0 / u)
    values = [max(k - s * u ** (2 * j - n), 0.0) for j in range(n + 1)]
    for step in range(n - 1, -1, -1):
        for j in range(step + 1):
            hold = math.exp(-r * dt) * (p * values[j + 1] + (1.0 - p) * values[j])
            values[j] = max(hold, k - s * u ** (2 * j - step))
    return values[0]


Leg = namedtuple("Leg", "notional rate years")


@law(([Leg(100.0, 0.03, 2), Leg(50.0, 0.05, 3)], 0.02))
def bond_ladder(legs, y):
    total = 0.0
    for leg in legs:
        total += sum(leg.notional * leg.rate / (1.0 + y) ** t for t in range(1, leg.years + 1))
        total += leg.notional / (1.0 + y) ** leg.years
    return total, max(legs, key=lambda leg: leg.rate).notional, sorted([leg.years for leg in legs], reverse=True)


@dataclass(frozen=True)
class Pose:
    x: float = 0.0
    y: float = 0.0
    theta: float = 0.0

    def __matmul__(self, other):
        c, s = math.cos(self.theta), math.sin(self.theta)
        return Pose(self.x + c * other.x - s * other.y, self.y + s * other.x + c * other.y, self.theta + other.theta)

    def distance(self, other):
        return math.hypot(self.x - other.x, self.y - other.y)


@law((X8,))
def odometry(steps):
    pose = Pose()
    for s in steps:
        pose = pose @ Pose(x=s, theta=0.3 * s)
    return pose.x, pose.y, pose.theta, pose.distance(Pose()), pose == Pose()


@dataclass
class Pid:
    kp: float
    ki: float
    kd: float
    integral: float = 0.0
    last: float = 0.0
    history: list = field(default_factory=list)

    def update(self, error, dt):
        self.integral += error * dt
        slope = (error - self.last) / dt
        self.last = error
        return self.kp * error + self.ki * self.integral + self.kd * slope


@law((1.0, 0.1, 20), (0.5, 0.05, 3))
def controlled(target, dt, n):
    pid = Pid(2.0, 0.5, 0.1)
    x, v = 0.0, 0.0
    trace = []
    for _ in range(n):
        u = pid.update(target - x, dt)
        v += dt * (u - 0.4 * v)
        x += dt * v
        trace.append(x)
    return np.array(trace), pid.integral


@law((np.array([0.3, 0.5, -0.2]), np.array([1.0, 0.8, 0.4])))
def arm_joints(angles, lengths):
    points = [(0.0, 0.0)]
    total = 0.0
    for a, l in zip(angles, lengths):
        total += a
        x, y = points[-1]
        points.append((x + l * math.cos(total), y + l * math.sin(total)))
    return np.array(points)


@law((M33, X8[:3], 10), (M33, X8[:3], 0))
def jacobi_history(a, b, n):
    x = np.zeros_like(b)
    residuals = []
    for _ in range(n):
        x = np.array([(b[i] - sum(a[i, j] * x[j] for j in range(len(b)) if j != i)) / a[i, i] for i in range(len(b))])
        residuals.append(np.sqrt(np.sum((a @ x - b) ** 2)))
    return x, residuals


@law((X8, 0.3), (X8, 5.0))
def split_at(xs, threshold):
    low = [x for x in xs if x < threshold]
    high = [x for x in xs if x >= threshold]
    return len(low), len(high), np.array(low + high)


@law((np.array([5, 3, 8, 1]), 9), (np.array([5, 3, 8, 1]), 100))
def two_sum(a, target):
    for i in range(len(a)):
        for j in range(i + 1, len(a)):
            if a[i] + a[j] == target:
                return i, j
    return -1, -1


@law((np.array([1, 2, 5]), 11), (np.array([2]), 3))
def coin_change(coins, amount):
    best = [0] + [amount + 1] * amount
    for value in range(1, amount + 1):
        for coin in coins:
            if coin <= value:
                best[value] = int(min(best[value], best[value - coin] + 1))
    return best[amount] if best[amount] <= amount else -1


@law((np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]),))
def topological_order(graph):
    n = len(graph)
    indegree = [int(sum(graph[:, j])) for j in range(n)]
    done = [False] * n
    for _ in range(n):
        for v in range(n):
            if not done[v] and indegree[v] == 0:
                done[v] = True
                for w in range(n):
                    if graph[v, w]:
                        indegree[w] -= 1
                break
    return indegree


@law((M45, 2), (M45, 3))
def max_pool(image, k):
    rows, cols = image.shape[0] // k, image.shape[1] // k
    return np.array([[image[i * k : (i + 1) * k, j * k : (j + 1) * k].max() for j in range(cols)] for i in range(rows)])


@law((M45,), (M45[:1],))
def neighbours(image):
    out = np.zeros_like(image)
    for (i, j), v in np.ndenumerate(image):
        total = 0.0
        for di, dj in itertools.product((-1, 0, 1), (-1, 0, 1)):
            a, b = i + di, j + dj
            if 0 <= a < image.shape[0] and 0 <= b < image.shape[1]:
                total += image[a, b]
        out[i, j] = total - v
    return out


@law((X8, 4))
def histogram_lists(xs, bins):
    counts = [0] * bins
    for x in xs:
        counts[min(int(x * bins), bins - 1)] += 1
    return counts, [c / len(xs) for c in counts]


@law((X8, 2.0), (X8, 0.1))
def greedy_batches(sizes, capacity):
    batches = []
    load = 0.0
    for s in sizes:
        if load + s > capacity:
            batches.append(load)
            load = 0.0
        load += s
    batches.append(load)
    return np.array(batches)


@dataclass(frozen=True)
class State:
    soc: float
    cost: float = 0.0


@law((X8, 0.4), (X8, 0.0))
def battery(prices, start):
    state = State(start)
    log = []
    for p in prices:
        charge = 0.2 if p < 0.5 and state.soc < 0.9 else -min(0.2, state.soc)
        state = replace(state, soc=state.soc + charge, cost=state.cost + charge * p)
        log.append(state.soc)
    return state.soc, float(state.cost), np.array(log)


@law((X8, 3), (X8, 8))
def ring_buffer(xs, k):
    ring = [0.0] * k
    out = []
    for i, x in enumerate(xs):
        ring[i % k] = float(x)
        out.append(sum(ring) / k)
    return out


@law((X8, X8[::-1].copy(), 5))
def ping_pong(a, b, n):
    for k in range(n):
        for i in range(1, len(a)):
            b[i] = 0.5 * a[i] + 0.5 * b[i - 1] + k
        a, b = b, a
    return a.sum(), b.sum()


@law((np.array([4, 2, 7, 1, 9, 3]),), (np.array([1]),))
def insertion_sort(a):
    items = [int(v) for v in a]
    for i in range(1, len(items)):
        key = items[i]
        j = i - 1
        while j >= 0 and items[j] > key:
            items[j + 1] = items[j]
            j -= 1
        items[j + 1] = key
    return items


@law((np.array([1, 3, 5, 7, 9]), 7), (np.array([1, 3, 5, 7, 9]), 4))
def binary_search(a, target):
    low, high = 0, len(a) - 1
    while low <= high:
        middle = (low + high) // 2
        if a[middle] == target:
            return middle
        if a[middle] < target:
            low = middle + 1
        else:
            high = middle - 1
    return -1


@law((X8, 3), (X8, 1))
def folds(xs, k):
    scores = []
    for f in range(k):
        test = xs[f::k]
        train = np.array([x for i, x in enumerate(xs) if i % k != f])
        scores.append(test.mean() - (train.mean() if len(train) > 0 else 0.0))
    return np.array(scores)


@law((M45, 0.5), (M45, 2.0))
def first_heavy_row(m, limit):
    sums = np.zeros(m.shape[0])
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            sums[i] += m[i, j]
            if sums[i] > limit:
                return sums, (i, j)
    return sums, (-1, -1)
