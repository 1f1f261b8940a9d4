"""Where a parallel loop has its boundary: how many of the first and of the last iterations differ from the rest.

Integer expressions such as `(i + 1) % n`, `max(i - 1, 0)` and `i == n - 1` change their form at certain counters.
Those within `WIDEST` of either end of the index space are its edges: between them each expression has one form, which
`facts` can find. `obstacles` counts what keeps a body from running in vectors at full speed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..ir.core import Apply, Expr, If, Lambda
from ..ir.types import I64
from ..ir.walk import statements
from ..records import dataclass
from .affine import Affine, form_of
from .rewrite import name_of
from .uses import reached

WIDEST = 8
COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
SENSITIVE = COMPARISONS | {"min", "max", "mod"}

Defs = Mapping[str, Expr]


@dataclass(frozen=True, slots=True)
class Edges:
    """The number of iterations at the start and at the end that are unlike the others."""

    low: int
    high: int

    @property
    def total(self) -> int:
        return self.low + self.high


@dataclass(frozen=True, slots=True)
class _Change:
    """An expression has one form for all counters from `since` on, and one for all below `until`."""

    since: Affine
    until: Affine


def find_edges(body: Lambda, end: Affine, defs: Defs) -> Edges:
    """The edges of a body whose counter runs from 0 below `end`."""
    low = high = 0
    for stm in statements(body.body):
        expr = stm.expr
        if not isinstance(expr, Apply) or expr.op not in SENSITIVE or expr.args[0].type.dtype is not I64:
            continue
        for change in _changes(expr, body.params[0].name, defs):
            left = end.plus(change.until, -1)
            if not change.since.terms and change.since.const <= WIDEST:
                low = max(low, change.since.const)
            elif not left.terms and left.const <= WIDEST:
                high = max(high, left.const)
    return Edges(low, high)


def _changes(expr: Apply, counter: str, defs: Defs) -> Iterator[_Change]:
    x, y = (form_of(arg, defs) for arg in expr.args)
    if expr.op == "mod":
        if x.coefficient(counter) == 1 and not y.coefficient(counter):
            for turns in (-1, 0, 1, 2):
                start = y.times(turns).plus(x.without(counter), -1)
                yield _Change(start, start)
        return
    difference = y.plus(x, -1)
    slope = difference.coefficient(counter)
    if abs(slope) != 1:
        return
    root = difference.without(counter).times(-slope)
    match expr.op:
        case "eq" | "ne":
            yield _Change(root.shifted(1), root)
        case "min" | "max":  # both operands serve where they are equal
            yield _Change(root, root.shifted(1))
        case _:
            start = root.shifted(1) if (expr.op in ("lt", "ge")) == (slope > 0) else root
            yield _Change(start, start)


def obstacles(body: Lambda, defs: Defs) -> int:
    """How many branches on the counter, and reads that are not contiguous in their last index, a body has."""
    counter = body.params[0].name
    depends = reached(body.body, [counter])
    count = 0
    for stm in statements(body.body):
        match stm.expr:
            case If(cond):
                count += name_of(cond) in depends
            case Apply("index") as read:
                count += _is_scattered(read, counter, depends, defs)
            case _:
                pass
    return count


def _is_scattered(read: Apply, counter: str, depends: set[str], defs: Defs) -> bool:
    array, *at = read.args
    moving = [k for k, index in enumerate(at) if name_of(index) in depends]
    if moving != [array.type.rank - 1] or name_of(array) in depends:
        return False
    place = form_of(at[-1], defs)
    return place.coefficient(counter) != 1 or any(name in depends for name in place.terms if name != counter)
