"""Sequences: dynamic programming, sorting, searching, bits and whole numbers."""

# Written as users write, not as the linter would.
# ruff: noqa: ARG001, B905, PLR1730

import math

import numpy as np

from .corpus import law

R = np.random.default_rng(6)
A = np.array([0, 1, 2, 3, 0, 1, 1])
B = np.array([0, 2, 3, 0, 1])


@law((A, B, 2, -1, -2), (A[:1], B, 2, -1, -2), (A[:0], B, 2, -1, -2))
def needleman_wunsch(a, b, match, mismatch, gap):
    n, m = len(a), len(b)
    score = np.zeros((n + 1, m + 1), dtype=int)
    score[:, 0] = gap * np.arange(n + 1)
    score[0, :] = gap * np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            s = match if a[i - 1] == b[j - 1] else mismatch
            score[i, j] = max(score[i - 1, j - 1] + s, score[i - 1, j] + gap, score[i, j - 1] + gap)
    i, j = n, m
    path = np.zeros(n + m, dtype=int)
    length = 0
    while i > 0 or j > 0:
        if i > 0 and j > 0 and score[i, j] == score[i - 1, j - 1] + (match if a[i - 1] == b[j - 1] else mismatch):
            path[length] = 0
            i -= 1
            j -= 1
        elif i > 0 and score[i, j] == score[i - 1, j] + gap:
            path[length] = 1
            i -= 1
        else:
            path[length] = 2
            j -= 1
        length += 1
    return score[n, m], path, length


@law((A, B, 3.0), (A[:2], B[:1], 3.0), (A, B[:0], 3.0))
def smith_waterman_affine(a, b, match):
    n, m = a.size, b.size
    H = np.zeros((n + 1, m + 1))
    E = np.full((n + 1, m + 1), -np.inf)
    F = np.full((n + 1, m + 1), -np.inf)
    best = 0.0
    where = (0, 0)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            E[i, j] = max(E[i, j - 1] - 1.0, H[i, j - 1] - 2.0)
            F[i, j] = max(F[i - 1, j] - 1.0, H[i - 1, j] - 2.0)
            diagonal = H[i - 1, j - 1] + (match if a[i - 1] == b[j - 1] else -1.0)
            H[i, j] = max(0.0, diagonal, E[i, j], F[i, j])
            if H[i, j] > best:
                best = float(H[i, j])
                where = (i, j)
    return best, where


@law((A, B), (A, A), (A[:0], B))
def edit_distance_rows(a, b):
    previous = np.arange(len(b) + 1)
    for i in range(len(a)):
        current = np.empty_like(previous)
        current[0] = i + 1
        for j in range(len(b)):
            cost = 0 if a[i] == b[j] else 1
            current[j + 1] = min(previous[j + 1] + 1, current[j] + 1, previous[j] + cost)
        previous = current
    return previous[-1]


@law((R.random(6), R.random(5)), (R.random(1), R.random(1)))
def dynamic_time_warping(x, y):
    D = np.full((len(x) + 1, len(y) + 1), np.inf)
    D[0, 0] = 0
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            D[i, j] = abs(x[i - 1] - y[j - 1]) + np.min([D[i - 1, j], D[i, j - 1], D[i - 1, j - 1]])
    return D[-1, -1]


@law(
    (np.array([2, 3, 4, 5]), np.array([3, 4, 5, 6]), 5),
    (np.array([2]), np.array([3]), 1),
    (np.array([], int), np.array([], int), 3),
)
def knapsack(weights, values, capacity):
    best = np.zeros(capacity + 1, dtype=np.int64)
    for w, v in zip(weights, values):
        for c in range(capacity, w - 1, -1):
            if best[c - w] + v > best[c]:
                best[c] = best[c - w] + v
    return best[capacity]


@law((np.array([1, 2, 5]), 11), (np.array([3]), 9), (np.array([3]), 0))
def coin_change(coins, amount):
    INF = 10**9
    table = np.full(amount + 1, INF)
    table[0] = 0
    for a in range(1, amount + 1):
        for c in coins:
            if c <= a and table[a - c] + 1 < table[a]:
                table[a] = table[a - c] + 1
    return table[amount] if table[amount] < INF else -1


@law((np.array([30, 35, 15, 5, 10, 20]),), (np.array([3, 4]),))
def matrix_chain(p):
    n = len(p) - 1
    m = np.zeros((n, n), dtype=np.int64)
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            m[i, j] = np.iinfo(np.int64).max
            for k in range(i, j):
                q = m[i, k] + m[k + 1, j] + p[i] * p[k + 1] * p[j + 1]
                if q < m[i, j]:
                    m[i, j] = q
    return m[0, n - 1]


@law((np.array([10, 9, 2, 5, 3, 7, 101, 18]),), (np.array([], int),), (np.array([1]),))
def longest_increasing(x):
    n = len(x)
    tails = np.zeros(n, dtype=x.dtype)
    size = 0
    for v in x:
        i = np.searchsorted(tails[:size], v)
        tails[i] = v
        if i == size:
            size += 1
    return size, tails


@law((np.array([0, 0, -1, 1, 1, -1, 0]),), (np.array([], int),))
def run_length(x):
    n = len(x)
    values = np.zeros(n, dtype=x.dtype)
    lengths = np.zeros(n, dtype=np.int64)
    runs = 0
    for i in range(n):
        if i == 0 or x[i] != x[i - 1]:
            values[runs] = x[i]
            runs += 1
        lengths[runs - 1] += 1
    return values, lengths, runs


@law((np.array([0b1011, 0, -1, 255]),), (np.array([7], dtype=np.int32),))
def popcounts(x):
    out = np.zeros(len(x), dtype=np.int64)
    for i in range(len(x)):
        v = int(x[i]) & 0xFFFFFFFF
        count = 0
        while v:
            v &= v - 1
            count += 1
        out[i] = count
    return out


@law((np.arange(8), 3), (np.arange(1), 0))
def bit_reversal(x, bits):
    out = np.empty_like(x)
    for i in range(len(x)):
        r = 0
        v = i
        for _ in range(bits):
            r = (r << 1) | (v & 1)
            v >>= 1
        out[i] = x[r]
    return out


@law((np.array([1, 2, 3, 255]),), (np.array([], int),))
def fnv_hash(data):
    h = 2166136261
    for byte in data:
        h = ((h ^ byte) * 16777619) & 0xFFFFFFFF
    return int(h)


@law(
    (np.array([3, 5]), np.array([7, 1])),
)
def morton(xs, ys):
    codes = np.zeros(len(xs), dtype=np.int64)
    for k, (x, y) in enumerate(zip(xs, ys)):
        code = 0
        for b in range(16):
            code |= ((x >> b) & 1) << (2 * b) | ((y >> b) & 1) << (2 * b + 1)
        codes[k] = code
    return codes, np.argsort(codes)


@law((48, 36), (0, 5), (17, 5))
def gcd_and_bezout(a, b):
    x0, x1, y0, y1 = 1, 0, 0, 1
    while b:
        q, r = divmod(a, b)
        a, b = b, r
        x0, x1 = x1, x0 - q * x1
        y0, y1 = y1, y0 - q * y1
    return a, x0, y0


@law((3, 200, 13), (2, 0, 7), (10, 5, 1))
def power_mod(base, e, m):
    result = 1 % m
    base %= m
    while e > 0:
        if e % 2 == 1:
            result = result * base % m
        base = base * base % m
        e //= 2
    return result


@law((27, 200), (1, 10), (97, 50))
def collatz(n, limit):
    steps = 0
    highest = n
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        if n > highest:
            highest = n
        steps += 1
        if steps >= limit:
            return -1, highest
    return steps, highest


@law((np.array([5, 2, 9, 1, 5, 6]),), (np.array([1.5]),), (np.array([]),))
def quicksort_with_stack(x):
    a = x.copy()
    stack = np.zeros((len(a) + 2, 2), dtype=np.int64)
    stack[0] = 0, len(a) - 1
    top = 1
    while top > 0:
        top -= 1
        lo, hi = stack[top, 0], stack[top, 1]
        if lo >= hi:
            continue
        pivot = a[hi]
        i = lo - 1
        for j in range(lo, hi):
            if a[j] <= pivot:
                i += 1
                a[i], a[j] = a[j], a[i]
        a[i + 1], a[hi] = a[hi], a[i + 1]
        stack[top] = lo, i
        stack[top + 1] = i + 2, hi
        top += 2
    return a


@law((np.array([5, 2, 9, 1, 5, 6]),), (np.array([2.0, 1.0]),), (np.array([1]),))
def merge_sort_bottom_up(x):
    a = x.copy()
    b = np.empty_like(a)
    n = len(a)
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            mid = min(start + width, n)
            end = min(start + 2 * width, n)
            i, j = start, mid
            for k in range(start, end):
                if i < mid and (j >= end or a[i] <= a[j]):
                    b[k] = a[i]
                    i += 1
                else:
                    b[k] = a[j]
                    j += 1
        a, b = b, a
        width *= 2
    return a


@law((np.array([3, 1, 4, 1, 5, 9, 2, 6]), 10), (np.array([0]), 1))
def counting_sort(x, k):
    counts = np.zeros(k, dtype=np.int64)
    for v in x:
        counts[v] += 1
    position = np.cumsum(counts) - counts
    out = np.empty_like(x)
    for v in x:
        out[position[v]] = v
        position[v] += 1
    return out


@law((np.array([1, 3, 5, 7]), 5), (np.array([1, 3, 5, 7]), 4))
def binary_search(a, target):
    lo, hi = 0, len(a)
    while lo < hi:
        mid = (lo + hi) // 2
        if a[mid] < target:
            lo = mid + 1
        else:
            hi = mid
    return lo, lo < len(a) and a[lo] == target


@law(
    (np.array([[0, 1], [4, 2], [5, 3]]), np.array([0.1, 0.2, 0.1, 0.3, 0.2, 0.1]), R.integers(0, 4, (4, 6))),
)
def phylogenetic_likelihood(joins, lengths, sites):
    taxa, n_sites = sites.shape
    total = 0.0
    for s in range(n_sites):
        partial = np.zeros((taxa + len(joins), 4))
        for t in range(taxa):
            partial[t, sites[t, s]] = 1.0
        for k, (a, b) in enumerate(joins):
            down = np.ones(4)
            for child in (a, b):
                p = 0.25 * (1 - math.exp(-4 * lengths[child] / 3))
                P = np.full((4, 4), p)
                for i in range(4):
                    P[i, i] = 1 - 3 * p
                down *= P @ partial[child]
            partial[taxa + k] = down
        total += math.log(0.25 * partial[-1].sum())
    return total


@law((np.array([1.0, 4.0, 2.0, 8.0, 5.0, 7.0]), 2), (np.array([3.0]), 1))
def sliding_maximum(x, k):
    n = len(x)
    out = np.empty(n - k + 1)
    deque = np.zeros(n, dtype=np.int64)
    head = tail = 0
    for i in range(n):
        while tail > head and x[deque[tail - 1]] <= x[i]:
            tail -= 1
        deque[tail] = i
        tail += 1
        if deque[head] <= i - k:
            head += 1
        if i >= k - 1:
            out[i - k + 1] = x[deque[head]]
    return out


@law((np.array([3, 0, 2, 1]),), (np.array([0]),))
def permutation_tools(p):
    n = len(p)
    inverse = np.empty_like(p)
    inverse[p] = np.arange(n)
    seen = np.zeros(n, dtype=bool)
    cycles = 0
    for i in range(n):
        if seen[i]:
            continue
        cycles += 1
        j = i
        while not seen[j]:
            seen[j] = True
            j = p[j]
    inversions = 0
    for i in range(n):
        for j in range(i + 1, n):
            inversions += p[i] > p[j]
    return inverse, cycles, int(inversions)


@law((np.array([2.0, 1.0, 3.0]), 7), (np.array([1.0]), 2))
def fenwick_tree(x, updates):
    n = len(x)
    tree = np.zeros(n + 1)
    for i in range(n):
        k = i + 1
        while k <= n:
            tree[k] += x[i]
            k += k & -k
    prefix = np.zeros(n)
    for i in range(n):
        k = i + 1
        while k > 0:
            prefix[i] += tree[k]
            k -= k & -k
    return prefix, tree
