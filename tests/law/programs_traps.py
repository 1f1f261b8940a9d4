"""Programs in which the order of evaluation and aliasing are easy to get wrong."""

# ruff: noqa: B023, PLW2901

import math
from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from .corpus import law

Pair = namedtuple("Pair", "a b")
X = np.array([3.0, -1.0, 2.0, 5.0, -4.0])
M = np.arange(12.0).reshape(3, 4)


@dataclass
class State:
    position: np.ndarray
    time: float


@law((X,))
def swap_items(x):
    x[0], x[1] = x[1], x[0]
    return x


@law((M,))
def swap_rows(m):
    m[0], m[1] = m[1], m[0]
    return m


@law((M,))
def swap_rows_by_copy(m):
    m[0], m[1] = m[1].copy(), m[0].copy()
    return m


@law((X,))
def assignment_order(x):
    i = 0
    i, x[i] = 2, 7.0
    x[i] = i = 4
    return x, i


@law((X,))
def loop_over_changing_array(x):
    for v in x:
        x[-1] += v
    return x


@law((X[:1],))
def loop_over_rebound_name(x):
    s = 0.0
    for v in x:
        x = np.zeros(1)
        s += v
    return s, x


@law((4,))
def range_is_fixed(n):
    s = 0
    for i in range(n):
        n = 1
        s += i
    return s, n


@law((4,))
def counter_reassigned(n):
    s = 0
    for i in range(n):
        i = i * 10
        s += i
    return s


@law((2.0,))
def closure_sees_later_value(x):
    k = 1.0

    def scaled():
        return x * k

    first = scaled()
    k = 2.0
    return first, scaled()


@law((2.0,))
def default_keeps_early_value(x):
    k = 1.0

    def scaled(factor=k):
        return x * factor

    k = 2.0
    return scaled() + k


@law((4,))
def function_in_loop(n):
    s = 0.0
    for i in range(n):

        def twice(v):
            return 2 * v + i

        s += twice(i)
    return s


@law((1.5, 8))
def closure_writes(x, n):
    acc = np.zeros(3)

    def add(i):
        acc[i % 3] += x
        if i > 4:
            return 1
        return 0

    count = 0
    for i in range(n):
        count += add(i)
    return acc, count


@law((X,))
def reversed_alias(x):
    y = x[::-1]
    y[0] = 5.0
    y = y + 1
    y[0] = 100.0
    return x, y


@law((X, X * 2))
def out_argument(x, y):
    np.add(x[1:], y[1:], out=x[:-1])
    np.multiply(x, 2.0, out=y)
    return x


@law((X,))
def overlapping_views(x):
    _shift(x[1:], x[:-1])
    return x


def _shift(a, b):
    for i in range(len(a)):
        a[i] = b[i] + 1


@law((X,))
def overlapping_update(x):
    x[1:] += x[:-1]
    x[:-1] *= x[1:]
    return x


@law((X,))
def unrolled_elements_are_read_late(x):
    total = 0.0
    for w, v in zip((1.0, 2.0, 3.0), x[:3].reshape(3), strict=True):
        x[2] = 100.0
        total += w * v
    parts = [x[0], x[1], x[2]]
    for p in parts:
        parts[2] = 7.0
        total += p
    return total


@law((np.arange(6.0).reshape(2, 3),))
def rows_unpacked_beside_a_tuple(m):
    out = []
    for name, row in zip((1, 2), (m[0], m[1]), strict=True):
        m[1, 0] = -5.0
        out.append(row.sum() * name)
    return out


@law((np.zeros(3, np.int64), 2.7), (np.zeros(3, np.int64), math.nan), (np.zeros(3, np.int32), 1e12))
def float_into_integers(x, value):
    x[0] = value
    x[1:] = value
    return x
