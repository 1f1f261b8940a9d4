"""Reversible functions: forward they are what they were, backwards they bring back what they took."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import tapeless as tp
from tapeless.errors import NotReversibleError

from .programs import CASES, PARTIAL, asserted, axpy, integers, leapfrog, normal, until_small

total = pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
cases = pytest.mark.parametrize("case", [*CASES, *PARTIAL], ids=lambda case: case[0].__name__)


def same(x, y):
    for a, b in zip(x, y, strict=True):
        np.testing.assert_array_equal(a, b)


@cases
def test_forward_is_the_plain_function(case):
    plain, *args = case
    first, second = copy.deepcopy(args), copy.deepcopy(args)
    expected, found = plain(*first), tp.reversible(plain)(*second)
    np.testing.assert_allclose(np.array(found, float), np.array(expected, float), rtol=1e-12)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-14)


@cases
def test_backwards(case):
    plain, *args = case
    function = tp.reversible(plain)
    function.check_inverse(*args, tolerance=1e-13)


@total
def test_forward_undoes_backwards(case):
    plain, *args = case
    function = tp.reversible(plain)
    state = copy.deepcopy(args)
    result = (~function)(*state)
    if result is not None:
        state[: len(result)] = result
    again = function(*state)
    if again is not None:
        state[: len(again)] = again
    for before, after in zip(args, state, strict=True):
        np.testing.assert_allclose(after, before, rtol=1e-11, atol=1e-12)


def test_integers_come_back_bit_by_bit():
    function = tp.reversible(integers)
    rng = np.random.default_rng(1)
    for _ in range(50):
        a, b = (int(x) for x in rng.integers(-(2**62), 2**62, 2))
        x, y = function(a, b, 17)
        assert function.inv(x, y, 17) == (a, b)


def test_the_inverse_of_the_inverse():
    function = tp.reversible(axpy)
    assert ~~function is function
    assert function.inv.inv is function
    assert "inverse" in repr(~function)


def test_inverses_in_compiled_code():
    forward = tp.reversible(leapfrog)

    @tp.jit
    def there_and_back(x, v):
        y, w = x.copy(), v.copy()
        forward(y, w, 0.1, 5)
        forward.inv(y, w, 0.1, 2)
        (~forward)(y, w, 0.1, 3)
        return y - x

    np.testing.assert_allclose(there_and_back(normal(4), normal(4)), np.zeros(4), atol=1e-14)


def test_inverse_is_differentiable():
    forward = tp.reversible(leapfrog)

    def undone(x, v):
        y, w = x * 1.0, v * 1.0
        (~forward)(y, w, 0.1, 3)
        return np.sum(y * w)

    x, v = normal(3), normal(3)
    found = tp.grad(undone, (0, 1))(x, v)
    step = 1e-6
    for k in range(2):
        for i in range(3):
            ends = []
            for sign in (1, -1):
                args = [x.copy(), v.copy()]
                args[k][i] += sign * step
                ends.append(undone(*args))
            assert found[k][i] == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-6)


def overwritten(x):
    for i in range(len(x)):
        x[i] = np.sin(x[i])


def used_for_itself(x, y):
    x += x * y
    return x, y


def by_what_changes(x):
    for i in range(len(x)):
        if x[i] > 0.0:
            x[i] -= 1.0


def zero(x):
    x *= 0.0


def rotated_by_anything(x, y, c, s):
    x, y = c * x - s * y, s * x + c * y
    return x, y


def rotated_by_two_angles(x, y, a, b):
    x, y = np.cos(a) * x - np.sin(b) * y, np.sin(b) * x + np.cos(a) * y
    return x, y


def added_twice(x, y):
    x, y = x + y, 2.0 * x + 2.0 * y
    return x, y


def nearly_added_twice(x, y):
    x, y = x + y, x + 1.0001 * y
    return x, y


def halves_of_integers(a, b):
    a, b = a + b, a - b
    return a, b


def asserted_of_too_much(n):
    if n > 0:
        n += 5
        assert n > -3
    return n


def asserted_of_both(n):
    if n > 0:
        n += 5
        assert n > 0
    else:
        n -= 1
        assert n < 5
    return n


def asserted_before_the_end(n):
    if n > 0:
        assert n > 0
        n -= 5
    else:
        assert not n > 0
    return n


def until(x, k):
    while x > 1.0:
        k += 1
        x -= 0.5
        assert k != 0
    return x, k


def until_nothing_is_said(x, k):
    assert k == 0
    while x > 1.0:
        k += 1
        x -= 0.5
    return x, k


def something_else(x):
    return np.sum(x)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (overwritten, (normal(3),)),
        (by_what_changes, (normal(3),)),
        (zero, (normal(3),)),
        (added_twice, (0.3, 0.4)),
        (nearly_added_twice, (0.3, 0.4)),
        (halves_of_integers, (3, 4)),
        (asserted_of_too_much, (3,)),
        (asserted_of_both, (3,)),
        (asserted_before_the_end, (3,)),
        (until, (3.0, 0)),
        (until_nothing_is_said, (3.0, 0)),
        (something_else, (normal(3),)),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_refused(function, args):
    with pytest.raises(NotReversibleError) as caught:
        tp.reversible(function).inv(*args)
    text = str(caught.value)
    assert "programs.py" not in text
    assert "test_reversible.py" in text
    assert len(text.splitlines()) <= 12


@pytest.mark.parametrize(
    ("function", "args", "lost"),
    [
        (used_for_itself, (0.3, 0.4), (0.3, -1.0)),
        (rotated_by_anything, (0.3, 0.4, 0.6, 0.8), (0.3, 0.4, 0.0, 0.0)),
        (rotated_by_two_angles, (0.3, 0.4, 0.6, 0.8), (0.3, 0.4, np.nan, 0.0)),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_may_be_lost_is_checked(function, args, lost):
    reversible = tp.reversible(function)
    reversible.check_inverse(*args)
    with pytest.raises(AssertionError, match="must follow from what they became"):
        reversible.inv(*lost)


def test_what_is_out_of_range_raises():
    def added(y, rows, x):
        for k in range(len(x)):
            y[rows[k]] += x[k]

    with pytest.raises(IndexError):
        tp.reversible(added).inv(np.zeros(2), np.array([0, 7]), np.ones(2))


@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, -1, -3, -4])
def test_what_a_branch_never_leaves_raises(n):
    function = tp.reversible(asserted)
    before = [old for old in range(-20, 20) if is_left(old) == n]
    if before:
        assert [(~function)(n, 2)[0]] == before
    else:
        with pytest.raises(AssertionError, match="never leaves"):
            (~function)(n, 2)


def is_left(n):
    """What `asserted` makes of n and 2; None where it raises."""
    try:
        return asserted(n, 2)[0]
    except AssertionError:
        return None


@pytest.mark.parametrize(("k", "x"), [(1, 5.0), (2, 2.5), (-1, 0.5)])
def test_what_a_loop_never_leaves_raises(k, x):
    with pytest.raises(AssertionError):
        (~tp.reversible(until_small))(0.5, k, x)


def test_inverse_is_found_again_after_pickling():
    function = pickle.loads(pickle.dumps(~module_level))
    assert function is ~module_level


@tp.reversible
def module_level(x):
    x += 1.0
