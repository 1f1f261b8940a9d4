"""Straight-line derivatives are made of values that are there: fewer operations, the same numbers."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.core import Apply
from tapeless.ir.types import F64, Lit
from tapeless.ir.walk import statements
from tapeless.symbolic import fingerprints as fp


def spiral(a, b, r):
    x, y, z = r * np.cos(a), r * np.sin(a), 0.3 * a
    for _ in range(3):
        c, s = np.cos(b), np.sin(b)
        x, y, z = c * x - s * z, y + 0.1 * x, s * x + c * z
        x, y = c * x - s * y, s * x + c * y
    return x, y, z


def size(function, *args):
    return sum(isinstance(stm.expr, Apply) for stm in statements(function.lower(*args).ir.body))


@pytest.mark.parametrize("verb", [tp.jacobian, tp.jacfwd, tp.jacrev])
def test_jacobians_take_fewer_operations(verb):
    args = (0.4, -0.7, 1.3)
    coarse = verb(tp.jit(coarsen=True)(spiral), argnums=(0, 1, 2))
    plain = verb(tp.jit(coarsen=False)(spiral), argnums=(0, 1, 2))
    assert size(coarse, *args) < 0.9 * size(plain, *args)
    np.testing.assert_allclose(coarse(*args), plain(*args), rtol=1e-13, atol=1e-14)


def test_rounding_is_not_worse():
    """Against 60 digits, at points of all sizes of angles."""
    rng = np.random.default_rng(5)
    coarse, plain = (tp.jacobian(tp.jit(coarsen=c)(spiral), argnums=(0, 1, 2)) for c in (True, False))
    worst = {True: 0.0, False: 0.0}
    with mpmath.workdps(40):
        for _ in range(30):
            args = [float(x) for x in rng.normal(size=3) * 10.0 ** rng.uniform(-3, 1, 3)]
            exact = _differences(args)
            for kind, jacobian in ((True, coarse), (False, plain)):
                error = np.abs(np.array(jacobian(*args)) - exact).max() / np.abs(exact).max()
                worst[kind] = max(worst[kind], error)
    assert worst[True] <= 4 * worst[False]


def _differences(args):
    """Central differences in long numbers."""
    h, columns = mpmath.mpf(10) ** -15, []
    for k in range(3):
        ends = []
        for sign in (1, -1):
            moved = [mpmath.mpf(x) + (sign * h if m == k else 0) for m, x in enumerate(args)]
            ends.append(_exactly(*moved))
        columns.append([float((x - y) / (2 * h)) for x, y in zip(*ends, strict=True)])
    return np.array(columns).T


def _exactly(a, b, r):
    x, y, z = r * mpmath.cos(a), r * mpmath.sin(a), mpmath.mpf(0.3) * a
    for _ in range(3):
        c, s = mpmath.cos(b), mpmath.sin(b)
        x, y, z = c * x - s * z, y + mpmath.mpf(0.1) * x, s * x + c * z
        x, y = c * x - s * y, s * x + c * y
    return x, y, z


def test_what_is_not_a_number_stays_so():
    coarse, plain = (tp.jacobian(tp.jit(coarsen=c)(spiral), argnums=(0, 1, 2)) for c in (True, False))
    for args in ((np.nan, 1.0, 1.0), (1.0, np.nan, 1.0), (1.0, 1.0, np.nan), (1.0, np.inf, 1.0)):
        np.testing.assert_array_equal(np.isnan(coarse(*args)), np.isnan(plain(*args)))


def test_values_are_not_touched():
    """Only derivatives are made again: a function rounds as it is written."""
    assert tp.jit(spiral)(0.4, -0.7, 1.3) == tp.jit(coarsen=False)(spiral)(0.4, -0.7, 1.3)


# -- fingerprints -----------------------------------------------------------------------------------


def of(value):
    return fp.constant(Lit(value, F64))


def test_identities_have_one_fingerprint():
    x, y = fp.opaque("input", 0), fp.opaque("input", 1)
    both = fp.apply("add", (), [x, y])
    square = fp.apply("mul", (), [both, both])
    xx, xy, yy = (fp.apply("mul", (), pair) for pair in ([x, x], [x, y], [y, y]))
    expanded = fp.apply("add", (), [fp.apply("add", (), [xx, yy]), fp.apply("mul", (), [of(2.0), xy])])
    assert square == expanded
    assert fp.apply("mul", (), [fp.apply("div", (), [x, y]), y]) == x
    assert fp.apply("mul", (), [of(0.5), of(2.0)]) == fp.ONE
    s, c = fp.apply("sin", (), [x]), fp.apply("cos", (), [x])
    assert fp.apply("add", (), [fp.apply("mul", (), [s, s]), fp.apply("mul", (), [c, c])]) == fp.ONE
    assert fp.apply("sin", (), [fp.negated(x)]) == fp.negated(s)
    assert fp.apply("cos", (), [fp.negated(x)]) == c


def test_different_functions_differ():
    x = fp.opaque("input", 0)
    found = [fp.apply(op, (), [x]) for op in ("sin", "cos", "exp", "tanh", "neg", "sqrt")]
    assert len({fp.unsigned(print_)[0] for print_ in (*found, x, fp.ONE)}) == 7  # x and -x are one


def distances(a, b, c, d):
    total = 0.0
    for p, q in ((a, b), (c, d), (a, d), (b, c)):
        r = np.sqrt(p * p + q * q)
        total += r * (1.0 + p * q) + 0.3 * p * q + np.sqrt((p + q) * (p + q) + (p - q) * (p - q))
        total += p / (1.0 + q * q) + (p + q) / (2.0 + p * p)
    return total


@pytest.mark.parametrize("args", [(0.0,) * 4, (1.0, 2.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0)])
def test_slopes_at_points_where_quotients_and_roots_are_singular(args):
    coarse, plain = (tp.grad(tp.jit(coarsen=c)(distances), argnums=(0, 1, 2, 3)) for c in (True, False))
    np.testing.assert_allclose(coarse(*args), plain(*args), rtol=1e-13)
