"""Programs before and after coarsening, and what running them takes."""

from __future__ import annotations

from tapeless.front.capture import lower, specialise
from tapeless.ir.check import check
from tapeless.ir.core import Function
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers_count import CountingTower
from tapeless.ir.numbers_mp import MpTower
from tapeless.passes import parallelise, simplify
from tapeless.passes.notes import Notes
from tapeless.symbolic import coarsen
from tapeless.symbolic.describe import Segment

MP = MpTower(60)


def before(function, *args) -> Function:
    """The program that coarsening gets to see."""
    program, notes = lower(function, specialise(function, args, {}).specs).function, Notes()
    for step in (simplify, parallelise, simplify):
        program = step.run(program, notes)
    return program


def after(program: Function) -> tuple[Function, list[Segment], list[str]]:
    """The program after coarsening, its closed forms, and the reasons for loops that stay."""
    notes = Notes()
    coarse = coarsen.run(program, notes)
    check(coarse)
    found = notes.about(coarsen.SUBJECT)
    return coarse, [n for n in found if isinstance(n, Segment)], [n.reason for n in found if not isinstance(n, Segment)]


def exactly(program: Function, args):
    """The results in numbers of 60 digits."""
    return evaluate(program, args, MP)


def operations(program: Function, args) -> int:
    """How many operations a run takes."""
    tower = CountingTower()
    evaluate(program, args, tower)
    return sum(tower.counts.values())


def agree(one, other, digits=45) -> bool:
    return all(abs(x - y) <= MP.mp.mpf(10) ** -digits * (1 + abs(x)) for x, y in zip(one, other, strict=True))
