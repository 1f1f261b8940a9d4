"""Signs of floats that can be told from how they are made: a sum of squares and 1e-6 is never 0.

Derivatives of roots ask whether their operand is 0 (`ad/roots`). Rounding keeps an order, and neither a product nor a
sum of numbers that are not negative is negative; a value that is not a number equals nothing. What may underflow is
not said to be positive.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.core import Apply, Expr
from ..ir.types import Atom, Lit

_NEVER_NEGATIVE = frozenset({"abs", "hypot", "exp", "exp2", "sqrt", "cosh"})
_OF_SUCH = frozenset({"add", "mul", "min", "max"})  # no quotient: the root of -0.0 is -0.0
_LEAST = 2.0**-126  # of the normal numbers of float32
_DEPTH = 8  # operations that are looked through


def never_zero(defs: Mapping[str, Expr], atom: Atom, depth: int = _DEPTH) -> bool:
    """Is it positive, or no number?"""
    match _made(defs, atom):
        case Lit(value):
            return value >= _LEAST
        case Apply("cosh"):
            return True
        case Apply("sqrt" | "abs", (x,)) if depth:
            return never_zero(defs, x, depth - 1)
        case Apply("add", (x, y)) if depth:
            return any(
                never_zero(defs, one, depth - 1) and never_negative(defs, other, depth - 1)
                for one, other in ((x, y), (y, x))
            )
        case _:
            return False


def never_negative(defs: Mapping[str, Expr], atom: Atom, depth: int = _DEPTH) -> bool:
    """Is it 0, positive, or no number?"""
    match _made(defs, atom):
        case Lit(value):
            return value >= 0
        case Apply("mul", (x, y)) if x == y:
            return True
        case Apply(op, args):
            return op in _NEVER_NEGATIVE or (
                op in _OF_SUCH and depth > 0 and all(never_negative(defs, x, depth - 1) for x in args)
            )
        case _:
            return False


def _made(defs: Mapping[str, Expr], atom: Atom) -> Expr | Lit | None:
    return atom if isinstance(atom, Lit) else defs.get(atom.name)
