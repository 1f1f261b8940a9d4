"""Loops of few inputs whose derivatives are carried along: which are, what is said, and what comes of it."""

from __future__ import annotations

import pytest

from tapeless.ad.planner import Plan
from tapeless.ad.vjp import pullback
from tapeless.eliminate.collapse import Collapser
from tapeless.eliminate.paper import Paper
from tapeless.ir.build import Builder
from tapeless.ir.core import For
from tapeless.ir.text import parse_function
from tapeless.ir.walk import statements
from tapeless.passes.notes import RETURN_SWEEP, Notes

from .vjp_harness import reverse_agrees, vjp

LOOP = """
def f(x.1: f64, y: f64, n: i64) {
  p: f64, q: f64 = for n [x.1 OTHER] (i: i64, z: f64, w: f64) {
    z1: f64 = sin z
    w1: f64 = mul w z1
    return z1 w1
  }
  return RESULTS
}
"""
CARRIED = "keeps nothing: carries its derivatives by x along"


def program(other: str = "2.0", results: str = "p q", loop: str = LOOP):
    return parse_function(loop.replace("OTHER", other).replace("RESULTS", results))


def said(function, **plan) -> list[str]:
    notes = Notes()
    vjp(function, Plan(**{"collapse": Collapser(), "notes": notes, **plan}))
    return [note.decision for note in notes.about(RETURN_SWEEP)]


@pytest.mark.parametrize("results", ["p q", "p", "q"])
@pytest.mark.parametrize("other", ["2.0", "x.1"])
def test_derivatives(other: str, results: str):
    function = program(other, results)
    derived, _ = reverse_agrees(function, (0.4, 0.3, 5), plan=Plan(collapse=Collapser()))
    assert sum(isinstance(stm.expr, For) for stm in statements(derived.body)) == 1


def test_what_is_said():
    notes = Notes()
    vjp(program(), Plan(collapse=Collapser(), notes=notes))
    (note,) = notes.about(RETURN_SWEEP)
    assert note.decision == CARRIED
    kept, carried = (float(note.reason.split("; ")[k].split()[0]) for k in (1, 0))
    assert carried < kept
    assert any(getattr(x, "title", "") == "derivative of a loop, carried along" for x in notes)
    assert vjp(program(), Plan(collapse=Collapser())).body.stms  # nobody asks


def test_only_what_cannot_run_backwards_is_carried_where_that_is_asked_for():
    """`sin z` does not tell z; `z + y` does."""
    assert CARRIED in said(program(), backwards=True)
    undone = program(loop=LOOP.replace("sin z", "add z y").replace("mul w z1", "add w z1"))
    assert CARRIED not in said(undone, backwards=True)


@pytest.mark.parametrize("plan", [{"collapse": None}, {"collapse": Paper()}])
def test_who_asks_otherwise_gets_it(plan):
    assert CARRIED in said(program())
    assert CARRIED not in said(program(), **plan)


MASKED = LOOP.replace("z1: f64 = sin z", "r: f64 = sqrt z\n c: bool = gt z 0.0\n z1: f64 = select c r z")
PRODUCT = """    w1: f64 = reduce 3 [1.0] (a: f64, b: f64) {
      s: f64 = mul a b
      return s
    } (j: i64) {
      return z1
    }"""
RULED = LOOP.replace("    w1: f64 = mul w z1", PRODUCT)


@pytest.mark.parametrize(("text", "why"), [(MASKED, "a zero wins over an infinity"), (RULED, "a product has a rule")])
def test_which_loops_keep_states(text: str, why: str):
    assert CARRIED not in said(program(loop=text)), why
    reverse_agrees(program(loop=text), (0.4, 0.3, 5), plan=Plan(collapse=Collapser()))


TWO = (
    LOOP.replace("w1: f64 = mul w z1\n", "")
    .replace("return z1 w1", "return z1 w")
    .replace("z1: f64 = sin z", "r: f64 = add z y\n t: f64 = sin r\n u: f64 = exp t\n z1: f64 = sin u")
)


def test_two_inputs():
    """What runs again otherwise is dear enough."""
    assert "keeps nothing: carries its derivatives by x, y along" in said(program(loop=TWO, results="p"))
    reverse_agrees(program(loop=TWO, results="p"), (0.4, 0.3, 5), plan=Plan(collapse=Collapser()))


LINEAR = LOOP.replace("sin z", "mul z 0.5").replace("mul w z1", "add w z1")


def test_dearer_derivatives_are_not_carried():
    """Two numbers with two tangents each, where nothing has to be kept."""
    assert said(program("y", loop=LINEAR)) == ["keeps nothing"]


@pytest.mark.parametrize(("loop", "taken"), [(LOOP, ["tangents"]), (LINEAR, [])])
def test_a_way_that_is_chosen_is_told_to_be_compared(loop: str, taken: list[str]):
    """Dearer ones are not made in the first place, so that nothing is left to compare."""
    function, collapse = program("y", loop=loop), Collapser()
    pullback(Builder(), function.body, function.params[:2], Plan(collapse=collapse))
    assert collapse.taken == taken
