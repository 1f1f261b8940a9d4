"""Tables of plain text for terminals."""

from __future__ import annotations

from collections.abc import Sequence


def format_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Left-aligned columns under a rule, two spaces apart.

    >>> print(format_table(("name", "size"), [("x", "3")]))
    name  size
    ----  ----
    x     3
    """
    widths = [max(len(column), *(len(row[k]) for row in rows), 0) for k, column in enumerate(columns)]
    lines = [columns, ["-" * width for width in widths], *rows]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines)
