"""Indices that run through a dimension: a loop's counter, or one that is turned round, `(i + 1) % n`."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.core import Apply, Expr
from ..ir.types import Atom, Lit, Var


def runs_through(index: Atom, size: Atom, counts: Mapping[str, Atom], made: Mapping[str, Expr]) -> Atom | None:
    """The counter with which an index takes each place of a dimension once.

    `counts` says how often a counter runs, `made` how a variable is made.
    """
    counter = index
    match made.get(index.name) if isinstance(index, Var) else None:
        case Apply("mod", (Var() as number, by)) if by == size:
            counter = _shifted(number, made)
        case _:
            pass
    count = counts.get(counter.name) if isinstance(counter, Var) else None
    return counter if count is not None and count == size else None


def _shifted(number: Var, made: Mapping[str, Expr]) -> Atom:
    """That to which a literal is added, or the number itself."""
    match made.get(number.name):
        case Apply("add" | "sub", (x, Lit())):
            return x
        case _:
            return number
