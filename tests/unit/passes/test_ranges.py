"""Which checks and comparisons are decided, and that the prover is never wrong."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from tapeless.ir.core import Apply
from tapeless.ir.text import parse_function
from tapeless.ir.types import I64, Lit, Type, Var, i64
from tapeless.passes import hoist, ranges, simplify
from tapeless.passes.affine import Affine, form_of, variable
from tapeless.passes.facts import Facts
from tapeless.passes.notes import Notes
from tapeless.testing.verify import judge

from .small_programs import kinds


def _checks(body, params="x: f64[n], k: i64", passes=(simplify, ranges)):
    function = parse_function(f"def f({params}) {{\n{body}\n  return\n}}")
    for step in passes:
        function = step.run(function, Notes())
    return kinds(function.body)


def _loop(statements, count="n"):
    return f" = for {count} [] (i: i64) {{\n{statements}\nreturn\n}}"


def _branch(cond, statements):
    return f" = if {cond} {{\n{statements}\nreturn\n}} else {{\nreturn\n}}"


@pytest.mark.parametrize(
    "body",
    [
        _loop("check bounds i n"),
        "m: i64 = sub n 1\n" + _loop("j: i64 = add i 1\ncheck bounds j n", "m"),
        _loop("l: i64 = sub n 1\nj: i64 = sub l i\ncheck bounds j n"),
        _loop("c: bool = lt i 0\ns: i64 = add i n\nj: i64 = select c s i\ncheck bounds j n"),
        _loop("h: i64 = sub i 1\nc: bool = lt h 0\ns: i64 = add h n\nj: i64 = select c s h\ncheck bounds j n"),
        _loop("j: i64 = mod k n\ncheck bounds j n"),
        _loop("l: i64 = sub n 1\nh: i64 = max k 0\nj: i64 = min h l\ncheck bounds j n"),
        _loop("j: i64 = floordiv i 2\ncheck bounds j n"),
        "check bounds k n\ncheck bounds k n",
        "check bounds k n\nc: bool = ge k 0\ncheck assert c",
        "c: bool = lt k n\nd: bool = ge k 0\ne: bool = and c d\n" + _branch("e", "check bounds k n"),
        "m: i64 = max k 0\n" + _loop("check nonempty m", "m"),
        "check nonneg n",
        "h: i64 = floordiv n 2\n" + _loop("j: i64 = mul i 2\ncheck bounds j n", "h"),
    ],
)
def test_proved_checks_go_away(body):
    left = _checks(body).count("check")
    assert left == (1 if body.startswith("check bounds k") else 0)


@pytest.mark.parametrize(
    "body",
    [
        _loop("j: i64 = add i 1\ncheck bounds j n"),
        _loop("j: i64 = sub i 1\ncheck bounds j n"),
        _loop("check bounds i n", "k"),
        "m: i64 = add k 1\nc: bool = lt m n\n" + _branch("c", "d: bool = lt k n\ncheck assert d"),
        _loop("j: i64 = mod i k\ncheck bounds j n"),
        "j: i64 = mul k 4\ncheck bounds j n\nc: bool = lt k n\ncheck assert c",
        "c: bool = gt k 0\n" + _branch("c", "check nonzero k") + "\ncheck nonneg k",
    ],
)
def test_unproved_checks_stay(body):
    """The fourth: k + 1 < n does not say k < n when k + 1 overflows; the sixth: 4k may wrap into range."""
    assert "check" in _checks(body)


def test_sizes_said_to_be_equal_are():
    body = "check equal n m\n" + _loop("check bounds i m")
    assert _checks(body, "x: f64[n], y: f64[m]").count("check") == 1


def test_a_while_loop_knows_its_condition_and_direction():
    body = """
e: i64 = while [0] (p: i64) {
  c: bool = lt p n
  return c
} (q: i64) {
  check bounds q n
  r: i64 = add q 1
  return r
}
"""
    assert "check" not in _checks(body)


def test_affine_checks_leave_the_loop():
    body = " = for k [] (i: i64) {\nj: i64 = add i 3\ncheck bounds j n\nreturn\n}"
    found = _checks(body, passes=(simplify, hoist, simplify))
    assert found.count("check") == 2
    assert "for" not in found  # nothing else was in it


def test_checks_of_two_kinds_stay_in_their_order():
    body = " = for k [] (i: i64) {\nc: bool = lt i 5\ncheck assert c\ncheck bounds i n\nreturn\n}"
    assert _checks(body, passes=(simplify, hoist, simplify))[0] == "for"


def test_forms_expand_sums_and_literal_products():
    x, y = Var("x", Type(I64)), Var("y", Type(I64))
    defs = {"s": Apply("add", (x, i64(3))), "p": Apply("mul", (Var("s", Type(I64)), i64(2))), "q": Apply("mul", (x, y))}
    assert form_of(Var("p", Type(I64)), defs) == Affine(6, {"x": 2})
    assert form_of(Var("q", Type(I64)), defs) == variable("q")
    assert form_of(Lit(4, I64), defs) == Affine(4, {})


@pytest.mark.parametrize("seed", range(60))
def test_the_prover_is_sound(seed):
    """Whatever it proves holds for all small integers that satisfy the facts."""
    dice = random.Random(seed)
    names = ["a", "b", "c"]

    def form():
        return Affine(dice.randint(-3, 3), {n: c for n in names if (c := dice.randint(-2, 2))})

    facts = Facts({}, {name: k for k, name in enumerate(names)})
    known = [form() for _ in range(4)]
    for fact in known:
        facts.learn(fact)
    points = [dict(zip(names, p, strict=True)) for p in itertools.product(range(-5, 6), repeat=3)]

    def value(f, point):
        return f.const + sum(c * point[n] for n, c in f.terms.items())

    legal = [p for p in points if all(value(f, p) >= 0 for f in known)]
    for _ in range(30):
        goal = form()
        if facts.proves(goal):
            assert all(value(goal, p) >= 0 for p in legal), goal


def test_facts_are_forgotten_with_their_scope():
    facts = Facts({}, {"a": 0})
    with facts.scope():
        facts.learn(variable("a"))
        assert facts.proves(variable("a"))
    assert not facts.proves(variable("a"))


NO_ROWS = """
def program(x: f64[n]) {
  fewer: i64 = sub n 1
  rows: f64[n, fewer] = map n (i: i64) {
    row: f64[fewer] = map fewer (j: i64) {
      v: f64 = index x j
      return v
    }
    return row
  }
  check bounds 0 n
  first: f64 = index x 0
  return first rows
}
"""


@pytest.mark.parametrize("size", [0, 1, 2])
def test_the_size_of_no_rows_tells_nothing(size):
    """There may be none of a size of -1: that there is an array of them does not mean that n is positive."""
    verdict = judge(parse_function(NO_ROWS), [np.ones(size)])
    assert verdict.kind == "ok", verdict
