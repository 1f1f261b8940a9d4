"""Equality saturation by egglog: equal values, fewer operations, within its time; refused where it is missing."""

from __future__ import annotations

import sys
import time
from random import Random

import numpy as np
import pytest

import tapeless as tp
from tapeless.errors import MissingExtraError
from tapeless.ir.build import Builder
from tapeless.ir.core import Apply
from tapeless.ir.walk import statements
from tapeless.symbolic import resynthesis
from tapeless.symbolic.egraph import Term, saturated
from tapeless.symbolic.rules import fired

from .helpers import agree
from .straight import inputs, random_run, results


def test_it_is_refused_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "egglog", None)
    with tp.config(egglog=True), pytest.raises(MissingExtraError, match=r"tapeless\[egglog\]"):
        tp.grad(lambda x: x * x)(2.0)
    assert tp.grad(lambda x: x * x * x)(2.0) == 12.0


class TestSaturation:
    @pytest.fixture(autouse=True)
    def _installed(self):
        pytest.importorskip("egglog")

    def test_a_common_factor_is_found(self):
        terms = [
            Term("leaf"),
            Term("leaf"),
            Term("leaf"),
            Term("mul", (0, 1)),
            Term("mul", (0, 2)),
            Term("sub", (3, 4)),
        ]
        nodes = saturated(terms)
        own = {node.args[0]: node.own for node in nodes if node.op == "leaf"}
        inner = next(node.own for node in nodes if node.op == "sub" and node.args == (own[1], own[2]))
        outer = next(node.own for node in nodes if node.op == "mul" and node.args == (own[0], inner))
        assert any(node.op == "sub" and node.own == outer for node in nodes)

    def test_it_ends_in_time(self):
        """A sum of 40 terms has more orders than fit anywhere."""
        terms = [Term("leaf") for _ in range(40)]
        terms += [Term("add", (39 + k if k else 0, k + 1)) for k in range(39)]
        start = time.process_time()
        assert saturated(terms, seconds=0.1)
        assert time.process_time() - start < 5.0

    @pytest.mark.parametrize("seed", range(25))
    def test_the_values_are_the_same(self, seed):
        params, dice = inputs(4), Random(seed)
        stms, outputs = random_run(seed, 30, params)
        new = resynthesis._round(stms, outputs, {}, saturating=True)
        point = [dice.uniform(-2, 2) for _ in params]
        assert agree(results(stms, params, outputs, point), results(new, params, outputs, point))

    @pytest.mark.parametrize("op", ["add", "mul"])
    def test_sums_and_products_in_other_orders_share_their_parts(self, op):
        before = after = 0.0
        for seed in range(8):
            stms, outputs, params = _shuffled(seed, op)
            plain = resynthesis._factored(resynthesis._round(stms, outputs, {}), outputs, {}, 4)
            short = resynthesis._saturated(plain, outputs, {})
            point = [0.3 + 0.2 * k for k in range(len(params))]
            assert agree(results(stms, params, outputs, point), results(short, params, outputs, point))
            before, after = before + resynthesis._cost(plain), after + resynthesis._cost(short)
        assert after < 0.97 * before

    def test_it_never_makes_code_longer(self, monkeypatch):
        """What saturation gives is taken if it is cheaper by the count, and else not."""
        stms, outputs, _ = _shuffled(0, "mul")
        longer = [*stms, *stms]
        monkeypatch.setattr(resynthesis, "_round", lambda *_, **__: longer)
        assert resynthesis._saturated(stms, outputs, {}) is stms

    def test_gradients_take_fewer_operations(self):
        args = np.linspace(0.3, 1.7, 8).tolist()
        plain = tp.grad(tp.jit()(products), tuple(range(8)))
        sizes, gradients = [size(plain, args)], [plain(*args)]
        fired.clear()
        with tp.config(egglog=True):
            sizes.append(size(plain, args))
            gradients.append(plain(*args))
        assert fired["egglog"] > 0
        assert sizes[1] < sizes[0]
        np.testing.assert_allclose(gradients[1], gradients[0], rtol=1e-14)

    def test_wrong_values_are_not_taken(self, monkeypatch):
        """The gate compares with what was written, whoever made it."""
        args = np.linspace(0.3, 1.7, 8).tolist()
        expected = tp.grad(tp.jit(coarsen=False)(products), tuple(range(8)))(*args)
        broken = resynthesis._saturated

        def negated(stms, outputs, opposite):
            new = list(broken(stms, outputs, opposite))
            last = new[-1]
            assert isinstance(last.expr, Apply)
            new[-1] = type(last)(last.vars, Apply("add", (last.expr.args[0], last.expr.args[0])), last.pos)
            return new

        monkeypatch.setattr(resynthesis, "_saturated", negated)
        with tp.config(egglog=True):
            found = tp.grad(tp.jit()(products), tuple(range(8)))(*args)
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def _shuffled(seed, op):
    """Six sums or products of five out of eight inputs, in any order."""
    dice, b, params = Random(seed), Builder(), inputs(8)
    outputs = []
    for _ in range(6):
        total, *others = dice.sample(params, 5)
        for x in others:
            total = b.apply(op, total, x)
        outputs.append(total)
    return b.stms, outputs, params


def products(a, b, c, d, e, f, g, h):
    """Products of five out of eight factors."""
    one = a * c * e * g * h + d * a * f * b * e + h * g * b * c * d
    two = f * h * a * b * c + g * d * e * f * c + b * e * h * d * g
    return np.sin(one) + np.cos(two) * one


def size(function, args):
    return sum(isinstance(stm.expr, Apply) for stm in statements(function.lower(*args).ir.body))
