"""What inverses cannot tell is kept: bits of branches, counts of loops, values that are named."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import tapeless as tp
from tapeless.errors import NotReversibleError, TapelessError


def branch(x):
    if x > 0.0:
        x -= 3.0
    return x


def branches(x, n):
    for i in range(n):
        if x > 0.0:
            x -= 3.0
        else:
            x += 2.0 * i
    return x


def one_arm_of_many(x, y):
    if x > 2.0:
        if y > x:
            y -= 1.0
            x -= 4.0
    elif y > 0.0:
        x += y
        y -= 3.0
    return x, y


def until(x, y):
    while x > 1.0:
        x -= 0.25
        if y > x:
            y -= x
        y += 0.5
    return x, y


def left_early(x, n):
    for i in range(n):
        if x > 10.0:
            break
        x += 0.5 * i
    return x


def left_out(x, n):
    for i in range(n):
        if x > 3.0:
            x -= 1.5
            continue
        x += 0.5 * i
    return x


def elements(x):
    for i in range(len(x)):
        if x[i] > 0.0:
            x[i] -= 3.0


def grid(x, t):
    for i in tp.prange(x.shape[0]):
        for j in range(x.shape[1]):
            if x[i, j] > t:
                x[i, j] = -x[i, j] + t


def steps_of_elements(x, n):
    for _ in range(n):
        for i in range(len(x)):
            if x[i] > 0.0:
                x[i] -= 1.5
            else:
                x[i] += 0.25


def loops_in_loops(x, k, n):
    for i in range(n):
        while k % 7 != 0:
            k += 1
            if x[i] > 0:
                x[i] -= 2
        k += 1
    return x, k


def pieces_of_rows(x, n):
    for i in range(n):
        for j in range(i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]


def calls(x, n):
    x = branches(x, n)
    x += 0.5
    x = left_early(x, n)
    x -= 0.25
    return x


def overwritten(x, y):
    for i in range(1, len(x)):
        old = tp.saved(x[i])
        x[i] = 0.0
        y += old * x[i - 1]
    return y


def named(x, y):
    old = tp.saved(x)
    x = 1.0
    y += old
    return x, y


def named_branch(x, y):
    if tp.saved(x > y):
        x -= 1.0
    return x


CASES = [
    (branch, 2.5), (branch, -1.0), (branches, 2.5, 7), (branches, 2.5, 0), (one_arm_of_many, 3.0, 4.0),
    (one_arm_of_many, 3.0, 1.0), (one_arm_of_many, 1.0, 4.0), (one_arm_of_many, 1.0, -4.0), (until, 5.0, 2.0),
    (until, 0.5, 2.0), (left_early, 1.0, 30), (left_early, 1.0, 3), (left_early, 1.0, 0), (left_out, 1.0, 12),
    (elements, np.array([1.0, -2.0, 4.0])), (elements, np.zeros(0)), (grid, np.arange(12.0).reshape(3, 4), 5.0),
    (steps_of_elements, np.array([4.0, -0.25, 0.5]), 5), (loops_in_loops, np.array([1.0, 5.0, -2.0, 4.0]), 3, 4),
    (pieces_of_rows, np.array([3.0, 2.0, 5.0, 1.0, 4.0, 0.0]), 6), (calls, 1.0, 9),
    (overwritten, np.array([1.0, 2.0, 3.0]), 0.5), (named, 2.5, 1.0), (named_branch, 2.5, 1.0),
]  # fmt: skip
cases = pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)


@cases
def test_there_and_back(case):
    plain, *args = case
    function = tp.reversible(plain)
    function.check_inverse(*args, tolerance=1e-14)


@cases
def test_forward_is_the_plain_function(case):
    plain, *args = case
    first, second, third = (copy.deepcopy(args) for _ in range(3))
    function = tp.reversible(plain)
    expected, found, (kept_too, _) = plain(*first), function(*second), function.keep(*third)
    for result, state in ((found, second), (kept_too, third)):
        assert np.array_equal(np.hstack(_tuple(result)), np.hstack(_tuple(expected)))
        for a, b in zip(first, state, strict=True):
            np.testing.assert_array_equal(b, a)


def _tuple(result):
    return result if isinstance(result, tuple) else (0.0 if result is None else result,)


@cases
def test_the_reference_interpreter(case):
    plain, *args = case
    with tp.config(mode="interpret"):
        tp.reversible(plain).check_inverse(*args, tolerance=1e-14)


def test_what_is_kept():
    _, kept = tp.reversible(branches).keep(2.5, 7)
    assert [x.tolist() for x in kept] == [[True, False, True, False, True, True, False]]
    _, (counts, bits) = tp.reversible(until).keep(5.0, 2.0)
    assert counts.tolist() == [16]
    assert bits.dtype == bool
    assert bits.shape == (16,)
    _, (counts, bits) = tp.reversible(loops_in_loops).keep(np.ones(4), 3, 4)
    assert counts.tolist() == [4, 6, 6, 6]
    assert bits.shape == (22,)


def test_nothing_is_kept_where_nothing_need_be():
    def told(n):
        if n > 0:
            n += 1
            assert n > 1
        else:
            assert not n > 1
        return n

    assert tp.reversible(told).keep(3) == (4, ())


def test_bare_inverses_are_refused_where_something_must_be_kept():
    with pytest.raises(NotReversibleError, match=r"without a bit \(1 byte\)") as refusal:
        (~tp.reversible(branch))(1.0)
    assert "if x > 0.0" in str(refusal.value) or "x > 0.0" in str(refusal.value)
    assert "asserts that exclude each other" in str(refusal.value)
    assert "branch.keep(...)" in str(refusal.value)
    with pytest.raises(NotReversibleError, match=r"without a count \(8 bytes\)"):
        (~tp.reversible(until))(1.0, 2.0)
    with pytest.raises(NotReversibleError, match="asks for it"):
        (~tp.reversible(named))(1.0, 2.0)


@pytest.mark.parametrize("plain", [branch, named], ids=lambda f: f.__name__)
def test_strictly_reversible_functions_keep_nothing(plain):
    function = tp.reversible(strict=True)(plain)
    args = (1.0, 2.0)[: plain.__code__.co_argcount]
    with pytest.raises(NotReversibleError, match="kept here each time"):
        function(*args)
    with pytest.raises(NotReversibleError, match="kept here each time"):
        function.keep(*args)


def test_what_is_lost_is_refused():
    @tp.reversible
    def forgets(x):
        if x > 0.0:
            x = 1.0
        return x

    with pytest.raises(NotReversibleError, match="what x was"):
        forgets.keep(2.0)


def test_explanations_say_what_is_kept():
    text = tp.reversible(until).explain(5.0, 2.0)
    assert "keeps a count (8 bytes) each time" in text
    assert "keeps a bit (1 byte) each time" in text
    assert "computes nothing again" in tp.reversible(swapped).explain(1.0, 2.0)
    assert "does not run backwards" in tp.reversible(forgetful).explain(np.ones(2))


def forgetful(x):
    x[0] = 0.0


def swapped(x, y):
    x, y = y, x
    return x, y


def test_round_trips_within_a_program():
    function = tp.reversible(until)

    @tp.jit
    def there_and_back(x, y):
        (x, y), kept = function.keep(x, y)
        x *= 1.0
        return function.undo(kept, x, y)

    assert there_and_back(5.0, 2.0) == (5.0, 2.0)
    slopes = tp.jacobian(lambda z: np.array(there_and_back(z[0], z[1])))(np.array([5.0, 2.0]))
    np.testing.assert_allclose(slopes, np.eye(2))


def test_kept_arrays_of_another_call_are_refused():
    function = tp.reversible(branches)
    _, kept = function.keep(2.5, 7)
    with pytest.raises(IndexError):
        function.undo(kept, 10.5, 8)
    with pytest.raises(TapelessError, match="is not given what"):
        function.undo((), 10.5, 7)
    with pytest.raises(TapelessError, match="is not given what"):
        function.undo((np.ones(7),), 10.5, 7)


def test_they_are_pickled_by_name():
    assert pickle.loads(pickle.dumps(pickled.keep)) is pickled.keep
    assert "keep" in repr(pickled.keep)


@tp.reversible
def pickled(x):
    if x > 0.0:
        x -= 1.0
    return x


# -- gradients ----------------------------------------------------------------------------------------


def bounced(x, v, w, n):
    for _ in range(n):
        v -= 0.01 * w
        x += 0.01 * v
        if x < 0.0:
            x = -x
            v = -v
    return x, v


def loss(x, v, w, n):
    x, v = bounced(x, v, w, n)
    return x * x + 3.0 * v


def test_gradients_keep_a_bit_of_each_iteration():
    gradient = tp.grad(loss, (0, 1, 2), memory="reversible")
    args = (1.0, 0.5, 9.81, 500)
    np.testing.assert_allclose(gradient(*args), tp.grad(loss, (0, 1, 2))(*args), rtol=1e-9)
    text = gradient.explain(*args)
    assert "keeps a bit (1 byte) of each iteration" in text
    assert "runs backwards" in text


def test_strict_gradients_do_not():
    with pytest.raises(NotReversibleError):
        tp.jacrev(tp.reversible(strict=True)(bounced))(1.0, 0.5, 9.81, 500)


@pytest.mark.parametrize("case", [c for c in CASES if c[0] in (branches, until, left_early, left_out)],
                         ids=lambda case: case[0].__name__)  # fmt: skip
def test_gradients(case):
    plain, *args = case
    tp.reversible(plain).check_grad(*args)
