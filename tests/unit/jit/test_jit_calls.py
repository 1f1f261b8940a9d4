"""Calling a jitted function: specialisations, ways to pass arguments, structures in and out, kinds of results."""

import enum
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

import tapeless as tp
from tapeless.errors import AnnotationError, ArgumentError, CallError, TapelessError

Pair = namedtuple("Pair", "left right")


@dataclass
class State:
    position: np.ndarray
    time: float


@dataclass(frozen=True)
class Oscillator:
    stiffness: float
    weights: np.ndarray

    @tp.jit
    def energy(self, x):
        return 0.5 * self.stiffness * np.sum(self.weights * x**2)

    @tp.jit
    def tighten(self):
        self.weights[:] *= 2.0

    @tp.jit
    def mean_energy(self, x):
        return self.energy(x) / self.count(x)

    @staticmethod
    def count(x):
        return len(x)

    @classmethod
    def uniform(cls, stiffness, n):
        return cls(stiffness, np.ones(n))


class Mode(enum.Enum):
    DOUBLE = 1
    NEGATE = 2


def scaled(x, k=2.0, *, shift=0.0):
    return x * k + shift


def types_of(function):
    """What the specialisations were made for, without their statistics."""
    return [line.rsplit(": ", 1)[0] for line in function.specialisations]


def test_one_specialisation_per_combination_of_types():
    f = tp.jit(scaled)
    for x in (np.ones(3), np.ones(5), np.zeros(0)):
        f(x)
    assert types_of(f) == ["(x: f64[:], k: float, shift: float)"]
    f(np.ones((2, 2)))
    f(np.ones(3, np.float32))
    f(np.ones(3), 2)
    f(1.0)
    f(np.float64(1.0))
    f(True)
    assert types_of(f)[1:] == [
        "(x: f64[n, n], k: float, shift: float)",
        "(x: f32[:], k: float, shift: float)",
        "(x: f64[:], k: int, shift: float)",
        "(x: float, k: float, shift: float)",
        "(x: f64, k: float, shift: float)",
        "(x: bool, k: float, shift: float)",
    ]
    assert repr(f) == "<tp.jit scaled: 7 specialisations>"


def test_a_size_of_one_is_compiled_for_itself():
    f = tp.jit(lambda a, b: a + b)
    np.testing.assert_array_equal(f(np.ones(1), np.arange(3.0)), np.arange(3.0) + 1)
    np.testing.assert_array_equal(f(np.ones(3), np.arange(3.0)), np.arange(3.0) + 1)
    np.testing.assert_array_equal(f(np.arange(3.0), np.ones(1)), np.arange(3.0) + 1)
    assert len(f.specialisations) == 3
    with pytest.raises(ValueError, match="2 and 3"):
        f(np.ones(2), np.ones(3))


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((1.0,), {}),
        ((1.0, 3.0), {}),
        ((1.0,), {"k": 3.0}),
        ((), {"x": 1.0}),
        ((), {"k": 3.0, "x": 1.0}),
        ((1.0,), {"shift": 5.0}),
        ((1.0, 3), {"shift": np.float32(5)}),
    ],
)
def test_keywords_and_defaults(args, kwargs):
    expected = scaled(*args, **kwargs)
    f = tp.jit(scaled)
    for _ in range(2):
        result = f(*args, **kwargs)
        assert result == expected
        assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [((), {}), ((1.0, 2.0, 3.0), {}), ((1.0,), {"other": 1}), ((1.0,), {"x": 2.0}), ((), {"k": 1.0})],
)
def test_arguments_that_do_not_fit(args, kwargs):
    f = tp.jit(scaled)
    f(1.0, 2.0, shift=3.0)
    with pytest.raises(TypeError):
        scaled(*args, **kwargs)
    with pytest.raises(CallError, match="scaled"):
        f(*args, **kwargs)


def test_star_arguments():
    @tp.jit
    def total(first, *rest, **named):
        s = first
        for r in rest:
            s += r
        return s * named["factor"] if named else s

    assert total(1.0) == 1.0
    assert total(1.0, 2.0, 3.0) == 6.0
    assert total(1, 2, factor=10) == 30


def rearranged(pair, state, items, table):
    return {
        "pair": Pair(pair.right, pair.left + 1),
        "state": State(state.position * 2, state.time + 0.5),
        "items": [items[1], items[0], (items[0],)],
        "table": {"b": table["a"], 3: table[3] + 1},
        "constants": (None, "text", 7, 1.5, True),
    }


def test_structures_in_and_out():
    arguments = (Pair(1, 2.5), State(np.arange(3.0), 1.0), [np.float32(4), 5], {"a": np.ones(2, bool), 3: 4})
    expected = rearranged(*arguments)
    result = tp.jit(rearranged)(*arguments)
    assert list(result) == list(expected)
    assert result["pair"] == expected["pair"]
    assert type(result["pair"]) is Pair
    assert type(result["state"]) is State
    np.testing.assert_array_equal(result["state"].position, expected["state"].position)
    assert result["state"].time == 1.5
    assert result["items"] == expected["items"]
    assert [type(item) for item in result["items"]] == [int, np.float32, tuple]
    assert result["table"]["b"] is arguments[3]["a"]
    assert result["table"][3] == 5
    assert result["constants"] == expected["constants"]


def test_structures_decide_the_specialisation():
    f = tp.jit(lambda t: t[0] + t[1])
    assert f((1, 2)) == 3
    assert f([1, 2]) == 3
    assert f((1, 2, 3)) == 3
    assert f((1.0, 2)) == 3.0
    assert len(f.specialisations) == 4


def test_methods_of_dataclasses():
    oscillator = Oscillator(2.0, np.array([1.0, 2.0]))
    assert oscillator.energy(np.array([1.0, 1.0])) == 3.0
    assert Oscillator.energy(oscillator, np.array([2.0, 0.0])) == 4.0
    oscillator.tighten()
    np.testing.assert_array_equal(oscillator.weights, [2.0, 4.0])
    assert types_of(Oscillator.energy) == ["(self: Oscillator(stiffness: float, weights: f64[n]), x: f64[n])"]


def test_methods_call_each_other():
    oscillator = Oscillator(2.0, np.array([1.0, 2.0]))
    assert oscillator.mean_energy(np.array([1.0, 1.0])) == 1.5
    assert tp.jit(lambda k: Oscillator.uniform(k, 3).energy(np.ones(3)))(2.0) == 3.0


def chosen(x, how):
    if how is Mode.DOUBLE or how == "double":
        return x * 2
    if how is None:
        return x
    return -x if how is Mode.NEGATE else how(x)


def test_other_objects_are_constants_of_the_specialisation():
    f = tp.jit(chosen)
    for how in (Mode.DOUBLE, Mode.NEGATE, "double", None, np.sqrt, lambda v: v + 1, lambda v: v + 2, scaled):
        assert f(4.0, how) == chosen(4.0, how)
    assert len(f.specialisations) == 8
    assert "how: None" in f.specialisations[3]
    f(5.0, Mode.DOUBLE)
    assert len(f.specialisations) == 8


def test_dtypes_are_constants():
    f = tp.jit(lambda n, dtype: np.zeros(n, dtype) + 1)
    assert f(3, np.float32).dtype == np.float32
    assert f(3, np.dtype("i4")).dtype == np.int32
    assert f(3, bool).dtype == np.int64


# -- annotations ----------------------------------------------------------------------------------


@tp.jit
def first_column(x: tp.f64[:, 3], n: int = 1):
    return x[:, 0] * n


def test_annotations_fix_sizes():
    np.testing.assert_array_equal(first_column(np.ones((4, 3)), 2), np.full(4, 2.0))
    assert types_of(first_column) == ["(x: f64[:, 3], n: int)"]
    assert "f64[n.0, 3]" in first_column.show("ir")


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        (np.ones((4, 2)), "size along axis 1 is 2"),
        (np.ones((4, 3), np.float32), "array of f32"),
        (np.ones(3), "1-dimensional"),
        (1.0, "number"),
        ((1.0, 2.0), "must be tp.f64"),
    ],
)
def test_annotations_are_enforced(argument, words):
    first_column(np.ones((4, 3)))
    with pytest.raises(AnnotationError, match=words) as caught:
        first_column(argument)
    assert isinstance(caught.value, TypeError)


def test_scalar_annotations():
    @tp.jit
    def product(a: tp.f64, n: tp.i64):
        return a * n

    assert product(1.5, 2) == 3.0
    assert product(np.float64(1.5), np.int64(2)) == 3.0
    with pytest.raises(AnnotationError):
        product(1.5, 2.5)
    with pytest.raises(AnnotationError):
        product(np.float32(1.5), 2)


@pytest.mark.parametrize("size", [-1, 1.5, "n", True, slice(1, 2)])
def test_sizes_in_annotations(size):
    with pytest.raises(AnnotationError, match="not a size"):
        tp.f64[size]


def test_static_shapes():
    f = tp.jit(static_shapes=True)(scaled)
    for n in (3, 4, 3):
        np.testing.assert_array_equal(f(np.ones(n)), np.full(n, 2.0))
    assert types_of(f) == ["(x: f64[3], k: float, shift: float)", "(x: f64[4], k: float, shift: float)"]


# -- results --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "x", [True, 2, 2.5, np.bool_(True), np.int32(2), np.int64(2), np.float32(2.5), np.float64(2.5)], ids=repr
)
@pytest.mark.parametrize(
    "function",
    [lambda x: x * 2, lambda x: x + 0.5, lambda x: x > 1, lambda x: (x, -(x * 1)), lambda x: x / 2],
    ids=["twice", "shift", "compare", "pair", "half"],
)
def test_kinds_of_numbers(function, x):
    expected, result = function(x), tp.jit(function)(x)
    assert result == expected
    assert type(result) is type(expected)
    if isinstance(expected, tuple):
        assert [type(r) for r in result] == [type(e) for e in expected]


def test_a_returned_argument_is_the_same_object():
    x, y = np.arange(3.0), np.arange(6.0)[::2]
    assert tp.jit(lambda a: a)(x) is x
    assert tp.jit(lambda a: a)(y) is y
    first, second = tp.jit(lambda a, b: (b, a))(x, y)
    assert first is y
    assert second is x
    nested = tp.jit(lambda a, b: {"one": [a], "two": (b, a + 1)})(x, y)
    assert nested["one"][0] is x
    assert nested["two"][0] is y


def test_one_new_array_returned_twice_is_one_object():
    def twice(x):
        y = x * 2
        return y, {"again": y}

    y, table = tp.jit(twice)(np.ones(3))
    assert table["again"] is y


def test_results_are_ordinary_arrays():
    y = tp.jit(scaled)(np.ones((3, 4)))
    assert type(y) is np.ndarray
    assert y.flags.c_contiguous
    assert y.flags.writeable
    assert y.flags.aligned
    y.resize((2, 6), refcheck=False)
    y[0, 0] = 5.0


def test_nothing_returned():
    def fill(x):
        x[:] = 3.0

    x = np.zeros(2)
    assert tp.jit(fill)(x) is None
    assert list(x) == [3.0, 3.0]
    assert tp.jit(lambda: None)() is None
    assert tp.jit(lambda: 3)() == 3


# -- what cannot be passed ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        (2**63, "64 bits"),
        (-(2**63) - 1, "64 bits"),
        (1j, "complex"),
        (np.ones(3, np.int16), "int16"),
        (np.ones(3, np.complex128), "complex128"),
        (np.array(["a"]), "<U1"),
        (np.array([object()]), "object"),
        (np.zeros(2, [("a", "f8")]), "'a'"),
        (np.datetime64("2020-01-01"), "datetime64"),
    ],
)
def test_arguments_outside_the_language(argument, words):
    f = tp.jit(lambda x: x)
    f(1)
    with pytest.raises(ArgumentError, match=words):
        f(argument)


def test_the_largest_integers():
    f = tp.jit(lambda x: x)
    for x in (2**63 - 1, -(2**63)):
        assert f(x) == x


@pytest.mark.parametrize("thing", [np.sin, int, 3, "text", Oscillator(1.0, np.ones(1))])
def test_what_cannot_be_jitted(thing):
    with pytest.raises(CallError, match="takes a Python function"):
        tp.jit(thing)


def test_jit_of_jit():
    f = tp.jit(scaled)
    assert tp.jit(f) is f


def test_jitted_functions_call_each_other():
    double = tp.jit(lambda x: x * 2)

    @tp.jit
    def sum_of_doubles(x):
        s = 0.0
        for v in x:
            s += double(v)
        return s

    assert sum_of_doubles(np.arange(4.0)) == 12.0
    assert double.specialisations == []


def test_refusals_are_found_before_anything_runs():
    def write_then_refuse(x):
        x[0] = 1.0
        print(x)

    x = np.zeros(2)
    with pytest.raises(TapelessError):
        tp.jit(write_then_refuse)(x)
    assert x[0] == 0.0


def test_nested_answers_are_the_same_at_every_call():
    @tp.jit
    def nested(x, y):
        x[0] += 1.0
        return {"sum": x + y, "parts": (x, [2.0 * y, 3])}, ()

    wanted = nested.python(np.arange(3.0), 2.0)
    for _ in range(3):  # the second call takes the short way
        x = np.arange(3.0)
        (found, nothing) = nested(x, 2.0)
        np.testing.assert_array_equal(found["sum"], wanted[0]["sum"])
        assert found["parts"][0] is x
        assert found["parts"][1] == [4.0, 3]
        assert nothing == ()
