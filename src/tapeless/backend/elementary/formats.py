"""The two floating-point formats as numbers: widths of fields, bias, and the rounding constants built on them."""

from __future__ import annotations

from ...ir.types import F32, F64, I32, I64, DType
from ...records import dataclass
from .lanes import Lanes


@dataclass(frozen=True, slots=True)
class Format:
    """An IEEE format with `fraction` stored bits; `integer` is the integer type of its size."""

    integer: DType
    fraction: int
    bias: int

    @property
    def tiny(self) -> float:
        """The least normal number."""
        return 2.0 ** (1 - self.bias)

    @property
    def epsilon(self) -> float:
        """The distance from 1 to the next number."""
        return 2.0**-self.fraction

    def rounder(self, offset: int = 0) -> float:
        """Adding it rounds a small number to an integer n, and leaves n + offset in the low bits of the sum."""
        return 1.5 * 2.0**self.fraction + offset


FORMATS = {F64: Format(I64, 52, 1023), F32: Format(I32, 23, 127)}


def format_of(x: Lanes) -> Format:
    return FORMATS[x.dtype]


def sign_bit(x: Lanes) -> Lanes:
    """The sign of x as an integer in which all other bits are zero."""
    bits = x.bits()
    return bits & -(1 << (8 * bits.dtype.itemsize - 1))


def flip_sign(x: Lanes, sign: Lanes) -> Lanes:
    """x, negated where the sign bit is set."""
    return (x.bits() ^ sign).bits()
