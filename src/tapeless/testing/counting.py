"""How much work a derivative is, counted: operations by their cost, and bytes that arrays move.

The theory promises a small constant. `work(function, args)` counts what the interpreter does, each operation weighted
by the cost in its record (an addition is one), and a moved word of eight bytes as one addition as well; so copying a
whole array in every iteration, which is one operation, is counted for what it is. `reverse_work` counts a program and
its reverse derivative after all passes, and what of the program is run again by announcement (`planner.Rerun`): that
is what `explain()` says, and nothing else is allowed for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from ..ad.functions import vjp_function
from ..ad.planner import Plan, Rerun
from ..ad.prepare import prepare
from ..ad.values import returning
from ..ir.core import Block, Function, Lambda, Pos, Stm
from ..ir.eval import Frame, Step, evaluate
from ..ir.numbers import NUMPY_TYPES
from ..ir.numbers_count import CountingTower
from ..ir.op import lookup
from ..ir.walk import map_lambdas
from ..passes.notes import Notes
from ..passes.pipeline import optimise

SWEEP = 6.0  # the return sweep costs at most this many times the program
WORD = 8


@dataclass(frozen=True, slots=True)
class Work:
    """The work of a program, of its reverse derivative (which runs the program too), and of what is run again."""

    primal: float
    reverse: float
    announced: float
    elements: int

    @property
    def bound(self) -> float:
        """What the reverse derivative may cost.

        The program, the return sweep, and what is announced. Zeros of the size of the arguments, and the start of each
        sweep, are there however little the program does.
        """
        return (1 + SWEEP) * self.primal + self.announced + 4 * self.elements + 64


def work(function: Function, args: Sequence[Any]) -> tuple[float, list[Any]]:
    """The counted work, and the results."""
    tower = CountingTower()
    results = evaluate(function, args, tower)
    return _total(tower), results


def reverse_work(function: Function, args: Sequence[Any]) -> Work:
    """The work of a function and of its reverse derivative by all float parameters."""
    source = placed(prepare(function, Notes()))
    active = [k for k, param in enumerate(source.params) if param.type.dtype.is_float]
    primal, results = work(optimise(source), args)
    types = source.result_types
    seeds = [
        np.ones(np.shape(result), NUMPY_TYPES[type.dtype])[()]
        for result, type in zip(results, types, strict=True)
        if type.dtype.is_float
    ]
    reruns: dict[Pos | None, Rerun] = {}
    reverse, _ = work(optimise(vjp_function(source, active, Plan(reruns=reruns))), [*args, *seeds])
    elements = sum(int(np.size(x)) for x in (*args, *results))
    return Work(primal, reverse, rerun_work(source, args, reruns), elements)


def rerun_work(function: Function, args: Sequence[Any], reruns: Mapping[Pos | None, Rerun]) -> float:
    """The work of a program that is done again, when its loops and scopes are run again so often.

    What a loop does runs forward X = X_outer (1 + ahead) + back times altogether, X_outer being that of what is around
    it: it runs ahead whenever that runs forward, and back once for each time in the program.
    """
    meter = _Meter()

    def watch(stm: Stm, step: Step) -> Step:
        rerun = reruns.get(returning(stm.pos))
        if rerun is None:
            return step
        assert rerun.back is not None, "how often depends on the trip count"
        return meter.around(step, 1 + rerun.ahead, rerun.back)

    evaluate(function, args, meter.tower, watch)
    return meter.again


@dataclass(slots=True)
class _Meter:
    """Adds up work, weighted by how often it is done again; `times` are the numbers of runs, outermost first."""

    tower: CountingTower = field(default_factory=CountingTower)
    times: list[int] = field(default_factory=lambda: [1])
    seen: float = 0.0
    again: float = 0.0

    def around(self, step: Step, factor: int, more: int) -> Step:
        """A step that runs `factor` times as often as what is around it, and `more` times."""

        def run(frame: Frame) -> None:
            self._close()
            self.times.append(self.times[-1] * factor + more)
            step(frame)
            self._close()
            self.times.pop()

        return run

    def _close(self) -> None:
        now = _total(self.tower)
        self.again += (now - self.seen) * (self.times[-1] - 1)
        self.seen = now


def _total(tower: CountingTower) -> float:
    operations = sum(number * lookup(name).cost for name, number in tower.counts.items())
    return operations + (tower.bytes_read + tower.bytes_written) / WORD


def placed(function: Function) -> Function:
    """The function with a place of its own for every statement, by which announcements find it."""
    lines = count(1)

    def marked(block: Block) -> Block:
        stms = [Stm(stm.vars, map_lambdas(stm.expr, inner), _line(next(lines))) for stm in block.stms]
        return Block(tuple(stms), block.results)

    def inner(lam: Lambda) -> Lambda:
        return Lambda(lam.params, marked(lam.body))

    return Function(function.name, function.params, marked(function.body))


def _line(number: int) -> Pos:
    return Pos("program", number, 0, number, 0)
