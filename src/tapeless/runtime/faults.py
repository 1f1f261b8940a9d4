"""From the number that a kernel returns to the exception that plain Python would have raised.

In: the table of check sites of a kernel (kind, the front end's words, position), and at run time the fault: site k
is code k + 1, with up to two operands; -1 means interrupted, -2 out of memory.
Out: an exception of the built-in type, with NumPy's sentence and the user's line. What the user raises or asserts
himself is raised as he wrote it; the line is added as a note.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from ..errors import Place, TapelessError, excerpt
from ..records import dataclass

INTERRUPTED, OUT_OF_MEMORY = -1, -2
_FIX = "the same call of `f.python(...)` runs the plain function, under a debugger if need be"
_NOT_STRETCHED = (
    "a size of 1 that is known only at run time is not stretched",
    "take the element itself, as in y[0], or y[0][None] for an axis of size 1",
)


@dataclass(frozen=True, slots=True)
class Site:
    """A run-time check in the user's program."""

    kind: str
    info: str = ""
    place: Place | None = None

    @staticmethod
    def decode(stored: Sequence[Any], function: str = "") -> Site:
        """From the JSON form `[kind, info, null or [file, line, col, end_line, end_col]]`."""
        kind, info, position = stored
        if position is None:
            return Site(kind, info)
        file, line, col, end_line, end_col = position
        # A condition over several lines is underlined on its first.
        return Site(kind, info, Place(file, line, col, end_col if end_line == line else 10**6, function))


def raiser(sites: Sequence[Site], exceptions: Mapping[str, type] | None = None) -> Callable[[int, int, int], NoReturn]:
    """The function that an entry point calls with a fault: it raises.

    `exceptions` holds the user's own exception classes by name.
    """

    def raise_fault(code: int, first: int, second: int) -> NoReturn:
        raise fault(sites, code, first, second, exceptions or {})

    return raise_fault


def fault(
    sites: Sequence[Site], code: int, first: int, second: int, exceptions: Mapping[str, type] | None = None
) -> BaseException:
    """The exception of a nonzero code."""
    if code == INTERRUPTED:
        return KeyboardInterrupt()
    if code == OUT_OF_MEMORY:
        return OutOfMemoryFault("there is not enough memory for the arrays of this call")
    if not 1 <= code <= len(sites):
        return SystemError(f"compiled code returned the unknown code {code}: please report this")
    site = sites[code - 1]
    if site.kind in ("raise", "assert"):
        return _raised_by_user(site, exceptions or {})
    stretching = site.kind == "equal" and not site.info and 1 in (first, second)
    why, fix = _NOT_STRETCHED if stretching else ("", _FIX)
    return _CLASSES[site.kind](_sentence(site, first, second), place=site.place, why=why, fix=fix)


class Fault(TapelessError):
    """A check of the running program failed. The subclasses say which; each is also the built-in exception."""

    code = "TP500"


class BoundsFault(Fault, IndexError):
    """An index is out of range: `x[10]` of an array of size 3."""

    code = "TP501"


class DivisionFault(Fault, ZeroDivisionError):
    """A Python number is divided by zero. (NumPy numbers give inf or nan, as in plain NumPy.)"""

    code = "TP502"


class SizeFault(Fault, ValueError):
    """Two sizes that must agree do not: arrays of 3 and 4 elements are added, or a row of 3 is assigned to one of 4."""

    code = "TP503"


class NegativeFault(Fault, ValueError):
    """A size, count or exponent that must not be negative is."""

    code = "TP504"


class EmptyFault(Fault, ValueError):
    """The minimum, maximum or extreme index of no elements is asked for."""

    code = "TP505"


class DomainFault(Fault, ValueError):
    """A function of `math` is called outside its domain: `math.sqrt(-1.0)`."""

    code = "TP506"


class SingularFault(Fault, np.linalg.LinAlgError):
    """A singular matrix is inverted or solved with, or one that is not positive definite is factorised."""

    code = "TP507"


class UnboundFault(Fault, UnboundLocalError):
    """A variable is read on a path on which it was never assigned."""

    code = "TP510"


class OverflowFault(Fault, OverflowError):
    """A Python number becomes too large: `math.exp(1000.0)`, or an integer beyond 64 bits."""

    code = "TP511"


class NaNFault(Fault, FloatingPointError):
    """A NaN was computed; reported only under `check="nan"`."""

    code = "TP512"


class OutOfMemoryFault(Fault, MemoryError):
    """The system has no memory left for the arrays of a call."""

    code = "TP513"


def _raised_by_user(site: Site, exceptions: Mapping[str, type]) -> BaseException:
    name, _, message = ("AssertionError", "", site.info) if site.kind == "assert" else site.info.partition(": ")
    kind = exceptions.get(name) or getattr(builtins, name, None)
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        kind, message = RuntimeError, site.info
    raised = kind(message) if message else kind()
    if site.place is not None:
        raised.add_note("\n".join(excerpt(site.place)))
    return raised


# What the sentence of each kind is made of: the front end's words, and the two operands.
_SENTENCES: dict[str, str] = {
    "bounds": "index {index} is out of bounds for axis {axis} with size {second}",
    "nonzero": "division by zero",
    "equal": "operands could not be broadcast together: sizes {first} and {second} differ",
    "nonneg": "{first} is negative where a size is needed",
    "nonempty": "zero-size array to reduction operation which has no identity",
    "domain": "math domain error",
    "singular": "Singular matrix",
    "unbound": "cannot access local variable {info!r} where it is not associated with a value",
    "overflow": "math range error",
    "not_nan": "a NaN was computed",
}
# Here the front end's words are a part of the sentence; elsewhere they replace it.
_FILLED_IN = ("bounds", "unbound")


def _sentence(site: Site, first: int, second: int) -> str:
    if site.info and site.kind not in _FILLED_IN:
        return site.info
    # The front end has added the size to a negative index already; the user knows the one he wrote.
    index = first - second if first < 0 else first
    fields = {"index": index, "first": first, "second": second, "axis": site.info or 0, "info": site.info}
    return _SENTENCES[site.kind].format(**fields)


_CLASSES: dict[str, type[Fault]] = {
    "bounds": BoundsFault,
    "nonzero": DivisionFault,
    "equal": SizeFault,
    "nonneg": NegativeFault,
    "nonempty": EmptyFault,
    "domain": DomainFault,
    "singular": SingularFault,
    "unbound": UnboundFault,
    "overflow": OverflowFault,
    "not_nan": NaNFault,
}
