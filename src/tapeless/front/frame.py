"""The activation of one inlined function: its names, and which of them matter after a given place."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from .values import Closure, Value


@dataclass(slots=True)
class Frame:
    """Names are looked up here first, then in the function's scope.

    `names` also holds what control flow needs under keys that are no identifiers: `RETURNED`, `BROKEN` and `CONTINUED`
    (bool or a bool atom) and `RESULT`, the value to return.
    """

    function: Closure
    names: dict[str, Value] = field(default_factory=dict[str, Value])
    loops: list[ast.stmt] = field(default_factory=list[ast.stmt])


RETURNED, BROKEN, CONTINUED, RESULT = "<returned>", "<broken>", "<continued>", "<result>"
