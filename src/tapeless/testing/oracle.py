"""The derivative of a program by differences, in numbers so long that differences are exact.

    slope = Oracle(function).slope(args, direction)

evaluates f(x - h v), f(x) and f(x + h v) with 60 digits and h = 1e-20: the central difference is the directional
derivative to about 40 digits (truncation h^2, rounding 1e-60 / h), far beyond what any derivative rule could get
wrong by rounding. Thirty digits more keep it so when numbers as large as 1e30 are added, which stand for infinity in
many programs. Floats of either precision are exact numbers here; integers and bools do not move.

Where the two one-sided differences disagree, the program has a kink or a jump at this very point (or bends so much
that differences mean nothing): `Slope.kink` says so, and no derivative can be judged there. Integer results and the
shapes of results must not move either. What a program holds still with `stop_gradient` keeps the value it has at x;
except in the body of a function with a rule of its own, since the rule speaks of how that moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ir.core import Apply, Block, Custom, Expr, Function, Lambda
from ..ir.eval import interpreter
from ..ir.numbers_mp import MpTower
from ..ir.op import Op
from ..ir.walk import map_lambdas
from ..records import replace
from .compare import Outcome, outcome
from .limit import time_limit

STEP = "1e-20"
DIGITS = 60 + 30
SECONDS = 8.0
STEEP = 1e10  # a jump of any size, or a pole, has slopes like 1e20 on both sides
KINK = 1e-6  # one-sided differences of a smooth program differ by h times its curvature, about 1e-20


@dataclass(frozen=True, slots=True)
class Slope:
    """The value of a program at a point, and its derivative in a direction: one per result, None where it has none."""

    value: Outcome
    along: tuple[Any, ...] = ()
    kink: str = ""


class HoldingTower(MpTower):
    """Long numbers; `stop_gradient` answers what it answered in the run that is held, one value after the other."""

    def __init__(self) -> None:
        super().__init__(DIGITS)
        self.seen: list[Any] = []
        self._held: Iterator[Any] | None = None

    def hold(self, values: Sequence[Any] | None) -> None:
        """From now on give these values; None for those that come, which are then `seen`."""
        self.seen, self._held = [], None if values is None else iter(values)

    def operation(self, op: Op) -> Callable[..., Any]:
        return self._stopped if op.name == "stop_gradient" else super().operation(op)

    def _stopped(self, x: Any) -> Any:
        value = x if self._held is None else next(self._held, x)
        self.seen.append(value)
        return value


class Oracle:
    """A program in 60-digit numbers."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.tower = HoldingTower()
        moving = Function(function.name, function.params, _moving(function.body, inside=False))
        self._run = interpreter(moving, self.tower)

    def evaluate(self, args: Sequence[Any], held: Sequence[Any] | None = None) -> Outcome:
        """The results in long numbers, or the fault; `held` are values for `stop_gradient`."""
        self.tower.hold(held)
        with time_limit(SECONDS):
            return outcome(lambda: self._run(args))

    def slope(self, args: Sequence[Any], direction: Sequence[Any]) -> Slope:
        """The derivative where each float argument moves along its direction; a direction of None stays."""
        here = self.evaluate(args)
        if here.fault:
            return Slope(here)
        step, held = self.tower.mp.mpf(STEP), self.tower.seen
        before, after = (self.evaluate(self._moved(args, direction, sign * step), held) for sign in (-1, 1))
        if before.fault or after.fault:
            return Slope(here, kink=f"a check fails beside this point: {before.fault or after.fault}")
        along: list[Any] = []
        for k, values in enumerate(zip(before.results, here.results, after.results, strict=True)):
            if not self.function.result_types[k].dtype.is_float:
                if any(not np.array_equal(value, values[1]) for value in values):
                    return Slope(here, kink=f"result {k} jumps")
                along.append(None)
                continue
            left, right, central = self._differences(*values, step)
            if _apart(left, right):
                return Slope(here, kink=f"result {k} has a kink or a jump: slopes {_few(left)} and {_few(right)}")
            along.append(central)
        return Slope(here, tuple(along))

    def _moved(self, args: Sequence[Any], direction: Sequence[Any], step: Any) -> list[Any]:
        moved: list[Any] = []
        for arg, along in zip(args, direction, strict=True):
            moved.append(arg if along is None else self.long(arg) + step * self.long(along))
        return moved

    def long(self, value: Any) -> Any:
        """A float or an array of floats in long numbers."""
        number = self.tower.mp.mpf
        if np.ndim(value) == 0:
            return value if isinstance(value, number) else number(float(value))
        array: Any = np.empty(np.shape(value), object)
        array.reshape(-1)[:] = [x if isinstance(x, number) else number(float(x)) for x in np.asarray(value).flat]
        return array

    def _differences(self, before: Any, here: Any, after: Any, step: Any) -> tuple[Any, Any, Any]:
        if np.shape(before) != np.shape(here) or np.shape(after) != np.shape(here):
            return self.tower.mp.mpf(0), self.tower.inf, here
        return (here - before) / step, (after - here) / step, (after - before) / (2 * step)


def _moving(block: Block, *, inside: bool) -> Block:
    """The block, where nothing is held still in the bodies of functions with rules of their own."""

    def moved(expr: Expr) -> Expr:
        match expr:
            case Apply("stop_gradient", (x,)) if inside:
                return Apply("convert", (x,), (x.type.dtype,))
            case Custom(body=body):
                return replace(expr, body=Lambda(body.params, _moving(body.body, inside=True)))
            case _:
                return map_lambdas(expr, lambda lam: Lambda(lam.params, _moving(lam.body, inside=inside)))

    return Block(tuple(replace(stm, expr=moved(stm.expr)) for stm in block.stms), block.results)


def flat(value: Any) -> list[Any]:
    """The numbers of an array or scalar in order."""
    array: Any = value
    return list(array.flat) if np.ndim(array) else [value]


def deviation(found: Any, expected: Any) -> float:
    """The largest difference of two arrays of long numbers, relative to each element's size (at least 1e-3).

    Infinite where one is not finite, for a missing digit is a wrong rule.
    """
    worst = 0.0
    for x, y in zip(flat(found), flat(expected), strict=True):
        error = float(abs(x - y) / max(abs(y), abs(x), 1e-3))
        if not error <= worst:
            worst = error if error == error else float("inf")  # noqa: PLR0124 - NaN
    return worst


def rounded(value: Any, storage: Any) -> Any:
    """Long numbers as those of the machine."""
    if np.dtype(storage).kind != "f":
        return value
    return np.array([float(x) for x in flat(value)], storage).reshape(np.shape(value))[()]


def _apart(left: Any, right: Any) -> bool:
    pairs = zip(flat(left), flat(right), strict=True)
    return any(not (abs(x - y) <= KINK * max(1, abs(x), abs(y)) and abs(x) < STEEP) for x, y in pairs)


def _few(value: Any) -> str:
    return ", ".join(f"{float(x):.6g}" for x in flat(value)[:4])
