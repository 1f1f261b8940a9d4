"""Every exception of Tapeless, its stable code, and the formatter of source excerpts.

A message has five parts in this order: the code and one sentence saying what happened; the user's
own line with a caret; why it is so; what to do. At most twelve lines. Each class documents itself: its docstring is
its page in the error index (`docs/errors.md`), which is generated from the classes.
Classes also inherit the built-in exception that plain Python would raise for the same mistake.
"""

from __future__ import annotations

import linecache
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the user's source: one-based line, zero-based columns."""

    file: str
    line: int
    col: int
    end_col: int
    function: str = ""


class TapelessError(Exception):
    """The root of all errors raised by Tapeless."""

    code = "TP000"

    def __init__(self, what: str, *, place: Place | None = None, why: str = "", fix: str = "") -> None:
        self.what, self.place, self.why, self.fix = what, place, why, fix
        super().__init__(self._format())

    def _format(self) -> str:
        lines = [f"[{self.code}] {self.what}"]
        if self.place is not None:
            lines += excerpt(self.place)
        if self.why:
            lines.append(f"  why: {self.why}")
        if self.fix:
            lines.append(f"  fix: {self.fix}")
        return "\n".join(lines)


def excerpt(place: Place) -> list[str]:
    """The user's line with a caret below the offending part."""
    where = f"  at {place.file}:{place.line}" + (f" in {place.function}" if place.function else "")
    text = linecache.getline(place.file, place.line).rstrip("\n")
    if not text:
        return [where]
    indent = len(text) - len(text.lstrip())
    width = max(1, min(place.end_col, len(text)) - place.col)
    number = f"{place.line:>5} | "
    return [where, number + text[indent:], " " * (len(number) + max(0, place.col - indent)) + "^" * width]


class IRError(TapelessError, TypeError):
    """A program in the intermediate language is ill-typed.

    Users meet it only when they build IR by hand; elsewhere it is a bug in Tapeless: please report it.
    """

    code = "TP001"
