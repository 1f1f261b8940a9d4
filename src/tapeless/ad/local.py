"""Reverse rules of the operations of the table.

A scalar operation y = f(a, b): a_adj += f_a * y_adj, from the `partials` of its record. Operations that move values
move adjoints back. A write remembers what it overwrites, so that the return sweep can restore the array in place and
the blocks before the write see it as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Stm
from ..ir.op import lookup
from ..ir.types import Atom, Lit, Var, i64, zero
from .adjoints import Scope, Span
from .roots import level_at_zero
from .sweep import Back, Sweep, nothing
from .values import times, total

Structural = Callable[[Scope, Apply, Atom], None]


def apply_rule(sweep: Sweep, stm: Stm) -> Back:
    """The rule of an operation."""
    expr = stm.expr
    assert isinstance(expr, Apply)
    if expr.op in ("update", "update_slice", "accumulate"):
        return _write(sweep, stm, expr)
    sweep.emit(stm)
    if not sweep.varies(stm):
        return nothing
    rule, out = STRUCTURAL.get(expr.op), stm.vars[0]

    def back(scope: Scope) -> None:
        out_adj = scope.take(out)
        if out_adj is None:
            return
        if rule is not None:
            rule(scope, expr, out_adj)
        else:
            _scalar(sweep, scope, stm, expr, out_adj)

    return back


def _scalar(sweep: Sweep, scope: Scope, stm: Stm, expr: Apply, out_adj: Atom) -> None:
    partials, out, b = lookup(expr.op).partials, stm.vars[0], scope.b
    assert not isinstance(partials, str), expr.op
    for k, (operand, partial) in enumerate(zip(expr.args, partials, strict=True)):
        if scope.wants(operand):
            factor = partial(b, expr.args, out)
            if k == 0:
                factor = level_at_zero(b, expr, factor, sweep.flat)
            zeros_win = sweep.needs_guard(stm), sweep.may_meet_infinity(stm, k)
            scope.add(operand, contribution(b, factor, out_adj, *zeros_win))


def contribution(b: Builder, factor: Atom, adjoint: Atom, masked: bool, steep: bool) -> Atom | None:
    """The product of a partial and an adjoint; None for zero.

    An adjoint that was masked to zero stays zero whatever the partial is, and a partial that is zero makes it zero
    where the adjoint may be infinite.
    """
    if isinstance(factor, Lit):
        return None if factor.value == 0 else times(b, factor, adjoint)
    if masked and steep:
        nil = zero(factor.type.dtype)
        return b.apply("select", b.apply("eq", factor, nil), nil, b.apply("scale", factor, adjoint))
    if steep:
        return b.apply("scale", adjoint, factor)
    return b.apply("scale" if masked else "mul", factor, adjoint)


# -- moving values ------------------------------------------------------------------------------


def _select(scope: Scope, expr: Apply, out_adj: Atom) -> None:
    cond, yes, no = expr.args
    nil = zero(out_adj.type.dtype)
    if scope.wants(yes):
        scope.add(yes, scope.b.apply("select", cond, out_adj, nil))
    if scope.wants(no):
        scope.add(no, scope.b.apply("select", cond, nil, out_adj))


def _scale(scope: Scope, expr: Apply, out_adj: Atom) -> None:
    """Where y was masked to zero it stays so nearby, and x has no influence, though `out_adj` may be infinite."""
    x, y = expr.args
    if scope.wants(x):
        scope.add(x, scope.b.apply("scale", out_adj, y))
    if scope.wants(y):
        scope.add(y, scope.b.apply("scale", x, out_adj))


def _convert(scope: Scope, expr: Apply, out_adj: Atom) -> None:
    scope.add(expr.args[0], scope.b.apply("convert", out_adj, attrs=(expr.args[0].type.dtype,)))


def _index(scope: Scope, expr: Apply, out_adj: Atom) -> None:
    scope.add(expr.args[0], out_adj, *expr.args[1:])


def _slice(scope: Scope, expr: Apply, out_adj: Atom) -> None:
    triples = expr.args[1:]
    spans = [Span(*triples[k : k + 3]) for k in range(0, len(triples), 3)]
    scope.add(expr.args[0], out_adj, *spans)


def _transpose(scope: Scope, expr: Apply, out_adj: Atom) -> None:
    inverse = tuple(expr.attrs.index(k) for k in range(len(expr.attrs)))
    scope.add(expr.args[0], scope.b.apply("transpose", out_adj, attrs=inverse))


def _reshape(scope: Scope, expr: Apply, out_adj: Atom) -> None:
    scope.add(expr.args[0], scope.b.apply("reshape", out_adj, *expr.args[0].type.shape))


def _replicate(scope: Scope, expr: Apply, out_adj: Atom) -> None:
    scope.add(expr.args[0], total(scope.b, out_adj, len(expr.args) - 1))


def _concat(scope: Scope, expr: Apply, out_adj: Atom) -> None:
    parts, (axis,) = expr.args[:-1], expr.attrs
    assert isinstance(axis, int)
    start: Atom = i64(0)
    for k, part in enumerate(parts):
        shape = part.type.shape
        if scope.wants(part):
            whole = [(i64(0), size, i64(1)) for size in shape[:axis]]
            triples = [x for triple in (*whole, (start, shape[axis], i64(1))) for x in triple]
            scope.add(part, scope.b.apply("slice", out_adj, *triples))
        if k + 1 < len(parts):
            start = scope.b.apply("add", start, shape[axis])


def _stack(scope: Scope, expr: Apply, out_adj: Atom) -> None:
    for k, part in enumerate(expr.args):
        if scope.wants(part):
            scope.add(part, scope.b.apply("index", out_adj, i64(k)))


STRUCTURAL: dict[str, Structural] = {
    "select": _select,
    "scale": _scale,
    "convert": _convert,
    "index": _index,
    "slice": _slice,
    "transpose": _transpose,
    "reshape": _reshape,
    "replicate": _replicate,
    "concat": _concat,
    "stack": _stack,
}

# -- writing ------------------------------------------------------------------------------------


def _write(sweep: Sweep, stm: Stm, expr: Apply) -> Back:
    """`out = array with part written`: the old part is kept for the return sweep."""
    array, value = expr.args[:2]
    out = stm.vars[0]
    old = read_back(sweep.b, expr)
    sweep.emit(stm)

    def back(scope: Scope) -> None:
        if isinstance(array, Var):
            scope.restore(array, write_back(scope.b, expr, scope.primal(out), old))
        out_adj = scope.take(out)
        if out_adj is None:
            return
        part = _part(scope.b, expr, out_adj) if scope.wants(value) else None
        scope.add(value, part)
        if expr.op == "accumulate":
            scope.add(array, out_adj)
        elif scope.wants(array):
            scope.add(array, scope.without(out_adj, expr, part))

    return back


def read_back(b: Builder, expr: Apply) -> Var:
    """What a write is about to overwrite."""
    return _part(b, expr, expr.args[0])


def write_back(b: Builder, expr: Apply, out: Atom, old: Atom) -> Var:
    """The array as it was before the write."""
    op = "update_slice" if expr.op == "update_slice" else "update"
    return b.apply(op, out, old, *expr.args[2:])


def _part(b: Builder, expr: Apply, array: Atom) -> Var:
    """The part of an array that a write concerns."""
    if expr.op != "update_slice":
        return b.apply("index", array, *expr.args[2:])
    return b.apply("slice", array, *slice_triples(expr.args[1], expr.args[2:]))


def slice_triples(part: Atom, pairs: Sequence[Atom]) -> list[Atom]:
    """start, size, step for each pair start, step of a write of `part`."""
    sizes = part.type.shape
    return [x for k in range(len(pairs) // 2) for x in (pairs[2 * k], sizes[k], pairs[2 * k + 1])]
