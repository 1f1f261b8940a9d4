"""Loops over arrays that run backwards unless they are so short that keeping their states takes no more memory."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ad.functions import vjp_function
from tapeless.ad.planner import Plan
from tapeless.ad.prepare import prepare
from tapeless.ad.short import FEW
from tapeless.front.capture import lower, specialise
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers_count import CountingTower
from tapeless.passes import dce
from tapeless.passes.notes import Notes
from tapeless.runtime import host

CELLS = 12


def string(u, v, n):
    u, v = u * 1.0, v * 1.0
    for _ in range(n):
        v[1:-1] += 0.1 * np.sin(u[2:] - 2.0 * u[1:-1] + u[:-2])
        u += 0.1 * v
    return np.sum(u * v)


def damped(u, v, n):
    """Nothing that is halved 1000 times is found again."""
    u, v = u * 1.0, v * 1.0
    for _ in range(n):
        v *= 0.5
        v[1:-1] += 0.1 * np.sin(u[2:] - 2.0 * u[1:-1] + u[:-2])
        u += 0.1 * v
    return np.sum(u * v)


def until(u, v, n):
    u, v, k = u * 1.0, v * 1.0, 0
    while k < n:
        v += 0.1 * np.sin(u)
        u += 0.1 * v
        k += 1
    return np.sum(u * v)


def branched(u, v, n):
    u, v = u * 1.0, v * 1.0
    if n > 0:
        for _ in range(n):
            v += 0.1 * np.sin(u)
            u += 0.1 * v
    return np.sum(u * v)


def nested(u, v, n):
    u, v = u * 1.0, v * 1.0
    for _ in range(n):
        for k in range(n):
            v += 0.1 * np.sin(u + k)
            u += 0.1 * v
    return np.sum(u * v)


def side_by_side(u, v, n):
    total = 0.0
    for k in range(len(u)):
        total += string(u[k] * v, v, n)
    return total


def fields():
    rng = np.random.default_rng(3)
    return rng.normal(size=CELLS), rng.normal(size=CELLS)


def sines(function, n, plan):
    """How many sines the derivative computes."""
    jitted, arguments = tp.jit(function), (*fields(), n)
    call = specialise(jitted.parameters, arguments, {}, static_shapes=False)
    program = prepare(lower(jitted.parameters, call.specs, None, 1).function, Notes())
    tower = CountingTower()
    evaluate(dce.run(vjp_function(program, [0, 1], plan=plan), Notes()), [*arguments, 1.0], tower)
    return tower.counts["sin"]


@pytest.mark.parametrize("n", range(7))
def test_few_iterations_do_not_run_backwards(n):
    """As many sines as where everything is kept, or as where nothing is."""
    plain, strict = sines(string, n, Plan()), sines(string, n, Plan(backwards=True, strict=True))
    assert strict > plain or n == 0
    assert sines(string, n, Plan(backwards=True)) == (plain if n <= FEW else strict)


def test_loops_around_others_do_without():
    """The return sweep would be there once more for each. The ones inside do not."""
    outer, inner, again = 3, 3, sines(nested, 3, Plan(backwards=True))
    assert sines(nested, FEW, Plan(backwards=True)) < again * (FEW * FEW) / (outer * inner)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 50])
@pytest.mark.parametrize("function", [string, damped, until, branched, nested], ids=lambda f: f.__name__)
def test_gradients_are_those_of_the_plain_loop(function, n):
    exact = tp.grad(function, (0, 1))(*fields(), n)
    for found in (tp.grad(function, (0, 1), memory="reversible"), tp.grad(tp.reversible(function), (0, 1))):
        for a, b in zip(exact, found(*fields(), n), strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 9])
def test_gradients_side_by_side(n):
    u, v = np.random.default_rng(5).normal(size=(4, CELLS)), fields()[1]
    exact = tp.grad(side_by_side, (0, 1))(u, v, n)
    for a, b in zip(exact, tp.grad(side_by_side, (0, 1), memory="reversible")(u, v, n), strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_loops_of_known_length(steps):
    def known(u, v):
        return string(u, v, steps)

    derivative = tp.grad(known, (0, 1), memory="reversible")
    for a, b in zip(tp.grad(known, (0, 1))(*fields()), derivative(*fields()), strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_second_derivatives(n):
    u, v = fields()

    def energy(u):
        return string(u, v, n)

    product = tp.hvp(energy, (u,), (v,))
    np.testing.assert_allclose(tp.hvp(energy, (u,), (v,), memory="reversible"), product, rtol=1e-8, atol=1e-10)


def test_short_loops_take_no_more_memory_than_long_ones():
    gradient = tp.grad(string, (0, 1), memory="reversible")
    u, v = np.ones(1000), np.zeros(1000)

    def taken(n):
        gradient(u, v, n)
        host.trim()
        gradient(u, v, n)
        return host.memory().cached_bytes

    few = [taken(n) for n in range(FEW + 1)]
    many = {taken(n) for n in (FEW + 1, 10, 1000)}
    assert len(many) == 1
    assert max(few) <= many.pop()


def test_explain_says_so():
    text = tp.grad(string, memory="reversible").explain(*fields(), 5)
    assert f"keeps up to {FEW} states of" in text
    assert "runs backwards from its last state" in text
    assert "keeps up to" not in tp.grad(tp.reversible(strict=True)(string)).explain(*fields(), 5)
