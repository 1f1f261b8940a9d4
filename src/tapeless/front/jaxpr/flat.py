"""A jaxpr without calls: nested `jit`s are written out, and parts that the IR has no types for are put into one.

Every variable is fresh, since a jaxpr that is called twice is written out twice. Unlike the rules, this builds jaxprs,
and needs JAX for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...records import dataclass, field
from .library import jax, jax_core
from .types import is_representable

_CALLS = frozenset({"jit", "pjit", "closed_call", "core_closed_call", "core_call", "remat2", "checkpoint"})


@dataclass(slots=True)
class Flat:
    """Equations in order over `inputs` and constants; `outputs` are variables or literals."""

    inputs: list[Any]
    equations: list[Any]
    outputs: list[Any]
    constants: dict[Any, Any] = field(default_factory=dict[Any, Any])


def flattened(closed: Any) -> Flat:
    """The equations of a closed jaxpr with all calls written out."""
    inputs = [jax_core.Var(aval) for aval in closed.in_avals]
    flat = Flat(inputs, [], [])
    flat.outputs = _written(flat, closed.jaxpr, closed.consts, inputs)
    return flat


def _written(flat: Flat, jaxpr: Any, consts: Sequence[Any], args: Sequence[Any]) -> list[Any]:
    env: dict[Any, Any] = dict(zip(jaxpr.invars, args, strict=True))
    for var, value in zip(jaxpr.constvars, consts, strict=True):
        env[var] = jax_core.Var(var.aval)
        flat.constants[env[var]] = value

    def read(var: Any) -> Any:
        return var if isinstance(var, jax_core.Literal) else env[var]

    for equation in jaxpr.eqns:
        operands = [read(var) for var in equation.invars]
        inner = equation.params.get("jaxpr", equation.params.get("call_jaxpr"))
        if equation.primitive.name in _CALLS:
            closed = hasattr(inner, "consts")
            results = _written(flat, inner.jaxpr if closed else inner, inner.consts if closed else (), operands)
        else:
            results = [jax_core.Var(var.aval) for var in equation.outvars]
            flat.equations.append(equation.replace(invars=operands, outvars=results))
        env.update(zip(equation.outvars, results, strict=True))
    return [read(var) for var in jaxpr.outvars]


def needed(equations: Sequence[Any], outputs: Sequence[Any]) -> list[Any]:
    """The equations on which the outputs depend."""
    wanted = {var for var in outputs if is_variable(var)}
    kept: list[Any] = []
    for equation in reversed(equations):
        if equation.effects or any(var in wanted for var in equation.outvars):
            kept.append(equation)
            wanted.update(var for var in equation.invars if is_variable(var))
    return kept[::-1]


def is_variable(var: Any) -> bool:
    return not isinstance(var, jax_core.Literal)


def closed_over(inputs: Sequence[Any], equations: Sequence[Any], outputs: Sequence[Any], name: str) -> Any:
    """Equations as a closed jaxpr of variables."""
    effects: set[Any] = {effect for equation in equations for effect in equation.effects}
    debug = jax_core.DebugInfo("tapeless", name, None, None)
    return jax_core.ClosedJaxpr(jax_core.Jaxpr((), list(inputs), list(outputs), list(equations), effects, debug), ())


def gathered(equations: Sequence[Any], outputs: Sequence[Any]) -> list[Any]:
    """Equations with those between the first and the last value that the IR has no type for put into one call.

    Values outside that part are representable, and the call is left to JAX as a whole.
    """
    strange = [
        k
        for k, equation in enumerate(equations)
        if any(is_variable(var) and not is_representable(var.aval) for var in (*equation.invars, *equation.outvars))
    ]
    if not strange:
        return list(equations)
    first, last = strange[0], strange[-1] + 1
    before, inside, after = equations[:first], equations[first:last], equations[last:]
    bound = {var for equation in inside for var in equation.outvars}
    used = {var for equation in after for var in equation.invars if is_variable(var)}
    used.update(var for var in outputs if is_variable(var))
    results = [var for equation in inside for var in equation.outvars if var in used]
    operands: dict[Any, None] = {}
    for equation in inside:
        for var in equation.invars:
            if is_variable(var) and var not in bound:
                operands[var] = None
    body = jax_core.jaxpr_as_fun(closed_over(list(operands), inside, results, "part"))
    avals = [jax.ShapeDtypeStruct(var.aval.shape, var.aval.dtype) for var in operands]
    call = jax.make_jaxpr(jax.jit(body))(*avals).eqns[0]
    return [*before, call.replace(invars=list(operands), outvars=results), *after]


def tidied(closed: Any) -> Any:
    """The same jaxpr without calls, without what is not needed, and with strange parts put into one call."""
    flat = flattened(closed)
    equations = gathered(needed(flat.equations, flat.outputs), flat.outputs)
    return with_constants(flat.inputs, equations, flat.outputs, flat.constants)


def with_constants(
    inputs: Sequence[Any], equations: Sequence[Any], outputs: Sequence[Any], constants: Mapping[Any, Any]
) -> Any:
    """Equations as a closed jaxpr that keeps the constants it uses."""
    used = {var for e in equations for var in e.invars if is_variable(var)}.union(v for v in outputs if is_variable(v))
    kept = {var: value for var, value in constants.items() if var in used}
    closed = closed_over(inputs, equations, outputs, "part")
    return jax_core.ClosedJaxpr(closed.jaxpr.replace(constvars=list(kept)), list(kept.values()))
