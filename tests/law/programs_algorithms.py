"""Algorithmic classics: searching, sorting, counting, number theory."""

# ruff: noqa: B007

import math

import numpy as np

from .corpus import law

R = np.random.default_rng(7)


@law((np.array([1, 3, 5, 7, 9]), 7), (np.array([1, 3, 5, 7, 9]), 4), (np.array([], dtype=np.int64), 4))
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


@law((2.0,), (0.25,))
def newton_sqrt(a, tol=1e-12):
    x = a if a > 1.0 else 1.0
    while abs(x * x - a) > tol * a:
        x = 0.5 * (x + a / x)
    return x


@law((2.0, 50), (2.0, 2), (2.0, 0))
def newton_iterations(a, maxiter):
    x = a
    for k in range(maxiter):
        new = 0.5 * (x + a / x)
        err = abs(new - x)
        x = new
        if err < 1e-10:
            break
    return x, k, err


@law((5, 4, 10))
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


@law((np.array([3.0, 1.0, 2.0, -5.0]),), (np.zeros(0),))
def insertion_sort(a):
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a


@law((np.array([3, 1, 2, -5, 7, 0]),))
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


@law((np.array([1, 2, 3, 4]), np.array([1, 3, 4, 4, 5])), (np.zeros(0, dtype=np.int64), np.array([1])))
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


@law((50, 42), (0, 42))
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


@law((30,))
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


def trapezoid(f, a, b, n):
    h = (b - a) / n
    total = 0.5 * (f(a) + f(b))
    for i in range(1, n):
        total += f(a + i * h)
    return total * h


@law((10,))
def integrate_exp(n):
    return trapezoid(lambda t: math.exp(-t * t), 0.0, 1.0, n)


@law((48, 36), (7, 0))
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


@law((27,))
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@law((R.normal(size=20), -2.0, 2.0, 5))
def histogram(x, lo, hi, bins):
    h = np.zeros(bins, dtype=np.int64)
    for v in x:
        k = int((v - lo) / (hi - lo) * bins)
        if 0 <= k < bins:
            h[k] += 1
    return h


@law((np.array([1, 1, -1, 1, 1, 1, 0]),))
def longest_run(x):
    best = current = 0
    for v in x:
        current = current + 1 if v > 0 else 0
        best = max(best, current)
    return best
