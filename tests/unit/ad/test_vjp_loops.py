"""Reverse mode of loops that overwrite arrays: journals, settled arrays, while loops, irregular spans, tiny sizes."""

import numpy as np
import pytest

from tapeless.ad.planner import Plan
from tapeless.ad.prepare import prepare
from tapeless.ad.settled import is_settled
from tapeless.ad.stacks import writes_of
from tapeless.ir.core import For
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.passes.notes import Notes
from tapeless.passes.pipeline import optimise

from .vjp_harness import jacobians, reverse_agrees
from .vjp_loop_programs import LOOPS

FUNCTIONS = {name: (parse_function(text), args) for name, (args, text) in LOOPS.items()}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_loop(name):
    function, args = FUNCTIONS[name]
    reverse_agrees(function, args)
    reverse_agrees(prepare(function, Notes()), args)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_entry_is_that_of_forward_mode(name):
    function, args = FUNCTIONS[name]
    forward, reverse = jacobians(function, args)
    np.testing.assert_allclose(reverse, forward, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("states", [1, 2])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_few_states(name, states):
    function, args = FUNCTIONS[name]
    reverse_agrees(function, args, plan=Plan(states=states))


@pytest.mark.parametrize(
    "name", ["element", "row", "nested", "in_a_branch", "settled", "triangular", "while_in_a_loop"]
)
def test_reverse_over_reverse(name):
    function, args = FUNCTIONS[name]
    derived, given = reverse_agrees(function, args)
    reverse_agrees(derived, given)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_optimised_derivative_means_the_same(name):
    function, args = FUNCTIONS[name]
    derived, given = reverse_agrees(function, args)
    after = evaluate(optimise(derived, check=True), given)
    for x, y in zip(evaluate(derived, given), after, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("name", ["element", "settled", "read_at_the_place_written", "irregular_spans", "accumulated"])
def test_nothing_and_a_single_element(name, n):
    function, args = FUNCTIONS[name]
    reverse_agrees(function, [args[0][:n], *args[1:]])


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (3, 0)])
@pytest.mark.parametrize("name", ["row", "nested", "triangular"])
def test_empty_rows_and_no_rows(name, shape):
    if name == "triangular" and shape != (0, 3):
        shape = (1, 2)  # it reads two columns
    function, _ = FUNCTIONS[name]
    reverse_agrees(function, [np.full(shape, 0.75)])


SETTLED = {
    "settled": True,
    "settled_downwards": True,
    "read_at_the_place_written": False,
    "read_ahead_of_the_place_written": False,
    "behind_a_place_that_jumps": False,
    "element": False,
}


@pytest.mark.parametrize("name", SETTLED)
def test_which_arrays_are_settled(name):
    function, _ = FUNCTIONS[name]
    (loop,) = [stm.expr for stm in function.body.stms if isinstance(stm.expr, For)]
    writes = writes_of(loop)[0]
    assert writes is not None
    assert (writes == [] or is_settled(loop.body, 0, writes)) == SETTLED[name]


def test_a_loop_that_runs_a_negative_number_of_times():
    function = parse_function("""
def f(x: f64[n], t: i64) {
  a: f64[n] = for t [x] (i: i64, a0: f64[n]) {
    u: f64 = index a0 i
    v: f64 = mul u u
    a1: f64[n] = update a0 v i
    return a1
  }
  return a
}
""")
    for trips in (-3, 0, 2):
        reverse_agrees(function, [np.array([0.5, 1.5]), trips])
