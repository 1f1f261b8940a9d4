"""Derivatives of a converted program, as programs over its parameters, ready for a back end.

The first `count` parameters vary. Results that are not floats have no derivative.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ad.elements import Input, inputs_of
from ...ad.functions import jvp_function, prepared, vjp_function
from ...ad.jacobians import gradient
from ...ad.planner import Plan
from ...ad.prepare import prepare
from ...eliminate.jacobian import jacobian
from ...eliminate.methods import How
from ...ir.build import Builder
from ...ir.core import Block, Function, Lambda, While
from ...ir.types import Atom
from ...ir.walk import inline, statements, substitute
from ...passes import forget, fuse, parallelise, scalarise, simplify, unroll
from ...passes.notes import Notes

STEPS = (
    forget.run, simplify.run, parallelise.run, simplify.run, fuse.run, unroll.run, scalarise.run, simplify.run,
    fuse.run, simplify.run,
)  # fmt: skip


def tidied(function: Function) -> Function:
    """The same program, simplified and fused; nothing in it is differentiated any more."""
    for step in STEPS:
        function = step(function, Notes())
    return function


def has_while(function: Function) -> bool:
    """Is there a loop whose number of steps is not known before it runs?"""
    return any(isinstance(stm.expr, While) for stm in statements(function.body))


def gradient_of(function: Function, count: int, scalar: int) -> Function:
    """The results, and the derivative of one of them, a number, by each of the first parameters."""
    b = Builder()
    wrt = function.params[:count]
    # The number that is differentiated comes first.
    results = function.body.results
    order = (scalar, *(k for k in range(len(results)) if k != scalar))
    block = prepared(Block(function.body.stms, tuple(results[k] for k in order)), wrt, Notes())
    values, adjoints = gradient(b, block, wrt, Plan())
    back: list[Atom] = [values[order.index(k)] for k in range(len(results))]
    return tidied(Function("gradient", function.params, b.block((*back, *adjoints))))


def jacobian_of(function: Function, count: int, rows: Sequence[int], rest: Sequence[int], how: How) -> Function:
    """The results `rest`, then the derivative of each of `rows` by each of the first parameters."""
    columns = inputs_of([param.type for param in function.params[:count]])
    copy = Builder()
    values = [column.value(copy) for column in columns]
    results = copy.splice(inline(Lambda(function.params[:count], function.body), tuple(values)))
    vars = [var for column in columns for var in column.vars]
    block = prepared(copy.block(results[k] for k in rows), vars, Notes())
    inner = Builder()
    entries = jacobian(inner, block, columns, how, Plan())
    made = inner.block(entry for row in entries for entry in row)
    b = Builder()
    plain = b.splice(function.body) if rest else ()
    filled = b.splice(substitute(made, dict(zip(vars, _parts(b, function, columns), strict=True))))
    return tidied(Function("jacobian", function.params, b.block((*(plain[k] for k in rest), *filled))))


def _parts(b: Builder, function: Function, columns: Sequence[Input]) -> list[Atom]:
    """What stands for the variables of the columns."""
    pairs = zip(columns, function.params, strict=False)
    return [part for column, param in pairs for part in column.parts(b, param)]


def pushed(function: Function, count: int) -> Function:
    """The results, and the tangents of those that are floats, for tangents of the first parameters."""
    return tidied(jvp_function(prepare(function, Notes()), range(count)))


def pulled(function: Function, count: int) -> Function:
    """The results, and the adjoints of the first parameters, for cotangents of the results that are floats."""
    return tidied(vjp_function(prepare(function, Notes()), range(count)))
