"""Random programs run backwards: what is reversible by construction, what is not, and derivatives of the former."""

from __future__ import annotations

from collections import Counter

import pytest

from tapeless.inversion.solving import ONE_PLACE
from tapeless.ir.check import check
from tapeless.testing.reversible import Directions, main
from tapeless.testing.reversible_judge import FAMILIES, judge_seed
from tapeless.testing.reversible_nests import TABLE
from tapeless.testing.reversible_programs import random_reversible
from tapeless.testing.reversible_values import Kind
from tapeless.testing.verify import Verdict


@pytest.mark.parametrize("family", FAMILIES)
def test_fifty_programs(family):
    verdicts = [judge_seed(seed, family) for seed in range(50)]
    wrong = [(seed, v) for seed, v in enumerate(verdicts) if v.kind not in ("ok", "refused")]
    assert not wrong
    inverses = sum(int(v.stage.split()[1]) for v in verdicts)
    least = {"exact": 40, "kept": 40, "whole": 35, "smooth": 40, "bent": 40, "careless": 15, "random": 10}
    assert inverses >= least[family]


# A number that was rounded; a place that needs no check; arrays and their sizes computed one after the other; t = t.
@pytest.mark.parametrize("seed", [940012219, 940013544, 940014177, 940023787, 940025047, 940031857])
def test_programs_that_were_wrong(seed):
    assert judge_seed(seed).kind == "ok"


def test_places_that_meet_are_a_refusal_only_where_programs_may_let_them(monkeypatch):
    def meet(*_):
        raise AssertionError(ONE_PLACE)

    monkeypatch.setattr("tapeless.testing.reversible_judge.random_reversible", meet)
    families = [family for family in FAMILIES if family != "random"]
    kinds = {family: judge_seed(0, family).kind for family in families}
    assert {family for family in families if kinds[family] == "refused"} == {"careless", "kept", "whole"}
    assert {family for family in families if kinds[family] == "wrong"} == {"exact", "smooth", "bent"}


def test_programs_are_well_formed_and_of_all_kinds():
    used = Counter()
    for seed in range(120):
        kind = (Kind(), Kind(smooth=True), Kind(loose=0.6, whole=True))[seed % 3]
        function = random_reversible(seed, kind).function
        check(function)
        used.update(stm.pos.file for stm in function.body.stms if stm.pos)
    assert set(used) == {make.__name__ for make in TABLE} - {"swap"}  # which is no statement


def test_the_same_seed_gives_the_same_program():
    first, second = (random_reversible(7, Kind()) for _ in range(2))
    assert first.function == second.function
    assert str(first.inputs) == str(second.inputs)


def test_verdicts_are_counted_by_family():
    summary = Directions()
    summary.add(1, Verdict("ok", "random 3"))
    summary.add(2, Verdict("refused", "exact 0", "loop"))
    summary.add(3, Verdict("wrong", "exact back", "x is 1, was 2"))
    assert str(summary) == "3 programs: 2 ok, 0 unstable, 1 wrong, 0 crashed"
    assert "random: 1 programs, 3 inverses" in summary.report()
    assert "1 refused in exact: loop" in summary.report()


def test_the_command(capfd):
    assert main(["-n", "6", "--jobs", "1"]) == 0
    assert "6 programs: 6 ok" in capfd.readouterr().out
