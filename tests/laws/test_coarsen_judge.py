"""The judge of coarsened programs lets right ones pass and finds mistakes; the command reports which rules fired."""

from __future__ import annotations

import pytest

from tapeless.ir.core import Function
from tapeless.ir.text import parse_function, print_function
from tapeless.passes.notes import Notes
from tapeless.passes.pipeline import optimise
from tapeless.symbolic import coarsen
from tapeless.testing import coarsen_judge
from tapeless.testing.coarsen import Rules, main
from tapeless.testing.coarsen_judge import judge_coarse, request
from tapeless.testing.verify import Verdict
from tapeless.testing.wire import Request

PROGRAM = parse_function("""\
def program(x.1: f64, a.2: f64) {
  t.6: f64 = for 20 [x.1] (i.3: i64, y.4: f64) {
    t.5: f64 = mul a.2 y.4
    t.7: f64 = add t.5 0.75
    return t.7
  }
  return t.6
}""")

ROOT = parse_function("""\
def program(x.1: f64, a.2: f64) {
  t.3: f64 = sqrt a.2
  t.4: f64 = mul x.1 t.3
  return t.4
}""")


def test_a_geometric_loop_is_closed_and_right() -> None:
    verdict = judge_coarse(Request(PROGRAM, [0.7, 0.9], (), 1, 1))
    assert verdict.kind == "ok"
    assert "C6" in verdict.detail


@pytest.mark.parametrize("seed", [0, 1])
def test_a_wrong_closed_form_is_found(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    def mistaken(function: Function, _: Notes) -> Function:
        return parse_function(print_function(function).replace("0.75", "0.7500001"))

    monkeypatch.setattr(coarsen, "run_before_derivatives", mistaken)
    assert judge_coarse(Request(PROGRAM, [0.7, 0.9], (), 1, seed)).kind == "wrong"


@pytest.mark.parametrize("seed", [13, 24])
def test_a_lost_mask_is_found_at_points_with_zeros(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    assert judge_coarse(Request(ROOT, [0.7, 0.9], (), 1, seed)).kind == "ok"

    def unmasked(function: Function, **_: object) -> Function:
        return parse_function(print_function(optimise(function)).replace("= scale", "= mul"))

    monkeypatch.setattr(coarsen_judge, "optimise", unmasked)
    verdict = judge_coarse(Request(ROOT, [0.7, 0.9], (), 1, seed))
    assert verdict.kind == "wrong"
    assert verdict.stage.endswith("zeros")


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 8, 9])
def test_random_programs_are_right(seed: int) -> None:
    verdict = judge_coarse(request(seed))
    assert verdict.kind in ("ok", "unstable"), verdict


def test_programs_are_the_same_for_a_seed() -> None:
    assert request(7).function == request(7).function


def test_rules_are_counted_by_programs() -> None:
    summary = Rules()
    summary.add(0, Verdict("ok", "", "C6 fold"))
    summary.add(1, Verdict("ok", "", "C6"))
    assert "2 programs: C6" in summary.report()
    assert "coupled" in summary.report().splitlines()[-1]


def test_the_command_judges_seeds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-n", "2", "--seed", "1", "--jobs", "1"]) == 0
    assert "2 programs: 2 ok" in capsys.readouterr().out


def test_constants_that_a_loop_multiplies_are_lifted_wherever_they_stand() -> None:
    """The result of a body was not, and became a power that is rounded once (random seed 760002369)."""
    assert judge_coarse(request(760002369)).kind == "ok"
