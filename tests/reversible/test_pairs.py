"""Two elements of an array that change together: exchanged wherever they are, or combined where they are two."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp


def shuffle(x, places):
    """Fisher and Yates; an element may be exchanged with itself."""
    for i in range(len(x) - 1, 0, -1):
        j = places[i]
        x[i], x[j] = x[j], x[i]


def backwards(x, places):
    n = len(x)
    for i in range(n // 2):
        x[i], x[n - 1 - i] = x[n - 1 - i], x[i]
    x[places[0]] += 1.0


def controlled_not(x, places):
    """A gate on the second and the third bit of the index."""
    for i in range(len(x)):
        if (i >> 1) & 1 and not (i >> 2) & 1:
            j = i | 4
            x[i], x[j] = x[j], x[i]
    x[places[1]] -= 2.0


def hadamard(x, places):
    stride = 1 << places[2] % 3
    for i in range(len(x)):
        if i & stride == 0:
            a, b = x[i], x[i | stride]
            x[i] = (a + b) * np.sqrt(0.5)
            x[i | stride] = (a - b) * np.sqrt(0.5)


def turned(x, places):
    """A rotation of one bit of the index, by blocks."""
    stride, c, s = 2 ** (places[2] % 3), np.cos(0.3), np.sin(0.3)
    for block in range(0, len(x), 2 * stride):
        for k in range(stride):
            i, j = block + k, block + k + stride
            x[i], x[j] = c * x[i] - s * x[j], s * x[i] + c * x[j]


def elimination(x, places):
    """Rows of a matrix in one array, one added to the others."""
    for i in range(len(x)):
        if i != places[0]:
            x[i] += 0.5 * x[places[0]]


PROGRAMS = [shuffle, backwards, controlled_not, hadamard, turned, elimination]
PLACES = np.array([5, 1, 2, 0, 4, 5, 2, 7])


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_there_and_back(function):
    run, first = tp.reversible(function), np.random.default_rng(3).normal(size=8)
    plain, x = first.copy(), first.copy()
    function(plain, PLACES)
    run(x, PLACES)
    np.testing.assert_allclose(x, plain, rtol=1e-15)
    (~run)(x, PLACES)
    np.testing.assert_allclose(x, first, rtol=1e-14, atol=1e-15)


def test_rows_change_places():
    @tp.reversible
    def exchange(a, i, j):
        a[i], a[j] = a[j].copy(), a[i].copy()
        a[0] += a[1]

    first = np.random.default_rng(4).normal(size=(4, 3))
    for i, j in ((1, 3), (2, 2), (-1, 0)):
        a = first.copy()
        exchange(a, i, j)
        (~exchange)(a, i, j)
        np.testing.assert_allclose(a, first, rtol=1e-15, atol=1e-15)


def test_one_place_taken_for_two_is_an_error():
    """a + b and a - b of one element with itself forget it."""

    @tp.reversible
    def butterfly(x, i, j):
        a, b = x[i], x[j]
        x[i] = a + b
        x[j] = a - b

    x = np.array([1.0, 2.0, 3.0])
    butterfly(x, 0, 2)
    (~butterfly)(x, 0, 2)
    assert x.tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(AssertionError, match="two places that were changed together must differ"):
        (~butterfly)(x, 1, 1)
    with pytest.raises(AssertionError, match="must differ"):
        (~butterfly)(x, 1, -2)


def test_an_element_that_may_be_added_to_itself():
    """Then it is doubled, and halved on the way back: strictly reversible without a word."""

    @tp.reversible(strict=True)
    def added(x, i, j):
        x[i] += x[j]

    x = np.array([1.0, 2.0, 3.0])
    for i, j in ((0, 2), (1, 1), (0, -3)):
        added(x, i, j)
        (~added)(x, i, j)
        assert x.tolist() == [1.0, 2.0, 3.0]


def test_two_that_are_one_where_that_can_be_undone():
    """Read before both are written: what is written last stays, where it is one element."""

    @tp.reversible(strict=True)
    def both(x, i, j):
        a, b = x[i], x[j]
        x[i] = a + 1.0
        x[j] = 3.0 - b

    @tp.reversible(strict=True)
    def each(x, i, j):
        for k in range(3):
            m = (i * k) % len(x)
            a, b = x[m], x[j]
            x[m] = a - 2.0
            x[j] = b + 1.0 / (1 + k)

    @tp.reversible(strict=True)
    def three(x, i, j):
        a, b = x[i], x[j]
        x[j] = b + np.sin(x[0])
        x[i] = a - 2.0
        x[i], x[j] = x[j], -x[i]

    for function in (both, each):
        for i in range(4):
            for j in (*range(4), -1, -4):
                first = np.array([0.5, 2.0, 3.0, 4.0])
                plain, x = first.copy(), first.copy()
                function.python(plain, i, j)
                function(x, i, j)
                np.testing.assert_allclose(x, plain, rtol=1e-15)
                (~function)(x, i, j)
                np.testing.assert_allclose(x, first, rtol=1e-14, atol=1e-15)
    with pytest.raises(tp.TapelessError, match=r"cannot be run backwards|only if two places differ"):
        three(np.ones(4), 1, 2)


def test_a_place_that_may_be_one_of_some():
    """What was written at 1 or 2 is read at a place that may be either."""

    @tp.reversible(strict=True)
    def some(x, y, q):
        for k in range(3):
            a, b = x[q], x[1]
            x[1] = b + np.sin(y)
            x[q] = a - k
            y += x[1]
        return y

    for q in range(-4, 4):
        first = np.array([0.5, 2.0, 3.0, 4.0])
        x = first.copy()
        y = some(x, 0.25, q)
        assert (~some)(x, y, q) == pytest.approx(0.25, rel=1e-13)
        np.testing.assert_allclose(x, first, rtol=1e-14)


def test_integers_that_may_be_doubled_are_checked():
    """Twice a number forgets its highest bit, so that two places are still needed."""

    @tp.reversible
    def added(x, i, j):
        x[i] += x[j]

    x = np.array([1, 2, 3])
    added(x, 0, 2)
    (~added)(x, 0, 2)
    assert x.tolist() == [1, 2, 3]
    with pytest.raises(AssertionError, match="must differ"):
        (~added)(x, 1, 1)


@tp.reversible
def combined(x, i, j):
    x[i] += 2 * x[j]
    x[j] -= x[i]
    x[i], x[j] = x[j], x[i]


def test_an_element_that_changes_twice_is_no_two_that_change_together():
    """One after the other, by something else: the first change is undone once the second one is, wherever they are."""

    @tp.reversible
    def twice(x, y, i, j):
        x[i] += np.sin(y[0])
        y[0] -= np.cos(y[1])
        x[j] = y[0] * y[1] - x[j]
        y[2] += x[1]
        x[0] -= np.cos(y[2])

    first, other = np.random.default_rng(5).normal(size=(2, 3))
    for i in range(3):
        for j in (*range(3), -3):
            x, y = first.copy(), other.copy()
            twice(x, y, i, j)
            (~twice)(x, y, i, j)
            np.testing.assert_allclose([*x, *y], [*first, *other], rtol=1e-14, atol=1e-15)


def test_parts_that_change_twice():
    @tp.reversible
    def parts(x, y, i):
        x[i : i + 2] += y[1]
        y[0] -= x[0] * x[1] * x[2]
        x[0:2] -= y[0]
        y[2] += x[1]
        x[i] += y[2]

    first, other = np.random.default_rng(6).integers(-9, 9, (2, 4)).astype(float)
    for i in range(3):
        x, y = first.copy(), other.copy()
        parts(x, y, i)
        (~parts)(x, y, i)
        assert [*x, *y] == [*first, *other]


def test_an_array_that_is_read_everywhere_comes_back_first():
    """What adds up all elements reads those at the two places as well: that these are apart is not assumed."""

    @tp.reversible
    def whole(x, y, i, j):
        combined(x, i, j)
        y += x
        (~combined)(x, i, j)

    @tp.reversible
    def counted(x, y, i, j):
        combined(x, i, j)
        for k in range(len(x)):
            y[int(x[k]) % 4] += 1.0
        (~combined)(x, i, j)

    @tp.reversible
    def until(x, y, i, j):
        combined(x, i, j)
        k = 0
        assert k == 0
        while k != len(x):
            y[0] += x[k]
            y[1] -= y[0]
            k += 1
            assert k != 0
        (~combined)(x, i, j)

    for function in (whole, counted, until):
        x, y = np.arange(6.0), np.ones(6)
        function(x, y, 1, 4)
        (~function)(x, y, 1, 4)
        assert (x.tolist(), y.tolist()) == ([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [1.0] * 6)


def test_what_is_read_at_its_own_place_is_refused():
    @tp.reversible
    def doubled(x, i):
        x[i] += x[i] * x[i]

    with pytest.raises(tp.TapelessError, match="cannot be run backwards"):
        (~doubled)(np.ones(3), 1)


def columns(a, i, j):
    a[:, [i, j]] = a[:, [j, i]]
    a[:, [0, 2, 1]] = a[:, [2, 1, 0]]


def columns_one_by_one(a, i, j):
    a[:, i], a[:, j] = a[:, j].copy(), a[:, i].copy()
    a[i:, 0], a[i:, 1] = a[i:, 1].copy(), a[i:, 0].copy()


def rows_by_lists(a, i, j):
    a[[i, j]] = a[[j, i]]
    a[[0, -1, 2]] = a[[-1, 2, 0]]
    a[[1, 0], :2] = a[[0, 1], :2]


def elements_by_lists(a, i, j):
    x = a[0]
    x[[3, 0, 1]] = x[[0, 1, 3]]
    a[1][[i, j]] = a[1][[j, i]]


@pytest.mark.parametrize(
    "function", [columns, columns_one_by_one, rows_by_lists, elements_by_lists], ids=lambda f: f.__name__
)
def test_parts_change_places(function):
    run, first = tp.reversible(function), np.random.default_rng(8).normal(size=(4, 4))
    for i, j in ((1, 3), (2, 2), (-1, 0), (0, -2)):
        plain, a = first.copy(), first.copy()
        function(plain, i, j)
        run(a, i, j)
        np.testing.assert_array_equal(a, plain)
        (~run)(a, i, j)
        np.testing.assert_allclose(a, first, rtol=1e-15, atol=1e-15)


def test_an_exchange_beyond_the_end_is_an_error_in_both_directions():
    @tp.reversible
    def exchange(a, i, j):
        a[:, [i, j]] = a[:, [j, i]]

    for run in (exchange, ~exchange):
        with pytest.raises(IndexError):
            run(np.ones((2, 3)), 1, 3)
        with pytest.raises(IndexError):
            run(np.ones((2, 3)), -4, 1)


def test_three_that_change_places_must_be_three():
    """A list that names an element twice keeps what was written last."""

    @tp.reversible
    def turn(x, i, j, k):
        x[[i, j, k]] = x[[j, k, i]]

    x = np.arange(5.0)
    turn(x, 4, 0, 2)
    assert x.tolist() == [2.0, 1.0, 4.0, 3.0, 0.0]
    (~turn)(x, 4, 0, 2)
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    with pytest.raises(AssertionError, match="must differ"):
        (~turn)(x, 4, 0, 4)


def _overlapping(a, i, j):
    """Two slices of one row that may have an element in common."""
    a[0, i : i + 2], a[0, j : j + 2] = a[0, j : j + 2].copy(), a[0, i : i + 2].copy()


def _one_twice(a, i, j):
    a[[i, j]] = a[[j, j]]


def _some_lost(a, i, j):
    a[:, [i, j]] = a[:, [j, 2]]


def _another_array(a, i, j):
    b = a + 1.0
    a[[i, j]] = b[[j, i]]


def _changed_on_the_way(a, i, j):
    a[i], a[j] = a[j].copy(), a[i] * 0.0


def _after_the_first(a, i, j):
    a[i] = a[j]
    a[j] = a[i]


@pytest.mark.parametrize(
    "function",
    [_overlapping, _one_twice, _some_lost, _another_array, _changed_on_the_way, _after_the_first],
    ids=lambda f: f.__name__,
)
def test_what_is_no_exchange_is_refused(function):
    with pytest.raises(tp.TapelessError, match="cannot be run backwards"):
        (~tp.reversible(function))(np.arange(16.0).reshape(4, 4), 0, 1)


def column_added(a, i, j):
    a[:, 0] += np.sin(a[:, 1])
    a[1:, 3] -= a[:-1, 2] * i
    a[j, :] *= 2.0


def columns_turned(a, i, j):
    """Two columns are made by two loops, which tell them together only."""
    c, s = np.cos(0.1 * i), np.sin(0.1 * i)
    p, q = a[:, 1].copy(), a[:, 2].copy()
    a[:, 1] = c * p - s * q
    a[:, 2] = s * p + c * q
    for k in range(3):
        p, q = a[:, k].copy(), a[:, k + 1].copy()
        a[:, k], a[:, k + 1] = p + q, (p - q) * (1 + j * j)


@pytest.mark.parametrize("function", [column_added, columns_turned], ids=lambda f: f.__name__)
@pytest.mark.parametrize("shape", [(4, 4), (5, 4), (1, 4)], ids=str)
def test_columns(function, shape):
    run, first = tp.reversible(function), np.random.default_rng(9).normal(size=shape)
    plain, a = first.copy(), first.copy()
    function(plain, 1, 0)
    run(a, 1, 0)
    np.testing.assert_allclose(a, plain, rtol=1e-14)
    (~run)(a, 1, 0)
    np.testing.assert_allclose(a, first, rtol=1e-13, atol=1e-14)


def test_small_columns():
    """Coordinates of points: some columns of three are told, or all."""

    @tp.reversible
    def points(x):
        x[:, 0] += x[:, 1] * x[:, 2]
        p, q = x[:, 1] + x[:, 2], x[:, 1] - x[:, 2]
        x[:, 1] = p
        x[:, 2] = q

    first = np.random.default_rng(10).normal(size=(5, 3))
    x = first.copy()
    points(x)
    (~points)(x)
    np.testing.assert_allclose(x, first, rtol=1e-14, atol=1e-15)
    assert "keeps" not in points.explain(x)


def test_columns_that_are_lost_are_refused():
    @tp.reversible
    def lost(a):
        p, q = a[:, 0].copy(), a[:, 1].copy()
        a[:, 0] = p + q
        a[:, 1] = 2.0 * p + 2.0 * q

    with pytest.raises(tp.TapelessError, match="cannot be run backwards"):
        (~lost)(np.ones((3, 2)))
