"""Common factors are taken out of sums: the same values, fewer products, no worse rounding."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.build import Builder
from tapeless.ir.core import Apply, Pos
from tapeless.ir.eval import evaluate
from tapeless.ir.types import F64, Lit
from tapeless.symbolic.factor import MOST_FACTORS, MOST_TERMS, WIDEST, factored

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


def test_a_difference_of_close_values_keeps_its_digits():
    """p (x - y) + q y + r y: y is common to more, but (q + r - p) y + p x has lost what x - y is."""
    p, q, r, x, y = params = inputs(5)
    build = Builder()
    total = build.apply("mul", p, build.apply("sub", x, y))
    for other in (q, r):
        total = build.apply("add", total, build.apply("mul", other, y))
    close = [1e8, 1e-8, 1e-8, 1.0 + 2**-50, 1.0]
    new = factored(build.stms, [total])
    assert new is not build.stms
    wanted = results(build.stms, params, [total], close)
    assert evaluate(program(new, params, [total]), close) == pytest.approx([float(wanted[0])], rel=1e-15)


def added(build, terms):
    """The sum of products."""
    total = None
    for factors in terms:
        term = product(build, factors)
        total = term if total is None else build.apply("add", total, term)
    return total


def product(build, factors):
    made = factors[0]
    for factor in factors[1:]:
        made = build.apply("mul", made, factor)
    return made


@pytest.mark.parametrize("width", [2, WIDEST, WIDEST + 1])
def test_only_short_sums_are_multiplied_out(width):
    """Then x is taken out of p (x y + ...) + q x + r x + ... as a whole."""
    p, *others = inputs(5)
    rest = inputs(2 * width)
    params = (p, *others, *rest)
    build = Builder()
    pairs = [rest[2 * k : 2 * k + 2] for k in range(width)]
    total = build.apply("mul", p, added(build, pairs))
    for other in others:
        total = build.apply("add", total, build.apply("mul", other, rest[0]))
    new = factored(build.stms, [total])
    reads = [stm for stm in new if isinstance(stm.expr, Apply) and rest[0] in stm.expr.args]
    assert len(reads) == (1 if width <= WIDEST else 2)
    point = [2 * k + 3 for k in range(len(params))]
    assert results(new, params, [total], point) == results(build.stms, params, [total], point)


@pytest.mark.parametrize("terms", [MOST_TERMS, MOST_TERMS + 1])
def test_sums_of_many_terms_stay(terms):
    x, *others = params = inputs(1 + terms)
    build = Builder()
    total = added(build, [(x, other) for other in others])
    assert count(factored(build.stms, [total]), "mul") == (1 if terms == MOST_TERMS else terms)
    assert params


@pytest.mark.parametrize("factors", [MOST_FACTORS, MOST_FACTORS + 1])
def test_products_of_many_factors_stay(factors):
    """x is the first factor of two terms; it is not seen in a product that is too long."""
    x, *others = inputs(factors)
    a, b = inputs(2)
    build = Builder()
    total = added(build, [(x, *others), (x, a), (x, b)])
    new = factored(build.stms, [total])
    reads = [stm for stm in new if isinstance(stm.expr, Apply) and x in stm.expr.args]
    assert len(reads) == (1 if factors == MOST_FACTORS else 2)


def test_sums_without_a_common_factor_and_of_two_terms_stay():
    params = inputs(6)
    for terms in ([params[k : k + 2] for k in (0, 2, 4)], [params[:2], (params[0], params[2])]):
        build = Builder()
        total = added(build, terms)
        assert factored(build.stms, [total]) is build.stms


@pytest.mark.parametrize("twice", [False, True])
def test_sums_that_are_no_terms_are_looked_at_by_themselves(twice):
    """The sum under an exponential, and one that is read twice."""
    x, y, *others = inputs(5)
    build = Builder()
    inside = added(build, [(x, other) for other in others])
    total = build.apply("add", build.apply("mul", inside, y) if twice else build.apply("exp", inside), y)
    total = build.apply("add", total, inside) if twice else total
    new = factored(build.stms, [total])
    assert sum(isinstance(stm.expr, Apply) and x in stm.expr.args for stm in new) == 1


def test_of_a_number_and_a_value_in_as_many_terms_the_value_is_taken_out():
    """3 x a + 3 x b + 3 x c = x (3 (a + b + c)): what x is may be shared with others."""
    x, *others = inputs(4)
    build = Builder()
    total = added(build, [(Lit(3.0, F64), x, other) for other in others])
    assert x in factored(build.stms, [total])[-1].expr.args


def test_groups_stand_where_their_first_term_stood():
    x, a, b, u, v = inputs(5)
    build = Builder()
    total = added(build, [(x, a), (u, v), (x, b)])
    (other,) = (stm.vars[0] for stm in build.stms if u in stm.expr.args)
    assert factored(build.stms, [total])[-1].expr.args[1] == other


def test_what_is_subtracted_as_a_whole_takes_its_sign():
    """-(x a) - x b - x c = -(x (a + b + c))."""
    x, a, b, c = params = inputs(4)
    build = Builder()
    total = build.apply("neg", build.apply("mul", x, a))
    for other in (b, c):
        total = build.apply("sub", total, build.apply("mul", x, other))
    new = factored(build.stms, [total])
    assert (count(new, "mul"), len(new)) == (1, 4)
    assert new[-1].vars == (total,)
    assert results(new, params, [total], (2, 3, 5, 7)) == [-30]


def test_statements_are_where_their_sum_is():
    x, *others = inputs(4)
    build = Builder()
    total = build.apply("mul", x, others[0])
    for line, other in enumerate(others[1:], 2):
        with build.at(Pos("f.py", line, 0, line, 9)):
            total = build.apply("add", total, build.apply("mul", x, other))
    assert {stm.pos.line for stm in factored(build.stms, [total])} == {3}


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
