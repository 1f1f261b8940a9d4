"""Every known name gives NumPy's value, type and shape, through the front end and the reference interpreter."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest

from tapeless.front import registry

from .cases import CASES, Case
from .harness import call

# Names without a counterpart to compare with: the conditions that the prelude needs.
INTERNAL = "tapeless.front.prelude.intrinsics"
# An empty array has no defined contents; `dtype` is no value of the language.
ELSEWHERE = {"numpy.empty", "numpy.empty_like", "ndarray.dtype"}


def expected(case: Case, args: tuple[Any, ...]) -> Any:
    """What plain Python answers."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if not isinstance(case.function, str):
            return case.function(*args, **case.kwargs)
        found = getattr(args[0], case.function)
        return found(*args[1:], **case.kwargs) if callable(found) else found


def same(got: Any, want: Any) -> None:
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    if want.dtype.kind != "f":
        np.testing.assert_array_equal(got, want)
    else:
        rounding = 2e-6 if want.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(got, want, rtol=rounding, atol=rounding)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_agrees_with_numpy(case: Case) -> None:
    args = copy.deepcopy(case.args)
    got, after = call(case.function, case.args, case.kwargs)
    want = expected(case, args)
    if isinstance(want, tuple):
        assert len(got) == len(want)
        for part, wanted in zip(got, want, strict=True):
            same(part, wanted)
    elif want is None:
        assert got is None
    else:
        same(got, want)
    for value, wanted in zip(after, [a for a in args if isinstance(a, np.ndarray)], strict=True):
        same(value, wanted)


def test_every_name_has_a_case() -> None:
    methods = {f"ndarray.{c.function}" for c in CASES if isinstance(c.function, str)}
    objects = {registry._dotted(c.function) for c in CASES if not isinstance(c.function, str)}
    from_library = {n for n in registry.names() if "." in n or n in dir(__builtins__)}
    missing = {n for n in from_library - methods - objects - ELSEWHERE if not n.startswith(INTERNAL)}
    assert not missing


def test_there_are_many_names() -> None:
    assert len([n for n in registry.names() if n.startswith(("numpy.", "math."))]) >= 180
