"""How much work a derivative is, counted: operations by their cost, and bytes that arrays move.

The theory promises a small constant. `work(function, args)` counts what the interpreter does, each operation weighted
by the cost in its record (an addition is one), and a moved word of eight bytes as one addition as well; so copying a
whole array in every iteration, which is one operation, is counted for what it is. `reverse_work` counts a program and
its reverse derivative after all passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ad.functions import vjp_function
from ..ad.prepare import prepare
from ..ir.core import Block, For, Function, While
from ..ir.eval import evaluate
from ..ir.numbers import NUMPY_TYPES
from ..ir.numbers_count import CountingTower
from ..ir.op import lookup
from ..ir.walk import lambdas
from ..passes.notes import Notes
from ..passes.pipeline import optimise

SWEEP = 6.0  # the return sweep costs at most this many times the program
WORD = 8


@dataclass(frozen=True, slots=True)
class Work:
    """The work of a program, of its reverse derivative (which runs the program too), and the depth of its loops."""

    primal: float
    reverse: float
    depth: int
    elements: int

    @property
    def bound(self) -> float:
        """What the reverse derivative may cost.

        The program, the return sweep, and one more execution for each loop around a loop: a loop's body is run again on
        the way back, and with it the loops inside. Zeros of the size of the arguments, and the start of each sweep, are
        there however little the program does.
        """
        return (1 + SWEEP + max(0, self.depth - 1)) * self.primal + 4 * self.elements + 64


def work(function: Function, args: Sequence[Any]) -> tuple[float, list[Any]]:
    """The counted work, and the results."""
    tower = CountingTower()
    results = evaluate(function, args, tower)
    operations = sum(count * lookup(name).cost for name, count in tower.counts.items())
    return operations + (tower.bytes_read + tower.bytes_written) / WORD, results


def reverse_work(function: Function, args: Sequence[Any]) -> Work:
    """The work of a function and of its reverse derivative by all float parameters."""
    source = prepare(function, Notes())
    active = [k for k, param in enumerate(source.params) if param.type.dtype.is_float]
    primal, results = work(optimise(source), args)
    types = source.result_types
    seeds = [
        np.ones(np.shape(result), NUMPY_TYPES[type.dtype])[()]
        for result, type in zip(results, types, strict=True)
        if type.dtype.is_float
    ]
    reverse, _ = work(optimise(vjp_function(source, active)), [*args, *seeds])
    elements = sum(int(np.size(x)) for x in (*args, *results))
    return Work(primal, reverse, _depth(source.body), elements)


def _depth(block: Block) -> int:
    """How deep sequential loops are nested."""
    depths = [0]
    for stm in block.stms:
        inner = max((_depth(lam.body) for lam in lambdas(stm.expr)), default=0)
        depths.append(inner + isinstance(stm.expr, For | While))
    return max(depths)
