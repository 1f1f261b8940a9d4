"""One program and its derivatives against everything: the oracle, the dot test, each other, compiled code.

`judge_derivatives(function, args)` takes random tangents v and cotangents w and checks, in this order:

    forward     the derivative program gives J v: evaluated with 60 digits it equals the oracle's differences
    reverse     with 60 digits, <J^T w, v> = <w, J v> for the oracle's J v
    limited     the same where loops may keep only two or three states for the return sweep
    rounding    the machine's numbers give what long numbers give, as far as the program is well conditioned
    passes      the derivative program means the same after all passes, and compiled

In long numbers there is no question of tolerance: agreement is to 18 digits or the rule is wrong. A random direction
misses a wrong entry of J with probability zero. `order=2` takes the derivative programs themselves as programs and
judges forward over reverse, reverse over forward and reverse over reverse in the same way. A kink at the very point,
or a branch decided by rounding, makes a program `unstable`: nothing can be said there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..ad.functions import jvp_function, vjp_function
from ..ad.planner import Plan
from ..ad.prepare import prepare
from ..ir.check import check
from ..ir.core import Apply, Function
from ..ir.numbers import NUMPY_TYPES
from ..ir.types import Type
from ..ir.walk import statements
from ..passes.notes import Notes
from .compare import Outcome, difference, reference, tolerance, unstable
from .dice import Dice
from .oracle import Oracle, Slope, deviation, flat, rounded
from .verify import Compiler, Verdict, judge

EXACT = 1e-18  # of agreement in long numbers
SERIES = 1e-12  # where the derivative of digamma takes part: its series has double precision
Transform = Callable[[Function, Sequence[int]], Function]


def judge_derivatives(
    function: Function,
    args: Sequence[Any],
    *,
    order: int = 1,
    seed: int = 0,
    prepared: bool = True,
    modes: Sequence[str] = ("forward", "reverse"),
    compiler: Compiler | None = None,
    variants: Sequence[str] = ("auto",),
) -> Verdict:
    """Check the derivatives of one program up to `order`. Without a `compiler` compiled code is left out."""
    try:
        source = prepare(function, Notes()) if prepared else Function(function.name, function.params, function.body)
        point = Point(source, args, Dice(seed))
        machine = Machine(compiler, variants)
        if point.worth_it:
            derived = {mode: MODES[mode](point, machine) for mode in modes}
            if order > 1:
                _second(derived["forward"], derived["reverse"], seed, machine)
    except Found as found:
        return found.verdict
    return Verdict("ok")


class Found(Exception):
    """Ends the judgement of a program."""

    def __init__(self, kind: str, stage: str, detail: str) -> None:
        self.verdict = Verdict(kind, stage, detail)


@dataclass(frozen=True, slots=True)
class Derived:
    """A derivative program, with the arguments it was judged at."""

    function: Function
    args: list[Any]
    stage: str


class Point:
    """A program, arguments, a direction v for each float argument, and the oracle's answer there."""

    def __init__(self, function: Function, args: Sequence[Any], dice: Dice, inner: str = "") -> None:
        """`inner` is the stage that made the program, when it is a derivative itself."""
        self.function, self.args, self.dice = function, list(args), dice
        self.over = f" over {inner}" if inner else ""
        self.active = [k for k, param in enumerate(function.params) if param.type.dtype.is_float]
        types = [param.type for param in function.params]
        self.direction = [
            random_like(dice, types[k], np.shape(arg)) if k in self.active else None for k, arg in enumerate(args)
        ]
        self.slope = self._slope()
        operations = {s.expr.op for s in statements(function.body) if isinstance(s.expr, Apply)}
        self.tolerance = SERIES if "digamma" in operations else EXACT

    def _slope(self) -> Slope:
        stage = f"oracle{self.over}"
        with _blamed(stage):
            try:
                slope = Oracle(self.function).slope(self.args, self.direction)
            except TimeoutError as error:  # such as a loop that ends when double precision is exhausted
                raise Found("unstable", stage, str(error)) from error
        if slope.kink:
            raise Found("unstable", stage, slope.kink)
        return slope

    @property
    def worth_it(self) -> bool:
        """Is there something to differentiate, and a value at which?"""
        return bool(self.active) and not self.slope.value.fault

    @property
    def tangents(self) -> list[Any]:
        return [self.direction[k] for k in self.active]

    @property
    def slopes(self) -> list[Any]:
        """J v for each float result."""
        return [along for along in self.slope.along if along is not None]


def judge_forward(point: Point, machine: Machine) -> Derived:
    """The forward derivative against the oracle, result by result."""
    derived = _derive(point, "forward", jvp_function, point.tangents)
    exact, rest = _evaluate(derived, point)
    if len(rest) != len(point.slopes):
        raise Found("wrong", derived.stage, f"{len(rest)} tangents for {len(point.slopes)} float results")
    for k, (found, expected) in enumerate(zip(rest, point.slopes, strict=True)):
        if np.shape(found) != np.shape(expected) or deviation(found, expected) > point.tolerance:
            raise Found("wrong", derived.stage, f"tangent {k} is {_few(found)}, must be {_few(expected)}")
    machine.judge(derived, exact)
    return derived


def judge_limited(point: Point, machine: Machine) -> Derived:
    """The reverse derivative whose loops keep two or three states."""
    return judge_reverse(point, machine, "limited", Plan(states=point.dice.between(2, 3)))


def judge_reverse(point: Point, machine: Machine, mode: str = "reverse", plan: Plan | None = None) -> Derived:
    """The reverse derivative against the oracle by the dot test."""
    types = [type for type in point.function.result_types if type.dtype.is_float]
    weights = [random_like(point.dice, type, np.shape(s)) for type, s in zip(types, point.slopes, strict=True)]
    derived = _derive(point, mode, partial(vjp_function, plan=plan), weights)
    exact, adjoints = _evaluate(derived, point)
    shapes = [np.shape(v) for v in point.tangents]
    if [np.shape(x) for x in adjoints] != shapes:
        raise Found("wrong", derived.stage, f"adjoints of shapes {[np.shape(x) for x in adjoints]} for {shapes}")
    left, size = _dot(weights, point.slopes)
    right, other = _dot(adjoints, point.tangents)
    if not abs(left - right) <= point.tolerance * max(size, other, 1e-3):
        detail = f"<J'w, v> is {float(right):.12g}, <w, Jv> is {float(left):.12g}; J'w = {_few(adjoints)}"
        raise Found("wrong", derived.stage, detail)
    machine.judge(derived, exact)
    return derived


def _second(forward: Derived, reverse: Derived, seed: int, machine: Machine) -> None:
    """Forward over reverse, and alternately reverse over forward and reverse over reverse."""
    judge_forward(Point(reverse.function, reverse.args, Dice(seed + 1), reverse.stage), machine)
    inner = forward if seed % 4 < 2 else reverse  # each of them of prepared programs and of others
    judge_reverse(Point(inner.function, inner.args, Dice(seed + 2), inner.stage), machine)


MODES: dict[str, Callable[[Point, Machine], Derived]] = {
    "forward": judge_forward,
    "reverse": judge_reverse,
    "limited": judge_limited,
}


def _derive(point: Point, mode: str, transform: Transform, seeds: Sequence[Any]) -> Derived:
    stage = f"{mode}{point.over}"
    with _blamed(stage):
        program = transform(point.function, point.active)
        check(program)
    return Derived(program, [*point.args, *seeds], stage)


def _evaluate(derived: Derived, point: Point) -> tuple[Outcome, tuple[Any, ...]]:
    """All results of a derivative program in long numbers, and those after the primal's: the derivatives."""
    with _blamed(derived.stage):
        exact = Oracle(derived.function).evaluate(derived.args)
    if exact.fault:
        raise Found("wrong", derived.stage, f"raises {exact.fault}")
    primal = point.slope.value.results
    for k, (found, expected) in enumerate(zip(exact.results, primal, strict=False)):
        if np.shape(found) != np.shape(expected) or not _same(found, expected):
            raise Found("wrong", derived.stage, f"result {k} of the primal is {_few(found)}, must be {_few(expected)}")
    return exact, exact.results[len(primal) :]


class Machine:
    """Judges a derivative program in the machine's numbers: interpreted, after all passes (or not), compiled."""

    def __init__(self, compiler: Compiler | None, variants: Sequence[str], *, passes: bool = True) -> None:
        self.compiler, self.variants, self.passes = compiler, variants, passes

    def judge(self, derived: Derived, exact: Outcome) -> None:
        function, args = derived.function, derived.args
        with _blamed(f"{derived.stage} rounding"):
            expected = reference(function, args)
            storage = [NUMPY_TYPES[type.dtype] for type in function.result_types]
            near = Outcome(tuple(rounded(x, s) for x, s in zip(exact.results, storage, strict=True)))
            detail = difference(near, expected, tolerance(function))
            if detail:
                kind = "unstable" if unstable(function, args, expected, near) else "wrong"
                raise Found(kind, f"{derived.stage} rounding", detail)
        if not self.passes:
            return
        verdict = judge(function, args, compiler=self.compiler, variants=self.variants, each_pass=False)
        if verdict.kind != "ok":
            raise Found(verdict.kind, f"{derived.stage} {verdict.stage}", verdict.detail)


class _blamed:
    """Turns any exception into a verdict on this stage."""

    def __init__(self, stage: str) -> None:
        self.stage = stage

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, Found):
            raise Found("wrong", self.stage, f"{type(error).__name__}: {error}") from error


def random_like(dice: Dice, type: Type, shape: tuple[int, ...]) -> Any:
    """Multiples of 1/64 in [-1, 1] but never 0: exact in either precision."""
    count = int(np.prod(shape))
    values = [dice.between(1, 64) / 64 * dice.pick((-1, 1)) for _ in range(count)]
    return np.array(values, NUMPY_TYPES[type.dtype]).reshape(shape)[()]


def _dot(left: Sequence[Any], right: Sequence[Any]) -> tuple[Any, Any]:
    """The scalar product, and the sum of the magnitudes of its terms."""
    total: Any = 0
    size: Any = 0
    for xs, ys in zip(left, right, strict=True):
        for x, y in zip(flat(xs), flat(ys), strict=True):
            term = x * y if not isinstance(x, np.floating) else float(x) * y  # pyright: ignore[reportUnknownArgumentType]
            total, size = total + term, size + abs(term)
    return total, size


def _same(found: Any, expected: Any) -> bool:
    if np.asarray(expected).dtype != object:
        return bool(np.array_equal(found, expected))
    return deviation(found, expected) < 1e-40


def _few(value: Any) -> str:
    several: Any = value
    values = several if isinstance(value, list | tuple) else [value]
    return "; ".join(", ".join(f"{float(x):.9g}" for x in flat(v)[:6]) for v in values)
