"""Integer powers with a non-negative exponent, wrapping on overflow, by repeated squaring."""

from __future__ import annotations

from .lanes import Lanes, select, while_any


def ipow(base: Lanes, exponent: Lanes) -> Lanes:
    """base ** exponent modulo 2^bits: one step per bit of the largest exponent in the vector."""

    def step(result: Lanes, square: Lanes, left: Lanes) -> tuple[Lanes, Lanes, Lanes]:
        odd = (left & 1).ne(0)
        return select(odd, result * square, result), square * square, left >> 1

    def unfinished(_result: Lanes, _square: Lanes, left: Lanes) -> Lanes:
        return left.ne(0)

    result, _, _ = while_any((base.constant(1), base, exponent), unfinished, step)
    return result
