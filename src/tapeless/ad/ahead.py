"""Loops of few inputs, differentiated on their way: forward mode inside of reverse mode.

A loop whose results depend on a few numbers x can carry its tangents by each of them along. What it leaves is its
Jacobian, and the return sweep is a product with that. Nothing is kept, nothing runs again, and a loop with a condition
need not be counted:

    forward:  y, dy/dx = the loop with tangents e_1, ..., e_k             return:  x_adj += (dy/dx)' y_adj

It is done where it is counted to be cheaper than keeping states (`choice`): always for one input. Where a zero has to
win over an infinity, statements see to it one by one, and this is not done.
"""

from __future__ import annotations

from ..ir.core import Block, For, Stm, While
from ..ir.types import Lit, Var
from ..ir.walk import statements
from ..symbolic.describe import Segment
from .adjoints import Scope
from .choice import Choice
from .jvp import push_in_place, pushes_together
from .segments import dot
from .sweep import Back, Sweep


def ahead(sweep: Sweep, stm: Stm) -> Back | None:
    """Emit a loop with its tangents, where that is cheaper; how to go back through it."""
    expr, collapse = stm.expr, sweep.plan.collapse
    assert isinstance(expr, For | While)
    if collapse is None or not collapse.chooses:
        return None
    choice = Choice(sweep.varied)
    if not choice.is_ahead(stm) or any(sweep.is_delicate(inner) for inner in statements(Block((stm,), ()))):
        return None
    inputs = choice.inputs(stm)
    if not pushes_together(Block((stm,), ()), sweep.varied, len(inputs)):
        return None
    dots = push_in_place(sweep.b, stm, [{x: Lit(1.0, x.type.dtype)} for x in inputs], collapse)
    collapse.taken.append("tangents")
    _announce(sweep, stm, inputs, choice)

    def back(scope: Scope) -> None:
        seeds = [(r, seed) for r, var in enumerate(stm.vars) if (seed := scope.take(var)) is not None]
        for k, x in enumerate(inputs):
            scope.add(x, dot(scope.b, [(dots[k][r], seed) for r, seed in seeds]))

    return back


def _announce(sweep: Sweep, stm: Stm, inputs: list[Var], choice: Choice) -> None:
    ways = choice.ways(stm)
    names = ", ".join(x.name.split(".", maxsplit=1)[0] for x in inputs)
    sweep.plan.note(
        stm.pos,
        f"keeps nothing: carries its derivatives by {names} along",
        f"{ways.tangents:.0f} operations in an iteration; {ways.states:.0f} by keeping states and running again",
        back=0,
    )
    if sweep.plan.notes is not None:
        title = "derivative of a loop, carried along"
        sweep.plan.notes.put(Segment.loop(stm, title, "tangents", ways.states, ways.tangents))
