"""Extract: matrix products inside maps that do more with each element become maps of their own.

    map i { map j { f(reduce k { a[i, k] * b[j, k] }) } }   ->   p = map i { map j { reduce k { a[i, k] * b[j, k] } } }
                                                                 map i { map j { f(p[i, j]) } }

The first is a matrix product and nothing else, which the back end knows how to do; the second passes over it once. It
is done where `p` is no larger than what the map makes anyway: the row of the map over j is a row of its result, or is
only read at j for such a row. Products that stay in a row, such as the scores of attention, are left where they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import partial

from ..ir.core import Apply, Block, For, Function, If, Lambda, Map, Reduce, Stm, While
from ..ir.types import Atom, Lit, Var
from ..ir.walk import free_vars, fresh, lambdas, map_lambdas, refresh, statements
from . import dce
from .cost import has_check
from .notes import Notes
from .products import product
from .uses import bound_names, mentioned, slice_for


def run(function: Function, notes: Notes) -> Function:
    """The function with the products in its outermost maps taken out of them."""
    if not any(isinstance(stm.expr, Reduce) for stm in statements(function.body)):
        return function
    body = _block(function.body, notes)
    return dce.run(Function(function.name, function.params, body, function.donated), notes)


def _block(block: Block, notes: Notes) -> Block:
    stms: list[Stm] = []
    for stm in block.stms:
        if isinstance(stm.expr, Map):
            stms += _taken_out(stm, stm.expr, notes)
        elif isinstance(stm.expr, For | While | If):
            stms.append(Stm(stm.vars, map_lambdas(stm.expr, partial(_inner, notes=notes)), stm.pos))
        else:
            stms.append(stm)
    return Block(tuple(stms), block.results)


def _inner(lam: Lambda, notes: Notes) -> Lambda:
    return Lambda(lam.params, _block(lam.body, notes))


def _taken_out(stm: Stm, expr: Map, notes: Notes) -> list[Stm]:
    """The map without the products in it, behind these."""
    if has_check((stm,)) or product(expr) is not None:
        return [stm]
    before: list[Stm] = []
    stms = list(expr.body.body.stms)
    rows = _rows(expr.body.body)
    for number, inner in enumerate(stms):
        if isinstance(inner.expr, Map) and any(var.name in rows for var in inner.vars):
            stms[number] = _without(inner, inner.expr, (expr, stms[:number]), before)
    if not before:
        return [stm]
    notes.add(stm.pos, "products", "computed before what is done with their elements", "a product alone is fastest")
    body = Lambda(expr.body.params, Block(tuple(stms), expr.body.body.results))
    return [*before, Stm(stm.vars, Map(expr.size, body), stm.pos)]


def _rows(block: Block) -> set[str]:
    """The rows that are results, and those that are only read at its own index for such a row."""
    found = {atom.name for atom in block.results if isinstance(atom, Var)}
    users: defaultdict[str, list[Stm]] = defaultdict(list)
    for stm in block.stms:
        for name in mentioned(stm):
            users[name].append(stm)
    for stm in reversed(block.stms):
        for var in stm.vars:
            after = users[var.name]
            if after and all(_reads_along(user, var) and user.vars[0].name in found for user in after):
                found.add(var.name)
    return found


def _reads_along(stm: Stm, row: Var) -> bool:
    """Is it a map that reads a row at its own index, and nowhere else?"""
    if not isinstance(stm.expr, Map):
        return False
    (lam,) = lambdas(stm.expr)
    readers = [s for s in lam.body.stms if row.name in mentioned(s)]
    return row not in lam.body.results and all(
        isinstance(s.expr, Apply) and s.expr.op == "index" and s.expr.args == (row, lam.params[0]) for s in readers
    )


def _without(stm: Stm, expr: Map, around: tuple[Map, Sequence[Stm]], before: list[Stm]) -> Stm:
    """A map over columns with its products read; they go to `before`."""
    outer, earlier = around
    i, j = outer.body.params[0], expr.body.params[0]
    stms: list[Stm] = []
    for inner in expr.body.body.stms:
        made = _alone(inner, expr, outer, earlier, stms) if isinstance(inner.expr, Reduce) else None
        if made is None:
            stms.append(inner)
        else:
            before.append(made)
            stms.append(Stm(inner.vars, Apply("index", (made.vars[0], i, j)), inner.pos))
    return Stm(stm.vars, Map(expr.size, Lambda(expr.body.params, Block(tuple(stms), expr.body.body.results))), stm.pos)


def _alone(stm: Stm, expr: Map, outer: Map, earlier: Sequence[Stm], inside: Sequence[Stm]) -> Stm | None:
    """The sum as an element of a product of matrices from outside, of sizes that only the program knows."""
    if len(stm.vars) != 1:
        return None
    columns = _sliced((*inside, stm), stm.vars[0])
    row = fresh("row", stm.vars[0].type.stacked(expr.size))
    rows = _sliced((*earlier, Stm((row,), Map(expr.size, Lambda(expr.body.params, columns)), stm.pos)), row)
    nest = Map(outer.size, refresh(Lambda(outer.body.params, rows)))
    found = product(nest)
    if found is None or any(isinstance(n, Lit) for n in found.sizes):
        return None
    local = bound_names(Block(tuple(earlier), ())) | {outer.body.params[0].name}
    if any(var.name in local for var in free_vars(nest)):
        return None
    return Stm((fresh("product", row.type.stacked(outer.size)),), nest, stm.pos)


def _sliced(stms: Sequence[Stm], wanted: Atom) -> Block:
    return slice_for(Block(tuple(stms), ()), (wanted,), checks=False)
