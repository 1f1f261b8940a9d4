"""The interpreter: each structured form against plain Python, exceptions, shapes, and what is counted."""

import numpy as np
import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.errors import IRError
from tapeless.ir.build import build
from tapeless.ir.eval import evaluate, interpreter
from tapeless.ir.numbers_count import CountingTower
from tapeless.ir.numbers_mp import MpTower
from tapeless.ir.text import parse_function
from tapeless.ir.types import F64, I32, I64, Type, Var, f64, i64

from .ir_programs import FORMS

PROGRAM = {name: parse_function(text) for name, text in FORMS.items()}
X = np.array([0.5, 2.0, -1.0, 4.0, 4.0])


def test_reduce():
    (energy,) = evaluate(PROGRAM["energy"], [X, 3.0])
    assert isinstance(energy, np.float64)
    np.testing.assert_allclose(energy, 3.0 * np.sum(np.diff(X) ** 2))
    assert evaluate(PROGRAM["energy"], [np.ones(1), 3.0]) == [0.0]


def test_reduce_goes_from_left_to_right():
    function = parse_function("""
def last(x: f64[n]) {
  r: f64 = reduce n [+nan] (a: f64, b: f64) {
    return b
  } (i: i64) {
    y: f64 = index x i
    return y
  }
  return r
}""")
    assert evaluate(function, [X]) == [4.0]
    assert np.isnan(evaluate(function, [X[:0]])[0])


def test_if_binds_its_sizes():
    size, part = evaluate(PROGRAM["branch"], [True, X[:4]])
    assert size == 2
    np.testing.assert_array_equal(part, X[:4:2])
    size, whole = evaluate(PROGRAM["branch"], [False, X])
    assert size == 5
    np.testing.assert_array_equal(whole, X)


def test_for_carries_values_and_leaves_arguments_alone():
    argument = X.copy()
    halved, total = evaluate(PROGRAM["counted"], [argument, 7])
    expected = X * [0.25, 0.25, 0.5, 0.5, 0.5]
    np.testing.assert_array_equal(halved, expected)
    np.testing.assert_allclose(total, (X * 0.5).sum() + 0.125 + 0.5)
    np.testing.assert_array_equal(argument, X)


@pytest.mark.parametrize("count", [0, -3])
def test_a_loop_may_not_run_at_all(count):
    result, total = evaluate(PROGRAM["counted"], [X, count])
    np.testing.assert_array_equal(result, X)
    assert total == 0.0
    result[0] = 99.0
    assert X[0] == 0.5, "a result never shares the caller's memory"


def test_while_carries_growing_arrays():
    size, array = evaluate(PROGRAM["growing"], [5])
    assert size == 8
    np.testing.assert_array_equal(array, [7] * 8)


def test_nested_map():
    a = np.arange(12, dtype=np.float32).reshape(4, 3)
    doubled, rows = evaluate(PROGRAM["nested_map"], [a])
    np.testing.assert_array_equal(doubled, 2 * a)
    assert doubled.dtype == np.float32
    np.testing.assert_array_equal(rows, np.arange(4))
    doubled, rows = evaluate(PROGRAM["nested_map"], [a[:0]])
    assert doubled.shape == (0, 3)
    assert rows.shape == (0,)


def test_scan_of_pairs():
    highest, where = evaluate(PROGRAM["prefixes"], [X])
    np.testing.assert_array_equal(highest, np.maximum.accumulate(X))
    np.testing.assert_array_equal(where, [0, 1, 1, 3, 3])


def test_hist_and_scatter_ignore_keys_out_of_range():
    keys = np.array([1, -1, 0, 1, 3])
    weights = np.array([1.0, 10.0, 100.0, 1000.0, 5.0])
    hist, scattered = evaluate(PROGRAM["histogram"], [np.ones((3, 2)), np.full(3, -1), keys, weights])
    np.testing.assert_array_equal(hist, [[101.0, 101.0], [1002.0, 1002.0], [1.0, 1.0]])
    np.testing.assert_array_equal(scattered, [2, 3, -1])


def test_shapes():
    a = np.array([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]])
    t, flat, order, count, stacked, same = evaluate(PROGRAM["shapes"], [a])
    np.testing.assert_array_equal(t, a.T)
    np.testing.assert_array_equal(flat, a.T.ravel())
    np.testing.assert_array_equal(order, np.argsort(a.T.ravel()))
    np.testing.assert_array_equal(count, np.arange(6))
    np.testing.assert_array_equal(stacked, [a.T.ravel()] * 2)
    np.testing.assert_array_equal(same, a)


def test_integers_wrap_and_keep_their_type():
    x = Var("x", Type(I32))
    function = build("f", (x,), lambda b: (b.apply("mul", x, x), b.apply("neg", x)))
    square, negated = evaluate(function, [np.int32(-(2**31))])
    assert square == 0
    assert negated == -(2**31)
    assert square.dtype == negated.dtype == np.int32


@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        ((1.0, 3, 3), IndexError, "index 3 is out of bounds for a dimension of size 3"),
        ((1.0, -1, 3), IndexError, "index -1"),
        ((-1.0, 0, 3), ValueError, "math domain error"),
        ((float("nan"), 0, 3), ValueError, "math domain error"),
    ],
)
def test_failed_checks_raise_what_python_raises(args, error, message):
    with pytest.raises(error, match=message):
        evaluate(PROGRAM["checked"], args)


@pytest.mark.parametrize(
    ("check", "error"),
    [
        ("nonzero 0", ZeroDivisionError),
        ("nonzero 0.0", ZeroDivisionError),
        ("equal 2 3", ValueError),
        ("nonneg -1", ValueError),
        ("nonempty 0", ValueError),
        ("domain False", ValueError),
        ("singular False", np.linalg.LinAlgError),
        ("assert False", AssertionError),
        ('assert False "must hold"', AssertionError),
        ('raise False "KeyError: no: key"', KeyError),
        ('raise False "OwnError: text"', Exception),
        ('unbound False "y"', UnboundLocalError),
        ("overflow False", OverflowError),
        ("not_nan +nan", FloatingPointError),
    ],
)
def test_every_kind_of_check(check, error):
    function = parse_function(f"def f() {{\n  check {check}\n  return\n}}")
    with pytest.raises(error) as caught:
        evaluate(function, [])
    assert type(caught.value) is error


def test_checks_that_hold_do_nothing():
    assert evaluate(PROGRAM["checked"], [2.5, 0, 3]) == [2]


@pytest.mark.parametrize(
    "args",
    [[], [X], [X, 1.0, 2.0], [X.reshape(1, 5), 1.0], [np.ones((4, 4)), 1.0]],
)
def test_wrong_arguments_are_refused(args):
    with pytest.raises(ValueError, match=r"takes|got"):
        evaluate(PROGRAM["energy"], args)


def test_sizes_must_agree():
    with pytest.raises(ValueError, match="where n is 5"):
        evaluate(PROGRAM["histogram"], [np.ones((3, 2)), np.ones(3, int), np.arange(5), np.ones(4)])
    with pytest.raises(ValueError, match="where 3 is 3"):
        evaluate(PROGRAM["nested_map"], [np.ones((4, 2), np.float32)])


def test_arguments_are_not_narrowed():
    with pytest.raises(TypeError, match="Cannot cast"):
        evaluate(PROGRAM["nested_map"], [np.ones((4, 3))])


def test_a_shape_that_contradicts_its_type_is_found():
    lying = parse_function("""
def lying(x: f64[n]) {
  y: f64[4] = slice x 0 n 1
  return y
}""")
    with pytest.raises(IRError, match=r"y: f64\[4\] got shape \(5,\)"):
        evaluate(lying, [X])


def test_ragged_elements_are_found():
    ragged = parse_function("""
def ragged(x: f64[n]) {
  y: f64[n, 1] = map n (i: i64) {
    k: i64 = add i 1
    z: f64[1] = slice x 0 k 1
    return z
  }
  return y
}""")
    with pytest.raises(IRError):
        evaluate(ragged, [X])


def test_an_interpreter_can_be_used_again():
    run = interpreter(PROGRAM["energy"])
    first = run([X, 1.0])
    assert run([X[:2], 1.0]) == [2.25]
    assert run([X, 1.0]) == first


def test_sixty_digits():
    tower = MpTower()
    (energy,) = evaluate(PROGRAM["energy"], [X, tower.mp.mpf(1) / 3], tower)
    assert abs(energy * 3 - (2.25 + 9 + 25)) < tower.mp.mpf(10) ** -57
    highest, where = evaluate(PROGRAM["prefixes"], [X], tower)
    assert highest.dtype == object
    assert where.tolist() == [0, 1, 1, 3, 3]
    hist, _ = evaluate(
        PROGRAM["histogram"], [np.ones((3, 2)), np.full(3, -1), np.array([1, 1]), np.array([0.5, 2.0])], tower
    )
    assert [[float(x) for x in row] for row in hist] == [[1.0, 1.0], [3.5, 3.5], [1.0, 1.0]]


def test_counting():
    tower = CountingTower()
    evaluate(PROGRAM["energy"], [X, 3.0], tower)
    assert tower.counts == {"sub": 1 + 4, "add": 4 + 4, "mul": 8, "index": 8}
    assert tower.bytes_read == 8 * 8
    assert tower.bytes_written == 0
    evaluate(PROGRAM["nested_map"], [np.ones((4, 3), np.float32)], tower)
    assert tower.bytes_written == 4 * 3 * 4 + 4 * 12 + 4 * 8


def test_counting_writes():
    x = Var("x", Type(F64, (i64(4),)))

    def body(b):
        y = b.apply("update", x, f64(1.0), i64(0))
        z = b.apply("accumulate", y, f64(1.0), i64(1))
        return (b.apply("concat", z, z, i64(8), attrs=(0,)), b.apply("reshape", z, i64(2), i64(2)))

    tower = CountingTower()
    evaluate(build("f", (x,), body), [np.zeros(4)], tower)
    assert tower.bytes_read == 8 + 2 * 32
    assert tower.bytes_written == 8 + 8 + 64


def test_counters_are_i64():
    function = parse_function("def f() {\n  y: i64 = for 3 [0] (i: i64, a: i64) {\n    return i\n  }\n  return y\n}")
    (value,) = evaluate(function, [])
    assert value.dtype == np.int64
    assert value == 2
    assert function.result_types == (Type(I64),)
