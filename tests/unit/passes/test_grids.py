"""Integers that are not linear in the counters of short loops: every round is tried."""

from __future__ import annotations

import random

import pytest

from tapeless.ir.core import Apply
from tapeless.ir.text import parse_function
from tapeless.ir.types import I64, Type, Var, i64
from tapeless.passes import ranges, simplify
from tapeless.passes.affine import Affine, variable
from tapeless.passes.facts import Facts
from tapeless.passes.notes import Notes

from .small_programs import kinds

PACKED = """
 = for {rows} [] (i: i64) {{
  t: i64 = add i 1
  p: i64 = mul i t
  start: i64 = floordiv p 2
   = for t [] (j: i64) {{
    k: i64 = add start j
    check bounds k {size}
    return
  }}
  return
}}
"""


def _checks(body):
    function = parse_function(f"def f(x: f64[n], k: i64) {{\n{body}\n  return\n}}")
    for step in (simplify, ranges):
        function = step.run(function, Notes())
    return kinds(function.body)


def test_the_places_of_a_packed_triangle_exist():
    assert "check" not in _checks(PACKED.format(rows=6, size=21))


@pytest.mark.parametrize(("rows", "size"), [("6", "20"), ("n", "21"), ("3000", "9000000")])
def test_one_place_short_or_rounds_without_number(rows, size):
    """The last has too many rounds to be tried."""
    assert "check" in _checks(PACKED.format(rows=rows, size=size))


def test_products_wrap_around_as_they_do_at_run_time():
    """2^61 times the square of a counter: 0, 2^61, -2^63."""
    body = " = for {} [] (i: i64) {{\np: i64 = mul i i\nq: i64 = mul p 2305843009213693952\ncheck nonneg q\nreturn\n}}"
    assert "check" not in _checks(body.format(2))
    assert "check" in _checks(body.format(3))


def test_a_divisor_that_may_be_zero_tells_nothing():
    body = " = for 4 [] (i: i64) {{\np: i64 = mul i i\nq: i64 = {} 7 p\ncheck nonneg q\nreturn\n}}"
    assert "check" in _checks(body.format("floordiv"))
    assert "check" in _checks(body.format("mod"))


@pytest.mark.parametrize("seed", range(60))
def test_what_is_proved_holds_in_all_rounds(seed):
    """And what holds in all rounds is proved, as everything here follows from the counters that run."""
    dice = random.Random(seed)
    a, b = (Var(name, Type(I64)) for name in "ab")
    defs = {}
    atoms = [a, i64(dice.randint(1, 3))]
    for k in range(3):
        op = dice.choice(["add", "sub", "mul", "min", "max", "floordiv", "mod"])
        right = i64(dice.randint(1, 3)) if op in ("floordiv", "mod") else dice.choice(atoms)
        defs[f"t{k}"] = Apply(op, (dice.choice(atoms), right))
        atoms.append(Var(f"t{k}", Type(I64)))
        if k == 1:
            atoms.append(b)  # its count may depend on the others
    counts = {"a": i64(dice.randint(1, 5)), "b": dice.choice(atoms[:4])}
    facts = Facts(defs, {name: k for k, name in enumerate(["a", "t0", "t1", "b", "t2"])})
    facts.counter(a, counts["a"])
    facts.counter(b, counts["b"])
    rounds = list(_rounds(defs, counts))
    all_run = {point["a"] for point in rounds} == set(range(counts["a"].value))
    for _ in range(20):
        goal = Affine(dice.randint(-9, 9), {n: c for n in ("a", "b", "t2") if (c := dice.randint(-2, 2))})
        holds = all(goal.const + sum(c * point[n] for n, c in goal.terms.items()) >= 0 for point in rounds)
        assert facts.proves(goal) <= holds
        if "t2" in goal.terms and all_run:
            assert facts.proves(goal) == holds


def _rounds(defs, counts):
    """All values of the variables, by brute force."""
    for a in range(counts["a"].value):
        outer = {"a": a}
        for name in ("t0", "t1"):
            outer[name] = _value(defs[name], outer)
        for b in range(_atom(counts["b"], outer)):
            point = {**outer, "b": b}
            point["t2"] = _value(defs["t2"], point)
            yield point


def _atom(atom, point):
    return point[atom.name] if isinstance(atom, Var) else atom.value


def _value(expr, point):
    x, y = (_atom(arg, point) for arg in expr.args)
    match expr.op:
        case "add":
            return x + y
        case "sub":
            return x - y
        case "mul":
            return x * y
        case "min":
            return min(x, y)
        case "max":
            return max(x, y)
        case "floordiv":
            return x // y
        case _:
            return x % y


def test_counters_are_forgotten_with_their_scope():
    p = Var("p", Type(I64))
    facts = Facts({"p": Apply("mul", (Var("a", Type(I64)), Var("a", Type(I64))))}, {"a": 0, "p": 1})
    with facts.scope():
        facts.counter(Var("a", Type(I64)), i64(4))
        assert facts.proves(variable(p.name))
    assert not facts.proves(variable(p.name))
