"""The counting tower counts the steps of checkpointed loops: the optimum for counted loops, near it for others."""

import numpy as np
import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.functions import vjp_function
from tapeless.ad.planner import Plan
from tapeless.ad.treeverse import forward_steps
from tapeless.ir.build import Builder, build
from tapeless.ir.check import check
from tapeless.ir.core import Function
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers_count import CountingTower
from tapeless.ir.types import F64, I64, Atom, Type, f64, i64
from tapeless.ir.walk import fresh

X, N = fresh("x", Type(F64)), fresh("n", Type(I64))


def step(b: Builder, i: Atom, y: Atom) -> Atom:
    factor = b.apply("add", f64(1.0), b.apply("convert", i, attrs=(F64,)))
    return b.apply("sin", b.apply("mul", y, factor))


def counted_loop() -> Function:
    return build("f", (X, N), lambda b: b.for_(N, (X,), lambda b, i, y: (step(b, i, y),)))


def open_loop() -> Function:
    return build(
        "f",
        (X, N),
        lambda b: b.while_(
            (i64(0), X),
            lambda b, i, _y: (b.apply("lt", i, N),),
            lambda b, i, y: (b.apply("add", i, i64(1)), step(b, i, y)),
        )[1:],
    )


def steps_of(function: Function, plan: Plan, trips: int) -> tuple[int, list[float]]:
    derived = vjp_function(function, (0,), plan)
    check(derived)
    tower = CountingTower()
    results = evaluate(derived, [np.float64(0.3), trips, np.float64(1.0)], tower)
    return tower.counts["sin"], [float(x) for x in results]


@pytest.mark.parametrize("slots", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("trips", [0, 1, 2, 6, 31, 70])
def test_a_loop_takes_the_fewest_steps(slots: int, trips: int):
    function = counted_loop()
    again = trips  # each iteration begins its own return sweep by running once more
    forward = trips if trips <= slots else forward_steps(trips + 1, slots)
    steps, results = steps_of(function, Plan(states=slots), trips)
    assert steps == forward + again
    assert results == steps_of(function, Plan(), trips)[1]


@pytest.mark.parametrize("slots", [64, 100])
@pytest.mark.parametrize("trips", [0, 1, 2, 31, 32, 33, 64, 65, 200, 1000])
def test_a_loop_of_unknown_length_is_near_the_optimum(slots: int, trips: int):
    function = open_loop()
    best = forward_steps(trips + 1, slots) + trips
    steps, results = steps_of(function, Plan(states=slots), trips)
    assert best <= steps <= 1.375 * best
    assert results == steps_of(function, Plan(), trips)[1]


@pytest.mark.parametrize("trips", [2, 5, 32])
def test_a_short_loop_of_unknown_length_runs_no_step_more_often_than_need_be(trips: int):
    """Half of the states hold every iteration, until they are full."""
    assert steps_of(open_loop(), Plan(states=64), trips)[0] == 2 * trips


@pytest.mark.parametrize("trips", [0, 1, 5, 40])
def test_with_few_states_it_is_counted_first(trips: int):
    steps, _ = steps_of(open_loop(), Plan(states=5), trips)
    assert steps == trips + (trips if trips <= 5 else forward_steps(trips + 1, 5)) + trips


def test_bytes_are_turned_into_states():
    """Sixteen values of eight bytes fit; one state is a single float."""
    steps, _ = steps_of(counted_loop(), Plan(bytes=128), 70)
    assert steps == forward_steps(71, 16) + 70


def test_what_the_return_sweep_does_not_read_is_no_part_of_a_state():
    """The sum is not read backwards, so all of the limit is for the one value that is."""
    function = build(
        "f",
        (X, N),
        lambda b: b.for_(N, (X, f64(0.0)), lambda b, i, y, s: (step(b, i, y), b.apply("add", s, y))),
    )
    derived = vjp_function(function, (0,), Plan(bytes=128))
    tower = CountingTower()
    evaluate(derived, [np.float64(0.3), 70, np.float64(1.0), np.float64(1.0)], tower)
    assert tower.counts["sin"] == forward_steps(71, 16) + 70


@pytest.mark.parametrize("chain", [10_000])
@pytest.mark.parametrize("slots", [40, 160])
def test_a_long_loop_takes_the_published_number_of_steps(chain: int, slots: int):
    """The chain of facts/reversible.md 2.6: the loop and the rest of the program as its last step."""
    steps, _ = steps_of(counted_loop(), Plan(states=slots), chain - 1)
    assert steps == forward_steps(chain, slots) + chain - 1
