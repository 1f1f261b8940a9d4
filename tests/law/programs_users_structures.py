"""Dataclasses, functions as values, empty arrays, views in functions, overlapping slices."""

# Written as users write, not as the linter would.
# ruff: noqa: ARG001, I001

import math
from dataclasses import dataclass
from enum import Enum, IntEnum
import tapeless as tp

import numpy as np

from .corpus import law

R = np.random.default_rng(8)
X5 = R.random(5)
M34 = R.random((3, 4))
I5 = np.array([3, -1, 4, 1, -5])
F32 = R.random(5).astype(np.float32)
X5 = R.random(5)
M34 = R.random((3, 4))
I5 = np.array([3, -1, 4, 1, -5])
F32 = R.random(5).astype(np.float32)
X5 = R.random(5)
M34 = R.random((3, 4))
I5 = np.array([3, -1, 4, 1, -5])
F32 = R.random(5).astype(np.float32)
X8 = R.random(8)


@law((X5,), (I5,))
def polyval_int(x):
    return np.polyval([1.5, 2.0, 0.5], x), np.polyval(np.array([1, 2]), x)


@dataclass
class Pt:
    x: float
    y: float

    def __add__(self, o):
        return Pt(self.x + o.x, self.y + o.y)

    def __mul__(self, k):
        return Pt(self.x * k, self.y * k)

    def norm(self):
        return math.sqrt(self.x**2 + self.y**2)

    @staticmethod
    def origin():
        return Pt(0.0, 0.0)

    @classmethod
    def unit(cls):
        return cls(1.0, 0.0)


@law((Pt(1.0, 2.0),))
def static_class_methods(a):
    o = Pt.origin()
    u = Pt.unit()
    return o.x + u.x + a.y


@law((Pt(1.0, 2.0), 3))
def dataclass_loop(p, n):
    for i in range(n):
        p = Pt(p.y, p.x + i)
    return p


class Mode(Enum):
    A = 1
    B = 2


class Lv(IntEnum):
    LO = 0
    HI = 5


@law((X5, Mode.A), (X5, Mode.B))
def enum_arg(x, m):
    return x.sum() if m is Mode.A else x.max()


@law((3,))
def intenum(n):
    return n + Lv.HI


CONST = {"g": 9.81, "dt": 0.1}


@law((2.0,))
def global_dict(v):
    return v + CONST["g"] * CONST["dt"]


@law((2.0, 3.0))
def kwonly(a, b, *, scale=2.0):
    return (a + b) * scale


def make_closure(k):
    arr = np.arange(3.0)

    def f(x):
        return x * k + arr.sum()

    return f


CL = make_closure(2.5)


@law((2.0,))
def calls_closure(x):
    return CL(x)


@tp.jit
def inner_jit(x):
    return x * 2


@law((X5,))
def calls_jitted(x):
    return inner_jit(x) + 1


@law((X5,))
def lambda_list(x):
    fs = [lambda v: v + 1, lambda v: v * 2, np.sin]
    for f in fs:
        x = f(x)
    return x


@law((X5,))
def dict_dispatch(x):
    ops = {"a": np.sin, "b": np.cos}
    return ops["a"](x) + ops["b"](x)


@law((X5, 3))
def compose(x, n):
    def compose2(f, g):
        return lambda v: f(g(v))

    h = compose2(np.sin, compose2(np.exp, lambda v: v * 2))
    return h(x)


@law((5,))
def fib_iter(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@law((X5,))
def pass_docs(x):
    """doc"""
    if x[0] > 2:
        pass
    else:
        ...
    return x


@law((np.array([]),))
def empty_ops(x):
    return x.sum(), x.prod(), x.cumsum(), x * 2, np.sort(x), len(x), x.size, np.any(x), np.all(x)


@law((np.zeros((0, 3)),), (np.zeros((3, 0)),))
def empty2(m):
    return m.sum(0), m.sum(1), m.T @ m, m.shape


@law((np.zeros((0, 3)),))
def empty_max(m):
    return m.max(axis=1)


@law((np.zeros((0, 3)),))
def empty_max0(m):
    return m.max(axis=0)


@law((X8, 2), (X8, 3))
def window_sum(x, w):
    return np.array([x[i : i + w].sum() for i in range(3)])


@law((X8, 3))
def slices_overlap_copy(x, k):
    x[k:] = x[:-k]
    x[:k] = 0
    return x


@law((X8,))
def reverse_inplace(x):
    x[:] = x[::-1]
    return x


@law((X8,))
def reverse_swap(x):
    n = len(x)
    for i in range(n // 2):
        x[i], x[n - 1 - i] = x[n - 1 - i], x[i]
    return x


@law((M34,))
def transpose_inplace_square(m):
    s = m[:, :3].copy()
    for i in range(3):
        for j in range(i + 1, 3):
            s[i, j], s[j, i] = s[j, i], s[i, j]
    return s


@law((M34,))
def view_of_view(m):
    a = m[1:]
    b = a[:, 1:3]
    c = b[0]
    c[1] = 77.0
    c += 1
    return m, a, b


@law((M34,))
def view_in_function(m):
    def zero_col(v):
        v[:, 0] = 0

    def scale(v):
        v *= 2

    zero_col(m[1:])
    scale(m[0])
    scale(m[:, -1])
    return m


@law((X8,))
def ufunc_out_where(x):
    y = np.zeros_like(x)
    np.multiply(x, 2, out=y)
    np.add(y, 1, out=y)
    np.sqrt(y, y)
    z = np.zeros_like(x)
    np.divide(1.0, x, out=z, where=x > 0.5)
    return y, z


@law((X8, np.array([1, 1, 3])))
def fancy_dup_assign(x, i):
    x[i] = np.array([10.0, 20.0, 30.0])
    return x


@law((X8, np.array([1, 1, 3])))
def fancy_dup_aug(x, i):
    x[i] += np.array([10.0, 20.0, 30.0])
    return x


@law((M34, np.array([0, 2]), np.array([1, 1])))
def fancy_pairs(m, i, j):
    m[i, j] = 5.0
    m[i] *= 2
    return m, m[i, j], m[i][:, j], m[:, j]


@law((X8, np.array([7, -8, 0])), (X8, np.array([8])), (X8, np.array([-9])))
def fancy_bounds(x, i):
    return x[i]


@law((M34, np.array([0, 5])))
def fancy_bounds2(m, i):
    return m[:, i]


@law((X8, 8), (X8, -9))
def slice_assign_len(x, n):
    x[2:5] = np.ones(3) * n
    return x


@law((X8,))
def slice_none(x):
    return x[:], x[None, :], x[2:2], x[5:2], x[-3:-1], x[100:], x[::-2], x[-1:0:-1]


@law((X8, 3, 1), (X8, 7, -1), (X8, 0, 9), (X8, -3, -1))
def slice_dyn(x, a, b):
    return x[a:b], x[b:a], x[a:], x[:b], x[a:b:2], x[b:a:-1], x[a::-1]
