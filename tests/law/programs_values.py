"""Small programs on numbers, exceptions, closures, calls and containers."""

# ruff: noqa: ARG001, B007

import math
from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from .corpus import law

SCALE = 2.5
COUNT = 3
AXIS = 1
TABLE = np.array([1.0, 4.0, 9.0])
WEIGHTS = (0.5, 0.25, 0.25)
Point = namedtuple("Point", "x y")
X = np.array([3.0, -1.0, 2.0, 5.0, -4.0])
M = np.arange(12.0).reshape(3, 4)


@dataclass
class Body:
    position: np.ndarray
    mass: float
    charge: float = 1.0

    def force(self, k):
        return k * self.mass * self.position

    @property
    def double(self):
        return 2 * self.mass


@dataclass(frozen=True)
class Settings:
    steps: int
    rate: float


@law((np.array([5, -3, 2]),), (np.array([5, -3], dtype=np.int32),))
def int_promotion(x):
    return x / 2, x * 0.5, x // 2, x % 3, x**2


@law((X.astype(np.float32),), (X,))
def weak_promotion(x):
    return x * 2.0, x + 1, 1 / x, x**2, -x, x > 0.5


@law((X,))
def bool_arithmetic(x):
    return (x > 0) + (x > 1), (x > 0) & (x < 2), ~(x > 0), np.sum(x > 0)


@law((7, 2), (7.5, -2.0), (-7, 2))
def python_arithmetic(a, b):
    return a + b, a - b, a * b, a / b, a // b, a % b, a**2, -a, +a, abs(a)


@law((13, 6))
def python_bits(a, b):
    return a & b, a | b, a ^ b, ~a, a << 2, a >> 1


@law((1.0, 0.0), (1, 0))
def division_by_zero(a, b):
    return a / b


@law((5, 0))
def modulo_by_zero(a, b):
    return a % b


@law((-1.0,), (4.0,))
def sqrt_domain(x):
    return math.sqrt(x)


@law((X, 0.0))
def numpy_division(x, b):
    return x / b


@law((X, 5), (X, -1))
def out_of_range(x, i):
    x[i] = 1.0
    return x


@law((2.0,), (-2.0,))
def assertion(x):
    assert x > 0, "x must be positive"
    return math.log(x)


@law((1.0, 5), (1.0, -5), (1.0, 50))
def raises(x, n):
    if n < 0:
        raise ValueError(f"n is {n}")
    if n > 10:
        raise KeyError("too large")
    return x * n


@law((abs(X),), (X,))
def raises_in_loop(x):
    s = 0.0
    for v in x:
        if v < 0:
            raise ValueError("negative")
        s += math.sqrt(v)
    return s


@law((1.0,), (-1.0,))
def unbound(x):
    if x > 0:
        y = 1.0
    return y


@law((2.0,))
def closure_numbers(x):
    return x * SCALE + COUNT


@law((1,))
def closure_array(i):
    return TABLE[i] + TABLE.sum()


@law((2.0,))
def closure_tuple(x):
    return WEIGHTS[0] * x + sum(WEIGHTS)


@law((M,))
def static_constant(m):
    return m.sum(axis=AXIS)


@law((X,))
def constant_trip_count(x):
    for _ in range(COUNT):
        x = x * 2
    return x


@law((2.0, 3.0))
def nested_function(x, k):
    def scale(v):
        return v * k

    k = k + 1
    return scale(x) + scale(1.0)


@law((2.0,))
def lambdas(x):
    f = lambda a, b=2: a * b  # noqa: E731
    return f(x) + f(x, 3) + f(b=4, a=x)


@law((2.0,))
def defaults(x):
    return _scaled(x) + _scaled(x, offset=1.0) + _scaled(factor=3.0, x=x)


def _scaled(x, factor=2.0, *, offset=0.0):
    return x * factor + offset


@law((1.0,))
def varargs(x):
    return _total(x, 2 * x, 3 * x, scale=2.0)


def _total(*terms, scale=1.0, **options):
    s = 0.0
    for t in terms:
        s += t
    return s * scale


@law((3.0,))
def higher_order(x):
    return _twice(lambda v: v * v, x)


def _twice(f, x):
    return f(f(x))


@law(((1.0, 2),))
def tuples(p):
    a, b = p
    return (b, a), (a + b,)


@law(({"a": 1.0, "b": 2.5},))
def dicts(d):
    total = 0.0
    for name, value in d.items():
        total += value
    return {"total": total, "first": d["a"], "both": (d["a"], d["b"])}


@law((Point(1.0, 2.0),))
def named_tuple(p):
    return Point(p.y, p.x + 1)._replace(x=0.5)


@law((Body(X, 2.0),))
def data_class(b):
    f = b.force(2.0)
    return Body(f, b.double)


@law((Body(X, 2.0),))
def data_class_write(b):
    b.position[0] = 9.0
    m = Body(b.position, 1.0)
    m.mass += 2.5
    return m.mass


@law((X, Settings(3, 0.1)))
def settings(x, s):
    for _ in range(s.steps):
        x = x - s.rate * x
    return x


@law((2.0,))
def lists(x):
    parts = [x, 2 * x]
    parts.append(3 * x)
    parts[0] = parts[1] + parts[-1]
    return parts, len(parts)


@law((2.0,))
def list_in_loop(x):
    out = []
    for k in range(3):
        out.append(x * k)
    return np.array(out)


@law((2.0,))
def comprehension(x):
    return [x * k for k in range(4) if k != 1]


@law((2.0,))
def comprehension_sum(x):
    return sum([v * v for v in (x, x + 1, x + 2)])


@law((2.0,))
def generator_sum(x):
    return sum(x * k for k in range(3)), max(x * k for k in (1, -1))
