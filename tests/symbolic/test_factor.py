"""Common factors are taken out of sums: the same values, fewer products, no worse rounding."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.build import Builder
from tapeless.ir.eval import evaluate
from tapeless.symbolic.factor import factored

from .helpers import agree
from .straight import count, inputs, program, random_run, results


@pytest.mark.parametrize("seed", range(150))
def test_the_values_are_the_same(seed):
    params, dice = inputs(4), Random(seed)
    stms, outputs = random_run(seed, 30, params)
    new = factored(stms, outputs)
    point = [dice.uniform(-2, 2) for _ in params]
    assert agree(results(stms, params, outputs, point), results(new, params, outputs, point))


def test_random_runs_have_common_factors():
    params = inputs(4)
    runs = [random_run(seed, 30, params) for seed in range(150)]
    assert sum(factored(*run) is not run[0] for run in runs) > 20


def test_a_common_factor_is_taken_out():
    x, y, a, b, c = params = inputs(5)
    build = Builder()
    products = [build.apply("mul", *pair) for pair in ((x, a), (y, b), (x, c))]
    total = build.apply("add", build.apply("sub", products[0], products[1]), products[2])
    new = factored(build.stms, [total])
    assert (count(build.stms, "mul"), count(new, "mul")) == (3, 2)
    assert results(new, params, [total], (2, 3, 5, 7, 11)) == [2 * 5 - 3 * 7 + 2 * 11]


def test_sums_of_products_are_multiplied_out():
    """p (q a + r b) - q c = q (p a - c) + r p b."""
    p, q, r, a, b, c = params = inputs(6)
    build = Builder()
    inner = build.apply("add", build.apply("mul", q, a), build.apply("mul", r, b))
    total = build.apply("sub", build.apply("mul", p, inner), build.apply("mul", q, c))
    new = factored(build.stms, [total])
    assert new is not build.stms
    assert results(new, params, [total], (2, 3, 5, 7, 11, 13)) == [2 * (3 * 7 + 5 * 11) - 3 * 13]


def test_differences_are_not_multiplied_out():
    """p (x - y) + q y stays: x - y is exact where x and y are close, p x - p y is not."""
    p, q, x, y = inputs(4)
    build = Builder()
    total = build.apply("add", build.apply("mul", p, build.apply("sub", x, y)), build.apply("mul", q, y))
    total = build.apply("add", total, build.apply("mul", p, q))
    close = (1e8, 1e-8, 1.0 + 2**-50, 1.0)
    new = factored(build.stms, [total])
    (before,) = evaluate(program(build.stms, (p, q, x, y), [total]), list(close))
    (after,) = evaluate(program(new, (p, q, x, y), [total]), list(close))
    assert after == pytest.approx(before, rel=1e-15)


def test_what_is_read_elsewhere_is_not_lost():
    x, a, c = params = inputs(3)
    build = Builder()
    part = build.apply("add", build.apply("mul", x, a), a)
    total = build.apply("add", part, build.apply("mul", x, c))
    both = build.apply("mul", part, total)
    point = (3, 5, 7)
    assert results(factored(build.stms, [both]), params, [both], point) == results(build.stms, params, [both], point)


def arm(a, b, c, d):
    """A chain of turns about axes in different directions: how far the end is from a target."""
    x, y, z = 0.3 * np.cos(a), 0.3 * np.sin(a), 0.1
    for angle in (b, c, d):
        x, y, z = x * np.cos(angle) - y * np.sin(angle) + 0.2, x * np.sin(angle) + y * np.cos(angle), z + 0.1
        y, z = y * np.cos(a) - z * np.sin(a), y * np.sin(a) + z * np.cos(a)
    return (x - 0.3) ** 2 + (y + 0.2) ** 2 + (z - 0.5) ** 2


def test_gradients_take_fewer_operations(monkeypatch):
    def size():
        return len(tp.grad(tp.jit()(arm), (0, 1, 2, 3)).lower(0.1, 0.2, 0.3, 0.4).ir.body.stms)

    short = size()
    monkeypatch.setattr("tapeless.symbolic.resynthesis.factored", lambda stms, _: stms)
    assert short < 0.95 * size()
