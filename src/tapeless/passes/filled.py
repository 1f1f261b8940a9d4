"""Filled: an array that loops write row by row, each row once, need not be there before.

    a = zeros n;  for n [a] (i, a) { ... a with a[i] = v ... }                            the zeros become scratch
    a = zeros n m;  for n [a] (i, a) { for m [a] (j, a) { a with a[(i + 1) % n, j] = a[(i + 1) % n, j] + v } }

and what is read there before it is written, the row or elements of it, is zero. So does a return sweep find what it
needs of each iteration, and so do adjoints come to the places that a program has read, each once. The zeros were as
much work as the rows, and several such arrays began as copies of the same zeros. Each gets memory of its own: equal
scratch is not made one (`rewrite`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Block, Check, Expr, For, Function, Lambda, Stm
from ..ir.types import Atom, Lit, Var
from ..ir.walk import map_lambdas, statements, substitute
from ..records import dataclass, field
from . import dce
from .notes import Notes
from .segments import WRITTEN
from .turned import runs_through
from .uses import use_counts


def run(function: Function, notes: Notes) -> Function:
    """The function without numbers that are overwritten row by row."""
    made = {stm.vars[0].name: stm.expr for stm in statements(function.body) if isinstance(stm.expr, Apply)}
    if not any(isinstance(stm.expr, For) for stm in statements(function.body)) or not any(map(_is_fill, made.values())):
        return function
    search = _Search(made, use_counts(function.body))
    body = substitute(search.block(function.body), search.numbers)
    return dce.run(Function(function.name, function.params, body, function.donated), notes)


def _is_fill(expr: Expr | None) -> bool:
    match expr:
        case Apply("replicate", (value, *_), attrs):
            return not attrs and not value.type.shape
        case _:
            return False


@dataclass(frozen=True, slots=True)
class _Search:
    """`made` are the operations by what they bind, `counts` says how often a counter runs.

    Found are rows that are read before they are written: `rows` of arrays, by name, and `numbers`.
    """

    made: dict[str, Apply]
    uses: Counter[str]
    counts: dict[str, Atom] = field(default_factory=dict[str, Atom])
    rows: dict[str, Apply] = field(default_factory=dict[str, Apply])
    numbers: dict[Var, Atom] = field(default_factory=dict[Var, Atom])

    def block(self, block: Block) -> Block:
        stms: list[Stm] = []
        for at, stm in enumerate(block.stms):
            expr = stm.expr
            if isinstance(expr, Apply | Check):
                stms.append(Stm(stm.vars, self.rows.get(stm.vars[0].name, expr), stm.pos) if stm.vars else stm)
                continue
            if isinstance(expr, For):
                b = Builder(stm.pos)
                rest = block.stms[at + 1 :]
                init = tuple(
                    self._start(b, expr, k, start, self._has_last_row(stm.vars[k], expr.count, rest))
                    for k, start in enumerate(expr.init)
                )
                stms += b.stms
                expr = For(expr.count, init, expr.body)
            inner = map_lambdas(expr, lambda lam: Lambda(lam.params, self.block(lam.body)))
            stms.append(Stm(stm.vars, inner, stm.pos))
        return Block(tuple(stms), block.results)

    def _has_last_row(self, array: Var, count: Atom, rest: Sequence[Stm]) -> bool:
        """Is all that becomes of an array after its loop that one row more is written, the last one?"""
        if self.uses[array.name] != 1 or not array.type.shape:
            return False
        size = array.type.shape[0]
        match self.made.get(size.name) if isinstance(size, Var) else None:
            case Apply("add", (number, Lit(value=1))):
                is_longer = number == count
            case _:
                is_longer = isinstance(size, Lit) and isinstance(count, Lit) and size.value == count.value + 1
        return is_longer and any(
            isinstance(stm.expr, Apply) and stm.expr.op == "update" and stm.expr.args[::2] == (array, count)
            for stm in rest
        )

    def _start(self, b: Builder, loop: For, k: int, start: Atom, has_last_row: bool) -> Atom:
        """What a carried value starts from: scratch where all of it is written."""
        fill = self.made.get(start.name) if isinstance(start, Var) else None
        if fill is None or not _is_fill(fill):
            return start
        sizes = (loop.count, *fill.args[2:]) if has_last_row else fill.args[1:]
        reads = self._filling(loop, k, sizes, ())
        if reads is None:
            return start
        for stm in reads:
            (var,) = stm.vars
            if var.type.shape:
                self.rows[var.name] = Apply("replicate", (fill.args[0], *var.type.shape))
            else:
                self.numbers[var] = fill.args[0]
        return b.apply("replicate", *fill.args, attrs=WRITTEN)

    def _filling(self, loop: For, k: int, sizes: Sequence[Atom], counters: Sequence[Atom]) -> list[Stm] | None:
        """The reads of rows before they are written; None where not each row is written once."""
        array, block = loop.body.params[1 + k], loop.body.body
        last, counters = block.results[k], (*counters, loop.body.params[0])
        self.counts[loop.body.params[0].name] = loop.count
        for stm in block.stms:
            if isinstance(stm.expr, For) and array in stm.expr.init:
                inner = stm.expr.init.index(array)
                alone = last == stm.vars[inner] and self.uses[array.name] == self.uses[stm.vars[inner].name] == 1
                return self._filling(stm.expr, inner, sizes, counters) if alone else None
        return self._written_once(block, array, last, sizes, counters)

    def _written_once(
        self, block: Block, array: Var, last: Atom, sizes: Sequence[Atom], counters: Sequence[Atom]
    ) -> list[Stm] | None:
        """The same for the body of the innermost loop, which may write its row several times."""
        version, reads, places = array, list[Stm](), set[tuple[Atom, ...]]()
        for stm in block.stms:
            match stm.expr:
                case Apply("index", (base, *at)) if base == array:
                    reads.append(stm)
                    places.add(tuple(at[: len(counters)]))
                case Apply("update", (base, _, *at)) if base == version:
                    if self.uses[version.name] != (1 + len(reads) if version == array else 1):
                        return None
                    version = stm.vars[0]
                    places.add(tuple(at))
                case _:
                    pass
        if version == array or version != last or self.uses[version.name] != 1 or len(places) != 1:
            return None
        (place,) = places
        through = [runs_through(x, size, self.counts, self.made) for x, size in zip(place, sizes, strict=False)]
        return reads if len(through) == len(counters) and set(through) == set(counters) else None
