"""Constant folding: a scalar operation on literals is its meaning on NumPy scalars of those very types.

Integers wrap and floats round as they do at run time, because the numbers are those of the interpreter.
"""

from __future__ import annotations

import numpy as np

from ..ir.core import Apply
from ..ir.numbers import NUMPY
from ..ir.op import lookup
from ..ir.types import Lit, Type


def fold(expr: Apply, type: Type) -> Lit | None:
    """The literal result of a scalar operation on literals, else None."""
    values: list[object] = []
    for arg in expr.args:
        if not isinstance(arg, Lit):
            return None
        values.append(NUMPY.scalar(arg.value, arg.dtype))
    if type.shape or not values:
        return None
    with np.errstate(all="ignore"):
        value = lookup(expr.op).meaning(NUMPY, *values, *expr.attrs)
    return Lit(value.item(), type.dtype)
