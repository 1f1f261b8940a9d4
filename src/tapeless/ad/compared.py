"""A derivative that is never dearer than one statement after another: it is made both ways and counted.

What goes through a segment or a loop in a cheaper way (`Collapse`) is chosen one by one, by estimates: what another
rule shares, or a later one drops, is not in them. So the whole derivative is made a second time without any of these
ways, and both are simplified and counted (`passes.tally`). To make a derivative takes little of the time to compile,
and it is done only where a way was chosen.
The one with these ways is kept if it is nowhere dearer. Where it gains almost nothing, later passes decide which is
cheaper, and it is not worth the bet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..ir.build import Builder
from ..ir.core import Block, Function, Pos
from ..ir.types import Atom
from ..passes import filled, simplify
from ..passes.notes import Notes
from ..passes.tally import tallies
from ..records import dataclass, replace
from .planner import Plan
from .segments import Collapse

LEAST = 0.005  # what has to be gained somewhere, in parts of the whole

Build: TypeAlias = Callable[[Builder, Plan], Sequence[Atom]]


@dataclass(frozen=True, slots=True)
class _Made:
    """A derivative, with what goes through its segments, and what was noted on the way."""

    block: Block
    collapse: Collapse | None
    notes: Notes


def cheapest(build: Build, plan: Plan, pos: Pos | None = None) -> tuple[Block, Plan]:
    """The derivative that `build` makes, by the given plan or without its ways through segments and loops."""
    found = _made(build, plan, pos)
    if found.collapse is not None and found.collapse.chooses and found.collapse.taken:
        plain = _made(build, replace(plan, collapse=None), pos)
        if not is_worth_it(found.block, plain.block):
            found = plain
    if plan.notes is not None:
        for note in found.notes:
            plan.notes.put(note)
    return found.block, plan if found.collapse is not None else replace(plan, collapse=None)


def is_worth_it(block: Block, plain: Block) -> bool:
    """Is a block nowhere dearer than another, and somewhere cheaper by more than next to nothing?"""
    costs = [tallies(_simple(found)) for found in (block, plain)]
    pairs = list(zip(*costs, strict=True))
    return all(new <= old for new, old in pairs) and any(new < (1.0 - LEAST) * old for new, old in pairs)


def _made(build: Build, plan: Plan, pos: Pos | None) -> _Made:
    b, notes = Builder(pos), Notes()
    collapse = None if plan.collapse is None else plan.collapse.noting(notes)
    quiet = replace(plan, notes=None if plan.notes is None else notes, collapse=collapse)
    return _Made(b.block(build(b, quiet)), collapse, notes)


def _simple(block: Block) -> Block:
    return filled.run(simplify.run(Function("counted", (), block), Notes()), Notes()).body
