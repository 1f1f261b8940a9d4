"""Dataclasses with operators, `del`, keys of order, iterators of `itertools` and NumPy."""

# Written as users write, not as the linter would.
# ruff: noqa: C417, PLR0124, PLW1641

import itertools
from collections import namedtuple
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from .corpus import law

R = np.random.default_rng(41)
X6 = R.random(6)
M23 = R.random((2, 3))


@dataclass
class Vec:
    x: float
    y: float = 0.0
    tags: list = field(default_factory=list)
    weights: object = field(default_factory=lambda: np.zeros(2))
    scale: float = field(default=2.0, init=False)

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return self + (-other)

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k)

    def __rmul__(self, k):
        return self * k

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y

    def __iadd__(self, other):
        self.x = self.x + other.x
        return self

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __lt__(self, other):
        return self.x < other.x

    def __getitem__(self, i):
        return self.x if i == 0 else self.y

    def __call__(self, t):
        return self.x * t + self.y

    def __len__(self):
        return 2

    def __bool__(self):
        return self.x > 0.0

    def __abs__(self):
        return (self.x**2 + self.y**2) ** 0.5

    def __contains__(self, value):
        return value in (self.x, self.y)


@dataclass(frozen=True)
class Point:
    a: float
    b: float
    norm: float = field(default=0.0, compare=False)

    def __post_init__(self):
        object.__setattr__(self, "norm", self.a * self.a + self.b * self.b)


@dataclass(order=True)
class Ranked:
    key: float
    other: float


@dataclass(init=False)
class OwnInit:
    low: float
    high: float

    def __init__(self, middle, width):
        self.low = middle - width
        self.high = middle + width


@dataclass(eq=False)
class Identity:
    a: float


class Complex(NamedTuple):
    re: float
    im: float

    def __add__(self, other):
        return Complex(self.re + other.re, self.im + other.im)

    def __mul__(self, other):
        return Complex(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def norm2(self):
        return self.re * self.re + self.im * self.im

    @property
    def conjugate(self):
        return Complex(self.re, -self.im)


Plain = namedtuple("Plain", "a b")


@law((1.5,), (-1.5,))
def operators(x):
    v = Vec(x, 2.0) + Vec(1.0) * 3.0
    w = v
    w += Vec(1.0)
    return v.x, (2.0 * v).y, (-v).x, (v - w).y, v @ w, v[0], v[1], v(2.0), len(v), abs(v), x in v


@law((1.5,), (-1.5,))
def comparisons(x):
    v = Vec(x)
    return v == Vec(1.5), v != Vec(1.5), v < Vec(2.0), v > Vec(2.0), 1 if v else 2, not v


@law((1.5,))
def fields_made(x):
    v = Vec(x)
    u = Vec(x)
    v.weights[0] = 1.0
    v.tags.append(x)
    return v.weights, u.weights, len(v.tags), len(u.tags), v.scale, Point(x, 2.0).norm, OwnInit(x, 1.0).high


@law((1.0,), (2.0,))
def generated_comparisons(x):
    p, q = Point(x, 1.0), Point(2.0, 1.0)
    a = Identity(x)
    return (
        p == q,
        p != q,
        Ranked(x, 1.0) < Ranked(2.0, 0.0),
        Ranked(x, 1.0) >= Ranked(2.0, 0.0),
        a == a,
        a == Identity(x),
    )


@law((1.0, 2.0), (2.0, 1.0), (2.0, 2.0))
def order_of_tuples(x, y):
    return (x, 1) < (y, 0), (x, y) <= (y, x), [x, 1.0] > [y], (x,) == (y,), (1, x) >= (1, y)


@law(
    (0.5, -1.0),
)
def named_tuple_operators(a, b):
    z = Complex(a, b)
    for _ in range(5):
        z = z * z + Complex(a, b)
    w = Plain(a, b) + Plain(1.0, 2.0)
    return z, z.norm2(), z.conjugate, w


@law((2.0,))
def deleted_names(x):
    y = x * 2
    del y
    y = x
    items = [1.0, x, 3.0]
    del items[1]
    table = {"a": x, "b": 1.0}
    del table["a"]
    return y, items, table


@law((1.0, -2.0, 0.5))
def by_key(a, b, c):
    best = max([(a, 1.0), (b, 2.0), (c, 3.0)], key=lambda row: row[0])
    worst = min((Vec(a), Vec(b), Vec(c)), key=lambda v: v.x)
    return max((a, b, c), key=lambda v: -v * v), min([a, b, c], key=abs), max(a, b, key=lambda v: -v), best, worst.x


@law((X6,))
def by_key_in_array(xs):
    return max(xs, key=lambda v: -((v - 0.5) ** 2)), min([v * 2 for v in xs], key=lambda v: abs(v - 1.0))


@law((X6,))
def sorted_values(a):
    items = [a[2], a[0], a[1]]
    items.sort()
    three = (a[0], a[1], a[2])
    b = a.copy()
    b.sort()
    return items, sorted(a), sorted(a, reverse=True), sorted(three, key=lambda v: -v), b, max([], default=1.0)


@law((X6,))
def mapped(a):
    first, second = map(float, (a[0], 2))
    return sum(map(lambda v: v * 2, a)), np.array(list(map(lambda u, v: u * v, a, a))), first * second


@law((3, 4), (0, 2))
def product_of_ranges(n, m):
    s = 0.0
    for i, j in itertools.product(range(n), range(m)):
        if (i + j) % 3 == 0:
            continue
        s += i * 10 + j
    return s


@law((3, 4), (2, 2))
def product_until(n, m):
    for i, j in itertools.product(range(n), range(m)):
        if i * j > 3:
            return i, j
    return -1, -1


@law((3, 4), (2, 2))
def product_broken(n, m):
    found = -1
    for k, (i, j) in enumerate(itertools.product(range(n), range(m))):
        if i * j > 3:
            found = k
            break
    return found


@law((X6,))
def product_of_products(a):
    s = 0.0
    for i, j in itertools.product((0, 1), (2, 3)):
        for k, l in itertools.product(range(2), range(3)):
            s += a[i] * a[j] + k * l
    return s


@law((M23,))
def nd_indices(a):
    b = np.zeros_like(a)
    for i, j in np.ndindex(a.shape):
        b[i, j] = a[i, j] * 2 + i
    for index in np.ndindex(*a.shape):
        b[index] += a[index]
    for (i, j), v in np.ndenumerate(a):
        b[i, j] += v * j
    return b


@law((X6,))
def other_iterators(xs):
    s = 0.0
    for a, b in itertools.pairwise(xs):
        s += a * b
    for i, j in itertools.combinations(range(4), 2):
        s += xs[i] * xs[j]
    for i in itertools.count(1):
        if i > 5:
            break
        s += i
    return s
