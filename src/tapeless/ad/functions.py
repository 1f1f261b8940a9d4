"""Derivatives of whole functions, program to program.

    jvp_function   (x, ...), then x_dot for each active x     ->  y, ..., then y_dot for each float y
    vjp_function   (x, ...), then y_adj for each float y      ->  y, ..., then x_adj for each active x

`active` are positions of float parameters. A derivative works on copies: no parameter is overwritten. Zeros are
materialised, so that the results do not depend on what the transformations find out.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import DerivativeError
from ..ir.build import Builder
from ..ir.core import Block, Function
from ..ir.types import Atom, Type, Var
from ..ir.walk import free_vars, fresh
from ..passes.notes import Notes
from .compared import cheapest
from .jacobians import filled
from .jvp import pushforward
from .planner import Plan
from .prepare import prepare
from .vjp import pullback


def jvp_function(function: Function, active: Sequence[int], plan: Plan | None = None) -> Function:
    """The function of the arguments and tangents of the active ones that also returns the tangents of its results."""
    inputs = _inputs(function, active)
    tangents = tuple(_named(var, "dot", var.type) for var in inputs)

    def build(b: Builder, plan: Plan) -> Sequence[Atom]:
        values, dots = pushforward(b, function.body, dict(zip(inputs, tangents, strict=True)), plan.collapse)
        floats = [k for k, value in enumerate(values) if value.type.dtype.is_float]
        return (*values, *filled(b, [dots[k] for k in floats], [values[k].type for k in floats]))

    block, _ = cheapest(build, plan or Plan())
    return Function(f"{function.name}_jvp", (*function.params, *tangents), block)


def vjp_function(function: Function, active: Sequence[int], plan: Plan | None = None) -> Function:
    """The function of the arguments and cotangents of the results that also returns the adjoints of the active ones.

    The sizes of a cotangent are those of the argument that is passed; they are compared with the result's own. `plan`
    limits what loops keep for the return sweep.
    """
    inputs = _inputs(function, active)
    cotangents = [_cotangent(x) if x.type.dtype.is_float else None for x in function.body.results]

    def build(b: Builder, plan: Plan) -> Sequence[Atom]:
        values, pull = pullback(b, function.body, inputs, plan)
        pairs = zip(cotangents, values, strict=True)
        seeds = [None if x is None else _as_type(b, x, value.type) for x, value in pairs]
        return (*values, *filled(b, pull(b, seeds), [var.type for var in inputs]))

    block, _ = cheapest(build, plan or Plan())
    given = [x for x in cotangents if x is not None]
    return Function(f"{function.name}_vjp", (*function.params, *given), block)


def prepared(block: Block, kept: Sequence[Var], notes: Notes) -> Block:
    """A block, some of whose free variables are about to vary, in the form that is cheapest to differentiate."""
    free = free_vars(block) | dict.fromkeys(kept)
    sizes = {size for var in free for size in var.type.shape}
    function = Function("block", tuple(var for var in free if var not in sizes), block)
    return prepare(function, notes).body


def _inputs(function: Function, active: Sequence[int]) -> tuple[Var, ...]:
    inputs = tuple(function.params[k] for k in active)
    for var in inputs:
        if not var.type.dtype.is_float:
            raise DerivativeError(f"{function.name} cannot be differentiated by {var!r}, which is {var.type!r}")
    return inputs


def _cotangent(result: Atom) -> Var:
    sizes = tuple(fresh("n", size.type) for size in result.type.shape)
    return _named(result, "adj", Type(result.type.dtype, sizes))


def _as_type(b: Builder, value: Var, type: Type) -> Atom:
    """An array under the sizes of a type, after comparing its own with them."""
    if not type.is_array:
        return value
    for given, wanted in zip(value.type.shape, type.shape, strict=True):
        b.check("equal", given, wanted)
    return b.apply("reshape", value, *type.shape)


def _named(atom: Atom, suffix: str, type: Type) -> Var:
    base = atom.name.split(".", maxsplit=1)[0] if isinstance(atom, Var) else "t"
    return fresh(f"{base}_{suffix}", type)
