"""Calls of functions whose inverse the user gives: `tp.dual(f, g)`, `@tp.primitive`.

The function is executed as it is. Where something will be run backwards, its inverse is executed as well, on what the
function leaves behind, in a scope that is never run (`Custom` without results): there it is `told` that what there was
before is what the inverse makes. `inversion` reads that; it is dropped before anything is compiled.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

from ..ir.build import Builder
from ..ir.core import Custom, Lambda
from ..ir.types import Atom, Var
from ..records import dataclass
from .context import Context
from .inverse import atom_of, backwards, called, changed_leaves, parts_of, refuse, still_there
from .isolated import isolated
from .leaves import Leaf, conformed, copied, from_atoms, leaves, take
from .values import Value, is_tuple


@dataclass(frozen=True, slots=True)
class Pair:
    """A function and its inverse: they change their arguments in place, or return those that they change first."""

    function: Any
    inverse: Any
    in_place: bool

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", "the function")


def call_pair(c: Context, pair: Pair, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    """The value of a call; its inverse is told where it matters."""
    if not c.inverting:
        return c.call(pair.function, args, kwargs)
    if kwargs:
        refuse(c, f"{pair.name} has an inverse of its own, and takes its arguments by position")
    return (_in_place if pair.in_place else _returning)(c, pair, args)


def tell(c: Context, olds: Sequence[Atom], agains: Sequence[Atom], b: Builder) -> None:
    """Say that these were those, in a scope that `b` has begun."""
    for old, again in zip(olds, agains, strict=True):
        if isinstance(old, Var):
            b.check("told", old, again)
    c.b.bind((), Custom((), Lambda((), b.block(()))))


def _in_place(c: Context, pair: Pair, args: Sequence[Value]) -> Value:
    trees = [take(c, arg)[0] for arg in args]
    given = parts_of(c, args)[1]
    olds = [atom_of(c, leaf) for leaf in given]
    result = c.call(pair.function, args)
    after = still_there(c, pair.function, args, given, trees)
    news = changed_leaves(c, pair.function, given, after, result, trees)
    changed = [k for k, new in news.items() if new != olds[k]]
    b = Builder(c.b.pos)
    with _aside(c, b, pair):
        atoms = iter([news.get(k, old) for k, old in enumerate(olds)])
        own = [from_atoms(c, tree, [next(atoms) for _ in leaves(tree)]) for tree in trees]
        mine = parts_of(c, own)[1]
        answer = c.call(called, (pair.inverse, tuple(own)))[0]
        back = still_there(c, pair.inverse, own, mine, trees)
        agains = changed_leaves(c, pair.inverse, mine, back, answer, trees)
        if missing := [k for k in changed if k not in agains]:
            refuse(c, f"the inverse of {pair.name} leaves argument {missing[0]} as it is")
        made = [conformed(c, Leaf(olds[k].type, False), c.fresh(agains[k]), "the inverse")[0] for k in changed]
    tell(c, [olds[k] for k in changed], made, b)
    return result


def _returning(c: Context, pair: Pair, args: Sequence[Value]) -> Value:
    result = c.call(pair.function, args)
    values = tuple(result) if is_tuple(result) else (result,)
    trees, olds = zip(*(take(c, arg) for arg in args[: len(values)]), strict=True)
    b = Builder(c.b.pos)
    with _aside(c, b, pair):
        answer = c.call(pair.inverse, [copied(c, value) for value in (*values, *args[len(values) :])])
        backs = tuple(answer) if is_tuple(answer) else (answer,)
        if len(backs) != len(values):
            refuse(c, f"the inverse of {pair.name} returns {len(backs)} values for {len(values)}")
        made = [
            atom for tree, back in zip(trees, backs, strict=True) for atom in conformed(c, tree, back, "the inverse")
        ]
    tell(c, [old for atoms in olds for old in atoms], made, b)
    return result


@contextmanager
def _aside(c: Context, b: Builder, pair: Pair) -> Generator[None]:
    """Execute the inverse in a block of its own; nobody runs that backwards."""
    with isolated(
        c, b, dict(c.store), c.orders, f"the inverse of {pair.name}", why="it can only bring back its arguments",
        fix="pass what it changes as an argument",
    ), backwards(c, False):  # fmt: skip
        yield
