"""gamma, in f64 arithmetic; f32 takes the same way with shorter polynomials.

From 8 on, exp of Stirling's series, whose logarithm is a pair. Below, a polynomial on [2, 3) and up to five factors of
gamma(x + 1) = x gamma(x). For negative x, gamma(-y) = -pi / (y sin(pi y) gamma(y)). The power of two is kept apart
until the end, since gamma(y) may overflow where its inverse is still a number.
"""

from __future__ import annotations

from ...ir.types import F64, DType
from .coefficients import GAMMA, PI
from .double import Pair, constant_pair, divide, multiply, ordered_sum, polynomial_end, select_pair
from .exponential import exp_pair, reduce, scale
from .formats import FORMATS
from .gamma_parts import sin_pi, stirling
from .lanes import Lanes, at_least, at_most, select
from .polynomial import short_chain

# gamma overflows at 171.6, and 1/gamma has vanished at 190.
_LARGEST = 190.0
# Below this, gamma(x) = 1/x.
_TINY = 2.0**-60


def gamma(x: Lanes) -> Lanes:
    return _gamma(x.convert(F64), x.dtype).convert(x.dtype)


def _gamma(x: Lanes, accuracy: DType) -> Lanes:
    size = at_least(at_most(x.abs(), _LARGEST), _TINY)
    large = size >= 8.0
    logarithm = stirling(at_least(size, 8.0), accuracy)
    reduced = reduce(logarithm.hi, 0)
    far = exp_pair(ordered_sum(reduced.r.hi, reduced.r.lo + logarithm.lo))
    value = select_pair(large, ordered_sum(far.hi, far.lo), _gamma_below_8(size, accuracy))
    n = select(large, reduced.n, 0.0)
    negative = x < 0.0
    reflected = _reflected_gamma(size, x, value)
    number = select(negative, reflected, value.value())
    shifted = select(negative, -n, n) + FORMATS[F64].rounder(2 * FORMATS[F64].bias)
    result = scale(number, shifted)
    pole = negative & x.floor().eq(x)
    near_zero = select(x.abs() < _TINY, 1.0 / x, result)
    return select(pole | x.is_nan() | x.eq(-float("inf")), float("nan"), near_zero)


def _gamma_below_8(size: Lanes, accuracy: DType) -> Pair:
    """gamma(2 + fraction) times (x - 1)(x - 2)..., or divided by x or x (x + 1)."""
    whole = size.floor()
    t = (size - whole) - 0.5
    first, second = constant_pair(t, GAMMA[accuracy]), t.constant(GAMMA[accuracy][2])
    value = polynomial_end(t, first, second, short_chain(t, GAMMA[accuracy][3:]))
    zero = size.constant(0.0)
    for k in range(1, 6):
        factor = select(whole >= k + 2.0, size - float(k), 1.0)
        value = multiply(value, Pair(factor, zero))
    step = ordered_sum(size.constant(1.0), size)
    twice = multiply(step, Pair(size, zero))
    divisor = Pair(
        select(whole < 1.0, twice.hi, select(whole < 2.0, size, 1.0)),
        select(whole < 1.0, twice.lo, 0.0),
    )
    return divide(value, divisor)


def _reflected_gamma(size: Lanes, x: Lanes, value: Pair) -> Lanes:
    """gamma(-y) = -pi / (y sin(pi y) gamma(y)), without the power of two of gamma(y)."""
    sine = sin_pi(x.abs())
    divisor = multiply(multiply(sine, Pair(size, size.constant(0.0))), value)
    return -divide(constant_pair(x, PI[F64]), divisor).value()
