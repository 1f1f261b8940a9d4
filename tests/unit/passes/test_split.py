"""Dear numbers of a sum of vectors are computed side by side before it."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.core import Apply, Block, If, Map, Stm
from tapeless.ir.walk import statements


def logistic(beta, x, y):
    total = 0.0
    for i in range(len(y)):
        z = 0.0
        for j in range(len(beta)):
            z += x[i, j] * beta[j]
        total += np.log1p(np.exp(-y[i] * z))
    return total


def squares(beta, x, y):
    total = 0.0
    for i in range(len(y)):
        z = 0.0
        for j in range(len(beta)):
            z += x[i, j] * beta[j]
        total += (z - y[i]) ** 2
    return total


def data(rows=37, columns=3):
    rng = np.random.default_rng(rows)
    return rng.normal(size=columns), rng.normal(size=(rows, columns)), np.sign(rng.normal(size=rows))


def top(function, args):
    return [stm.expr for stm in tp.grad(function).lower(*args).ir.body.stms]


def takes_exp(expr):
    return any(isinstance(s.expr, Apply) and s.expr.op == "exp" for s in statements(Block((Stm((), expr),), ())))


def test_numbers_are_computed_first():
    args = data()
    maps, sums = ([e for e in top(logistic, args) if isinstance(e, kind)] for kind in (Map, If))
    assert any(map(takes_exp, maps))
    assert sums
    assert not any(map(takes_exp, sums))


def test_cheap_numbers_stay_where_they_are():
    assert not any(isinstance(e, Map | If) for e in top(squares, data()))


@pytest.mark.parametrize(("rows", "columns"), [(0, 2), (1, 1), (7, 0), (8, 3), (200, 5), (50, 7), (50, 8), (30, 21)])
def test_gradients_are_right(rows, columns):
    beta, x, y = data(rows, columns)
    slope = -y / (1.0 + np.exp(y * (x @ beta)))
    np.testing.assert_allclose(tp.grad(logistic)(beta, x, y), x.T @ slope, rtol=1e-12, atol=1e-13)


def test_checks_are_made():
    beta, x, y = data()
    with pytest.raises(IndexError):
        tp.grad(logistic)(beta, x[:-1], y)
    with pytest.raises(IndexError):
        tp.grad(logistic)(np.ones(4), x, y)


def test_several_vectors_share_the_numbers():
    def both(beta, gamma, x, y):
        total = 0.0
        for i in range(len(y)):
            z = 0.0
            for j in range(len(beta)):
                z += x[i, j] * beta[j]
            for j in range(len(gamma)):
                z += x[i, j] * gamma[j] * gamma[j]
            total += np.log1p(np.exp(-y[i] * z))
        return total

    beta, x, y = data()
    gamma = np.array([0.3, -0.2])
    slope = -y / (1.0 + np.exp(y * (x @ beta + x[:, :2] @ gamma**2)))
    found = tp.grad(both, (0, 1))(beta, gamma, x, y)
    np.testing.assert_allclose(found[0], x.T @ slope, rtol=1e-12)
    np.testing.assert_allclose(found[1], (x[:, :2].T @ slope) * 2 * gamma, rtol=1e-12)
