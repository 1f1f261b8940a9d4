"""Random programs whose segments are eliminated, in loops, maps and branches: both modes against differences.

Whether it is worth it does not matter here, so that segments of all kinds are met.
"""

import random

import numpy as np
import pytest

from tapeless.ad import accumulated, compared
from tapeless.ad.jvp import pushforward
from tapeless.ad.planner import Plan
from tapeless.eliminate import collapse
from tapeless.eliminate.collapse import Collapser
from tapeless.eliminate.scarcity import Scarce, Step
from tapeless.ir.build import Builder
from tapeless.ir.check import check
from tapeless.ir.core import Function
from tapeless.ir.walk import fresh
from tapeless.testing.generate import random_program
from tapeless.testing.oracle import Oracle, deviation
from tapeless.testing.profile import SMOOTH

from .jvp_harness import directions
from .vjp_harness import reverse_agrees

CHUNK = 25
ROUNDING = 1e-6  # products of constants are rounded to the type of the program, f32 too


@pytest.fixture
def collapsed(monkeypatch):
    """How many segments were."""
    dice, met = random.Random(3), []

    def everything(graph, _vectors):
        met.append(graph)
        order = dice.sample(graph.intermediates, dice.randint(0, len(graph.intermediates)))
        return Scarce(tuple(map(Step, order)), 1, 0, 0)

    monkeypatch.setattr(collapse, "scarce", everything)
    return met


@pytest.mark.parametrize("start", range(0, 150, CHUNK))
def test_random_programs(start, collapsed):
    judged = sum(_agrees(*random_program(seed, profile=SMOOTH)) for seed in range(start, start + CHUNK))
    assert judged > CHUNK // 2
    assert len(collapsed) > CHUNK


def test_loops_that_keep_derivatives(monkeypatch):
    loops = []

    def always(_expr, _found, kept, _reads):
        loops.append(len(kept))
        return True

    monkeypatch.setattr(accumulated, "_worth", always)
    monkeypatch.setattr(compared, "is_worth_it", lambda *_: True)
    for seed in range(240):
        function, args = random_program(seed, profile=SMOOTH)
        slope = Oracle(function).slope(args, directions(function, args))
        if not slope.kink and not slope.value.fault:
            reverse_agrees(function, args, plan=Plan(collapse=Collapser()), tolerance=ROUNDING, rounding=1e-5)
    assert len(loops) > 20


def _agrees(function, args):
    direction = directions(function, args)
    slope = Oracle(function).slope(args, direction)
    if slope.kink or slope.value.fault:
        return False
    derived, varying = _pushed(function)
    results = Oracle(derived).evaluate([*args, *(along for along in direction if along is not None)]).results
    tangents = dict(zip(varying, results[len(function.body.results) :], strict=True))
    for k, expected in enumerate(slope.along):
        if expected is not None:
            assert deviation(tangents.get(k, np.zeros(np.shape(expected))), expected) < ROUNDING
    reverse_agrees(function, args, plan=Plan(collapse=Collapser()), tolerance=ROUNDING, rounding=1e-5)
    return True


def _pushed(function):
    b = Builder()
    inputs = [param for param in function.params if param.type.dtype.is_float]
    tangents = [fresh(f"{param.name}_dot", param.type) for param in inputs]
    values, dots = pushforward(b, function.body, dict(zip(inputs, tangents, strict=True)), Collapser())
    varying = tuple(k for k, x_dot in enumerate(dots) if x_dot is not None)
    results = (*values, *(dots[k] for k in varying))
    derived = Function(f"{function.name}_jvp", (*function.params, *tangents), b.block(results))
    check(derived)
    return derived, varying
