"""The walk over a jaxpr: each equation is handed to the rule of its primitive.

A rule takes the walk, the equation and its operands, emits statements into `walk.b`, and answers one atom per result.
What has no rule, or is better left to XLA, becomes a foreign operation (`foreign`) when the program is bound for JAX,
and is refused when it is bound for machine code.

Equations with derivatives of their own (`custom_jvp`, `custom_vjp`, foreign ones) get the rule of the direction that
`Options.mode` names: tangents pushed forward or adjoints pulled back, as JAX itself defines them. Within such a rule
nothing is differentiated any more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from ...errors import UnsupportedFunctionError, UnsupportedValueError
from ...ir.build import Atoms, Builder
from ...ir.core import Function, Lambda
from ...ir.types import Atom, Var, i64
from ...ir.walk import fresh
from ...records import dataclass, field, replace
from ..numpy.nest import array_of, pull_atom
from .types import UNSIGNED, UnrepresentableError, constant, is_representable, is_wide, type_of

Rule: TypeAlias = "Callable[[Walk, Any, Atoms], Sequence[Atom]]"
Mode: TypeAlias = Literal["forward", "reverse"]
Target: TypeAlias = Literal["jax", "native"]

RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Register the rule of these primitives."""

    def add(function: Rule) -> Rule:
        for name in names:
            RULES[name] = function
        return function

    return add


@dataclass(frozen=True, slots=True)
class Options:
    """Where the program will run, and in which direction it will be differentiated (None: it will not be)."""

    target: Target = "jax"
    mode: Mode | None = None


@dataclass(slots=True)
class Conversion:
    """What happened during a conversion: `ruled` equations have their own derivative, `opaque` ones only JAX's."""

    ruled: list[str] = field(default_factory=list[str])
    opaque: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Walk:
    """Where statements go, and what is to be made of equations."""

    b: Builder
    options: Options
    record: Conversion

    def at(self, b: Builder) -> Walk:
        """The same in a sub-block."""
        return replace(self, b=b)

    def run(self, jaxpr: Any, consts: Sequence[Atom], args: Sequence[Atom]) -> Atoms:
        """The results of an open jaxpr applied to atoms."""
        env: dict[Any, Atom] = dict(zip(jaxpr.constvars, consts, strict=True))
        env.update(zip(jaxpr.invars, args, strict=True))

        def read(var: Any) -> Atom:
            # A literal carries its value, which may be a plain Python number; variables are looked up.
            return constant(self.b, np.asarray(var.val, var.aval.dtype)) if hasattr(var, "val") else env[var]

        for equation in jaxpr.eqns:
            results = self.equation(equation, tuple(read(var) for var in equation.invars))
            results = [self.wrapped(var.aval, result) for var, result in zip(equation.outvars, results, strict=True)]
            env.update(zip(equation.outvars, results, strict=True))
        return tuple(read(var) for var in jaxpr.outvars)

    def closed(self, closed: Any, args: Sequence[Atom]) -> Atoms:
        """The results of a closed jaxpr applied to atoms."""
        return self.run(closed.jaxpr, [constant(self.b, value) for value in closed.consts], args)

    def wrapped(self, aval: Any, result: Atom) -> Atom:
        """A result within the range of its type, which for unsigned numbers is smaller than ours."""
        bits = UNSIGNED.get(str(getattr(aval, "dtype", "")))
        if bits is None:
            return result
        mask = i64((1 << bits) - 1)
        return array_of(
            self.b, result.type.shape, lambda b, index: b.apply("and", pull_atom(result).at(b, index), mask)
        )

    def equation(self, equation: Any, args: Atoms) -> Sequence[Atom]:
        """The results of one equation."""
        from .foreign import foreign, is_kept

        name = equation.primitive.name
        if self.options.target == "jax" and is_kept(equation):
            return foreign(self, equation, args)
        if name in RULES:
            done = len(self.b.stms)
            try:
                return RULES[name](self, equation, args)
            except UnrepresentableError:
                # Something inside has no type here, but what goes in and comes out has.
                if self.options.target != "jax" or not all(is_representable(var.aval) for var in equation.outvars):
                    raise
                del self.b.stms[done:]
        if self.options.target == "jax":
            if any(type_of(var.aval).dtype.is_float for var in equation.outvars):
                self.record.opaque.append(_full_name(equation))
            return foreign(self, equation, args)
        raise UnsupportedFunctionError(
            f"the JAX primitive {name} cannot be compiled to machine code",
            why="no rule for it is known",
            fix='leave out backend="native"',
        )

    def lam(self, closed: Any) -> Lambda:
        """A closed jaxpr as a lambda, in which nothing is differentiated any more."""
        params = tuple(fresh("x", type_of(aval)) for aval in closed.in_avals)
        inner = replace(self, b=self.b.child(), options=replace(self.options, mode=None))
        results = inner.closed(closed, params)
        return Lambda(params, inner.b.block(results))


def _full_name(equation: Any) -> str:
    """The name of a primitive; of a call, what in it has no rule, and the types that the IR does not have."""
    inner = equation.params.get("jaxpr")
    if equation.primitive.name not in ("jit", "pjit") or inner is None:
        return equation.primitive.name
    steps = inner.jaxpr.eqns
    avals = [var.aval for step in steps for var in (*step.invars, *step.outvars)]
    unknown = {step.primitive.name for step in steps if step.primitive.name not in RULES}
    types = {str(aval.dtype) for aval in avals if not is_representable(aval)}
    return f"a part with {', '.join([*sorted(unknown), *sorted(types)])}"


def to_ir(
    closed: Any, options: Options | None = None, *, name: str = "f", record: Conversion | None = None
) -> Function:
    """The function that a closed jaxpr computes, over the same arguments, with literal sizes."""
    from ... import ops as _ops  # registers the operations

    assert _ops
    walk = Walk(Builder(), options or Options(), record if record is not None else Conversion())
    try:
        return _function(walk, closed, name)
    except UnrepresentableError as error:
        raise UnsupportedValueError(
            f"values of type {error} cannot be converted", why="our language has no such numbers"
        ) from None


def _function(walk: Walk, closed: Any, name: str) -> Function:
    params: tuple[Var, ...] = tuple(fresh("x", type_of(aval)) for aval in closed.in_avals)
    for aval in closed.out_avals:
        type_of(aval)
    token = is_wide.set(walk.options.target == "native")
    try:
        return Function(name, params, walk.b.block(walk.closed(closed, params)))
    finally:
        is_wide.reset(token)
