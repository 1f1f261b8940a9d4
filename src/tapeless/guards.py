"""What is asked at every call of a function that takes names from outside: is the code still right for them?

Functions and classes must be the same objects, pinned numbers the same numbers; other numbers and arrays are read and
passed on. It is one function, written for these names: a loop over them takes as long as a small gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import getitem
from typing import Any

from .front.captured import Captured
from .front.tree import Leaf, Static
from .runtime.call import MISS


def guarded(take: Callable[..., Any], captured: Sequence[Captured]) -> Callable[..., Any]:
    """`take`, with the captured numbers as they are now behind its arguments; `MISS` where names have changed."""
    names: dict[str, Any] = {"take": take, "MISS": MISS}
    tests: list[str] = []
    numbers: list[str] = []
    for k, entry in enumerate(captured):
        value = _read(entry.get, k, names)
        if isinstance(entry.spec, Static):
            names[f"constant{k}"] = entry.spec.value
            tests.append(f"{value} is not constant{k}")
        elif entry.pinned is not None:
            tests.append(f"{value} != {entry.pinned}")
        if isinstance(entry.spec, Leaf):
            numbers.append(value)
    leaves = f"(*leaves, {', '.join(numbers)})" if numbers else "leaves"
    exec(_TEXT.format(tests=" or ".join(tests) or "False", leaves=leaves), names)
    return names["call"]


# A name may be gone, or hold something else altogether. What `take` raises is raised.
_TEXT = """
def call(*leaves):
    try:
        if {tests}:
            return MISS
        leaves = {leaves}
    except (KeyError, ValueError, AttributeError):
        return MISS
    return take(*leaves)
"""


def _read(get: Callable[[], Any], k: int, names: dict[str, Any]) -> str:
    """The text that reads a name."""
    if isinstance(get, partial) and get.func is getitem:
        names[f"owner{k}"] = get.args[0]
        return f"owner{k}[{get.args[1]!r}]"
    names[f"get{k}"] = get
    return f"get{k}()"
