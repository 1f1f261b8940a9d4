"""Laws of the random programs for coarsening: well-typed, within their bounds, with the loops that are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeless.ir.check import check
from tapeless.ir.core import Function
from tapeless.testing import coverage
from tapeless.testing.coarsen_lift import lifted
from tapeless.testing.coarsen_loops import RECURRENCES
from tapeless.testing.compare import reference
from tapeless.testing.derivative_law import judge_derivatives
from tapeless.testing.generate import TABLE, random_program
from tapeless.testing.profile import COARSE

SEEDS = range(150)


def program(seed: int, **options: Any) -> tuple[Function, list[Any]]:
    return random_program(seed, profile=COARSE, table=(*TABLE, *RECURRENCES), **options)


def test_every_program_is_well_typed_and_keeps_its_bounds() -> None:
    for seed in SEEDS:
        function, args = program(seed, audit=True)
        check(function)
        assert not reference(function, args).fault, seed


@pytest.mark.parametrize(("construct", "share"), [("for", 0.8), ("while", 0.2), ("if", 0.3), ("nested loops", 0.2)])
def test_the_corpus_covers(construct: str, share: float) -> None:
    found = coverage([program(seed)[0] for seed in SEEDS])
    assert found.shares.get(construct, 0.0) >= share, str(found)


@pytest.mark.parametrize("production", RECURRENCES, ids=lambda p: p.name)
def test_every_production_is_well_typed_alone(production: Any) -> None:
    for seed in range(20):
        function, args = random_program(seed, profile=COARSE, table=(*TABLE[:6], production))
        check(function)
        reference(function, args)


@pytest.mark.parametrize("seed", range(12))
def test_plain_derivatives_are_right(seed: int) -> None:
    assert judge_derivatives(*program(seed), seed=seed, prepared=seed % 2 == 1).kind in ("ok", "unstable")


def test_lifted_constants_change_nothing() -> None:
    for seed in range(30):
        function, args = program(seed)
        more, values = lifted(function, args)
        check(more)
        for x, y in zip(reference(function, args).results, reference(more, values).results, strict=True):
            np.testing.assert_array_equal(x, y)
