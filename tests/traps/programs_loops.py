"""Loops whose return sweep needs values of the forward run, and arrays that are overwritten meanwhile."""

# ruff: noqa: B007, PLR1730 - written as people write them
import numpy as np

from .catalogue import trap

STALE, OVERWRITTEN = "stale loop values", "overwritten arrays"


@trap(STALE, (1.5, 4), 13.5, warp="29.55", taichi="right")
def power(x, n):
    s = 1.0
    for i in range(n):
        s = s * x
    return s


@trap(STALE, (1.2, 4), 0.2404795828458097, warp="0.32126", taichi="right")
def iterated_sine(x, n):
    s = x
    for i in range(n):
        s = np.sin(s) + 0.1 * s * s
    return s


@trap(STALE, (np.array([3.0, 4.0]),), np.array([0.6, 0.8]), warp="[inf, inf]")
def root_of_sum_of_squares(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
    return np.sqrt(s)


@trap(STALE, (3.0, np.array([1.0, 2.0])), (18.0, np.array([9.0, 9.0])), argnums=(0, 1), warp="0, [9, 9]")
def square_times_sum(x, s):
    a = x * x
    total = 0.0
    for i in range(len(s)):
        total += s[i]
    return a * total


@trap(STALE, (1.5, 3, 2), 54.0, warp="0", taichi="right")
def product_of_sums(x, n, m):
    s = 1.0
    for i in range(n):
        t = 0.0
        for j in range(m):
            t += x
        s = s * t
    return s


@trap(STALE, (1.5,), 45.5625, warp="109.59", taichi="refused", jax="refused")
def grow_until(x):
    s = x
    while s < 10.0:
        s = s * x
    return s


@trap(STALE, (np.array([5.0, -1.0, 1.2]),), np.array([1.0, 0.0, 0.0]), warp="[0, 0, 3]")
def largest_positive(x):
    best = -np.inf
    for i in range(len(x)):
        if x[i] < 0.0:
            continue
        if x[i] * (i + 1) > best:
            best = x[i] * (i + 1)
    return best


@trap(STALE, (np.array([0.5, 2.0, 3.0]),), np.array([6.0, 1.5, 0.0]))
def product_until_large(x):
    p = 1.0
    for i in range(len(x)):
        if p * x[i] > 0.9:
            p = p * x[i]
            break
        p = p * x[i]
    return 3.0 * p


@trap(STALE, (np.array([1.0, 2.0, 3.0]),), np.array([2.0, 4.0, 0.0]))
def early_return(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
        if s > 4.0:
            return s
    return 0.0 * s


@trap(STALE, (2.0,), 2.0 / 3.0 * 2.0 ** (-1.0 / 3.0))
def newton_cube_root_squared(a):
    x = a
    for i in range(40):
        x = x - (x * x * x - a) / (3.0 * x * x)
    return x * x


@trap(STALE, (2.0, 13), 13.0 * 2.0**12)
def binary_power(x, n):
    result, base, k = 1.0, x, n
    while k > 0:
        if k % 2 == 1:
            result = result * base
        base = base * base
        k = k // 2
    return result


@trap(STALE, (np.array([0.3, 0.4]),), np.array([0.0, 24 * 0.4**23]))
def loop_in_loop_swapping(x):
    a, b = x[0], x[1]
    for i in range(3):
        for j in range(2):
            a, b = b, a
        b = b * b
    return b * b * b


@trap(OVERWRITTEN, (1.5, 3), 13.5, warp="27.42")
def in_place_power(x, n):
    out = np.zeros(1)
    out[0] = x
    for i in range(n):
        out[0] = out[0] * x
    return out[0]


@trap(OVERWRITTEN, (1.5,), 25.3125, taichi="5.06, also with its validator")
def chain_of_elements(x):
    v = np.zeros(5)
    v[0] = x
    for i in range(4):
        v[i + 1] = v[i] * x
    return v[4]


@trap(OVERWRITTEN, (np.array([1.5]),), np.array([3.0]), taichi="4.5")
def square_in_place(v):
    v[0] = v[0] * v[0]
    return v[0]


@trap(OVERWRITTEN, (np.array([3.0]),), np.array([6.0]), pytorch="200 through .data")
def changed_after_use(x):
    y = x[0] * x[0]
    x[0] = 100.0
    return y


@trap(OVERWRITTEN, (np.array([3.0]), np.zeros(1)), np.array([6.0]), warp="right")
def accumulate_squares(x, out):
    for i in range(len(x)):
        out[i] = out[i] + x[i] * x[i]
    return out[0]


@trap(OVERWRITTEN, (np.array([2.0, 3.0]),), np.array([6.0, 4.0]))
def exchange(x):
    a = x * 1.0
    a[0], a[1] = a[1], a[0]
    return a[0] * a[1] + 2.0 * a[0] + 3.0 * a[1]


@trap(OVERWRITTEN, (np.array([1.0, 2.0, 3.0]),), np.array([21.0, 200.0, 0.0]))
def shifted_slice(x):
    a = x * 1.0
    a[1:] = a[:-1] * 2.0
    return a[0] + 10.0 * a[1] + 100.0 * a[2]


@trap(OVERWRITTEN, (np.array([1.0, 2.0, 3.0]),), np.array([100.0, 10.0, 1.0]))
def reversed_in_place(x):
    a = x * 1.0
    a[:] = a[::-1]
    return a[0] + 10.0 * a[1] + 100.0 * a[2]


@trap(OVERWRITTEN, (np.array([1.0, 2.0, 3.0]),), np.array([1.0, 8.0, 12.0]))
def write_through_a_view(x):
    a = x * 1.0
    tail = a[1:]
    tail *= a[1:]
    tail *= 2.0
    return np.sum(a)


@trap(OVERWRITTEN, (np.array([1.0, 2.0, 3.0]),), np.array([3.0, 2.0, 1.0]))
def prefix_sums_in_place(x):
    a = x * 1.0
    for i in range(1, len(a)):
        a[i] += a[i - 1]
    return a[0] + a[1] + a[2]


@trap(OVERWRITTEN, (np.array([1.0, 2.0, 3.0, 4.0]),), np.zeros(4))
def overwritten_by_a_constant(x):
    a = np.sin(x)
    for i in range(len(a)):
        a[i] = a[i] * x[i]
        a[i] = 2.0
    return np.sum(a) ** 2


@trap(OVERWRITTEN, (np.array([0.1, 0.2, 0.3, 0.4]), 2), np.array([1.25, 0.0, 0.25, 0.5]))
def smoothing_in_place(u, steps):
    a = u * 1.0
    for t in range(steps):
        for i in range(1, len(a) - 1):
            a[i] = 0.5 * (a[i - 1] + a[i + 1])
    return 2.0 * a[1]


@trap(
    OVERWRITTEN, (np.array([[1.0, 2.0], [3.0, 4.0]]),), np.array([[3.0, 1.0], [3.0, 1.0]]), pytorch="right since 2.13"
)
def column_updated_twice(x):
    y = x * 1.0
    y[:, 0] += x[:, 0]
    y[:, 0] += x[:, 0]
    return np.sum(y)


@trap(OVERWRITTEN, (np.array([1.0, 2.0]),), np.array([0.0, 3.0]), pytorch="right since 2.13")
def diagonal_overwritten(x):
    m = np.zeros((2, 2))
    m[0, 0] = x[0]
    m[0, 1] = x[1]
    m[1, 1] = 2.0 * x[1]
    for i in range(2):
        m[i, i] = x[1]
    return np.sum(m)
