"""Rows that iterations write c at a time are groups of rows, one for each iteration; all else stays."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.check import check
from tapeless.ir.core import Apply, For, Map
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.walk import statements
from tapeless.passes import groups, pipeline
from tapeless.passes.notes import Notes

assert pipeline  # registers the operations

PAIRS = """
def pairs(x: f64[n], s: i64) {
  m: i64 = mul n 2
  z: f64[m, 3] = replicate 0.5 m 3
  a: f64[m, 3] = for n [z] (i: i64, a1: f64[m, 3]) {
    v: f64 = index x i
    p: i64 = mul i 2
    q: i64 = add p 1
    a2: f64[m, 3] = update a1 v p 1
    w: f64 = index a2 p 0
    u: f64 = add w v
    a3: f64[m, 3] = update a2 u q 2
    return a3
  }
  return a
}
"""
TRIPLES = """
def triples(x: f64[4], s: i64) {
  z: f64[12] = replicate 0.0 12
  a: f64[12] = for 4 [z] (i: i64, a1: f64[12]) {
    v: f64 = index x i
    b: f64[12] = for 2 [a1] (r: i64, b1: f64[12]) {
      p: i64 = mul 3 i
      q: i64 = add r p
      b2: f64[12] = update b1 v q
      return b2
    }
    big: bool = gt v 0.5
    c: f64[12] = if big {
      e: i64 = mul i 3
      f: i64 = add e 2
      c1: f64[12] = accumulate b v f
      return c1
    } else {
      return b
    }
    h: f64 = reduce 3 [0.0] (l: f64, k: f64) {
      t: f64 = add l k
      return t
    } (j: i64) {
      y: f64 = index x j
      return y
    }
    return c
  }
  return a
}
"""


def _is_in_groups(text: str) -> bool:
    after = groups.run(parse_function(text), Notes())
    check(after)
    return any(isinstance(stm.expr, Apply) and stm.expr.op == "reshape" for stm in statements(after.body))


def _grouped(text: str) -> bool:
    """Are there groups? The meaning is compared in any case."""
    before = parse_function(text)
    after = groups.run(before, Notes())
    size = 4 if "triples" in text else 5
    arguments = [np.linspace(0.0, 1.0, size), 1]
    for x, y in zip(evaluate(before, arguments), evaluate(after, arguments), strict=True):
        np.testing.assert_array_equal(x, y)
    return _is_in_groups(text)


def _with(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize("text", [PAIRS, TRIPLES])
def test_groups(text):
    assert _grouped(text)


READ = """reduce 2 [0.0] (l: f64, k: f64) {
      t: f64 = add l k
      return t
    } (j: i64) {
      j1: i64 = add p j
      y: f64 = index a2 PLACE 0
      return y
    }"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("m: i64 = mul n 2", "m: i64 = mul 2 n"),
        ("p: i64 = mul i 2", "p: i64 = add i i"),
        ("update a2 u q 2", "accumulate a2 u q 2"),
        ("update a2 u q 2", "update a1 u q 2"),  # an older version is as good
        ("return a\n", "w0: f64 = index a 0 1\n  a9: f64[m, 3] = update a w0 0 0\n  return a9\n"),
        ("return a3\n", "d: f64 = index a3 q 1\n    a4: f64[m, 3] = update a3 d p 0\n    return a4\n"),
        ("u: f64 = add w v", "row: f64[3] = index a2 p\n    u: f64 = index row 0"),
        ("u: f64 = add w v", f"u: f64 = {READ.replace('PLACE', 'p')}"),
    ],
)
def test_other_spellings_of_pairs(old, new):
    assert _grouped(_with(PAIRS, old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("m: i64 = mul n 2", "m: i64 = mul n 4"),  # rows are left out
        ("m: i64 = mul n 2", "m: i64 = mul n 17"),
        ("m: i64 = mul n 2", "k: i64 = add n 1\n  m: i64 = mul k 2"),
        ("m: i64 = mul n 2", "k: i64 = max n 2\n  m: i64 = mul k k"),
        ("q: i64 = add p 1", "q: i64 = add p 0"),  # one row of each group alone
        ("p: i64 = mul i 2", "p: i64 = mul i 1"),
        ("w: f64 = index a2 p 0", "w: f64 = index a2 i 0"),
        ("w: f64 = index a2 p 0", "w: f64 = index a2 s 0"),
        ("u: f64 = add w v", f"u: f64 = {READ.replace('PLACE', 'j1')}"),  # a counter that is not of a loop
        ("u: f64 = add w v", "part: f64[2, 3] = slice a2 0 2 1\n    u: f64 = index part 0 0"),
        ("return a3", "return z"),
    ],
)
def test_other_loops_over_pairs_stay(old, new):
    assert not _grouped(_with(PAIRS, old, new))


@pytest.mark.parametrize("offset", ["2", "-1", "s"])
def test_rows_of_another_group_stay(offset):
    assert not _is_in_groups(_with(PAIRS, "q: i64 = add p 1", f"q: i64 = add p {offset}"))


BESIDE = """
def beside(x: f64[n], s: i64) {
  m: i64 = mul n 2
  z: f64[m] = replicate 0.5 m
  b0: f64[m] = replicate 0.25 m
  a: f64[m], b: f64[m] = for n [z b0] (i: i64, a1: f64[m], b1: f64[m]) {
    v: f64 = index x i
    p: i64 = mul i 2
    q: i64 = add p 1
    a2: f64[m] = update a1 v p
    a3: f64[m] = update a2 v q
    b2: f64[m] = update b1 v p
    b3: f64[m] = update b2 v q
    return RESULTS
  }
  return a b
}
"""


def test_several_arrays_in_one_loop():
    assert _grouped(BESIDE.replace("RESULTS", "a3 b3"))
    after = groups.run(parse_function(BESIDE.replace("RESULTS", "a3 b3")), Notes())
    (loop,) = (stm for stm in after.body.stms if isinstance(stm.expr, For))
    assert [var.type.rank for var in loop.vars] == [2, 2]


@pytest.mark.parametrize("results", ["b3 a3", "a3 a3", "b3 b3"])
def test_arrays_that_change_places_stay(results):
    assert not _grouped(BESIDE.replace("RESULTS", results))


INSIDE = """
def inside(x: f64[n], s: i64) {
  m: i64 = mul n 2
  z: f64[m] = replicate 0.5 m
  a: f64[m], t: f64 = for n [z 0.0] (i: i64, a1: f64[m], t1: f64) {
    v: f64 = index x i
    p: i64 = mul i 2
    q: i64 = add p 1
    a2: f64[m] = update a1 v p
    a3: f64[m] = update a2 v q
    FORM
    u: f64 = index b p
    t2: f64 = add t1 u
    return a3 t2
  }
  return a t
}
"""


@pytest.mark.parametrize(
    "form",
    [
        "b: f64[m] = for 3 [z] (j: i64, b1: f64[m]) {\n b2: f64[m] = update a3 1.5 p\n return b2\n }",
        "w: f64[3, m] = map 3 (j: i64) {\n b2: f64[m] = update a3 1.5 p\n return b2\n }\n b: f64[m] = index w 1",
        "b: f64[m] = while [z] (b1: f64[m]) {\n y: f64 = index b1 p\n c: bool = lt y 1.0\n return c\n }"
        " (b3: f64[m]) {\n b2: f64[m] = update a3 1.5 p\n return b2\n }",
    ],
)
def test_versions_that_leave_a_form_inside_stay(form):
    assert not _grouped(INSIDE.replace("FORM", form))


LATE = ("return c1\n    } else {\n      return b\n", "return c1\n    } else {\n      return z\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("for 2 [a1]", "for 3 [a1]"),
        ("q: i64 = add r p", "m: i64 = sub 1 r\n      q: i64 = add m p"),
        ("add e 2", "add e 2\n      g: f64 = index b e"),
        ("return b2", "return a1"),  # no row is left written, but all are written
    ],
)
def test_other_spellings_of_triples(old, new):
    assert _grouped(_with(TRIPLES, old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("add e 2", "add e 1"),
        ("return b2", "return z"),
        ("for 2 [a1]", "for s [a1]"),
        ("mul 3 i", "mul i i"),
        LATE,
    ],
)
def test_other_loops_over_triples_stay(old, new):
    assert not _grouped(_with(TRIPLES, old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("for 2 [a1]", "for 4 [a1]"),
        ("q: i64 = add r p", "m: i64 = sub 0 r\n      q: i64 = add m p"),
        ("mul 3 i", "mul 2 i"),
    ],
)
def test_loops_inside_that_leave_the_group_stay(old, new):
    assert not _is_in_groups(_with(TRIPLES, old, new))


def residuals(x, weights):
    out = np.empty((2 * len(weights), 3))
    for i in range(len(weights)):
        for row in range(2):
            out[2 * i + row, 0] = weights[i] * x[i, row] ** 2
            out[2 * i + row, 1:] = x[i] * np.sin(weights[i]) + row
    return out


def test_such_loops_are_maps():
    rng = np.random.default_rng(0)
    x, weights = rng.normal(size=(7, 2)), rng.normal(size=7)
    compiled = tp.jit(residuals)
    np.testing.assert_allclose(compiled(x, weights), residuals(x, weights), rtol=1e-14)
    assert "groups of 2" in compiled.explain(x, weights)
    assert any(isinstance(stm.expr, Map) for stm in statements(parse_function(compiled.show("ir", x, weights)).body))
    assert compiled(np.empty((0, 2)), np.empty(0)).shape == (0, 3)


def test_such_loops_have_derivatives():
    rng = np.random.default_rng(1)
    x, weights = rng.normal(size=(7, 2)), rng.normal(size=7)
    tp.testing.check_grads(lambda x, weights: np.sum(residuals(x, weights) ** 2), x, weights)
