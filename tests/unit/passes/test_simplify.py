"""Simplification: exact on every special value, and what it makes of views, branches, loops and dead code."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest

from tapeless.ir.check import check
from tapeless.ir.core import Apply, If
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function, print_function
from tapeless.ir.walk import canonical
from tapeless.passes import simplify
from tapeless.passes.notes import Notes

from .small_programs import kinds

FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, math.inf, -math.inf, math.nan, 5e-324, -5e-324, 1.7e308, 1e-310]
INTS = [0, 1, -1, 2, 7, -8, 2**63 - 1, -(2**63)]

FLOAT_RULES = """
add x -0.0 | add -0.0 x | add x 0.0 | sub x 0.0 | sub x -0.0 | sub x x | mul x 1.0 | mul -1.0 x | mul x 0.0 | mul x 2.0
div x 1.0 | div x -1.0 | div x 4.0 | div x 3.0 | div x 1e-310
pow x 0.0 | pow x 1.0 | pow x 2.0 | pow x -1.0 | pow x 0.5
min x x | max x x | min x +inf | max x -inf | min x -inf | eq x x | ne x x | lt x x | ge x x | neg x | fmin x x
""".replace("\n", "|")
INT_RULES = """
add x 0 | sub x 0 | sub x x | sub 0 x | mul x 0 | mul x 1 | mul x -1 | floordiv x 1 | mod x 1 | mod x 0 | floordiv x 0
and x x | or x x | xor x x | and x 0 | or x 0 | xor x 0 | and x -1 | shl x 0 | shr x 64 | ipow x 0 | ipow x 2 | ipow x 3
eq x x | ne x x | lt x x | le x x | min x 9223372036854775807 | max x x | not x | abs x | sub x 3 | add 5 x
""".replace("\n", "|")


def _rules(text):
    return [rule.strip() for rule in text.split("|") if rule.strip()]


def _bits(value):
    return "nan" if np.isnan(value) else struct.pack("<d", value) if isinstance(value, np.floating) else value


def _one(rule, dtype):
    result = "bool" if rule.split()[0] in ("eq", "ne", "lt", "le", "gt", "ge") else dtype
    return parse_function(f"def f(x: {dtype}) {{\n  r: {result} = {rule}\n  return r\n}}")


@pytest.mark.parametrize("rule", _rules(FLOAT_RULES))
def test_float_identities_are_exact(rule):
    function = _one(rule, "f64")
    after = simplify.run(function, Notes())
    check(after)
    for value in FLOATS:
        args = [np.float64(value)]
        assert _bits(evaluate(function, args)[0]) == _bits(evaluate(after, args)[0]), value


@pytest.mark.parametrize("rule", _rules(INT_RULES))
def test_integer_identities_are_exact(rule):
    function = _one(rule, "i64")
    after = simplify.run(function, Notes())
    check(after)
    for value in INTS:
        args = [np.int64(value)]
        assert evaluate(function, args)[0] == evaluate(after, args)[0], value


@pytest.mark.parametrize(
    ("rule", "kept"),
    [("add x 0.0", 1), ("sub x 0.0", 0), ("mul x 0.0", 1), ("mul x 1.0", 0), ("sub x x", 1), ("min x +inf", 0)],
)
def test_identities_that_do_not_hold_for_floats_are_not_used(rule, kept):
    assert len(kinds(simplify.run(_one(rule, "f64"), Notes()).body)) == kept


def _simplified(text):
    function = simplify.run(parse_function(text), Notes())
    check(function)
    return function


def _text(text):
    return print_function(canonical(_simplified(text)))


def test_constants_fold_in_their_own_type():
    lines = ("a: i32 = add 2147483647i32 1i32", "b: f32 = div 1.0f32 3.0f32", "c: i64 = mod -7 3", "return a b c")
    text = "def f() {\n" + "\n".join(lines) + "\n}"
    assert "return -2147483648i32 0.3333333432674408f32 2" in _text(text)


@pytest.mark.parametrize(
    ("view", "read"),
    [
        ("v: f64[m] = slice x 2 m 3", "index x.1 t.5"),
        ("v: f64[m, n] = replicate y m n", "return y"),
        ("v: f64[m] = replicate y m", "return y"),
    ],
)
def test_elements_of_views_are_read_from_the_source(view, read):
    indices = "i i" if "[m, n]" in view else "i"
    text = f"def f(x: f64[n], y: f64, i: i64, m: i64) {{\n  {view}\n  e: f64 = index v {indices}\n  return e\n}}"
    assert read.split(".")[0] in _text(text)
    assert not {"slice", "replicate"} & set(kinds(_simplified(text).body))


def test_transposed_and_reshaped_elements():
    text = """
def f(x: f64[n, m], i: i64, j: i64) {
  t: f64[m, n] = transpose[1, 0] x
  u: f64[m, 1, n] = reshape t m 1 n
  e: f64 = index u j 0 i
  return e
}
"""
    assert kinds(_simplified(text).body) == ["index"]
    x = np.arange(12.0).reshape(3, 4)
    assert evaluate(_simplified(text), [x, 1, 2])[0] == x[1, 2]


def test_a_read_is_not_moved_before_the_write_of_a_large_array():
    text = """
def f(x: f64[n], v: f64, i: i64) {
  j: i64 = add i 1
  a: f64[n] = update x v i
  p: f64 = index a i
  q: f64 = index a j
  r: f64 = add p q
  return r a
}
"""
    body = kinds(_simplified(text).body)
    assert body == ["add", "update", "index", "add"]


def test_scratch_that_is_overwritten_is_not_carried():
    text = """
def f(x: f64[n], k: i64) {
  z: f64[n] = replicate 0.0 n
  s: f64, t: f64[n] = for k [0.0 z] (i: i64, a: f64, b: f64[n]) {
    c: f64[n] = map n (j: i64) {
      p: f64 = index x j
      q: f64 = mul p 2.0
      return q
    }
    d: f64 = index c 0
    e: f64 = mul a d
    return e c
  }
  return s
}
"""
    function = _simplified(text)
    assert "replicate" not in kinds(function.body)
    loop = next(stm for stm in function.body.stms if type(stm.expr).__name__ == "For")
    assert len(loop.vars) == 1


def test_checks_are_never_dead_but_what_surrounds_them_shrinks():
    text = """
def f(x: f64[n], k: i64) {
  s: f64, c: i64 = for k [0.0 0] (i: i64, a: f64, b: i64) {
    v: f64 = exp a
    check bounds b n
    d: i64 = add b 2
    return v d
  }
  return
}
"""
    assert kinds(_simplified(text).body) == ["for", "check", "add"]


def test_branches_on_literals_and_equal_arms():
    text = """
def f(x: f64, c: bool) {
  t: bool = or c True
  a: f64, b: f64 = if t {
    p: f64 = exp x
    return p x
  } else {
    return x x
  }
  return a b
}
"""
    assert kinds(_simplified(text).body) == ["exp"]


def test_cheap_branches_become_selections_and_dear_ones_do_not():
    text = """
def f(x: f64, c: bool) {
  a: f64 = if c {
    p: f64 = OP x
    return p
  } else {
    return x
  }
  return a
}
"""
    assert kinds(_simplified(text.replace("OP", "neg")).body) == ["neg", "select"]
    assert kinds(_simplified(text.replace("OP", "lgamma")).body)[0] == "if"


def test_loops_that_run_once_or_never():
    text = """
def f(x: f64) {
  a: f64 = for 0 [x] (i: i64, p: f64) {
    q: f64 = exp p
    return q
  }
  b: f64 = for 1 [a] (j: i64, r: f64) {
    s: f64 = sin r
    return s
  }
  return b
}
"""
    assert kinds(_simplified(text).body) == ["sin"]


def test_what_is_combined_of_nothing_is_the_neutral_element():
    text = """
def f(x: f64[n]) {
  s: f64 = reduce 0 [-0.0] (a: f64, b: f64) {
    c: f64 = add a b
    return c
  } (i: i64) {
    e: f64 = index x i
    return e
  }
  return s
}
"""
    function = _simplified(text)
    assert not function.body.stms
    assert _bits(evaluate(function, [np.ones(2)])[0]) == _bits(np.float64(-0.0))


def test_maps_that_copy_repeat_or_count():
    text = """
def f(x: f64[n], y: f64) {
  a: f64[n], b: f64[n], c: i64[n] = map n (i: i64) {
    v: f64 = index x i
    return v y i
  }
  return a b c
}
"""
    assert kinds(_simplified(text).body) == ["replicate", "iota"]


def test_common_expressions_are_shared_within_their_scope_only():
    text = """
def f(x: f64, c: bool) {
  a: f64 = if c {
    p: f64 = lgamma x
    q: f64 = lgamma x
    r: f64 = add p q
    return r
  } else {
    return x
  }
  b: f64 = lgamma x
  d: f64 = add a b
  return d
}
"""
    assert kinds(_simplified(text).body).count("lgamma") == 2


def test_a_small_column_is_written_element_by_element():
    text = """
def f(a: f64[n, 3, m], v: f64[2, 2, 1], i: i64, j: i64) {
  b: f64[n, 3, m] = update_slice a v i 1 2 -2 j 1
  return b
}
"""
    function = parse_function(text)
    after = simplify.run(function, Notes())
    check(after)
    args = [np.arange(24.0).reshape(2, 3, 4), np.full((2, 2, 1), -1.0), 0, 3]
    np.testing.assert_array_equal(evaluate(after, args)[0], evaluate(function, args)[0])
    assert kinds(after.body).count("update") == 4
    assert "update_slice" not in kinds(after.body)


KNOWN = """
def f(a: f64[n, 3], v: f64[3], x: f64, i: i64, k: i64) {
  c: bool = gt x 0.0
  first: FIRST
  e: f64 = if c {
    q: f64 = OP first WHERE
    s: f64 = exp q
    r: f64 = sin s
    return r
  } else {
    q1: f64 = OP1 first WHERE
    s1: f64 = exp q1
    r1: f64 = cos s1
    return r1
  }
  return first e
}
"""


def _known(first, where="", op="index", otherwise="index"):
    return KNOWN.replace("FIRST", first).replace("WHERE", where).replace("OP1", otherwise).replace("OP", op)


WRITTEN = "f64[n, 3] = if c {\n    u: f64[n, 3] = update a v i\n    return u\n  } else {\n    return a\n  }"
NUMBER = (
    "f64 = if c {\n    y: f64 = exp x\n    t: f64 = sin y\n    z: f64 = mul x 2.0\n    return x\n  } else {\n"
    "    return 0.25\n  }"
)


def _arm_reads(text):
    """What the arms of the last branch read, by the first names of arrays."""
    (branch,) = [s.expr for s in _simplified(text).body.stms if isinstance(s.expr, If)][-1:]
    arms = [[s.expr for s in arm.stms if isinstance(s.expr, Apply)] for arm in (branch.then, branch.orelse)]
    return [[e.args[0].name.split(".")[0] for e in arm if e.op == "index"] for arm in arms]


def test_a_branch_knows_what_an_earlier_one_on_the_same_condition_wrote():
    """The row that was written, where it was; not the array of the other arm, which is to be written in place."""
    assert _arm_reads(_known(WRITTEN, "i 1")) == [["v"], ["first"]]
    assert _arm_reads(_known(WRITTEN, "k 1")) == [["first"], ["first"]]


def test_a_branch_knows_the_numbers_that_an_earlier_one_chose():
    text = print_function(canonical(_simplified(_known(NUMBER, "", "neg", "neg"))))
    assert "neg x" in text
    assert "neg first" not in text
    assert "neg" not in text.split("else")[-1], "it is a literal there"


def test_a_branch_inside_another_on_the_same_condition_is_decided():
    function = _simplified(
        """
def f(x: f64, y: f64) {
  c: bool = gt x y
  r: f64 = if c {
    a: f64 = exp x
    s: f64 = if c {
      b: f64 = sin a
      return b
    } else {
      d: f64 = tanh a
      return d
    }
    return s
  } else {
    g: f64 = select c x y
    h: f64 = exp g
    k: f64 = tan h
    return k
  }
  return r
}
"""
    )
    assert kinds(function.body).count("if") == 1
    assert not {"tanh", "select"} & set(kinds(function.body))


def test_a_size_that_an_earlier_branch_chose_keeps_its_name_in_the_types_of_a_later_one():
    text = """def chosen(x: f64[n], c: bool) {
  k: i64, y: f64[k] = if c {
    a: f64[1] = slice x 0 1 1
    return 1 a
  } else {
    return n x
  }
  z: f64[k] = if c {
    b: f64[1] = slice x 1 1 1
    d: f64[k] = reshape b k
    return d
  } else {
    e: f64[k] = replicate 0.5 k
    return e
  }
  return y z
}"""
    function = simplify.run(parse_function(text), Notes())
    check(function)
    for c in (True, False):
        y, z = evaluate(function, [np.array([1.0, 2.0, 3.0]), np.bool_(c)])
        np.testing.assert_array_equal(y, [1.0] if c else [1.0, 2.0, 3.0])
        np.testing.assert_array_equal(z, [2.0] if c else [0.5] * 3)
