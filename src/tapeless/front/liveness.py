"""Which local names may still be read after a statement, by the usual backward analysis of the syntax.

    before(s) = reads(s) + (after(s) - writes(s))

A loop's head is live with what its body reads before writing and with what is live after the loop. Names that
nested functions read are live everywhere, since such functions look them up when they are called.
`analyse` returns, for each compound statement of a function, the names live after it, and for each loop those live at
its head.
"""

from __future__ import annotations

import ast
import functools
from collections import Counter
from collections.abc import Iterator, Sequence

from ..records import dataclass, field

Names = frozenset[str]
NONE: Names = frozenset()


@dataclass(slots=True)
class Liveness:
    """`after[s]` for if, for and while, `end[s]` at the end of the block around it; `head[s]` for loops,
    `exposed[s]` for what a loop's body reads before writing it; `escaping` for names read by nested functions."""

    after: dict[ast.stmt, Names] = field(default_factory=dict[ast.stmt, Names])
    end: dict[ast.stmt, Names] = field(default_factory=dict[ast.stmt, Names])
    head: dict[ast.stmt, Names] = field(default_factory=dict[ast.stmt, Names])
    exposed: dict[ast.stmt, Names] = field(default_factory=dict[ast.stmt, Names])
    escaping: Names = NONE


@dataclass(frozen=True, slots=True)
class Exits:
    """What is live where `break` and `continue` go."""

    on_break: Names = NONE
    on_continue: Names = NONE


def analyse(body: Sequence[ast.stmt]) -> Liveness:
    """The liveness of a function's body."""
    result = Liveness()
    inner = [n for stmt in body for n in ast.walk(stmt) if isinstance(n, ast.FunctionDef | ast.Lambda | ast.ListComp)]
    result.escaping = frozenset().union(*(_reads(n) for n in inner))
    _block(result, body, NONE, Exits())
    return result


def _block(out: Liveness, body: Sequence[ast.stmt], after: Names, exits: Exits) -> Names:
    end = after
    for stmt in reversed(body):
        if isinstance(stmt, ast.If | ast.For | ast.While | ast.With):
            out.end[stmt] = end
        after = _statement(out, stmt, after, exits)
    return after


def _statement(out: Liveness, stmt: ast.stmt, after: Names, exits: Exits) -> Names:
    match stmt:
        case ast.Return() | ast.Raise():
            return _reads(stmt)
        case ast.Break():
            return exits.on_break
        case ast.Continue():
            return exits.on_continue
        case ast.If():
            out.after[stmt] = after
            arms = _block(out, stmt.body, after, exits) | _block(out, stmt.orelse, after, exits)
            return _reads(stmt.test) | (arms - _writes(stmt.test))
        case ast.For() | ast.While():
            return _loop(out, stmt, after, exits)
        case ast.With():
            return NONE.union(*map(_reads, stmt.items)) | _block(out, stmt.body, after, exits)
        case ast.AugAssign(target=ast.Name(id=name)):
            return _reads(stmt) | after | {name}
        case _:
            return _reads(stmt) | (after - _writes(stmt))


def _loop(out: Liveness, stmt: ast.For | ast.While, after: Names, exits: Exits) -> Names:
    out.after[stmt] = after
    done = _block(out, stmt.orelse, after, exits)
    head = done
    while True:
        live = _block(out, stmt.body, head, Exits(after, head))
        if isinstance(stmt, ast.For):
            live -= _writes(stmt.target)
            live |= _reads(stmt.target)
        else:
            live = (live - _writes(stmt.test)) | _reads(stmt.test)
        if live <= head:
            break
        head |= live
    out.head[stmt] = head
    out.exposed[stmt] = _block(Liveness(), stmt.body, NONE, Exits())
    return head | _reads(stmt.iter) if isinstance(stmt, ast.For) else head


def read_names(body: Sequence[ast.stmt]) -> Names:
    """The names that a body reads anywhere."""
    return NONE.union(*map(_reads, body))


@functools.cache
def _reads(node: ast.AST) -> Names:
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


@functools.cache
def _writes(node: ast.AST) -> Names:
    """The names surely bound; a walrus may stand in an arm that is not evaluated."""
    if isinstance(node, ast.FunctionDef):
        return frozenset((node.name,))
    sure = frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return sure - walrus_names(node)


def walrus_names(node: ast.AST) -> Names:
    """The names bound by `:=` inside a node."""
    return frozenset(n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr))


def bound_names(body: Sequence[ast.stmt]) -> Names:
    """The names that a body binds anywhere outside nested functions: its locals."""
    found: set[str] = set()
    todo: list[ast.AST] = list(body)
    while todo:
        node = todo.pop()
        match node:
            case ast.FunctionDef(name=name):
                found.add(name)
                continue
            case ast.Lambda() | ast.ListComp() | ast.GeneratorExp():
                continue
            case ast.Name(id=name, ctx=ast.Store()):
                found.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                found.update((alias.asname or alias.name).split(".")[0] for alias in names)
            case _:
                pass
        todo.extend(ast.iter_child_nodes(node))
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class LoopSyntax:
    """What the text of a loop's body tells: names it binds, names whose items it changes, how it is left, and how often
    at most each step appends to each list."""

    bound: Names
    changed: Names
    breaks: bool
    returns: bool
    appends: tuple[tuple[str, int], ...]


@functools.cache
def loop_syntax(node: ast.For | ast.While) -> LoopSyntax:
    """The facts about a loop's body, found once."""
    body = node.body
    appends = tuple(Counter(_appends(body)).items())
    return LoopSyntax(bound_names(body), _changed_names(body), _breaks(body), _returns(body), appends)


def _changed_names(body: Sequence[ast.stmt]) -> Names:
    """The names whose items a body assigns, or which it changes by `+=` and the like."""
    found: set[str] = set()
    for stmt in body:
        for node in ast.walk(stmt):
            match node:
                case ast.Subscript(value=base, ctx=ast.Store()) | ast.AugAssign(target=ast.Name() as base):
                    while isinstance(base, ast.Subscript | ast.Attribute):
                        base = base.value
                    if isinstance(base, ast.Name):
                        found.add(base.id)
                case _:
                    pass
    return frozenset(found)


def _appends(body: Sequence[ast.stmt]) -> Iterator[str]:
    """The names appended to, once per place in the text that a step reaches at most once."""
    for stmt in body:
        match stmt:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"))):
                yield name
            case ast.If():
                yield from _appends(stmt.body)
                yield from _appends(stmt.orelse)
            case _:
                pass


def _breaks(body: Sequence[ast.stmt]) -> bool:
    """Does a loop body contain a `break` of this loop?"""
    for stmt in body:
        match stmt:
            case ast.Break():
                return True
            case ast.If() if _breaks(stmt.body) or _breaks(stmt.orelse):
                return True
            case ast.For() | ast.While() if _breaks(stmt.orelse):
                return True
            case _:
                pass
    return False


def _returns(body: Sequence[ast.stmt]) -> bool:
    """Does a body contain a `return`, nested functions apart?"""
    todo: list[ast.AST] = list(body)
    while todo:
        item = todo.pop()
        if isinstance(item, ast.Return):
            return True
        if not isinstance(item, ast.FunctionDef | ast.Lambda):
            todo.extend(ast.iter_child_nodes(item))
    return False


def always_leaves(body: Sequence[ast.stmt]) -> bool:
    """Does a block never reach its end, by its last statement?"""
    match body[-1] if body else None:
        case ast.Return() | ast.Break() | ast.Continue() | ast.Raise():
            return True
        case ast.If(body=then, orelse=orelse):
            return always_leaves(then) and always_leaves(orelse)
        case _:
            return False
