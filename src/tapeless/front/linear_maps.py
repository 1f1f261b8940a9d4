"""`tp.vjp` and `tp.linearize`: the value of a function, and its derivative there as a linear map to apply later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..ir.build import Builder
from ..ir.types import Atom
from ..ir.walk import fresh
from .context import Context
from .derived import LinearMap, plan_of, push, refuse, tangents_of, trace
from .leaves import from_atoms, leaves, matched
from .values import Value

if TYPE_CHECKING:
    from ..ad.planner import Plan

# As in `derived`: only who differentiates imports the derivatives.


def vjp(
    c: Context, function: Value, primals: Sequence[Value], has_aux: bool, memory: Any = None
) -> tuple[Value, LinearMap, *tuple[Value, ...]]:
    """The value, the map from cotangents to adjoints of the primals, and what is auxiliary."""
    from ..ad.compared import cheapest
    from ..ad.jacobians import filled
    from ..ad.vjp import pullback

    traced = trace(c, function, primals, {}, range(len(primals)), has_aux)
    pulls: list[Any] = []

    types = [var.type for var in traced.inputs]

    def both(b: Builder, plan: Plan) -> Sequence[Atom]:
        values, pull = pullback(b, traced.block, traced.inputs, plan)
        seeds = [fresh("adj", value.type) if value.type.dtype.is_float else None for value in values]
        return (*values, *filled(b, pull(b, seeds), types))

    # Return sweeps are made later, as many as are asked for: which way is cheaper is told by one.
    plan = cheapest(both, plan_of(c, memory), c.b.pos)[1]

    def forward(b: Builder) -> Sequence[Atom]:
        values, pull = pullback(b, traced.block, traced.inputs, plan)
        pulls.append(pull)
        return values

    results = traced.emit(c, forward)

    def apply(c: Context, args: Sequence[Value]) -> Value:
        if len(args) != 1:
            refuse(c, f"the second result of tp.vjp takes one cotangent, not {len(args)}")
        seeds = matched(c, traced.out, args[0], "cotangent") + [None] * (len(results) - traced.count)
        adjoints = iter(traced.emit(c, lambda b: filled(b, pulls[0](b, seeds), types)))
        return tuple(from_atoms(c, tree, [next(adjoints) for _ in leaves(tree)]) for tree in traced.wrt)

    value, linear = traced.value(c, results), LinearMap(apply)
    return (value, linear, traced.auxiliary(c, results)) if has_aux else (value, linear)


def linearize(c: Context, function: Value, primals: Sequence[Value]) -> tuple[Value, LinearMap]:
    """The value, and the map from tangents of the primals to the tangent of the value.

    Of straight-line code the map multiplies with what is left of its graph, computed once; any other code is pushed
    again for every tangent.
    """
    from ..eliminate.collapse import linear_map

    traced = trace(c, function, primals, {}, range(len(primals)), False, apart=True)
    found = linear_map(traced.block, traced.inputs, c.parameters.notes)
    results = traced.emit(c, lambda b: b.splice(traced.block) if found is None else found.emit(b))

    def apply(c: Context, args: Sequence[Value]) -> Value:
        given = zip(traced.columns, tangents_of(c, traced, tuple(args)), strict=True)
        dots = [part for column, x_dot in given for part in column.parts(c.b, x_dot)]
        if found is None:
            return push(c, traced, dots)[1]
        made = iter(found.push(c.b, results[len(traced.block.results) :], dots))
        return from_atoms(c, traced.out, [next(made) if leaf.is_float else None for leaf in leaves(traced.out)])

    return traced.value(c, results), LinearMap(apply)
