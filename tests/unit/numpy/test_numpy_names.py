"""Every known name gives NumPy's value, type and shape, through the front end and the reference interpreter."""

from __future__ import annotations

import builtins
import copy
import warnings
from typing import Any

import numpy as np
import pytest

from tapeless.front import registry

from .numpy_cases import CASES
from .numpy_data import Case
from .numpy_harness import Weak, call, same

LIBRARIES = ("numpy.", "math.", "ndarray.", "tapeless.operators.")
# An empty array has no defined contents; dtypes, their limits and ranges are no values that a program could return.
ELSEWHERE = {
    "numpy.empty", "numpy.empty_like", "ndarray.dtype", "numpy.finfo", "numpy.iinfo", "tapeless.operators.prange",
    "numpy.ndindex", "numpy.ndenumerate",  # loops over them, in tests/law
}  # fmt: skip


def expected(case: Case, args: tuple[Any, ...]) -> Any:
    """What plain Python answers."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if not isinstance(case.function, str):
            return case.function(*args, **case.kwargs)
        found = getattr(args[0], case.function)
        return found(*args[1:], **case.kwargs) if callable(found) else found


@pytest.mark.parametrize("case", CASES, ids=str)
def test_agrees_with_numpy(case: Case) -> None:
    args = tuple(a.value if isinstance(a, Weak) else copy.deepcopy(a) for a in case.args)
    answer = call(case.function, case.args, case.kwargs)
    want = expected(case, args)
    want = tuple(want) if isinstance(want, list) else want
    assert answer.is_tuple == isinstance(want, tuple)
    wanted = list(want) if isinstance(want, tuple) else [] if want is None else [want]
    assert answer.is_python == [type(part) in (bool, int, float) for part in wanted]
    for part, wanted_part in zip(answer.parts, wanted, strict=True):
        same(part, wanted_part)
    for array, wanted_array in zip(answer.arrays, [a for a in args if isinstance(a, np.ndarray)], strict=False):
        same(array, wanted_array)


def test_every_name_has_a_case() -> None:
    methods = {f"ndarray.{c.function}" for c in CASES if isinstance(c.function, str)}
    objects = {registry._dotted(c.function) for c in CASES if not isinstance(c.function, str)}
    ours = {n for n in registry.names() if n.startswith(LIBRARIES) or getattr(builtins, n, None) in NUMERIC_BUILTINS}
    assert sorted(ours - methods - objects - ELSEWHERE) == []


NUMERIC_BUILTINS = (abs, all, any, bool, divmod, float, int, max, min, pow, round, sorted, sum)


def test_there_are_many_names() -> None:
    assert len([n for n in registry.names() if n.startswith(("numpy.", "math."))]) >= 180
