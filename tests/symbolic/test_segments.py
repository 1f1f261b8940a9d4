"""How derivatives are cut: by counted cost, as the paper does, or one statement after another."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers_count import CountingTower
from tapeless.ir.text import parse_function
from tapeless.symbolic.describe import Segment as Described

WAYS = [{"segments": "counted"}, {"segments": "paper"}, {"segments": "plain"}, {"coarsen": False}]


def rolling(x, v, angle, steps):
    """A loop of several inputs, with a branch and quotients."""
    cost = 0.0
    for _ in range(steps):
        s, c = np.sin(angle), np.cos(angle)
        force = 0.5 * x if angle > 0.2 else -0.25 * x * v
        v = v + 0.1 * (force - s * c / (1.5 + s * s))
        x = x + 0.1 * v
        angle = angle + 0.1 * (s * v - 0.3 * x)
        cost += x * x + angle * angle * v
    return cost


def settled(points, weight):
    """An iteration of its own for each element."""
    total = 0.0
    for i in range(len(points)):
        y = points[i]
        while y * y * y - points[i] - weight * y > 1e-9:
            y = y - (y * y * y - points[i] - weight * y) / (3.0 * y * y - weight)
        total += y * y
    return total


def straight(x, y):
    u = np.sin(x * y) + np.exp(0.3 * x)
    w = u * u / (1.0 + y * y)
    z = np.where(w > 0.5, w * x, w - y)
    return z * u + w * w


@tp.reversible
def swing(q, p, steps):
    for _ in range(steps):
        p -= 0.1 * np.sin(q)
        q += 0.1 * p
    return q, p


def swung(q, p):
    q, p = swing(q, p, 7)
    return q * p + np.cos(q)


POINTS = np.array([2.0, 3.0, 4.5])
PROGRAMS = [
    (rolling, (0.4, -0.3, 0.25, 6), (0, 1, 2)),
    (settled, (POINTS, 0.5), (0, 1)),
    (straight, (0.7, 1.3), (0, 1)),
    (swung, (0.5, 0.2), (0, 1)),
]


def by_name(x):
    return getattr(x, "__name__", "")


def same(found, wanted, rtol=1e-11):
    if isinstance(wanted, tuple):
        assert len(found) == len(wanted)
        for x, y in zip(found, wanted, strict=True):
            same(x, y, rtol)
    else:
        np.testing.assert_allclose(found, wanted, rtol=rtol, atol=1e-12)


# -- all verbs --------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS[:-1], ids=lambda way: way["segments"])
@pytest.mark.parametrize(("function", "args", "by"), PROGRAMS, ids=by_name)
def test_all_verbs_give_what_plain_derivatives_give(function, args, by, way):
    plain = WAYS[-1]
    for verb in (tp.grad, tp.value_and_grad, tp.jacfwd, tp.jacrev, tp.jacobian):
        same(verb(function, by, **way)(*args), verb(function, by, **plain)(*args))
    same(tp.hessian(function, by, **way)(*args), tp.hessian(function, by, **plain)(*args), 1e-9)


@pytest.mark.parametrize("way", WAYS[:-1], ids=lambda way: way["segments"])
@pytest.mark.parametrize(("function", "args", "by"), PROGRAMS, ids=by_name)
def test_products_with_derivatives(function, args, by, way):
    primals, rest = tuple(args[k] for k in by), args[len(by) :]

    def of(*xs):
        return function(*xs, *rest)

    dots, plain = tuple(0.5 * x + 0.1 for x in primals), WAYS[-1]
    same(tp.jvp(of, primals, dots, **way), tp.jvp(of, primals, dots, **plain))
    same(tp.hvp(of, primals, dots, **way), tp.hvp(of, primals, dots, **plain), 1e-9)
    same(tp.vjp(of, *primals, **way)[1](1.5), tp.vjp(of, *primals, **plain)[1](1.5))
    same(tp.linearize(of, *primals, **way)[1](*dots), tp.linearize(of, *primals, **plain)[1](*dots))


def test_sparse_derivatives_take_the_options():
    def residual(x):
        return np.exp(np.sin(x[1:] * x[:-1])) * x[1:]

    x = np.linspace(0.1, 1.0, 6)
    wanted = tp.jacfwd(residual, coarsen=False)(x)
    for way in WAYS:
        for verb in (tp.jacfwd, tp.jacrev, tp.jacobian):
            np.testing.assert_allclose(verb(residual, sparse=True, **way)(x).toarray(), wanted, rtol=1e-13)


def loan(rate, years):
    value = 100.0
    for _ in range(years):
        value = value * (1.0 + rate) - 3.0
    return value


def test_a_derivative_is_asked_and_not_its_function():
    on, off = tp.grad(loan), tp.grad(loan, coarsen=False)
    assert on is not off
    assert "closed form" in on.show("segments", 0.05, 100)
    assert "closed form" not in off.show("segments", 0.05, 100)
    jitted = tp.jit(coarsen=False)(loan)
    assert "closed form" not in tp.grad(jitted).show("segments", 0.05, 100)
    assert "closed form" in tp.grad(jitted, coarsen=True).show("segments", 0.05, 100)
    assert pickle.loads(pickle.dumps(tp.grad(loan, coarsen=False))) is off


def test_the_verbs_take_the_options_inside_compiled_functions():
    @tp.jit
    def both(rate):
        linear = tp.linearize(lambda r: loan(r, 90), rate, coarsen=False)[1]
        pull = tp.vjp(lambda r: loan(r, 90), rate, segments="paper")[1]
        return tp.grad(loan, coarsen=False)(rate, 90), linear(1.0), pull(1.0)[0], tp.grad(loan)(rate, 90)

    found = both(0.05)
    same(found, (tp.grad(loan)(0.05, 90),) * 4)

    @tp.jit
    def plainly(rate):
        return tp.grad(loan, coarsen=False)(rate, 90)

    with tp.config(coarsen=True):
        assert "return sweep: keeps" in plainly.explain(0.05)


@pytest.mark.parametrize("wrong", [{"segments": "longest"}, {"coarsen": "maybe"}])
def test_other_words_are_refused(wrong):
    with pytest.raises(ValueError, match="must be"):
        tp.grad(loan, **wrong)
    with pytest.raises(ValueError, match="must be"):
        tp.jit(**wrong)(loan)


# -- loops of few inputs ----------------------------------------------------------------------------


def written(derivative, *args):
    tower = CountingTower()
    lowering = derivative.lower(*args)
    evaluate(lowering.ir, [*args, *lowering.compiled.lowered.hidden_leaves()], tower)
    return tower.bytes_written


def logistic(x, n):
    for _ in range(n):
        x = 3.6 * x * (1.0 - x)
    return x


def test_a_loop_of_one_input_carries_its_derivative_along():
    on, off = tp.grad(logistic), tp.grad(logistic, coarsen=False)
    np.testing.assert_allclose(on(0.3, 20), off(0.3, 20), rtol=1e-12)
    assert "carries its derivatives by x along" in on.explain()
    assert written(on, 0.3, 50) < 50 < written(off, 0.3, 50)


def test_a_loop_with_a_condition_runs_once():
    explained = tp.grad(settled).explain(POINTS, 0.5)
    assert "carries its derivatives" in explained
    assert "runs twice" not in explained
    assert "runs twice" in tp.grad(settled, coarsen=False).explain(POINTS, 0.5)


def test_many_inputs_keep_states():
    assert "carries its derivatives" not in tp.grad(rolling, (0, 1, 2)).explain(*PROGRAMS[0][1])


def rooted(x, n):
    total = 0.0
    for _ in range(n):
        total = total + np.sqrt(total * x) if x > 0.0 else total * x
        x = 0.5 * x
    return total


def test_a_zero_still_wins_over_an_infinite_slope_in_loops():
    for way in WAYS:
        assert tp.grad(rooted, **way)(-1.0, 4) == 0.0
        assert tp.grad(rooted, **way)(0.0, 4) == tp.grad(rooted, coarsen=False)(0.0, 4)


def test_paper_segments_are_told():
    assert "partial derivatives by" in tp.grad(straight, (0, 1), segments="paper").explain(0.7, 1.3)


# -- what is told -----------------------------------------------------------------------------------


def stepped(x):
    value = x * x * x - 2.0 * x - 1.0
    slope = 3.0 * x * x - 2.0
    return x - value / slope


def test_a_segment_tells_its_lines_its_formula_and_what_it_saves():
    first = stepped.__code__.co_firstlineno
    told = tp.grad(stepped).show("segments", 1.5).splitlines()
    assert told[0] == f"lines {first + 1}-{first + 2}: derivative of a segment"
    assert told[1].strip() == "t1 = x * x^2 - 2 * x - 1"
    assert told[3].strip() == "rules: elimination"
    assert told[4].strip().startswith("operations: 7 multiplications became 4")


BRANCH = """
def f(x: f64, y: f64) {
  a: f64 = mul x y
  c: bool = gt a 0.5
  b: f64 = if c {
    p: f64 = sin a
    return p
  } else {
    q: f64 = mul a x
    return q
  }
  d: f64 = mul b a
  return d
}
"""


def test_choices_and_quotients_are_told_in_both_styles():
    """A branch in a segment is a phi."""
    function = parse_function(BRANCH)
    note = Described.straight("segment", function.body, ["C2"], "1", "2")
    assert note.formulas == ("d = x * y * (sin(x * y) if x * y > 0.5 else x * x * y)",)
    assert r"\begin{cases}" in note.latex[0]


def test_a_loop_that_is_carried_along_is_told():
    told = tp.grad(logistic).show("segments", 0.3, 5)
    assert "derivative of a loop, carried along\n  rules: tangents\n  operations: " in told


def test_counters_are_not_told():
    def fit(rate, steps):
        w = 0.0
        for _ in range(steps):
            if 2.0 - w < 1e-3:
                break
            w += rate * (2.0 - w)
        return w

    told = tp.grad(fit).show("segments", 0.1, 500)
    assert "by a logarithm" in told
    assert "= N\n" not in told
