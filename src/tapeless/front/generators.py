"""Generator expressions given to sum, min, max, any and all, where the number of elements is known only at run time.

    sum(e for t in s if c)   is inlined as   total = 0
                                             for t in s:
                                                 if c:
                                                     total = total + e
                                             return total

The loop is a function of its own, made from the syntax once, so that its names do not meet the user's.
"""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Callable, Sequence
from typing import Any

# name -> (before the loop, for each `element`, after the loop)
_FORMS: dict[Callable[..., Any], tuple[str, str, str]] = {
    builtins.sum: ("total = start", "total = total + element", "return total"),
    builtins.any: ("", "if element: return True", "return False"),
    builtins.all: ("", "if not element: return False", "return True"),
    builtins.min: (
        "found = False",
        "value = element\nif not found or value < best:\n    best = value\nfound = True",
        "if not found: raise ValueError('min() iterable argument is empty')\nreturn best",
    ),
    builtins.max: (
        "found = False",
        "value = element\nif not found or value > best:\n    best = value\nfound = True",
        "if not found: raise ValueError('max() iterable argument is empty')\nreturn best",
    ),
}


_COLLECT = ("out = []", "out.append(element)", "return out")


def consumes_generators(function: object) -> bool:
    """Can this function of a generator expression become a loop?"""
    return any(function is known for known in _FORMS)


@functools.cache
def as_function(consumer: Callable[..., Any], node: ast.GeneratorExp | ast.ListComp) -> ast.FunctionDef:
    """The function of `start` that goes over a generator expression; of `list`, the one that collects its elements."""
    before, each, after = _FORMS.get(consumer, _COLLECT)
    body = [*_statements(before), *_nest(node.generators, _with_element(each, node.elt)), *_statements(after)]
    function = ast.parse("def consume(start=0): pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = body
    _rename(function.args)
    for part in ast.walk(function):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    return function


def _nest(generators: Sequence[ast.comprehension], innermost: list[ast.stmt]) -> list[ast.stmt]:
    body: list[ast.stmt] = innermost
    for part in reversed(generators):
        for condition in reversed(part.ifs):
            body = [ast.If(condition, body, [])]
        body = [ast.For(part.target, part.iter, body, [], None)]
    return body


def _with_element(text: str, element: ast.expr) -> list[ast.stmt]:
    class Insert(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return element if node.id == "<generator element>" else node

    return [Insert().visit(stmt) for stmt in _statements(text)]


def _statements(text: str) -> list[ast.stmt]:
    """Our own statements, without positions, their names made impossible in the user's program."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        for attribute in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            if hasattr(node, attribute):
                delattr(node, attribute)
    _rename(tree)
    return tree.body


def _rename(tree: ast.AST) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not hasattr(builtins, node.id):
            node.id = f"<generator {node.id}>"
        elif isinstance(node, ast.arg):
            node.arg = f"<generator {node.arg}>"
