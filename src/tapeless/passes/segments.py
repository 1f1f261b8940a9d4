"""Segments: rows that follow one another and fill an array are written, not added to zeros.

    a = zeros m;  for n a (i, a) { for (start[i + 1] - start[i]) a (j, a) { a with v added at start[i] + j } }

    if start[0] = 0 <= start[1] <= ... <= start[n] = m:  the same with a[start[i] + j] = v, and no zeros
    else:                                                as it was

The entries of sparse matrices and the neighbours in graphs are kept like this. No compiler can know that rows do not
overlap, but to ask costs one pass over their starts, which are much fewer. The return sweep of a derivative adds to the
adjoint of each entry: where the rows are in order, it goes over these adjoints once instead of three times. In order,
no place counts from the end either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Block, Check, Expr, For, Function, If, Lambda, Stm
from ..ir.types import Atom, Lit, Var, boolean, i64, zero
from ..ir.walk import map_lambdas, refresh, statements, substitute_lambda
from ..records import dataclass
from .notes import Notes
from .uses import bound_names, use_counts

# The attribute of zeros each of which is written before it is read.
WRITTEN = ("scratch",)


def run(function: Function, notes: Notes) -> Function:
    """The function with such loops in two versions."""
    defs = {var.name: stm.expr for stm in statements(function.body) for var in stm.vars}
    if not any(isinstance(expr, For) for expr in defs.values()):
        return function
    search = _Search(defs, use_counts(function.body), notes)
    return Function(function.name, function.params, search.block(function.body), function.donated)


@dataclass(frozen=True, slots=True)
class _Rows:
    """What a loop over rows fills: its carried value `which`, of `size` zeros, row i from `first` = starts[i] on.

    An entry is made by three statements: the old one is read, `value` is added, and the sum is written at `place`.
    """

    which: int
    size: Atom
    starts: Var
    first: Atom
    counter: Var
    entry: tuple[Stm, Stm, Stm]
    value: Atom


@dataclass(frozen=True, slots=True)
class _Search:
    defs: Mapping[str, Expr]
    uses: Counter[str]
    notes: Notes

    def block(self, block: Block) -> Block:
        b, dropped = Builder(), set[Var]()
        for stm in block.stms:
            rows = self._rows(stm)
            if rows is None or not isinstance(stm.expr, For):
                inner = stm.expr
                if not isinstance(inner, Apply | Check):
                    inner = map_lambdas(inner, lambda lam: Lambda(lam.params, self.block(lam.body)))
                b.stms.append(Stm(stm.vars, inner, stm.pos))
                continue
            zeros = stm.expr.init[rows.which]
            if isinstance(zeros, Var) and self.uses[zeros.name] == 1:
                dropped.add(zeros)
            self.notes.add(stm.pos, "rows", "two versions", "entries of rows in order are written, others are added up")
            _two_versions(b, stm, stm.expr, rows)
        return Block(tuple(stm for stm in b.stms if dropped.isdisjoint(stm.vars)), block.results)

    # -- finding them -----------------------------------------------------------------------------

    def _rows(self, stm: Stm) -> _Rows | None:
        """The first carried value of a loop that is filled by rows."""
        if not isinstance(stm.expr, For):
            return None
        for which, start in enumerate(stm.expr.init):
            found = self._filled(stm.expr, which, start)
            if found is not None:
                return found
        return None

    def _filled(self, loop: For, which: int, start: Atom) -> _Rows | None:
        made, array = self._made(start), loop.body.params[1 + which]
        if made is None or made.op != "replicate" or made.args[0] != zero(array.type.dtype) or len(made.args) != 2:
            return None
        for stm in loop.body.body.stms:
            if isinstance(stm.expr, For) and array in stm.expr.init and self.uses[array.name] == 1:
                position = stm.expr.init.index(array)
                last = loop.body.body.results[which]
                if last != stm.vars[position] or self.uses[stm.vars[position].name] != 1:
                    return None
                return self._entries(loop, which, made.args[1], stm.expr, position)
        return None

    def _entries(self, loop: For, which: int, size: Atom, inner: For, position: int) -> _Rows | None:
        """Does the inner loop add once to each entry of row i, and do nothing else with the array?"""
        rows = self._row_of(inner.count, loop.body.params[0])
        array, block = inner.body.params[1 + position], inner.body.body
        if rows is None or self.uses[array.name] != 2 or _changes(rows[0], loop.body):
            return None
        written = _maker(block, block.results[position])
        match written:
            case Stm((end,), Apply("update", (base, total, place))) if base == array and self.uses[end.name] == 1:
                added = _maker(block, total)
            case _:
                return None
        match added:
            case Stm((sum_,), Apply("add", (x, y))) if self.uses[sum_.name] == 1:
                read = _maker(block, x), _maker(block, y)
            case _:
                return None
        for old, value in ((read[0], y), (read[1], x)):
            match old:
                case Stm((before,), Apply("index", (base, at))) if base == array and at == place:
                    if self.uses[before.name] == 1 and self._is_place(place, rows[1], inner.body.params[0], size):
                        return _Rows(which, size, *rows, inner.body.params[0], (old, added, written), value)
                case _:
                    pass
        return None

    def _row_of(self, count: Atom, i: Var) -> tuple[Var, Atom] | None:
        """Of a row from starts[i] to starts[i + 1], at least no entries: `starts`, and the first."""
        most = self._made(count)
        if most is not None and most.op == "max" and most.args[1] == i64(0):
            most = self._made(most.args[0])
        if most is None or most.op != "sub":
            return None
        behind, first = self._made(most.args[0]), self._made(most.args[1])
        if behind is None or first is None or behind.op != "index" or first.op != "index":
            return None
        starts = first.args[0]
        step = self._made(behind.args[1])
        after = step is not None and step.op == "add" and step.args == (i, i64(1))
        if not after or not isinstance(starts, Var) or behind.args[0] != starts or first.args != (starts, i):
            return None
        return starts, most.args[1]

    def _is_place(self, place: Atom, first: Atom, j: Var, size: Atom) -> bool:
        """Is it first + j, which may count from the end?"""
        made = self._made(place)
        if made is not None and made.op == "select":
            test, around = self._made(made.args[0]), self._made(made.args[1])
            if test is None or test.op != "lt" or test.args != (made.args[2], i64(0)):
                return False
            if around is None or around.op != "add" or set(around.args) != {made.args[2], size}:
                return False
            made = self._made(made.args[2])
        return made is not None and made.op == "add" and set(made.args) == {first, j}

    def _made(self, atom: Atom) -> Apply | None:
        made = self.defs.get(atom.name) if isinstance(atom, Var) else None
        return made if isinstance(made, Apply) else None


def _changes(array: Var, body: Lambda) -> bool:
    """Is it another array in each round of a loop? Then nothing can be asked of it before."""
    return array in body.params or array.name in bound_names(body.body)


def _maker(block: Block, atom: Atom) -> Stm | None:
    return next((stm for stm in block.stms if atom in stm.vars), None)


# -- the two versions -------------------------------------------------------------------------------


def _two_versions(b: Builder, stm: Stm, loop: For, rows: _Rows) -> None:
    b.pos = stm.pos
    versions: list[Block] = []
    for attrs, body in ((WRITTEN, _in_order(loop.body, rows)), ((), loop.body)):
        inner = Builder(stm.pos)
        start = inner.apply("replicate", zero(stm.vars[rows.which].type.dtype), rows.size, attrs=attrs)
        init = tuple(start if k == rows.which else x for k, x in enumerate(loop.init))
        versions.append(inner.block(inner.bind((var.type for var in stm.vars), For(loop.count, init, refresh(body)))))
    b.stms.append(Stm(stm.vars, If(_are_in_order(b, loop.count, rows), versions[0], versions[1]), stm.pos))


def _are_in_order(b: Builder, count: Atom, rows: _Rows) -> Atom:
    """Do rows follow one another, from the first entry to the last?"""
    starts = rows.starts

    def follow(c: Builder) -> Sequence[Atom]:
        ends = c.apply("eq", c.apply("index", starts, i64(0)), i64(0))
        ends = c.apply("and", ends, c.apply("eq", c.apply("index", starts, count), rows.size))
        return [c.apply("and", ends, c.reduce(count, "and", (boolean(True),), rises)[0])]

    def rises(c: Builder, i: Var) -> Sequence[Atom]:
        after = c.apply("index", starts, c.apply("add", i, i64(1)))
        return [c.apply("le", c.apply("index", starts, i), after)]

    known = b.apply("and", b.apply("gt", count, i64(0)), b.apply("lt", count, starts.type.shape[0]))
    return b.if_(known, follow, lambda _: [boolean(False)])[0]


def _in_order(body: Lambda, rows: _Rows) -> Lambda:
    """The body for rows in order: entries are written, and no place is negative."""
    read, added, written = rows.entry
    positive: set[Atom] = {rows.first}
    never: dict[Var, Atom] = {}

    def changed(block: Block) -> Block:
        stms: list[Stm] = []
        for stm in block.stms:
            match stm.expr:
                case Apply("add", (x, y)) if {x, y} == {rows.first, rows.counter}:
                    positive.add(stm.vars[0])
                case Apply("lt", (x, Lit(value))) if x in positive and value == 0:
                    never[stm.vars[0]] = boolean(False)
                    continue
                case Apply("update", (array, _, place)) if stm is written:
                    stms.append(Stm(stm.vars, Apply("update", (array, rows.value, place)), stm.pos))
                    continue
                case _ if stm is read or stm is added:
                    continue
                case _:
                    pass
            stms.append(
                Stm(stm.vars, map_lambdas(stm.expr, lambda lam: Lambda(lam.params, changed(lam.body))), stm.pos)
            )
        return Block(tuple(stms), block.results)

    return substitute_lambda(Lambda(body.params, changed(body.body)), never)
