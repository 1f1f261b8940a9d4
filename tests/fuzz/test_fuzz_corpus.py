"""Random programs: every pass and the compiled code agree with the interpreter. TAPELESS_FUZZ=N runs N of them."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tapeless.testing.worker import Worker

BATCH = 10
PROGRAMS = int(os.environ.get("TAPELESS_FUZZ", "60"))


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    worker.stop()


@pytest.mark.parametrize("first", range(0, PROGRAMS, BATCH))
def test_programs_agree_with_the_interpreter(worker: Worker, first: int) -> None:
    verdicts = {seed: worker.judge(str(seed)) for seed in range(first, min(first + BATCH, PROGRAMS))}
    failed = {seed: verdict for seed, verdict in verdicts.items() if verdict.kind not in ("ok", "unstable")}
    assert not failed
