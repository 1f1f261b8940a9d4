"""Wrong rules on purpose: the laws catch every one. TAPELESS_MUTANTS=all plants all, otherwise a sample."""

from __future__ import annotations

import os

import pytest

from tapeless.ir.op import Op, all_ops
from tapeless.testing.derivative_law import judge_derivatives
from tapeless.testing.mutants import Mutant, applications, caught, record_mutants

EVERY = 1 if os.environ.get("TAPELESS_MUTANTS") == "all" else 9
MUTANTS = list(record_mutants())
SMOOTH = [op for op in all_ops() if not isinstance(op.partials, str)]


def test_every_partial_has_mutants() -> None:
    assert {mutant.right.name for mutant in MUTANTS} == {op.name for op in SMOOTH}
    assert len(MUTANTS) > 300


@pytest.mark.parametrize("op", SMOOTH, ids=lambda op: op.name)
def test_the_right_record_keeps_the_law(op: Op) -> None:
    assert judge_derivatives(*applications(op)).kind == "ok"


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("mutant", MUTANTS[::EVERY], ids=lambda mutant: mutant.name)
def test_a_wrong_record_is_caught(mutant: Mutant, mode: str) -> None:
    assert caught(mutant, mode)
