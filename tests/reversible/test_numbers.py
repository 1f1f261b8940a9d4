"""Fixed-point and logarithmic numbers: what is undone is undone to the bit."""

from __future__ import annotations

import copy
import doctest

import numpy as np
import pytest

import tapeless as tp
from tapeless.backend.whole_numbers import products_of_whole_numbers
from tapeless.ir.text import parse_function
from tapeless.reversible import numbers

RNG = np.random.default_rng(11)


def fixed(*shape):
    return tp.Fixed.of(RNG.normal(size=shape)[()])


def log(*shape):
    return tp.Log.of(np.exp(RNG.normal(size=shape))[()])


def swing(x, v, dt, steps):
    for _ in range(steps):
        v -= np.sin(x.value) * dt
        x += v.value * dt


def by_elements(x, v, n):
    for k in range(n):
        for i in range(len(x)):
            v[i] -= np.sin(x[i].value) * 0.1
        for i in range(1, len(x)):
            x[i] += v[i - 1].value * v[i].value * 0.1 + 0.3 * k


def single(x, y, n):
    for k in range(n):
        x += np.sin(y.value * 0.3 + k)
        y -= x
        x, y = y, -x
    return x, y


def sums(x, y, w, n):
    for _ in range(n):
        x += w @ y.value
        y += np.tanh(w.T @ x.value) * 0.1
        x -= np.mean(y.value) * 0.1


def branching(x, v, n):
    for _ in range(n):
        v -= 0.01
        x += v.value * 0.1
        if x.value < 0.0:
            x = -x
            v = -v
    return x, v


def products(x, y, n):
    for k in range(n):
        x *= np.exp(np.sin(y.value))
        y *= x
        y /= 3.7 + k
    return x, y


def products_of_elements(x, y, n):
    for _ in range(n):
        for i in range(1, len(x)):
            x[i] *= 1.0 + y[i - 1].value
            y[i] /= x[i]


CASES = [
    (swing, fixed(5), fixed(5), 0.01, 1000), (by_elements, fixed(6), fixed(6), 50), (single, fixed(), fixed(), 40),
    (sums, fixed(20), fixed(20), RNG.normal(size=(20, 20)) / 20, 20), (branching, fixed(), fixed(), 200),
    (products, log(), log(), 8), (products_of_elements, log(5), log(5), 3),
]  # fmt: skip
cases = pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)


@cases
def test_there_and_back_bit_by_bit(case):
    plain, *args = case
    tp.reversible(plain).check_inverse(*args, tolerance=0.0)


@cases
def test_the_reference_interpreter(case):
    plain, *args = case
    if plain is not swing:
        with tp.config(mode="interpret"):
            tp.reversible(plain).check_inverse(*args, tolerance=0.0)


@cases
def test_forward_is_the_plain_function(case):
    plain, *args = case
    first, second = copy.deepcopy(args), copy.deepcopy(args)
    expected, found = plain(*first), tp.reversible(plain)(*second)
    pairs = zip(expected or first, found or second, strict=True)
    for a, b in pairs:
        if isinstance(a, tp.Fixed | tp.Log):
            np.testing.assert_allclose(b.value, a.value, rtol=1e-9, atol=1e-9)


def test_values():
    x = tp.Fixed.of(0.1)
    assert x.value == round(0.1 * 2**43) / 2**43
    assert (x + 0.5 - 0.5).bits == x.bits
    assert (-x).value == -x.value
    y = tp.Log.of(np.array([3.0, 5.0]))
    np.testing.assert_allclose((y * 2.0 / 4.0).value, [1.5, 2.5], rtol=1e-12)
    assert len(y) == 2
    z = np.ones(2)
    with pytest.raises(TypeError):
        z + x


@pytest.mark.parametrize("run", [lambda f: f, tp.jit], ids=["plain", "jit"])
def test_what_does_not_fit(run):
    with pytest.raises(OverflowError):
        run(lambda x: tp.Fixed.of(x).value)(2.0**20)
    with pytest.raises(ValueError, match="positive"):
        run(lambda x: tp.Log.of(x).value)(0.0)


def test_products_of_whole_numbers_are_rounded_apart():
    text = """
def f(x.0: f64, y.1: f64, z.2: f64) {
  a.3: f64 = mul x.0 y.1
  b.4: f64 = add a.3 z.2
  c.5: f64 = rint b.4
  d.6: i64 = convert[i64] c.5
  e.7: f64 = mul y.1 z.2
  f.8: f64 = add e.7 x.0
  return d.6 f.8
}
"""
    assert {var.name for var in products_of_whole_numbers(parse_function(text))} == {"a.3"}


def test_examples():
    assert doctest.testmod(numbers).failed == 0
