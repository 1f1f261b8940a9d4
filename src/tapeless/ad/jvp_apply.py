"""Forward rules of first-order operations.

For y = op(x_1, ..., x_k) with partials p_j from the operation's record, y_dot = p_1 x_1_dot + ... + p_k x_k_dot over
the operands that vary. Partials that are literally 1, -1 or 0 cost nothing. Where an operation is finite and its
partial is not (sqrt at 0, `roots`), a tangent that happens to be 0 stays 0; any other partial is multiplied as it is.

Operations that move values without changing them move the tangents in the same way, with the same indices and sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from ..ir.build import Builder, is_literal
from ..ir.core import Apply
from ..ir.op import Partial, lookup
from ..ir.types import Atom, Lit, Var
from .activity import opaque_operation
from .jvp_tangents import Tangents, dot_name
from .roots import is_root, level_at_zero
from .values import zeros


def apply_tangents(directions: Sequence[Tangents], b: Builder, expr: Apply, out: Var) -> list[Atom | None]:
    """The tangent of `out = expr`, whose statement has been emitted, in each direction; None where it is zero."""
    nothing: list[Atom | None] = [None] * len(directions)
    if not out.type.dtype.is_float and lookup(expr.op).partials != "opaque":
        return nothing
    if all(t.of(arg) is None for t in directions for arg in expr.args):
        return nothing
    match lookup(expr.op).partials:
        case "constant":
            return nothing
        case "opaque":
            raise opaque_operation(expr.op, b.pos)
        case "structural":
            return [_moved(t, b, expr, out) for t in directions]
        case partials:
            return _linear(directions, b, partials, expr, out)


def _linear(
    directions: Sequence[Tangents], b: Builder, partials: Sequence[Partial], expr: Apply, out: Var
) -> list[Atom | None]:
    """The sum of partial times tangent; a partial is computed once for all directions."""
    totals: list[Atom | None] = [None] * len(directions)
    for arg in dict.fromkeys(expr.args):
        dots = [t.of(arg) for t in directions]
        if any(x_dot is not None for x_dot in dots):
            partial, product = _partial(b, partials, expr.args, arg, out), "mul"
            if arg == expr.args[0] and is_root(expr):
                partial, product = level_at_zero(b, expr, partial, directions[0].flat), "scale"
            for k, x_dot in enumerate(dots):
                if x_dot is not None:
                    totals[k] = _plus(b, totals[k], partial, x_dot, product, dot_name(out))
    return totals


def _partial(b: Builder, partials: Sequence[Partial], args: Sequence[Atom], arg: Atom, out: Var) -> Atom:
    """The partial by one variable, which may be several of the operands: `x * x` has 2x."""
    first, *others = [rule(b, args, out) for rule, operand in zip(partials, args, strict=True) if operand == arg]
    for other in others:
        if _is_whole(first) and _is_whole(other):
            first = Lit(float(first.value) + float(other.value), out.type.dtype)
        else:
            first = b.apply("add", first, other)
    return first


def _is_whole(atom: Atom) -> TypeGuard[Lit]:
    """A literal like 1 or -1, whose sums are exact: rounding is not the business of a rule."""
    return isinstance(atom, Lit) and float(atom.value).is_integer()


def _plus(b: Builder, total: Atom | None, partial: Atom, x_dot: Atom, product: str, hint: str) -> Atom | None:
    """`total + partial * x_dot`, by the given kind of product."""
    if is_literal(partial, 0.0):
        return total
    if is_literal(partial, -1.0):
        return b.apply("neg", x_dot, hint=hint) if total is None else b.apply("sub", total, x_dot, hint=hint)
    if is_literal(x_dot, -1.0):
        return b.apply("neg", partial, hint=hint) if total is None else b.apply("sub", total, partial, hint=hint)
    if is_literal(partial, 1.0):
        term = x_dot
    else:
        term = partial if is_literal(x_dot, 1.0) else b.apply(product, partial, x_dot, hint=hint)
    return term if total is None else b.apply("add", total, term, hint=hint)


def _moved(t: Tangents, b: Builder, expr: Apply, out: Var) -> Atom | None:
    """The same movement of the tangents, with zeros for the operands that have none."""
    op, args = expr.op, expr.args
    if op == "accumulate":
        return _accumulated(t, b, args, dot_name(out))
    if op == "scale":
        return _scaled(t, b, args, dot_name(out))
    moving = range(1, 3) if op == "select" else range(_moving(op, len(args)))
    moved = [t.filled(b, arg) if k in moving else arg for k, arg in enumerate(args)]
    if all(t.of(args[k]) is None for k in moving):
        return None
    return b.apply(op, *moved, attrs=expr.attrs, hint=dot_name(out))


def _scaled(t: Tangents, b: Builder, args: Sequence[Atom], hint: str) -> Atom | None:
    """Of `scale(x, y)`: a term whose second factor is exactly zero is zero again."""
    (x, y), total = args, None
    for factor, value in ((x, t.of(y)), (t.of(x), y)):
        if factor is not None and value is not None:
            term = b.apply("scale", factor, value, hint=hint)
            total = term if total is None else b.apply("add", total, term, hint=hint)
    return total


def _moving(op: str, operands: int) -> int:
    """How many leading operands hold the values that are moved; the others are indices and sizes."""
    match op:
        case "update" | "update_slice":
            return 2
        case "concat":
            return operands - 1
        case "stack":
            return operands
        case _:
            return 1


def _accumulated(t: Tangents, b: Builder, args: Sequence[Atom], hint: str) -> Atom | None:
    """`a[i] += v`: nothing is written where v does not vary."""
    array, value, *at = args
    a_dot, v_dot = t.of(array), t.of(value)
    if v_dot is None:
        return a_dot
    into = zeros(b, array.type) if a_dot is None else a_dot
    return b.apply("accumulate", into, v_dot, *at, hint=hint)
