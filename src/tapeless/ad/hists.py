"""Reverse rules of `Hist` and `Scatter`.

* A histogram by addition is a gather backwards: a value gets the adjoint of its bin, the destination all of it.
* By minimum or maximum: what equals the bin's result, the destination's own element included, shares its adjoint
  equally.
* Any other operator is run as a loop of updates; what can be kept apart from it is (`groups`).
* A scatter: the last value written to a place gets its adjoint; places written pass nothing to the destination.

Keys out of range are ignored in both sweeps.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Atoms, Builder
from ..ir.core import Block, For, Hist, Lambda, Scatter, Stm
from ..ir.types import I64, Atom, Lit, Type, Var, boolean, zero
from ..ir.walk import inline, substitute
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
    names = operations(sweep, stm, ("add", "min", "max"))
    if None in names:
        return apart(sweep, stm, names, hist_rule, _looped)
    sweep.emit(stm)

    def back(scope: Scope) -> None:
        shares = [
            None if (adjoint := scope.take(var)) is None else _share(scope, expr, k, names[k], var, adjoint)
            for k, var in enumerate(stm.vars)
        ]

        def seed(b: Builder, _i: Var, values: Sequence[Atom]) -> list[Atom | None]:
            keys = values[: expr.keys]
            found = [
                None if share is None else _gathered(b, keys, value, share, stm.vars[k], names[k])
                for k, (share, value) in enumerate(zip(shares, values[expr.keys :], strict=True))
            ]
            return [*([None] * expr.keys), *found]

        if any(share is not None for share in shares):
            indexed(sweep, scope, Body(expr.size, expr.body, [None] * len(expr.body.body.results), seed))

    return back


def _share(scope: Scope, expr: Hist, k: int, name: str | None, out: Var, adjoint: Atom) -> Atom:
    """What each value of a bin gets, by bin; the destination gets its own part here."""
    b, dest = scope.b, expr.dest[k]
    if name == "add":
        scope.add(dest, adjoint)
        return adjoint

    def hit(inner: Builder, i: Var) -> Sequence[Atom]:
        results = inner.splice(_again(scope, expr.body, i))
        keys, value = results[: expr.keys], results[expr.keys + k]
        return (*keys, tied(inner, value, _bin(inner, keys, out, value.type)))

    one = b.operator("add", (Type(out.type.dtype),))
    body = b.lam((Type(I64),), hit, hints=("i",))
    start = zeros(b, out.type)
    (ties,) = b.bind((out.type,), Hist(expr.size, one, (zero(out.type.dtype),), (start,), expr.keys, body))
    share, own = each(b, _shared, adjoint, scope.primal(dest), out, ties)
    scope.add(dest, own)
    return share


def _shared(b: Builder, adjoint: Atom, dest: Atom, out: Atom, ties: Atom) -> Atoms:
    """What each value of a bin that equals its result gets, and what the destination gets."""
    nil, mine = zero(out.type.dtype), b.apply("eq", dest, out)

    def some(b: Builder) -> Atoms:
        share = b.apply("div", adjoint, b.apply("add", ties, b.apply("convert", mine, attrs=(out.type.dtype,))))
        return share, b.apply("select", mine, share, nil)

    return b.if_(b.apply("gt", ties, nil), some, lambda b: (nil, b.apply("select", mine, adjoint, nil)))


def _again(scope: Scope, body: Lambda, i: Atom) -> Block:
    return rerun(substitute(inline(body, (i,)), scope.restorations()))


def _bin(b: Builder, keys: Sequence[Atom], array: Atom, type: Type) -> Atom:
    """The bin of a key, or zeros for a key out of range."""
    inside = in_range(b, keys, array.type.shape)
    return b.if_(inside, lambda c: (c.apply("index", array, *keys),), lambda c: (zeros(c, type),))[0]


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
    if not values[0].type.shape:
        olds = [b.apply("index", array, *keys) for array in arrays]
        news = b.splice(inline(expr.op, (*olds, *values)))
        return [b.apply("update", array, new, *keys) for array, new in zip(arrays, news, strict=True)]

    def step(c: Builder, j: Var, *inner: Var) -> Sequence[Atom]:
        return _combined(c, expr, inner, (*keys, j), [c.apply("index", value, j) for value in values])

    return b.for_(values[0].type.shape[0], arrays, step)


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
