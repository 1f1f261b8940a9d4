"""In place: inside a loop of a parallel body, writing a part of an array becomes a loop of single writes again.

`update_slice(a, map(...), start, step)` computes the part beside the array and then copies it. Outermost that is
what one wants: the map runs in vectors and on threads. But where lanes and threads belong to an operator further out,
this map is a plain loop in each lane, and a loop that writes the elements themselves needs no second array. The map may
read the array only where it writes, `a[start + i * step]`: that element is still the old one then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ..ir.core import Apply, Block, Check, Expr, For, Function, If, Lambda, Map, Stm, While
from ..ir.types import I64, Atom, Type, Var
from ..ir.walk import fresh, map_lambdas, statements, substitute_lambda
from .affine import Affine, form_of
from .fuse_vertical import reads
from .notes import Notes
from .uses import name_of, use_counts


def run(function: Function, _notes: Notes) -> Function:
    """The function with partial writes in lanes done in place."""
    defs = {var.name: stm.expr for stm in statements(function.body) for var in stm.vars}
    body = _InPlace(defs, use_counts(function.body)).block(function.body, parallel=False, loop=False)
    return Function(function.name, function.params, body, function.donated)


class _InPlace:
    """`parallel` and `loop` say what stands around a block: a parallel operator, and a loop inside that."""

    def __init__(self, defs: Mapping[str, Expr], uses: Counter[str]) -> None:
        self.defs, self.uses = defs, uses

    def block(self, block: Block, *, parallel: bool, loop: bool) -> Block:
        stms: list[Stm] = []
        for stm in block.stms:
            expr = stm.expr
            if isinstance(expr, Apply):
                written = self._written(stm, expr, stms) if loop else None
                if written is not None:
                    stms = [made for made in stms if made.vars != expr.args[1:2]]
                stms.append(written or stm)
            elif isinstance(expr, Check):
                stms.append(stm)
            else:
                loops = isinstance(expr, For | While)
                inner_parallel = parallel or not (loops or isinstance(expr, If))
                inner_loop = loop or (parallel and loops)
                stms.append(Stm(stm.vars, self._inside(expr, inner_parallel, inner_loop), stm.pos))
        return Block(tuple(stms), block.results)

    def _inside(self, expr: Expr, parallel: bool, loop: bool) -> Expr:
        return map_lambdas(
            expr, lambda lam: Lambda(lam.params, self.block(lam.body, parallel=parallel, loop=loop))
        )  # fmt: skip

    def _written(self, stm: Stm, expr: Apply, before: list[Stm]) -> Stm | None:
        """The loop that writes the elements of a part, when the part is a map made just before, for this write only."""
        if expr.op != "update_slice" or len(expr.args) != 4:
            return None
        array, part, start, step = expr.args
        made = next((s.expr for s in before if s.vars == (part,)), None)
        if not isinstance(made, Map) or len(made.body.body.results) != 1 or self.uses[name_of(part)] != 1:
            return None
        counter = made.body.params[0]
        place = self._place(start, step, counter)
        if not isinstance(array, Var) or place is None or not self._reads_only(made, array, place):
            return None
        return self._loop(stm, made, array, start, step)

    def _place(self, start: Atom, step: Atom, counter: Var) -> Affine | None:
        stride = form_of(step, self.defs)
        if stride.terms:
            return None
        return form_of(start, self.defs).plus(Affine(0, {counter.name: 1}), stride.const)

    def _reads_only(self, made: Map, array: Var, place: Affine) -> bool:
        found = list(reads(made.body.body.stms, {array.name}))
        return all(read is not None and form_of(read.indices[0], self.defs) == place for read in found)

    def _loop(self, stm: Stm, made: Map, array: Var, start: Atom, step: Atom) -> Stm:
        counter, carried = made.body.params[0], fresh(array.name, array.type)
        body = substitute_lambda(made.body, {array: carried}).body
        offset, index, after = fresh("t", Type(I64)), fresh("t", Type(I64)), fresh(array.name, array.type)
        writes = (
            Stm((offset,), Apply("mul", (counter, step)), stm.pos),
            Stm((index,), Apply("add", (offset, start)), stm.pos),
            Stm((after,), Apply("update", (carried, body.results[0], index)), stm.pos),
        )
        lam = Lambda((counter, carried), Block(body.stms + writes, (after,)))
        return Stm(stm.vars, For(made.size, (array,), lam), stm.pos)
