"""Numbers that change by each other bit by bit, by masks and products of bits."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp


def exchanged(a, b, mask):
    t = (a ^ b) & mask
    a ^= t
    b ^= t


def element_by_element(a, b, mask):
    for i in range(len(a)):
        t = (a[i] ^ b[i]) & ~mask[i]
        a[i] ^= t
        b[i] ^= t


def chosen(a, b, mask):
    """By the bits of a mask a changes by b, or b by a."""
    for i in range(len(a)):
        p, q, m = a[i], b[i], mask[i]
        a[i] = p ^ (q & m)
        b[i] = (q ^ (p & ~m)) ^ 12345


def rows_of_keccak(a, _, mask):
    """Its nonlinear step on five words at once, and a key."""
    for k in range(len(a) // 5):
        x = a[5 * k : 5 * k + 5].copy()
        for i in range(5):
            a[5 * k + i] = x[i] ^ (~x[(i + 1) % 5] & x[(i + 2) % 5]) ^ mask[i]


NUMBERS = np.random.default_rng(7).integers(-(2**63), 2**63, (3, 20))


@pytest.mark.parametrize("function", [exchanged, element_by_element, chosen, rows_of_keccak], ids=lambda f: f.__name__)
def test_there_and_back(function):
    reversible = tp.reversible(function)
    found, plain = NUMBERS.copy(), NUMBERS.copy()
    reversible(*found)
    function(*plain)
    np.testing.assert_array_equal(found, plain)
    (~reversible)(*found)
    np.testing.assert_array_equal(found, NUMBERS)
    tp.reversible(function, strict=True)(*NUMBERS.copy())


def test_truths():
    a, b, mask = NUMBERS % 3 == 0
    tp.reversible(exchanged).check_inverse(a, b, mask)


def covered(a, b, mask):
    t = (a | b) & mask
    a ^= t
    b ^= t


def own_product(a, b, _):
    a ^= a & b


def four_rows(a, _, __):
    """The step of Keccak has an inverse for odd numbers of words only."""
    x = a[:4].copy()
    for i in range(4):
        a[i] = x[i] ^ (~x[(i + 1) % 4] & x[(i + 2) % 4])


@pytest.mark.parametrize("function", [covered, own_product, four_rows], ids=lambda f: f.__name__)
def test_bits_that_are_lost_are_refused(function):
    with pytest.raises(tp.TapelessError, match="what a was does not follow"):
        tp.reversible(function).inv(*NUMBERS)
