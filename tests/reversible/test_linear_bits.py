"""Integers whose bits become sums of their bits: linear layers of ciphers, sums of shifts, permutations of bits."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp

from .integers import comes_back


def ascon(x):
    """A row of the linear layer of Ascon: three rotations, of which the inverse is a sum of many."""
    for i in range(len(x)):
        a = x[i]
        a ^= (((a >> 19) & (2**45 - 1)) | (a << 45)) ^ (((a >> 28) & (2**36 - 1)) | (a << 36))
        x[i] = a


def sums_of_shifts(x):
    for i in range(len(x)):
        x[i] = x[i] ^ (x[i] << 3) ^ (x[i] << 7)
        x[i] = ((x[i] >> 11) & (2**53 - 1)) ^ ~x[i] ^ ((x[i] >> 20) & (2**44 - 1)) ^ 12345


def sums_that_carry(x):
    """No linear map of bits; a square does not reach below its place."""
    for i in range(len(x)):
        x[i] = x[i] + (x[i] << 3) - (x[i] << 7)
        x[i] = (x[i] << 5) * x[i] + (x[i] + 7)
        x[i] = x[i] ^ ((x[i] * x[i]) << 1) ^ (x[i] << 9)


def rotated(x):
    for i in range(len(x)):
        x[i] = (x[i] << 13) | ((x[i] >> 51) & 0x1FFF)
        x[i] = (x[i] << 5) + ((x[i] >> 59) & 31) + 0
        x[i] = ((x[i] & 0x5555555555555555) << 1) | ((x[i] >> 1) & 0x5555555555555555)


def both_ways(x):
    """No power of `matrix + 1` is zero: the columns of the inverse are added."""
    for i in range(len(x)):
        x[i] = x[i] ^ (x[i] << 17) ^ ((x[i] >> 8) & (2**56 - 1)) ^ 99


def meeting(x):
    """Not all bits move one way, and the sign meets another bit: what is lost here is there."""
    for i in range(len(x)):
        x[i] ^= (x[i] >> 7) & (2**58 - 1)
        x[i] ^= (x[i] << 3) ^ ((x[i] >> 3) & 0xFF)


NUMBERS = np.random.default_rng(7).integers(-(2**63), 2**63, 40)
NUMBERS[:4] = 0, -1, 2**63 - 1, -(2**63)


@pytest.mark.parametrize(
    "function", [ascon, sums_of_shifts, sums_that_carry, rotated, both_ways, meeting], ids=lambda f: f.__name__
)
def test_there_and_back(function):
    comes_back(function, NUMBERS)


def test_short_integers():
    def turned(x):
        """Bits of 32 in another order, whose highest is the sign."""
        for i in range(len(x)):
            v = x[i]
            v ^= ((v << 9) | ((v >> 23) & 0x1FF)) ^ ((v << 22) | ((v >> 10) & 0x3FFFFF))
            x[i] = ((v >> 2) & 0x33333333) | ((v & 0x33333333) << 2)
            x[i] = x[i] ^ (x[i] << 7) ^ ((x[i] >> 9) & 0x7FFFFF)

    comes_back(turned, np.random.default_rng(8).integers(-(2**31), 2**31, 40, dtype=np.int32))


def _two_rotations(x):
    """All bits set and none become the same."""
    x[0] ^= (x[0] << 13) | ((x[0] >> 51) & 0x1FFF)


def _overlapping(x):
    """Bits that meet are no sum."""
    x[0] = (x[0] << 13) | ((x[0] >> 50) & 0x3FFF)


def _carrying(x):
    x[0] = (x[0] << 13) + ((x[0] >> 50) & 0x3FFF)


def _shifted_out(x):
    x[0] = ((x[0] << 3) ^ (x[0] << 7)) | 5


def _set_twice(x):
    """The lowest bit of x is gone."""
    x[0] = (x[0] & -2) ^ (x[0] << 3) ^ 1


def _of_two_sides(x):
    """Each shift tells by itself, but one goes up and the other one down: some numbers become one."""
    x[0] = x[0] ^ (x[0] << 32) ^ ((x[0] >> 32) & (2**32 - 1))


@pytest.mark.parametrize(
    "function",
    [_two_rotations, _overlapping, _carrying, _shifted_out, _set_twice, _of_two_sides],
    ids=lambda f: f.__name__,
)
def test_what_is_forgotten_is_refused(function):
    with pytest.raises(tp.TapelessError, match="cannot be run backwards"):
        (~tp.reversible(function))(np.array([12345]))
