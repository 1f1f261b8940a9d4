"""Matrix products: which nests of a map, a map and a sum are one, whatever way their matrices are read.

    map m (i) { map n (j) { reduce l (k) { a[i, k] * b[k, j] } } }

Each factor may have its two indices in either order, among others that do not change, and may be seen through rows.
The product of an adjoint, `scale`, is one too (`guarded`): it is 0 where the adjoint is 0, even if the other factor is
infinite, so that it differs from the plain product only where that is not a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.build import Builder
from ..ir.core import Apply, Expr, Lambda, Map, Reduce, Stm
from ..ir.types import Atom, Lit, Var, i64
from .sums import operators

LEAST = 16
LARGE = 1 << 16


@dataclass(frozen=True, slots=True)
class Factor:
    """An array at these indices, of which `moving` follows the rows or columns of the product, `summed` the sum."""

    array: Var
    at: tuple[Atom, ...]
    moving: int
    summed: int


@dataclass(frozen=True, slots=True)
class Product:
    """Element (i, j) is the sum over `length` of left (i, k) times right (j, k)."""

    rows: Atom
    columns: Atom
    length: Atom
    left: Factor
    right: Factor
    guarded: bool

    @property
    def sizes(self) -> tuple[Atom, Atom, Atom]:
        return self.rows, self.columns, self.length


def product(expr: Map) -> Product | None:
    """The matrix product that a map is, if it is nothing else."""
    across = _only(expr.body, Map)
    down = _only(across.body, Reduce) if isinstance(across, Map) else None
    if not isinstance(across, Map) or not isinstance(down, Reduce) or not _is_sum(down):
        return None
    *reads, last = down.body.body.stms
    if down.body.body.results != last.vars or not isinstance(last.expr, Apply) or last.expr.op not in ("mul", "scale"):
        return None
    views = _views((*expr.body.body.stms[:-1], *across.body.body.stms[:-1], *reads))
    if views is None:
        return None
    i, j, k = (form.body.params[0] for form in (expr, across, down))
    factors = [_place(atom, views) for atom in last.expr.args]
    for first, second in (factors, reversed(factors)):
        left, right = _factor(first, i, k, (i, j, k)), _factor(second, j, k, (i, j, k))
        if left is not None and right is not None:
            return Product(expr.size, across.size, down.size, left, right, last.expr.op == "scale")
    return None


def _only(lam: Lambda, kind: type[Map] | type[Reduce]) -> Expr | None:
    """The form of this kind that makes the one result of a body, as its last statement."""
    if not lam.body.stms or len(lam.body.results) != 1:
        return None
    last = lam.body.stms[-1]
    return last.expr if isinstance(last.expr, kind) and last.vars == lam.body.results else None


def _is_sum(expr: Reduce) -> bool:
    """From a literal 0 on, of numbers?"""
    zero = expr.neutral[0]
    plain = len(expr.neutral) == 1 and isinstance(zero, Lit) and str(zero.value) == "0.0"
    return plain and zero.type.dtype.is_float and operators(expr) == ["add"] and len(expr.body.body.stms) > 0


def _views(stms: Sequence[Stm]) -> dict[Atom, tuple[Atom, ...]] | None:
    """What the names of rows and elements stand for, an array and indices; None when there are other statements."""
    found: dict[Atom, tuple[Atom, ...]] = {}
    for stm in stms:
        match stm.expr:
            case Apply("index", args):
                found[stm.vars[0]] = args
            case _:
                return None
    return found


def _place(atom: Atom, views: dict[Atom, tuple[Atom, ...]]) -> tuple[Atom, ...]:
    """The array and all indices at which it is read."""
    if atom not in views:
        return (atom,)
    array, *at = views[atom]
    return (*_place(array, views), *at)


def _factor(place: tuple[Atom, ...], moving: Var, summed: Var, counters: tuple[Var, ...]) -> Factor | None:
    array, *at = place
    moves = [number for number, atom in enumerate(at) if atom in counters]
    if not isinstance(array, Var) or len(moves) != 2 or {at[number] for number in moves} != {moving, summed}:
        return None
    return Factor(array, tuple(at), at.index(moving), at.index(summed))


def is_large(rows: int, columns: int, length: int) -> bool:
    """Is packing both matrices worth it, and are they wide enough to fill what is computed at a time?"""
    return rows >= LEAST and columns >= LEAST and rows * columns * length >= LARGE


def emit_is_large(b: Builder, found: Product) -> Atom:
    """The same when the program runs."""
    rows, columns, length = found.sizes
    work = b.apply("mul", b.apply("mul", rows, columns), length)
    wide = b.apply("and", b.apply("ge", rows, i64(LEAST)), b.apply("ge", columns, i64(LEAST)))
    return b.apply("and", wide, b.apply("ge", work, i64(LARGE)))
