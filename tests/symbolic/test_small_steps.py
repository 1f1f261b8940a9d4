"""Closed forms of loops that take small steps, x + h * f(x), are as good as the loops.

1 + h has few of the digits of a small h: the map is kept as what is beyond the identity.
"""

import mpmath
import numpy as np
import pytest

import tapeless as tp


def relaxed(h: float, b: float, n: int) -> float:
    x = 0.0
    for _ in range(n):
        x = x + h * (b - x)
    return b - x


@pytest.mark.parametrize("h", [1e-3, 1e-6, 1e-9])
def test_small_steps_keep_their_digits(h: float) -> None:
    n, b = int(1 / h), 1.5
    value, (by_h, by_b) = tp.value_and_grad(tp.jit(relaxed, coarsen=True), argnums=(0, 1))(h, b, n)
    with mpmath.workdps(60):
        step = 1 - mpmath.mpf(h)
        exact = [b * step**n, -b * n * step ** (n - 1), step**n]
    # b - x cancels one digit at most.
    np.testing.assert_allclose([value, by_h, by_b], [float(x) for x in exact], rtol=1e-13)
