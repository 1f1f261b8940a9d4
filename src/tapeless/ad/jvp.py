"""Forward mode: every statement is followed by the statements of its tangent.

`pushforward` takes a block and tangents of its free variables, and emits the block with everything that varies
doubled: a branch also returns the tangents of its results, a loop also carries the tangents of what it carries, a map
also stacks tangents. First-order operations are in `jvp_apply`, operators with accumulators in `jvp_combine`, scatter
in `jvp_scatter`. The result is a program like any other, so it can be differentiated again.

The values are those of the given block, and conditions, indices and trip counts are its own: the derivative is that
of the path taken. Checks are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.build import Atoms, Builder
from ..ir.core import Apply, Block, Check, Custom, Expr, For, Hist, If, Lambda, Map, Reduce, Scan, Scatter, Stm, While
from ..ir.types import Atom, Var
from ..ir.walk import inline
from .activity import varied
from .custom import push_custom
from .jvp_apply import apply_tangent
from .jvp_combine import push_hist, push_reduce
from .jvp_scatter import push_scatter
from .jvp_tangents import MaybeAtoms, Tangents, dot
from .values import zeros


def pushforward(b: Builder, block: Block, tangents: Mapping[Var, Atom]) -> tuple[Atoms, MaybeAtoms]:
    """Emit a copy of `block` with its tangents; the results, and the tangent of each.

    `tangents` holds the tangents of free variables, of the same types; other free variables are constants. The tangent
    of a result is None when it is exactly zero, and for results that are not floats. All names bound are fresh, so a
    block may be pushed any number of times.
    """
    copy = inline(Lambda((), block), ())
    known = {var.name: x_dot for var, x_dot in tangents.items()}
    dots = _push(Tangents(known, varied(copy, known), _push), b, copy)
    return copy.results, dots


def _push(t: Tangents, b: Builder, block: Block) -> MaybeAtoms:
    for stm in block.stms:
        with b.at(stm.pos):
            _statement(t, b, stm)
    return tuple(t.of(result) for result in block.results)


def _statement(t: Tangents, b: Builder, stm: Stm) -> None:
    match stm.expr:
        case Apply() as expr:
            b.stms.append(stm)
            t.define(stm.vars[0], apply_tangent(t, b, expr, stm.vars[0]))
        case Check():
            b.stms.append(stm)
        case If() as expr:
            _if(t, b, stm.vars, expr)
        case For(count, init, body):
            at, start, lam = _loop(t, b, init, body, body.params[1:])
            _emit(t, b, stm.vars, at, For(count, start, lam))
        case While() as expr:
            _while(t, b, stm.vars, expr)
        case Map(size, body):
            inner = b.child()
            dots = t.push(t, inner, body.body)
            at = tuple(k for k, x_dot in enumerate(dots) if x_dot is not None)
            results = (*body.body.results, *(x_dot for x_dot in dots if x_dot is not None))
            _emit(t, b, stm.vars, at, Map(size, Lambda(body.params, inner.block(results))))
        case Reduce() | Scan() as expr:
            push_reduce(t, b, stm.vars, expr)
        case Hist() as expr:
            push_hist(t, b, stm.vars, expr)
        case Scatter() as expr:
            push_scatter(t, b, stm.vars[0], expr)
        case Custom() as expr:
            push_custom(t, b, stm.vars, expr)


def _emit(t: Tangents, b: Builder, vars: Sequence[Var], at: Sequence[int], expr: Expr) -> None:
    """Bind the values and, after them, the tangents of those at the given positions."""
    b.stms.append(Stm((*vars, *t.dotted(vars, at)), expr, b.pos))


def _if(t: Tangents, b: Builder, vars: Sequence[Var], expr: If) -> None:
    """Both arms return the tangents of what varies in either; an arm where it does not returns zeros."""
    arms = [(block, inner := b.child(), t.push(t, inner, block)) for block in (expr.then, expr.orelse)]
    at = tuple(k for k in range(len(vars)) if any(dots[k] is not None for _, _, dots in arms))
    blocks: list[Block] = []
    for block, inner, dots in arms:
        tangents: list[Atom] = []
        for k in at:
            x_dot = dots[k]
            tangents.append(zeros(inner, block.results[k].type) if x_dot is None else x_dot)
        blocks.append(inner.block((*block.results, *tangents)))
    _emit(t, b, vars, at, If(expr.cond, blocks[0], blocks[1]))


def _loop(
    t: Tangents, b: Builder, init: Atoms, body: Lambda, carried: Sequence[Var]
) -> tuple[tuple[int, ...], Atoms, Lambda]:
    """The carried values that vary, and the initial values and body with their tangents after the values."""
    at = t.varying(carried)
    start = (*init, *(t.filled(b, init[k]) for k in at))
    params = (*body.params, *t.dotted(carried, at))
    inner = b.child()
    return at, start, Lambda(params, inner.block(t.filled_block(inner, body.body, at)))


def _while(t: Tangents, b: Builder, vars: Sequence[Var], expr: While) -> None:
    """As for a counted loop; the condition takes the tangents, and does not read them."""
    at, start, body = _loop(t, b, expr.init, expr.body, expr.body.params)
    unread = tuple(dot(expr.cond.params[k]) for k in at)
    cond = Lambda((*expr.cond.params, *unread), expr.cond.body)
    _emit(t, b, vars, at, While(start, cond, body))
