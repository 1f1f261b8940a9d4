"""The forward rule of scatter: the tangents are scattered to the same keys, so the last write wins for them too.

A scatter has one destination, so there are two of them. The second computes the keys and the tangents again when that
is straight-line code; when it contains loops, a map computes keys, values and tangents once and both scatters read
them. What is computed again is not checked again.
"""

from __future__ import annotations

from ..ir.build import Atoms, Builder
from ..ir.core import Apply, Block, Lambda, Map, Scatter, Stm
from ..ir.types import Atom, Var
from ..ir.walk import refresh
from ..passes.uses import slice_for
from .jvp_tangents import Tangents, dot
from .values import zeros


def push_scatter(t: Tangents, b: Builder, var: Var, expr: Scatter) -> None:
    """Emit a scatter, and one of tangents when the destination or what is written varies."""
    inner, block = b.child(), expr.body.body
    v_dot = t.push(t, inner, block)[-1]
    if v_dot is None and t.of(expr.dest) is None:
        b.stms.append(Stm((var,), expr, b.pos))
        return
    keys, value = block.results[:-1], block.results[-1]
    written = zeros(inner, value.type) if v_dot is None else v_dot
    var_dot, dest_dot = dot(var), t.filled(b, expr.dest)
    pushed = inner.block((*keys, value, written))
    again = slice_for(pushed, (*keys, written), checks=False)
    if all(isinstance(stm.expr, Apply) for stm in again.stms):
        first = Lambda(expr.body.params, slice_for(pushed, block.results, checks=True))
        second = refresh(Lambda(expr.body.params, again))
    else:
        first, second = _from_arrays(b, expr, pushed)
    b.stms.append(Stm((var,), Scatter(expr.size, expr.dest, expr.keys, first), b.pos))
    b.stms.append(Stm((var_dot,), Scatter(expr.size, dest_dot, expr.keys, second), b.pos))
    t.define(var, var_dot)


def _from_arrays(b: Builder, expr: Scatter, pushed: Block) -> tuple[Lambda, Lambda]:
    """The bodies of both scatters over arrays of keys, values and tangents, which are computed before."""
    types = [result.type.stacked(expr.size) for result in pushed.results]
    *keys, values, tangents = b.bind(types, Map(expr.size, Lambda(expr.body.params, pushed)))

    def reading(*arrays: Atom) -> Lambda:
        def body(b: Builder, i: Var) -> Atoms:
            return tuple(b.apply("index", array, i) for array in arrays)

        return b.lam((expr.body.params[0].type,), body, hints=("i",))

    return reading(*keys, values), reading(*keys, tangents)
