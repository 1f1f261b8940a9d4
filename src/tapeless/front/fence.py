"""Which Python is outside the language, and what to say about each construct."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NoReturn

from ..errors import UnsupportedSyntaxError
from .context import EXPRESSIONS, STATEMENTS, Context

# node class -> (what it is called, why it is refused, what to do instead)
REFUSED: dict[type[ast.AST], tuple[str, str, str]] = {
    ast.Try: ("try/except", "compiled code cannot catch exceptions", "test the condition with if before the operation"),
    ast.TryStar: ("try/except*", "compiled code cannot catch exceptions", "test the condition with if"),
    ast.With: ("with", "context managers have no meaning in compiled code", "enter the context around the call"),
    ast.AsyncWith: ("async with", "compiled code cannot wait", "enter the context around the call"),
    ast.AsyncFor: ("async for", "compiled code cannot wait", "use a plain for loop over an array"),
    ast.AsyncFunctionDef: ("async def", "compiled code cannot wait", "use a plain function"),
    ast.Await: ("await", "compiled code cannot wait", "await outside and pass the result in"),
    ast.ClassDef: (
        "a class definition",
        "classes cannot be made at run time",
        "define a dataclass outside the function",
    ),
    ast.Delete: ("del", "variables and memory live as long as they are used", "leave it out"),
    ast.Global: ("global", "a compiled function cannot rebind names of its module", "return the new value"),
    ast.Nonlocal: ("nonlocal", "a nested function cannot rebind outer names", "return the new value"),
    ast.Match: ("match", "it is not in the language yet", "use if/elif"),
    ast.Yield: ("yield", "generators cannot be compiled", "fill an array and return it"),
    ast.YieldFrom: ("yield from", "generators cannot be compiled", "fill an array and return it"),
    ast.Set: ("a set", "its elements have no fixed order", "use a tuple or a sorted array"),
    ast.SetComp: ("a set comprehension", "its elements have no fixed order", "use a list comprehension or an array"),
    ast.JoinedStr: ("an f-string", "text cannot be made at run time", "use it only in raise and assert messages"),
    ast.FormattedValue: ("an f-string", "text cannot be made at run time", "use it only in raise and assert messages"),
    ast.Starred: ("a starred expression here", "the number of values must be fixed", "write the values out"),
}


def refuse_node(c: Context, node: ast.AST) -> NoReturn:
    """Refuse a construct at its position."""
    what, why, fix = REFUSED.get(type(node), (f"the construct {type(node).__name__}", "it is not in the language", ""))
    c.refuse(f"{what} cannot be compiled", error=UnsupportedSyntaxError, why=why, fix=fix)


def first_yield(body: Sequence[ast.stmt]) -> ast.AST | None:
    """The first `yield` of a function, which makes it a generator."""
    todo: list[ast.AST] = list(body)
    while todo:
        node = todo.pop(0)
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return node
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            todo.extend(ast.iter_child_nodes(node))
    return None


for _kind in REFUSED:
    (STATEMENTS if issubclass(_kind, ast.stmt) else EXPRESSIONS).setdefault(_kind, refuse_node)
