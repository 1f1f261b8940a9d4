"""What a `Check` means: when it holds, and the plain Python exception when it does not."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from .core import CHECKS

_Condition: TypeAlias = Callable[..., bool]


def _in_bounds(i: Any, n: Any) -> bool:
    return bool(0 <= i < n)


def _equal(m: Any, n: Any) -> bool:
    return bool(m == n)


def _not_zero(x: Any) -> bool:
    return bool(x != 0)


def _not_negative(n: Any) -> bool:
    return bool(n >= 0)


def _positive(n: Any) -> bool:
    return bool(n > 0)


def _not_nan(x: Any) -> bool:
    return not math.isnan(x)


# The checks that are not about a bool which must hold.
_HOLDS: dict[str, _Condition] = {
    "bounds": _in_bounds,
    "nonzero": _not_zero,
    "equal": _equal,
    "nonneg": _not_negative,
    "nonempty": _positive,
    "not_nan": _not_nan,
}

_MESSAGES: dict[str, str] = {
    "bounds": "index {0} is out of bounds for a dimension of size {1}",
    "nonzero": "division by zero",
    "equal": "sizes {0} and {1} must agree",
    "nonneg": "negative dimensions are not allowed: {0}",
    "nonempty": "zero-size array to reduction operation which has no identity",
    "domain": "math domain error",
    "singular": "Singular matrix",
    "assert": "",
    "unbound": "cannot access a local variable that is not associated with a value",
    "overflow": "number too large",
    "not_nan": "a result is NaN",
}


def condition(kind: str) -> _Condition:
    """The condition of a check as a function of its operands' values."""
    return _HOLDS.get(kind, bool)


def exception(kind: str, values: Sequence[Any], info: str) -> Exception:
    """What plain Python would have raised for these operands."""
    name, message = CHECKS[kind][0], info or _MESSAGES.get(kind, "").format(*values)
    if kind == "raise":
        name, _, message = info.partition(": ")
    return _class(name)(*((message,) if message else ()))


def _class(name: str) -> type[Exception]:
    if name == "LinAlgError":
        return np.linalg.LinAlgError
    found = getattr(builtins, name, Exception)
    return found if isinstance(found, type) and issubclass(found, Exception) else Exception
