"""Arrays of every layout: read and written exactly as plain Python does."""

import numpy as np
import pytest

import tapeless as tp


def blend(a, b):
    """Reads both arguments, writes the second, returns something new."""
    total = 0.0
    for i in range(len(a)):
        total += a[i]
        b[i] = b[i] * 2.0 + a[i]
    return total


def misaligned(n):
    array = np.frombuffer(bytearray(8 * n + 1), np.uint8)[1:].view(np.float64)
    array[:] = np.arange(n)
    assert n == 0 or not array.flags.aligned
    return array


def strided(n):
    return np.arange(3.0 * n)[::3]


def column(n):
    return np.arange(4.0 * n).reshape(n, 4)[:, 1]


LAYOUTS = {
    "contiguous": lambda n: np.arange(float(n)),
    "strided": strided,
    "reversed": lambda n: np.arange(float(n))[::-1],
    "column": column,
    "misaligned": misaligned,
    "swapped": lambda n: np.arange(float(n)).astype(">f8"),
    "memmap-like": lambda n: np.arange(float(n)).view(),
}
compiled_blend = tp.jit(blend)


@pytest.mark.parametrize("second", LAYOUTS)
@pytest.mark.parametrize("first", LAYOUTS)
@pytest.mark.parametrize("n", [0, 5])
def test_layouts(first, second, n):
    a, b = LAYOUTS[first](n), LAYOUTS[second](n)
    expected_a, expected_b = LAYOUTS[first](n), LAYOUTS[second](n)
    expected = blend(expected_a, expected_b)
    assert compiled_blend(a, b) == expected
    np.testing.assert_array_equal(a, expected_a)
    np.testing.assert_array_equal(b, expected_b)


def test_parts_beside_a_written_view_stay():
    base = np.arange(12.0)
    compiled_blend(np.ones(4), base[1::3])
    expected = np.arange(12.0)
    expected[1::3] = expected[1::3] * 2.0 + 1.0
    np.testing.assert_array_equal(base, expected)


@pytest.mark.parametrize("order", ["C", "F"])
def test_orders_of_matrices(order):
    def scale_rows(m, k):
        for i in range(m.shape[0]):
            m[i] *= k[i]
        return m.T, m.sum()

    m = np.array(np.arange(6.0).reshape(2, 3), order=order)
    expected = np.array(m)
    expected_t, expected_sum = scale_rows(expected, np.array([2.0, 3.0]))
    transposed, total = tp.jit(scale_rows)(m, np.array([2.0, 3.0]))
    np.testing.assert_array_equal(m, expected)
    np.testing.assert_array_equal(transposed, expected_t)
    assert total == expected_sum


def test_read_only_arrays():
    a, b = np.arange(3.0), np.arange(3.0)
    a.flags.writeable = False
    compiled_blend(a, b)
    np.testing.assert_array_equal(b, [0.0, 3.0, 6.0])
    before = a.copy()
    with pytest.warns(tp.PlainPythonWarning), pytest.raises(ValueError, match="read-only"):
        compiled_blend(b, a)
    np.testing.assert_array_equal(a, before)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (slice(0, 5), slice(0, 5)),
        (slice(0, 5), slice(1, 6)),
        (slice(1, 6), slice(0, 5)),
        (slice(5, 0, -1), slice(0, 5)),
        (slice(0, 10, 2), slice(2, 7)),
    ],
)
def test_overlapping_arguments_run_as_plain_python(first, second):
    base, expected = np.arange(12.0), np.arange(12.0)
    total = blend(expected[first], expected[second])
    with pytest.warns(tp.PlainPythonWarning, match="blend ran as plain Python"):
        assert compiled_blend(base[first], base[second]) == total
    np.testing.assert_array_equal(base, expected)


def test_interleaved_views_do_not_overlap():
    base, expected = np.arange(10.0), np.arange(10.0)
    assert compiled_blend(base[::2], base[1::2]) == blend(expected[::2], expected[1::2])
    np.testing.assert_array_equal(base, expected)


def test_one_array_twice_when_nothing_is_written():
    x = np.arange(4.0)
    assert tp.jit(lambda a, b: (a * b).sum())(x, x) == 14.0


def test_an_array_whose_elements_share_memory():
    def count(x):
        for i in range(len(x)):
            x[i] += 1.0

    cell, expected = np.zeros(1), np.zeros(1)
    count(np.lib.stride_tricks.as_strided(expected, (4,), (0,)))
    with pytest.warns(tp.PlainPythonWarning):
        tp.jit(count)(np.lib.stride_tricks.as_strided(cell, (4,), (0,)))
    assert cell[0] == expected[0] == 4.0


def test_overlap_inside_structures():
    def copy_over(pair):
        for i in range(len(pair["from"])):
            pair["to"][i] = pair["from"][i] + 1

    base, expected = np.zeros(5), np.zeros(5)
    copy_over({"from": expected[:-1], "to": expected[1:]})
    with pytest.warns(tp.PlainPythonWarning):
        tp.jit(copy_over)({"from": base[:-1], "to": base[1:]})
    np.testing.assert_array_equal(base, expected)


def test_subclasses_keep_their_meaning():
    masked = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
    with pytest.warns(tp.PlainPythonWarning):
        assert tp.jit(lambda x: x.sum())(masked) == 4.0


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_matrices_are_refused():
    with pytest.raises(TypeError, match="matrix"):
        tp.jit(lambda x: x * x)(np.matrix([[1.0, 2.0]]))


def test_arrays_without_dimensions():
    def add(x):
        x += 1.0
        return x

    cell = np.array(1.0)
    with pytest.warns(tp.PlainPythonWarning):
        assert tp.jit(add)(cell) is cell
    assert cell == 2.0


def test_memory_maps(tmp_path):
    stored = np.memmap(tmp_path / "data", np.float64, "w+", shape=(4,))
    stored[:] = np.arange(4.0)
    assert compiled_blend(np.ones(4), stored) == 4.0
    np.testing.assert_array_equal(stored, np.arange(4.0) * 2.0 + 1.0)


def test_empty_arrays():
    total = tp.jit(lambda x: (x.sum(), x * 2, x.T))
    for shape in ((0,), (0, 3), (3, 0), (0, 0)):
        s, double, transposed = total(np.ones(shape))
        assert s == 0.0
        assert double.shape == shape
        assert transposed.shape == shape[::-1]
    with pytest.raises(ValueError, match="zero-size"):
        tp.jit(lambda x: x.max())(np.ones(0))


def test_integers_in_arrays_of_c_long_and_long_long():
    f = tp.jit(lambda x: x + 1)
    for dtype in (np.int_, np.longlong, np.intp, np.int64):
        np.testing.assert_array_equal(f(np.arange(3, dtype=dtype)), [1, 2, 3])
