"""Comprehensions and generator expressions: element by element where their number is known now, else a map.

A comprehension with conditions, whose length is known only when it has run, is inlined as a loop that appends.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ..errors import NotStaticError
from .context import Context, expression
from .expressions import closure, static_key
from .generators import as_function
from .grown import mapped
from .iteration import Listed, Steps, iterate, static_sequence
from .liveness import walrus_names
from .rows import flattened, inner_parts, parts_of
from .targets import assign
from .values import DictRef, ListRef, Value


@expression(ast.ListComp, ast.GeneratorExp)
def list_comprehension(c: Context, node: ast.ListComp | ast.GeneratorExp) -> Value:
    point = c.mark()
    try:
        items = comprehend(c, node.generators, node.elt)
        return c.new_list(items) if isinstance(node, ast.ListComp) else items
    except NotStaticError as refusal:
        c.go_back(point)
        if walrus_names(node):
            raise
        if any(part.ifs for part in node.generators):
            return c.call(closure(c, as_function(list, node), "list"), ())
        return _at_run_time(c, node.generators, node.elt, refusal)


@expression(ast.DictComp)
def dict_comprehension(c: Context, node: ast.DictComp) -> Value:
    pairs = comprehend(c, node.generators, ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node))
    return c.new_object(DictRef(), {static_key(c, key): value for key, value in pairs})


def comprehend(c: Context, generators: Sequence[ast.comprehension], element: ast.expr) -> tuple[Value, ...]:
    """The elements of a comprehension over things of static length, one after another."""
    if not generators:
        return (c.eval(element),)
    first, *rest = generators
    listed = static_sequence(c, c.eval(first.iter))
    results: list[Value] = []

    def go() -> None:
        for k in range(listed.length):
            assign(c, first.target, listed.at(k))
            truths = [c.truth(c.eval(condition)) for condition in first.ifs]
            if not all(isinstance(truth, bool) for truth in truths):
                c.refuse(
                    "the condition of a comprehension depends on run-time values",
                    error=NotStaticError,
                    why="the length of the result would not be known while compiling",
                    fix="write a loop that fills an array and counts",
                )
            if all(truths):
                results.extend(comprehend(c, rest, element))

    _with_own_names(c, first.target, go)
    return tuple(results)


def _at_run_time(
    c: Context, generators: Sequence[ast.comprehension], element: ast.expr, refusal: NotStaticError
) -> ListRef:
    """A list of run-time length: a map, of lists for each further `for`, which are put one after another."""
    first, *rest = generators
    steps = iterate(c, c.eval(first.iter))
    if isinstance(steps, Listed):
        raise refusal
    made: list[ListRef] = []

    def value(item: Value) -> Value:
        assign(c, first.target, item)
        return _inner(c, rest, element, refusal) if rest else c.eval(element)

    def go(steps: Steps = steps) -> None:
        made.append(mapped(c, steps, value, inner_parts if rest else parts_of))

    _with_own_names(c, first.target, go)
    return flattened(c, made[0]) if rest else made[0]


def _inner(c: Context, rest: Sequence[ast.comprehension], element: ast.expr, refusal: NotStaticError) -> Value:
    point = c.mark()
    try:
        return c.new_list(comprehend(c, rest, element))
    except NotStaticError:
        c.go_back(point)
        return _at_run_time(c, rest, element, refusal)


def _with_own_names(c: Context, target: ast.expr, action: Callable[[], None]) -> None:
    """Execute an action that binds the names of a comprehension, which are not those outside."""
    outer = dict(c.frame.names)
    action()
    for name in {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}:
        if name in outer:
            c.frame.names[name] = outer[name]
        else:
            c.frame.names.pop(name, None)
