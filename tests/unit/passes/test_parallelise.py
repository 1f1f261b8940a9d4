"""Which loops become parallel, which stay loops, and what the notes say about both."""

from __future__ import annotations

import numpy as np
import pytest

from tapeless.ir.check import check
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.passes import parallelise, ranges, simplify
from tapeless.passes.notes import Notes

from .loop_programs import PARALLEL, SEQUENTIAL
from .small_programs import kinds, with_lines

FORMS = {"for", "while", "map", "reduce", "hist", "scan", "scatter"}
EXPECTED = {
    "conditional_sum": ["reduce"],
    "matrix_product": ["map", "map", "reduce"],
    "time_steps": ["for", "map", "map"],
    "first_smallest": ["reduce"],
    "histogram": ["map", "reduce", "hist"],
    "split_recurrence": ["for", "map"],
    "scratch_array": ["reduce", "map", "reduce"],
    "interior": ["map", "map"],
    "substitution": ["map", "for", "map"],
    "last_value": [],
    "rows_checked_inside": ["map", "for", "map"],
    "strided": ["map"],
    "reversed_writes": [],
    "row_maybe_absent": ["map"],
    "bin_maximum": ["hist"],
    "pair_forces": ["map", "hist", "hist"],
    "columns_of_rows": ["map"],
    "elimination": ["map", "map"],
    "guarded_interior": ["map", "map"],
    "all_positive": ["reduce"],
    "scratch_in_scratch": ["reduce", "reduce", "map", "reduce"],
}


def _parallelised(text, notes=None):
    notes = Notes() if notes is None else notes
    function = with_lines(parse_function(text))
    for step in (simplify, ranges, parallelise, simplify):
        function = step.run(function, notes)
    return function


@pytest.mark.parametrize("name", PARALLEL)
def test_parallel_loops(name):
    function = _parallelised(PARALLEL[name])
    assert [kind for kind in kinds(function.body) if kind in FORMS] == EXPECTED[name]


@pytest.mark.parametrize("name", SEQUENTIAL)
def test_loops_that_only_look_parallel_stay(name):
    notes = Notes()
    function = _parallelised(SEQUENTIAL[name], notes)
    assert "for" in kinds(function.body)
    (note,) = [note for note in notes.about("loop") if note.decision == "loop"]
    assert note.reason


def test_one_reason_is_looked_for_however_much_a_loop_carries(monkeypatch):
    """It goes over the whole body: for each of what a filter of six states carries that was half of compiling it."""
    looked: list[str] = []
    monkeypatch.setattr(parallelise, "_recurrence", lambda param, _result, _block: looked.append(param.name) or "why")
    names = [f"a{k}" for k in range(12)]
    turned = [*names[1:], names[0]]
    body = "\n".join(f"    {x}n: f64 = mul {x}p {y}p" for x, y in zip(names, turned, strict=True))
    notes = Notes()
    _parallelised(
        f"""
def turned(m: i64) {{
  {", ".join(f"{x}: f64" for x in names)} = for m [{" ".join("0.5" for _ in names)}] (i: i64, {
            ", ".join(f"{x}p: f64" for x in names)
        }) {{
{body}
    return {" ".join(f"{x}n" for x in names)}
  }}
  return {" ".join(names)}
}}
""",
        notes,
    )
    assert len(looked) == 1
    assert [note.reason for note in notes.about("loop")] == ["why"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("previous_element", "an earlier iteration is read (1 away)"),
        ("sum_then_scale", "a linear recurrence on its previous value"),
        ("swapped_arrays", "the next array is made from the previous one"),
        ("two_elements_each", "is written (1 away)"),
        ("scattered_writes", "computed in the loop"),
    ],
)
def test_the_note_says_why_a_loop_stays(name, words):
    notes = Notes()
    _parallelised(SEQUENTIAL[name], notes)
    assert any(words in note.reason for note in notes.about("loop")), [str(note) for note in notes]


def test_notes_stand_at_the_line_of_the_loop():
    notes = Notes()
    _parallelised(PARALLEL["conditional_sum"], notes)
    (note,) = notes.about("loop")
    assert (note.line, note.decision) == (2, "reduce")
    assert str(note) == "line 2: loop: reduce (iterations are independent)"


def test_a_split_loop_is_noted_as_both():
    notes = Notes()
    _parallelised(PARALLEL["split_recurrence"], notes)
    (note,) = notes.about("loop")
    assert note.decision == "loop and map"
    assert "linear recurrence" in note.reason


def test_a_quadratic_recurrence_is_not_called_linear():
    notes = Notes()
    _parallelised(
        """
def logistic(x: f64, n: i64) {
  y: f64 = for n [x] (i: i64, x1: f64) {
    a: f64 = mul 3.7 x1
    b: f64 = sub 1.0 x1
    c: f64 = mul a b
    return c
  }
  return y
}
""",
        notes,
    )
    (note,) = notes.about("loop")
    assert "linear" not in note.reason


def test_a_sum_that_starts_at_zero_has_no_addition_after_it():
    function = _parallelised(PARALLEL["conditional_sum"])
    assert kinds(function.body)[-1] != "add"


@pytest.mark.parametrize("start", ["-0.0", "0.0", "2.5"])
def test_sums_keep_the_sign_of_zero(start):
    text = f"""
def total(x: f64[n]) {{
  s: f64 = for n [{start}] (i: i64, a: f64) {{
    v: f64 = index x i
    b: f64 = add a v
    return b
  }}
  return s
}}
"""
    function = _parallelised(text)
    assert "reduce" in kinds(function.body)
    for values in ([], [-0.0], [0.0], [-0.0, -0.0], [0.0, -0.0]):
        (before,), (after,) = (evaluate(f, [np.array(values)]) for f in (parse_function(text), function))
        assert np.signbit(before) == np.signbit(after)
        assert before == after


def test_the_first_smallest_ignores_nan_and_keeps_the_first_of_equals():
    function = _parallelised(PARALLEL["first_smallest"])
    x = np.array([np.nan, 2.0, -0.0, 0.0, np.nan])
    assert [float(v) for v in evaluate(function, [x])] == [0.0, 2.0]
    assert np.signbit(evaluate(function, [x])[0])
    assert evaluate(function, [np.array([np.nan])]) == [1e300, -1]


def test_induction_variables_are_not_carried():
    function = _parallelised(
        """
def f(a0: f64[n], x: f64[n]) {
  p: i64, a: f64[n] = for n [3 a0] (i: i64, p1: i64, a1: f64[n]) {
    d: i64 = sub p1 3
    v: f64 = index x d
    a2: f64[n] = update a1 v d
    p2: i64 = add p1 1
    return p2 a2
  }
  return p a
}
"""
    )
    assert "for" not in kinds(function.body)
    x = np.arange(4.0)
    p, a = evaluate(function, [np.zeros(4), x])
    assert p == 7
    assert (a == x).all()


def test_what_reads_an_array_that_needs_the_loop_is_not_split_off():
    """The element just written does not depend on earlier iterations, but is read from an array that does."""
    function = parse_function(
        """
def f(a0: f64[n], o0: f64[n], y: f64[n]) {
  s: f64, a: f64[n], o: f64[n] = for n [1.0 a0 o0] (i: i64, s1: f64, a1: f64[n], o1: f64[n]) {
    v: f64 = index y i
    c: bool = lt v 0.5
    a2: f64[n] = if c {
      v2: f64 = sin v
      v3: f64 = exp v2
      b1: f64[n] = update a1 v3 i
      return b1
    } else {
      v4: f64 = cos v
      b2: f64[n] = update a1 v4 i
      return b2
    }
    r: f64 = index a2 i
    a3: f64[n] = update a2 s1 i
    t: f64 = mul s1 s1
    s2: f64 = add t v
    o2: f64[n] = update o1 r i
    return s2 a3 o2
  }
  return s a o
}
"""
    )
    made = parallelise.run(function, Notes())
    check(made)
    args = [np.zeros(4), np.ones(4), np.array([0.25, 0.75, 0.0, 1.0])]
    for before, after in zip(evaluate(function, args), evaluate(made, args), strict=True):
        assert np.array_equal(before, after)


def test_what_one_array_is_given_may_be_read_from_another_that_changes_too():
    """The element that p gets is read from q, which is cleared there afterwards."""
    text = """def moved(a: f64[n], b: f64[n]) {
  t: f64[n], s: f64[n] = for n [a b] (turn: i64, p: f64[n], q: f64[n]) {
    k: i64 = add n -1
    i: i64 = sub k turn
    w: f64 = index q i
    q2: f64[n] = update q 0.0 i
    p2: f64[n] = update p w i
    return p2 q2
  }
  return t s
}"""
    function = simplify.run(parse_function(text), Notes())
    parallel = parallelise.run(function, Notes())
    check(parallel)
    assert "for" not in kinds(parallel.body)
    first, second = evaluate(parallel, [np.zeros(3), np.array([1.0, 2.0, 3.0])])
    np.testing.assert_array_equal(first, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(second, [0.0, 0.0, 0.0])


def test_what_would_be_computed_twice_is_not_split_off():
    """One map makes what the recurrence needs, and what could leave the loop: most of it would be in both."""
    text = """
def f(x: f64[n, m], y0: f64[n]) {
  s: f64, y: f64[n] = for n [1.0 y0] (i: i64, a: f64, y1: f64[n]) {
    u: f64[m], w: f64[m] = map m (j: i64) {
      v: f64 = index x i j
      e: f64 = sin v
      g: f64 = exp e
      h: f64 = mul g 2.0
      return g h
    }
    p: f64 = reduce m [0.0] (q1: f64, q2: f64) {
      q3: f64 = add q1 q2
      return q3
    } (k: i64) {
      q4: f64 = index u k
      return q4
    }
    r: f64 = reduce m [0.0] (q5: f64, q6: f64) {
      q7: f64 = add q5 q6
      return q7
    } (k2: i64) {
      q8: f64 = index w k2
      return q8
    }
    b: f64 = mul a a
    c: f64 = add b p
    y2: f64[n] = update y1 r i
    return c y2
  }
  return s y
}
"""
    notes = Notes()
    function = _parallelised(text, notes)
    assert [note.decision for note in notes.about("loop")] == ["loop"]
    values = [np.linspace(-1, 1, 12).reshape(3, 4), np.zeros(3)]
    for found, expected in zip(evaluate(function, values), evaluate(parse_function(text), values), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)
