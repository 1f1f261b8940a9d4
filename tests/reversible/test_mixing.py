"""Integers that are mixed with a part of themselves: random numbers, hashes. To the last bit, there and back."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp

from .integers import comes_back


def xorshift(x):
    """Marsaglia's generator of 64-bit numbers."""
    for i in range(len(x)):
        x[i] ^= x[i] << 13
        x[i] ^= (x[i] >> 7) & (2**57 - 1)
        x[i] ^= x[i] << 17


def murmur(x):
    """The finaliser of MurmurHash3."""
    for i in range(len(x)):
        h = x[i]
        h ^= (h >> 33) & (2**31 - 1)
        h *= -49064778989728563
        h ^= (h >> 33) & (2**31 - 1)
        h *= -4265267296055464877
        h ^= (h >> 33) & (2**31 - 1)
        x[i] = h


def klimov_shamir(x):
    """A permutation in which carries matter: x + (x^2 | 5), of which every bit depends on no higher one."""
    for i in range(len(x)):
        x[i] += ((x[i] * x[i]) << 1) | 4
        x[i] -= 8 * x[i] * x[i]


def several(x):
    """Differences and sums of shifts, and one by a single place: 63 rounds."""
    for i in range(len(x)):
        x[i] ^= ((x[i] << 3) | (x[i] << 9)) + 77
        x[i] ^= ((x[i] >> 5) & (2**59 - 1)) ^ ((x[i] >> 11) & 0xFFFF)
        x[i] += x[i] << 1
        x[i] -= (x[i] << 21) & 0x7FFFFFFFFFFFFF


def tea(x):
    """A cipher of two words (TEA), with shifts of the other word."""
    a, b, total = x[0], x[1], 0
    for _ in range(32):
        total += 2654435769
        a += ((b << 4) + 5) ^ (b + total) ^ ((b >> 5) + 6)
        b += ((a << 4) + 7) ^ (a + total) ^ ((a >> 5) + 8)
    x[0], x[1] = a, b


NUMBERS = np.random.default_rng(5).integers(-(2**63), 2**63, 40)
NUMBERS[:4] = 0, -1, 2**63 - 1, -(2**63)


@pytest.mark.parametrize("function", [xorshift, murmur, klimov_shamir, several, tea], ids=lambda f: f.__name__)
def test_there_and_back(function):
    comes_back(function, NUMBERS)


def test_short_integers():
    def xorshift32(x):
        for i in range(len(x)):
            x[i] ^= x[i] << 13
            x[i] ^= (x[i] >> 17) & 0x7FFF
            x[i] ^= x[i] << 5

    comes_back(xorshift32, np.random.default_rng(6).integers(-(2**31), 2**31, 40, dtype=np.int32))


def _keeps_the_sign(x):
    x ^= x >> 7
    return x


def _sum_with_higher_bits(x):
    x += (x >> 7) & (2**57 - 1)
    return x


def _twice(x):
    x += x
    return x


@pytest.mark.parametrize(
    "function",
    [_keeps_the_sign, _sum_with_higher_bits, _twice],
    ids=lambda f: f.__name__,
)
def test_what_does_not_follow_is_refused(function):
    with pytest.raises(tp.TapelessError, match="cannot be run backwards"):
        (~tp.reversible(function))(12345)


def test_the_sign_that_is_forgotten_is_named():
    """x and ~x become the same: no inverse can tell them apart."""
    assert _keeps_the_sign(1000) == _keeps_the_sign(~1000)
    with pytest.raises(tp.TapelessError, match=r"x \^ \(\(x >> 7\) & \(2\*\*57 - 1\)\)"):
        (~tp.reversible(_keeps_the_sign))(12345)


def _kicked(x, v, seed, steps):
    for _ in range(steps):
        seed ^= seed << 13
        seed ^= (seed >> 7) & (2**57 - 1)
        seed ^= seed << 17
        v += np.sin(x) * (seed & 1023) / 4096
        x += 0.1 * v
    return x * v


def test_gradients_with_random_numbers_keep_nothing():
    """The numbers come back with the states, so they are the same in the return sweep."""
    backwards, kept = tp.grad(_kicked, (0, 1), memory="reversible"), tp.grad(_kicked, (0, 1))
    np.testing.assert_allclose(backwards(0.5, 0.2, 99, 40), kept(0.5, 0.2, 99, 40), rtol=1e-10)
    assert "runs backwards" in backwards.explain(0.5, 0.2, 99, 40)
