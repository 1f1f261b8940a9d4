"""The walk over a program: each statement binds values for all iterations of the maps around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import IRError
from ...ir.core import (
    Apply,
    Block,
    Check,
    Custom,
    Expr,
    For,
    Function,
    Hist,
    If,
    Lambda,
    Map,
    Reduce,
    Scan,
    Scatter,
    While,
)
from ...ir.op import lookup
from ...ir.types import I64, Atom, Lit, Type, Var
from ...ir.walk import free_vars
from ...records import dataclass, field
from . import combine, control, deposits
from .arrays import apply_array, size_of
from .library import jnp
from .scalars import apply_scalar
from .values import Affine, Value, closed, jax_dtype, new_axis, of_affine, of_array


def from_ir(function: Function) -> Callable[..., tuple[Any, ...]]:
    """A function of JAX arrays, one per parameter, that answers the results in a tuple."""

    def call(*arrays: Any) -> tuple[Any, ...]:
        run = Run()
        for param, array in zip(function.params, arrays, strict=True):
            run.argument(param, jnp.asarray(array, jax_dtype(param.type.dtype)))
        return tuple(jnp.asarray(value.array) for value in run.block(function.body))

    call.__name__ = function.name.replace(".", "_")
    return call


@dataclass(slots=True)
class Run:
    """One evaluation: what the variables are bound to."""

    env: dict[str, Value] = field(default_factory=dict[str, Value])
    # Functions of several results are called once.
    calls: dict[Any, Any] = field(default_factory=dict[Any, Any])

    def argument(self, param: Var, array: Any) -> None:
        """Bind a parameter, and the sizes that its type names."""
        if np.ndim(array) != param.type.rank:
            raise IRError(f"{param!r} has {param.type.rank} dimensions, the array given for it {np.ndim(array)}")
        for size, known in zip(param.type.shape, np.shape(array), strict=True):
            if isinstance(size, Var):
                self.env[size.name] = of_affine(Affine(int(known)))
        self.bind(param, of_array((), array))

    def inner(self, *parts: Block | Lambda) -> Run:
        """An evaluation of parts that JAX traces by themselves: what they make must not be seen outside.

        So what they mention is made before.
        """
        for var in free_vars(*parts):
            _ = self.value(var).array
        return Run(dict(self.env))

    def bind(self, var: Var, value: Value) -> None:
        self.env[var.name] = value

    def value(self, atom: Atom) -> Value:
        if isinstance(atom, Var):
            return self.env[atom.name]
        return literal(atom)

    def shape(self, type: Type) -> tuple[int, ...]:
        """The sizes of a type."""
        return tuple(size_of(self.value(size)) for size in type.shape)

    def block(self, block: Block) -> list[Value]:
        """The results of a block."""
        for stm in block.stms:
            for var, value in zip(stm.vars, self.expr(stm.expr), strict=True):
                self.bind(var, value)
        return [self.value(result) for result in block.results]

    def call(self, lam: Lambda, args: Sequence[Value]) -> list[Value]:
        """The results of a lambda."""
        for param, arg in zip(lam.params, args, strict=True):
            self.bind(param, arg)
        return self.block(lam.body)

    def expr(self, expr: Expr) -> Sequence[Value]:
        """The values of an expression, as many as it binds variables."""
        match expr:
            case Apply(op, args, attrs):
                return (self.apply(op, args, attrs),)
            case Map(size, body):
                axis = new_axis(size_of(self.value(size)))
                return [closed(value, axis) for value in self.call(body, (of_affine(Affine(0, ((axis, 1),))),))]
            case Reduce():
                return combine.reduced(self, expr)
            case Scan():
                return combine.scanned(self, expr)
            case Hist():
                return deposits.histogram(self, expr)
            case Scatter():
                return (deposits.scattered(self, expr),)
            case If(cond, then, orelse):
                return control.branch(self, self.value(cond), then, orelse)
            case For():
                return control.loop(self, expr)
            case While():
                return control.repeat(self, expr)
            case Custom(args, body):
                return self.call(body, [self.value(arg) for arg in args])
            case Check():
                return ()

    def apply(self, op: str, args: Sequence[Atom], attrs: tuple[Any, ...]) -> Value:
        values = [self.value(arg) for arg in args]
        if op in ("foreign", "foreign_steps"):
            key = (attrs[0], *map(id, values))
            if key not in self.calls:
                self.calls[key] = values, combine.foreign(attrs[0], values)
            return self.calls[key][1][attrs[1]]
        if lookup(op).arity is None:
            return apply_array(op, values, attrs)
        return apply_scalar(op, args[0].type.dtype, values, attrs)


def literal(atom: Lit) -> Value:
    """A literal as a value; integers are known numbers."""
    if atom.dtype is I64:
        return of_affine(Affine(int(atom.value)))
    return of_array((), np.asarray(atom.value, jax_dtype(atom.dtype)))
