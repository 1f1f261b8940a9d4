"""Crosswise fusion: a matrix that is made by rows and read by columns, each element once, is made where it is read.

    A = map i { x = l[i]; map j { e(x, j) } }        map j { map i { ... A[i, j] ... } }

becomes `map j { map i { x = l[i]; ... e(x, j) ... } }`, so that the matrix need not exist. As many elements are
computed as before, and reading down a column, which takes a line of the cache for each element, is saved. So adjoints
go into the sum that a loop carries: what `h @ w` adds to the adjoint of w is an outer product, made column by column.

Elements must be made by operations on numbers; what is made for a whole row must be loads, which are repeated for each
element; nobody else may read the matrix. The map that makes it may make other things besides.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Apply, Block, Expr, Lambda, Map, Stm
from ..ir.types import Atom, Var
from ..ir.walk import free_vars, inline, substitute
from .fuse_vertical import is_movable
from .uses import slice_for, use_counts
from .views import same


def crosswise(stms: list[Stm], results: Sequence[Atom]) -> list[Stm]:
    """The statements of a block, matrices made in the columns that read them; what made them is left as dead code."""
    uses = use_counts(Block(tuple(stms), tuple(results)))
    matrices: list[tuple[Var, int, Lambda]] = []
    for number, stm in enumerate(stms):
        reader = stm
        for var, at, element in matrices:
            new = _read_here(reader, var, element)
            if new is not reader and is_movable(stms, at, number, {var.name}):
                stms[number] = reader = new
        for k, var in enumerate(stm.vars):
            element = _element(stm, k) if var.type.rank == 2 and uses[var.name] == 1 else None
            if element is not None:
                matrices.append((var, number, element))
    return stms


def _element(stm: Stm, k: int) -> Lambda | None:
    """An element of a matrix as a function of its two indices."""
    if not isinstance(stm.expr, Map):
        return None
    (i,), body = stm.expr.body.params, stm.expr.body.body
    row = body.results[k]
    maker = next((made for made in body.stms if row in made.vars), None)
    if maker is None or not isinstance(maker.expr, Map) or not isinstance(row, Var):
        return None
    inner = maker.expr.body
    own = slice_for(inner.body, (inner.body.results[maker.vars.index(row)],), checks=True)
    loads = slice_for(body, free_vars(Lambda(inner.params, own)), checks=False).stms
    if not all(_is_number(made) for made in own.stms) or not all(_is_load(made) for made in loads):
        return None
    return Lambda((i, *inner.params), Block((*loads, *own.stms), own.results))


def _is_number(stm: Stm) -> bool:
    return isinstance(stm.expr, Apply) and not stm.vars[0].type.shape


def _is_load(stm: Stm) -> bool:
    return isinstance(stm.expr, Apply) and stm.expr.op == "index"


def _read_here(stm: Stm, matrix: Var, element: Lambda) -> Stm:
    """The statement with the elements made in it, if it reads them column by column."""
    if not isinstance(stm.expr, Map) or not same(stm.expr.size, matrix.type.shape[1]):
        return stm
    (j,), body = stm.expr.body.params, stm.expr.body.body
    for at, inner in enumerate(body.stms):
        if isinstance(inner.expr, Map) and same(inner.expr.size, matrix.type.shape[0]):
            (i,), old = inner.expr.body.params, inner.expr.body.body
            new = _with(old, Apply("index", (matrix, i, j)), inline(element, (i, j)))
            if new is not None:
                made = Stm(inner.vars, Map(inner.expr.size, Lambda((i,), new)), inner.pos)
                stms = (*body.stms[:at], made, *body.stms[at + 1 :])
                return Stm(stm.vars, Map(stm.expr.size, Lambda((j,), Block(stms, body.results))), stm.pos)
    return stm


def _with(block: Block, read: Expr, made: Block) -> Block | None:
    """The block with statements in the place of a read; None where there is no such read."""
    at = next((number for number, stm in enumerate(block.stms) if stm.expr == read), None)
    if at is None:
        return None
    rest = Block(block.stms[at + 1 :], block.results)
    rest = substitute(rest, {block.stms[at].vars[0]: made.results[0]})
    return Block((*block.stms[:at], *made.stms, *rest.stms), rest.results)
