"""Mistakes planted in the rules of both modes: the laws catch them.

`tools/mutate_rules.py` plants all of them, also in files that the laws alone do not judge: what only keeps a derivative
cheap, such as `choices`, has unit tests of its own.
"""

from __future__ import annotations

import os
import random

import pytest

from tapeless.testing.equivalent import EQUIVALENT, reason
from tapeless.testing.mutant_judge import AD, Case, corpus, reached, survivors
from tapeless.testing.rule_mutants import Mutant, mutants

FILES = (
    "branches", "custom", "functions", "jvp", "jvp_apply", "jvp_scatter", "local", "jacobians", "hists", "ties",
    "activity", "treeverse", "extremes",
)  # fmt: skip
EACH = int(os.environ.get("TAPELESS_RULE_MUTANTS", "3"))


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return corpus(12)


def planted(file: str) -> list[Mutant]:
    return [mutant for mutant in mutants(AD / f"{file}.py") if not reason(mutant)]


@pytest.mark.parametrize("file", FILES)
def test_a_wrong_rule_is_caught(cases: list[Case], file: str) -> None:
    reachable = [mutant for mutant in planted(file) if reached(mutant, cases)]
    chosen = random.Random(file).sample(reachable, min(EACH, len(reachable)))
    assert not [str(mutant) for mutant in survivors(chosen, cases, jobs=1)]


def test_every_mutant_that_is_left_out_exists() -> None:
    for file, changes in EQUIVALENT.items():
        assert not changes.keys() - {mutant.change for mutant in mutants(AD / f"{file}.py")}, file
