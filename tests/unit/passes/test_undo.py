"""Writes that are taken back vanish when nobody looks in between, stay when somebody does; the meaning stays."""

from __future__ import annotations

import numpy as np
import pytest

from tapeless.ir.core import For
from tapeless.ir.text import parse_function
from tapeless.ir.walk import statements
from tapeless.passes import undo

from .small_programs import kinds, optimised

A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
V = np.array([1.5, 2.5, 3.5])
WRITES = {"update", "update_slice", "accumulate"}


def writes(text, args):
    """The writes that are left; types and results are compared on the way."""
    function = optimised(text, args, undo)
    return [kind for kind in kinds(function.body) if kind in WRITES]


# Each: the old value, a write, the write that takes it back.
PAIRS = {
    "element": """
  o: f64 = index a 1 2
  u: f64[2, 3] = update a s 1 2
  r: f64[2, 3] = update u o 1 2
""",
    "row": """
  o: f64[3] = index a 1
  u: f64[2, 3] = update a v 1
  r: f64[2, 3] = update u o 1
""",
    "slice": """
  w: f64[1, 3] = replicate v 1
  o: f64[1, 3] = slice a 1 1 1 0 3 1
  u: f64[2, 3] = update_slice a w 1 1 0 1
  r: f64[2, 3] = update_slice u o 1 1 0 1
""",
    "sum": """
  o: f64 = index a 0 1
  u: f64[2, 3] = accumulate a s 0 1
  r: f64[2, 3] = update u o 0 1
""",
    "row_sum": """
  o: f64[3] = index a 0
  u: f64[2, 3] = accumulate a v 0
  r: f64[2, 3] = update u o 0
""",
}


def program(pair, more="", results="r"):
    return f"def f(a: f64[2, 3], v: f64[3], s: f64) {{{pair}{more}  return {results}\n}}"


@pytest.mark.parametrize("name", PAIRS)
def test_a_write_that_is_only_taken_back_vanishes(name):
    assert writes(program(PAIRS[name]), [A, V, 7.0]) == []


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize(
    ("more", "results"),
    [("  e: f64 = index u 0 0\n", "r e"), ("", "r u")],
    ids=["an element is read", "it is a result"],
)
def test_a_version_that_somebody_looks_at_stays(name, more, results):
    assert len(writes(program(PAIRS[name], more, results), [A, V, 7.0])) == 2


def test_a_reader_inside_an_inner_block_counts():
    more = """  m: f64 = reduce 3 [0.0] (p: f64, q: f64) {
    t: f64 = add p q
    return t
  } (i: i64) {
    e: f64 = index u 1 i
    return e
  }
"""
    assert len(writes(program(PAIRS["element"], more, "r m"), [A, V, 7.0])) == 2


@pytest.mark.parametrize(
    "pair",
    [
        "  o: f64 = index a 1 1\n  u: f64[2, 3] = update a s 1 2\n  r: f64[2, 3] = update u o 1 2\n",
        "  o: f64 = index a 1 2\n  u: f64[2, 3] = update a s 1 2\n  r: f64[2, 3] = update u o 1 1\n",
        "  o: f64[3] = index a 1\n  u: f64[2, 3] = update a s 1 2\n  r: f64[2, 3] = update u o 0\n",
        "  u: f64[2, 3] = update a s 1 2\n  o: f64 = index u 0 2\n  r: f64[2, 3] = update u o 1 2\n",
    ],
    ids=["another element was kept", "written elsewhere", "a row of another place", "kept too late"],
)
def test_other_values_and_other_places_are_not_taken_back(pair):
    assert len(writes(program(pair), [A, V, 7.0])) == 2


def test_slices_are_compared_by_start_and_step():
    text = """
def f(a: f64[6], w: f64[2]) {
  o: f64[2] = slice a 0 2 STEP
  u: f64[6] = update_slice a w 0 3
  r: f64[6] = update_slice u o 0 3
  return r
}
"""
    args = [np.arange(6.0), np.array([7.0, 8.0])]
    assert writes(text.replace("STEP", "3"), args) == []
    assert len(writes(text.replace("STEP", "2"), args)) == 2


def test_a_chain_is_taken_back_from_the_inside():
    """Three writes, then three that take them back in reverse order: one pair uncovers the next."""
    text = """
def f(a: f64[3], s: f64, i: i64) {
  o1: f64 = index a 0
  b: f64[3] = update a s 0
  o2: f64 = index b i
  c: f64[3] = accumulate b s i
  o3: f64 = index c 2
  d: f64[3] = update c s 2
  e: f64[3] = update d o3 2
  g: f64[3] = update e o2 i
  h: f64[3] = update g o1 0
  return h
}
"""
    for i in range(3):
        assert writes(text, [V, 9.0, i]) == []


def test_half_of_a_chain_that_is_looked_at_stays():
    text = """
def f(a: f64[3], s: f64) {
  o1: f64 = index a 0
  b: f64[3] = update a s 0
  o2: f64 = index b 1
  c: f64[3] = update b s 1
  d: f64[3] = update c o2 1
  g: f64[3] = update d o1 0
  return g b
}
"""
    assert writes(text, [V, 9.0]) == ["update", "update"]


def test_what_was_written_before_counts_as_standing_there():
    """The value taken back is known: that of the write before, or that of the replicated array."""
    text = """
def f(s: f64, w: f64, i: i64) {
  z: f64[3] = replicate w 3
  b: f64[3] = update z s i
  c: f64[3] = update b w i
  d: f64[3] = update c 2.0 i
  e: f64[3] = update d 5.0 i
  g: f64[3] = update e 2.0 i
  return g
}
"""
    assert writes(text, [9.0, 4.0, 1]) == ["update"]


def test_inside_loops_and_branches():
    text = """
def f(a: f64[3], s: f64, c: bool) {
  out: f64[3] = for 3 [a] (i: i64, x: f64[3]) {
    o: f64 = index x i
    u: f64[3] = accumulate x s i
    r: f64[3] = update u o i
    y: f64[3] = if c {
      p: f64 = index r 0
      w: f64[3] = update r s 0
      q: f64[3] = update w p 0
      return q
    } else {
      return r
    }
    return y
  }
  return out
}
"""
    for c in (False, True):
        assert writes(text, [V, 9.0, c]) == []


def test_a_pair_across_a_block_vanishes_too():
    text = """
def f(a: f64[3], s: f64, c: bool) {
  o: f64 = index a 1
  u: f64[3] = update a s 1
  y: f64[3] = if c {
    r: f64[3] = update u o 1
    return r
  } else {
    return a
  }
  return y
}
"""
    for c in (False, True):
        assert writes(text, [V, 9.0, c]) == []


def test_a_loop_whose_writes_are_taken_back_stays_a_loop():
    """Only single writes are paired: what a loop wrote is not followed through it."""
    function = parse_function("""
def f(a: f64[3], s: f64) {
  o: f64 = index a 1
  u: f64[3] = for 2 [a] (i: i64, x: f64[3]) {
    y: f64[3] = update x s i
    return y
  }
  r: f64[3] = update u o 1
  return r
}
""")
    after = optimised(function, [V, 9.0], undo)
    assert any(isinstance(stm.expr, For) for stm in statements(after.body))


def in_arms(between: str = "", result: str = "r") -> str:
    return f"""
def f(a: f64[2, 3], v: f64[3], s: f64) {{
  c: bool = gt s 0.0
  o: f64 = if c {{
    o1: f64 = index a 1 2
    return o1
  }} else {{
    return 0.0
  }}
  u: f64[2, 3] = if c {{
    u1: f64[2, 3] = update a s 1 2
    return u1
  }} else {{
    return a
  }}
  {between}
  r: f64[2, 3] = if c {{
    r1: f64[2, 3] = update u o 1 2
    return r1
  }} else {{
    return u
  }}
  return {result}
}}
"""


def test_pairs_on_one_condition_cancel():
    for sign in (1.0, -1.0):
        assert not writes(in_arms(), [A, V, sign])
        assert writes(in_arms("x: f64 = index u 1 2", "r x"), [A, V, sign]) == ["update", "update"]


# -- zeros that are added to ----------------------------------------------------------------------------

ANEW = {
    "element": ("0.0", "s", "1 2"),
    "row": ("z", "v", "1"),
}


def _sum_anew(zero: str, value: str, at: str, then: str, more: str = "", results: str = "r") -> str:
    return f"""
def f(a: f64[2, 3], v: f64[3], s: f64) {{
  z: f64[3] = replicate 0.0 3
  u: f64[2, 3] = update a {zero} {at}
{more}  r: f64[2, 3] = accumulate u {value} {then}
  return {results}
}}
"""


@pytest.mark.parametrize("name", ANEW)
def test_zeros_are_not_written_to_be_added_to(name):
    zero, value, at = ANEW[name]
    assert writes(_sum_anew(zero, value, at, at), [A, V, 7.0]) == ["update"]
    assert writes(_sum_anew(zero, value, at, at.replace("1", "0", 1)), [A, V, 7.0]) == ["update", "accumulate"]
    assert writes(_sum_anew(value, value, at, at), [A, V, 7.0]) == ["update", "accumulate"]


def test_zeros_that_are_read_are_written():
    text = _sum_anew("0.0", "s", "1 2", "1 2", "  e: f64 = index u 1 2\n", "r e")
    assert writes(text, [A, V, 7.0]) == ["update", "accumulate"]
