"""What a known result tells of the operands: first-order operations.

Exact in integers, whose products tell a factor where the other one is an odd literal. In floats `(x + e) - e` is x up
to one rounding. A product tells a factor where the other one is a literal that is not zero: then the quotient is x up
to rounding too, and what was lost in the product cannot grow. Other factors that are never zero are found in `systems`;
any known one does where the inverse may check that it is not zero.
"""

from __future__ import annotations

from ..ir.build import Builder
from ..ir.core import Apply, Lambda, Map, Stm
from ..ir.types import I64, Atom, Lit, Type, Var, i64
from ..ir.walk import fresh
from .arrays import dig
from .exchange import undo_exchange
from .linear_bits import undo_linear
from .solving import Solving
from .triangular import undo_triangular


def undo_operation(s: Solving, stm: Stm) -> None:
    """Learn what can be learned of the operands."""
    expr, (var,) = stm.expr, stm.vars
    assert isinstance(expr, Apply)
    if expr.op in ("update", "update_slice"):
        undo_exchange(s, expr, var)
        _undo_write(s, expr, var)
        return
    result = s.at_hand(var)
    if result is None:
        return
    match expr.op:
        case "add" | "sub" | "xor":
            _undo_sum(s, expr, var, result)
        case "or":
            undo_linear(s, var, result)
        case "neg" | "not":
            s.learn(expr.args[0], s.b.apply(expr.op, result))
        case "mul" | "div" if expr.args[0].type.dtype.is_float:
            _undo_product(s, expr, result)
        case "mul":
            _undo_whole_product(s, expr, result)
        case "accumulate":
            _undo_accumulation(s, expr, result)
        case "reshape":
            s.learn(expr.args[0], s.b.apply("reshape", result, *s.type(expr.args[0].type).shape))
        case "transpose":
            order = tuple(expr.attrs.index(k) for k in range(len(expr.attrs)))
            s.learn(expr.args[0], s.b.apply("transpose", result, attrs=order))
        case "stack":
            for k, arg in enumerate(expr.args):
                if not s.is_known(arg):
                    s.learn(arg, s.b.apply("index", result, i64(k)))
        case "concat":
            _undo_concat(s, expr, result)
        case _:
            pass


def _undo_concat(s: Solving, expr: Apply, result: Atom) -> None:
    """Each part from where it stands."""
    (axis,), parts = expr.attrs, expr.args[:-1]
    assert isinstance(axis, int)
    before = [x for size in parts[0].type.shape[:axis] for x in (i64(0), s.value(size), i64(1))]
    start: Atom = i64(0)
    for part in parts:
        size = s.value(part.type.shape[axis])
        if not s.is_known(part):
            s.learn(part, s.b.apply("slice", result, *before, start, size, i64(1)))
        start = s.b.apply("add", start, size)


def _undo_sum(s: Solving, expr: Apply, var: Var, result: Atom) -> None:
    """`x + y`, `x - y` or `x ^ y`: one of them from the other, or both from what they have in common."""
    x, y = expr.args
    if (known := s.try_value(y)) is not None:
        if s.try_value(x) is None:
            s.learn(x, s.b.apply(_INVERSE[expr.op], result, known))
    elif (known := s.try_value(x)) is not None:
        operands = (known, result) if expr.op == "sub" else (result, known)
        s.learn(y, s.b.apply("xor" if expr.op == "xor" else "sub", *operands))
    elif not undo_triangular(s, expr, result):
        undo_linear(s, var, result)


_INVERSE = {"add": "sub", "sub": "add", "xor": "xor"}


def _undo_product(s: Solving, expr: Apply, result: Atom) -> None:
    x, y = expr.args
    if _is_factor(y):
        s.learn(x, s.b.apply("div" if expr.op == "mul" else "mul", result, y))
    elif _is_factor(x):
        operands = (result, x) if expr.op == "mul" else (x, result)
        s.learn(y, s.b.apply("div", *operands))
    elif expr.op == "div" and s.try_value(x) is None and (known := s.try_value(y)) is not None:
        # Where the divisor is zero, the quotient is no number already.
        s.learn(x, s.b.apply("mul", result, known))
    elif expr.op == "mul" and s.checks:
        _undo_checked(s, (x, y), result)
        _undo_checked(s, (y, x), result)


def _undo_checked(s: Solving, operands: tuple[Atom, Atom], result: Atom) -> None:
    """A factor that is known when the inverse runs: it must not be zero."""
    unknown, factor = operands
    if isinstance(factor, Lit) or s.try_value(unknown) is not None:
        return
    if (known := s.try_value(factor)) is not None:
        s.b.check("nonzero", known)
        s.learn(unknown, s.b.apply("div", result, known))


def _undo_whole_product(s: Solving, expr: Apply, result: Atom) -> None:
    """Odd numbers have an inverse modulo 2^64: how generators of random numbers run backwards."""
    for x, factor in (expr.args, expr.args[::-1]):
        if isinstance(factor, Lit) and int(factor.value) % 2:
            half = 1 << (8 * factor.dtype.itemsize - 1)
            inverse = pow(int(factor.value), -1, 2 * half)
            s.learn(x, s.b.apply("mul", result, Lit((inverse + half) % (2 * half) - half, factor.dtype)))


def _is_factor(atom: Atom) -> bool:
    return isinstance(atom, Lit) and float(atom.value) not in (0.0, float("inf"), float("-inf"))


def _undo_write(s: Solving, expr: Apply, var: Var) -> None:
    """`a` with `v` at a place: v is there now, and a is the same elsewhere."""
    hole = s.hole(var)
    result, gaps = (s.at_hand(var), ()) if hole is None else (hole.rest, hole.gaps)
    if result is None:
        return
    array, value, *place = expr.args
    access, operands = "index", place
    if expr.op == "update_slice":
        access, sizes = "slice", value.type.shape
        operands = [x for k in range(len(place) // 2) for x in (place[2 * k], sizes[k], place[2 * k + 1])]
    if not s.is_known(value) and (hole is None or s.is_beside(hole, s.place(access, operands), s.here(operands))):
        s.learn(value, s.b.apply(access, result, *(s.value(x) for x in operands)))
    if isinstance(array, Var) and s.try_value(array) is None:
        dig(s, array, result, gaps, access, operands)


def _undo_accumulation(s: Solving, expr: Apply, result: Atom) -> None:
    array, value, *place = expr.args
    if s.try_value(array) is None and (known := s.try_value(value)) is not None:
        here = [s.value(x) for x in place]
        s.learn(array, s.b.apply("accumulate", result, negated(s.b, known), *here))


def negated(b: Builder, value: Atom) -> Atom:
    """The negative of a number or of each element of an array."""
    if not value.type.shape:
        return b.apply("neg", value)
    i, inner = fresh("i", Type(I64)), b.child()
    row = negated(inner, inner.apply("index", value, i))
    return b.bind((value.type,), Map(value.type.shape[0], Lambda((i,), inner.block((row,)))))[0]
