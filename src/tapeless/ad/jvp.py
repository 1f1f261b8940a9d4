"""Forward mode: every statement is followed by the statements of its tangent.

`pushforward` takes a block and tangents of its free variables, and emits the block with everything that varies
doubled: a branch also returns the tangents of its results, a loop also carries the tangents of what it carries, a map
also stacks tangents. First-order operations are in `jvp_apply`, operators with accumulators in `jvp_combine`, scatter
in `jvp_scatter`. The result is a program like any other, so it can be differentiated again.

Several directions are pushed in one go (`pushforwards`) where nothing but code of first order, branches, loops, maps
and sums (`jvp_sums`) varies: each statement is followed by its tangents in all directions in which it has one.

The values are those of the given block, and conditions, indices and trip counts are its own: the derivative is that
of the path taken. Checks are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from ..ir.build import Atoms, Builder, is_literal
from ..ir.core import Apply, Block, Check, Custom, Expr, For, Hist, If, Lambda, Map, Reduce, Scan, Scatter, Stm, While
from ..ir.types import Atom, Var
from ..ir.walk import inline, lambdas
from .activity import varied
from .custom import push_custom
from .jvp_apply import apply_tangents
from .jvp_combine import push_hist, push_reduce
from .jvp_scatter import push_scatter
from .jvp_sums import is_sum, push_sums
from .jvp_tangents import MaybeAtoms, Tangents, dot, filled_results
from .roots import flat
from .segments import Collapse, Segment
from .segments import dot as inner_product
from .values import zeros


def pushforward(
    b: Builder, block: Block, tangents: Mapping[Var, Atom], collapse: Collapse | None = None
) -> tuple[Atoms, MaybeAtoms]:
    """Emit a copy of `block` with its tangents; the results, and the tangent of each.

    `tangents` holds the tangents of free variables, of the same types; other free variables are constants. The tangent
    of a result is None when it is exactly zero, and for results that are not floats. All names bound are fresh, so a
    block may be pushed any number of times. `collapse` may know a cheaper way through segments.
    """
    values, dots = pushforwards(b, block, (tangents,), collapse)
    return values, dots[0]


def pushforwards(
    b: Builder, block: Block, directions: Sequence[Mapping[Var, Atom]], collapse: Collapse | None = None
) -> tuple[Atoms, tuple[MaybeAtoms, ...]]:
    """Emit a copy of `block` with its tangents in several directions, for which `pushes_together` must hold.

    The results, and for each direction their tangents: what they have in common is computed once.
    """
    copy = inline(Lambda((), block), ())
    return copy.results, _push(_directions(copy, directions, collapse), b, copy)


def _directions(block: Block, directions: Sequence[Mapping[Var, Atom]], collapse: Collapse | None) -> list[Tangents]:
    ts: list[Tangents] = []
    level = flat(block)
    for tangents in directions:
        known = {var.name: x_dot for var, x_dot in tangents.items() if not is_literal(x_dot, 0.0)}
        ts.append(Tangents(known, varied(block, known), level, _push_alone, collapse))
    return ts


def push_in_place(
    b: Builder, stm: Stm, directions: Sequence[Mapping[Var, Atom]], collapse: Collapse | None = None
) -> tuple[MaybeAtoms, ...]:
    """Emit a statement, under its own names, with its tangents; those of its variables in each direction."""
    block = Block((stm,), stm.vars)
    return _push(_directions(block, directions, collapse), b, block)


def pushes_together(block: Block, names: AbstractSet[str], directions: int) -> bool:
    """Can a block be pushed in so many directions at once, when the variables of these names vary?

    Operators whose accumulators vary go one by one, but for sums.
    """
    for stm in block.stms:
        varies = [var.name in names for var in stm.vars]
        ruled = isinstance(stm.expr, Custom) and stm.expr.forward is not None
        one_by_one = (ruled or isinstance(stm.expr, Reduce | Scan | Hist | Scatter)) and any(varies)
        if one_by_one and not is_sum(stm.expr, varies, directions):
            return False
        if not all(pushes_together(lam.body, names, directions) for lam in lambdas(stm.expr)):
            return False
    return True


def _push(ts: Sequence[Tangents], b: Builder, block: Block) -> tuple[MaybeAtoms, ...]:
    collapse = ts[0].collapse
    for part in block.stms if collapse is None else collapse.parts(block, set[str]().union(*(t.varied for t in ts))):
        if isinstance(part, Stm):
            with b.at(part.pos):
                _statement(ts, b, part)
        else:
            _segment(ts, b, part)
    return tuple(tuple(t.of(result) for result in block.results) for t in ts)


def _segment(ts: Sequence[Tangents], b: Builder, segment: Segment) -> None:
    """A segment, by what collapses it, or one statement after another."""
    collapse, inner = ts[0].collapse, b.child()
    assert collapse is not None
    if segment.whole and (accumulated := collapse.jacobian(segment)) is not None:
        b.stms += accumulated.stms
        for t in ts:
            dots = [t.of(x) for x in segment.inputs]
            for r, result in enumerate(segment.block.results):
                assert isinstance(result, Var)
                row = [(accumulated.entries.get((r, k)), x_dot) for k, x_dot in enumerate(dots)]
                t.define(result, inner_product(b, row))
        return
    found = None if segment.whole else collapse.push(inner, segment, [[t.of(x) for x in segment.inputs] for t in ts])
    if found is None:
        for stm in segment.block.stms:
            with b.at(stm.pos):
                _statement(ts, b, stm)
        return
    b.stms += [*segment.block.stms, *inner.stms]
    for t, dots in zip(ts, found, strict=True):
        for result, x_dot in zip(segment.block.results, dots, strict=True):
            assert isinstance(result, Var)
            t.define(result, x_dot)


def _push_alone(t: Tangents, b: Builder, block: Block) -> MaybeAtoms:
    return _push((t,), b, block)[0]


def _statement(ts: Sequence[Tangents], b: Builder, stm: Stm) -> None:
    match stm.expr:
        case Apply() as expr:
            b.stms.append(stm)
            for t, x_dot in zip(ts, apply_tangents(ts, b, expr, stm.vars[0]), strict=True):
                t.define(stm.vars[0], x_dot)
        case Check():
            b.stms.append(stm)
        case If() as expr:
            _if(ts, b, stm.vars, expr)
        case For(count, init, body):
            at, start, lam = _loop(ts, b, init, body, body.params[1:])
            _emit(ts, b, stm.vars, at, For(count, start, lam))
        case While() as expr:
            _while(ts, b, stm.vars, expr)
        case Map(size, body):
            inner = b.child()
            dots = _push(ts, inner, body.body)
            at = [_present(found) for found in dots]
            results = (*body.body.results, *(x_dot for found in dots for x_dot in found if x_dot is not None))
            _emit(ts, b, stm.vars, at, Map(size, Lambda(body.params, inner.block(results))))
        case Custom(_, body, None):
            inner = b.child()
            dots = _push(ts, inner, body.body)
            results = (*body.body.results, *(x_dot for found in dots for x_dot in found if x_dot is not None))
            _emit(ts, b, stm.vars, [_present(found) for found in dots], Custom((), Lambda((), inner.block(results))))
        case _:
            _operator(ts, b, stm)


def _operator(ts: Sequence[Tangents], b: Builder, stm: Stm) -> None:
    """A form with accumulators: a sum, or in one direction, or in none."""
    if not any(var.name in t.varied for t in ts for var in stm.vars):
        b.stms.append(stm)
        return
    if len(ts) > 1:
        expr = stm.expr
        assert isinstance(expr, Reduce | Scan)
        push_sums(ts, b, stm.vars, expr, lambda inner: _push(ts, inner, expr.body.body))
        return
    (t,) = ts
    match stm.expr:
        case Reduce() | Scan() as expr:
            push_reduce(t, b, stm.vars, expr)
        case Hist() as expr:
            push_hist(t, b, stm.vars, expr)
        case Scatter() as expr:
            push_scatter(t, b, stm.vars[0], expr)
        case Custom() as expr:
            push_custom(t, b, stm.vars, expr)
        case _:
            raise AssertionError(stm.expr)


# For each direction, the positions of the values that have a tangent in it.
Places: TypeAlias = Sequence[Sequence[int]]


def _present(dots: MaybeAtoms) -> tuple[int, ...]:
    return tuple(k for k, x_dot in enumerate(dots) if x_dot is not None)


def _emit(ts: Sequence[Tangents], b: Builder, vars: Sequence[Var], at: Places, expr: Expr) -> None:
    """Bind the values and, after them, the tangents of those at the given positions."""
    b.stms.append(Stm((*vars, *_dotted(ts, vars, at)), expr, b.pos))


def _dotted(ts: Sequence[Tangents], vars: Sequence[Var], at: Places) -> tuple[Var, ...]:
    return tuple(x_dot for t, places in zip(ts, at, strict=True) for x_dot in t.dotted(vars, places))


def _if(ts: Sequence[Tangents], b: Builder, vars: Sequence[Var], expr: If) -> None:
    """Both arms return the tangents of what varies in either; an arm where it does not returns zeros."""
    arms = [(block, inner := b.child(), _push(ts, inner, block)) for block in (expr.then, expr.orelse)]
    at = [sorted({*_present(left), *_present(right)}) for left, right in zip(arms[0][2], arms[1][2], strict=True)]
    blocks: list[Block] = []
    for block, inner, dots in arms:
        tangents: list[Atom] = []
        for found, places in zip(dots, at, strict=True):
            for k in places:
                x_dot = found[k]
                tangents.append(zeros(inner, block.results[k].type) if x_dot is None else x_dot)
        blocks.append(inner.block((*block.results, *tangents)))
    _emit(ts, b, vars, at, If(expr.cond, blocks[0], blocks[1]))


def _loop(
    ts: Sequence[Tangents], b: Builder, init: Atoms, body: Lambda, carried: Sequence[Var]
) -> tuple[Places, Atoms, Lambda]:
    """The carried values that vary, and the initial values and body with their tangents after the values."""
    at = [t.varying(carried) for t in ts]
    start = (*init, *(t.filled(b, init[k]) for t, places in zip(ts, at, strict=True) for k in places))
    params = (*body.params, *_dotted(ts, carried, at))
    inner = b.child()
    dots = _push(ts, inner, body.body)
    results = body.body.results
    tangents = [filled_results(inner, results, found, places) for found, places in zip(dots, at, strict=True)]
    return at, start, Lambda(params, inner.block((*results, *(x_dot for found in tangents for x_dot in found))))


def _while(ts: Sequence[Tangents], b: Builder, vars: Sequence[Var], expr: While) -> None:
    """As for a counted loop; the condition takes the tangents, and does not read them."""
    at, start, body = _loop(ts, b, expr.init, expr.body, expr.body.params)
    unread = tuple(dot(expr.cond.params[k]) for places in at for k in places)
    cond = Lambda((*expr.cond.params, *unread), expr.cond.body)
    _emit(ts, b, vars, at, While(start, cond, body))
