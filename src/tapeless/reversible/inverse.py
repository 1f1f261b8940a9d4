"""The inverse of a function, and of one iteration of a loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Custom, For, Function, Hist, If, Lambda, Map, Reduce, Scan, Scatter, Stm, While
from ..ir.types import Atom, Var
from ..ir.walk import fresh
from .solving import CannotInvert, Solving, Undo
from .undo import undo_operation
from .undo_forms import step_back, undo_branch, undo_histogram, undo_loop, undo_map, undo_nothing

RULES: Mapping[type, Undo] = {
    Apply: undo_operation,
    Map: undo_map,
    Hist: undo_histogram,
    If: undo_branch,
    For: undo_loop,
    While: undo_nothing,
    Reduce: undo_nothing,
    Scan: undo_nothing,
    Scatter: undo_nothing,
    Custom: undo_nothing,
}


def inverse_function(function: Function, changes: Sequence[tuple[int, int]]) -> Function:
    """The function from what some parameters became to what they were.

    `changes` are pairs of a parameter and the result that it becomes. The parameters keep their places.
    """
    b = Builder()
    after = {param: fresh(function.params[param].name, function.params[param].type) for param, _ in changes}
    params = tuple(after.get(k, param) for k, param in enumerate(function.params))
    solving = Solving(function.body, b, RULES, {function.params[k].name for k, _ in changes})
    given: list[Atom | None] = [None] * len(function.body.results)
    for param, result in changes:
        given[result] = after[param]
    solving.run(given)
    before: list[Atom] = []
    for param, _ in changes:
        found = solving.known.get(function.params[param].name)
        if found is None:
            raise CannotInvert(f"what {_name(function.params[param])} was does not follow from what it becomes")
        before.append(found)
    donated = tuple((param, number) for number, (param, _) in enumerate(changes) if function.params[param].type.shape)
    return Function(f"{function.name}_inv", params, b.block(before), donated)


def inverse_step(expr: For, before: Sequence[Stm] = ()) -> Lambda:
    """From the counter and the carried values at the end of an iteration to those at its start.

    `before` are statements that were executed before the loop.
    """
    b, body = Builder(), expr.body
    lasts = {k: fresh("last", param.type) for k, param in enumerate(body.params[1:])}
    starts = step_back(RULES, None, b, expr, body.params[0], lasts, before)
    for param, start in zip(body.params[1:], starts, strict=True):
        if start is None:
            raise CannotInvert(f"what {_name(param)} was does not follow from what it becomes")
    return Lambda((body.params[0], *lasts.values()), b.block([start for start in starts if start is not None]))


def _name(var: Var) -> str:
    return var.name.split(".", maxsplit=1)[0]
