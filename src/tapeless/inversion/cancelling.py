"""Unknown values that cancel: two equations with three of them, of which one does not count, tell another one.

    y' = y + h/2 * (f + g)          with g known and f not, twice the first less the second is
    z' = 2 * y - z + h * f              2 * y' - z' = h * g + z

Of two equations a x + b u = p and c x + d u + e w = q, the sum c p - a q is free of x. If
all other unknowns but one have the factor 0 in it, that one is told, if its own is a number that is not small.
"""

from __future__ import annotations

from itertools import combinations

from ..ir.types import Var
from .polynomial import ZERO, Polynomial, TooLarge, expanded, number
from .solving import Solving
from .systems import WORST, Emit, Equation, equations

MOST_EQUATIONS = 12


def solve_by_cancelling(s: Solving) -> bool:
    """Learn an unknown value from two equations in which others cancel; was there one?"""
    known = [equation for equation in equations(s) if equation.result.type.dtype.is_float][:MOST_EQUATIONS]
    for one, other in combinations(known, 2):
        for x in one.factors.keys() & other.factors.keys():
            try:
                found = _without(s, one, other, x)
            except TooLarge:
                continue
            if found is None:
                continue
            u, below = found
            emit, before = Emit(s, u.type.dtype), s.told
            sides = [emit.difference(s.value(equation.result), equation.rest) for equation in (one, other)]
            above = [(other.factors[x], sides[0]), (one.factors[x].times(number(-1)), sides[1])]
            s.learn(u, emit.quotient(above, below))
            if s.told > before:
                return True
    return False


def _without(s: Solving, one: Equation, other: Equation, x: Var) -> tuple[Var, Polynomial] | None:
    """The only unknown value left where another one cancels, and its factor."""
    a, c, defs = one.factors[x], other.factors[x], s.definitions()
    left: list[tuple[Var, Polynomial, Polynomial]] = []
    for u in dict.fromkeys((*one.factors, *other.factors)):
        if u != x:
            b, d = (equation.factors.get(u, ZERO) for equation in (one, other))
            below = b.times(c).plus(d.times(a), -1)
            if (factor := expanded(below, defs)).terms:
                left.append((u, below, factor))
    if len(left) != 1 or left[0][0].type.dtype is not x.type.dtype:
        return None
    u, below, factor = left[0]
    sizes = [expanded(a, defs).constant, expanded(c, defs).constant, factor.constant]
    if None in sizes or max(abs(n) for n in sizes[:2] if n is not None) > WORST * abs(sizes[2] or 0):
        return None
    # As it is written: the number that it comes to would have to be rounded.
    return u, factor if factor.constant in (1, -1) else below
