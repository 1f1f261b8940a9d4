"""erf and erfc.

For x >= 0, erfc(x) = exp(-x^2) G(q) / (x + 1) with q = (x - 4)/(x + 4) and a smooth G between 1 and 0.56.
erf(x) = x + x P(x^2) up to 1, and 1 - erfc(x) beyond, where erfc needs fewer digits.
"""

from __future__ import annotations

from ...ir.types import F32, F64
from .coefficients import ERF, ERFC
from .double import Pair, divide, exact_product, exact_sum, multiply, ordered_sum, polynomial_end
from .exponential import Reduced, exp_pair, reduce, scale
from .formats import format_of
from .lanes import Lanes, at_most, fma, select
from .polynomial import polynomial, short_chain

# Beyond these erfc is 0, and erf is 1.
_VANISHED = {F64: 27.3, F32: 10.1}
_SATURATED = {F64: 6.0, F32: 4.0}


def erf(x: Lanes) -> Lanes:
    size = x.abs()
    square = size * size
    inner = fma(x, polynomial(square, ERF[x.dtype]), x)
    bounded = at_most(size, _SATURATED[x.dtype])
    fmt = format_of(x)
    reduced = _exp_of_minus_square(bounded, fmt.bias)
    power = (reduced.shifted.bits() << fmt.fraction).bits()
    factor = ERFC[x.dtype]
    q = (bounded - 4.0) / (bounded + 4.0)
    tail = (exp_pair(reduced.r).value() * power) * (polynomial(q, (factor[0], *factor[2:])) / (bounded + 1.0))
    return select(size < 1.0, inner, (1.0 - tail).with_sign_of(x))


def erfc(x: Lanes) -> Lanes:
    """All factors as pairs; 2 - erfc(-x) for negative x."""
    size = at_most(x.abs(), _VANISHED[x.dtype])
    reduced = _exp_of_minus_square(size, 2 * format_of(x).bias)
    exponential = exp_pair(reduced.r)
    top = multiply(ordered_sum(exponential.hi, exponential.lo), _factor(size))
    quotient = divide(top, exact_sum(size, x.constant(1.0)))
    positive = scale(quotient.value(), reduced.shifted)
    # Down to here the result for negative x is 2 but for the last bits, and 2^n is a plain number.
    return select(x < 0.0, 2.0 - positive, positive)


def _exp_of_minus_square(x: Lanes, offset: int) -> Reduced:
    """The reduced argument of exp(-x^2), the rounding error of the square included."""
    square = exact_product(x, -x)
    reduced = reduce(square.hi, offset)
    return Reduced(reduced.shifted, reduced.n, ordered_sum(reduced.r.hi, reduced.r.lo + square.lo))


def _factor(x: Lanes) -> Pair:
    """G as a pair: the error of q counts with G's slope."""
    four = x.constant(4.0)
    q = divide(exact_sum(x, -four), exact_sum(x, four))
    first, first_low, second, *higher = ERFC[x.dtype]
    start = Pair(x.constant(first), x.constant(first_low))
    value = polynomial_end(q.hi, start, x.constant(second), short_chain(q.hi, higher))
    # Nine terms of the derivative settle it to a few percent, which is plenty beside an error of the last place.
    steepness = polynomial(q.hi, [k * c for k, c in enumerate((second, *higher[:8]), start=1)])
    return Pair(value.hi, fma(steepness, q.lo, value.lo))
