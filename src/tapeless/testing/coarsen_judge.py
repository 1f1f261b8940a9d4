"""Is a coarsened program the program? Values and derivatives, with coarsening on and off, against the oracle.

    plain       derivatives of the prepared program, coarsening off, by the laws of `derivative_law`
    coarse      the same with coarsening on
    the same?   values and slopes of both, by the oracle
    passes      what all passes make of the coarsened derivatives, and of the program itself, is the same program
    zeros       so it is where arguments are zero, if derivatives are finite there

Constants are folded in the machine's numbers, so that two forms of one program differ in long numbers from the 17th
digit on. In half of the programs constants are therefore parameters (`lifted`): there both forms agree to 18 digits,
and are derived by what were constants too.

Where the machine's numbers are far from the long ones, a program is `unstable` if it is so without coarsening as well:
a closed form that loses digits which its loop keeps is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ad.prepare import prepare
from ..config import config
from ..ir.check import check
from ..ir.core import Function
from ..passes.notes import Notes
from ..passes.pipeline import optimise
from ..records import replace
from ..symbolic import stages
from ..symbolic.resynthesis import shortened
from ..symbolic.rules import fired
from .coarsen_forms import FORMS
from .coarsen_lift import lifted
from .coarsen_loops import RECURRENCES
from .compare import RELATIVE, Outcome, difference, reference, tolerance, unstable
from .derivative_law import Derived, Found, Machine, Point, judge_forward, judge_reverse
from .dice import Dice
from .generate import TABLE, random_program
from .oracle import Oracle, deviation
from .profile import COARSE
from .verify import Verdict, native_code
from .wire import Request
from .zeros import disagreement, with_zeros

# As `driver` has it run, before the pass of this name.
PASSES = {"factor": stages.run}
FOLDED = 1e-13  # of agreement in long numbers where constants were folded in the machine's
COMPILED = 8  # one of so many programs
VARIANTS = ("auto", "lanes", "scalar")
EACH = 8  # of so many programs one may have forms that are rare in the others
ZEROS = 4  # points with zeros at which shortened derivatives are tried


def request(seed: int) -> Request:
    """The program of a seed."""
    forms = FORMS if seed % EACH == EACH - 1 else ()
    function, args = random_program(seed, profile=COARSE, table=(*TABLE, *RECURRENCES, *forms))
    turn, place = divmod(seed, COMPILED)
    variants = (VARIANTS[turn % len(VARIANTS)],) if place == turn % 2 else ()
    return Request(function, args, variants, 1, seed)


def judge_coarse(r: Request) -> Verdict:
    """The verdict; the detail of a program that is right names the rules that fired in it."""
    fired.clear()
    function, args = Function(r.function.name, r.function.params, r.function.body), list(r.args)
    strict = r.seed % 2 == 1
    if strict:
        function, args = lifted(function, args)
    # What the passes make of derivatives is judged by the programs of `fuzz`: here now and then.
    machine = Machine(native_code if r.variants else None, r.variants, passes=bool(r.variants))
    try:
        check(function)
        plain, coarse = (Point(_prepared(function, switch), args, Dice(r.seed)) for switch in (False, True))
        verdict = _judge(plain, machine)
        if coarse.function != plain.function or r.seed % 4 < 2:
            _compare(plain, coarse, plain.tolerance if strict else tolerance(function))
            other = _judge(coarse, _Passing(machine, strict and tolerance(function) == RELATIVE["f64"], r.seed))
            if other.kind != verdict.kind == "ok":
                return replace(other, kind="wrong", stage=f"{other.stage}, as it is not without coarsening")
        _judge_values(function, args)
    except Found as found:
        return found.verdict
    except Exception as error:
        return Verdict("wrong", "coarsening", f"{type(error).__name__}: {error}")
    return verdict if verdict.kind != "ok" else Verdict("ok", "", " ".join(sorted(fired)))


def _prepared(function: Function, switch: bool) -> Function:
    with config(coarsen=switch):
        prepared = prepare(function, Notes())
    check(prepared)
    return prepared


def _judge(point: Point, machine: Machine) -> Verdict:
    """Both modes; what is wrong is raised, what is unstable is returned."""
    if not point.worth_it:
        return Verdict("ok")
    try:
        judge_forward(point, machine)
        judge_reverse(point, machine)
    except Found as found:
        if found.verdict.kind != "unstable":
            raise
        return found.verdict
    return Verdict("ok")


def _compare(plain: Point, coarse: Point, limit: float) -> None:
    """Values and slopes in long numbers."""
    expected, found = plain.slope.value, coarse.slope.value
    if expected.fault != found.fault:
        raise Found("wrong", "coarse", f"raises {found.fault or 'nothing'}, must raise {expected.fault or 'nothing'}")
    pairs = [*zip(expected.results, found.results, strict=True), *zip(plain.slopes, coarse.slopes, strict=True)]
    for k, (x, y) in enumerate(pairs):
        if not _near(y, x, limit):
            what = f"result {k}" if k < len(expected.results) else f"slope {k - len(expected.results)}"
            raise Found("wrong", "coarse", f"{what} is {y}, must be {x}")


def _near(found: Any, expected: Any, limit: float) -> bool:
    """Long numbers to within a limit, others exactly."""
    if np.shape(found) != np.shape(expected):
        return False
    if np.asarray(expected).dtype == object:
        return deviation(found, expected) <= limit
    return bool(np.array_equal(found, expected))


def _judge_values(function: Function, args: Sequence[Any]) -> None:
    """What the passes make of the program is compared in the machine's numbers."""
    optimised = optimise(function, before=PASSES)
    check(optimised)
    expected, found = reference(function, args), reference(optimised, args)
    detail = difference(expected, found, tolerance(function))
    if detail and not unstable(function, args, expected, found):
        raise Found("wrong", "values", detail)


class _Passing(Machine):
    """Judges derivatives when they are shortened and after all passes: in long numbers where that says something."""

    def __init__(self, machine: Machine, strict: bool, seed: int) -> None:
        super().__init__(machine.compiler, machine.variants, passes=machine.passes)
        self.strict, self.seed = strict, seed

    def judge(self, derived: Derived, exact: Outcome) -> None:
        super().judge(derived, exact)
        short = shortened(derived.function.body, Notes())
        optimised = optimise(replace(derived.function, body=short), before=PASSES)
        check(optimised)
        stage = f"{derived.stage} coarse passes"
        dice = Dice(self.seed)
        for _ in range(ZEROS):
            args = with_zeros(derived.args, dice)
            if detail := disagreement(derived.function, optimised, args, exact=self.strict):
                raise Found("wrong", f"{stage}, zeros", detail)
        if not self.strict:
            expected, found = reference(derived.function, derived.args), reference(optimised, derived.args)
            detail = difference(expected, found, tolerance(derived.function))
            if detail and not unstable(derived.function, derived.args, expected, found):
                raise Found("wrong", stage, detail)
            return
        again = Oracle(optimised).evaluate(derived.args)
        for k, (x, y) in enumerate(zip(exact.results, again.results, strict=True)):
            if not _near(y, x, FOLDED):
                raise Found("wrong", stage, f"result {k} is {y}, must be {x}")
