"""Operations that are the same in all iterations go before their loop, out of branches too; others stay."""

from __future__ import annotations

import pytest

import tapeless.ops
from tapeless.ir.check import check
from tapeless.ir.core import Block, Function
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.walk import lambdas
from tapeless.passes.invariants import lifted

assert tapeless.ops  # registers the operations

TEXT = """
def f(x: f64, n: i64, c: bool) {
  a: f64 = mul x 2.0
  s: f64 = for n [0.0] (i: i64, t: f64) {
    p: f64 = exp x
    q: f64 = mul p a
    r: f64 = add t q
    d: f64 = div n.0 n.1
    u: f64 = if c {
      g: f64 = sin x
      h: f64 = mul g r
      return h
    } else {
      k: f64 = cos q
      l: f64 = add k r
      return l
    }
    return u
  }
  b: f64 = if c {
    m: f64 = exp a
    return m
  } else {
    e: f64 = for n [0.0] (j: i64, v: f64) {
      o: f64 = sqrt x
      w: f64 = add v o
      return w
    }
    return e
  }
  z: f64 = add s b
  return z
}
""".replace("    d: f64 = div n.0 n.1\n", "")


def names(block: Block) -> list[str]:
    return [stm.vars[0].name for stm in block.stms]


def moved(text=TEXT) -> tuple[Function, dict[str, list[list[str]]]]:
    """The program afterwards, and what stands in the blocks of each statement that has some."""
    old = parse_function(text)
    new = Function(old.name, old.params, lifted(old.body))
    check(new)
    for point in ((0.7, 3, True), (0.7, 3, False), (1.3, 0, True), (1.3, 0, False)):
        assert evaluate(new, point) == evaluate(old, point)
    found = {"": [names(new.body)]}

    def look(block: Block) -> None:
        for stm in block.stms:
            bodies = [lam.body for lam in lambdas(stm.expr)]
            if bodies:
                found[stm.vars[0].name] = [names(body) for body in bodies]
            for body in bodies:
                look(body)

    look(new.body)
    return new, found


def test_what_moves_and_what_stays():
    _, found = moved()
    assert found[""] == [["a", "p", "q", "g", "k", "s", "b", "z"]]
    assert found["s"] == [["r", "u"]]
    assert found["u"] == [["h"], ["l"]]


def test_the_arms_of_a_branch_keep_what_is_theirs_but_loops_in_them_are_looked_into():
    _, found = moved()
    assert found["b"] == [["m"], ["o", "e"]]
    assert found["e"] == [["w"]]


@pytest.mark.parametrize("reads", ["i", "t"])
def test_what_reads_the_counter_or_what_is_carried_stays(reads):
    convert = "    y: f64 = convert[f64] i\n" if reads == "i" else ""
    text = TEXT.replace("    p: f64 = exp x\n", f"{convert}    p: f64 = mul x {'y' if reads == 'i' else 't'}\n")
    _, found = moved(text)
    assert found[""] == [["a", "g", "s", "b", "z"]]


def test_loops_in_loops_are_left_from_the_inside_out():
    text = """
def f(x: f64, n: i64, c: bool) {
  s: f64 = for n [0.0] (i: i64, t: f64) {
    u: f64 = for n [t] (j: i64, v: f64) {
      p: f64 = exp x
      q: f64 = mul t p
      w: f64 = add v q
      return w
    }
    return u
  }
  return s
}
"""
    _, found = moved(text)
    assert found == {"": [["p", "s"]], "s": [["q", "u"]], "u": [["w"]]}


def test_what_may_fail_stays():
    text = TEXT.replace("    p: f64 = exp x\n", "    check bounds 0 1\n    p: f64 = exp x\n")
    old = parse_function(text)
    loop = next(stm for stm in lifted(old.body).stms if stm.vars[0].name == "s")
    assert not loop.expr.body.body.stms[0].vars
