"""Which accumulators of an operator hold a minimum or maximum, whatever else the operator computes.

Fusing loops puts several accumulators into one operator. Accumulator k is an extremum when its next value is
`min` or `max` of its two operands (element by element, for arrays), and the operator does nothing else with these three
values than compare them: then their tangents reach no other accumulator.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.core import Apply, Block, Expr, Lambda, Stm
from ..ir.op import lookup
from ..ir.types import Atom
from ..ir.walk import lambdas, operands
from .values import operator_name


def is_extremum(op: Lambda, k: int) -> bool:
    """Is accumulator k the smallest or largest of the values combined?"""
    count = len(op.params) // 2
    if operator_name(op, k) not in ("min", "max"):
        return False
    best = op.body.results[k]
    definition = next(stm for stm in op.body.stms if best in stm.vars)
    elsewhere = {atom for j, atom in enumerate(op.body.results) if j != k} | set(_handed_on(op.body, definition))
    return len(definition.vars) == 1 and elsewhere.isdisjoint({op.params[k], op.params[count + k], best})


def _handed_on(block: Block, definition: Stm) -> Iterator[Atom]:
    """What the statements other than `definition` use in a way that hands tangents on."""
    for stm in block.stms:
        if stm is not definition:
            if not _is_constant(stm.expr):
                yield from operands(stm.expr)
            for lam in lambdas(stm.expr):
                yield from lam.body.results
                yield from _handed_on(lam.body, definition)


def _is_constant(expr: Expr) -> bool:
    return isinstance(expr, Apply) and lookup(expr.op).partials == "constant"
