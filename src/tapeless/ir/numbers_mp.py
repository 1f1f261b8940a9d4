"""The tower of multiprecision floats: the oracle against which derivatives are tested.

Floats of either type are mpmath numbers of 60 digits; arrays of them are arrays of objects.
Outside its domain a function gives NaN and at a pole an infinity, as IEEE 754 and C99 say; only
the sign of zero is unknown here. mpmath is imported when a tower is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .numbers import NUMPY_TYPES, convert, int_power, logical_shift_right, to_int
from .op import Op
from .types import BOOL, I64, DType


class MpTower:
    """Floats of `digits` decimal digits; integers and bools are NumPy scalars."""

    boolean = staticmethod(np.bool_)
    shl, shr, lshr = staticmethod(np.left_shift), staticmethod(np.right_shift), staticmethod(logical_shift_right)
    ipow = staticmethod(int_power)

    def __init__(self, digits: int = 60) -> None:
        import mpmath

        self.mp: Any = mpmath.MPContext()
        self.mp.dps = digits
        self.nan, self.inf = self.mp.mpf("nan"), self.mp.mpf("inf")
        for name in _SAME_NAME:
            setattr(self, name, self._total(getattr(self.mp, name)))

    # -- what the interpreter needs ----------------------------------------------------------------

    def storage(self, dtype: DType) -> Any:
        return object if dtype.is_float else NUMPY_TYPES[dtype]

    def scalar(self, value: Any, dtype: DType) -> Any:
        if not dtype.is_float:
            return NUMPY_TYPES[dtype](value)
        return value if isinstance(value, self.mp.mpf) else self.mp.mpf(float(value))

    def operation(self, op: Op) -> Callable[..., Any]:
        return partial(op.meaning, self)

    def written(self, arrays: Sequence[Any]) -> None:
        """Nothing is counted here."""

    # -- arithmetic --------------------------------------------------------------------------------

    def div(self, x: Any, y: Any) -> Any:
        if y != 0:
            return x / y
        return self.nan if x == 0 or _is_nan(x) else self.mp.sign(x) * self.inf

    def floordiv(self, x: Any, y: Any) -> Any:
        if isinstance(x, np.integer):
            return np.floor_divide(x, y)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        if y == 0:
            return self.div(x, y)
        if not self.mp.isfinite(x):
            return self.nan
        if self.mp.isinf(y):
            return self.mp.mpf(0 if x == 0 or (x > 0) == (y > 0) else -1)
        return self.mp.floor(x / y)

    def mod(self, x: Any, y: Any) -> Any:
        if isinstance(x, np.integer):
            return np.mod(x, y)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        if y == 0 or not self.mp.isfinite(x):
            return self.nan
        if self.mp.isinf(y):
            return x if x == 0 or (x > 0) == (y > 0) else y
        return x - y * self.mp.floor(x / y)

    def fma(self, x: Any, y: Any, z: Any) -> Any:
        return x * y + z

    def abs(self, x: Any) -> Any:
        return abs(x)

    def sign(self, x: Any) -> Any:
        return np.sign(x) if isinstance(x, np.integer) else self.mp.sign(x)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]

    def copysign(self, x: Any, y: Any) -> Any:
        return -abs(x) if y < 0 else abs(x)

    def min(self, x: Any, y: Any) -> Any:
        return x if _is_nan(x) or x < y else y

    def max(self, x: Any, y: Any) -> Any:
        return x if _is_nan(x) or x > y else y

    def fmin(self, x: Any, y: Any) -> Any:
        return x if _is_nan(y) or x < y else y

    def fmax(self, x: Any, y: Any) -> Any:
        return x if _is_nan(y) or x > y else y

    # -- rounding, tests, conversion ---------------------------------------------------------------

    def trunc(self, x: Any) -> Any:
        return self.mp.floor(x) if x >= 0 else self.mp.ceil(x)

    def rint(self, x: Any) -> Any:
        return self.mp.nint(x) if self.mp.isfinite(x) else x

    def isnan(self, x: Any) -> Any:
        return np.bool_(_is_nan(x))

    def isinf(self, x: Any) -> Any:
        return np.bool_(self.mp.isinf(x))

    def isfinite(self, x: Any) -> Any:
        return np.bool_(self.mp.isfinite(x))

    def convert(self, x: Any, dtype: DType) -> Any:
        if isinstance(x, self.mp.mpf):
            if dtype is BOOL:
                return np.bool_(x != 0)
            return x if dtype.is_float else to_int(self.trunc(x), dtype)
        return self.mp.mpf(int(x)) if dtype.is_float else convert(x, dtype)

    def bitcast(self, x: Any, dtype: DType) -> Any:
        if dtype.is_float:
            return self.scalar(x.view(NUMPY_TYPES[dtype]), dtype)
        source = np.float64 if dtype is I64 else np.float32
        return source(float(x)).view(NUMPY_TYPES[dtype])

    def argsort(self, a: Any) -> Any:
        if a.dtype != object:
            return np.argsort(a, axis=-1, kind="stable")
        order = np.empty(a.shape, NUMPY_TYPES[I64])
        for place in np.ndindex(a.shape[:-1]):
            row = a[place]
            order[place] = sorted(range(len(row)), key=lambda k, row=row: (_is_nan(row[k]), row[k]))
        return order

    # -- elementary and special functions ----------------------------------------------------------

    def _total(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function with NaN where it is not real or not defined."""

        def total(*args: Any) -> Any:
            if any(_is_nan(x) for x in args):
                return self.nan
            try:
                value = function(*args)
            except (ValueError, ZeroDivisionError):
                return self.nan
            return value if isinstance(value, self.mp.mpf) else self.nan

        return total

    def hypot(self, x: Any, y: Any) -> Any:
        # An infinity decides, even beside NaN.
        return self.inf if self.mp.isinf(x) or self.mp.isinf(y) else self.mp.hypot(x, y)

    def exp2(self, x: Any) -> Any:
        return self.pow(self.mp.mpf(2), x)

    def log2(self, x: Any) -> Any:
        return self._total(self.mp.log)(x) / self.mp.ln2

    def cbrt(self, x: Any) -> Any:
        return -self.mp.cbrt(-x) if x < 0 else self.mp.cbrt(x)

    def pow(self, x: Any, y: Any) -> Any:
        if y == 0 or x == 1:
            return self.mp.mpf(1)
        if _is_nan(x) or _is_nan(y):
            return self.nan
        if self.mp.isinf(y):
            return self.mp.mpf(1) if abs(x) == 1 else self.inf if (abs(x) > 1) == (y > 0) else self.mp.mpf(0)
        if x == 0 and y < 0:
            return self.inf
        if x == -self.inf:
            odd = self.mp.isint(y) and int(y) % 2 == 1
            return (-self.inf if odd else self.inf) if y > 0 else self.mp.mpf(0)
        return self._total(self.mp.power)(x, y)

    def gamma(self, x: Any) -> Any:
        return self.inf if x == 0 else self._total(self.mp.gamma)(x)

    def lgamma(self, x: Any) -> Any:
        if x > 0 or _is_nan(x):
            return self.mp.loggamma(x)
        if self.mp.isinf(x) or self.mp.isint(x):
            return self.inf
        return self.mp.log(abs(self.mp.gamma(x)))

    def digamma(self, x: Any) -> Any:
        return -self.inf if x == 0 else self._total(self.mp.digamma)(x)


def _is_nan(x: Any) -> bool:
    return bool(x != x)  # noqa: PLR0124 - the one test that works for every number


# Functions that mpmath has under our names.
_SAME_NAME = (
    "sqrt", "exp", "expm1", "log", "log10", "log1p", "floor", "ceil",
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2",
    "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc",
)  # fmt: skip
