"""A for loop over a product of iterables (`itertools.product`, `np.ndindex`) as nested loops.

    for t in product(a, b): body     ->     for p in a:
                                                for q in b:
                                                    t = (p, q)
                                                    body

The new syntax is made once per loop, under names that no program can have. A `break` would leave the inner loop only,
so loops with one are not nested.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence

from .context import Context
from .frame import HIDDEN
from .liveness import Liveness, loop_syntax
from .values import Value, Zipped


def nest(c: Context, node: ast.For, iterable: Value) -> ast.For | None:
    """The nested loops for a loop over a product, their iterables bound to names; None where there is no such form."""
    index = None
    match iterable:
        case Zipped("product", parts) if len(parts) > 1:
            pass
        case Zipped("map", (Zipped("product", parts),), index) if len(parts) > 1:
            pass
        case _:
            return None
    if loop_syntax(node).breaks or node.orelse:
        return None
    loops = _syntax(node, len(parts), index is not None)
    c.frame.hidden.update((_name(node, "over", k), part) for k, part in enumerate(parts))
    c.frame.hidden[_name(node, "with")] = index
    _describe(c.frame.live, node, loops)
    return loops[0]


def _describe(live: Liveness, node: ast.For, loops: Sequence[ast.For]) -> None:
    """What is live around the new loops: for the inner ones, all that is live at the head of the outer one."""
    for table in (live.after, live.end):
        table[loops[0]] = table[node]
        table.update((loop, live.head[node]) for loop in loops[1:])
    for table in (live.head, live.exposed):
        table.update((loop, table[node]) for loop in loops)


@functools.cache
def _syntax(node: ast.For, depth: int, mapped: bool) -> list[ast.For]:
    places: ast.expr = ast.Tuple([ast.Name(_name(node, "at", k), ast.Load()) for k in range(depth)], ast.Load())
    if mapped:
        places = ast.Call(ast.Name(_name(node, "with"), ast.Load()), [places], [])
    body: list[ast.stmt] = [ast.Assign([node.target], places), *node.body]
    loops: list[ast.For] = []
    for k in reversed(range(depth)):
        target, over = ast.Name(_name(node, "at", k), ast.Store()), ast.Name(_name(node, "over", k), ast.Load())
        loops.insert(0, ast.For(target, over, body, [], None))
        body = [loops[0]]
    for part in ast.walk(loops[0]):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    return loops


def _name(node: ast.For, role: str, k: int = 0) -> str:
    return f"{HIDDEN}product {role} {k} of {node.lineno}:{node.col_offset}>"
