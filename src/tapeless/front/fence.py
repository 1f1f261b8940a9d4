"""Which Python is outside the language, and what to say about each construct."""

from __future__ import annotations

import ast
import builtins
import itertools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ..errors import UnsupportedFunctionError, UnsupportedSyntaxError
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


# Library functions outside the language that have a remedy of their own: function -> (why, what to do instead)
REFUSED_CALLS: dict[Callable[..., Any], tuple[str, str]] = {
    builtins.filter: ("its length depends on data", "use a comprehension: [v for v in xs if f(v)]"),
    builtins.iter: ("iterators have a state of their own", "use a for loop"),
    builtins.next: ("iterators have a state of their own", "use a for loop with a break"),
    np.vectorize: (
        "the type of its result depends on the first element",
        "use tp.map(f, x), a comprehension, or NumPy functions such as np.where",
    ),
    itertools.accumulate: ("it has no array form", "use np.cumsum, tp.scan or a loop"),
    itertools.chain: ("its length depends on its parts", "use two loops, or np.concatenate"),
    itertools.cycle: ("it never ends", "use an index: xs[i % len(xs)]"),
}


def refuse_known_call(c: Context, function: Any) -> None:
    """Refuse a call of a library function for which there is a remedy."""
    found = next((remedy for known, remedy in REFUSED_CALLS.items() if known is function), None)
    if found is not None:
        name = getattr(function, "__name__", "this function")
        c.refuse(f"{name} cannot be compiled", error=UnsupportedFunctionError, why=found[0], fix=found[1])


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
