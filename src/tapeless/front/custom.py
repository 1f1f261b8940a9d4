"""Calls of functions with rules of their own: `tp.custom_jvp`, `tp.custom_vjp`.

The function and its rules are executed abstractly for the types of this call, each in a lambda of its own; the three
become one `Custom` of the intermediate language, which derivatives read (`ad.custom`) and which is inlined after them.
Arguments at `constants` (JAX's `nondiff_argnums`) are passed to the rules first, as they are.

A rule is consumed by one derivative, and often calls its own function: what it contains will be differentiated once
less. Where nothing will be, the function is called and the rules are not looked at.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeAlias

from ..ad.values import zeros
from ..errors import CallError, DerivativeError
from ..ir.build import Builder
from ..ir.core import Custom, Lambda
from ..ir.types import Atom, Type, Var
from ..ir.walk import substitute
from ..records import dataclass
from .context import Context, describe
from .control import PathEndsError
from .isolated import isolated
from .leaves import Tree, conformed, copied, from_atoms, leaves, matched, take
from .values import Value

Body: TypeAlias = Callable[..., Sequence[Atom]]


@dataclass(frozen=True, slots=True)
class Ruled:
    """A function with a rule: for tangents (`forward` alone), or for adjoints (`forward` and `backward`)."""

    function: Any
    constants: tuple[int, ...]
    forward: Any
    backward: Any = None

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", "function")


def call_ruled(c: Context, ruled: Ruled, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    """The value of a call, with its rules attached."""
    if not c.orders:
        return c.call(ruled.function, args, kwargs)
    if ruled.forward is None:
        c.refuse(
            f"{ruled.name} has no rule yet",
            error=DerivativeError,
            fix="give it with f.defjvp(rule) or f.defvjp(fwd, bwd)",
        )
    before = dict(c.store)
    site = _Site(c, ruled, [copied(c, arg) for arg in _positional(c, ruled, args, kwargs)], before)
    body = site.body()
    forward = site.tangent_rule() if ruled.backward is None else site.forward_rule()
    backward = None if ruled.backward is None else site.backward_rule()
    expr = Custom(tuple(site.atoms), body, forward, backward)
    results = c.b.bind((result.type for result in body.body.results), expr)
    return from_atoms(c, site.out, results)


def _positional(c: Context, ruled: Ruled, args: Sequence[Value], kwargs: dict[str, Value]) -> Sequence[Value]:
    """All arguments by position, as rules take them."""
    try:
        bound = inspect.signature(ruled.function).bind(*args, **kwargs)
    except TypeError as error:
        c.refuse(f"{ruled.name}: {error}", error=CallError)
    bound.apply_defaults()
    if bound.kwargs:
        c.refuse(f"{ruled.name} has a rule of its own, which cannot take keyword arguments", error=CallError)
    return bound.args


class _Site:
    """One call: its arguments taken apart, and what is known of the results so far."""

    def __init__(self, c: Context, ruled: Ruled, args: list[Value], before: dict[Any, Any]) -> None:
        self.c, self.ruled, self.args, self.before = c, ruled, args, before
        self.constants = [arg for k, arg in enumerate(args) if k in ruled.constants]
        self.trees: list[Tree] = []
        self.atoms: list[Atom] = []
        for k, arg in enumerate(args):
            if k not in ruled.constants:
                tree, atoms = take(c, arg)
                self.trees.append(tree)
                self.atoms += atoms
        self.types = [atom.type for atom in self.atoms]
        self.out: Tree
        self.out_types: list[Type]
        self.kept: Tree
        self.kept_types: list[Type]

    def body(self) -> Lambda:
        """The function itself."""

        def body(*params: Var) -> Sequence[Atom]:
            args = self.all_args(params)
            self.out, results = take(self.c, self.c.call(self.ruled.function, args))
            if take(self.c, tuple(args))[1] != take(self.c, tuple(self.all_args(params)))[1]:
                self.refuse(f"{self.ruled.name} writes into its arguments", fix="copy them, or return the new value")
            return results

        lam = self.lam(self.types, body, self.atoms)
        self.out_types = [result.type for result in lam.body.results]
        return lam

    def tangent_rule(self) -> Lambda:
        """`rule(*constants, primals, tangents) -> value, tangent`."""
        smooth = _smooth(self.types)

        def body(*params: Var) -> Sequence[Atom]:
            dots = iter(params[len(self.types) :])
            tangents = [next(dots) if type.dtype.is_float else None for type in self.types]
            primals = self.values(params[: len(self.types)])
            value, slope = self.pair(
                self.c.call(self.ruled.forward, [*self.constants, primals, self.values(tangents)]), "value, tangent"
            )
            made = matched(self.c, self.out, slope, "tangent")
            return [*self.same_value(value), *(x for x in made if x is not None)]

        return self.lam([*self.types, *smooth], body)

    def forward_rule(self) -> Lambda:
        """`fwd(*args) -> value, kept`."""

        def body(*params: Var) -> Sequence[Atom]:
            value, kept = self.pair(self.c.call(self.ruled.forward, self.all_args(params)), "value, residuals")
            results = self.same_value(value)
            self.kept, atoms = take(self.c, kept)
            return [*results, *atoms]

        lam = self.lam(self.types, body)
        self.kept_types = [result.type for result in lam.body.results[len(self.out_types) :]]
        return lam

    def backward_rule(self) -> Lambda:
        """`bwd(*constants, kept, cotangent) -> a cotangent per argument, None for zero`."""
        c = self.c

        def body(*params: Var) -> Sequence[Atom]:
            kept = from_atoms(c, self.kept, params[: len(self.kept_types)])
            seeds = iter(params[len(self.kept_types) :])
            cotangent = from_atoms(c, self.out, [next(seeds) if t.dtype.is_float else None for t in self.out_types])
            answers = c.items(c.call(self.ruled.backward, [*self.constants, kept, cotangent]))
            if answers is None or len(answers) != len(self.trees):
                self.refuse(
                    f"the backward rule of {self.ruled.name} must return a cotangent per argument ({len(self.trees)})",
                    fix="return a tuple, with None for an argument that has no derivative",
                )
            return [x for tree, answer in zip(self.trees, answers, strict=True) for x in self.adjoints(tree, answer)]

        return self.lam([*self.kept_types, *_smooth(self.out_types)], body)

    # -- pieces ------------------------------------------------------------------------------------

    def lam(self, types: Sequence[Type], body: Body, given: Sequence[Atom] | None = None) -> Lambda:
        """A lambda whose body is executed here; the sizes of its results must be known outside.

        `given` are the arguments of the function itself, which the rules stand in for.
        """
        orders = self.c.orders - 1 if given is None else 0

        def inside(b: Builder, *params: Var) -> Sequence[Atom]:
            frames = self.c.frames
            try:
                if given is None:
                    # Not recursion: a rule that calls its own function is executed for one derivative less.
                    self.c.frames = []
                with isolated(self.c, b, self.before, orders, f"{self.ruled.name}, which has a rule of its own,"):
                    return body(*params)
            except PathEndsError:
                if given is None:
                    self.refuse(f"a rule of {self.ruled.name} raises an exception on every run")
                self.c.b.splice(substitute(b.block(()), dict(zip(params, given, strict=True))))
                raise
            finally:
                self.c.frames = frames

        lam = self.c.b.lam(types, inside)
        bound = {var for stm in lam.body.stms for var in stm.vars}
        if any(size in bound for result in lam.body.results for size in result.type.shape):
            self.refuse(
                f"the sizes of what {self.ruled.name} or its rule returns depend on what is computed inside",
                fix="pass an array of the right size",
            )
        return lam

    def values(self, atoms: Sequence[Atom | None]) -> tuple[Value, ...]:
        """The arguments that are differentiated, with other leaves."""
        rest = iter(atoms)
        return tuple(from_atoms(self.c, tree, [next(rest) for _ in leaves(tree)]) for tree in self.trees)

    def all_args(self, params: Sequence[Var]) -> list[Value]:
        smooth = iter(self.values(params))
        return [arg if k in self.ruled.constants else next(smooth) for k, arg in enumerate(self.args)]

    def pair(self, value: Value, what: str) -> tuple[Value, Value]:
        items = self.c.items(value)
        if items is None or len(items) != 2:
            self.refuse(f"the rule of {self.ruled.name} must return a pair ({what}), not {describe(value)}")
        return items[0], items[1]

    def same_value(self, value: Value) -> list[Atom]:
        """The value that a rule returns, which must have the structure and types of the function's own."""
        return conformed(self.c, self.out, value, f"value that the rule of {self.ruled.name} returns")

    def adjoints(self, tree: Tree, answer: Value) -> list[Atom]:
        c = self.c
        if answer is None:
            return [zeros(c.b, leaf.type) for leaf in leaves(tree) if leaf.is_float]
        return [x for x in matched(c, tree, answer, "cotangent") if x is not None]

    def refuse(self, what: str, fix: str = "") -> NoReturn:
        self.c.refuse(what, fix=fix, error=DerivativeError)


def _smooth(types: Sequence[Type]) -> list[Type]:
    return [type for type in types if type.dtype.is_float]
