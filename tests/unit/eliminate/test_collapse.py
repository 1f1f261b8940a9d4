"""Products with tangents and adjoints through collapsed segments: the same, and never by more multiplications."""

from __future__ import annotations

import random

import numpy as np
import pytest

import tapeless as tp
from tapeless.ad.jvp import pushforwards
from tapeless.ad.planner import Plan
from tapeless.ad.vjp import pullback
from tapeless.eliminate.collapse import Collapser
from tapeless.ir.build import Builder
from tapeless.ir.check import check
from tapeless.ir.core import Function
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers_count import CountingTower
from tapeless.ir.numbers_mp import MpTower
from tapeless.ir.types import F64, Type, f64
from tapeless.ir.walk import fresh
from tapeless.passes import dce
from tapeless.passes.notes import Notes
from tapeless.testing.accumulation import program


def pushed(function: Function, columns: int, directions: int, collapse: Collapser | None) -> Function:
    """The program that takes so many tangents of its first parameters, and returns the tangents of its results."""
    b = Builder()
    inputs = function.params[:columns]
    tangents = [[fresh("x_dot", Type(F64)) for _ in inputs] for _ in range(directions)]
    given = [dict(zip(inputs, dots, strict=True)) for dots in tangents]
    _, found = pushforwards(b, function.body, given, collapse)
    results = [f64(0.0) if x_dot is None else x_dot for dots in found for x_dot in dots]
    whole = Function("jvp", (*function.params, *(x for dots in tangents for x in dots)), b.block(results))
    check(whole)
    return dce.run(whole, Notes())


def counted(function: Function, args: list[float]) -> tuple[np.ndarray, int]:
    tower = CountingTower(MpTower())
    results = evaluate(function, args, tower)
    return np.array([float(x) for x in results]), tower.counts["mul"] + tower.counts["scale"]


@pytest.mark.parametrize(("directions", "least"), [(1, 10), (2, 50), (5, 500)])
def test_tangents_of_straight_line_code(directions: int, least: int) -> None:
    saved = 0
    for seed in range(120):
        dice = random.Random(seed)
        function, columns = program(dice, choices=seed % 2 == 1)
        args = [dice.uniform(-1.5, 1.5) for _ in range(len(function.params) + directions * columns)]
        wanted, plain = counted(pushed(function, columns, directions, None), args)
        found, fewer = counted(pushed(function, columns, directions, Collapser()), args)
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
        assert fewer <= plain, seed
        saved += plain - fewer
    assert saved > least


def pulled(function: Function, columns: int, collapse: Collapser | None) -> Function:
    """The program that takes adjoints of its results and returns those of its first parameters."""
    b = Builder()
    inputs, seeds = function.params[:columns], [fresh("x_adj", Type(F64)) for _ in function.body.results]
    _, pull = pullback(b, function.body, inputs, Plan(collapse=collapse))
    results = [f64(0.0) if x_adj is None else x_adj for x_adj in pull(b, seeds)]
    whole = Function("vjp", (*function.params, *seeds), b.block(results))
    check(whole)
    return dce.run(whole, Notes())


def test_adjoints_of_straight_line_code() -> None:
    saved = 0
    for seed in range(200):
        dice = random.Random(seed)
        function, columns = program(dice, choices=seed % 2 == 1)
        args = [dice.uniform(-1.5, 1.5) for _ in range(len(function.params) + len(function.body.results))]
        wanted, plain = counted(pulled(function, columns, None), args)
        found, fewer = counted(pulled(function, columns, Collapser()), args)
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
        assert fewer <= plain, seed
        saved += plain - fewer
    assert saved > 10


def arm(q: tp.f64[3]):
    a, b = q[0] + q[1], q[0] + q[1] + q[2]
    reach = np.cos(q[0]) + 0.5 * np.cos(a) + 0.2 * np.cos(b)
    height = np.sin(q[0]) + 0.5 * np.sin(a) + 0.2 * np.sin(b)
    return np.array([reach, height]), np.where(reach > 0, np.arctan2(height, reach), np.sqrt(height * height))


@pytest.mark.parametrize("q", [np.array([0.3, 0.4, 0.5]), np.array([3.0, 0.2, 0.1])])
def test_a_linear_map_is_made_once_and_applied_often(q: np.ndarray) -> None:
    @tp.jit
    def pushed_all(q: tp.f64[3], tangents: tp.f64[:, 3]):
        value, push = tp.linearize(arm, q)
        return value, tp.map(push, tangents)

    tangents = np.random.default_rng(0).normal(size=(5, 3))
    value, (ends, angles) = pushed_all(q, tangents)
    wanted = tp.jacfwd(arm)(q)
    np.testing.assert_allclose(value[0], arm(q)[0], rtol=1e-13)
    np.testing.assert_allclose(ends, tangents @ wanted[0].T, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(angles, tangents @ wanted[1], rtol=1e-12, atol=1e-14)
    assert "multiplications for each tangent" in pushed_all.explain(q, tangents)


def test_a_linear_map_of_code_that_is_not_straight() -> None:
    @tp.jit
    def pushed_once(x, v):
        def cumulated(x):
            for i in range(1, len(x)):
                x[i] = np.sin(x[i - 1]) * x[i]
            return x, len(x)

        return tp.linearize(cumulated, x)[1](v)

    x, v = np.array([0.3, 0.4, 0.5]), np.array([1.0, 2.0, -1.0])
    first = np.cos(0.3) * 0.4 + np.sin(0.3) * 2.0
    second = np.cos(np.sin(0.3) * 0.4) * 0.5 * first - np.sin(np.sin(0.3) * 0.4)
    np.testing.assert_allclose(pushed_once(x, v)[0], [1.0, first, second], rtol=1e-13)


def test_explain_says_how_segments_are_gone_through() -> None:
    def swing(x: tp.f64[2], n):
        a, b = x
        for _ in range(n):
            a, b = a + 0.1 * b, b - 0.1 * np.sin(a + 0.05 * b) * np.exp(-b * b)
        return np.array([a, b])

    x, jacobian = np.array([0.3, 0.4]), tp.jacfwd(swing)
    step = 1e-6
    wanted = [(swing(x + step * unit, 5) - swing(x - step * unit, 5)) / (2 * step) for unit in np.eye(2)]
    np.testing.assert_allclose(jacobian(x, 5), np.array(wanted).T, rtol=1e-8)
    assert "derivative of a segment (18 multiplications became" in jacobian.explain(x, 5)
