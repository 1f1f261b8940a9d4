"""Which NumPy functions and methods are written in the language itself (`front.prelude`)."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import FunctionType

import numpy as np

from ...ir.types import BOOL, I64
from ..context import Context
from ..prelude import calculus, intrinsics, linear, sections, selection, signals, statistics, summation, whole_numbers
from ..registry import implements, method, replace_by
from ..values import Value

_LINEAR = ("solve", "inv", "det", "slogdet", "cholesky")
_MODULES = {
    signals: ("searchsorted", "interp", "convolve", "correlate"),
    statistics: (
        "var", "std", "ptp", "average", "median", "percentile", "quantile", "nansum", "nanprod", "nancumsum",
        "nanmean", "nanvar", "nanstd", "nanmin", "nanmax", "histogram", "cov", "corrcoef",
    ),
    calculus: (
        "diff", "trapezoid", "gradient", "polyval", "sinc", "isclose", "allclose", "isposinf", "isneginf",
        "array_equal", "nan_to_num", "cross", "logspace", "geomspace", "fill_diagonal", "put", "digitize", "unwrap",
    ),
    sections: ("split", "array_split", "vsplit", "hsplit"),
    selection: ("flatnonzero", "nonzero", "argwhere", "unique", "lexsort", "ix_", "rot90"),
}  # fmt: skip
_METHODS: dict[str, FunctionType] = {
    "var": statistics.var, "std": statistics.std, "searchsorted": signals.searchsorted, "nonzero": selection.nonzero,
}  # fmt: skip


def register_preludes() -> None:
    """Let the front end inline our Python functions where NumPy's are called."""
    for name in _LINEAR:
        replace_by(getattr(np.linalg, name), getattr(linear, name))
    replace_by(np.linalg.norm, calculus.norm)
    replace_by(np.linalg.cross, calculus.cross)
    replace_by(math.fsum, summation.fsum)
    for name in ("factorial", "comb", "perm", "isqrt"):
        replace_by(getattr(math, name), getattr(whole_numbers, name))
    for module, names in _MODULES.items():
        for name in names:
            replace_by(getattr(np, name), getattr(module, name))
    for name, function in _METHODS.items():
        method(name)(_inlined(function))


def _inlined(function: FunctionType) -> Callable[..., Value]:
    def call(c: Context, *args: Value, **kwargs: Value) -> Value:
        return c.call(function, args, kwargs)

    return call


@implements(intrinsics.require_regular)
def require_regular(c: Context, condition: Value) -> None:
    """A condition whose failure is a `LinAlgError`."""
    if not (isinstance(condition, bool) and condition):
        c.b.check("singular", c.atom(condition, BOOL))


@implements(intrinsics.require_equal)
def require_equal(c: Context, m: Value, n: Value) -> None:
    """Two sizes that are the same from here on."""
    c.equal_sizes(c.atom(m, I64), c.atom(n, I64))


@implements(intrinsics.prefer_known)
def prefer_known(c: Context, size: Value) -> None:
    """Ask for the sizes of the arguments where this one is not known."""
    if c.static_int(size) is None:
        c.prefer_known()


# Matrices up to this size are worked on in registers.
_UNROLLED = 4


@implements(intrinsics.short_range)
def short_range(c: Context, start: Value, stop: Value) -> Value:
    """A tuple of literals, which loops over it unroll, or a range."""
    first, last = c.static_int(start), c.static_int(stop)
    if first is not None and last is not None and last - first <= _UNROLLED:
        return tuple(range(first, last))
    return c.call(range, [start, stop])


@implements(intrinsics.unsupported)
def unsupported(c: Context, what: Value) -> None:
    """Refuse an option at the user's call."""
    c.refuse(f"{what} is not compiled")


@implements(intrinsics.require_nonempty)
def require_nonempty(c: Context, size: Value) -> None:
    """A size whose being zero is a `ValueError`."""
    if (c.sizes.least(c.atom(size, I64)) or 0) < 1:
        c.b.check("nonempty", c.atom(size, I64))
