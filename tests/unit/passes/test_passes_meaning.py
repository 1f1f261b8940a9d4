"""Every pass keeps types and meaning: on hand-made loops of all sizes, and on random programs."""

from __future__ import annotations

import pytest

from tapeless.ir.check import check
from tapeless.ir.text import parse_function
from tapeless.passes.pipeline import PIPELINE, optimise, prefixes
from tapeless.testing.compare import difference, reference, tolerance, unstable
from tapeless.testing.generate import random_program

from .loop_programs import PROGRAMS, arguments


def _agree(before, after, args, where):
    expected, found = reference(before, args), reference(after, args)
    wrong = difference(expected, found, tolerance(before))
    assert not wrong or unstable(before, args, expected, found), f"{where}: {wrong}"


@pytest.mark.parametrize("name", PROGRAMS)
def test_loops_keep_their_meaning(name):
    function = parse_function(PROGRAMS[name])
    check(function)
    stages = list(prefixes(function))
    for where, stage in stages:
        check(stage)
        for size in (0, 1, 2, 5):
            _agree(function, stage, arguments(function, size, seed=size), f"{where}, size {size}")
    last = stages[-1][1]
    for seed in range(12):
        _agree(function, last, arguments(function, 3 + seed, seed), f"seed {seed}")
        _agree(function, last, arguments(function, 6, seed, special=True), f"special values, seed {seed}")


@pytest.mark.parametrize("seed", range(700, 740))
def test_random_programs_keep_their_meaning(seed):
    function, args = random_program(seed)
    for where, stage in prefixes(function):
        check(stage)
        _agree(function, stage, args, f"seed {seed}, {where}")


def test_the_pipeline_reports_times_and_stages():
    function = parse_function(PROGRAMS["matrix_product"])
    seconds: dict[str, float] = {}
    stages: list[str] = []
    optimise(function, check=True, seconds=seconds, dump=lambda name, _: stages.append(name))
    assert set(stages) == set(seconds)
    assert stages == [step.name for step in PIPELINE]


def test_optimising_twice_changes_little():
    function = optimise(parse_function(PROGRAMS["time_steps"]))
    again = optimise(function)
    args = arguments(function, 6, seed=1)
    _agree(function, again, args, "second round")
