"""What the passes decided, for `f.explain()`: one note per decision, at the user's line.

A note says what it is about (`subject`: loop, check, fusion), what was decided (`map`, `reduce`, `loop`) and why.
Passes run several times; a note about the same subject at the same place replaces the earlier one. What the return
sweep of a derivative does at a place is another matter than what the program does there, and so marked.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.core import Pos
from ..records import dataclass, field

RETURN_SWEEP = "return sweep"


@dataclass(frozen=True, slots=True)
class Note:
    """One decision."""

    pos: Pos | None
    subject: str
    decision: str
    reason: str

    @property
    def line(self) -> int:
        return self.pos.line if self.pos else 0

    def __str__(self) -> str:
        where = [f"line {self.line}"] if self.pos else []
        if self.pos and self.pos.returning and self.subject != RETURN_SWEEP:
            where.append(RETURN_SWEEP)
        return ": ".join([*where, self.subject, self.decision]) + (f" ({self.reason})" if self.reason else "")


@dataclass(slots=True)
class Notes:
    """Collects decisions; iteration is in order of source line."""

    _notes: dict[tuple[Pos | None, str], Note] = field(default_factory=dict[tuple[Pos | None, str], Note])

    def add(self, pos: Pos | None, subject: str, decision: str, reason: str = "") -> None:
        """Record a decision about `subject` at a place."""
        self.put(Note(pos, subject, decision, reason))

    def put(self, note: Note) -> None:
        """Record a note, which may say more than its text."""
        self._notes[note.pos, note.subject] = note

    def about(self, subject: str) -> list[Note]:
        """The notes on one subject, in order of line."""
        return [note for note in self if note.subject == subject]

    def __iter__(self) -> Iterator[Note]:
        return iter(sorted(self._notes.values(), key=_order))

    def __len__(self) -> int:
        return len(self._notes)


def _order(note: Note) -> tuple[int, int, bool]:
    return (note.line, note.pos.col, note.pos.returning) if note.pos else (0, 0, False)
