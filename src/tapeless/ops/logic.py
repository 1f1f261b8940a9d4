"""Comparisons, logic, bits, selection and conversion: the operations that do not compute with reals.

Comparisons yield bool. Shifts by the width of the type or more (or by a negative count, read as
unsigned) give 0, or the sign for the arithmetic right shift, as in NumPy. A float that does not
fit the integer type, NaN included, converts to the most negative integer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..ir.op import Domain, Op, register
from ..ir.types import BOOL, F32, F64, I32, I64, Atom, DType, Type
from .record import ALL, FLOATS, INTS, binary, misuse, unary

Meaning2 = Callable[[Any, Any, Any], Any]

STEP = Domain(smooth=False, convention="zero wherever it exists, and at the steps")
COUNT = Domain(((-9.0, 9.0), (0.0, 9.0)))


def _comparison(name: str, meaning: Meaning2, lowering: str, doc: str) -> None:
    binary(name, meaning, "constant", dtypes=ALL, lowering=lowering, result=BOOL, domain=STEP, doc=doc)


_comparison("eq", lambda n, x, y: n.boolean(x == y), "icmp eq fcmp oeq", "Are they equal? False with NaN.")
_comparison("ne", lambda n, x, y: n.boolean(x != y), "icmp ne fcmp une", "Do they differ? True with NaN.")
_comparison("lt", lambda n, x, y: n.boolean(x < y), "icmp slt fcmp olt", "Is x below y? False with NaN.")
_comparison("le", lambda n, x, y: n.boolean(x <= y), "icmp sle fcmp ole", "Is x at most y? False with NaN.")
_comparison("gt", lambda n, x, y: n.boolean(x > y), "icmp sgt fcmp ogt", "Is x above y? False with NaN.")
_comparison("ge", lambda n, x, y: n.boolean(x >= y), "icmp sge fcmp oge", "Is x at least y? False with NaN.")


def _bits(name: str, meaning: Meaning2, doc: str) -> None:
    binary(name, meaning, "constant", dtypes=(BOOL, *INTS), lowering=name, doc=doc)


_bits("and", lambda n, x, y: x & y, "Bitwise and; logical for bool.")
_bits("or", lambda n, x, y: x | y, "Bitwise or; logical for bool.")
_bits("xor", lambda n, x, y: x ^ y, "Bitwise exclusive or; logical for bool.")
unary("not", lambda n, x: ~x, "constant", dtypes=(BOOL, *INTS), lowering="xor", doc="Bitwise not; logical for bool.")


def _shift(name: str, meaning: Meaning2, doc: str) -> None:
    lowering = {"shl": "shl", "shr": "ashr", "lshr": "lshr"}[name]
    binary(name, meaning, "constant", dtypes=INTS, lowering=lowering, cost=2, domain=COUNT, doc=doc)


_shift("shl", lambda n, x, y: n.shl(x, y), "Shift left.")
_shift("shr", lambda n, x, y: n.shr(x, y), "Shift right, keeping the sign.")
_shift("lshr", lambda n, x, y: n.lshr(x, y), "Shift right, zeros coming in.")


def _test(name: str, meaning: Callable[[Any, Any], Any], doc: str) -> None:
    unary(name, meaning, "constant", lowering="fcmp", cost=2, result=BOOL, domain=STEP, doc=doc)


_test("isnan", lambda n, x: n.isnan(x), "Is it NaN?")
_test("isinf", lambda n, x: n.isinf(x), "Is it an infinity?")
_test("isfinite", lambda n, x: n.isfinite(x), "Is it neither NaN nor an infinity?")


def _select_rule(args: Sequence[Atom], attrs: tuple[Any, ...]) -> Type:
    if len(args) != 3 or attrs:
        raise misuse("select", "a bool and two scalars of one type", args, attrs)
    cond, yes, no = (arg.type for arg in args)
    if cond != Type(BOOL) or yes.shape or no.shape or yes.dtype is not no.dtype:
        raise misuse("select", "a bool and two scalars of one type", args, attrs)
    return yes


def _select(_n: Any, cond: Any, yes: Any, no: Any) -> Any:
    return yes if cond else no


register(
    Op(
        "select", 3, _select_rule, _select, "structural", ALL,
        lowering="select", doc="x where the condition holds, else y; the other one has no influence.",
    )
)  # fmt: skip


def _convert_rule(args: Sequence[Atom], attrs: tuple[Any, ...]) -> Type:
    if len(args) != 1 or args[0].type.shape or len(attrs) != 1 or not isinstance(attrs[0], DType):
        raise misuse("convert", "one scalar, and the scalar type wanted as attribute", args, attrs)
    return Type(attrs[0])


def _convert(n: Any, x: Any, dtype: DType) -> Any:
    return n.convert(x, dtype)


register(
    Op(
        "convert", 1, _convert_rule, _convert, "structural", ALL,
        lowering="sitofp fptosi fpext fptrunc sext trunc", cost=2,
        domain=Domain(smooth=False, convention="1 between floats, zero to and from other types"),
        doc="The same number in another type: truncated, wrapped or rounded; to bool, whether it is not 0.",
    )
)  # fmt: skip

unary(
    "stop_gradient", lambda n, x: x, "constant", lowering="none", cost=0,
    domain=Domain(smooth=False, convention="zero: that is what it is for"),
    doc="The same number, a constant for derivatives; gone once these are made.",
)  # fmt: skip

unary(
    "basis", lambda n, x: x, "constant", lowering="none", cost=0,
    domain=Domain(smooth=False, convention="zero"),
    doc="A component of a basis vector: what is made of it belongs to one direction; gone once derivatives are made.",
)  # fmt: skip

_SAME_BITS = {F64: I64, I64: F64, F32: I32, I32: F32}


def _bitcast_rule(args: Sequence[Atom], attrs: tuple[Any, ...]) -> Type:
    fits = len(args) == 1 and not args[0].type.shape and len(attrs) == 1
    if not fits or _SAME_BITS.get(args[0].type.dtype) is not attrs[0]:
        raise misuse("bitcast", "a float and the integer type of its width as attribute, or the reverse", args, attrs)
    return Type(_SAME_BITS[args[0].type.dtype])


def _bitcast(n: Any, x: Any, dtype: DType) -> Any:
    return n.bitcast(x, dtype)


register(
    Op(
        "bitcast", 1, _bitcast_rule, _bitcast, "opaque", (I32, I64, *FLOATS),
        lowering="bitcast", doc="The same bits read as another type.",
    )
)  # fmt: skip
