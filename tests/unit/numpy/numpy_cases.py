"""The table of calls that are compared with NumPy, Python and `math`: at least one for every known name."""

from __future__ import annotations

import builtins
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tapeless import operators


@dataclass(frozen=True)
class Case:
    """One call. `function` is an object, or the name of a method or attribute of the first argument."""

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        owner = getattr(self.function, "__self__", None)
        prefix = f"{owner.__name__}." if isinstance(owner, np.ufunc) else ""
        name = self.function if isinstance(self.function, str) else prefix + self.function.__name__
        kinds = ",".join(_kind(a) for a in self.args)
        options = ",".join(f"{k}={v}" if not isinstance(v, np.ndarray) else k for k, v in self.kwargs.items())
        return f"{name}({kinds}{';' if options else ''}{options})"


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    return type(value).__name__ if isinstance(value, np.generic) else repr(value)[:20]


def case(function: Any, *args: Any, **kwargs: Any) -> Case:
    return Case(function, args, kwargs)


RNG = np.random.default_rng(7)
VECTOR = np.array([-2.5, -1.0, 0.0, 0.75, 3.0])
MATRIX = RNG.normal(size=(3, 4))
CUBE = RNG.normal(size=(2, 3, 4))
INTS = np.array([3, -1, 0, 2, 7])
INT_MATRIX = np.array([[3, -1, 5], [0, 2, -7]])
SMALL = INTS.astype(np.int32)
SINGLE = MATRIX.astype(np.float32)
BOOLS = np.array([True, False, True, True, False])
SPECIAL = np.array([np.nan, np.inf, -np.inf, 1.0, -0.0])
WITH_NAN = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, np.nan], [2.0, -5.0, np.nan]])
EMPTY = np.zeros(0)
ONE = np.array([2.5])
SQUARE = RNG.normal(size=(4, 4)) + 4 * np.eye(4)
SPD = SQUARE @ SQUARE.T
FLOATS = (VECTOR, MATRIX, CUBE, SINGLE, EMPTY, ONE, np.float64(0.4), np.float32(0.4), 0.5)
NUMBERS = (*FLOATS, INTS, SMALL, INT_MATRIX, 3)


def _unary() -> Iterator[Case]:
    for f in (
        np.sin, np.cos, np.tan, np.exp, np.exp2, np.expm1, np.sinh, np.cosh, np.tanh, np.arctan, np.arcsinh, np.cbrt,
        np.fabs, np.rint, np.deg2rad, np.radians, np.rad2deg, np.degrees, np.signbit,
    ):  # fmt: skip
        yield from (case(f, x) for x in NUMBERS)
    for f in (np.negative, np.positive, np.absolute, np.sign, np.square, np.floor, np.ceil, np.trunc):
        yield from (case(f, x) for x in (*NUMBERS, SPECIAL))
    for f in (np.sqrt, np.log, np.log2, np.log10, np.log1p, np.reciprocal):
        yield from (case(f, np.abs(x) + 1) for x in NUMBERS)
    for f in (np.arcsin, np.arccos, np.arctanh):
        yield from (case(f, x / 8) for x in (VECTOR, SINGLE, INTS, np.float32(2)))
    yield from (case(np.arccosh, np.abs(x) + 1) for x in (VECTOR, SINGLE, INTS))
    for f in (np.isnan, np.isinf, np.isfinite):
        yield from (case(f, x) for x in (SPECIAL, INTS, BOOLS, SPECIAL.astype(np.float32), 2.0))
    for f in (np.logical_not, np.absolute):
        yield case(f, BOOLS)
    yield from (case(np.logical_not, x) for x in (VECTOR, INTS, 0, 2.5))
    yield from (case(np.invert, x) for x in (INTS, SMALL, BOOLS, 5))
    yield from (case(np.modf, x) for x in (VECTOR, SPECIAL, SINGLE))
    yield case(np.sin, VECTOR, out=np.zeros(5))
    yield case(np.sin, VECTOR, np.zeros(5))


PAIRS = (
    (VECTOR, VECTOR[::-1] + 0.3), (MATRIX, MATRIX[0]), (MATRIX[:, :1], MATRIX[:1]), (CUBE, MATRIX), (SINGLE, 2),
    (SINGLE, 2.5), (SINGLE, MATRIX), (INTS, INTS + 9), (INTS, 2), (INTS, 2.5), (SMALL, SMALL + 9), (SMALL, 3),
    (SMALL, INTS), (SMALL, SINGLE[0, :1]), (EMPTY, 1.0), (EMPTY, ONE), (np.float32(1.5), 2), (2, np.int32(3)),
    (1.5, 2), (3, 2), (VECTOR, INTS), (BOOLS, VECTOR), (BOOLS, 2), (np.float64(2.0), VECTOR),
)  # fmt: skip
INT_PAIRS = ((INTS, INTS + 9), (INTS, 2), (SMALL, SMALL + 9), (SMALL, 3), (INT_MATRIX, INT_MATRIX[:1] + 1), (6, 4))


def _binary() -> Iterator[Case]:
    for f in (
        np.add, np.subtract, np.multiply, np.true_divide, np.floor_divide, np.remainder, np.fmod, np.minimum,
        np.maximum, np.fmin, np.fmax, np.hypot, np.arctan2, np.copysign, np.logaddexp, np.logaddexp2, np.heaviside,
        np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal,
        np.logical_and, np.logical_or, np.logical_xor,
    ):  # fmt: skip
        yield from (case(f, x, y) for x, y in PAIRS)
        yield case(f.outer, VECTOR, INTS[:2])
    for f in (np.add, np.minimum, np.fmax, np.logaddexp, np.less, np.copysign, np.remainder, np.floor_divide):
        yield case(f, SPECIAL, SPECIAL[::-1])
        yield case(f, SPECIAL, 1.0)
        yield case(f, 0.0, SPECIAL)
    for f in (np.floor_divide, np.remainder, np.fmod):
        yield case(f, INTS, INTS * 0)
    for f in (np.add, np.multiply, np.minimum, np.maximum, np.fmin, np.fmax, np.logical_and, np.equal, np.bitwise_or):
        yield case(f, BOOLS, BOOLS[::-1])
    for f in (np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.left_shift, np.right_shift, np.gcd, np.lcm):
        yield from (case(f, x, y) for x, y in INT_PAIRS)
        yield case(f.outer, INTS + 1, SMALL)
    for f in (np.power, np.float_power):
        yield from (case(f, np.abs(x) + 0.5, y) for x, y in ((VECTOR, VECTOR), (SINGLE, 2.5), (MATRIX, MATRIX[0])))
        yield from (case(f, x, n) for x in (VECTOR, SINGLE, INTS, SMALL, 3) for n in (0, 1, 2, 3, 4, 7))
        yield from (case(f, np.abs(x) + 1, n) for x in (VECTOR, SINGLE, INTS) for n in (0.5, -1.0, -2.5, 2.0))
        yield case(f.outer, np.abs(VECTOR) + 0.1, VECTOR)
    yield from (case(np.power, x, y) for x, y in ((INTS, np.abs(INTS)), (SMALL, np.abs(SMALL)), (2, np.abs(INTS))))
    yield from (case(np.divmod, x, y) for x, y in ((VECTOR, 0.7), (INTS, 3), (7, np.int64(-2))))
    yield case(np.add, VECTOR, 1, out=np.zeros(5))
    yield case(np.power, VECTOR, 2, out=np.zeros(5))


def _reductions() -> Iterator[Case]:
    arrays = (VECTOR, MATRIX, SINGLE, INTS, SMALL, INT_MATRIX, BOOLS, ONE, SPECIAL)
    for f in (np.sum, np.prod, np.mean, np.min, np.max, np.amin, np.amax, np.any, np.all, np.argmin, np.argmax):
        yield from (case(f, a) for a in arrays)
        yield from (case(f, MATRIX, axis=k) for k in (0, 1, -1))
        yield from (case(f, CUBE, axis=k, keepdims=True) for k in (0, 1, 2))
        yield case(f, MATRIX, keepdims=True)
        yield case(f, 2.5)
        yield case(f, (VECTOR, VECTOR + 1), axis=0)
    for f in (np.sum, np.prod, np.mean, np.min, np.max, np.any, np.all):
        yield from (case(f, CUBE, axis=k) for k in ((0, 1), (2, 0), (0, 1, 2)))
        yield case(f, CUBE, axis=(0, 2), keepdims=True)
    for f in (np.sum, np.prod, np.any, np.all):
        yield case(f, EMPTY)
    yield from (case(f, VECTOR, initial=1.5) for f in (np.sum, np.prod, np.min, np.max))
    yield from (case(np.sum, a, dtype=np.float64) for a in (INTS, SINGLE, BOOLS))
    yield case(np.mean, INTS, dtype=np.float32)
    yield from (case(np.count_nonzero, a) for a in (VECTOR, BOOLS, INT_MATRIX))
    yield case(np.count_nonzero, INT_MATRIX, axis=1)
    yield from (case(f, a) for f in (np.argmin, np.argmax) for a in (WITH_NAN, INTS * 0, np.array([1, 5, 5, 1])))
    for f in (np.cumsum, np.cumprod):
        yield from (case(f, a) for a in (VECTOR, MATRIX, INTS, SMALL, BOOLS, SINGLE, EMPTY))
        yield from (case(f, CUBE, axis=k) for k in (0, 1, 2, -1))
    for f in (np.add, np.multiply, np.minimum, np.maximum, np.logical_and, np.logical_or):
        yield from (case(f.reduce, a) for a in (VECTOR, MATRIX, INTS))
        yield from (case(f.accumulate, a) for a in (VECTOR, MATRIX, INTS))
        yield case(f.reduce, MATRIX, axis=1)
        yield case(f.accumulate, MATRIX, axis=1)
    yield case(np.maximum.accumulate, BOOLS)
    for name in ("sum", "prod", "mean", "min", "max", "any", "all", "argmin", "argmax", "cumsum", "cumprod"):
        yield case(name, MATRIX)
        yield case(name, MATRIX, axis=1)


def _statistics() -> Iterator[Case]:
    for f in (np.var, np.std):
        yield from (case(f, a) for a in (VECTOR, MATRIX, INTS, SINGLE))
        yield from (case(f, MATRIX, axis=k) for k in (0, 1))
        yield case(f, CUBE, axis=(0, 2), ddof=1, keepdims=True)
        yield case(f.__name__, MATRIX, axis=0)
    for f in (np.ptp, np.median, np.average):
        yield from (case(f, a) for a in (VECTOR, MATRIX, INTS))
        yield from (case(f, CUBE, axis=k) for k in (0, 1, -1))
    yield case(np.median, SPECIAL)
    yield case(np.average, VECTOR, weights=np.abs(VECTOR))
    yield case(np.average, MATRIX, axis=1, weights=np.abs(MATRIX))
    yield case(np.average, MATRIX, axis=0, weights=np.abs(MATRIX[:, 0]))
    yield from (case(np.quantile, MATRIX, q) for q in (0.0, 0.3, 0.77, 1.0))
    yield case(np.percentile, MATRIX, 35.0, axis=1)
    for f in (np.nansum, np.nanprod, np.nanmean, np.nanvar, np.nanstd, np.nanmin, np.nanmax):
        yield case(f, WITH_NAN)
        yield case(f, WITH_NAN[[0, 2]], axis=1)
    yield case(np.nancumsum, WITH_NAN)
    yield case(np.nanmin, INTS)
    yield case(np.nanmax, INTS)
    yield case(np.histogram, VECTOR)
    yield case(np.histogram, MATRIX, bins=4)
    yield case(np.histogram, INTS, bins=3, range=(-1.0, 3.0))
    yield case(np.cov, MATRIX)
    yield case(np.cov, VECTOR)


def _shapes() -> Iterator[Case]:
    yield from (case(f, MATRIX) for f in (np.transpose, np.ravel, np.flip, np.flipud, np.fliplr, np.copy, np.squeeze))
    yield from (case(np.transpose, CUBE, p) for p in ((1, 0, 2), (2, 0, 1), (0, 2, 1)))
    yield from (case("transpose", CUBE, *p) for p in ((), (1, 0, 2), ((2, 0, 1),)))
    for name in ("T", "mT", "shape", "ndim", "size", "flatten", "ravel", "copy", "squeeze"):
        yield case(name, CUBE)
    yield from (case(f, CUBE) for f in (np.matrix_transpose, np.shape, np.ndim, np.size))
    yield case(np.size, CUBE, 1)
    yield from (case(name, SMALL) for name in ("itemsize", "nbytes"))
    yield case(np.swapaxes, CUBE, 0, -1)
    yield case("swapaxes", CUBE, 0, -1)
    yield from (case(np.moveaxis, CUBE, s, d) for s, d in ((0, 2), (-1, 0), ((0, 1), (1, 2))))
    yield from (case(np.reshape, CUBE, s) for s in ((4, 6), (-1,), (2, -1), -1, (3, -1, 2), (24, 1)))
    yield from (case("reshape", CUBE, *s) for s in ((4, 6), ((6, 4),), (-1, 3), (-1,)))
    yield case(np.reshape, ONE, ())
    yield case(np.ravel, 2.5)
    yield from (case(np.expand_dims, MATRIX, axis) for axis in (0, 1, -1, (0, 2)))
    yield from (case(np.squeeze, CUBE[:1, :, :1], axis) for axis in (None, 0, 2, (0, 2)))
    yield from (case(np.flip, CUBE, axis) for axis in (0, 1, (0, 2)))
    yield case(np.broadcast_to, VECTOR, (3, 5))
    yield case(np.broadcast_to, 2.5, (2, 3))
    yield case(np.broadcast_arrays, VECTOR, MATRIX[:, :1], 1.0)
    yield from (case(f, x) for f in (np.atleast_1d, np.atleast_2d) for x in (2.5, VECTOR, MATRIX))
    yield case(np.atleast_1d, 2.5, VECTOR)
    yield from (case(np.concatenate, (MATRIX, MATRIX + 1), axis=axis) for axis in (0, 1, None))
    yield case(np.concatenate, (INTS, VECTOR, SMALL))
    yield from (case(np.stack, (MATRIX, MATRIX + 1), axis=axis) for axis in (0, 1, 2, -1))
    yield case(np.stack, (INTS, VECTOR))
    yield from (case(f, (VECTOR, VECTOR + 1)) for f in (np.vstack, np.hstack, np.column_stack))
    yield from (case(f, (MATRIX, MATRIX + 1)) for f in (np.vstack, np.hstack, np.column_stack))
    yield case(np.append, VECTOR, 3)
    yield case(np.append, MATRIX, MATRIX, axis=0)
    yield from (case(np.roll, VECTOR, k) for k in (0, 1, -2, 7))
    yield from (case(np.roll, MATRIX, k, axis) for k, axis in ((1, 0), (-1, 1), (2, None), ((1, 2), (0, 1))))
    yield from (case(np.repeat, MATRIX, 2, axis) for axis in (None, 0, 1))
    yield case("repeat", VECTOR, 3)
    yield from (case(np.tile, MATRIX, reps) for reps in (2, (2, 1), (2, 1, 3)))
    for mode in ("constant", "edge", "wrap", "reflect", "symmetric"):
        yield case(np.pad, VECTOR, (2, 3), mode=mode)
        yield case(np.pad, MATRIX, ((1, 2), (0, 3)), mode=mode)
        yield case(np.pad, MATRIX, 1, mode=mode)
    yield case(np.pad, INTS, 1, constant_values=9)
    for i, axis in (([0, 2, -1], 0), ([[1, 0]], 1), ([5, 11], None)):
        yield case(np.take, MATRIX, np.array(i), axis)
    yield case(np.take, VECTOR, 2)
    yield case("take", VECTOR, INTS[:2] - 1)
    yield case(np.take_along_axis, MATRIX, np.argsort(MATRIX, 1), 1)
    yield case(np.take_along_axis, MATRIX, np.argmax(MATRIX, 1)[:, None], 1)
    yield from (case(f, SQUARE, k) for f in (np.tril, np.triu) for k in (0, 1, -2))
    yield from (case(np.diag, a, k) for a in (VECTOR, MATRIX) for k in (0, 1, -2))
    yield case(np.diagonal, MATRIX)
    yield case("diagonal", MATRIX)
    yield from (case(np.meshgrid, VECTOR, INTS, indexing=i) for i in ("xy", "ij"))


def _creation() -> Iterator[Case]:
    for f in (np.zeros, np.ones):
        yield from (case(f, s) for s in (3, (2, 3), np.int64(4)))
        yield case(f, 2, dtype=np.int32)
        yield case(f, 2, dtype=bool)
    yield case(np.full, (2, 3), 7)
    yield case(np.full, 2, 1.5, dtype=np.float32)
    for f in (np.zeros_like, np.ones_like):
        yield from (case(f, a) for a in (MATRIX, INTS, SINGLE, BOOLS, 2.5))
        yield case(f, MATRIX, dtype=int)
    yield case(np.full_like, INTS, 4)
    yield from (case(np.eye, *a) for a in ((3,), (3, 4), (3, 4, 1), (np.int64(2),)))
    yield case(np.eye, 3, dtype=int)
    yield case(np.identity, 3)
    for bounds in ((5,), (2, 9), (2, 9, 3), (9, 2, -2), (0.0, 1.0, 0.25), (np.int64(4),), (0,)):
        yield case(np.arange, *bounds)
    yield case(np.arange, 3, dtype=np.float32)
    yield case(np.arange, np.int64(2), np.int64(11), np.int64(3))
    yield from (case(np.linspace, *a) for a in ((0.0, 1.0, 5), (2, 7), (3.0, 1.0, 1), (1.0, 2.0, 0)))
    yield case(np.linspace, 0.0, 1.0, 4, endpoint=False)
    yield case(np.logspace, 0.0, 2.0, 5)
    for f in (np.array, np.asarray, np.ascontiguousarray, np.asanyarray):
        yield case(f, VECTOR)
        yield case(f, [1, 2.5, 3])
    yield case(np.array, [[1, 2], [3, 4]], dtype=np.float32)
    yield case(np.asarray, INTS, dtype=float)
    yield from (case(np.astype, VECTOR, t) for t in (np.int64, np.int32, np.float32, bool))
    yield from (case("astype", VECTOR, t) for t in (int, "float32", np.dtype("int32")))
    for t in (np.float64, np.float32, np.int64, np.int32, np.bool_):
        yield from (case(t, x) for x in (2, 2.75, np.float64(-3.5), np.int32(7), True))
    yield case(np.float32, VECTOR)


def _products() -> Iterator[Case]:
    turned = MATRIX.T.copy()
    yield from (case(np.dot, x, y) for x, y in ((VECTOR, VECTOR), (MATRIX, turned), (MATRIX, MATRIX[0]), (2, VECTOR)))
    yield from (case(np.dot, x, y) for x, y in ((CUBE, MATRIX[0]), (CUBE, turned), (INTS, SMALL), (BOOLS, BOOLS)))
    yield from (case(np.matmul, x, y) for x, y in ((VECTOR, VECTOR), (MATRIX, turned), (MATRIX[0], turned)))
    yield case(np.matmul, CUBE, np.swapaxes(CUBE, 1, 2).copy())
    yield case(np.matmul, CUBE, MATRIX.T.copy())
    yield case("dot", MATRIX, MATRIX[0])
    yield from (case(f, x, y) for f in (np.inner, np.outer) for x, y in ((VECTOR, INTS), (VECTOR, VECTOR)))
    yield case(np.inner, MATRIX, MATRIX)
    yield case(np.vdot, MATRIX, MATRIX)
    yield from (case(np.tensordot, CUBE, MATRIX, axes) for axes in (2, ((1, 2), (0, 1)), ((2,), (1,)), 0))
    for text, operands in (
        ("ij,jk->ik", (MATRIX, MATRIX.T.copy())), ("ij,jk", (MATRIX, MATRIX.T.copy())), ("ij->ji", (MATRIX,)),
        ("ii->i", (SQUARE,)), ("ii", (SQUARE,)), ("i,i->", (VECTOR, INTS)), ("ijk,jk->i", (CUBE, MATRIX)),
        ("i,j,k->kij", (VECTOR[:2], INTS[:3], VECTOR)), ("ij->", (MATRIX,)), ("ba", (MATRIX,)),
    ):  # fmt: skip
        yield case(np.einsum, text, *operands)
    yield from (case(np.kron, x, y) for x, y in ((VECTOR, INTS), (MATRIX, INT_MATRIX)))
    yield case(np.trace, MATRIX)
    yield case("trace", SQUARE)
    yield case(np.cross, MATRIX[:, :3], MATRIX[:, 1:])
    yield case(np.linalg.cross, MATRIX[0, :3], MATRIX[1, :3])
    yield from (case(np.linalg.norm, VECTOR, o) for o in (None, 1, 2, 3, np.inf, -np.inf, 0))
    yield from (case(np.linalg.norm, MATRIX, o) for o in (None, "fro", 1, -1, np.inf, -np.inf))
    yield from (case(np.linalg.norm, CUBE, axis=k) for k in (0, -1, (1, 2)))
    yield case(np.linalg.norm, MATRIX, axis=1, keepdims=True)
    for n in (1, 2, 3, 4):
        a = SQUARE[:n, :n].copy()
        yield case(np.linalg.solve, a, VECTOR[:n].copy())
        yield case(np.linalg.solve, a, MATRIX.T[:n].copy())
        yield from (case(f, a) for f in (np.linalg.inv, np.linalg.det))
        yield case(np.linalg.cholesky, SPD[:n, :n].copy())
    yield case(np.linalg.solve, np.array([[0.0, 2.0], [1.0, 0.0]]), np.array([4.0, 6.0]))
    yield case(np.linalg.inv, np.array([[0, 2], [1, 0]]))
    yield case(np.linalg.det, np.zeros((4, 4)))
    yield case(np.linalg.slogdet, SQUARE)
    yield from (case(np.linalg.matrix_power, SQUARE, n) for n in (0, 1, 2, 5, -2))


def _choosing() -> Iterator[Case]:
    yield from (case(np.where, BOOLS, x, y) for x, y in ((VECTOR, INTS), (1, 0), (SMALL, 2.5), (VECTOR, 0)))
    yield case(np.where, MATRIX > 0, MATRIX, MATRIX[0])
    yield case(np.select, (BOOLS, VECTOR > 0), (INTS, VECTOR), 9)
    yield from (case(np.clip, a, -1, 2) for a in (VECTOR, INTS, SINGLE, SPECIAL, 5.0))
    yield case(np.clip, VECTOR, None, 0.5)
    yield case("clip", VECTOR, -1.0, 1.0)
    for f in (np.round, np.around):
        yield from (case(f, a) for a in (VECTOR, SINGLE, INTS, SPECIAL, 2.5))
        yield from (case(f, MATRIX, k) for k in (1, 3, -1))
    yield case("round", MATRIX, 2)
    for f in (np.sort, np.argsort):
        yield from (case(f, a) for a in (VECTOR[::-1].copy(), MATRIX, INTS, SPECIAL, EMPTY, SINGLE))
        yield from (case(f, CUBE, axis=k) for k in (0, 1, 2))
        yield case(f, MATRIX, axis=None)
    yield case("argsort", INTS)
    yield from (case(np.bincount, a) for a in (np.abs(INTS), np.abs(SMALL), np.zeros(0, np.int64)))
    yield case(np.bincount, np.abs(INTS), weights=VECTOR)
    yield case(np.bincount, np.abs(INTS), minlength=20)
    ordered = np.array([-1.0, 0.0, 0.0, 2.0, np.nan])
    for side in ("left", "right"):
        yield from (case(np.searchsorted, ordered, x, side=side) for x in (0.0, SPECIAL, MATRIX, -5))
    yield case("searchsorted", ordered, 1.0)
    yield from (case(np.digitize, MATRIX, b) for b in (np.array([-1.0, 0.0, 1.0]), np.array([1.0, 0.0, -1.0])))
    grid = np.array([-1.0, 0.0, 0.5, 2.0])
    yield from (case(np.interp, x, grid, grid**2) for x in (0.3, VECTOR, MATRIX, SPECIAL))
    yield case(np.interp, VECTOR, grid, grid, left=-9.0, right=9.0)
    for f in (np.convolve, np.correlate):
        for mode in ("full", "same", "valid"):
            yield from (case(f, x, y, mode) for x, y in ((VECTOR, VECTOR[:2]), (VECTOR[:3], INTS), (INTS, INTS)))
    yield from (case(np.polyval, p, x) for p in ((2.0, -1.0, 0.5), VECTOR) for x in (0.7, MATRIX))
    yield from (case(np.diff, a) for a in (VECTOR, MATRIX, INTS, BOOLS))
    yield case(np.diff, CUBE, axis=1)
    yield case(np.diff, VECTOR, n=2)
    yield case(np.trapezoid, VECTOR)
    yield case(np.trapezoid, MATRIX, dx=0.5, axis=0)
    yield case(np.trapezoid, VECTOR, x=VECTOR**2)
    yield from (case(np.gradient, a) for a in (VECTOR, MATRIX, INTS))
    yield case(np.gradient, VECTOR, 0.5, edge_order=2)
    yield case(np.gradient, VECTOR, np.array([0.0, 1.0, 1.5, 3.0, 7.0]))
    yield case(np.gradient, MATRIX, 0.5, axis=1)
    yield from (case(np.sinc, x) for x in (VECTOR, INTS, 0.0, SINGLE))
    for f in (np.isclose, np.allclose):
        yield from (case(f, x, y) for x, y in ((VECTOR, VECTOR + 1e-9), (SPECIAL, SPECIAL), (INTS, INTS), (1.0, 1.1)))
    yield case(np.isclose, SPECIAL, SPECIAL, equal_nan=True)
    for x, y in ((VECTOR, VECTOR), (INTS, INTS[:3]), (VECTOR, MATRIX), (INTS, VECTOR)):
        yield case(np.array_equal, x, y)
    yield from (case(np.nan_to_num, x) for x in (SPECIAL, INTS, SPECIAL.astype(np.float32)))
    yield case(np.nan_to_num, SPECIAL, nan=7.0, posinf=1.0, neginf=-1.0)


def _math() -> Iterator[Case]:
    for f in (
        math.sin, math.cos, math.tan, math.exp, math.exp2, math.expm1, math.log, math.log2, math.log10, math.log1p,
        math.sqrt, math.cbrt, math.asin, math.acos, math.atan, math.sinh, math.cosh, math.tanh, math.asinh, math.atanh,
        math.erf, math.erfc, math.gamma, math.lgamma, math.fabs, math.degrees, math.radians, math.floor, math.ceil,
        math.trunc, math.isnan, math.isinf, math.isfinite,
    ):  # fmt: skip
        yield case(f, 0.625)
        yield case(f, np.float64(0.25))
    yield case(math.acosh, 1.5)
    yield from (case(f, -1.5) for f in (math.floor, math.ceil, math.trunc))
    yield from (case(f, 7) for f in (math.floor, math.ceil, math.trunc))
    for f in (math.atan2, math.copysign, math.pow, math.fmod, math.hypot):
        yield case(f, 2.5, 1.5)
        yield case(f, np.float64(2.5), -3)
    yield case(math.hypot, 1.0, 2.0, 3.0)
    yield case(math.log, 8.0, 2.0)
    yield case(math.dist, (1.0, 2.0), (3.0, 5.0))
    for x, y in ((1.0, 1.0 + 1e-12), (1.0, 1.1), (math.inf, math.inf), (1.0, math.inf)):
        yield case(math.isclose, x, y)
    yield case(math.gcd, 12, 18, 27)
    yield case(math.prod, (1.5, 2, 4))
    yield case(math.prod, VECTOR)
    yield case(math.fsum, (1.5, 2.25, 4.0))


def _builtins() -> Iterator[Case]:
    for f in (builtins.abs, builtins.int, builtins.float, builtins.bool, builtins.round):
        yield from (case(f, x) for x in (-2.75, 3, np.float64(-1.5), np.int64(4)))
    yield case(builtins.abs, VECTOR)
    yield case(builtins.round, np.float64(2.345), 2)
    for f in (builtins.min, builtins.max):
        for values in ((1, 2.5), (np.float64(3.0), np.float64(2.0)), (np.int64(3), np.int64(7)), ((4, 1, 2),)):
            yield case(f, *values)
        yield case(f, VECTOR)
    yield from (case(builtins.sum, x) for x in ((1, 2.5), VECTOR, INTS, (VECTOR, VECTOR)))
    yield case(builtins.sum, VECTOR, 1.5)
    yield from (case(f, x) for f in (builtins.any, builtins.all) for x in (BOOLS, (True, np.bool_(False)), (1, 2), ()))
    yield from (case(f, np.float64(7.5), 2) for f in (builtins.pow, builtins.divmod))
    yield from (case(f, 7, 2) for f in (builtins.pow, builtins.divmod))


def _bulk() -> Iterator[Case]:
    yield from (case(operators.map, np.sin, a) for a in (VECTOR, MATRIX))
    yield case(operators.map, np.add, MATRIX, MATRIX[:, 0])
    yield case(operators.map, np.sum, MATRIX)
    yield case(operators.map, np.divmod, INTS, INTS + 9)
    yield case(operators.map, np.sin, EMPTY)
    for f in (operators.reduce, operators.scan):
        yield from (case(f, np.add, 0.0, a) for a in (VECTOR, MATRIX, INTS, SINGLE, EMPTY))
        yield case(f, np.add, 0, INTS)
        yield case(f, np.maximum, -np.inf, VECTOR)
        yield case(f, np.logaddexp, -np.inf, VECTOR)
    keys = np.array([0, 2, 2, 9, -1])
    for op in (np.add, np.multiply, np.minimum, np.maximum):
        yield case(operators.hist, op, np.ones(4), keys, VECTOR)
    yield case(operators.hist, np.add, np.zeros(3, np.int64), keys, 1)
    yield case(operators.hist, np.add, np.zeros((3, 4)), keys[:3], MATRIX)
    yield case(operators.hist, np.logaddexp, np.zeros(3), keys, VECTOR, neutral=-np.inf)
    yield case(operators.scatter, np.zeros(4), keys, VECTOR)
    yield case(operators.scatter, np.zeros((4, 4)), keys[:3], MATRIX)


def _writing() -> Iterator[Case]:
    keys = np.array([0, 2, 2, -1, 1])
    for f in (np.add, np.subtract, np.multiply, np.minimum, np.maximum):
        yield case(f.at, np.ones(4), keys, VECTOR)
    yield from (case(f.at, BOOLS.copy(), keys, BOOLS[::-1].copy()) for f in (np.logical_and, np.logical_or))
    yield case(np.add.at, np.zeros((3, 4)), keys[:3], MATRIX)
    yield case(np.add.at, np.zeros((3, 4)), (keys[:3], keys[1:4]), 2.5)
    yield case(np.add.at, np.zeros(4), np.array([[0, 1], [3, 0]]), 1)
    yield case(np.copyto, np.zeros((3, 4)), MATRIX[0])
    yield case("fill", np.zeros(3), 7)
    yield case("sort", MATRIX)
    yield case("sort", MATRIX, axis=0)
    yield case(np.fill_diagonal, MATRIX, 9.0)
    yield case(np.put, MATRIX, keys, VECTOR)


CASES: tuple[Case, ...] = (
    *_unary(), *_binary(), *_reductions(), *_statistics(), *_shapes(), *_creation(), *_products(), *_choosing(),
    *_math(), *_builtins(), *_bulk(), *_writing(),
)  # fmt: skip
