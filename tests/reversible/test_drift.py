"""Loops that amplify rounding when they run backwards: their gradients are those of the plain loops, or errors."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ad import uncompute
from tapeless.ad.drift import back
from tapeless.ad.functions import vjp_function
from tapeless.ad.inexact import Inexact
from tapeless.ad.planner import Plan
from tapeless.ad.prepare import prepare
from tapeless.ad.uncompute import Found
from tapeless.errors import NotReversibleError
from tapeless.front.capture import lower, specialise
from tapeless.ir.core import Block, For, Lambda
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers_count import CountingTower
from tapeless.ir.types import I64, Type, Var, i64
from tapeless.passes.notes import Notes
from tapeless.runtime import host


def dissipative(x, v, n):
    for _ in range(n):
        v *= 0.5
        v -= np.sin(x) * 0.1
        x += v * 0.1
    return x, v


def henon(x, v, n):
    for _ in range(n):
        x, v = 1.0 - 1.4 * x * x + v, 0.3 * x
    return x, v


def kicked(x, v, n):
    """The standard map: chaotic, and volumes stay as they are."""
    for _ in range(n):
        v += 4.0 * np.sin(x)
        x += v
    return x, v


def swing(x, v, n):
    for _ in range(n):
        v -= np.sin(x) * 0.01
        x += v * 0.01
    return x, v


def loss_of(function):
    def loss(x, v, n):
        x, v = function(x, v, n)
        return x * v

    return loss


@pytest.mark.parametrize("steps", [3, 30, 100, 300])
@pytest.mark.parametrize("function", [dissipative, henon, kicked, swing], ids=lambda f: f.__name__)
def test_gradients_are_those_of_the_plain_loop(function, steps):
    """To the digits that a state which is off by 1e-8 leaves."""
    exact = tp.grad(loss_of(function), (0, 1))(0.3, 0.2, steps)
    for found in (
        tp.grad(loss_of(tp.reversible(function)), (0, 1)),
        tp.grad(loss_of(function), (0, 1), memory="reversible"),
        tp.grad(loss_of(function), (0, 1), memory=tp.States(4)),
    ):
        np.testing.assert_allclose(found(0.3, 0.2, steps), exact, rtol=1e-5)


def sines(function, n):
    """How many sines the derivative of a loop computes that runs backwards where it can."""
    tower = CountingTower()
    evaluate(backwards(function, n), [0.3, 0.2, n, 1.0], tower)
    return tower.counts["sin"]


def backwards(function, n, **plan):
    jitted = tp.jit(loss_of(function))
    call = specialise(jitted.parameters, (0.3, 0.2, n), {}, static_shapes=False)
    program = prepare(lower(jitted.parameters, call.specs, None, 1).function, Notes())
    return vjp_function(program, [0, 1], plan=Plan(backwards=True, **plan))


def test_what_drifts_runs_again_and_what_does_not_runs_once():
    """Forward, backwards and again, in the iteration; 64 states keep all of a short loop's."""
    assert sines(swing, 50) == 3 * 50
    assert sines(kicked, 50) == 3 * 50 + 2 * 50
    assert sines(kicked, 200) == 3 * 200 + 2 * 200 + (200 - 64)


def fields(u, v, n):
    """Arrays, of which one comes to rest: nothing of it is found again."""
    for _ in range(n):
        v *= 0.7
        v[1:-1] += 0.1 * np.sin(u[2:] - 2.0 * u[1:-1] + u[:-2])
        u += 0.1 * v
    return u, v


def heat(u, v, scale, n):
    u, v = fields(u * scale, v * 1.0, n)
    return np.sum(u * u) + np.sum(v * scale)


def test_arrays_that_drift():
    rng = np.random.default_rng(3)
    u, v = rng.normal(size=40), np.zeros(40)
    exact = tp.grad(heat, (0, 1, 2))(u, v, 1.5, 200)
    found = tp.grad(heat, (0, 1, 2), memory="reversible")(u, v, 1.5, 200)
    for a, b in zip(exact, found, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-12)


def nested(x, v, n):
    total = 0.0
    for k in range(n):
        x, v = dissipative(x, v, 10 * k)
        total += x * v
        x += 0.01 * np.sin(total)
    return total


def test_loops_within_loops_are_tried_before():
    exact = tp.grad(nested, (0, 1))(0.3, 0.2, 6)
    np.testing.assert_allclose(tp.grad(nested, (0, 1), memory="reversible")(0.3, 0.2, 6), exact, rtol=1e-7)


def halved(x, v, n):
    """How often x is halved is kept, but the iteration that runs again finds it out from x."""
    for _ in range(n):
        v += 0.1 * np.sin(x)
        while x > 1.0:
            x *= 0.5
        x += 0.3 + 0.01 * v
    return x, v


def branched(x, v, n):
    if x > 0.0:
        x, v = swing(x, v, n)
    return x, v


def branched_in_a_loop(x, v, n):
    for k in range(n):
        x, v = branched(x, v, k)
        v += 0.01 * np.sin(x)
    return x, v


@pytest.mark.parametrize(("function", "trials"), [
    (swing, 0), (branched, 0), (branched_in_a_loop, 1), (halved, 1),
], ids=lambda x: getattr(x, "__name__", ""))  # fmt: skip
def test_what_is_tried_before(function, trials):
    """Loops in loops, whose adjoints would be copied each time, and those that might never end."""
    gradient = tp.grad(loss_of(function), (0, 1), memory="reversible")
    assert gradient.explain(0.3, 0.2, 10).count("on trial") == trials
    np.testing.assert_allclose(gradient(0.3, 0.2, 10), tp.grad(loss_of(function), (0, 1))(0.3, 0.2, 10), rtol=1e-9)


def counted_nest(x, v, n):
    for _ in range(n):
        for k in range(40 * n):
            v -= np.sin(x + k) * 0.01
            x += v * 0.01
    return x, v


def test_what_is_tried_counts_as_the_loop_does():
    """Otherwise the trial would never come back, and more iterations would run again than there is room for states."""
    assert sines(counted_nest, 3) == 7 * 3 * 120


class Emitted:
    """Stands for a strictly reversible loop, and for the scope that it is emitted in: says what was emitted."""

    def __init__(self, endless):
        self.said = []
        self.plan, self.loop = Plan(strict=True), For(i64(3), (), Lambda((), Block((), ())))
        self.inexact = lambda: Inexact({"x"}, reaches_rounds=endless)
        self.b = self

    def run(self, _scope, _check):
        self.said.append("run")
        return Found((), Var("wrong", Type(I64)))

    def comes_back(self, _scope):
        return "comes back"

    def is_found(self, _scope, _found):
        return "is found"

    def check(self, _kind, *args, **_words):
        self.said.append(*args)


def test_strict_loops_that_may_be_endless_are_tried_before():
    for endless, expected in ((False, ["run", "is found"]), (True, ["comes back", "run"])):
        loop = Emitted(endless)
        back(loop, loop)
        assert loop.said == expected


def test_second_derivatives_of_what_drifts():
    exact = tp.hessian(loss_of(henon), (0, 1))(0.3, 0.2, 30)
    found = tp.hessian(loss_of(tp.reversible(henon)), (0, 1))(0.3, 0.2, 30)
    np.testing.assert_allclose(np.array(found, float), np.array(exact, float), rtol=1e-9)


def test_strictly_reversible_loops_that_drift_are_errors():
    strict = tp.grad(loss_of(tp.reversible(strict=True)(kicked)))
    assert strict(0.3, 0.2, 5) == pytest.approx(tp.grad(loss_of(kicked))(0.3, 0.2, 5), rel=1e-6)
    with pytest.raises(AssertionError, match="does not come back to its first state"):
        strict(0.3, 0.2, 300)


def test_explain_says_how_exact_it_is():
    text = tp.grad(loss_of(tp.reversible(swing))).explain(0.3, 0.2, 10)
    assert "error about trips * 1e-16 unless differences grow" in text
    assert "the first state, and some on the way, are found again to 1e-08, else it runs again from 64 states" in text
    fixed = tp.grad(lambda x, v: loss_of(swing)(x, v, 1000), memory="reversible").explain(0.3, 0.2)
    assert "1000 iterations run backwards and again; error about 1e-13" in fixed


def looked_up(x, v, n):
    table = np.arange(1.0, 40.0)
    for _ in range(n):
        v *= 0.5
        v -= np.sin(x) * 0.1
        x += v * 0.1 * table[int(np.abs(v) * 10.0)]
    return x, v


def branching(x, v, n):
    """A bit would tell which way was taken, but not where v was."""
    table = np.arange(1.0, 40.0)
    for _ in range(n):
        v *= 0.5
        if x > 1.0:
            x -= 0.7 * v
        x += v * 0.1 * table[int(np.abs(v) * 10.0)]
    return x, v


def guarded(x, v, n):
    """Every other place is outside of the table, and v is negative then."""
    table, places = np.arange(1.0, 4.0), np.array([10**9, 2])
    for k in range(n):
        v *= -0.5
        if v > 0.0:
            v += 0.01 * table[places[k % 2]]
        else:
            v -= 0.01
    return x + v, v


@pytest.mark.parametrize("function", [looked_up, branching, guarded], ids=lambda f: f.__name__)
def test_places_that_depend_on_floats_are_never_brought_back(function):
    """In a state that has drifted they would be anywhere in memory."""
    found = tp.grad(loss_of(function), (0, 1), memory="reversible")
    assert "an index depends on a float that comes back only to within rounding" in found.explain(0.3, 0.2, 10)
    for memory in ("reversible", tp.States(4)):
        found = tp.grad(loss_of(function), (0, 1), memory=memory)(0.3, 0.2, 300)
        np.testing.assert_allclose(found, tp.grad(loss_of(function), (0, 1))(0.3, 0.2, 300), rtol=1e-12)


def test_rounds_that_depend_on_floats_end():
    """Newton's method on a state that has drifted might never end: there the loop is tried without it before."""

    def root(x, v, n):
        for _ in range(n):
            v *= 0.5
            y = 1.0
            while np.abs(y * y - x) > 1e-12 * x:
                y = 0.5 * (y + x / y)
            v += 0.1 * y
            x += 0.01 * np.cos(v) ** 2
        return x, v

    exact = tp.grad(loss_of(root), (0, 1))(2.0, 0.2, 200)
    gradient = tp.grad(loss_of(root), (0, 1), memory="reversible")
    found = gradient(2.0, 0.2, 200)
    assert "runs backwards" not in gradient.explain(2.0, 0.2, 200)
    np.testing.assert_allclose(found, exact, rtol=1e-7)


@pytest.mark.parametrize("reached", ["reaches_place", "reaches_rounds"])
def test_what_only_the_way_back_reaches_is_never_run(reached, monkeypatch):
    """Whatever the iteration itself does with its floats."""
    monkeypatch.setattr(uncompute, "inexact_backwards", lambda *_: Inexact(set(), **{reached: True}))
    text = tp.grad(loss_of(swing), (0, 1), memory="reversible").explain(0.3, 0.2, 10)
    assert "an index depends on a float that comes back only to within rounding" in text


def test_all_that_is_inexact_is_told(monkeypatch):
    told = []
    monkeypatch.setattr(uncompute, "inexact_backwards", lambda _, carried: told.append([*carried]) or Inexact(set()))
    backwards(swing, 10)
    assert told == [[True, True]]


def test_strict_plans_keep_no_bits():
    def lowered(x, v, n):
        for _ in range(n):
            v += 0.1 * np.sin(x)
            if x > 1.0:
                x -= 0.7 * v
        return x, v

    assert backwards(lowered, 10)
    with pytest.raises(NotReversibleError):
        backwards(lowered, 10, strict=True)


def test_ten_million_steps_take_no_more_memory_than_ten():
    gradient = tp.grad(loss_of(tp.reversible(swing)), (0, 1))

    def taken(steps):
        gradient(0.3, 0.2, steps)
        host.trim()
        found = gradient(0.3, 0.2, steps)
        return host.memory().cached_bytes, found

    few, _ = taken(10)
    many, found = taken(10**7)
    assert many == few
    tangents = [
        tp.jvp(lambda x, v: loss_of(swing)(x, v, 10**7), (0.3, 0.2), way)[1] for way in ((1.0, 0.0), (0.0, 1.0))
    ]
    np.testing.assert_allclose(found, tangents, rtol=1e-6)


# -- wrong on the way, and right in the end ----------------------------------------------------------------


def binary(x, count):
    """The first digits of a number between 0 and 1."""
    digits = np.zeros(count)
    for k in range(count):
        x *= 2.0
        digits[k] = np.floor(x)
        x -= digits[k]
    return digits


def stretched(v, z, p, v_digits, z_digits, n):
    """Differences grow 2^27 times while numbers stay small; then those of v shrink.

    Run backwards, what is wrong with v after the first part is 2^-50 * 2^(n - 27), and 2^-27 times that in the end.
    """
    for k in range(n):
        if k < 27:
            v *= 2.0
            v -= v_digits[k]
            z *= 2.0
            z -= z_digits[k]
        else:
            v *= 0.5
            v += 0.3 * np.cos(k)
            z += p * np.sin(3.0 * v)
    return z


def stretched_by_bits(v, z, p, _, __, n):
    for k in range(n):
        if k < 27:
            v *= 2.0
            if v > 1.0:
                v -= 1.0
            z *= 2.0
            if z > 1.0:
                z -= 1.0
        else:
            v *= 0.5
            v += 0.3 * np.cos(k)
            z += p * np.sin(3.0 * v)
    return z


def stretched_arrays(v, z, p, v_digits, z_digits, n):
    vs, zs = np.full(5, v), np.full(5, z)
    for k in range(n):
        if k < 27:
            vs *= 2.0
            vs -= v_digits[k]
            zs *= 2.0
            zs -= z_digits[k]
        else:
            vs *= 0.5
            vs += 0.3 * np.cos(k)
            zs += p * np.sin(3.0 * vs)
    return np.sum(zs)


def inner_stretched(v, z, p, v_digits, z_digits, n):
    """The same in a loop around it, which tries before."""
    total = 0.0
    for turn in range(2):
        total += (1.0 + turn) * stretched(v, z, p, v_digits, z_digits, n)
    return total


@pytest.mark.parametrize("steps", [60, 77, 80])
@pytest.mark.parametrize(
    "function", [stretched, stretched_by_bits, stretched_arrays, inner_stretched], ids=lambda f: f.__name__
)
def test_states_on_the_way_are_compared(function, steps):
    """The first state is found again to 1e-9; at 80 steps a gradient by what was found on the way is off by 40 %."""
    args = 0.3, 0.7, 0.2, binary(0.3, 27), binary(0.7, 27), steps
    exact = tp.grad(function, 2)(*args)
    assert tp.grad(function, 2, memory="reversible")(*args) == pytest.approx(exact, rel=1e-6)
    assert tp.grad(function, 2, memory=tp.States(16))(*args) == pytest.approx(exact, rel=1e-6)


def test_strict_functions_are_refused_for_states_on_the_way():
    strict = tp.grad(tp.reversible(strict=True)(stretched), 2)
    args = 0.3, 0.7, 0.2, binary(0.3, 27), binary(0.7, 27)
    assert strict(*args, 40) == pytest.approx(tp.grad(stretched, 2)(*args, 40), rel=1e-6)
    with pytest.raises(AssertionError, match="does not come back"):
        strict(*args, 80)


def test_noting_takes_nothing_from_inverses():
    """The gradient of a gradient runs backwards through what the loop notes on its way."""

    def slope(x, v, n):
        return tp.grad(loss_of(swing), memory="reversible")(x, v, n) ** 2

    plain = tp.grad(lambda x, v, n: tp.grad(loss_of(swing))(x, v, n) ** 2)
    found = tp.grad(slope, memory="reversible")
    assert found(0.3, 0.2, 200) == pytest.approx(plain(0.3, 0.2, 200), rel=1e-9)
    assert "runs backwards from its last state of 2064 bytes" in found.explain(0.3, 0.2, 200)
