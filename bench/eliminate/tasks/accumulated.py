"""The gradient of a scalar function of numbers by reverse elimination of its jaxpr, traced by JAX again.

The task on Black-Scholes is this program, not the function: its operations are those that Graphax writes for the
partials and their products (factors of one included), in that order, because the published counts depend on them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from jax import numpy

_PARTIALS: dict[str, Callable[..., tuple[Any, ...]]] = {
    "neg": lambda _out, x: (-numpy.ones_like(x),),
    "integer_pow": lambda _out, x, y: (y * x ** (y - 1),),
    "exp": lambda out, _x: (out,),
    "log": lambda _out, x: (1.0 / x,),
    "sqrt": lambda out, _x: (0.5 / out,),
    "erf": lambda _out, x: (2.0 * numpy.exp(-(x**2)) / numpy.sqrt(numpy.pi),),
    "add": lambda _out, x, y: (numpy.ones_like(y), numpy.ones_like(x)),
    "sub": lambda _out, x, y: (numpy.ones_like(y), -numpy.ones_like(x)),
    "mul": lambda _out, x, y: (y, x),
    "div": lambda _out, x, y: (1.0 / y, -x / y**2),
    "convert_element_type": lambda _out, _x: (None,),
}


def gradient(function: Callable[..., Any]) -> Callable[..., tuple[Any, ...]]:
    """The partials of a function by each of its arguments."""

    def accumulated(*arguments: Any) -> tuple[Any, ...]:
        jaxpr = jax.make_jaxpr(function)(*arguments).jaxpr
        before, after = _linearised(jaxpr, arguments)
        (output,) = jaxpr.outvars
        for equation in reversed(jaxpr.eqns):
            (vertex,) = equation.outvars
            if vertex is not output:
                _eliminate(vertex, before, after)
        return tuple(after[variable][output] for variable in jaxpr.invars)

    return accumulated


_Edges = dict[Any, dict[Any, Any]]


def _linearised(jaxpr: Any, arguments: tuple[Any, ...]) -> tuple[_Edges, _Edges]:
    values = dict(zip(jaxpr.invars, arguments, strict=True))
    before: _Edges = {variable: {} for variable in jaxpr.invars}
    after: _Edges = {variable: {} for variable in jaxpr.invars}
    for equation in jaxpr.eqns:
        (result,) = equation.outvars
        operands = [values[operand] if _varies(operand) else operand.val for operand in equation.invars]
        values[result] = equation.primitive.bind(*operands, **equation.params)
        power = {"y": equation.params["y"]} if equation.primitive.name == "integer_pow" else {}
        partials = _PARTIALS[equation.primitive.name](values[result], *operands, **power)
        before[result], after[result] = {}, {}
        for operand, partial in zip(equation.invars, partials, strict=True):
            if _varies(operand):
                before[result][operand] = after[operand][result] = partial
    return before, after


def _varies(operand: Any) -> bool:
    return not hasattr(operand, "val")


def _eliminate(vertex: Any, before: _Edges, after: _Edges) -> None:
    for target, post in after[vertex].items():
        for source, pre in before[vertex].items():
            product = post if pre is None else pre if post is None else post * pre
            if target in after[source]:
                product = product + after[source][target]
            after[source][target] = before[target][source] = product
    for target in after.pop(vertex):
        del before[target][vertex]
    for source in before.pop(vertex):
        del after[source][vertex]
