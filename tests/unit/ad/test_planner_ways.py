"""How a loop is run back, in the program and in what is said of it: everything kept, some states, or both versions."""

import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.functions import vjp_function
from tapeless.ad.planner import Plan
from tapeless.ir.core import If, While
from tapeless.ir.text import parse_function
from tapeless.ir.walk import statements
from tapeless.passes.notes import RETURN_SWEEP, Notes

COUNTED = """
def f(x: f64, n: i64) {{
  y: f64 = for {0} [x] (i: i64, z: f64) {{
    k: f64 = convert[f64] i
    h: f64 = mul z k
    w: f64 = sin h
    return w
  }}
  return y
}}
"""
OPEN = """
def f(x: f64, n: i64) {
  j: i64, y: f64 = while [0 x] (i: i64, z: f64) {
    c: bool = lt i n
    return c
  } (i1: i64, z1: f64) {
    w: f64 = sin z1
    i2: i64 = add i1 1
    return i2 w
  }
  return y
}
"""
ALL = "keeps 8 bytes of every iteration"
SOME = f"{ALL} within 5 iterations, else 5 states of 8 bytes"


@pytest.mark.parametrize(
    ("trips", "states", "branches", "searches", "said"),
    [
        ("n", None, False, False, [ALL]),
        ("n", 5, True, True, [SOME]),
        ("5", 5, False, False, []),
        ("6", 5, False, True, [SOME]),
        ("-1", 5, False, False, []),
    ],
)
def test_a_loop_with_a_trip_count(trips: str, states: int | None, branches: bool, searches: bool, said: list[str]):
    """Both versions stand in the arms of a branch; going to a state that was kept is a loop with a condition."""
    notes = Notes()
    reverse = vjp_function(parse_function(COUNTED.format(trips)), (0,), Plan(states=states, notes=notes))
    top = [stm.expr for stm in reverse.body.stms]
    assert any(isinstance(expr, If) for expr in top) is branches
    assert any(isinstance(stm.expr, While) for stm in statements(reverse.body)) is searches
    assert [note.decision for note in notes.about(RETURN_SWEEP)] == said


def test_a_loop_with_a_condition():
    """It is run to count its iterations, unless there is room for many states on the way."""
    said: list[tuple[list[str], list[str]]] = []
    for plan in (Plan(notes=Notes()), Plan(states=5, notes=Notes()), Plan(states=64, notes=Notes())):
        vjp_function(parse_function(OPEN), (0,), plan)
        assert plan.notes is not None
        said.append(([x.decision for x in plan.notes.about("while")], [x.decision for x in plan.notes]))
    assert [counted for counted, _ in said] == [["runs twice"], ["runs twice"], []]
    assert said[2][1] == ["keeps up to 64 states of 8 bytes, placed while it runs"]


ROWS = """
def f(x: f64[{0}]) {{
  y: f64[{0}] = for 6 [x] (i: i64, z: f64[{0}]) {{
    w: f64[{0}] = map {0} (j: i64) {{
      e: f64 = index z j
      s: f64 = sin e
      return s
    }}
    return w
  }}
  return y
}}
"""


@pytest.mark.parametrize(
    ("size", "bytes", "branches", "searches"),
    [("n", 1000, True, True), ("10", 480, False, False), ("10", 479, False, True)],
)
def test_a_known_number_of_rows(size: str, bytes: int, branches: bool, searches: bool):
    """How many rows fit is known where their size is."""
    reverse = vjp_function(parse_function(ROWS.format(size)), (0,), Plan(bytes=bytes))
    assert any(isinstance(stm.expr, If) for stm in reverse.body.stms) is branches
    assert any(isinstance(stm.expr, While) for stm in statements(reverse.body)) is searches


SUMMED = """
def f(x: f64, n: i64) {
  y: f64, t: f64 = for n [x 0.0] (i: i64, z: f64, s: f64) {
    w: f64 = sin z
    s1: f64 = add s w
    return w s1
  }
  return y t
}
"""


def test_what_is_not_read_again_is_not_kept():
    notes = Notes()
    vjp_function(parse_function(SUMMED), (0,), Plan(states=5, notes=notes))
    assert [note.decision for note in notes.about(RETURN_SWEEP)] == [SOME]
