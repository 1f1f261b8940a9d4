"""Faults become the exceptions of plain Python, with the user's line."""

from __future__ import annotations

import builtins
import json

import numpy as np
import pytest

from tapeless.errors import TapelessError
from tapeless.ir.core import CHECKS
from tapeless.runtime import faults
from tapeless.runtime.faults import Site, fault, raiser

SOURCE = "def f(x, i):\n    return x[i + 1] * 2\n"


@pytest.fixture
def position(tmp_path):
    path = tmp_path / "user.py"
    path.write_text(SOURCE)
    return [str(path), 2, 11, 2, 19]


def test_bounds_names_index_axis_size_and_line(position):
    sites = [Site("nonzero"), Site.decode(json.loads(json.dumps(["bounds", "", position])), "f")]
    with pytest.raises(IndexError) as caught:
        raiser(sites)(2, 10, 3)
    lines = str(caught.value).splitlines()
    assert lines[0] == "[TP501] index 10 is out of bounds for axis 0 with size 3"
    assert lines[1].endswith("user.py:2 in f")
    assert lines[2].endswith("return x[i + 1] * 2")
    assert lines[3].index("^") == lines[2].index("x[i")
    assert lines[3].count("^") == len("x[i + 1]")
    assert len(lines) <= 12
    assert isinstance(caught.value, TapelessError)


def test_negative_index_is_shown_as_it_was_written():
    assert "index -10 is out of bounds for axis 1 with size 3" in str(fault([Site("bounds", "1")], 1, -7, 3))
    x = np.zeros(3)
    with pytest.raises(IndexError, match="index -10 is out of bounds for axis 0 with size 3"):
        _ = x[-10]


# What is told is never checked.
@pytest.mark.parametrize("kind", sorted(set(CHECKS) - {"told"}))
def test_every_kind_has_its_exception(kind, position):
    expected = CHECKS[kind][0]
    info = {"raise": "KeyError: no such thing", "unbound": "total"}.get(kind, "")
    raised = fault([Site.decode([kind, info, position])], 1, 5, 0)
    wanted = np.linalg.LinAlgError if expected == "LinAlgError" else getattr(builtins, expected)
    assert isinstance(raised, wanted)
    text = str(raised) + "".join(getattr(raised, "__notes__", []))
    assert "user.py:2" in text
    assert len(text.splitlines()) <= 12


def test_the_users_own_exceptions_are_raised_as_written():
    class Mine(Exception):
        pass

    assert fault([Site("raise", "ValueError: k: too small")], 1, 0, 0).args == ("k: too small",)
    assert type(fault([Site("raise", "ValueError: k")], 1, 0, 0)) is ValueError
    assert type(fault([Site("raise", "StopIteration")], 1, 0, 0)) is StopIteration
    assert type(fault([Site("raise", "Mine: no")], 1, 0, 0, {"Mine": Mine})) is Mine
    assert type(fault([Site("raise", "print: no")], 1, 0, 0)) is RuntimeError
    assert fault([Site("assert", "n > 0")], 1, 0, 0).args == ("n > 0",)
    assert fault([Site("assert")], 1, 0, 0).args == ()


def test_codes_outside_the_table():
    assert isinstance(fault([], -1, 0, 0), KeyboardInterrupt)
    assert isinstance(fault([], -2, 0, 0), MemoryError)
    assert isinstance(fault([], 7, 0, 0), SystemError)


def test_codes_are_unique_and_documented():
    classes = [c for c in vars(faults).values() if isinstance(c, type) and issubclass(c, faults.Fault)]
    assert len({c.code for c in classes}) == len(classes) == 12
    assert all(c.__doc__ for c in classes)
