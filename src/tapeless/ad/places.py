"""Contributions of bodies that may not have run at all: then their place need not exist.

    for j in range(m): s += x[k] * y[j]         x_adj[k] += sum over j of ...

is wrong when m is 0 and k is no index of x: the program has read nothing. Unless the place is provably in range where
the contribution is made, or the body certainly runs, the contribution stands in a branch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..ir.core import Apply, Block, Check, Expr, For, If, Map, Reduce, Scan, Stm
from ..ir.types import I64, Atom, Lit, Type, Var, i64
from ..ir.walk import statements
from ..passes.facts import Facts
from .adjoints import ArmScope, Entry, Scope, Span
from .branches import join


def add_of_all(scope: Scope, size: Atom, var: Var, value: Atom, entries: Sequence[Entry]) -> None:
    """Contribute what `size` runs of a body contribute together to one place."""
    match size:
        case Lit(0):
            return
        case Lit():
            exists = True
        case Var():
            exists = _exists(scope, size, var, entries)
    if exists:
        scope.add(var, value, *entries)
        return
    some = scope.b.apply("gt", size, i64(0))
    then, otherwise = (ArmScope(scope.b.child(), scope.varied, set(), scope) for _ in range(2))
    then.add(var, value, *entries)
    join(scope, some, (then, otherwise))


def _exists(scope: Scope, size: Atom, var: Var, entries: Sequence[Entry]) -> bool:
    """Is the place in range, whatever was read? Spans are: they are as long as what was read."""
    places = [(e, n) for e, n in zip(entries, var.type.shape, strict=False) if not isinstance(e, Span)]
    unknown = [(index, n) for index, n in places if not _is_obvious(scope, index, n)]
    if not unknown:
        return True
    facts = _facts(scope, var)
    return all(facts.within(index, n) for index, n in unknown) or facts.proves(facts.form(size).shifted(-1))


def _is_obvious(scope: Scope, index: Atom, size: Atom) -> bool:
    if isinstance(index, Lit):
        return isinstance(size, Lit) and 0 <= int(index.value) < int(size.value)
    return scope.counters.get(index.name) == size


def _facts(scope: Scope, var: Var) -> Facts:
    """What is known here: the counters around, and what was checked before."""
    stms = list(_before(scope))
    defs = {bound.name: stm.expr for stm in statements(Block(tuple(stms), ())) for bound in stm.vars}
    facts = Facts(defs, {name: number for number, name in enumerate(_bound(scope))})
    for atom in (*var.type.shape, *scope.counters.values()):
        facts.size(atom)
    for name, count in scope.counters.items():
        facts.counter(Var(name, Type(I64)), count)
    _learn(facts, defs, stms, {})
    return facts


def _learn(facts: Facts, defs: Mapping[str, Expr], stms: Sequence[Stm], rounds: Mapping[Atom, Atom]) -> None:
    """Learn from the checks that have passed: also those in loops that have run, in all `rounds` of their counters."""
    for stm in stms:
        match stm.expr:
            case Check("bounds", (index, size)) if index in rounds:
                facts.learn(facts.form(size).plus(facts.form(rounds[index]), -1))
            case Check("bounds", (index, size)):
                facts.learn_within(index, size)
            case If(Var() as cond, then) if _holds(facts, defs.get(cond.name)):
                _learn(facts, defs, then.stms, rounds)
            case For(count, _, body) | Map(count, body) | Reduce(count, body=body) | Scan(count, body=body):
                if facts.proves(facts.form(count).shifted(-1)):
                    _learn(facts, defs, body.body.stms, {**rounds, body.params[0]: count})
            case _:
                pass


def _holds(facts: Facts, cond: Expr | None) -> bool:
    match cond:
        case Apply(op, (x, y)) if x.type.dtype is I64:
            return facts.decide(op, x, y) is True
        case _:
            return False


def _bound(scope: Scope) -> Iterator[str]:
    """The names in scope in the order in which they were bound: a counter is younger than the size it stays below."""
    outer = scope.parent.counters if scope.parent is not None else {}
    if scope.parent is not None:
        yield from _bound(scope.parent)
    yield from (name for name in scope.counters if name not in outer)
    yield from (var.name for stm in statements(Block(tuple(scope.b.stms), ())) for var in stm.vars)


def _before(scope: Scope) -> Iterator[Stm]:
    if scope.parent is not None:
        yield from _before(scope.parent)
    yield from scope.b.stms
