"""Random programs, differentiated in both modes, against the oracle. TAPELESS_FUZZ_GRAD=N runs N of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache

import pytest

from tapeless.testing import coverage, random_program
from tapeless.testing.coverage import Coverage
from tapeless.testing.profile import SMOOTH
from tapeless.testing.worker import DERIVATIVES, Worker

BATCH = 10
PROGRAMS = int(os.environ.get("TAPELESS_FUZZ_GRAD", "60"))


def workers(order: int) -> Iterator[Worker]:
    worker = Worker(DERIVATIVES, str(order))
    yield worker
    worker.stop()


@pytest.fixture(scope="module")
def first_order() -> Iterator[Worker]:
    yield from workers(1)


@pytest.fixture(scope="module")
def second_order() -> Iterator[Worker]:
    yield from workers(2)


def failures(worker: Worker, seeds: range) -> dict[int, object]:
    verdicts = {seed: worker.judge(str(seed)) for seed in seeds}
    return {seed: verdict for seed, verdict in verdicts.items() if verdict.kind not in ("ok", "unstable")}


@pytest.mark.parametrize("first", range(0, PROGRAMS, BATCH))
def test_derivatives_agree_with_the_oracle(first_order: Worker, first: int) -> None:
    assert not failures(first_order, range(first, min(first + BATCH, PROGRAMS)))


@pytest.mark.parametrize("first", range(0, PROGRAMS // 5, BATCH))
def test_second_derivatives_agree_with_the_oracle(second_order: Worker, first: int) -> None:
    assert not failures(second_order, range(first, min(first + BATCH, PROGRAMS // 5)))


@pytest.mark.parametrize(
    ("construct", "share"),
    [
        ("loops", 0.6), ("nested loops", 0.3), ("if", 0.4), ("parallel operators", 0.6), ("updates in loops", 0.4),
        ("while", 0.2), ("reduce", 0.3), ("scan", 0.15), ("hist", 0.1), ("scatter", 0.15), ("f32", 0.1),
        ("several accumulators", 0.2), ("operators with free variables", 0.08), ("nested parallel operators", 0.3),
    ],
)  # fmt: skip
def test_the_programs_cover(construct: str, share: float) -> None:
    found = _covered()
    assert found.shares.get(construct, 0.0) >= share, str(found)


@cache
def _covered() -> Coverage:
    """Of so many programs that shares near their limits are not a matter of luck."""
    return coverage(random_program(seed, profile=SMOOTH)[0] for seed in range(600))
