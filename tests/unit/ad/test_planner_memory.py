"""What needs too much memory warns before it starts, and fails cleanly."""

import warnings
from collections.abc import Iterator

import numpy as np
import pytest

import tapeless as tp
from tapeless.runtime import host


def waves(x, n):
    y = x
    for i in range(n):
        y = np.sin(1.7 * y + 0.01 * i)
    return y


# A loop of one number would carry its derivative along, and keep nothing.
slope = tp.grad(waves, coarsen=False)
limited = tp.grad(waves, memory="100KB", coarsen=False)


@pytest.fixture
def small_machine() -> Iterator[None]:
    slope(0.3, 1)  # links the runtime
    limited(0.3, 1)
    host.trim()
    host.warn_beyond(host.memory().live_bytes + 2_000_000)
    yield
    host.warn_beyond(host.machine_memory() // 2)


@pytest.mark.usefixtures("small_machine")
def test_keeping_more_than_half_of_the_memory_warns_with_the_remedy():
    with pytest.warns(host.LargeMemoryWarning, match="memory="):
        assert np.isfinite(slope(0.3, 500_000))


@pytest.mark.usefixtures("small_machine")
def test_a_limit_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(limited(0.3, 500_000))


def test_memory_that_nobody_has_is_an_error():
    with pytest.raises(MemoryError):
        slope(0.3, 10**15)
