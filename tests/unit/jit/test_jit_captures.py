"""Names taken from outside are read at each call, whatever they are bound to by then."""

# ruff: noqa: PLC3002, PLW0108 - lambdas inside lambdas are what is tested

import types
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import tapeless as tp
from tapeless.errors import TapelessError

RATE = 2.0
WEIGHTS = np.array([1.0, 2.0])
AXIS = 0
NEIGHBOURS = ((-1, 2), (1, 3))
SHAPE = (1, 1)
TABLE = {"a": 1.0, "b": [2.0, 3]}


def helper(x):
    return x * RATE


class Settings:
    factor = 3


@dataclass
class Spring:
    length: float
    stiffness: ClassVar[float] = 2.0

    def force(self):
        return self.stiffness * self.length


@pytest.fixture(autouse=True)
def restore(monkeypatch):
    """Undo what a test does to the names of this module."""
    for name, value in (("RATE", 2.0), ("WEIGHTS", np.array([1.0, 2.0])), ("AXIS", 0), ("helper", helper)):
        monkeypatch.setitem(globals(), name, value)
    monkeypatch.setattr(Settings, "factor", 3)


def weighted(x):
    return WEIGHTS[0] * x + RATE


def test_contents_of_a_captured_array():
    f = tp.jit(weighted)
    assert f(1.0) == 3.0
    WEIGHTS[0] = 10.0
    assert f(1.0) == 12.0
    assert len(f.specialisations) == 1
    assert "reading WEIGHTS: f64[:], RATE: float" in f.specialisations[0]


def test_rebound_names(monkeypatch):
    f = tp.jit(weighted)
    assert f(1.0) == 3.0
    monkeypatch.setitem(globals(), "RATE", 7.0)
    assert f(1.0) == 8.0
    assert len(f.specialisations) == 1
    monkeypatch.setitem(globals(), "RATE", 7)
    monkeypatch.setitem(globals(), "WEIGHTS", np.full(2, 4, np.float32))
    assert f(1.0) == 11.0
    assert type(f(1.0)) is type(weighted(1.0)) is np.float32
    assert len(f.specialisations) == 2
    monkeypatch.setitem(globals(), "WEIGHTS", np.ones((2, 1)))
    np.testing.assert_array_equal(f(1.0), weighted(1.0))


def test_a_name_that_goes_away(monkeypatch):
    f = tp.jit(weighted)
    f(1.0)
    monkeypatch.delitem(globals(), "RATE")
    with pytest.raises(NameError):
        f(1.0)


def test_closure_cells():
    def make():
        count, data = 1, np.zeros(2)

        @tp.jit
        def read(x):
            return x + count + data[0]

        def change(value):
            nonlocal count
            count = value

        return read, change, data

    read, change, data = make()
    assert read(1.0) == 2.0
    change(5)
    assert read(1.0) == 6.0
    change(0.5)
    assert read(1.0) == 1.5
    data[0] = 100.0
    assert read(1.0) == 101.5
    other, _, _ = make()
    assert other(1.0) == 2.0


def test_a_replaced_function_is_compiled_again(monkeypatch):
    f = tp.jit(lambda x: helper(x) + 1)
    assert f(1.0) == 3.0
    monkeypatch.setitem(globals(), "RATE", 3.0)
    assert f(1.0) == 4.0
    monkeypatch.setitem(globals(), "helper", lambda x: x * 100)
    assert f(1.0) == 101.0


def test_modules_of_the_user(tmp_path, monkeypatch):
    file = tmp_path / "model.py"
    file.write_text("gain = 2.0\ndef apply(x):\n    return x * gain\n")
    model = types.ModuleType("model")
    exec(compile(file.read_text(), str(file), "exec"), model.__dict__)
    monkeypatch.setitem(globals(), "model", model)
    f = tp.jit(lambda x: model.apply(x) + model.gain)
    assert f(1.0) == 4.0
    model.gain = 3.0
    assert f(1.0) == 6.0
    model.apply = helper
    assert f(1.0) == 5.0


def test_attributes_of_classes():
    f = tp.jit(lambda x: x * Settings.factor)
    assert f(1.0) == 3.0
    Settings.factor = 4
    assert f(1.0) == 4.0
    Settings.factor = 0.5
    assert f(1.0) == 0.5


def test_classes_of_arguments(monkeypatch):
    f = tp.jit(lambda spring: spring.force())
    assert f(Spring(3.0)) == 6.0
    monkeypatch.setattr(Spring, "stiffness", 5.0)
    assert f(Spring(3.0)) == 15.0
    monkeypatch.setattr(Spring, "force", lambda self: self.length)
    assert f(Spring(3.0)) == 3.0


def test_captured_structures(monkeypatch):
    f = tp.jit(lambda x: x * TABLE["a"] + TABLE["b"][0])
    assert f(1.0) == 3.0
    monkeypatch.setitem(TABLE, "a", 5.0)
    assert f(1.0) == 7.0
    monkeypatch.setitem(TABLE, "b", [10.0])
    assert f(1.0) == 15.0
    monkeypatch.setitem(TABLE, "c", 1)
    assert f(1.0) == 15.0


def by_condition(n):
    if n > 1:
        return WEIGHTS[1]
    return TABLE["a"]


def by_counting(n):
    total = 0.0
    for i in range(n):
        total += WEIGHTS[i] + TABLE["b"][0]
    return total


def by_waiting(n):
    while n > 0:
        n -= WEIGHTS[0]
    return n


@pytest.mark.parametrize("function", [by_condition, by_counting, by_waiting])
def test_first_met_inside_control_flow(function):
    f = tp.jit(function)
    for n in (0, 1, 2):
        assert f(n) == function(n)
    WEIGHTS[:] = 0.5
    assert f(2) == function(2)


def test_an_integer_that_decides_types_is_part_of_the_specialisation(monkeypatch):
    f = tp.jit(lambda x: np.sum(x, axis=AXIS))
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(f(x), x.sum(axis=0))
    monkeypatch.setitem(globals(), "AXIS", 1)
    np.testing.assert_array_equal(f(x), x.sum(axis=1))
    monkeypatch.setitem(globals(), "AXIS", 0)
    np.testing.assert_array_equal(f(x), x.sum(axis=0))
    assert len(f.specialisations) == 2


def test_writing_into_a_captured_array():
    def record(x):
        WEIGHTS[1] += x
        return WEIGHTS

    f = tp.jit(record)
    assert f(3.0) is WEIGHTS
    f(3.0)
    np.testing.assert_array_equal(WEIGHTS, [1.0, 8.0])


def test_a_captured_array_that_is_also_an_argument():
    def shift(x):
        for i in range(1, len(x)):
            x[i] = WEIGHTS[i - 1] + 1.0

    f = tp.jit(shift)
    separate = np.zeros(2)
    f(separate)
    np.testing.assert_array_equal(separate, [0.0, 2.0])
    with pytest.warns(tp.PlainPythonWarning):
        f(WEIGHTS)
    np.testing.assert_array_equal(WEIGHTS, [1.0, 2.0])


def test_settings_and_captures_together():
    f = tp.jit(lambda i: WEIGHTS[i])
    assert f(1) == 2.0
    with tp.config(mode="python"):
        assert f(1) == 2.0
    with pytest.raises(IndexError):
        f(2)


def test_a_captured_value_outside_the_language(monkeypatch):
    f = tp.jit(weighted)
    f(1.0)
    monkeypatch.setitem(globals(), "RATE", 1j)
    with pytest.raises(TapelessError, match="complex"):
        f(1.0)


def test_lambdas_on_one_line_and_inside_each_other():
    double, treble = tp.jit(lambda v: v * 2), tp.jit(lambda v: v * 3)
    assert (double(1), treble(1)) == (2, 3)
    assert (lambda: tp.jit(lambda: 3)())() == 3
    assert tp.jit(lambda v: (lambda v: v + 1)(v) * 2)(1) == 4
    assert (lambda v: (lambda v: tp.jit(lambda v: v - 1)(v))(v))(1) == 0


def around(u):
    total = np.zeros_like(u)
    for i in range(len(u)):
        for shift, factor in NEIGHBOURS:
            total[i] += factor * u[(i + shift) % len(u)]
    return total


def test_tuples_of_whole_numbers_are_constants(monkeypatch):
    f, u = tp.jit(around), np.array([1.0, 2.0, 4.0])
    np.testing.assert_array_equal(f(u), around(u))
    assert "NEIGHBOURS" not in f.show("ir")
    monkeypatch.setitem(globals(), "NEIGHBOURS", tuple((s, w) for s, w in NEIGHBOURS))
    f(u)
    assert len(f.specialisations) == 1
    for other in (((1, 2), (1, 3)), (), ((1, 2.5),), [(1, 2)]):
        monkeypatch.setitem(globals(), "NEIGHBOURS", other)
        np.testing.assert_array_equal(f(u), around(u))
    gradient = tp.grad(lambda u: np.sum(around(u) * u))
    for other in (((1, 2),), ((0, 1), (1, 3))):
        monkeypatch.setitem(globals(), "NEIGHBOURS", other)
        np.testing.assert_allclose(gradient(u), around(u) + around(u[::-1])[::-1])


def test_a_table_may_tell_an_axis(monkeypatch):
    f, x = tp.jit(lambda x: np.sum(x, axis=SHAPE[1])), np.arange(6.0).reshape(2, 3)
    monkeypatch.setitem(globals(), "SHAPE", (5, 1))
    np.testing.assert_array_equal(f(x), x.sum(axis=1))
    monkeypatch.setitem(globals(), "SHAPE", (5, 0))
    np.testing.assert_array_equal(f(x), x.sum(axis=0))
