"""Arrays that loops write row by row, each row once, are not filled before; all others are."""

from __future__ import annotations

import numpy as np
import pytest

from tapeless.backend import cpu
from tapeless.ir.check import check
from tapeless.ir.core import Apply, Function
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.walk import statements
from tapeless.passes import filled, pipeline, simplify
from tapeless.passes.notes import Notes

assert pipeline  # registers the operations

KEPT = """
def kept(x: f64[n], k: i64, c: bool) {
  number: f64 = index x 0
  z: f64[k, n] = replicate FILL k n
  last: f64[n], a: f64[k, n] = for k [x z] (i: i64, y: f64[n], p: f64[k, n]) {
    BODY
    s: f64[n] = map n (j: i64) {
      e: f64 = index y j
      t: f64 = sin e
      return t
    }
    return s q
  }
  return last a
}
"""
ROUND = """
def turned(x: f64[h, w]) {
  z: f64[h, w] = replicate FILL h w
  a: f64[h, w] = for h [z] (i: i64, p: f64[h, w]) {
    i1: i64 = add i 1
    at: i64 = mod i1 h
    b: f64[h, w] = for COUNT [p] (j: i64, q: f64[h, w]) {
      j1: i64 = sub j 1
      to: i64 = mod j1 w
      e: f64 = index x i j
      old: f64 = index q OLD
      v: f64 = add e old
      r: f64[h, w] = update q v PLACE
      return r
    }
    return b
  }
  return a
}
"""
# Leaves memory behind that holds no zeros.
DIRTY = parse_function("def dirty(n: i64) {\n a: f64[n] = replicate 7.0 n\n return a\n}")


def made(text: str) -> tuple[Function, int]:
    """The function after the pass, and how many of its arrays are scratch."""
    function = parse_function(text)
    notes = Notes()
    changed = simplify.run(filled.run(function, notes), notes)
    check(changed)
    scratch = [
        stm.expr
        for stm in statements(changed.body)
        if isinstance(stm.expr, Apply) and stm.expr.op == "replicate" and stm.expr.attrs
    ]
    return changed, len(scratch)


def agree(text: str, *arguments: object) -> int:
    """The values are those of the function as it was, whatever stood in memory; the number of arrays of scratch."""
    function, (changed, scratch) = parse_function(text), made(text)
    expected = evaluate(function, list(arguments))
    for want, got in zip(expected, evaluate(changed, list(arguments)), strict=True):
        np.testing.assert_array_equal(got, want)
    for size in range(1, 16):
        cpu.compile_and_run(DIRTY, [size])
    for want, got in zip(expected, cpu.compile_and_run(changed, list(arguments)), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-14, atol=0)
    return scratch


@pytest.mark.parametrize(
    ("body", "scratch"),
    [
        ("q: f64[k, n] = update p y i", 1),
        ("o: f64[k, n] = update p x i\n q: f64[k, n] = update o y i", 1),
        ("old: f64[n] = index p i\n o: f64[k, n] = update p y i\n q: f64[k, n] = update o old i", 1),
        ("first: f64 = index p i 1\n r: f64[n] = update y first 0\n q: f64[k, n] = update p r i", 1),
        ("first: f64 = index p 0 1\n r: f64[n] = update y first 0\n q: f64[k, n] = update p r i", 0),
        ("q: f64[k, n] = update p number i 0", 0),
        ("first: f64 = index p i 0\n f: f64 = sin first\n q: f64[k, n] = update p f i 0", 0),
        ("old: f64[n] = index p 0\n q: f64[k, n] = update p old i", 0),
        ("o: f64[k, n] = update p y i\n old: f64[n] = index o i\n q: f64[k, n] = update o old i", 0),
        ("q: f64[k, n] = update p y 0", 0),
        ("q: f64[k, n] = accumulate p y i", 0),
        ("o: f64[k, n] = update p y i\n q: f64[k, n] = update o y 0", 0),
        ("i1: i64 = add i 1\n at: i64 = mod i1 k\n q: f64[k, n] = update p y at", 1),
        ("i2: i64 = mul i 2\n at: i64 = mod i2 k\n q: f64[k, n] = update p y at", 0),
        ("i1: i64 = add i 1\n at: i64 = mod i1 3\n q: f64[k, n] = update p y at", 0),
        ("q: f64[k, n] = if c {\n o: f64[k, n] = update p y i\n return o\n } else {\n return p\n }", 0),
    ],
)
@pytest.mark.parametrize("fill", ["0.0", "-2.5", "number"])
def test_rows_that_are_kept(body: str, scratch: int, fill: str) -> None:
    text = KEPT.replace("BODY", body).replace("FILL", fill)
    for c in (False, True):
        assert agree(text, np.array([0.3, -1.0]), 4, c) == scratch


def test_a_loop_of_other_length_leaves_rows() -> None:
    text = KEPT.replace("BODY", "q: f64[k, n] = update p y i").replace("FILL", "0.0").replace("for k", "for 2")
    assert agree(text, np.array([0.3, -1.0]), 4, True) == 0


def test_each_loop_has_scratch_of_its_own() -> None:
    two = """
def two(x: f64[n], k: i64) {
  z: f64[k, n] = replicate 0.0 k n
  a: f64[k, n], b: f64[k, n] = for k [z z] (i: i64, p: f64[k, n], q: f64[k, n]) {
    y: f64[n] = map n (j: i64) {
      e: f64 = index x j
      f: f64 = convert[f64] i
      t: f64 = mul e f
      return t
    }
    r: f64[k, n] = update p x i
    s: f64[k, n] = update q y i
    return r s
  }
  return a b
}
"""
    assert agree(two, np.array([0.3, -1.0]), 4) == 2


@pytest.mark.parametrize(
    ("old", "place", "count", "scratch"),
    [
        ("at to", "at to", "w", 1),
        ("i j", "i j", "w", 1),
        ("at j", "at j", "w", 1),
        ("at to", "at j", "w", 0),
        ("at 0", "at 0", "w", 0),
        ("at to", "at to", "2", 0),
    ],
)
@pytest.mark.parametrize("fill", ["0.0", "1.5"])
def test_places_that_are_turned_round(old: str, place: str, count: str, scratch: int, fill: str) -> None:
    text = ROUND.replace("OLD", old).replace("PLACE", place).replace("COUNT", count).replace("FILL", fill)
    assert agree(text, np.arange(15.0).reshape(5, 3)) == scratch


def test_the_same_counter_twice_is_the_diagonal() -> None:
    text = ROUND.replace("OLD", "i i").replace("PLACE", "i i").replace("COUNT", "w").replace("FILL", "0.0")
    assert agree(text, np.arange(9.0).reshape(3, 3)) == 0


@pytest.mark.parametrize(
    ("size", "last", "scratch"),
    [
        ("longer: i64 = add k 1", "b: f64[longer, n] = update a y k", 1),
        ("longer: i64 = add k 2", "b: f64[longer, n] = update a y k", 0),
        ("longer: i64 = add k 1", "b: f64[longer, n] = update a y 0", 0),
        ("longer: i64 = add k 1", "b: f64[longer, n] = accumulate a y k", 0),
        ("longer: i64 = add k 1", "c: f64 = index a k 0\n b: f64[longer, n] = update a y k", 0),
    ],
)
def test_a_row_that_is_written_behind_the_loop(size: str, last: str, scratch: int) -> None:
    text = f"""
def states(x: f64[n], k: i64) {{
  {size}
  z: f64[longer, n] = replicate 0.0 longer n
  y: f64[n], a: f64[longer, n] = for k [x z] (i: i64, s: f64[n], p: f64[longer, n]) {{
    q: f64[longer, n] = update p s i
    t: f64[n] = map n (j: i64) {{
      e: f64 = index s j
      g: f64 = sin e
      return g
    }}
    return t q
  }}
  {last}
  return b
}}
"""
    for k in (0, 1, 4):
        assert agree(text, np.array([0.3, -1.0]), k) == scratch
