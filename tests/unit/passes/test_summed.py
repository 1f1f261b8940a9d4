"""Loops that add rows to an array in a loop inside are sums of arrays; others stay loops."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.check import check
from tapeless.ir.core import For, If, Reduce
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.walk import statements
from tapeless.passes import parallelise, pipeline, simplify
from tapeless.passes.notes import Notes

assert pipeline  # registers the operations

LAYERS = """
def layers(x: f64[n], w: f64[m, k], a0: f64[m, k], c0: f64[m], flag: bool) {
  a: f64[m, k], c: f64[m], s: f64 = for n [a0 c0 0.5] (i: i64, a1: f64[m, k], c1: f64[m], s1: f64) {
    v: f64 = index x i
    y: f64, a2: f64[m, k], c2: f64[m] = for m [v a1 c1] (j: i64, y1: f64, a3: f64[m, k], c3: f64[m]) {
      row: f64[k] = index w j
      part: f64[k] = map k (l: i64) {
        e: f64 = index row l
        f: f64 = mul e y1
        return f
      }
      g: f64 = sin y1
      a4: f64[m, k] = accumulate a3 part j
      c4: f64[m] = accumulate c3 g j
      return g a4 c4
    }
    s2: f64 = add s1 y
    return a2 c2 s2
  }
  return a c s
}
"""


def _arguments() -> list:
    rng = np.random.default_rng(0)
    return [rng.normal(size=5), rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), rng.normal(size=3), True]


def _passed(text: str):
    """The program after the pass, whose meaning is compared in any case."""
    before = parse_function(text)
    after = before
    for step in (simplify, parallelise, simplify):
        after = step.run(after, Notes())
    check(after)
    for x, y in zip(evaluate(before, _arguments()), evaluate(after, _arguments()), strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-13)
    return after


def _with(old: str, new: str, text: str = LAYERS) -> str:
    assert old in text
    return text.replace(old, new)


def _is_sum(function) -> bool:
    """Is the outer loop a reduction, of arrays among others?"""
    top = [stm for stm in function.body.stms if isinstance(stm.expr, Reduce)]
    return any(var.type.shape for stm in top for var in stm.vars)


def test_sums_of_arrays():
    after = _passed(LAYERS)
    assert _is_sum(after)
    assert not any(isinstance(stm.expr, For) for stm in after.body.stms)


def test_zeros_need_not_be_added():
    text = _with("[a0 c0 0.5]", "[z c0 0.5]").replace("  a: f64", "  z: f64[m, k] = replicate 0.0 m k\n  a: f64", 1)
    plain, added = (len(_passed(program).body.stms) for program in (text, LAYERS))
    assert plain < added


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # fewer rounds than rows: zeros for each iteration would be more work than the rows
        ("for m [v a1 c1]", "for 2 [v a1 c1]"),
        # somebody else looks at the sum on the way
        ("g: f64 = sin y1", "u: f64 = index c3 j\n      g: f64 = sin u"),
        ("s2: f64 = add s1 y", "u: f64 = index c2 0\n    s2: f64 = add s1 u"),
        ("v: f64 = index x i", "v: f64 = index c1 0"),
        # not a sum
        ("c4: f64[m] = accumulate c3 g j", "c4: f64[m] = update c3 g 0"),
        ("return g a4 c4", "c5: f64[m] = map m (q: i64) {\n return g\n }\n      return g a4 c5"),
    ],
)
def test_other_loops_stay(old, new):
    assert not _is_sum(_passed(_with(old, new)))


def test_several_rows_in_a_round():
    assert _is_sum(_passed(_with("c4: f64[m] = accumulate c3 g j", "c5: f64[m] = accumulate c3 y1 0\n"
                                 "      c4: f64[m] = accumulate c5 g j")))  # fmt: skip


def test_beside_a_map_the_loop_stays():
    """A map would keep the array of each iteration."""
    text = _with("s: f64 = for n [a0 c0 0.5]", "s: f64[n] = for n [a0 c0 x]")
    text = text.replace("s1: f64) {", "s1: f64[n]) {").replace("s2: f64 = add s1 y", "s2: f64[n] = update s1 y i")
    assert not _is_sum(_passed(text))


def _branching(condition: str, other: str) -> str:
    """The loop inside moves into the first arm."""
    start, end = LAYERS.index("    y: f64, a2"), LAYERS.index("    s2: f64 = add s1 y")
    inner = LAYERS[start:end]
    branch = (
        f"    y9: f64, a9: f64[m, k], c9: f64[m] = if {condition} {{\n{inner}      return y a2 c2\n    }} else {{\n"
    )
    text = LAYERS[:start] + branch + f"      {other}\n    }}\n" + LAYERS[end:]
    return text.replace("s2: f64 = add s1 y\n", "s2: f64 = add s1 y9\n").replace("return a2 c2 s2", "return a9 c9 s2")


OTHER = """t0: f64 = index c1 0
      c8: f64[m] = update c1 t0 1
      return v a1 c8"""


def test_a_question_is_asked_before_the_loop():
    after = _passed(_branching("flag", OTHER))
    (branch,) = (stm.expr for stm in after.body.stms if isinstance(stm.expr, If))
    assert any(isinstance(stm.expr, Reduce) for stm in branch.then.stms)
    assert any(isinstance(stm.expr, For) for stm in branch.orelse.stms)
    assert not any(isinstance(stm.expr, If) for stm in statements(branch.then))


def test_a_question_for_each_iteration_stays_inside():
    text = _branching("odd", OTHER).replace("v: f64 = index x i\n", "v: f64 = index x i\n    odd: bool = gt v 0.0\n")
    assert not any(isinstance(stm.expr, If) for stm in _passed(text).body.stms)


def test_a_question_where_neither_is_a_sum_stays_inside():
    text = _branching("flag", OTHER).replace("for m [v", "for 2 [v")
    assert not any(isinstance(stm.expr, If) for stm in _passed(text).body.stms)


def network(weights, offsets, points):
    total = 0.0
    for i in range(len(points)):
        x, y = points[i, 0], points[i, 1]
        for layer in range(len(weights)):
            y += offsets[layer] + np.sum(np.tanh(weights[layer] * x))
            x, y = y, x
        total += x * x + y
    return total


@pytest.mark.parametrize("memory", [None, "reversible", "1KB"])
@pytest.mark.parametrize("shape", [(3, 4), (1, 1), (70, 3), (0, 2)])
def test_gradients_of_layers(memory, shape):
    rng = np.random.default_rng(1)
    arguments = 0.1 * rng.normal(size=shape), 0.1 * rng.normal(size=shape[0]), rng.normal(size=(19, 2))
    expected = tp.grad(network, (0, 1, 2), coarsen=False, memory=tp.States(2))(*arguments)
    found = tp.grad(network, (0, 1, 2), memory=memory)(*arguments)
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-12)


def test_the_gradient_of_layers_runs_in_lanes():
    arguments = np.ones((3, 4)), np.ones(3), np.ones((19, 2))
    function = parse_function(tp.grad(network, (0, 1)).show("ir", *arguments))
    assert _is_sum(function)
