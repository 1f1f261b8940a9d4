"""The inverse of a block, and of one iteration of a loop."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Block, Custom, For, Hist, If, Lambda, Map, Pos, Reduce, Scan, Scatter, Stm, While
from ..ir.types import Atom, Var
from ..ir.walk import fresh, lambdas, operands
from ..passes.notes import Notes
from ..passes.uses import mentioned
from .bitwise import solve_bitwise
from .cancelling import solve_by_cancelling
from .exchange import undo_scatter
from .fixed_points import solve_fixed_points
from .map_systems import solve_maps
from .meeting import told_apart
from .solving import CannotInvert, Rules, Solving, Stuck, Undo
from .systems import solve_checked_systems, solve_systems
from .told import undo_told
from .undo import undo_operation
from .undo_forms import (
    step_back,
    undo_branch,
    undo_choice,
    undo_histogram,
    undo_loop,
    undo_map,
    undo_nothing,
    undo_prefix_sums,
)
from .undo_while import undo_while


def _undo_apply(s: Solving, stm: Stm) -> None:
    undo_choice(s, stm)
    undo_operation(s, stm)


EACH: Mapping[type, Undo] = {
    Apply: _undo_apply,
    Map: undo_map,
    Hist: undo_histogram,
    If: undo_branch,
    For: undo_loop,
    While: undo_while,
    Reduce: undo_nothing,
    Scan: undo_prefix_sums,
    Scatter: undo_scatter,
    Custom: undo_told,
}


def _together(s: Solving) -> bool:
    known = solve_systems(s) or solve_by_cancelling(s) or solve_bitwise(s) or solve_maps(s)
    return known or solve_fixed_points(s) or solve_checked_systems(s)


RULES = Rules(EACH, _together)


def inverse_block(
    b: Builder,
    block: Block,
    inputs: Sequence[Var],
    lasts: Mapping[int, Atom],
    lost: Sequence[Var] = (),
    notes: Notes | None = None,
    tells: bool = False,
    may_assume: bool = True,
) -> list[Atom]:
    """Emit what computes `inputs` of a block from its results `lasts`, given by their numbers.

    All other variables from outside are as they were, but for those that are `lost`. What the block checks is checked
    again. What is computed again is written to `notes`. With `tells`, its loops are told how they are undone in turn.
    Where nothing else helps, and it `may_assume` so, places are taken to be apart, and checked, unless it can be undone
    as well where they are one.
    """
    solving = _solved(b, block, inputs, lasts, lost, tells, assumes=False)
    if not _is_solved(solving, inputs):
        assuming = _solved(b, block, inputs, lasts, lost, tells, assumes=True)
        cases = told_apart(block, assuming.assumed) if _is_solved(assuming, inputs) else None
        either = solving if cases is None else _solved(b, cases, inputs, lasts, lost, tells, assumes=False)
        if _is_solved(either, inputs):
            solving = either
        elif may_assume:
            assuming.stuck |= solving.stuck
            solving = assuming
    for var in inputs:
        if var.name not in solving.known:
            raise unknown(block, var, solving.stuck)
    b.splice(solving.b.block(()))
    if notes is not None:
        _announce(notes, solving.again)
    return [solving.known[var.name] for var in inputs]


def _solved(
    b: Builder,
    block: Block,
    inputs: Sequence[Var],
    lasts: Mapping[int, Atom],
    lost: Sequence[Var],
    tells: bool,
    *,
    assumes: bool,
) -> Solving:
    """The block solved as far as that goes; with `assumes`, places that may be apart are taken to be, and checked."""
    solving = Solving(block, b.child(), RULES, {var.name for var in (*inputs, *lost)}, checks=True)
    solving.tells, solving.assumes = tells, assumes
    solving.run([lasts.get(k) for k in range(len(block.results))])
    return solving


def _is_solved(solving: Solving, inputs: Sequence[Var]) -> bool:
    return all(var.name in solving.known for var in inputs)


def _announce(notes: Notes, again: Sequence[Stm]) -> None:
    """Say of each line which floats and arrays the inverse computes again: all that it takes besides its arguments."""
    lines: dict[int, tuple[Pos, set[str]]] = {}
    for stm in again:
        type = stm.vars[0].type
        if stm.pos is not None and (type.shape or type.dtype.is_float):
            _, found = lines.setdefault(stm.pos.line, (stm.pos, set()))
            found.add(re.sub(r"\.\d+", "", repr(type)))
    for pos, found in lines.values():
        notes.add(pos, "backwards", f"computes {', '.join(sorted(found))} again", "temporaries are not kept")


def unknown(block: Block, var: Var, stuck: Stuck) -> CannotInvert:
    """A variable cannot be brought back: the place is the innermost that last has to do with it."""
    pos = None
    last = next((stm for stm in reversed(block.stms) if var.name in mentioned(stm)), None)
    if last is not None:
        pos = last.pos
        for lam in lambdas(last.expr):
            carried = dict(zip(operands(last.expr)[-len(lam.params[1:]) :], lam.params[1:], strict=False))
            pos = unknown(lam.body, carried.get(var, var), stuck).pos or pos
    return CannotInvert(f"what {_name(var)} was does not follow from what it becomes", pos, stuck)


def inverse_step(expr: For, before: Sequence[Stm] = ()) -> Lambda:
    """From the counter and the carried values at the end of an iteration to those at its start.

    `before` are statements that were executed before the loop.
    """
    b, body = Builder(), expr.body
    lasts = {k: fresh("last", param.type) for k, param in enumerate(body.params[1:])}
    stuck: Stuck = set()
    starts = step_back(RULES, None, b, expr, body.params[0], lasts, before, stuck)
    for param, start in zip(body.params[1:], starts, strict=True):
        if start is None:
            raise unknown(body.body, param, stuck)
    return Lambda((body.params[0], *lasts.values()), b.block([start for start in starts if start is not None]))


def _name(var: Var) -> str:
    return var.name.split(".", maxsplit=1)[0]
