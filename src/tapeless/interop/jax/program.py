"""A JAX function as a program of ours: what varies with the inputs to differentiate by, and what does not.

The function is traced; what does not depend on the inputs that vary stays with JAX and is computed before, so that
random keys, integers of all kinds and large constants never reach the IR. The rest becomes a function over the varying
inputs and whatever of the other values it needs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ...backend.jaxlib.library import jax
from ...front.jaxpr import Conversion, Options, is_representable, to_ir
from ...front.jaxpr.convert import RULES, Mode, Target
from ...front.jaxpr.flat import Flat, closed_over, flattened, gathered, is_variable, needed, with_constants
from ...front.jaxpr.library import jax_core
from ...front.jaxpr.types import WRITTEN, is_wide
from ...ir.core import Function


class JaxRuleWarning(UserWarning):
    """[TP310] A primitive that Tapeless does not know keeps the derivative that JAX has for it."""


@dataclass(frozen=True, slots=True)
class Program:
    """What varies: `varied` is a closed jaxpr of the varying inputs and of what `known` answers for all inputs.

    The first `taken` values that are known are arguments of the varying part. `outputs` says for each output of the
    function where it is found: ("varied", k), ("known", k), or ("literal", value). A program that is not closed
    mentions values of a trace that is under way, and must not outlive it.
    """

    varied: Any
    known: Callable[..., Sequence[Any]]
    taken: int
    outputs: tuple[tuple[str, Any], ...]
    is_closed: bool

    def function(self, target: Target, mode: Mode | None, record: Conversion) -> Function:
        """The varying part as IR."""
        return to_ir(self.varied, Options(target, mode), record=record)

    def results(self, varied: Mapping[int, Any] | Sequence[Any], known: Sequence[Any], first: int = 0) -> list[Any]:
        """The function's outputs, from one on, out of those of its parts."""
        sources: dict[str, Any] = {"varied": varied, "known": known}
        return [sources[kind][k] if kind in sources else k for kind, k in self.outputs[first:]]


def trace(function: Callable[..., Any], avals: Sequence[Any], active: Sequence[int], target: Target) -> Program:
    """The program of a function from leaves to leaves, of which those at `active` vary."""
    token = is_wide.set(target == "native")
    try:
        return _trace(function, avals, active)
    finally:
        is_wide.reset(token)


def _trace(function: Callable[..., Any], avals: Sequence[Any], active: Sequence[int]) -> Program:
    flat = flattened(jax.make_jaxpr(function)(*avals))
    moving = [flat.inputs[k] for k in active]
    varies, static = _classes(flat, moving)
    outputs = [var for var in flat.outputs if is_variable(var) and var in varies]
    equations = [e for e in flat.equations if varies.intersection(e.outvars)]
    equations = gathered(needed(equations, outputs), outputs)
    # What is the same for all inputs is computed with, so that it can be seen through.
    own = [e for e in flat.equations if e.outvars and static.issuperset(e.outvars)]
    equations = needed([*own, *equations], outputs)
    bound = {var for e in equations for var in e.outvars}
    constants = {v: x for v, x in flat.constants.items() if v in static}
    taken = _free(equations, {*moving, *bound, *constants})
    rest = [var for var in flat.outputs if is_variable(var) and var not in varies]
    known, places = _known(flat, varies, [*taken, *rest])
    varied = with_constants([*moving, *taken], equations, outputs, constants)
    where = {var: ("varied", k) for k, var in enumerate(outputs)}
    where.update({var: ("known", places[var]) for var in rest})
    found = [where[var] if is_variable(var) else ("literal", _literal(var)) for var in flat.outputs]
    is_closed = not any(_is_traced(value) for value in flat.constants.values())
    return Program(varied, known, len(taken), tuple(found), is_closed)


def _literal(var: Any) -> Any:
    """A literal may carry a plain Python number, which has no type."""
    return np.asarray(var.val, var.aval.dtype)


def _classes(flat: Flat, moving: Sequence[Any]) -> tuple[set[Any], set[Any]]:
    """The variables that vary, and those that are the same for all inputs and small enough to be written down."""
    varies = set(moving)
    static = {var for var, value in flat.constants.items() if _is_written(var.aval) and not _is_traced(value)}
    for equation in flat.equations:
        inputs = [var for var in equation.invars if is_variable(var)]
        if varies.intersection(inputs):
            varies.update(equation.outvars)
        elif static.issuperset(inputs) and _is_plain(equation):
            static.update(equation.outvars)
    return varies, static


def _is_plain(equation: Any) -> bool:
    """Can this equation be written down?"""
    if equation.effects or equation.primitive.name not in RULES:
        return False
    return all(_is_written(var.aval) for var in equation.outvars)


def _is_written(aval: Any) -> bool:
    return is_representable(aval) and prod(aval.shape) <= WRITTEN


def _is_traced(value: Any) -> bool:
    return isinstance(value, jax.core.Tracer)


def _free(equations: Sequence[Any], bound: set[Any]) -> list[Any]:
    found: dict[Any, None] = {}
    for equation in equations:
        for var in equation.invars:
            if is_variable(var) and var not in bound:
                found[var] = None
    return list(found)


def _known(flat: Flat, varies: set[Any], wanted: Sequence[Any]) -> tuple[Callable[..., Any], dict[Any, int]]:
    """The function from all inputs to the wanted values, which do not vary; and the place of each among them."""
    distinct = list(dict.fromkeys(wanted))
    # Effects without results, such as printing, happen here as well, whatever they depend on.
    equations = needed([e for e in flat.equations if not (e.effects and varies.intersection(e.outvars))], distinct)
    constants = list(flat.constants)
    closed = closed_over([*flat.inputs, *constants], equations, distinct, "known")
    body = jax_core.jaxpr_as_fun(closed)
    values = list(flat.constants.values())
    return lambda *inputs: body(*inputs, *values), {var: k for k, var in enumerate(distinct)}


def announce(record: Conversion) -> None:
    """Say which primitives keep JAX's derivative."""
    names = sorted(set(record.opaque))
    if names:
        warnings.warn(
            f"[TP310] {', '.join(names)}: not known to Tapeless; JAX's own derivative is used",
            JaxRuleWarning,
            stacklevel=5,
        )
