"""Expressions: from a node to its value."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ..errors import NotStaticError, OperandError, TypeConflictError, UnboundNameError, UnknownNameError
from ..ir.types import I64, Atom, Lit
from . import special_methods
from .context import Context, describe, expression
from .control import PathEndsError
from .grown import joined, repeated
from .iteration import static_items
from .numpy import arithmetic
from .suggest import suggestion
from .values import (
    ArrayRef,
    Clash,
    Closure,
    DictRef,
    ListRef,
    Maybe,
    ObjectRef,
    Once,
    Scalar,
    SliceValue,
    Undefined,
    Value,
)


@expression(ast.Constant)
def constant(c: Context, node: ast.Constant) -> Value:
    value = node.value
    if isinstance(value, complex | bytes):
        c.refuse(
            f"the literal {value!r} is not in the language",
            why="numbers are bool, int32, int64, float32 or float64",
            fix="compute with the real and imaginary parts" if isinstance(value, complex) else "",
        )
    return value


@expression(ast.Name)
def name(c: Context, node: ast.Name) -> Value:
    return read_name(c, node.id)


def read_name(c: Context, name: str) -> Value:
    """The value of a name, as Python looks it up; a name that may be unbound is checked at run time."""
    frame = c.frame
    if name in frame.hidden:
        return frame.hidden[name]
    value = frame.names.get(name, Undefined())
    if isinstance(value, Undefined) and name not in frame.locals:
        value = frame.function.scope(name)
        if isinstance(value, Undefined):
            c.refuse(f"the name {name!r} is not defined{suggestion(name, known_names(c))}", error=UnknownNameError)
    match value:
        case Undefined() if name in frame.tentative:
            raise PathEndsError
        case Undefined():
            c.refuse(
                f"the local variable {name!r} is read before it is assigned",
                error=UnboundNameError,
                fix=f"assign {name!r} first",
            )
        case Clash(reason) if "iterator" in reason:
            c.refuse(
                f"the variable {name!r} holds an iterator that has been used up before",
                error=TypeConflictError,
                fix="make a list or tuple of it, which can be gone over again",
            )
        case Clash(reason):
            lists = "a list of" in reason
            c.refuse(
                f"the variable {name!r} has two types here: {reason}",
                error=TypeConflictError,
                why="the length of a list is part of its type" if lists else "a compiled variable has one type",
                fix="use an array of the largest size and a count" if lists else
                "use two names, or give it the same type on every path",
            )  # fmt: skip
        case Once(iterator):
            frame.names[name] = Clash("an iterator, which has been used up before")
            return iterator
        case Maybe(inner, defined):
            c.b.check("unbound", defined, info=name)
            frame.names[name] = inner
            return inner
        case _:
            return value


def known_names(c: Context) -> list[str]:
    return [n for n in (*c.frame.names, *c.frame.locals) if n.isidentifier()]


# -- operators ------------------------------------------------------------------------------------


@expression(ast.BinOp)
def binop(c: Context, node: ast.BinOp) -> Value:
    left = c.eval(node.left)
    right = c.eval(node.right)
    return binary(c, type(node.op).__name__, left, right)


def binary(c: Context, op: str, x: Value, y: Value) -> Value:
    """`x op y` of any two values."""
    if isinstance(x, Scalar | int | float) and isinstance(y, Scalar | int | float):
        return _integers(c, op, x, y) if are_python_ints(c, x, y) else arithmetic.binary(c, op, x, y)
    if c.grown(x) or c.grown(y):
        return _of_lists(c, op, x, y)
    if (special := special_methods.binary(c, op, x, y)) is not None:
        return special[0]
    left, right = c.items(x), c.items(y)
    if op == "Add" and left is not None and right is not None and type(x) is type(y):
        return c.new_list(left + right) if isinstance(x, ListRef) else left + right
    if (
        op == "Mult"
        and (left is not None or right is not None)
        and not isinstance(x, ArrayRef)
        and not isinstance(y, ArrayRef)
    ):
        return _repeated(c, x if left is not None else y, y if left is not None else x)
    if isinstance(x, str) and isinstance(y, str) and op == "Add":
        return x + y
    if not (_computes(c, x, y) and _computes(c, y, x)):
        c.refuse(f"{SYMBOLS.get(op, op)} is not defined between {describe(x)} and {describe(y)}", error=OperandError)
    return arithmetic.binary(c, op, x, y)


SYMBOLS = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "Pow": "**", "MatMult": "@",
    "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LShift": "<<", "RShift": ">>",
    "Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=",
}  # fmt: skip


def _computes(c: Context, value: Value, other: Value) -> bool:
    """May this take part in arithmetic with the other? Lists of numbers may, beside an array or a NumPy scalar."""
    if isinstance(value, Scalar | ArrayRef | int | float):
        return True
    return c.items(value) is not None and isinstance(other, Scalar | ArrayRef) and not c.is_weak(other)


def _of_lists(c: Context, op: str, x: Value, y: Value) -> Value:
    """Operators on a list of run-time length: as in Python beside a list, as an array beside an array."""
    if op == "Add" and isinstance(x, ListRef) and isinstance(y, ListRef):
        return joined(c, (x, y))
    if not (isinstance(x, ArrayRef) or isinstance(y, ArrayRef)):
        c.refuse(
            f"{SYMBOLS.get(op, op)} is not defined between {describe(x)} and {describe(y)}",
            error=OperandError,
            fix="make an array of the list: np.array(...)",
        )
    return arithmetic.binary(c, op, x, y)


def _repeated(c: Context, sequence: Value, times: Value) -> Value:
    items = c.items(sequence)
    assert items is not None
    if isinstance(sequence, ListRef) and c.is_scalar(times) and c.pinned_int(times) is None:
        return repeated(c, items, times)
    count = c.need_int(times, "the number of repetitions of a list or tuple")
    return c.new_list(items * count) if isinstance(sequence, ListRef) else items * count


def are_python_ints(c: Context, x: Value, y: Value) -> bool:
    """Are both Python integers, not both known?"""
    return (
        (isinstance(x, Scalar) or isinstance(y, Scalar))
        and c.is_weak(x)
        and c.is_weak(y)
        and c.dtype(x) is I64
        and c.dtype(y) is I64
    )


def _integers(c: Context, op: str, x: Value, y: Value) -> Value:
    """Python integers: sums are kept as linear forms, so that indices and sizes can be compared."""
    left, right = c.atom(x), c.atom(y)
    match op:
        case "Add":
            return c.number(c.sizes.add(c.b, left, right))
        case "Sub":
            return c.number(c.sizes.sub(c.b, left, right))
        case "Mult":
            return c.number(c.sizes.mul(c.b, left, right))
        case "FloorDiv" | "Mod":
            result = arithmetic.binary(c, op, x, y)
            _learn_quotient(c, op, left, right, result)
            return result
        case _:
            return arithmetic.binary(c, op, x, y)


def _learn_quotient(c: Context, op: str, dividend: Atom, divisor: Atom, result: Value) -> None:
    """Bounds of `//` and `%`; the check that the divisor is not zero has been emitted."""
    atom, low = c.atom(result), c.sizes.least(divisor)
    if low is None or low < 0 or isinstance(atom, Lit):
        return
    c.sizes.at_least_constant(divisor, 1)
    if op == "Mod":
        c.sizes.below(atom, divisor)
    elif (c.sizes.least(dividend) or -1) >= 0 or c.sizes.least(dividend) == 0:
        c.sizes.at_least_constant(atom, 0)


@expression(ast.UnaryOp)
def unaryop(c: Context, node: ast.UnaryOp) -> Value:
    value = c.eval(node.operand)
    if isinstance(node.op, ast.Not):
        return invert(c, c.truth(value))
    if (special := special_methods.unary(c, type(node.op).__name__, value)) is not None:
        return special[0]
    if isinstance(node.op, ast.Invert) and hasattr(value, "__inverse__"):
        return value.__inverse__
    if not isinstance(value, Scalar | ArrayRef | int | float):
        c.refuse(f"this operator is not defined for {describe(value)}", error=OperandError)
    if isinstance(node.op, ast.USub) and isinstance(value, Scalar) and value.weak and value.dtype is I64:
        return c.number(c.sizes.sub(c.b, Lit(0, I64), value.atom))
    return arithmetic.unary(c, type(node.op).__name__, value)


def invert(c: Context, truth: bool | Atom) -> Value:
    """`not` of a truth value: a Python bool."""
    return not truth if isinstance(truth, bool) else Scalar(c.b.apply("not", truth), weak=True)


# -- containers -----------------------------------------------------------------------------------


@expression(ast.Tuple)
def tuple_(c: Context, node: ast.Tuple) -> Value:
    return elements(c, node.elts)


@expression(ast.List)
def list_(c: Context, node: ast.List) -> Value:
    starred = [part for part in node.elts if isinstance(part, ast.Starred)]
    if not starred:
        return c.new_list(elements(c, node.elts))
    point = c.mark()
    try:
        return c.new_list(elements(c, node.elts))
    except NotStaticError:
        c.go_back(point)
        parts = [c.eval(n.value) if isinstance(n, ast.Starred) else (c.eval(n),) for n in node.elts]
        return joined(c, parts)


def elements(c: Context, nodes: Sequence[ast.expr]) -> tuple[Value, ...]:
    """The values of a display or an argument list, stars expanded."""
    values: list[Value] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            values += static_items(c, c.eval(node.value))
        else:
            values.append(c.eval(node))
    return tuple(values)


@expression(ast.Dict)
def dict_(c: Context, node: ast.Dict) -> Value:
    contents: dict[Any, Value] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            contents.update(c.held(c.eval(value)))
        else:
            contents[static_key(c, c.eval(key))] = c.eval(value)
    return c.new_object(DictRef(), contents)


def static_key(c: Context, key: Value) -> Any:
    """A dictionary key, which must be known now."""
    if isinstance(key, Scalar | ArrayRef | ListRef | DictRef | ObjectRef):
        c.refuse(
            f"a dictionary key must be known while compiling, not {describe(key)}",
            error=NotStaticError,
            fix="use an array indexed by integers",
        )
    return key


@expression(ast.Slice)
def slice_(c: Context, node: ast.Slice) -> Value:
    return SliceValue(*(None if part is None else c.eval(part) for part in (node.lower, node.upper, node.step)))


@expression(ast.Lambda)
def lambda_(c: Context, node: ast.Lambda) -> Value:
    return closure(c, node, "<lambda>")


def closure(c: Context, node: ast.Lambda | ast.FunctionDef, label: str) -> Closure:
    """A function defined inside a function; free names are looked up in the frame when it is called."""
    frame, function = c.frame, c.frame.function
    defaults = tuple(c.eval(d) for d in node.args.defaults)
    named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    kw_defaults = {arg.arg: c.eval(d) for arg, d in named if d is not None}
    return Closure(node, label, function.file, frame.scope, defaults, kw_defaults, function.internal)


@expression(ast.NamedExpr)
def walrus(c: Context, node: ast.NamedExpr) -> Value:
    value = c.eval(node.value)
    c.frame.names[node.target.id] = value
    return value
