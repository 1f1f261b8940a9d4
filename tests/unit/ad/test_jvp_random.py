"""Forward mode on random programs over the whole language, against 60-digit differences."""

import numpy as np
import pytest

from tapeless.testing.generate import random_program
from tapeless.testing.oracle import Oracle, deviation
from tapeless.testing.profile import SMOOTH

from .jvp_harness import directions, jvp

CHUNK = 30


@pytest.mark.parametrize("start", range(0, 300, CHUNK))
def test_tangents_of_random_programs(start):
    judged = sum(_agrees(*random_program(seed, profile=SMOOTH)) for seed in range(start, start + CHUNK))
    assert judged > CHUNK // 2  # others fail a check, or stand on a kink


def _agrees(function, args):
    """Are the tangents those of the oracle? False where there is none."""
    direction = directions(function, args)
    slope = Oracle(function).slope(args, direction)
    if slope.kink or slope.value.fault:
        return False
    derived, varying = jvp(function)
    results = Oracle(derived).evaluate([*args, *(along for along in direction if along is not None)]).results
    tangents = dict(zip(varying, results[len(function.body.results) :], strict=True))
    for k, expected in enumerate(slope.along):
        if expected is not None:
            assert deviation(tangents.get(k, np.zeros(np.shape(expected))), expected) < 1e-12
    return True
