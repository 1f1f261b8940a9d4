"""Every rule of coarsening fires in the random corpus of `make fuzz-coarsen`, and has its place in the theory."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest

from tapeless.ad.functions import vjp_function
from tapeless.ad.planner import Plan
from tapeless.ad.prepare import prepare
from tapeless.eliminate.collapse import Collapser
from tapeless.ir.core import Function
from tapeless.passes.notes import Notes
from tapeless.passes.pipeline import optimise
from tapeless.symbolic import stages
from tapeless.symbolic.resynthesis import shortened
from tapeless.symbolic.rules import all_rules, fired
from tapeless.testing.coarsen_judge import EACH, request

THEORY = Path(__file__).parents[2] / "docs" / "theory" / "coarsening.md"
ON_REQUEST = {"egglog"}  # an extra: `tests/symbolic/test_egglog.py`
# All of them, then those that have the rare forms.
SEEDS = chain(range(13 * EACH), range(14 * EACH - 1, 60 * EACH, EACH))


def coarsened(seed: int) -> None:
    """What the judge has made of a program, without judging it."""
    function = request(seed).function
    program = prepare(Function(function.name, function.params, function.body), Notes())
    optimise(function, before={"factor": stages.run})
    active = [k for k, param in enumerate(program.params) if param.type.dtype.is_float]
    if active:
        shortened(vjp_function(program, active, Plan(collapse=Collapser())).body, Notes())


def test_every_rule_fires_in_the_corpus() -> None:
    left = {rule.name for rule in all_rules()} - ON_REQUEST
    fired.clear()
    for seed in SEEDS:
        if left:
            coarsened(seed)
            left -= fired.keys()
    assert not left


@pytest.mark.parametrize("rule", [rule.name for rule in all_rules()])
def test_the_theory_names_every_rule(rule: str) -> None:
    emphasised = " ".join(THEORY.read_text().split("**")[1::2])
    assert rule in re.findall(r"\w+", emphasised)
