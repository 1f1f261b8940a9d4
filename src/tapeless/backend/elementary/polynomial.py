"""Polynomials with coefficients in a table, by Horner's rule with fused multiply-adds.

One chain is best here: neighbouring vectors of a loop fill the waiting time, and splitting even from odd powers
was measured to cost 10 to 15 % in operations.
"""

from __future__ import annotations

from collections.abc import Sequence

from .lanes import Lanes, fma, select


def polynomial(x: Lanes, coefficients: Sequence[float]) -> Lanes:
    """c0 + c1 x + c2 x^2 + ..."""
    result = x.constant(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = fma(result, x, coefficient)
    return result


def short_chain(x: Lanes, coefficients: Sequence[float]) -> Lanes:
    """The same by Estrin's rule: neighbours are joined with x, then pairs with x^2, and so on.

    For functions so long that the processor no longer sees the next vector while it waits for this one.
    """
    terms = [x.constant(coefficient) for coefficient in coefficients]
    power = x
    while len(terms) > 1:
        odd = terms[-1:] if len(terms) % 2 else []
        terms = [fma(high, power, low) for low, high in zip(terms[0::2], terms[1::2], strict=False)] + odd
        power = power * power
    return terms[0]


def piecewise(x: Lanes, pieces: Sequence[Sequence[float]], later: Sequence[Lanes]) -> Lanes:
    """The polynomial of the last piece whose condition holds; `later[k]` belongs to `pieces[k + 1]`."""

    def chosen(degree: int) -> Lanes:
        coefficient = x.constant(pieces[0][degree])
        for condition, piece in zip(later, pieces[1:], strict=True):
            coefficient = select(condition, x.constant(piece[degree]), coefficient)
        return coefficient

    result = chosen(len(pieces[0]) - 1)
    for degree in reversed(range(len(pieces[0]) - 1)):
        result = fma(result, x, chosen(degree))
    return result
