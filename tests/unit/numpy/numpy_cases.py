"""The table of calls that are compared with NumPy, Python and `math`: at least one for every known name."""

from __future__ import annotations

import builtins
import math
from collections.abc import Iterator

import numpy as np

from tapeless import operators

from .numpy_cases_arrays import array_cases
from .numpy_cases_selection import selection_cases
from .numpy_data import (
    BOOLS,
    CUBE,
    EMPTY,
    INT_MATRIX,
    INTS,
    MATRIX,
    NUMBERS,
    ONE,
    SINGLE,
    SMALL,
    SPECIAL,
    VECTOR,
    WITH_NAN,
    Case,
    case,
)


def _unary() -> Iterator[Case]:
    for f in (
        np.sin, np.cos, np.tan, np.exp, np.exp2, np.expm1, np.sinh, np.cosh, np.tanh, np.arctan, np.arcsinh, np.cbrt,
        np.conjugate, np.fabs, np.rint, np.deg2rad, np.radians, np.rad2deg, np.degrees, np.signbit,
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
    yield case(np.corrcoef, MATRIX)


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
    yield from (case(f, SPECIAL) for f in (np.isposinf, np.isneginf))
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
    *_unary(), *_binary(), *_reductions(), *_statistics(), *array_cases(), *selection_cases(), *_choosing(),
    *_math(), *_builtins(), *_bulk(), *_writing(),
)  # fmt: skip
