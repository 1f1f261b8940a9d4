"""Exceptions of compiled code: plain Python's type, the user's line, the user's own classes; checks and modes."""

import inspect

import numpy as np
import pytest

import tapeless as tp
from tapeless.errors import TapelessError


class TooBig(ValueError):
    """An exception of the user's."""


def element(x, i):
    return x[i]


def guarded(x):
    if x > 10:
        raise TooBig("too big")
    if x > 5:
        raise TooBig
    assert x != 0, "zero is not allowed"
    if x < 0:
        raise np.linalg.LinAlgError("negative")
    return x


def pairwise(a, b):
    return a + b


def quotient(a, b):
    return a // b


def nested(x, i):
    total = 0.0
    for k in range(3):
        total += element(x, i + k)
    return total


# function, arguments, built-in exception, words of the message, line of the function
FAULTS = [
    (element, (np.ones(3), 3), IndexError, "index 3 is out of bounds for axis 0 with size 3", 1),
    (element, (np.ones(3), -4), IndexError, "index -4 is out of bounds for axis 0 with size 3", 1),
    (quotient, (1, 0), ZeroDivisionError, "by zero", 1),
    (quotient, (1.0, 0.0), ZeroDivisionError, "by zero", 1),
    (pairwise, (np.ones(2), np.ones(3)), ValueError, "2 and 3", 1),
]


@pytest.mark.parametrize(("function", "args", "kind", "words", "line"), FAULTS)
def test_faults(function, args, kind, words, line):
    with pytest.raises(kind):
        function(*args)
    with pytest.raises(kind, match=words) as caught:
        tp.jit(function)(*args)
    message = str(caught.value)
    assert isinstance(caught.value, TapelessError)
    assert f"{__file__}:{function.__code__.co_firstlineno + line} in {function.__name__}" in message
    assert "^" in message
    assert len(message.splitlines()) <= 12


def test_a_fault_in_a_called_function_names_its_line():
    with pytest.raises(IndexError) as caught:
        tp.jit(nested)(np.ones(3), 1)
    assert f":{element.__code__.co_firstlineno + 1} in " in str(caught.value)


@pytest.mark.parametrize(
    ("x", "kind", "message", "line"),
    [
        (11.0, TooBig, "too big", 2),
        (6.0, TooBig, "", 4),
        (0.0, AssertionError, "zero is not allowed", 5),
        (-1.0, np.linalg.LinAlgError, "negative", 7),
    ],
)
def test_exceptions_of_the_user(x, kind, message, line):
    with pytest.raises(kind):
        guarded(x)
    with pytest.raises(kind) as caught:
        tp.jit(guarded)(x)
    assert type(caught.value) is kind
    assert str(caught.value) == message
    assert f":{guarded.__code__.co_firstlineno + line}" in caught.value.__notes__[0]


def test_exception_classes_of_an_enclosing_function():
    class Local(Exception):
        pass

    @tp.jit
    def fail(x):
        if x > 0:
            raise Local("here")
        return x

    with pytest.raises(Local, match="here"):
        fail(1.0)
    assert fail(-1.0) == -1.0


def test_a_function_works_again_after_a_fault():
    f = tp.jit(element)
    x = np.arange(3.0)
    for _ in range(20):
        with pytest.raises(IndexError):
            f(x, 5)
        assert f(x, 2) == 2.0


def test_a_fault_inside_a_parallel_region():
    @tp.jit
    def gather(x, where):
        out = np.empty(len(where))
        for i in range(len(where)):
            out[i] = x[where[i]]
        return out

    where = np.zeros(200_000, np.int64)
    where[123_456] = 77
    with pytest.raises(IndexError, match="index 77 is out of bounds for axis 0 with size 5"):
        gather(np.ones(5), where)
    where[123_456] = 4
    assert gather(np.ones(5), where).sum() == 200_000


# -- checks ---------------------------------------------------------------------------------------


def rooted(x):
    return np.sqrt(x) + 1.0


def test_nan_checks_by_option():
    f = tp.jit(check="bounds,nan")(rooted)
    np.testing.assert_array_equal(f(np.array([4.0, 9.0])), [3.0, 4.0])
    with pytest.raises(FloatingPointError, match="NaN") as caught:
        f(np.array([1.0, -1.0]))
    assert f":{rooted.__code__.co_firstlineno + 1} in rooted" in str(caught.value)


def test_nan_checks_in_a_block():
    f = tp.jit(rooted)
    assert np.isnan(f(np.array([-1.0]))[0])
    with tp.config(check="nan"), pytest.raises(FloatingPointError):
        f(np.array([-1.0]))
    assert np.isnan(f(np.array([-1.0]))[0])


def test_the_option_of_the_function_wins():
    f = tp.jit(check="bounds")(rooted)
    with tp.config(check="nan"):
        assert np.isnan(f(np.array([-1.0]))[0])


def test_bounds_checks_are_on_unless_switched_off():
    f = tp.jit(lambda x, i: x[i])
    x = np.arange(4.0)
    assert "check bounds" in f.lower(x, 1).text("ir")
    with tp.config(check="none"):
        assert "check bounds" not in f.lower(x, 1).text("ir")
        assert f(x, 1) == 1.0
    with pytest.raises(IndexError):
        f(x, 4)


@pytest.mark.parametrize("check", ["bonds", "bounds nan", 3])
def test_unknown_checks(check):
    with pytest.raises(ValueError, match="comma-separated"):
        tp.jit(check=check)(rooted)(1.0)


# -- modes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["compile", "interpret", "python"])
def test_modes_agree(mode):
    def program(x, n):
        total = 0
        for i in range(n):
            x[i] = x[i] * 2
            total += i
        return {"x": x, "total": total, "y": x[:2]}

    f = tp.jit(program)
    x = np.arange(3.0)
    with tp.config(mode=mode):
        result = f(x, 3)
        with pytest.raises(IndexError):
            f(np.zeros(2), 3)
    assert result["x"] is x
    assert type(result["total"]) is int
    assert result["total"] == 3
    np.testing.assert_array_equal(x, [0.0, 2.0, 4.0])
    np.testing.assert_array_equal(result["y"], [0.0, 2.0])


def test_plain_mode_takes_anything():
    f = tp.jit(lambda x: x)
    with tp.config(mode="python"):
        assert f([1, "two"]) == [1, "two"]
    assert f.specialisations == []


def test_modes_do_not_mix():
    f = tp.jit(rooted)
    f(1.0)
    with tp.config(mode="interpret"):
        f(1.0)
    f(1.0)
    assert len(f.specialisations) == 2


def test_the_plain_function_is_at_hand():
    f = tp.jit(rooted)
    assert f.python is rooted
    assert f.__name__ == "rooted"
    assert f.__wrapped__ is rooted
    assert inspect.signature(f) == inspect.signature(rooted)
