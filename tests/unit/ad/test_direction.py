"""A dense Jacobian goes in the direction that needs fewer sweeps, decided as early as it can be."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad import direction
from tapeless.ad.elements import Input
from tapeless.ad.planner import Plan
from tapeless.ir.build import Builder
from tapeless.ir.check import check
from tapeless.ir.core import Apply, Block, Function, If
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.types import F64, Atom, f64

FORWARD, REVERSE = 1.0, 2.0


@pytest.fixture(autouse=True)
def marks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jacobians whose entries all say in which direction they were made."""

    def marked(mark: float, b: Builder, block: Block, inputs: Sequence[Input]) -> tuple[tuple[Atom, ...], ...]:
        shapes = [[result.type.shape + given.type.shape for given in inputs] for result in block.results]
        return tuple(tuple(b.apply("replicate", f64(mark), *s) if s else f64(mark) for s in row) for row in shapes)

    monkeypatch.setattr(direction, "jacobian_forward", lambda b, block, inputs, *_: marked(FORWARD, b, block, inputs))
    monkeypatch.setattr(
        direction, "jacobian_reverse", lambda b, block, inputs, plan: (plan, marked(REVERSE, b, block, inputs))
    )


def directions(text: str, args: Sequence[Any]) -> tuple[float, bool]:
    """The direction taken for these arguments, and whether it is chosen when the program runs."""
    function = parse_function(text)
    wrt = [param for param in function.params if param.type.dtype is F64]
    b = Builder()
    block = b.hoist_sizes(wrt, function.body)
    rows = direction.jacobian_either(b, block, [Input(var.type, (var,)) for var in wrt], Plan())
    made = Function("jacobian", function.params, b.block([entry for row in rows for entry in row]))
    check(made)
    found = evaluate(made, args)
    assert [np.ndim(entry) for entry in found] == [x.type.rank + var.type.rank for x in block.results for var in wrt]
    marks = {float(mark) for entry in found for mark in np.ravel(entry)}
    assert len(marks) == 1
    return marks.pop(), any(isinstance(stm.expr, If) for stm in b.stms)


KNOWN = """
def f(x: f64[{0}]) {{
  y: f64[{1}] = replicate 1.0 {1}
  return y
}}
"""
TWO_KNOWN = """
def f(x: f64[2, 2], z: f64) {{
  y: f64[{0}] = replicate 1.0 {0}
  return y z
}}
"""


@pytest.mark.parametrize(("inputs", "results", "taken"), [(3, 4, FORWARD), (4, 4, FORWARD), (5, 4, REVERSE)])
def test_sizes_that_are_known(inputs: int, results: int, taken: float):
    assert directions(KNOWN.format(inputs, results), [np.ones(inputs)]) == (taken, False)


@pytest.mark.parametrize(("results", "taken"), [(5, FORWARD), (4, FORWARD), (3, REVERSE)])
def test_sizes_are_added_up(results: int, taken: float):
    assert directions(TWO_KNOWN.format(results), [np.ones((2, 2)), 1.0]) == (taken, False)


@pytest.mark.parametrize(
    ("given", "made", "taken"),
    [("n", "n", FORWARD), ("n", "n 2", FORWARD), ("n 2", "n", REVERSE), ("n 3", "n 2", REVERSE),
     ("n 2", "2 n", FORWARD), ("n 2", "n 2", FORWARD), ("n 2", "3 n", FORWARD)],
)  # fmt: skip
def test_a_size_that_both_have_does_not_matter(given: str, made: str, taken: float):
    inputs, results = given.replace(" ", ", "), made.replace(" ", ", ")
    text = f"def f(x: f64[{inputs}]) {{\n y: f64[{results}] = replicate 1.0 {made}\n return y\n}}"
    shape = [5 if size == "n" else int(size) for size in given.split()]
    assert directions(text, [np.ones(shape)]) == (taken, False)


UNKNOWN = """
def f(x: f64[n], z: f64[m, 2], k: f32[p]) {
  y: f64[p, 3] = replicate 1.0 p 3
  v: f64[p] = replicate 1.0 p
  return y v
}
"""


@pytest.mark.parametrize(
    ("n", "m", "p", "taken"),
    [(1, 1, 1, FORWARD), (2, 1, 1, FORWARD), (3, 1, 1, REVERSE), (2, 2, 2, FORWARD), (3, 3, 2, REVERSE),
     (2, 3, 2, FORWARD), (4, 4, 3, FORWARD), (5, 4, 3, REVERSE), (1, 2, 1, REVERSE)],
)  # fmt: skip
def test_sizes_that_are_known_when_the_program_runs(n: int, m: int, p: int, taken: float):
    assert directions(UNKNOWN, [np.ones(n), np.ones((m, 2)), np.ones(p, np.float32)]) == (taken, True)


TWICE = """
def f(x: f64[n, n], k: f32[m]) {
  y: f64[n, m] = replicate 1.0 n m
  return y
}
"""


@pytest.mark.parametrize(("n", "m", "taken"), [(3, 2, REVERSE), (2, 2, FORWARD), (2, 3, FORWARD)])
def test_a_size_that_the_inputs_have_twice(n: int, m: int, taken: float):
    assert directions(TWICE, [np.ones((n, n)), np.ones(m, np.float32)]) == (taken, True)


COMPUTED = """
def f(x: f64[n], z: f64) {
  m: i64 = convert[i64] z
  y: f64[m] = replicate z m
  return y
}
"""


def test_sizes_that_the_block_computes_are_not_known_before():
    function, b = parse_function(COMPUTED), Builder()
    direction.jacobian_either(b, function.body, [Input(var.type, (var,)) for var in function.params], Plan())
    assert [stm.expr.args[0] for stm in b.stms if isinstance(stm.expr, Apply)] == [f64(FORWARD)] * 2
    assert len(b.stms) == 2
