"""Steps of slices known at run time, exchanged buffers, recursion by literals."""

import numpy as np

from .corpus import law

R = np.random.default_rng(33)
X8 = R.random(8)
X10 = np.arange(10.0)
M46 = np.arange(24.0).reshape(4, 6)


@law(*((X10, k) for k in (1, 2, 3, -1, -2, -3, 11, -11, 0, 1 << 62)))
def any_step(a, k):
    return a[::k]


@law(*((X10, i, j, k) for i in (-12, -3, 2, 12) for j in (-12, 0, 9) for k in (-3, -1, 2, 12)))
def any_slice(a, i, j, k):
    return a[i:j:k]


@law((30,), (2,), (1,))
def sieve(n):
    prime = np.ones(n + 1, dtype=bool)
    prime[:2] = False
    i = 2
    while i * i <= n:
        if prime[i]:
            prime[i * i :: i] = False
        i += 1
    return np.sum(prime)


@law((X10, 2), (X10, -3))
def write_by_step(a, k):
    a[::k] = 7.0
    part = a[1::k]
    part[:] = part + 1.0
    return part.sum()


@law((M46, 2), (M46, -1), (M46, 0))
def steps_of_steps(a, k):
    return a[:, ::k], a[::-k, 1:], a[::2][::k], a[::k][1::k]


@law(*((X8, n) for n in range(4)))
def swap_with_argument(u, n):
    v = np.zeros_like(u)
    for _ in range(n):
        v[1:-1] = 0.5 * (u[2:] + u[:-2])
        v[0] = u[0]
        v[-1] = u[-1]
        u, v = v, u
    return u


@law(*((X8, X8 * 2, n) for n in range(4)))
def swap_two_arguments(u, v, n):
    for i in range(n):
        if i == 1:
            u[3] += 1.0
        for k in range(1, len(u) - 1):
            v[k] = 0.5 * (u[k - 1] + u[k + 1])
        u, v = v, u
    return u, v.sum()


@law(*((X8, n) for n in range(6)))
def three_time_levels(u, n):
    v = u.copy()
    w = np.zeros_like(u)
    for _ in range(n):
        w[1:-1] = 2 * v[1:-1] - u[1:-1] + 0.1 * (v[2:] - 2 * v[1:-1] + v[:-2])
        u, v, w = v, w, u
    return v


@law(*((X8, n) for n in range(1, 4)))
def swap_and_last_step(u, n):
    v = u.copy()
    for k in range(n):
        v[0] = u[1] + k
        last = k
        u, v = v, u
        if k > 0:
            continue
        last = -k
    return u, last


def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)


def fast_power(x, n):
    if n == 0:
        return 1.0
    half = fast_power(x, n // 2)
    if n % 2 == 0:
        return half * half
    return half * half * x


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@law((1.1,))
def recursion_by_literals(x):
    return power(x, 5), fast_power(x, 13), x * fib(8)


def chebyshev(n, x):
    if n == 0:
        return np.ones_like(x)
    if n == 1:
        return x
    return 2 * x * chebyshev(n - 1, x) - chebyshev(n - 2, x)


@law((X8,))
def recursion_on_arrays(x):
    return chebyshev(4, x)


def adaptive(f, a, b, depth):
    m = (a + b) / 2
    if depth == 0:
        return (b - a) / 6 * (f(a) + 4 * f(m) + f(b))
    return adaptive(f, a, m, depth - 1) + adaptive(f, m, b, depth - 1)


@law((2.0,))
def recursion_with_function(x):
    return adaptive(lambda t: t * t * x, 0.0, 1.0, 3)


def pairwise(a, depth):
    if depth == 0:
        return a.sum()
    half = len(a) // 2
    return pairwise(a[:half], depth - 1) + pairwise(a[half:], depth - 1)


@law((X8,), (X10,))
def recursion_on_halves(a):
    return pairwise(a, 3)
