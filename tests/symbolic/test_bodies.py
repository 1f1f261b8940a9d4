"""Derivatives are shortened in the bodies of loops and operators and in the arms of branches, and through choices."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.core import Apply
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers_count import CountingTower
from tapeless.ir.op import lookup
from tapeless.ir.text import parse_function
from tapeless.ir.walk import statements
from tapeless.passes.notes import Notes
from tapeless.symbolic import resynthesis
from tapeless.symbolic.decisive import decisive


def turned(x, y, angle, steps):
    """A point that is turned again and again, in a body of its own."""
    total = 0.0
    for _ in range(steps):
        c, s = np.cos(angle), np.sin(angle)
        x, y = c * x - s * y, s * x + c * y
        x, y = c * x - s * y, s * x + c * y
        total += x * x * y + x * y * y
        angle = angle + 0.01 * x * y
    return total


def energies(points, weights):
    total = 0.0
    for i in range(len(points)):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        c, s = np.cos(x), np.sin(x)
        u, v = c * y - s * z, s * y + c * z
        total += weights[i] * (u * u * v + u * v * v) + np.sqrt(u * u + v * v + 1.0)
    return total


def gated(x, y, angle, steps):
    for _ in range(steps):
        c, s = np.cos(angle), np.sin(angle)
        if x * y > 0.3:
            x, y = c * x - s * y, s * x + c * y
            x = x * c * y + y * s * x + x * s * y - y * c * x
        else:
            x, y = c * x + s * y, c * y - s * x
            y = y * c * x + x * s * y + y * s * x - x * c * y
        x, y = 0.7 * x + 0.1, 0.8 * y + 0.2
    return x * y


POINTS = np.random.default_rng(4).normal(size=(7, 3))
CASES = [
    (turned, (0.4, -0.7, 0.3, 5), (0, 1, 2)),
    (energies, (POINTS, np.linspace(0.5, 2.0, 7)), (0, 1)),
    (gated, (0.9, 0.8, 0.3, 6), (0, 1, 2)),
]


def work(function, args):
    """The operations of the optimised program, by their cost, as the interpreter counts them."""
    tower = CountingTower()
    lowering = function.lower(*args)
    evaluate(lowering.ir, [*args, *lowering.compiled.lowered.hidden_leaves()], tower)
    return sum(number * lookup(name).cost for name, number in tower.counts.items())


@pytest.mark.parametrize(("function", "args", "by"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_bodies_take_fewer_operations(function, args, by):
    coarse, plain = (tp.grad(tp.jit(coarsen=c)(function), argnums=by) for c in (True, False))
    for found, wanted in zip(coarse(*args), plain(*args), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)
    assert work(coarse, args) < work(plain, args)
    assert "straight-line derivative" in coarse.show("segments", *args)


@pytest.mark.parametrize(("function", "args", "by"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_what_is_not_a_number_stays_so_in_bodies(function, args, by):
    coarse, plain = (tp.grad(tp.jit(coarsen=c)(function), argnums=by) for c in (True, False))
    for bad in (np.nan, np.inf, 0.0):
        for k in by:
            changed = list(args)
            changed[k] = bad if isinstance(args[k], float) else args[k].copy()
            if isinstance(args[k], np.ndarray):
                changed[k].flat[3] = bad
            for found, wanted in zip(coarse(*changed), plain(*changed), strict=True):
                np.testing.assert_array_equal(np.isfinite(found), np.isfinite(wanted))


# -- choices ----------------------------------------------------------------------------------------

CHOICES = """
def f(c: bool, a: f64, b: f64, k: f64, m: f64) {
  d: bool = not c
  p: f64 = select c a b
  ka: f64 = mul k a
  kb: f64 = mul k b
  q: f64 = select d kb ka
  same: f64 = select d ka ka
  kam: f64 = mul ka m
  kbm: f64 = mul kb m
  r: f64 = select c kam kbm
  t: f64 = mul q m
  u: f64 = add t r
  v: f64 = mul p q
  w: f64 = add u v
  x: f64 = add w same
  return x p q r
}
"""


def shortened(text):
    old = parse_function(text)
    return old, resynthesis.run(old, Notes())


def operations(function):
    return sum(isinstance(stm.expr, Apply) for stm in statements(function.body))


def test_choices_are_distributed_where_that_gives_a_value_that_is_there(monkeypatch):
    """F1, F2 and F3: q is k p, r is q m and t, `same` is k a."""
    monkeypatch.setattr(resynthesis, "FEWEST", 4)
    old, new = shortened(CHOICES)
    assert operations(new) < operations(old) - 4
    for c in (True, False):
        args = [c, 0.3, -1.7, 0.9, 2.1]
        np.testing.assert_allclose(evaluate(new, args), evaluate(old, args), rtol=1e-15)


MASKED = """
def f(c: bool, a: f64, b: f64) {
  keep: f64 = select c a 0.0
  drop: f64 = select c 0.0 a
  one: f64 = add keep b
  two: f64 = add drop b
  three: f64 = mul one two
  four: f64 = sub a drop
  return keep drop one two three four
}
"""


def test_what_is_masked_is_not_read(monkeypatch):
    """`keep` is a - drop and `four` is keep, but not where a is infinite."""
    monkeypatch.setattr(resynthesis, "FEWEST", 4)
    old, new = shortened(MASKED)
    for c in (True, False):
        for a in (np.inf, np.nan, 2.0):
            args = [c, a, 1.5]
            np.testing.assert_array_equal(evaluate(new, args), evaluate(old, args))


SCALED = """
def f(s: f64, t: f64, a: f64, k: f64) {
  sa: f64 = scale s a
  ta: f64 = scale t a
  both: f64 = add sa ta
  plain: f64 = mul s a
  sk: f64 = mul s k
  ska: f64 = scale sk a
  again: f64 = scale s a
  kp: f64 = mul k plain
  u: f64 = add both ska
  v: f64 = mul u kp
  return both plain ska again v
}
"""


def test_a_zero_wins_over_an_infinite_slope_as_before(monkeypatch):
    monkeypatch.setattr(resynthesis, "FEWEST", 4)
    old, new = shortened(SCALED)
    for s in (np.inf, np.nan, 0.5):
        for a in (0.0, 1.25):
            args = [s, 0.75, a, 3.0]
            np.testing.assert_allclose(evaluate(new, args), evaluate(old, args), rtol=1e-15)


# -- what decides -----------------------------------------------------------------------------------

DECIDING = """
def f(n: i64, x: f64, y: f64) {
  free: f64 = mul x y
  z: f64, w: f64 = for n [x y] (i: i64, p: f64, q: f64) {
    h: f64 = mul p 0.5
    big: bool = gt h 1.0
    r: f64 = mul q q
    s: f64 = select big r q
    return h s
  }
  out: f64 = mul free w
  return out
}
"""


def test_values_that_decide_are_those_that_conditions_are_made_of():
    function = parse_function(DECIDING)
    found = {name.split(".")[0] for name in decisive(function.body)}
    assert {"h", "p", "x"} <= found
    assert not found & {"free", "out", "r", "s", "w"}
