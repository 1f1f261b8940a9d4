"""Reverse rules of `Map`, `Reduce` and `Scan`.

Special operators keep their parallel form, with the adjoint of each element given by a formula:

* a sum: each element gets the adjoint of the sum; of prefix sums, the sum of the adjoints from its place on;
* the smallest or largest: the elements equal to the result share its adjoint equally; of prefixes, see `running`;
* a product: the adjoint times the product of what stands before and behind, so that zeros are right.

Any other operator is run as a loop over the elements, which `loops` differentiates: tuples, free variables, any
types. Where an operator has accumulators of both kinds, they are taken apart first (`groups`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..ir.build import Builder
from ..ir.core import Apply, For, Lambda, Map, Reduce, Scan, Stm
from ..ir.types import I64, Atom, Lit, Type, Var, i64
from ..ir.walk import fresh, inline, substitute
from ..passes.sums import sum_operator
from .adjoints import Scope
from .extremes import extreme_rule
from .groups import apart, operations
from .indexed import Body, indexed
from .local import contribution
from .loops import for_rule
from .running import running_seed
from .sweep import Back, Rule, Sweep, nothing
from .ties import chosen, tied
from .values import elementwise, rerun, zeros

# From a builder, the index and the element to its adjoint.
ElementSeed: TypeAlias = Callable[[Builder, Var, Atom], Atom]


def map_rule(sweep: Sweep, stm: Stm) -> Back:
    """The rule of a map: the adjoint of element i is element i of the adjoint."""
    expr = stm.expr
    assert isinstance(expr, Map)
    sweep.emit(stm)
    if not sweep.varies(stm):
        return nothing

    def back(scope: Scope) -> None:
        adjoints = [scope.take(var) for var in stm.vars]

        def seed(b: Builder, i: Var, _values: Sequence[Atom]) -> list[Atom | None]:
            return [None if adjoint is None else b.apply("index", adjoint, i) for adjoint in adjoints]

        if any(adjoint is not None for adjoint in adjoints):
            indexed(sweep, scope, Body(expr.size, expr.body, stm.vars, seed))

    return back


def reduce_rule(sweep: Sweep, stm: Stm) -> Back:
    """The rule of a reduction."""
    expr = stm.expr
    assert isinstance(expr, Reduce)
    if not sweep.varies(stm):
        sweep.emit(stm)
        return nothing
    names = operations(sweep, stm, ("add", "mul"))
    if None in names:
        return apart(sweep, stm, names, reduce_rule, _reduce_as_loop)
    if any(name in ("min", "max") for name in names) and not _only_reads(expr.body):
        alone = len(names) == 1 and not stm.vars[0].type.shape
        return extreme_rule(sweep, stm) if alone else _of_kept_elements(sweep, expr, stm, reduce_rule)
    sweep.emit(stm)

    def back(scope: Scope) -> None:
        seeds = [
            None if (adjoint := scope.take(var)) is None else _seed(sweep, scope, expr, k, names[k], var, adjoint)
            for k, var in enumerate(stm.vars)
        ]
        _elements(sweep, scope, expr, stm, names, seeds)

    return back


def _only_reads(body: Lambda) -> bool:
    return all(isinstance(stm.expr, Apply) and stm.expr.op == "index" for stm in body.body.stms)


def _of_kept_elements(sweep: Sweep, expr: Reduce | Scan, stm: Stm, rule: Rule) -> Back:
    """The elements first, then their reduction: the search for those that tie need not compute them again."""
    b = sweep.b
    arrays = tuple(fresh("elements", value.type.stacked(expr.size)) for value in expr.body.body.results)

    def read(inner: Builder, i: Var) -> Sequence[Atom]:
        return [inner.apply("index", array, i) for array in arrays]

    elements = sweep.adopt(Stm(arrays, Map(expr.size, expr.body), stm.pos))
    sweep.masked |= {array.name for array in arrays}
    first = map_rule(sweep, elements)
    reader = b.lam((Type(I64),), read, hints=("i",))
    again = type(expr)(expr.size, expr.op, expr.neutral, reader)
    second = rule(sweep, sweep.adopt(Stm(stm.vars, again, stm.pos)))

    def back(scope: Scope) -> None:
        second(scope)
        first(scope)

    return back


def scan_rule(sweep: Sweep, stm: Stm) -> Back:
    """The rule of prefixes."""
    expr = stm.expr
    assert isinstance(expr, Scan)
    if not sweep.varies(stm):
        sweep.emit(stm)
        return nothing
    names = operations(sweep, stm, ("add",))
    if None in names:
        return apart(sweep, stm, names, scan_rule, _scan_as_loop)
    if any(name in ("min", "max") for name in names) and not _only_reads(expr.body):
        return _of_kept_elements(sweep, expr, stm, scan_rule)
    sweep.emit(stm)

    def back(scope: Scope) -> None:
        seeds = [
            None if (adjoint := scope.take(var)) is None else _prefix_seed(scope, expr, k, names[k], var, adjoint)
            for k, var in enumerate(stm.vars)
        ]
        _elements(sweep, scope, expr, stm, names, seeds)

    return back


def _prefix_seed(scope: Scope, expr: Scan, k: int, name: str | None, out: Var, adjoint: Atom) -> ElementSeed:
    if name == "add":
        return _suffix_seed(scope.b, expr.size, adjoint)
    assert name is not None
    return running_seed(scope, expr, k, name, out, adjoint, lambda b, i: _element(b, scope, expr.body, k, i))


def _elements(
    sweep: Sweep,
    scope: Scope,
    expr: Reduce | Scan,
    stm: Stm,
    names: Sequence[str | None],
    seeds: Sequence[ElementSeed | None],
) -> None:
    """The return sweep of the body, given the seeds of its results."""

    def seed(b: Builder, i: Var, values: Sequence[Atom]) -> list[Atom | None]:
        return [None if s is None else s(b, i, value) for s, value in zip(seeds, values, strict=True)]

    if any(s is not None for s in seeds):
        outer = [var if name == "add" else None for var, name in zip(stm.vars, names, strict=True)]
        indexed(sweep, scope, Body(expr.size, expr.body, outer, seed))


def _seed(sweep: Sweep, scope: Scope, expr: Reduce, k: int, name: str | None, out: Var, adjoint: Atom) -> ElementSeed:
    """The adjoint of the elements of accumulator k."""
    match name:
        case "add":
            return lambda b, i, value: adjoint
        case "mul":
            zeros_win = out.name in sweep.masked & sweep.unbounded, out.name in sweep.steep
            return _product_seed(scope, expr, k, adjoint, *zeros_win)
        case _:
            return _extreme_seed(scope, expr, k, out, adjoint)


def _extreme_seed(scope: Scope, expr: Reduce, k: int, out: Var, adjoint: Atom) -> ElementSeed:
    """Equal shares for all elements that equal the result; the neutral element has it when there are none."""
    b, type, neutral = scope.b, out.type, expr.neutral[k]

    def hit(inner: Builder, i: Var) -> Sequence[Atom]:
        return (tied(inner, _element(inner, scope, expr.body, k, i), out),)

    (count,) = b.reduce(expr.size, sum_operator(b, (type,)), (zeros(b, type),), hit)
    share = elementwise(b, "div", adjoint, count)
    if scope.wants(neutral):
        scope.add(neutral, chosen(b, count, zeros(b, type), chosen(b, neutral, out, adjoint)))
    return lambda b, i, value: chosen(b, value, out, share)


def _product_seed(scope: Scope, expr: Reduce, k: int, adjoint: Atom, masked: bool, steep: bool) -> ElementSeed:
    """The product of all others: prefixes and suffixes, shifted by one place."""
    b, size, one = scope.b, expr.size, Lit(1.0, adjoint.type.dtype)
    last = b.apply("sub", size, i64(1))

    def mirrored(inner: Builder, i: Var) -> Sequence[Atom]:
        return (_element(inner, scope, expr.body, k, inner.apply("sub", last, i)),)

    (before,) = b.scan(size, "mul", (one,), lambda inner, i: (_element(inner, scope, expr.body, k, i),))
    (behind,) = b.scan(size, "mul", (one,), mirrored)

    def seed(inner: Builder, i: Var, _value: Atom) -> Atom:
        left = _shifted(inner, before, inner.apply("sub", i, i64(1)), one)
        right = _shifted(inner, behind, inner.apply("sub", inner.apply("sub", last, i), i64(1)), one)
        made = contribution(inner, inner.apply("mul", left, right), adjoint, masked, steep)
        assert made is not None  # no literal
        return made

    return seed


def _shifted(b: Builder, prefixes: Var, i: Atom, neutral: Atom) -> Atom:
    """Element i of prefixes; the neutral element before the first."""
    inside = b.apply("ge", i, i64(0))
    return b.if_(inside, lambda inner: (inner.apply("index", prefixes, i),), lambda inner: (neutral,))[0]


def _element(b: Builder, scope: Scope, body: Lambda, k: int, i: Atom) -> Atom:
    """Result k of the body at i, computed again."""
    block = rerun(substitute(inline(body, (i,)), scope.restorations()))
    return b.splice(block)[k]


def _suffix_seed(b: Builder, size: Atom, adjoint: Atom) -> ElementSeed:
    """The sum of the adjoints from a place on."""
    last = b.apply("sub", size, i64(1))
    element = adjoint.type.drop(1)

    def mirrored(inner: Builder, i: Var) -> Sequence[Atom]:
        return (inner.apply("index", adjoint, inner.apply("sub", last, i)),)

    (sums,) = b.scan(size, sum_operator(b, (element,)), (zeros(b, element),), mirrored)
    return lambda b, i, _value: b.apply("index", sums, b.apply("sub", last, i))


# -- any operator, as a loop --------------------------------------------------------------------


def _reduce_as_loop(sweep: Sweep, stm: Stm) -> Back:
    """A reduction as a loop over its elements."""
    expr = stm.expr
    assert isinstance(expr, Reduce)

    def step(b: Builder, i: Var, *accumulators: Var) -> Sequence[Atom]:
        values = b.splice(inline(expr.body, (i,)))
        return b.splice(inline(expr.op, (*accumulators, *values)))

    body = Builder(stm.pos).lam((Type(I64), *(x.type for x in expr.neutral)), step, hints=("i",))
    return for_rule(sweep, sweep.adopt(Stm(stm.vars, For(expr.size, expr.neutral, body), stm.pos)))


def _scan_as_loop(sweep: Sweep, stm: Stm) -> Back:
    """Prefixes as a loop that fills arrays."""
    expr = stm.expr
    assert isinstance(expr, Scan)
    b, count = sweep.b, len(expr.neutral)

    def step(b: Builder, i: Var, *carried: Var) -> Sequence[Atom]:
        values = b.splice(inline(expr.body, (i,)))
        new = b.splice(inline(expr.op, (*carried[:count], *values)))
        return (*new, *(b.apply("update", array, x, i) for array, x in zip(carried[count:], new, strict=True)))

    arrays = [zeros(b, var.type) for var in stm.vars]
    init = (*expr.neutral, *arrays)
    body = b.lam((Type(I64), *(x.type for x in init)), step, hints=("i",))
    lasts = tuple(fresh("last", x.type) for x in expr.neutral)
    loop = Stm((*lasts, *stm.vars), For(expr.size, init, body), stm.pos)
    return for_rule(sweep, sweep.adopt(loop))
