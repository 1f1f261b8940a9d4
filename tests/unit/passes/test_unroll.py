"""Unrolling: what is unrolled, what is not, and that the meaning stays."""

from __future__ import annotations

import numpy as np
import pytest

from tapeless.ir.text import parse_function, print_function
from tapeless.ir.walk import canonical, statements
from tapeless.passes import simplify, unroll
from tapeless.passes.notes import Notes
from tapeless.testing.generate import random_program

from .small_programs import ARM, kinds, optimised, with_lines

LOOPS = {"for", "map", "reduce", "scan"}


def _loops(function):
    return [kind for kind in kinds(function.body) if kind in LOOPS]


def test_a_loop_becomes_its_iterations_in_order():
    function = optimised(
        """
def f(x: f64) {
  r: f64 = for 3 [x] (i: i64, a: f64) {
    c: f64 = convert[f64] i
    s: f64 = sub a c
    t: f64 = mul s s
    return t
  }
  return r
}
""",
        [np.float64(1.5)],
        unroll,
    )
    assert print_function(canonical(function)) == (
        "def f(x.0: f64) {\n"
        "  t.1: f64 = mul x.0 x.0\n"
        "  s.2: f64 = sub t.1 1.0\n"
        "  t.3: f64 = mul s.2 s.2\n"
        "  s.4: f64 = sub t.3 2.0\n"
        "  t.5: f64 = mul s.4 s.4\n"
        "  return t.5\n"
        "}\n"
    )


def test_a_map_becomes_a_stack():
    function = optimised(
        """
def f(x: f64[3]) {
  y: f64[3] = map 3 (i: i64) {
    a: f64 = index x i
    b: f64 = mul a a
    return b
  }
  return y
}
""",
        [np.array([1.0, 2.0, -3.0])],
        unroll,
    )
    assert kinds(function.body) == ["index", "mul"] * 3 + ["stack"]


def test_a_nest_is_unrolled_as_a_whole_and_says_so():
    notes = Notes()
    angles = np.linspace(-2, 2, 12).reshape(4, 3)
    function = optimised(with_lines(parse_function(ARM)), [angles], simplify, unroll, notes=notes)
    assert _loops(function) == ["map"]
    assert "check" not in kinds(function.body)
    assert [note.decision for note in notes.about("loop")] == [f"unrolled {k} times" for k in (2, 2, 3, 2, 2)]


def test_counts_that_depend_on_outer_counters():
    """A triangle is unrolled when the whole of it is small."""
    program = """
def f(x: f64[n, %d]) {
  y: f64[n] = map n (i: i64) {
    s: f64 = for %d [0.0] (r: i64, a: f64) {
      t: f64 = for r [a] (c: i64, b: f64) {
        u: f64 = index x i r
        v: f64 = index x i c
        w: f64 = mul u v
        e: f64 = add b w
        return e
      }
      return t
    }
    return s
  }
  return y
}
"""
    for size, loops in ((4, ["map"]), (16, ["map", "for", "for"])):
        x = np.arange(2.0 * size).reshape(2, size)
        assert _loops(optimised(program % (size, size), [x], unroll)) == loops


INNER = """
def f(p: f64[n, 8], c: f64[%d, 8]) {
  y: f64[n] = map n (i: i64) {
    m: f64 = reduce %d [+inf] (a: f64, b: f64) {
      l: f64 = min a b
      return l
    } (k: i64) {
      s: f64 = reduce 8 [0.0] (a2: f64, b2: f64) {
        t: f64 = add a2 b2
        return t
      } (d: i64) {
        u: f64 = index p i d
        v: f64 = index c k d
        w: f64 = sub u v
        z: f64 = mul w w
        return z
      }
      return s
    }
    return m
  }
  return y
}
"""


@pytest.mark.parametrize(("centres", "loops"), [(3, ["map"]), (10, ["map", "reduce"])])
def test_the_budget_stops_at_the_outer_loop(centres, loops):
    rng = np.random.default_rng(0)
    args = [rng.normal(size=(5, 8)), rng.normal(size=(centres, 8))]
    assert _loops(optimised(INNER % (centres, centres), args, unroll)) == loops


SUM = """
def f(x: f64[%(n)s]) {
  s: f64 = %(form)s %(n)s [0.0] %(rest)s
  return s
}
"""
REDUCE = "(a: f64, b: f64) {\n c: f64 = add a b\n return c\n } (i: i64) {\n d: f64 = index x i\n return d\n }"
FOR = "(i: i64, a: f64) {\n d: f64 = index x i\n c: f64 = add a d\n return c\n }"


@pytest.mark.parametrize(
    ("form", "rest", "trips", "stays"),
    [
        ("for", FOR, 16, False), ("for", FOR, 17, True), ("for", FOR, 1, False), ("for", FOR, 0, False),
        ("reduce", REDUCE, 8, False), ("reduce", REDUCE, 9, True), ("reduce", REDUCE, 1, False),
    ],
)  # fmt: skip
def test_trip_counts(form, rest, trips, stays):
    """Outside every loop, parallel operators are left to vectors earlier than loops."""
    text = SUM % {"n": trips, "form": form, "rest": rest}
    function = optimised(text, [np.arange(float(trips))], unroll)
    assert _loops(function) == ([form] if stays else [])


@pytest.mark.parametrize("form", ["map", "scan 0 [0.0]"])
def test_nothing_to_run(form):
    body = "(i: i64) {\n d: f64 = index x i\n return d\n }"
    op = "(a: f64, b: f64) {\n c: f64 = add a b\n return c\n } " if "scan" in form else ""
    head = form if "scan" in form else "map 0"
    function = optimised(f"def f(x: f64[0]) {{\n y: f64[0] = {head} {op}{body}\n return y\n}}", [np.zeros(0)], unroll)
    assert function.body.results[0].type.shape[0].value == 0


def test_an_empty_reduction():
    optimised(SUM % {"n": 0, "form": "reduce", "rest": REDUCE}, [np.zeros(0)], unroll, simplify)


def test_long_and_unbounded_loops_stay():
    function = optimised(
        """
def f(x: f64[n], k: i64) {
  s: f64 = for 4 [0.0] (i: i64, a: f64) {
    t: f64 = for n [a] (j: i64, b: f64) {
      u: f64 = index x j
      v: f64 = add b u
      return v
    }
    return t
  }
  w: f64 = for 4 [s] (i2: i64, a2: f64) {
    z: f64 = while [a2] (q: f64) {
      c: bool = gt q 1.0
      return c
    } (q2: f64) {
      h: f64 = mul q2 0.5
      return h
    }
    return z
  }
  return w
}
""",
        [np.arange(5.0), np.int64(3)],
        unroll,
    )
    assert _loops(function) == ["for", "for", "for"]


def test_growth_of_a_function_is_bounded():
    nest = """
  r{k}: f64 = for 12 [{k}.5] (i{k}: i64, a{k}: f64) {{
    e{k}: f64 = exp a{k}
    l{k}: f64 = sub x e{k}
    return l{k}
  }}"""
    count = 40
    body = "".join(nest.format(k=k) for k in range(count))
    results = " ".join(f"r{k}" for k in range(count))
    function = optimised(f"def f(x: f64) {{{body}\n  return {results}\n}}", [np.float64(0.1)], unroll)
    assert 5 < count - len(_loops(function)) < count
    assert sum(1 for _ in statements(function.body)) < unroll.GROWTH


def test_checks_inside_keep_their_order():
    text = """
def f(x: f64[3], n: i64) {
  s: f64 = for 3 [0.0] (i: i64, a: f64) {
    check bounds i n
    d: f64 = index x i
    c: f64 = add a d
    return c
  }
  return s
}
"""
    for n in (2, 3):
        function = optimised(text, [np.arange(3.0), np.int64(n)], unroll)
        assert kinds(function.body).count("check") == 3


@pytest.mark.parametrize(("rows", "expected"), [(2, ["reduce", "reduce"]), (5, ["map", "reduce"])])
def test_a_few_sums_may_stay(rows, expected):
    text = f"""
def f(x: f64[{rows}, n]) {{
  y: f64[{rows}] = map {rows} (i: i64) {{
    s: f64 = reduce n [0.0] (a: f64, b: f64) {{
      c: f64 = add a b
      return c
    }} (j: i64) {{
      v: f64 = index x i j
      return v
    }}
    return s
  }}
  return y
}}
"""
    assert _loops(optimised(text, [np.ones((rows, 3))], unroll)) == expected


@pytest.mark.parametrize("seed", range(0, 60))
def test_random_programs(seed):
    function, args = random_program(seed)
    optimised(function, args, simplify, unroll)
