"""Groups: a loop that writes rows c i to c i + c - 1 of an array of c n rows writes row i of one of n groups.

    a: [c n, ...] = for n [a0] (i, a) { a with v at (c i + r, ...) }

    g0 = reshape a0 (n, c, ...);  g = for n [g0] (i, g) { g with v at (i, r, ...) };  a = reshape g (c n, ...)

Two errors of each observation, three coordinates of each particle, four unknowns of each cell lie so in one array. Of
the groups, iteration i touches one place, by which `parallelise` sees that iterations are independent. Here r is a
number or the sum of one and of counters of short loops, 0 <= r < c. Memory stays as it is: only the type changes.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.build import Builder
from ..ir.core import Apply, Block, Check, Expr, For, Function, If, Lambda, Stm
from ..ir.types import Atom, Lit, Type, Var, i64
from ..ir.walk import fresh, map_lambdas, operands, statements
from ..records import dataclass, field
from .affine import Affine, emit_form, form_of
from .notes import Notes
from .rewrite import name_of
from .small_planes import WRITES

# Groups of more rows are loops of their own.
LIMIT = 16


def run(function: Function, notes: Notes) -> Function:
    """The function with such arrays in groups while loops fill them."""
    defs = {var.name: stm.expr for stm in statements(function.body) for var in stm.vars}
    if not any(isinstance(expr, For) for expr in defs.values()):
        return function
    return Function(function.name, function.params, _block(function.body, defs, notes), function.donated)


def _block(block: Block, defs: Mapping[str, Expr], notes: Notes) -> Block:
    b = Builder()
    for stm in block.stms:
        if isinstance(stm.expr, Apply | Check):
            b.stms.append(stm)
            continue
        expr = map_lambdas(stm.expr, lambda lam: Lambda(lam.params, _block(lam.body, defs, notes)))
        made = Stm(stm.vars, expr, stm.pos)
        for which in range(len(stm.vars)):
            if isinstance(made.expr, For) and (grouped := _grouped(b, made, made.expr, which, defs)) is not None:
                size = grouped.vars[which].type.shape[1]
                notes.add(stm.pos, "array", f"groups of {size}", "each iteration writes its own")
                made = grouped
        b.stms.append(made)
        b.pos = stm.pos
        for old, new in zip(stm.vars, made.vars, strict=True):
            if old is not new:
                b.stms.append(Stm((old,), Apply("reshape", (new, *old.type.shape)), stm.pos))
    return b.block(block.results)


def _grouped(b: Builder, stm: Stm, loop: For, which: int, defs: Mapping[str, Expr]) -> Stm | None:
    """The loop that carries groups instead of the array `which`; emits those that it starts from."""
    rows = _rows_of_group(loop, stm.vars[which].type, defs)
    if not rows:
        return None
    counter, array = loop.body.params[0], loop.body.params[1 + which]
    turned = _Turned(counter, rows, defs)
    params = list(loop.body.params)
    params[1 + which] = turned.group(array, loop.count)
    try:
        body = turned.block(loop.body.body)
    except _OtherwiseUsedError:
        return None
    ends = [result for k, result in enumerate(loop.body.body.results) if k != which]
    if name_of(loop.body.body.results[which]) not in turned.groups or any(turned.has(end) for end in ends):
        return None
    if not turned.is_whole:
        return None
    b.pos = stm.pos
    type = turned.type_of(array.type, loop.count)
    start = b.apply("reshape", loop.init[which], *type.shape)
    init = tuple(start if k == which else x for k, x in enumerate(loop.init))
    vars = tuple(fresh(x.name, type) if k == which else x for k, x in enumerate(stm.vars))
    return Stm(vars, For(loop.count, init, Lambda(tuple(params), body)), stm.pos)


def _rows_of_group(loop: For, type: Type, defs: Mapping[str, Expr]) -> int:
    """How many rows belong to an iteration, if all iterations together have as many as the array; else 0."""
    if not type.shape:
        return 0
    size, count = type.shape[0], loop.count
    if isinstance(size, Lit) and isinstance(count, Lit):
        rows = int(size.value) // max(int(count.value), 1)
        return rows if 1 < rows <= LIMIT and rows * count.value == size.value else 0
    match defs.get(name_of(size)):
        case Apply("mul", (x, Lit(value)) | (Lit(value), x)) if x == count and 1 < value <= LIMIT:
            return int(value)
        case _:
            return 0


class _OtherwiseUsedError(Exception):
    """The array is used at other places than those of the iteration's own group, or as a whole."""


@dataclass(slots=True)
class _Turned:
    """Rewrites the body of a loop: `groups` are versions of the array by the names that they had.

    `counters` are those of short loops, with how often they run; `written` are the rows of a group that are written.
    """

    counter: Var
    rows: int
    defs: Mapping[str, Expr]
    groups: dict[str, Var] = field(default_factory=dict[str, Var])
    counters: dict[str, int] = field(default_factory=dict[str, int])
    written: set[int] = field(default_factory=set[int])

    @property
    def is_whole(self) -> bool:
        """Are all rows of a group written? A loop that writes a few is one over places, and good as it is."""
        return self.written == set(range(self.rows))

    def has(self, atom: Atom) -> bool:
        return name_of(atom) in self.groups

    def type_of(self, type: Type, count: Atom) -> Type:
        return Type(type.dtype, (count, i64(self.rows), *type.shape[1:]))

    def group(self, array: Var, count: Atom) -> Var:
        """A version of the array, in groups."""
        self.groups[array.name] = fresh(array.name, self.type_of(array.type, count))
        return self.groups[array.name]

    def block(self, block: Block) -> Block:
        b = Builder()
        for stm in block.stms:
            b.pos = stm.pos
            self._statement(b, stm)
        return b.block(self._atom(result) for result in block.results)

    def _atom(self, atom: Atom) -> Atom:
        return self.groups.get(name_of(atom), atom)

    def _statement(self, b: Builder, stm: Stm) -> None:
        match stm.expr:
            case Apply("index", (base, place, *rest)) if self.has(base):
                at, _ = self._place(b, place)
                b.stms.append(Stm(stm.vars, Apply("index", (self._atom(base), *at, *rest)), stm.pos))
            case Apply(op, (base, value, place, *rest)) if op in WRITES and self.has(base) and not self.has(value):
                at, rows = self._place(b, place)
                self.written.update(rows)
                new = self._next(stm.vars[0], base)
                b.stms.append(Stm((new,), Apply(op, (self._atom(base), value, *at, *rest)), stm.pos))
            case For(count, init, body) if any(map(self.has, init)):
                b.stms.append(self._inner(stm, count, init, body))
            case If(cond, then, orelse):
                b.stms.append(self._branch(stm, cond, then, orelse))
            case Apply() | Check():
                if any(map(self.has, operands(stm.expr))):
                    raise _OtherwiseUsedError
                b.stms.append(stm)
            case expr:
                if any(map(self.has, operands(expr))):
                    raise _OtherwiseUsedError
                if isinstance(expr, For):
                    self._count(expr.body.params[0], expr.count)
                b.stms.append(Stm(stm.vars, map_lambdas(expr, self._lambda), stm.pos))

    def _lambda(self, lam: Lambda) -> Lambda:
        """An inner block, which must not end with a version of the array, be it one that is made there."""
        body = self.block(lam.body)
        if any(map(self.has, lam.body.results)):
            raise _OtherwiseUsedError
        return Lambda(lam.params, body)

    def _next(self, var: Var, base: Atom) -> Var:
        """What is made of a version is the next one."""
        return self.group(var, self.groups[name_of(base)].type.shape[0])

    def _count(self, counter: Var, count: Atom) -> None:
        if isinstance(count, Lit):
            self.counters[counter.name] = int(count.value)

    def _inner(self, stm: Stm, count: Atom, init: tuple[Atom, ...], body: Lambda) -> Stm:
        """A loop inside that hands the array on."""
        self._count(body.params[0], count)
        params, vars = list(body.params), list(stm.vars)
        for k, start in enumerate(init):
            if self.has(start):
                params[1 + k], vars[k] = self._next(params[1 + k], start), self._next(vars[k], start)
        block = self.block(body.body)
        if any(self.has(start) != self.has(end) for start, end in zip(init, body.body.results, strict=True)):
            raise _OtherwiseUsedError
        return Stm(tuple(vars), For(count, tuple(map(self._atom, init)), Lambda(tuple(params), block)), stm.pos)

    def _branch(self, stm: Stm, cond: Atom, then: Block, orelse: Block) -> Stm:
        """Arms that both end with a version of the array, or neither."""
        arms, vars = (self.block(then), self.block(orelse)), list(stm.vars)
        for k, (left, right) in enumerate(zip(then.results, orelse.results, strict=True)):
            if self.has(left) != self.has(right):
                raise _OtherwiseUsedError
            if self.has(left):
                vars[k] = self._next(vars[k], left)
        return Stm(tuple(vars), If(cond, *arms), stm.pos)

    def _place(self, b: Builder, place: Atom) -> tuple[tuple[Atom, Atom], range]:
        """The group and the row in it, and which rows that may be."""
        form = form_of(place, self.defs)
        rest = form.without(self.counter.name)
        rows = self._range(rest)
        if form.coefficient(self.counter.name) != self.rows or rows.start < 0 or rows.stop > self.rows:
            raise _OtherwiseUsedError
        return (self.counter, emit_form(rest, b.apply)), rows

    def _range(self, form: Affine) -> range:
        """From the least to the most that a sum of a number and counters may be."""
        low = high = form.const
        for name, factor in form.terms.items():
            if name not in self.counters:
                raise _OtherwiseUsedError
            last = factor * (self.counters[name] - 1)
            low, high = low + min(last, 0), high + max(last, 0)
        return range(low, high + 1)
