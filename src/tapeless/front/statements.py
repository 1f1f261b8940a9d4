"""Statements, and the order of execution when some paths leave early.

`return`, `break` and `continue` set a flag of the frame and end the path. Where an arm of an `if` always leaves, the
rest of the block moves into the other arm, so most programs need no flags at run time; where only some paths leave,
the rest is executed under the condition that no flag is set.
"""

from __future__ import annotations

import ast
import builtins
import importlib
from collections.abc import Sequence
from functools import partial

import numpy as np

from ..errors import OperandError, UnsupportedSyntaxError
from ..ir.types import Atom, boolean
from . import special_methods
from .context import Context, describe, statement
from .control import PathEndsError, branch, flag
from .expressions import binary, closure, invert, read_name
from .frame import BROKEN, CONTINUED, RESULT, RETURNED, End
from .gather import fill
from .indexing import store, subscript
from .liveness import always_leaves
from .numpy.elementwise import require_castable
from .objects import get_field, set_field
from .targets import assign
from .values import ArrayRef, DictRef, ListRef, Method, Once, Scalar, Undefined, Value


def run_block(c: Context, body: Sequence[ast.stmt]) -> None:
    """Execute statements until the block ends or every path has left it."""
    for k, stmt in enumerate(body):
        rest = body[k + 1 :]
        if isinstance(stmt, ast.If) and (always_leaves(stmt.body) or always_leaves(stmt.orelse)):
            _run_if(c, stmt, rest)
            return
        c.run(stmt)
        if c.end is not End.OPEN:
            return
        left = has_left(c)
        if left is not False and rest:
            assert not isinstance(left, bool)
            live = c.frame.live.escaping | c.frame.live.end[stmt]
            branch(c, left, partial(_leave, c), partial(stay, c, rest), live)
            return


def has_left(c: Context) -> bool | Atom:
    """Has a return, break or continue been executed? Known now, or a bool atom."""
    flags = [flag(c.frame.names.get(name, False)) for name in (RETURNED, BROKEN, CONTINUED)]
    if any(f is True for f in flags):
        return True
    atoms = [f for f in flags if not isinstance(f, bool)]
    if not atoms:
        return False
    total = atoms[0]
    for atom in atoms[1:]:
        total = c.b.apply("or", total, atom)
    return total


def _leave(c: Context) -> None:
    c.end = End.LEFT


def stay(c: Context, rest: Sequence[ast.stmt]) -> None:
    """Execute what is left of a block on the path that no return, break or continue has ended."""
    names = c.frame.names
    names.update((name, False) for name in (RETURNED, BROKEN, CONTINUED) if name in names)
    names[RESULT] = Undefined()
    run_block(c, rest)


@statement(ast.If)
def if_(c: Context, node: ast.If) -> None:
    _run_if(c, node, ())


def _run_if(c: Context, node: ast.If, rest: Sequence[ast.stmt]) -> None:
    """An `if` with the statements after it, which go with the arm that does not leave."""
    c.b.pos = c.position(node)
    truth = c.truth(c.eval(node.test))
    then, orelse = node.body, node.orelse
    if isinstance(truth, bool):
        chosen = then if truth else orelse
        run_block(c, chosen if always_leaves(chosen) else [*chosen, *rest])
        return
    if _only_raises(then):
        _raise_when(c, truth, then[0])
        run_block(c, [*orelse, *rest])
        return
    table = c.frame.live.end if rest else c.frame.live.after
    if rest:
        then, orelse = (then, [*orelse, *rest]) if always_leaves(then) else ([*then, *rest], orelse)
    live = table.get(node, frozenset[str]()) | c.frame.live.escaping
    branch(c, truth, lambda: run_block(c, then), lambda: run_block(c, orelse), live)


def _only_raises(body: Sequence[ast.stmt]) -> bool:
    return len(body) == 1 and isinstance(body[0], ast.Raise)


# -- leaving --------------------------------------------------------------------------------------


@statement(ast.Return)
def return_(c: Context, node: ast.Return) -> None:
    c.frame.names[RESULT] = None if node.value is None else c.eval(node.value)
    c.frame.names[RETURNED] = True
    c.end = End.LEFT


@statement(ast.Break)
def break_(c: Context, node: ast.Break) -> None:
    c.frame.names[BROKEN] = True
    c.end = End.LEFT


@statement(ast.Continue)
def continue_(c: Context, node: ast.Continue) -> None:
    c.frame.names[CONTINUED] = True
    c.end = End.LEFT


@statement(ast.Raise)
def raise_(c: Context, node: ast.Raise) -> None:
    c.b.check("raise", boolean(False), info=_exception(c, node))
    raise PathEndsError


def _raise_when(c: Context, truth: Atom, node: ast.stmt) -> None:
    assert isinstance(node, ast.Raise)
    with c.b.at(c.position(node)):
        fine = invert(c, truth)
        c.b.check("raise", c.atom(fine), info=_exception(c, node))


def _exception(c: Context, node: ast.Raise) -> str:
    """`Name: message` of a raised exception, whose class must be one that everybody knows."""
    c.b.pos = c.position(node)
    made = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    cls = None if made is None else c.eval(made)
    if not (isinstance(cls, type) and issubclass(cls, Exception) and _can_be_found(c, cls)):
        c.refuse(
            "only built-in exceptions and those known by name in the function's module can be raised",
            error=UnsupportedSyntaxError,
            fix='raise ValueError("...") or another built-in exception',
        )
    args = node.exc.args if isinstance(node.exc, ast.Call) else []
    if len(args) > 1 or (isinstance(node.exc, ast.Call) and node.exc.keywords):
        c.refuse(
            "an exception is raised with one message here",
            error=UnsupportedSyntaxError,
            why="compiled code keeps one text per exception",
            fix='put everything into the message: raise ValueError("...")',
        )
    return f"{cls.__name__}: {_message(args[0])}" if args else cls.__name__


def _can_be_found(c: Context, cls: type) -> bool:
    """Compiled code names the class; the runtime looks it up."""
    name = cls.__name__
    return cls in (getattr(builtins, name, None), np.linalg.LinAlgError, c.frames[0].function.scope(name))


def _message(node: ast.expr) -> str:
    """The text of a message; parts computed at run time are shown by their source."""
    match node:
        case ast.Constant(value=value):
            return str(value)
        case ast.JoinedStr(values=parts):
            return "".join(str(p.value) if isinstance(p, ast.Constant) else "{" + _source(p) + "}" for p in parts)
        case _:
            return ast.unparse(node)


def _source(part: ast.expr) -> str:
    return ast.unparse(part.value) if isinstance(part, ast.FormattedValue) else ast.unparse(part)


@statement(ast.Assert)
def assert_(c: Context, node: ast.Assert) -> None:
    truth = c.truth(c.eval(node.test))
    if truth is not True:
        c.b.check(
            "assert", c.atom(truth) if isinstance(truth, bool) else truth, info=_message(node.msg) if node.msg else ""
        )
    if truth is False:
        raise PathEndsError


# -- assignments ----------------------------------------------------------------------------------


@statement(ast.Assign)
def assign_(c: Context, node: ast.Assign) -> None:
    value = c.eval(node.value)
    for target in node.targets:
        if isinstance(node.value, ast.GeneratorExp) and isinstance(target, ast.Name):
            value = Once(value)
        assign(c, target, value)


@statement(ast.AnnAssign)
def annotated(c: Context, node: ast.AnnAssign) -> None:
    if node.value is not None:
        assign(c, node.target, c.eval(node.value))


@statement(ast.AugAssign)
def augmented(c: Context, node: ast.AugAssign) -> None:
    op = type(node.op).__name__
    match node.target:
        case ast.Name(id=name):
            old = read_name(c, name)
            c.frame.names[name] = in_place(c, op, old, c.eval(node.value))
        case ast.Subscript() as target:
            base, index = c.eval(target.value), c.eval(target.slice)
            with c.b.at(c.position(target)):
                old = subscript(c, base, index)
            new = in_place(c, op, old, c.eval(node.value))
            if not (isinstance(old, ArrayRef) and isinstance(base, ArrayRef) and old.cell is base.cell):
                store(c, base, index, new)
        case ast.Attribute(attr=attr) as target:
            owner = c.eval(target.value)
            old = get_field(c, owner, attr)
            new = in_place(c, op, old, c.eval(node.value))
            if new is not old:
                set_field(c, owner, attr, new)


def in_place(c: Context, op: str, old: Value, operand: Value) -> Value:
    """`old op= operand`: arrays and lists are changed themselves, other values replaced."""
    if isinstance(old, ListRef) and op == "Add":
        c.call(Method(old, "extend"), (operand,))
        return old
    if (special := special_methods.in_place(c, op, old, operand)) is not None:
        return special[0]
    new = binary(c, op, old, operand)
    if not isinstance(old, ArrayRef):
        return new
    if isinstance(new, ArrayRef | Scalar):
        require_castable(c, new.dtype, old.dtype)
    if c.rank(new) > c.rank(old):
        c.refuse(f"{describe(new)} does not fit into {describe(old)}", error=OperandError)
    fill(c, old, new)
    return old


# -- the rest -------------------------------------------------------------------------------------


@statement(ast.Expr)
def expr(c: Context, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        c.eval(node.value)


@statement(ast.Pass)
def pass_(c: Context, node: ast.Pass) -> None:
    pass


@statement(ast.FunctionDef)
def function(c: Context, node: ast.FunctionDef) -> None:
    if node.decorator_list:
        c.refuse(
            "decorators of nested functions are not applied", error=UnsupportedSyntaxError, fix="remove the decorator"
        )
    c.frame.names[node.name] = closure(c, node, node.name)


@statement(ast.Delete)
def delete(c: Context, node: ast.Delete) -> None:
    for target in node.targets:
        match target:
            case ast.Name(id=name):
                read_name(c, name)
                c.frame.names[name] = Undefined()
            case ast.Subscript() if isinstance(owner := c.eval(target.value), ListRef | DictRef):
                c.call(Method(owner, "pop"), (c.eval(target.slice),))
            case _:
                c.refuse(
                    "only names and items of lists and dicts can be deleted",
                    error=UnsupportedSyntaxError,
                    fix="leave it out: memory lives as long as it is used",
                )


@statement(ast.Import)
def import_(c: Context, node: ast.Import) -> None:
    for alias in node.names:
        module = importlib.import_module(alias.name)
        top = alias.name.split(".")[0]
        c.frame.names[alias.asname or top] = module if alias.asname else importlib.import_module(top)


@statement(ast.ImportFrom)
def import_from(c: Context, node: ast.ImportFrom) -> None:
    if node.level or node.module is None:
        c.refuse("relative imports inside functions are not followed", error=UnsupportedSyntaxError)
    module = importlib.import_module(node.module)
    for alias in node.names:
        c.frame.names[alias.asname or alias.name] = getattr(module, alias.name)
