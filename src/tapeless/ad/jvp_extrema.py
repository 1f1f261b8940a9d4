"""Which accumulators of an operator hold a minimum or maximum, whatever else the operator computes.

Fusing loops puts several accumulators into one operator. Accumulator k is an extremum when its next value is
`min` or `max` of its two operands, and the operator does nothing else with these three values than compare them: then
their tangents reach no other accumulator.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.core import Apply, Expr, Lambda, Stm
from ..ir.op import lookup
from ..ir.types import Atom
from ..ir.walk import lambdas, operands, statements


def is_extremum(op: Lambda, k: int) -> bool:
    """Is accumulator k the smallest or largest of the values combined?"""
    pair = {op.params[k], op.params[len(op.params) // 2 + k]}
    best = op.body.results[k]
    definition = next((stm for stm in op.body.stms if best in stm.vars), None)
    match definition:
        case Stm(expr=Apply("min" | "max", (x, y))) if {x, y} == pair:
            return pair.isdisjoint(_spread(op, k, definition)) and best not in _spread(op, k, definition)
        case _:
            return False


def _spread(op: Lambda, k: int, definition: Stm) -> Iterator[Atom]:
    """What is used in a way that hands tangents on, other than by the definition of accumulator k."""
    yield from (result for j, result in enumerate(op.body.results) if j != k)
    for stm in statements(op.body):
        if stm is not definition and not _is_constant(stm.expr):
            yield from operands(stm.expr)
        for lam in lambdas(stm.expr):
            yield from lam.body.results


def _is_constant(expr: Expr) -> bool:
    return isinstance(expr, Apply) and lookup(expr.op).partials == "constant"
