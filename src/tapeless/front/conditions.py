"""Conditions: and/or, conditional expressions, comparisons of all kinds of values, identity, membership."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence

from ..errors import OperandError, TypeConflictError
from ..ir.types import BOOL, Atom
from . import special_methods
from .context import Context, describe, expression
from .control import branch, is_pure, join, run_arm
from .expressions import SYMBOLS, are_python_ints, invert
from .frame import VALUE
from .numpy import arithmetic
from .values import ArrayRef, Clash, DictRef, ListRef, ObjectRef, Scalar, Value

# Since Python 3.13 dataclasses compare their fields one by one, and answer what the deciding comparison answered.
_FIELD_BY_FIELD = sys.version_info >= (3, 13)


@expression(ast.BoolOp)
def boolop(c: Context, node: ast.BoolOp) -> Value:
    return _chain(c, isinstance(node.op, ast.And), [lambda v=v: c.eval(v) for v in node.values])


def _chain(c: Context, conjunction: bool, parts: Sequence[Callable[[], Value]]) -> Value:
    """Short-circuit evaluation; the value is that of the operand that decided."""
    first = parts[0]()
    if len(parts) == 1:
        return first
    truth = c.truth(first)
    if isinstance(truth, bool):
        return _chain(c, conjunction, parts[1:]) if truth is conjunction else first
    return _decide(c, truth, conjunction, first, lambda: _chain(c, conjunction, parts[1:]))


def _decide(c: Context, truth: Atom, conjunction: bool, first: Value, rest: Callable[[], Value]) -> Value:
    arm = run_arm(c, rest)
    value = arm.side.names.get(VALUE)
    if _is_bool(first) and _is_bool(value) and is_pure(c, arm):
        c.b.stms.extend(arm.b.stms)
        weak = c.is_weak(first) and c.is_weak(value)
        return Scalar(c.b.apply("and" if conjunction else "or", truth, c.atom(value)), weak)
    other = run_arm(c, lambda: first)
    return join(c, truth, [arm, other] if conjunction else [other, arm], c.frame.names.keys())


def _is_bool(value: Value) -> bool:
    return isinstance(value, bool) or (isinstance(value, Scalar) and value.dtype is BOOL)


@expression(ast.IfExp)
def ifexp(c: Context, node: ast.IfExp) -> Value:
    truth = c.truth(c.eval(node.test))
    if isinstance(truth, bool):
        return c.eval(node.body if truth else node.orelse)
    value = branch(c, truth, lambda: c.eval(node.body), lambda: c.eval(node.orelse), c.frame.names.keys())
    if isinstance(value, Clash):
        c.refuse(f"the two values of this expression do not fit: {value.reason}", error=TypeConflictError)
    return value


@expression(ast.Compare)
def comparison(c: Context, node: ast.Compare) -> Value:
    if len(node.ops) == 1:
        return compare(c, type(node.ops[0]).__name__, c.eval(node.left), c.eval(node.comparators[0]))
    previous = [c.eval(node.left)]

    def link(op: ast.cmpop, right: ast.expr) -> Value:
        value = c.eval(right)
        left, previous[0] = previous[0], value
        return compare(c, type(op).__name__, left, value)

    pairs = zip(node.ops, node.comparators, strict=True)
    return _chain(c, True, [lambda op=op, right=right: link(op, right) for op, right in pairs])


def compare(c: Context, op: str, x: Value, y: Value) -> Value:
    """`x op y` for any comparison, identity and membership included."""
    match op:
        case "Is":
            return is_same(c, x, y)
        case "IsNot":
            return invert(c, c.truth(is_same(c, x, y)))
        case "In":
            return contains(c, x, y)
        case "NotIn":
            return invert(c, c.truth(contains(c, x, y)))
        case _ if isinstance(x, Scalar | ArrayRef | int | float) and isinstance(y, Scalar | ArrayRef | int | float):
            known = c.sizes.decide(op, c.atom(x), c.atom(y)) if are_python_ints(c, x, y) else None
            return arithmetic.compare(c, op, x, y) if known is None else known
        case _:
            return _compare_objects(c, op, x, y)


def _compare_objects(c: Context, op: str, x: Value, y: Value) -> Value:
    if (special := special_methods.compare(c, op, x, y)) is not None:
        return special[0]
    if op == "NotEq" and (special := special_methods.compare(c, "Eq", x, y)) is not None:
        return invert(c, c.truth(special[0]))
    fields = special_methods.compared_fields(c, op, x, y)
    if fields is not None:
        x, y = fields
    left, right = c.items(x), c.items(y)
    if left is not None and right is not None and type(x) is type(y):
        if op not in ("Eq", "NotEq"):
            return _lexicographic(c, op, left, right)
        equal: Value = len(left) == len(right)
        if equal:
            parts = [lambda a=a, b=b: compare(c, "Eq", a, b) for a, b in zip(left, right, strict=True)]
            equal = _chain(c, True, parts) if parts else True
        if fields is not None and op == "Eq" and _FIELD_BY_FIELD:
            return equal
        truth = c.truth(equal)
        if op == "NotEq":
            return invert(c, truth)
        return truth if isinstance(truth, bool) else Scalar(truth, weak=True)
    dynamic = (Scalar, ArrayRef, ListRef, DictRef, ObjectRef)
    if isinstance(x, dynamic) or isinstance(y, dynamic):
        if isinstance(x, ArrayRef) or isinstance(y, ArrayRef) or op not in ("Eq", "NotEq"):
            c.refuse(f"{SYMBOLS[op]} is not defined between {describe(x)} and {describe(y)}", error=OperandError)
        return (x is y) == (op == "Eq")
    try:
        return bool(arithmetic.PYTHON_OF[op](x, y))
    except TypeError as error:
        c.refuse(str(error), error=OperandError)


def _lexicographic(c: Context, op: str, left: Sequence[Value], right: Sequence[Value]) -> Value:
    """The order of two sequences: that of the first elements that differ, else of the lengths."""
    if not left or not right:
        return bool(arithmetic.PYTHON_OF[op](len(left), len(right)))
    strictly = {"LtE": "Lt", "GtE": "Gt"}.get(op, op)

    def later() -> Value:
        return _lexicographic(c, op, left[1:], right[1:])

    def tie() -> Value:
        return _chain(c, True, [lambda: compare(c, "Eq", left[0], right[0]), later])

    return _chain(c, False, [lambda: compare(c, strictly, left[0], right[0]), tie])


def is_same(c: Context, x: Value, y: Value) -> bool:
    """`x is y`; numbers have no identity worth testing."""
    if isinstance(x, Scalar | float) and isinstance(y, Scalar | float):
        c.refuse("`is` between numbers has no meaning here", fix="use ==")
    return x is y or (isinstance(x, ArrayRef | bool) and x == y)


def contains(c: Context, x: Value, container: Value) -> Value:
    """`x in container` for containers of static length."""
    if (special := special_methods.call(c, container, "__contains__", x)) is not None:
        return special[0]
    items = c.items(container)
    if isinstance(container, DictRef):
        items = tuple(c.held(container))
    if isinstance(container, str) and isinstance(x, str):
        return x in container
    if items is None:
        c.refuse(
            f"`in` needs a tuple, list or dict here, not {describe(container)}",
            fix="use np.any(array == value)" if isinstance(container, ArrayRef) else "",
        )
    return _chain(c, False, [lambda item=item: compare(c, "Eq", x, item) for item in items]) if items else False
