"""The way into compiled code: which of several builtins is called, and when Python is."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import tapeless as tp
from tapeless.backend import native
from tapeless.config import config
from tapeless.runtime.call import MISS
from tapeless.runtime.dispatch import dispatch


@pytest.fixture(autouse=True)
def runtime() -> None:
    native.symbols()


def fallback(*args: Any, **kwargs: Any) -> Any:
    return "fallback", args, kwargs


def test_the_first_way_that_does_not_miss() -> None:
    asked: list[int] = []

    def way(number: int) -> Any:
        def enter(*args: Any) -> Any:
            asked.append(number)
            return (number, args) if args[0] == number else MISS

        return enter

    enter = dispatch(config.current, [way(1), way(2), way(3)], fallback)
    assert enter(2, "x") == (2, (2, "x"))
    assert asked == [1, 2]
    assert enter(4) == ("fallback", (4,), {})
    assert asked == [1, 2, 1, 2, 3]


def test_names_and_no_ways_are_for_the_fallback() -> None:
    assert dispatch(config.current, [fallback], lambda **names: names)(a=1) == {"a": 1}
    assert dispatch(config.current, [], fallback)(1, b=2) == ("fallback", (1,), {"b": 2})


def test_other_settings_are_for_the_fallback() -> None:
    enter = dispatch(config.current, [lambda *_: "way"], fallback)
    assert enter(1) == "way"
    with config(fastmath=True):
        assert enter(1)[0] == "fallback"
        inside = dispatch(config.current, [lambda *_: "inside"], fallback)
        assert inside(1) == "inside"
        # A block is that of its context: another thread is outside.
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append((enter(1), inside(1)[0])))
        thread.start()
        thread.join()
        assert found == [("way", "fallback")]
    assert enter(1) == "way"
    assert inside(1)[0] == "fallback"


def test_settings_of_the_process_are_heard_of() -> None:
    before = config.process
    enter = dispatch(before, [lambda *_: "way"], fallback)
    config.set(fastmath=not before.fastmath)
    try:
        assert enter(1)[0] == "fallback"
        assert dispatch(config.current, [lambda *_: "new"], fallback)(1) == "new"
    finally:
        config.set(fastmath=before.fastmath)


def test_exceptions_pass() -> None:
    def fails(*_: Any) -> Any:
        raise KeyError("here")

    with pytest.raises(KeyError, match="here"):
        dispatch(config.current, [fails], fallback)(1)


def test_nothing_leaks() -> None:
    missing = dispatch(config.current, [lambda *_: MISS] * 3, lambda *_: None)
    argument = object()
    before = sys.getrefcount(MISS), sys.getrefcount(argument), sys.getrefcount(config.current)
    for _ in range(1000):
        missing(argument)
    after = sys.getrefcount(MISS), sys.getrefcount(argument), sys.getrefcount(config.current)
    assert all(abs(a - b) < 10 for a, b in zip(before, after, strict=True))


def test_a_compiled_function_is_let_go() -> None:
    def double(x: tp.f64[:]) -> Any:
        return x + x

    function = tp.jit(double)
    for x in (np.ones(3), np.ones(3, np.float32), np.ones((2, 2))):
        try:
            function(x)
        except TypeError:
            continue
    np.testing.assert_array_equal(function(np.ones(2)), [2.0, 2.0])
    seen = weakref.ref(function)
    del function
    gc.collect()
    assert seen() is None
