"""Derivatives made both ways: the cheaper one is kept, with its notes."""

from __future__ import annotations

import pytest

import tapeless.ops
from tapeless.ad.compared import cheapest, is_worth_it
from tapeless.ad.planner import Plan
from tapeless.eliminate.collapse import Collapser
from tapeless.eliminate.paper import Paper
from tapeless.ir.build import Builder
from tapeless.ir.core import Block
from tapeless.ir.text import parse_function
from tapeless.passes.notes import Notes
from tapeless.passes.tally import ASSUMPTIONS, Assumption, tally

assert tapeless.ops  # they are looked up


def block(text: str) -> Block:
    return parse_function(f"def f(n: i64, p: bool, x: f64, a: f64[n], c: f32[n], z: f32) {{\n{text}\n}}").body


ONCE = block("y: f64 = mul x x\nreturn y")
TWICE = block("y: f64 = mul x x\nz: f64 = mul y x\nreturn z")

ARMS = """
y: f64 = if p {
  t: f64 = mul x x
  return t
} else {
  t: f64 = add x x
  u: f64 = mul t x
  return u
}
return y"""


def build_with(collapsed: Block, plain: Block):
    def build(b: Builder, plan: Plan):
        assert plan.notes is not None
        if plan.collapse is not None:
            plan.collapse.taken.append("way")
        plan.notes.add(None, "way", "plain" if plan.collapse is None else "collapsed")
        return b.splice(plain if plan.collapse is None else collapsed)

    return build


@pytest.mark.parametrize(
    ("collapsed", "plain", "kept"), [(ONCE, TWICE, "collapsed"), (TWICE, ONCE, "plain"), (ONCE, ONCE, "plain")]
)
def test_the_cheaper_one_is_kept_with_its_notes_and_its_plan(collapsed: Block, plain: Block, kept: str) -> None:
    notes = Notes()
    given = Plan(notes=notes, collapse=Collapser())
    found, plan = cheapest(build_with(collapsed, plain), given)
    assert [note.decision for note in notes] == [kept]
    assert (plan.collapse is given.collapse) == (kept == "collapsed")
    assert plan.notes is notes
    assert len(found.stms) == len((collapsed if kept == "collapsed" else plain).stms)


def test_nothing_is_made_twice_where_nothing_was_chosen() -> None:
    made: list[Plan] = []

    def build(b: Builder, plan: Plan):
        made.append(plan)
        return b.splice(ONCE)

    given = Plan(collapse=Collapser())
    assert cheapest(build, given)[1] is given
    assert len(made) == 1


def test_without_ways_there_is_nothing_to_compare() -> None:
    given = Plan(notes=Notes())
    found, plan = cheapest(build_with(TWICE, ONCE), given)
    assert plan.collapse is None
    assert len(found.stms) == 1


def test_what_costs_the_same_once_and_less_often_is_worth_it() -> None:
    loop = "y: f64 = for n [x] (i: i64, s: f64) {{\nt: f64 = mul s s\n{0}\n}}\n{1}"
    inside = block(loop.format("u: f64 = mul t x\nreturn u", "return y"))
    behind = block(loop.format("return t", "z: f64 = mul y x\nreturn z"))
    assert is_worth_it(behind, inside)
    assert not is_worth_it(inside, behind)


def test_the_papers_segments_are_what_was_asked_for() -> None:
    notes = Notes()
    found, _ = cheapest(build_with(TWICE, ONCE), Plan(notes=notes, collapse=Paper()))
    assert [note.decision for note in notes] == ["collapsed"]
    assert len(found.stms) == 2


def test_dead_code_is_not_counted() -> None:
    dead = block("y: f64 = mul x x\nz: f64 = exp x\nreturn y")
    assert is_worth_it(dead, TWICE)


def test_a_block_that_is_dearer_where_loops_are_long_is_not_worth_it() -> None:
    long = block("y: f64 = for n [x] (i: i64, s: f64) {\nt: f64 = mul s s\nu: f64 = mul t s\nreturn u\n}\nreturn y")
    short = block("y: f64 = for n [x] (i: i64, s: f64) {\nt: f64 = mul s s\nreturn t\n}\nz: f64 = exp y\nreturn z")
    assert not is_worth_it(long, short)
    assert not is_worth_it(short, long)


def test_next_to_nothing_is_not_worth_it() -> None:
    many = "\n".join(f"y{k}: f64 = exp {'x' if k == 0 else f'y{k - 1}'}" for k in range(40))
    assert not is_worth_it(block(f"{many}\nreturn y39"), block(f"{many}\nz: f64 = mul y39 x\nreturn z"))


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        ("y: f64 = mul x x\nreturn y", 1),
        (ARMS, (2, 3)),
        ("y: f64 = for n [x] (i: i64, s: f64) {\nt: f64 = mul s s\nreturn t\n}\nreturn y", 11),
        ("y: f64 = for 3 [x] (i: i64, s: f64) {\nt: f64 = mul s s\nreturn t\n}\nreturn y", 4),
        ("y: f64[n] = map n (i: i64) {\nt: f64 = mul x x\nreturn t\n}\nreturn y", 11 + 80),
        ("y: f64[n] = update a x 0\nreturn y", 2 + 8),
        ("y: f32[n] = update c z 0\nreturn y", 2 + 4),
        ("y: f64[n] = replicate x n\nreturn y", 81),
        ("y: f64 = index a 0\nreturn y", 2),
    ],
)  # fmt: skip
def test_what_is_counted(text: str, cost: float | tuple[float, float]) -> None:
    found = tuple(tally(block(text), Assumption(10.0, arm)) for arm in (0, 1))
    assert found == (cost if isinstance(cost, tuple) else (cost, cost))


def test_both_arms_and_loops_of_few_and_many_rounds_are_assumed() -> None:
    assert {assumed.arm for assumed in ASSUMPTIONS} == {0, 1}
    assert {assumed.trips for assumed in ASSUMPTIONS} == {1.0, 100.0}
