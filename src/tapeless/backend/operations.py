"""`Apply` and `Check`: operations of the table on scalars, and run-time conditions.

A failed check leaves the function with the number of its site; in vector code it leaves the vector
loop, and the scalar loop that takes over raises the fault of the first iteration that has one.
"""

from __future__ import annotations

from ..ir.core import Apply, Check, Stm
from ..ir.types import BOOL, I64, DType, zero
from . import affine, ring, wrapping
from .arrays import OPERATIONS
from .emitter import Emitter
from .text import constant, llvm_type
from .values import Scalar

_AFFINE = {"add": affine.add, "sub": affine.sub, "mul": affine.mul}
_AGAINST_ZERO = {"nonzero": "ne", "nonneg": "ge", "nonempty": "gt"}


def emit_apply(e: Emitter, stm: Stm) -> None:
    """One operation of the table."""
    expr = stm.expr
    assert isinstance(expr, Apply)
    if expr.op in OPERATIONS:
        OPERATIONS[expr.op](e, stm, expr)
        return
    var, args = stm.vars[0], [e.scalar(arg) for arg in expr.args]
    if expr.op in _AFFINE and var.type.dtype is I64:
        result = _AFFINE[expr.op](e, args[0], args[1])
    elif ring.is_turned(e, expr.op, args):
        result = ring.mod(e, args[0], args[1])
    else:
        op = "rounded_mul" if var in e.kernel.rounded_apart else expr.op
        result = e.apply(op, args, var.type.dtype, expr.attrs)
    e.bind(var, result)


def emit_check(e: Emitter, stm: Stm) -> None:
    """A condition that must hold in every active lane."""
    expr = stm.expr
    assert isinstance(expr, Check)
    raw = e.kernel.unwrapped.get(id(expr))
    if e.width == 1 and raw is not None:
        wrapping.emit(e, stm, e.scalar(raw))
        return
    holds = _condition(e, expr)
    if holds.text == "true":
        return
    good = e.w.new_label("good")
    if e.width > 1:
        _bail_unless(e, holds, good)
    else:
        site = e.kernel.site(stm)
        bad = e.w.new_label("bad")
        e.branch(holds.text, good, bad, likely=True)
        e.w.label(bad)
        with e.w.region():
            e.fail(str(site + 1), [_bits(e, e.scalar(arg)) for arg in expr.args[:2]])
    e.w.label(good)


def _bail_unless(e: Emitter, holds: Scalar, good: str) -> None:
    e.frame.bails.add(e.bail)
    if holds.is_uniform:
        e.branch(holds.text, good, e.bail, likely=True)
        return
    type = llvm_type(BOOL, e.width)
    failed = e.both(e.w.op(f"xor {type} {holds.text}, splat (i1 true)"))
    e.branch(e.any_lane(failed), e.bail, good, likely=False)


def _condition(e: Emitter, expr: Check) -> Scalar:
    first = e.scalar(expr.args[0])
    match expr.kind:
        case "bounds":
            # One unsigned comparison: a negative index is a huge one.
            return _unsigned_less(e, first, e.scalar(expr.args[1]))
        case "equal":
            return e.apply("eq", (first, e.scalar(expr.args[1])), BOOL)
        case "nonzero" | "nonneg" | "nonempty":
            nothing = Scalar(first.dtype, constant(zero(first.dtype)))
            return e.apply(_AGAINST_ZERO[expr.kind], (first, nothing), BOOL)
        case "not_nan":
            return e.apply("eq", (first, first), BOOL)
        case _:
            return first


def _unsigned_less(e: Emitter, a: Scalar, b: Scalar) -> Scalar:
    if a.is_uniform and b.is_uniform:
        return Scalar(BOOL, e.w.op(f"icmp ult i64 {a.text}, {b.text}"))
    text = e.w.op(f"icmp ult {llvm_type(I64, e.width)} {e.spread(a)}, {e.spread(b)}")
    return Scalar(BOOL, text, "")


def _bits(e: Emitter, value: Scalar) -> str:
    """The bits of a scalar in 64."""
    match value.dtype:
        case DType.I64:
            return value.text
        case DType.I32:
            return e.w.op(f"sext i32 {value.text} to i64")
        case DType.BOOL:
            return e.w.op(f"zext i1 {value.text} to i64")
        case DType.F64:
            return e.w.op(f"bitcast double {value.text} to i64")
        case DType.F32:
            return e.w.op(f"zext i32 {e.w.op(f'bitcast float {value.text} to i32')} to i64")
