"""Is what claims to be an inverse one? Programs of the families that `reversible` describes, judged by their seeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ad.functions import vjp_function
from ..ad.planner import Plan
from ..ad.prepare import prepare
from ..inversion.inverse import inverse_block, inverse_step
from ..inversion.solving import ONE_PLACE, CannotInvert
from ..ir.build import Builder
from ..ir.check import check
from ..ir.core import Block, For, Function
from ..ir.eval import interpreter
from ..ir.types import BOOL, Atom, Lit, Type, i64
from ..ir.walk import fresh, inline, refresh
from ..passes.notes import Notes
from ..records import replace
from .compare import SECONDS, Outcome, outcome, reference
from .derivative_law import EXACT, Found, random_like
from .dice import Dice
from .generate import random_program
from .limit import time_limit
from .oracle import Oracle, deviation
from .profile import SMOOTH
from .reversible_kept import judge_kept
from .reversible_programs import Reversible, random_reversible
from .reversible_values import Kind
from .verify import Verdict, judge, native_code

FAMILIES = ("exact", "kept", "whole", "smooth", "bent", "careless", "random")
TURNS = ("exact", "careless", "kept", "whole", "exact", "bent", "whole", "random", "kept", "smooth")
KINDS = {
    "exact": Kind(), "smooth": Kind(smooth=True), "careless": Kind(careless=0.25), "kept": Kind(loose=0.6),
    "whole": Kind(loose=0.3, whole=True), "bent": Kind(smooth=True, loose=0.6),
}  # fmt: skip
# Families whose amounts and conditions may read what they change: an inverse may find that two places are one. In the
# others they never are, or inverses make no such check.
MEETING = ("careless", "kept", "whole")
LONG = 1e-30  # of agreement in 60 digits, of which a long chain of steps may lose some
COMPILED = 16  # one of so many programs
CLAIMS = replace(SMOOTH, types=(6, 4, 2, 1), features={**SMOOTH.features, "integer": 1.5, "scratch_loop": 1.0})


def judge_seed(seed: int, family: str | None = None) -> Verdict:
    """The verdict on the program of a seed; its stage is the family, and how many inverses were found to be right."""
    family = family or TURNS[seed % len(TURNS)]
    try:
        if family == "random":
            return Verdict("ok", f"{family} {_judge_claims(seed)}")
        dice = Dice(seed + 1)
        kind = replace(KINDS[family], empty=dice.chance(0.1))
        program = random_reversible(seed, kind)
        if dice.chance(0.5):
            program = replace(program, function=prepare(program.function, Notes()))
        differentiated = kind.smooth and _judge_derivatives(program.function, program.inputs[0], dice)
        if family == "bent":
            return Verdict("ok", f"{family} {int(differentiated)}")
        if kind.loose:
            found = judge_kept(program, compiled=seed // len(TURNS) % COMPILED == 0)
            return Verdict("ok", f"{family} 1") if found else Verdict("refused", f"{family} 0", "with all kept")
        try:
            inverse = inverse_of(program.function, range(program.state))
        except CannotInvert as problem:
            return Verdict("refused", f"{family} 0", problem.pos.file if problem.pos else problem.what)
        (_judge_smooth if kind.smooth else _judge_exact)(program, inverse)
        if kind.smooth:
            _judge_derivatives(inverse, _results_and_constants(program), dice)
        if seed // len(TURNS) % COMPILED == 0:
            _judge_compiled(program, inverse)
    except Found as found:
        return replace(found.verdict, stage=f"{family} {found.verdict.stage}")
    except Exception as error:
        if family in MEETING and isinstance(error, AssertionError) and ONE_PLACE in str(error):
            return Verdict("refused", f"{family} 0", ONE_PLACE)
        return Verdict("wrong", family, f"{type(error).__name__}: {error}")
    return Verdict("ok", f"{family} 1")


def inverse_of(function: Function, wanted: Sequence[int]) -> Function:
    """From all results and the parameters that are not wanted to those that are; refuses with `CannotInvert`.

    Its loops are told how they are undone in turn.
    An array of bools for each size comes last, as the parameters that bind the sizes may be among those wanted.
    """
    b, body = Builder(), function.body
    known = set(function.sizes)
    told = [k for k, r in enumerate(body.results) if all(isinstance(n, Lit) or n in known for n in r.type.shape)]
    lasts = {k: fresh("last", body.results[k].type) for k in told}
    before = inverse_block(b, body, [function.params[k] for k in wanted], lasts, tells=True)
    kept = [param for k, param in enumerate(function.params) if k not in wanted]
    sizes = [fresh("size", Type(BOOL, (size,))) for size in function.sizes]
    inverse = Function("inverse", (*lasts.values(), *kept, *sizes), b.block(before))
    check(inverse)
    return inverse


def arguments_back(function: Function, wanted: Sequence[int], args: Sequence[Any], results: Sequence[Any]) -> list[Any]:
    """The arguments of `inverse_of`, given those of the function and what it made of them."""
    lengths: dict[Any, int] = {}
    for param, arg in zip(function.params, args, strict=True):
        lengths.update(zip(param.type.shape, np.shape(arg), strict=True))
    known = set(function.sizes)
    types = [r.type for r in function.body.results]
    told = [x for x, t in zip(results, types, strict=True) if all(isinstance(n, Lit) or n in known for n in t.shape)]
    kept = [arg for k, arg in enumerate(args) if k not in wanted]
    return [*told, *kept, *(np.zeros(lengths[size], bool) for size in function.sizes)]


def _judge_exact(program: Reversible, inverse: Function) -> None:
    """There and back in the machine's numbers: the same bits, but for the sign of zeros."""
    state = range(program.state)
    forward, backward = interpreter(program.function), interpreter(inverse)
    for args in program.inputs:
        back = backward(arguments_back(program.function, state, args, forward(args)))
        for k, (found, expected) in enumerate(zip(back, args, strict=False)):
            if not np.array_equal(found, expected):
                raise Found("wrong", "back", f"{program.function.params[k].name} is {found}, was {expected}")


def _judge_smooth(program: Reversible, inverse: Function) -> None:
    _judge_long(program.function, inverse, range(program.state), program.inputs[0])


def _judge_long(function: Function, inverse: Function, wanted: Sequence[int], args: Sequence[Any]) -> None:
    """There and back in 60 digits; a program that fails needs no inverse."""
    there = Oracle(function)
    after = there.evaluate(args)
    if after.fault:
        return
    # In the same tower, whose numbers another one would round.
    run = interpreter(inverse, there.tower)
    with time_limit(SECONDS):
        back = outcome(lambda: run(arguments_back(function, wanted, args, after.results)))
    if back.fault:
        raise Found("wrong", "back", f"raises {back.fault}")
    for k, found in zip(wanted, back.results, strict=True):
        before = there.long(args[k]) if function.params[k].type.dtype.is_float else args[k]
        _compare("back", function.params[k].name, found, before, LONG)


def _compare(stage: str, name: str, found: Any, expected: Any, limit: float) -> None:
    """Long numbers to within a limit, others exactly."""
    right = np.shape(found) == np.shape(expected)
    if right and np.asarray(expected).dtype == object:
        right = deviation(found, expected) < limit
    elif right:
        right = bool(np.array_equal(found, expected))
    if not right:
        raise Found("wrong", stage, f"{name} is {found}, must be {expected}")


def _judge_compiled(program: Reversible, inverse: Function) -> None:
    """Both directions after all passes, and compiled."""
    args = program.inputs[0]
    forward = reference(program.function, args)
    back = arguments_back(program.function, range(program.state), args, forward.results)
    for name, function, values in (("forward", program.function, args), ("inverse", inverse, back)):
        verdict = judge(function, values, compiler=native_code, variants=("auto",), each_pass=False)
        if verdict.kind != "ok":
            raise Found(verdict.kind, f"{name} {verdict.stage}", verdict.detail)


def _results_and_constants(program: Reversible) -> list[Any]:
    """The arguments of the inverse of a program, rounded to the machine's numbers."""
    function, args = program.function, program.inputs[0]
    return arguments_back(function, range(program.state), args, interpreter(function)(args))


def _judge_derivatives(function: Function, args: Sequence[Any], dice: Dice) -> bool:
    """Derivatives whose loops run backwards against those that keep every state, in 60 digits; False: it has none."""
    active = [k for k, param in enumerate(function.params) if param.type.dtype.is_float]
    results = zip(function.result_types, Oracle(function).evaluate(args).results, strict=True)
    weights = [random_like(dice, type, np.shape(x)) for type, x in results if type.dtype.is_float]
    if not active or not weights:
        return False
    found: list[Outcome] = []
    for plan in (Plan(), Plan(backwards=True)):
        derivative = vjp_function(function, active, plan=plan)
        check(derivative)
        found.append(Oracle(derivative).evaluate([*args, *weights]))
    for k, (expected, backwards) in enumerate(zip(found[0].results, found[1].results, strict=True)):
        _compare("derivative", f"result {k}", backwards, expected, EXACT)
    return True


def _judge_claims(seed: int) -> int:
    """How many inverses are found of a program that may have none: of each parameter, of all, and of its loops."""
    function, args = random_program(seed, profile=CLAIMS)
    dice, stms = Dice(seed + 1), function.body.stms
    if dice.chance(0.5):
        stms = prepare(function, Notes()).body.stms
    made = [var for stm in stms for var in stm.vars]
    results = dice.shuffled(made)[: dice.between(1, max(1, len(made)))]
    claimed = Function("claimed", function.params, Block(stms, tuple(results)))
    everything = tuple(range(len(function.params)))
    claims = 0
    for wanted in (*((k,) for k in everything), everything):
        try:
            inverse = inverse_of(claimed, wanted)
        except CannotInvert:
            continue
        _judge_long(claimed, inverse, wanted, args)
        claims += 1
    return claims + sum(_judge_step(claimed, k, args, dice) for k, stm in enumerate(stms) if isinstance(stm.expr, For))


def _judge_step(function: Function, number: int, args: Sequence[Any], dice: Dice) -> int:
    """One of the first iterations of a loop, and back again; 0 when its inverse is refused."""
    stms = function.body.stms
    expr = stms[number].expr
    assert isinstance(expr, For)
    try:
        inverse = inverse_step(expr, stms[:number])
    except CannotInvert:
        return 0
    turn = i64(dice.below(3))
    b = Builder()
    b.stms += stms[:number]
    starts = b.bind([x.type for x in expr.init], For(b.apply("min", turn, expr.count), expr.init, refresh(expr.body)))

    def there_and_back(b: Builder) -> Sequence[Atom]:
        after = b.splice(inline(expr.body, (turn, *starts)))
        return b.splice(inline(inverse, (turn, *after)))

    backs = b.if_(b.apply("lt", turn, expr.count), there_and_back, lambda _: starts)
    trial = Function("trial", function.params, b.block((*starts, *backs)))
    check(trial)
    found = Oracle(trial).evaluate(args)
    pairs = zip(found.results[: len(starts)], found.results[len(starts) :], strict=True)
    for k, (start, back) in enumerate(pairs):
        _compare("iteration", f"carried value {k}", back, start, LONG)
    return 1
