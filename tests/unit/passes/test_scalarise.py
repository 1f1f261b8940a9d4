"""Small arrays become scalars: through every operation and form, and only when that saves memory traffic."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tapeless.ir.text import parse_function, print_function
from tapeless.ir.walk import canonical
from tapeless.passes import scalarise, simplify, unroll
from tapeless.passes.notes import Notes
from tapeless.testing.generate import random_program

from .small_programs import ARM, arrays, kinds, optimised, with_lines
from .small_random import small_array_program

GOLDEN = Path(__file__).parents[2] / "golden" / "passes" / "scalarise_arm.ir"
X = np.array([0.5, -1.25, 2.0])


def _scalarised(text, args, *passes):
    """After the pass; and no array is left but parameters, and results of the function."""
    function = optimised(text, args, scalarise, *passes)
    left = [var.name for var in arrays(function.body) if var not in function.body.results]
    assert not left, print_function(function)
    return function


def test_an_update_and_a_read():
    function = _scalarised(
        """
def f(x: f64, y: f64) {
  a: f64[2] = stack x y
  s: f64 = add x y
  b: f64[2] = update a s 1
  p: f64 = index b 0
  q: f64 = index b 1
  r: f64 = mul p q
  return r
}
""",
        [np.float64(3.0), np.float64(-4.0)],
    )
    assert print_function(canonical(function)) == (
        "def f(x.0: f64, y.1: f64) {\n  s.2: f64 = add x.0 y.1\n  r.3: f64 = mul x.0 s.2\n  return r.3\n}\n"
    )


MOVES = {
    "slice": "b: f64[2, 2] = slice a 1 2 -1 0 2 2",
    "transpose": "b: f64[3, 2] = transpose[1, 0] a",
    "reshape": "b: f64[3, 2] = reshape a 3 2",
    "replicate": "c: f64[2] = stack x y\n  b: f64[3, 2] = replicate c 3",
    "concat": "b: f64[2, 6] = concat[1] a a 6",
    "row": "c: f64[3] = index a 1\n  d: f64[3] = update c y 2\n  b: f64[2, 3] = update a d 0",
    "accumulate": "b: f64[2, 3] = accumulate a y 1 1",
    "accumulate a row": "c: f64[3] = index a 1\n  b: f64[2, 3] = accumulate a c 0",
    "update_slice": "c: f64[2, 1] = reshape e 2 1\n  b: f64[2, 3] = update_slice a c 0 1 2 1",
    "stack": "c: f64[3] = index a 1\n  d: f64[3] = index a 0\n  b: f64[2, 3] = stack c d",
}


@pytest.mark.parametrize("move", MOVES)
def test_operations_that_move_elements(move):
    text = f"""
def f(x: f64, y: f64) {{
  z: f64 = mul x y
  e: f64[2] = stack z y
  o: f64[3] = stack x y z
  p: f64[3] = stack y 1.0 -0.0
  a: f64[2, 3] = stack o p
  {MOVES[move]}
  u: f64 = index b 0 0
  v: f64 = index b 1 1
  w: f64 = index b 0 1
  return u v w b
}}
"""
    _scalarised(text.replace("return u v w b", "return u v w"), [np.float64(3.0), np.float64(-4.0)])
    optimised(text, [np.float64(3.0), np.float64(-4.0)], scalarise)


def test_counting():
    function = _scalarised(
        """
def f() {
  a: i64[3] = iota 3
  b: i64[3] = update a 7 1
  x: i64 = index b 1
  y: i64 = index b 2
  return x y
}
""",
        [],
    )
    assert not function.body.stms


def test_a_branch_hands_on_elements():
    text = """
def f(c: bool, x: f64[n], i: i64) {
  a: f64[2] = replicate 0.0 2
  r: f64[2] = if c {
    u: f64 = index x i
    v: f64 = exp u
    b: f64[2] = update a v 0
    return b
  } else {
    return a
  }
  p: f64 = index r 0
  q: f64 = index r 1
  return p q
}
"""
    for cond in (True, False):
        function = _scalarised(text, [np.bool_(cond), X, np.int64(1)], simplify)
        assert kinds(function.body) == ["if", "index", "exp"]
        assert function.body.results[1] == parse_function("def f() {\n  return 0.0\n}").body.results[0]


def test_loops_carry_elements():
    text = """
def f(n: i64, x: f64) {
  a: f64[2] = stack x 1.0
  b: f64[2] = for n [a] (i: i64, s: f64[2]) {
    p: f64 = index s 0
    q: f64 = index s 1
    u: f64 = add p q
    t: f64[2] = update s q 0
    w: f64[2] = update t u 1
    return w
  }
  c: f64[2] = while [b] (s2: f64[2]) {
    v: f64 = index s2 0
    go: bool = gt v 10.0
    return go
  } (s3: f64[2]) {
    y: f64 = index s3 0
    z: f64 = mul y 0.5
    e: f64[2] = update s3 z 0
    return e
  }
  g: f64 = index c 0
  h: f64 = index c 1
  return g h
}
"""
    for n in (0, 1, 7):
        function = _scalarised(text, [np.int64(n), np.float64(2.0)])
        assert len(function.body.stms[0].expr.init) == 2


def test_reductions_over_small_arrays():
    _scalarised(
        """
def f(x: f64[n, 2]) {
  z: f64[2] = replicate 0.0 2
  m: f64[2] = reduce n [z] (a: f64[2], b: f64[2]) {
    a0: f64 = index a 0
    a1: f64 = index a 1
    b0: f64 = index b 0
    b1: f64 = index b 1
    s: f64 = add a0 b0
    t: f64 = add a1 b1
    c: f64[2] = stack s t
    return c
  } (i: i64) {
    u: f64 = index x i 0
    v: f64 = index x i 1
    w: f64[2] = stack u v
    return w
  }
  p: f64 = index m 0
  q: f64 = index m 1
  return p q
}
""",
        [np.arange(10.0).reshape(5, 2)],
    )


STAYS = {
    "read at a variable": "b: f64[3] = update a y 1\n  u: f64 = index b i\n  v: f64 = index b 0",
    "written at a variable": "b: f64[3] = update a y i\n  u: f64 = index b 0\n  v: f64 = index b 1",
    "one write into memory": "b: f64[3] = update x y 0\n  u: f64[3] = argsort b\n  v: f64 = index b 0",
    "no access": "b: f64[3] = replicate y 3\n  u: i64[3] = argsort b\n  v: f64 = add y y",
}


@pytest.mark.parametrize("case", STAYS)
def test_arrays_that_stay(case):
    text = f"""
def f(x: f64[3], y: f64, i: i64) {{
  a: f64[3] = stack y 1.0 y
  {STAYS[case].replace("u: f64[3]", "u: i64[3]")}
  return u v
}}
"""
    function = parse_function(text)
    assert scalarise.run(function, Notes()) is function
    optimised(text, [X, np.float64(2.0), np.int64(2)], scalarise)


def test_a_literal_index_out_of_range_is_left_alone():
    """Such code is never reached: a check fails before it."""
    text = """
def f(y: f64) {
  a: f64[2] = stack y 1.0
  check bounds 2 2
  u: f64 = index a 2
  v: f64 = index a 0
  return u v
}
"""
    optimised(text, [np.float64(2.0)], scalarise)


def test_a_versions_dynamic_access_keeps_all_versions_in_memory():
    text = """
def f(n: i64, y: f64) {
  a: f64[4] = replicate 0.0 4
  b: f64[4] = for n [a] (i: i64, s: f64[4]) {
    k: i64 = mod i 4
    t: f64[4] = update s y k
    u: f64[4] = update t y 0
    return u
  }
  r: f64 = index b 0
  return r
}
"""
    function = parse_function(text)
    assert scalarise.run(function, Notes()) is function


def test_an_array_that_escapes_is_stacked_where_it_does():
    function = optimised(
        """
def f(x: f64[n, 3]) {
  y: f64[n, 3] = map n (i: i64) {
    row: f64[3] = index x i
    p: f64 = index row 0
    q: f64 = exp p
    a: f64[3] = replicate q 3
    b: f64[3] = update a p 0
    r: f64 = index b 1
    s: f64 = mul r p
    c: f64[3] = update b s 2
    return c
  }
  return y
}
""",
        [np.arange(12.0).reshape(4, 3)],
        scalarise,
    )
    assert kinds(function.body) == ["map", "index", "exp", "mul", "stack"]


@pytest.mark.parametrize(("count", "kept"), [(36, False), (37, True)])
def test_few_values_are_carried_through_loops(count, kept):
    text = f"""
def f(n: i64) {{
  a: f64[{count}] = replicate 1.0 {count}
  b: f64[{count}] = for n [a] (i: i64, s: f64[{count}]) {{
    p: f64 = index s 0
    q: f64 = mul p 0.5
    t: f64[{count}] = update s q 0
    return t
  }}
  r: f64 = index b 0
  return r
}}
"""
    function = optimised(text, [np.int64(3)], scalarise)
    assert any(var.type.shape for var in arrays(function.body)) == kept


def test_a_size_read_from_a_small_array():
    optimised(
        """
def f(k: i64) {
  a: i64[2] = stack k 3
  b: i64[2] = update a 2 1
  n: i64 = index b 0
  m: i64 = index b 1
  x: f64[n, m] = replicate 0.5 n m
  return n m x
}
""",
        [np.int64(4)],
        scalarise,
    )


def test_the_arm_has_no_array_left(update_golden):
    notes = Notes()
    angles = np.linspace(-2, 2, 12).reshape(4, 3)
    function = with_lines(parse_function(ARM))
    function = optimised(function, [angles], simplify, unroll, scalarise, simplify, notes=notes)
    assert kinds(function.body)[0] == "map"
    assert kinds(function.body)[-1] == "stack"
    assert len(list(arrays(function.body))) == 2
    assert "2 scalars" in [note.decision for note in notes.about("array")]
    text = print_function(canonical(function))
    if update_golden:
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed):
    function, args = random_program(seed)
    optimised(function, args, simplify, scalarise, unroll, scalarise, simplify)


@pytest.mark.parametrize("seed", range(80))
def test_random_small_arrays(seed):
    function, args = small_array_program(seed)
    optimised(function, args, scalarise, simplify, unroll, scalarise, simplify)


def test_a_sum_of_small_arrays_that_is_read_at_any_index_afterwards():
    function = optimised(
        """
def f(x: f64[n], k: i64) {
  z: f64[2] = stack 0.0 0.0
  s: f64[2] = reduce n [z] (a: f64[2], b: f64[2]) {
    p: f64 = index a 0
    q: f64 = index b 0
    r: f64 = add p q
    t: f64 = index a 1
    u: f64 = index b 1
    v: f64 = add t u
    c: f64[2] = stack r v
    return c
  } (i: i64) {
    e: f64 = index x i
    g: f64 = mul e e
    h: f64[2] = stack e g
    return h
  }
  y: f64 = index s k
  return y s
}
""",
        [X, np.int64(1)],
        scalarise,
    )
    assert kinds(function.body).count("stack") == 1
    assert [stm.vars[0].type.rank for stm in function.body.stms[:1]] == [0]
