"""What a gradient takes, counted by the interpreter: operations (by their cost), and bytes that arrays are given.

The program that is counted is the one that is compiled: the derivative after all passes. What is written to arrays is
what the return sweep keeps, and results.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.coarsen import programs
from bench.coarsen.with_tapeless import BY

import tapeless as tp
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers_count import CountingTower
from tapeless.ir.op import lookup


@dataclass(frozen=True, slots=True)
class Counts:
    """An addition is one operation; moving numbers is none."""

    operations: float
    bytes: int


def count(family: str, arguments: tuple, options: dict) -> Counts:
    """Of the gradient of a program under some options."""
    with tp.config(**options):
        lowering = tp.grad(getattr(programs, family), BY[family]).lower(*arguments)
    tower = CountingTower()
    evaluate(lowering.ir, [*arguments, *lowering.compiled.lowered.hidden_leaves()], tower)
    operations = sum(number * lookup(name).cost for name, number in tower.counts.items())
    return Counts(operations, tower.bytes_written)
