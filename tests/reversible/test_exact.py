"""Products that lose nothing: back to the same bits, near what they should be, and refused where they do not fit."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

import tapeless as tp
from tapeless.reversible import exact
from tapeless.reversible.exact import multiply

RNG = np.random.default_rng(8)
ONE = 2**43


@tp.reversible
def damped(x, v, rest, force, steps):
    """A spring with friction, in fixed point."""
    for _ in range(steps):
        v, rest = multiply(v, rest, 9, 10)
        v -= x // force
        x += v // 8
    return x, v, rest


def test_examples():
    (test,) = doctest.DocTestFinder().find(multiply._function, "multiply", module=False, globs=dict(vars(exact)))
    assert doctest.DocTestRunner().run(test) == (0, 3)


def test_dissipative_motion_runs_back_bit_by_bit():
    for start in RNG.integers(-ONE, ONE, (200, 2)):
        x, v = (int(number) for number in start)
        after = damped(x, v, 0, 16, 300)
        assert max(abs(after[0]), abs(after[1])) < ONE // 100
        assert (~damped)(*after, 16, 300) == (x, v, 0)


def test_the_plain_function_does_the_same():
    assert damped.python(3 * ONE, -ONE, 0, 16, 50) == damped(3 * ONE, -ONE, 0, 16, 50)


def test_random_fractions():
    for _ in range(2000):
        x, rest = int(RNG.integers(-(2**50), 2**50)), int(RNG.integers(0, 2**40))
        n, d = (int(k) for k in RNG.integers(1, 1000, 2))
        y, left = multiply(x, rest, n, d)
        assert abs(y - x * n / d) < n + abs(x) * 1e-12
        assert multiply(y, left, d, n) == (x, rest)


def test_arrays():
    @tp.reversible
    def scaled(x, rest, n, d):
        x[:], rest[:] = multiply(x, rest, n, d)

    x = RNG.integers(-ONE, ONE, 20)
    y, rest = x.copy(), np.zeros(20, int)
    scaled(y, rest, 9, 10)
    np.testing.assert_allclose(y, 0.9 * x, atol=9)
    (~scaled)(y, rest, 9, 10)
    np.testing.assert_array_equal(y, x)
    np.testing.assert_array_equal(rest, 0)


@pytest.mark.parametrize(
    ("args", "error"),
    [
        ((1, 2**62, 1, 3), OverflowError),
        ((2**62, 0, 5, 1), OverflowError),
        ((-(2**63), 0, 2, 1), OverflowError),
        ((1, -1, 1, 2), ValueError),
        ((1, 0, 0, 2), ValueError),
        ((1, 0, 1, 0), ValueError),
    ],
)
@pytest.mark.parametrize("function", [multiply, tp.jit(multiply)])
def test_refused(function, args, error):
    with pytest.raises(error):
        function(*args)


def test_the_rest_fills_up():
    with pytest.raises(OverflowError):
        damped(ONE, ONE, 0, 16, 1000)
