"""The planner runs loops backwards where states do not fit, as long as they come back to where they began."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ad.functions import vjp_function
from tapeless.ad.planner import Plan
from tapeless.ad.prepare import prepare
from tapeless.ad.treeverse import forward_steps
from tapeless.front.capture import lower, specialise
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers_count import CountingTower
from tapeless.passes.notes import Notes

STEPS = 300


def leapfrog(x, v, n):
    for _ in range(n):
        v = v - np.sin(x) * 0.1
        x = x + v * 0.1
    return x * v


def dissipative(x, v, n):
    for _ in range(n):
        v = v * 0.5
        v = v - np.sin(x) * 0.1
        x = x + v * 0.1
    return x * v


def chaotic(x, y, n):
    for _ in range(n):
        x, y = np.sin(3.0 * x) + y, x * 0.3
    return x * y


def sines(function, plan, n=STEPS):
    """How many sines the derivative computes."""
    jitted = tp.jit(function)
    call = specialise(jitted.parameters, (0.3, 0.2, n), {}, static_shapes=False)
    program = prepare(lower(jitted.parameters, call.specs, None, 1).function, Notes())
    tower = CountingTower()
    evaluate(vjp_function(program, [0, 1], plan=plan), [0.3, 0.2, n, 1.0], tower)
    return tower.counts["sin"]


def test_a_loop_that_comes_back_runs_backwards():
    """Forward, backwards and again; from four states it would be many more."""
    assert sines(leapfrog, Plan(states=4)) == 3 * STEPS < forward_steps(STEPS + 1, 4) + STEPS
    assert sines(leapfrog, Plan(backwards=True)) == 3 * STEPS


@pytest.mark.parametrize("function", [dissipative, chaotic], ids=lambda f: f.__name__)
def test_a_loop_that_drifts_runs_from_its_states(function):
    assert sines(function, Plan(states=4)) >= forward_steps(STEPS + 1, 4) + STEPS
    exact = tp.grad(function, (0, 1))(0.3, 0.2, STEPS)
    found = tp.grad(function, (0, 1), memory=tp.States(4))(0.3, 0.2, STEPS)
    np.testing.assert_allclose(found, exact, rtol=1e-12)


def test_short_loops_do_not_drift_far():
    exact = tp.grad(dissipative, (0, 1))(0.3, 0.2, 8)
    found = tp.grad(dissipative, (0, 1), memory=tp.States(2))(0.3, 0.2, 8)
    np.testing.assert_allclose(found, exact, rtol=1e-9)


def test_explain_says_so():
    text = tp.grad(leapfrog, memory=tp.States(4), coarsen=False).explain(0.3, 0.2, STEPS)
    assert "runs backwards" in text
    assert "and some on the way, are found again to 1e-08, else it runs again from the states that were kept" in text
    assert "runs backwards" not in tp.grad(leapfrog).explain(0.3, 0.2, STEPS)


def fields(u, v, n):
    u, v = u * 1.0, v * 1.0
    for _ in range(n):
        v[1:-1] += 0.1 * np.sin(u[2:] - 2.0 * u[1:-1] + u[:-2])
        u += 0.1 * v
    return np.sum(u * v)


def test_arrays_within_a_budget():
    rng = np.random.default_rng(3)
    u, v = rng.normal(size=50), rng.normal(size=50)
    exact = tp.grad(fields, (0, 1))(u, v, 200)
    found = tp.grad(fields, (0, 1), memory="2KB")(u, v, 200)
    np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-12)
    assert "runs backwards" in tp.grad(fields, (0, 1), memory="2KB").explain(u, v, 200)


def trajectories(starts, n):
    total = 0.0
    for k in range(len(starts)):
        total += leapfrog(starts[k], 0.2, n)
    return total


@pytest.mark.parametrize(("n", "each"), [(64, 2), (65, 4)])
def test_short_loops_side_by_side_keep_their_states(n, each):
    """As many states as would be noted to see whether a loop comes back; longer loops are tried before."""
    jitted, starts = tp.jit(trajectories), np.array([0.3, 0.5, 0.7])
    call = specialise(jitted.parameters, (starts, n), {}, static_shapes=False)
    program = prepare(lower(jitted.parameters, call.specs, None, 1).function, Notes())
    counts = []
    for plan in (Plan(backwards=True), Plan(backwards=True, strict=True), Plan()):
        tower = CountingTower()
        evaluate(vjp_function(program, [0], plan=plan), [starts, n, 1.0], tower)
        counts.append(tower.counts["sin"])
    # The value is computed once, and once more where the return sweep begins.
    assert counts[0] == (1 + each) * len(starts) * n
    assert counts[1] >= 4 * len(starts) * n
    assert counts[2] == 3 * len(starts) * n


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 200])
def test_gradients_side_by_side(n):
    starts = np.linspace(-1.0, 1.0, 11)
    exact = tp.grad(trajectories)(starts, n)
    derivative = tp.grad(trajectories, memory="reversible")
    np.testing.assert_allclose(derivative(starts, n), exact, rtol=1e-9)
    assert "within 64 iterations, else 64 states" in derivative.explain(starts, n)


def alone(x, v):
    for _ in range(60):
        v = v - np.sin(x) * 0.1
        x = x + v * 0.1
    return x * v


def short(starts):
    total = 0.0
    for k in range(len(starts)):
        total += alone(starts[k], 0.2)
    return total


def long(starts):
    total = 0.0
    for k in range(len(starts)):
        x, v = starts[k], 0.2
        for _ in range(65):
            v = v - np.sin(x) * 0.1
            x = x + v * 0.1
        total += x * v
    return total


@pytest.mark.parametrize(
    ("function", "arguments", "each"),
    [
        (alone, (0.3, 0.2), 3 * 60),
        (short, (np.array([0.3, 0.5]),), 2 * 3 * 60),
        (long, (np.array([0.3, 0.5]),), 2 * 5 * 65),
    ],
    ids=["alone", "short", "long"],
)
def test_loops_of_known_length(function, arguments, each):
    """Side by side short ones keep their states; alone they run backwards, and so do long ones once they are tried."""
    jitted = tp.jit(function)
    call = specialise(jitted.parameters, arguments, {}, static_shapes=False)
    program = prepare(lower(jitted.parameters, call.specs, None, 1).function, Notes())
    tower = CountingTower()
    evaluate(vjp_function(program, [0], plan=Plan(backwards=True)), [*arguments, 1.0], tower)
    assert tower.counts["sin"] == each
