"""The activation of one inlined function: its names, and how its execution ends."""

from __future__ import annotations

from enum import Enum

from ..records import dataclass, field
from .liveness import Liveness
from .values import Closure, Undefined, Value

RETURNED, BROKEN, CONTINUED, RESULT, VALUE = "<returned>", "<broken>", "<continued>", "<result>", "<value>"
HIDDEN = "<hidden "
CONTROL = frozenset((RETURNED, BROKEN, CONTINUED, RESULT, VALUE))


class End(Enum):
    """How the execution of a block ended: it goes on, left by return/break/continue, or raised an exception."""

    OPEN = "open"
    LEFT = "left"
    STOPPED = "stopped"


@dataclass(slots=True)
class Frame:
    """Names are looked up here first, then in the function's scope.

    `names` also holds what control flow needs under keys that are no identifiers: `RETURNED`, `BROKEN` and `CONTINUED`
    (bool, or a `Scalar` where that depends on run-time values), `RESULT`, the value to return, and `VALUE`, the
    value of an expression with branches. `loop_live` are the names used where `break` and `continue` go;
    `tentative` those that a later trial of a loop will find to be set by its earlier steps. `hidden` holds what loops
    of our own making go over and have reached: set before it is read in every step, so no path has another value.
    """

    function: Closure
    live: Liveness
    locals: frozenset[str]
    names: dict[str, Value] = field(default_factory=dict[str, Value])
    loop_live: frozenset[str] = frozenset()
    tentative: frozenset[str] = frozenset()
    hidden: dict[str, Value] = field(default_factory=dict[str, Value])

    def scope(self, name: str) -> Value:
        """A name as functions defined here see it."""
        value = self.names.get(name, Undefined())
        return self.function.scope(name) if isinstance(value, Undefined) and name not in self.locals else value
