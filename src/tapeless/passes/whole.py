"""Whole: an array all of whose elements are overwritten piece by piece is a new array made of the pieces.

    b = a with v at 0 ... n-2;  c = b with x at n-1        becomes        c = v followed by x

What `a` held does not matter any more, so a loop need not carry it, and the return sweep of a derivative need not keep
or restore it. Outside of derivatives the writes stay as they are: they happen in place.
"""

from __future__ import annotations

from ..ir.core import Apply, Expr, Function
from ..ir.types import I64, Atom, Lit, Type, Var
from ..records import dataclass
from . import dce
from .affine import Affine, form_of
from .control import forms
from .notes import Notes
from .rewrite import Rewriter


def run(function: Function, notes: Notes) -> Function:
    """The function with arrays that are written whole made anew."""
    r = Rewriter({"update": _whole, "update_slice": _whole}, forms(_never))
    return dce.run(r.function(function), notes)


def _never(_r: Rewriter, _expr: Expr, _trips: int) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class _Piece:
    """`values` stand at `start`; a single element is known to be in range."""

    start: Affine
    size: Affine
    values: Atom
    single: bool


def _whole(r: Rewriter, e: Apply, type: Type) -> Apply | None:
    if type.rank != 1:
        return None
    pieces: list[_Piece] = []
    write: Apply | None = e
    while write is not None and len(pieces) < 4:
        piece = _piece(r, write)
        if piece is None:
            return None
        pieces.append(piece)
        ordered = _tiling(pieces, _form(r, type.shape[0]))
        if ordered is not None:
            parts = [r.apply("stack", p.values) if p.single else p.values for p in ordered]
            return Apply("concat", (*parts, type.shape[0]), (0,))
        write = r.operation(write.args[0], "update") or r.operation(write.args[0], "update_slice")
    return None


def _piece(r: Rewriter, write: Apply) -> _Piece | None:
    values = write.args[1]
    if write.op == "update":
        return _Piece(_form(r, write.args[2]), Affine(1, {}), values, True)
    start, step = write.args[2:]
    if not isinstance(step, Lit) or step.value != 1:
        return None
    return _Piece(_form(r, start), _form(r, values.type.shape[0]), values, False)


def _form(r: Rewriter, atom: Atom) -> Affine:
    """The affine form; a size cut off at 0 is taken as it is, which a single element beside it makes sure of."""
    made = r.defs.get(atom.name) if isinstance(atom, Var) else None
    if isinstance(made, Apply) and made.op == "max" and atom.type == Type(I64):
        rest = [x for x in made.args if not (isinstance(x, Lit) and x.value == 0)]
        if len(rest) == 1:
            return form_of(rest[0], r.defs)
    return form_of(atom, r.defs)


def _tiling(pieces: list[_Piece], size: Affine) -> list[_Piece] | None:
    """The pieces in order, when they fill the whole array without overlap."""
    if not any(piece.single for piece in pieces):
        return None
    ordered: list[_Piece] = []
    at, left = Affine(0, {}), list(pieces)
    while left:
        piece = next((p for p in left if p.start == at), None)
        if piece is None:
            return None
        left.remove(piece)
        ordered.append(piece)
        at = at.plus(piece.size)
    return ordered if at == size else None
