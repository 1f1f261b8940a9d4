"""Exponents that are known not to be large, by the branches around them.

Where a program asks x > 80 itself and takes another way, e^x does not overflow in the arm that is left, nor do the
powers of it that derivatives divide by. Then log(1 + e^x) keeps its digits as log1p(e^x), whose slopes take a few
operations less than those of the form for all x. A number that is none passes through either form.
"""

from __future__ import annotations

from ..ir.core import Apply
from ..ir.types import Atom, Lit
from ..passes.rewrite import Rewriter

_LOG_OF_LARGEST = {8: 709.0, 4: 88.0}  # by the bytes of a float

# For each comparison, which of its operands is bounded by the other one where it holds, and where it does not.
_BOUNDED = {"gt": (1, 0), "ge": (1, 0), "lt": (0, 1), "le": (0, 1)}


def is_tame(r: Rewriter, exponent: Atom) -> bool:
    """May e^x be squared twice without an overflow, by what the branches around say of x?"""
    largest = _LOG_OF_LARGEST[exponent.type.dtype.itemsize] / 4.0
    return any(_bounds(r.defs.get(name), holds, exponent, largest) for name, holds in r.held.items())


def _bounds(condition: object, holds: bool, atom: Atom, largest: float) -> bool:
    if not isinstance(condition, Apply) or condition.op not in _BOUNDED:
        return False
    below = _BOUNDED[condition.op][0 if holds else 1]
    limit = condition.args[1 - below]
    return condition.args[below] == atom and isinstance(limit, Lit) and limit.value <= largest
