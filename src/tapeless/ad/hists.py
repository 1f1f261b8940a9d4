"""Reverse rules of `Hist` and `Scatter`.

* A histogram by addition is a gather backwards: a value gets the adjoint of its bin, the destination all of it.
* By minimum or maximum: what equals the bin's result, the destination's own element included, shares its adjoint
  equally.
* Any other operator is run as a loop of updates; what can be kept apart from it is (`groups`).
* A scatter: the last value written to a place gets its adjoint; places written pass nothing to the destination.

Keys out of range are ignored in both sweeps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.build import Atoms, Builder
from ..ir.core import Block, For, Hist, Lambda, Scatter, Stm
from ..ir.types import I64, Atom, Lit, Type, Var, boolean, zero
from ..ir.walk import inline, substitute
from ..passes.sums import sum_operator
from .adjoints import Scope
from .groups import apart, operations
from .indexed import Body, indexed
from .loops import for_rule
from .sweep import Back, Sweep, nothing
from .ties import chosen, tied
from .values import each, in_range, rerun, zeros


def hist_rule(sweep: Sweep, stm: Stm) -> Back:
    """The rule of a histogram."""
    expr = stm.expr
    assert isinstance(expr, Hist)
    if not sweep.varies(stm):
        sweep.emit(stm)
        return nothing
    names = operations(sweep, stm, ("add",))
    if None in names:
        return apart(sweep, stm, names, hist_rule, _looped)
    sweep.emit(stm)

    def back(scope: Scope) -> None:
        taken = {k: scope.take(var) for k, var in enumerate(stm.vars)}
        shares = {k: adjoint for k, adjoint in taken.items() if adjoint is not None}
        sums = {k: adjoint for k, adjoint in shares.items() if names[k] == "add"}
        for k, adjoint in sums.items():
            scope.add(expr.dest[k], adjoint)
        shares |= _shares(scope, stm, {k: adjoint for k, adjoint in shares.items() if k not in sums})

        def seed(b: Builder, _i: Var, values: Sequence[Atom]) -> list[Atom | None]:
            keys = values[: expr.keys]
            found = [
                _gathered(b, keys, value, shares[k], stm.vars[k], names[k]) if k in shares else None
                for k, value in enumerate(values[expr.keys :])
            ]
            return [*([None] * expr.keys), *found]

        if shares:
            indexed(sweep, scope, Body(expr.size, expr.body, [None] * len(expr.body.body.results), seed))

    return back


def _shares(scope: Scope, stm: Stm, adjoints: Mapping[int, Atom]) -> dict[int, Atom]:
    """What each value gets that equals its bin's smallest or largest; the destination gets its part here."""
    expr, b = stm.expr, scope.b
    assert isinstance(expr, Hist)
    if not adjoints:
        return {}
    outs = [stm.vars[k] for k in adjoints]

    def hit(inner: Builder, i: Var) -> Sequence[Atom]:
        results = inner.splice(_again(scope, expr.body, i))
        keys, values = results[: expr.keys], [results[expr.keys + k] for k in adjoints]

        def inside(c: Builder) -> Sequence[Atom]:
            return [tied(c, value, c.apply("index", out, *keys)) for value, out in zip(values, outs, strict=True)]

        found = inner.if_(
            in_range(inner, keys, outs[0].type.shape), inside, lambda c: [zeros(c, value.type) for value in values]
        )
        return (*keys, *found)

    add = sum_operator(b, [Type(out.type.dtype) for out in outs])
    none = tuple(zero(out.type.dtype) for out in outs)
    starts = tuple(zeros(b, out.type) for out in outs)
    body = b.lam((Type(I64),), hit, hints=("i",))
    ties = b.bind((out.type for out in outs), Hist(expr.size, add, none, starts, expr.keys, body))
    shares: dict[int, Atom] = {}
    for (k, adjoint), out, count in zip(adjoints.items(), outs, ties, strict=True):
        shares[k], own = each(b, _shared, adjoint, scope.primal(expr.dest[k]), out, count)
        scope.add(expr.dest[k], own)
    return shares


def _shared(b: Builder, adjoint: Atom, dest: Atom, out: Atom, ties: Atom) -> Atoms:
    """What each value of a bin that equals its result gets, and what the destination gets, if it is one of them."""
    nil, one = zero(out.type.dtype), Lit(1.0, out.type.dtype)
    mine = b.apply("eq", dest, out)
    count = b.apply("select", mine, b.apply("add", ties, one), ties)
    share = b.apply("div", adjoint, b.apply("max", count, one))
    return share, b.apply("select", mine, share, nil)


def _again(scope: Scope, body: Lambda, i: Atom) -> Block:
    return rerun(substitute(inline(body, (i,)), scope.restorations()))


def _gathered(b: Builder, keys: Sequence[Atom], value: Atom, share: Atom, out: Var, name: str | None) -> Atom:
    """The adjoint of a value: its bin's share, if it has one."""
    inside = in_range(b, keys, share.type.shape)

    def read(c: Builder) -> Sequence[Atom]:
        mine = c.apply("index", share, *keys)
        return (mine if name == "add" else chosen(c, value, c.apply("index", out, *keys), mine),)

    return b.if_(inside, read, lambda c: (zeros(c, value.type),))[0]


def _looped(sweep: Sweep, stm: Stm) -> Back:
    """A histogram as a loop of updates."""
    expr = stm.expr
    assert isinstance(expr, Hist)

    def step(b: Builder, i: Var, *arrays: Var) -> Sequence[Atom]:
        results = b.splice(inline(expr.body, (i,)))
        keys, values = results[: expr.keys], results[expr.keys :]
        inside = in_range(b, keys, arrays[0].type.shape)
        return b.if_(inside, lambda c: _combined(c, expr, arrays, keys, values), lambda c: arrays)

    body = sweep.b.lam((Type(I64), *(x.type for x in expr.dest)), step, hints=("i",))
    return for_rule(sweep, sweep.adopt(Stm(stm.vars, For(expr.size, expr.dest, body), stm.pos)))


def _combined(
    b: Builder, expr: Hist, arrays: Sequence[Atom], keys: Sequence[Atom], values: Sequence[Atom]
) -> Sequence[Atom]:
    """The arrays with the values combined in at the keys, element by element where the values are arrays."""

    def element(c: Builder, *elements: Atom) -> Atoms:
        return c.splice(inline(expr.op, elements))

    olds = [b.apply("index", array, *keys) for array in arrays]
    news = each(b, element, *olds, *values)
    return [b.apply("update", array, new, *keys) for array, new in zip(arrays, news, strict=True)]


def scatter_rule(sweep: Sweep, stm: Stm) -> Back:
    """The rule of a scatter."""
    expr = stm.expr
    assert isinstance(expr, Scatter)
    sweep.emit(stm)
    if not sweep.varies(stm):
        return nothing

    def back(scope: Scope) -> None:
        adjoint = scope.take(stm.vars[0])
        if adjoint is None:
            return
        b, size, keys = scope.b, expr.size, expr.keys

        def writer(inner: Builder, i: Var) -> Sequence[Atom]:
            return (*inner.splice(_again(scope, expr.body, i))[:keys], i)

        nobody = b.apply("replicate", Lit(-1, I64), *expr.dest.type.shape[:keys])
        last = b.scatter(size, nobody, keys, writer)

        def seed(b: Builder, i: Var, values: Sequence[Atom]) -> list[Atom | None]:
            place, value = values[:keys], values[keys]
            inside = in_range(b, place, adjoint.type.shape)
            mine = b.if_(
                inside, lambda c: (c.apply("eq", c.apply("index", last, *place), i),), lambda c: (boolean(False),)
            )[0]
            got = b.if_(mine, lambda c: (c.apply("index", adjoint, *place),), lambda c: (zeros(c, value.type),))[0]
            return [*([None] * keys), got]

        if scope.wants(expr.dest):
            nil = zeros(b, expr.dest.type.drop(keys))
            empty = b.scatter(size, adjoint, keys, lambda c, i: (*c.splice(_again(scope, expr.body, i))[:keys], nil))
            scope.add(expr.dest, empty)
        indexed(sweep, scope, Body(size, expr.body, [None] * (keys + 1), seed))

    return back
