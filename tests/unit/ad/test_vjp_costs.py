"""What reverse mode costs, counted by the interpreter: work that grows with the program, and stacks of what is read."""

import numpy as np
import pytest

from tapeless.ad.prepare import prepare
from tapeless.config import config
from tapeless.ir.core import For, Hist, Map
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers_count import CountingTower
from tapeless.ir.text import parse_function
from tapeless.ir.walk import statements
from tapeless.passes.notes import Notes
from tapeless.passes.pipeline import optimise
from tapeless.testing.counting import reverse_work, work

from .vjp_harness import vjp
from .vjp_loop_programs import LOOPS

SIZES = (50, 100, 200)


def is_linear(costs):
    """Does doubling the size at most double the cost, up to a constant?"""
    first, second = costs[1] - costs[0], costs[2] - costs[1]
    return second <= 2.05 * first


def works(text, make=lambda n: [np.linspace(0.5, 1.0, n)]):
    return [reverse_work(parse_function(text), make(n)) for n in SIZES]


FILLING = ["element", "settled", "settled_downwards", "read_at_the_place_written", "accumulated"]


@pytest.mark.parametrize("name", FILLING)
def test_filling_an_array_element_by_element_is_linear(name):
    more = LOOPS[name][0][1:]
    found = works(LOOPS[name][1], lambda n: [np.linspace(0.5, 1.0, n), *more])
    assert is_linear([w.reverse for w in found])
    assert is_linear([w.primal for w in found])
    assert all(w.reverse <= w.bound for w in found)


def test_without_passes_it_is_linear_too():
    """Nothing is copied that a pass would have to find out."""
    derived = vjp(parse_function(LOOPS["element"][1]))
    costs = [work(derived, [np.linspace(0.5, 1.0, n), np.ones(n)])[0] for n in SIZES]
    assert is_linear(costs)


NEST = """
def nest(x: f64[n, m], v: f64) {
  z: f64[n, m] = replicate 0.0 n m
  a: f64[n, m] = for n [z] (i: i64, a0: f64[n, m]) {
    b: f64[n, m] = for m [a0] (j: i64, b0: f64[n, m]) {
      u: f64 = index x i j
      w: f64 = mul u v
      s: f64 = sin w
      b1: f64[n, m] = update b0 s i j
      return b1
    }
    return b
  }
  s2: f64 = for n [0.0] (k: i64, t0: f64) {
    t1: f64 = for m [t0] (l: i64, r0: f64) {
      e: f64 = index a k l
      r1: f64 = add r0 e
      return r1
    }
    return t1
  }
  return s2
}
"""


def test_a_perfect_nest_pays_nothing():
    """Its loops are parallel: nothing is kept, nothing runs again, nothing is carried."""
    function = parse_function(NEST)
    derived = optimise(vjp(prepare(function, Notes())))
    assert not [s for s in statements(derived.body) if isinstance(s.expr, For)]
    arrays = [v for s in statements(derived.body) if isinstance(s.expr, Map) for v in s.vars if v.type.rank > 1]
    assert len(arrays) == 1  # the adjoint of x
    tower = CountingTower()
    evaluate(derived, [np.full((10, 7), 0.5), 0.25, 1.0], tower)
    assert (tower.counts["sin"], tower.counts["cos"]) == (70, 70)


def stacks(text):
    """The types of the stacks that the optimised derivative of a program keeps."""
    derived = optimise(vjp(prepare(parse_function(text), Notes())))
    found = []
    for stm in statements(derived.body):
        if isinstance(stm.expr, For):
            found += [var.type for var in stm.expr.body.params if var.name.startswith("stack.")]
    return found


def test_a_sum_is_not_kept():
    text = """
def f(x: f64, n: i64) {
  y: f64, s: f64 = for n [x 0.0] (i: i64, y0: f64, s0: f64) {
    y1: f64 = sin y0
    s1: f64 = add s0 y1
    return y1 s1
  }
  return s
}
"""
    assert [type.rank for type in stacks(text)] == [1]


def test_a_linear_recurrence_keeps_nothing():
    text = """
def f(x: f64, n: i64) {
  y: f64 = for n [x] (i: i64, y0: f64) {
    y1: f64 = mul y0 0.5
    y2: f64 = add y1 x
    return y2
  }
  return y
}
"""
    with config(coarsen=False):
        assert stacks(text) == []


def test_a_settled_array_is_not_kept():
    assert stacks(LOOPS["settled"][1]) == []


def test_of_an_overwritten_row_only_the_row_is_kept():
    assert {type.rank for type in stacks(LOOPS["row"][1])} == {2}


def test_of_a_matrix_written_by_element_in_sequence_only_elements_are_kept():
    """What an iteration overwrites is a scalar, whatever the array: its stack has one dimension per loop."""
    text = """
def f(x: f64[n, m], key: i64[t]) {
  a: f64[n, m] = for t [x] (i: i64, a0: f64[n, m]) {
    k: i64 = index key i
    u: f64 = index a0 k 0
    v: f64 = mul u u
    a1: f64[n, m] = update a0 v k 1
    w: f64 = index a1 k 1
    s: f64 = sin w
    a2: f64[n, m] = update a1 s k 0
    return a2
  }
  return a
}
"""
    assert {type.rank for type in stacks(text)} == {1}


LATTICE = """
def f(x: f64[3, n], y: f64[3, n], solid: bool[n]) {
  a: f64[3, n] = for n [y] (i: i64, a0: f64[3, n]) {
    j: i64 = sub i 1
    k: i64 = mod j n
    u: f64 = index x 0 k
    v: f64 = index a0 1 k
    w: f64 = mul u v
    c: bool = index solid i
    b: f64[3, n] = if c {
      a1: f64[3, n] = update a0 w 0 i
      a2: f64[3, n] = update a1 u 1 i
      a3: f64[3, n] = update a2 v 2 i
      return a3
    } else {
      s: f64 = sin w
      t: f64[3] = stack s w u
      p: f64[3, 1] = reshape t 3 1
      a4: f64[3, n] = update_slice a0 p 0 1 i 1
      return a4
    }
    return b
  }
  return a
}
"""


def test_a_branch_that_writes_several_places_keeps_these():
    """Their common part is the whole array: keeping that in every iteration would be quadratic."""

    def make(n):
        return [np.linspace(0.5, 1.0, 3 * n).reshape(3, n), np.ones((3, n)), np.arange(n) % 3 == 0]

    found = works(LATTICE, make)
    assert is_linear([w.reverse for w in found])
    assert all(w.reverse <= w.bound for w in found)
    assert all(type.rank == 1 for type in stacks(LATTICE))


def test_without_passes_several_places_are_linear_too():
    derived = vjp(parse_function(LATTICE))
    costs = []
    for n in SIZES:
        x = np.linspace(0.5, 1.0, 3 * n).reshape(3, n)
        costs.append(work(derived, [x, np.ones((3, n)), np.arange(n) % 3 == 0, np.ones((3, n))])[0])
    assert is_linear(costs)


SHIFTED = """
def shifted(x: f64[n], m: i64, k: i64) {{
  y: f64[m] = map m (i: i64) {{
    l: i64 = {0}
    e: f64 = index x l
    s: f64 = sin e
    return s
  }}
  return y
}}
"""


@pytest.mark.parametrize(
    ("place", "counts"),
    [("add i 0", False), ("add i 3", False), ("add i k", False), ("sub k i", False), ("mul i i", True)],
)
def test_adjoints_of_reads_along_a_line_are_written_side_by_side(place, counts):
    """Where the line begins is known outside; only what is no line is a histogram."""
    derived = vjp(parse_function(SHIFTED.format(place)))
    assert any(isinstance(stm.expr, Hist) for stm in statements(derived.body)) is counts
