"""Gather: an array to which parts are added one after another is computed in one pass, element by element.

The adjoint of a stencil comes out as shifted additions to parts of an array, each a pass over memory:

    z = replicate 0.0 n
    a = z with x at 0 ... n-2;    b = a with a[1:] + y at 1 ... n-1;    c = b with b[0] + s at 0

Each element of c is a sum of elements at fixed distances, which are computed on the spot (the adjoint of a stencil is a
stencil):

    if n >= 2 { c = concat [x[0] + s]  (map (n - 2) (k) { x[k + 1] + y[k] })  [y[n - 2]] }
    else      { as it was }

In: a block with arrays, of which one was written in parts at least twice (`ROUNDS`). The arrays that others need are
made in this form, all between is told by `pieces`: maps are computed where they are read, unless that would be at
several distances and the work is not cheap; then that array is made too. Nothing is computed that was not computed
before, and sums keep their order. Of a matrix the rows are told in this way (`bands`), and then each row's elements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TypeAlias

from ..ir.build import Builder
from ..ir.core import Apply, Block, Check, Expr, Function, If, Lambda, Map, Stm
from ..ir.types import Atom, Lit, Var, i64
from ..ir.walk import fresh, lambdas, map_lambdas, operands, refresh, statements, substitute
from ..records import dataclass, replace
from . import dce
from .affine import Affine, emit_form, form_of
from .bands import Rows
from .cost import block_cost, elements, has_check
from .notes import Notes
from .pieces import WIDEST, Base, Elements, NotPieces, Place, Room

ROUNDS = 2
SHORTEST = 32
# What may be computed at several distances instead of being stored.
CHEAP = 4.0
# What results of one map may have in common and be computed apart, instead of being stored.
COMMON = 24.0
STRUCTURAL = frozenset({"replicate", "stack", "concat", "slice", "update", "update_slice", "accumulate"})
# Arrays of more dimensions would have too many edges: each is code of its own.
RANKS = (2, 1)

# Of a size: variables with coefficients.
Terms: TypeAlias = frozenset[tuple[str, int]]


def run(function: Function, notes: Notes) -> Function:
    """The function with arrays that were added up in parts computed in one pass."""
    writes = sum(isinstance(stm.expr, Apply) and stm.expr.op == "update_slice" for stm in statements(function.body))
    if writes < ROUNDS:
        return function
    defs = {var.name: stm.expr for stm in statements(function.body) for var in stm.vars}
    body = _Gather(defs, notes, RANKS).block(function.body)
    return dce.run(Function(function.name, function.params, body, function.donated), notes)


@dataclass(frozen=True, slots=True)
class _Gather:
    """`demands`, where given, collects how large sizes must be: a branch around sees to it, not one here."""

    defs: Mapping[str, Expr]
    notes: Notes
    ranks: Sequence[int]
    demands: dict[Terms, int] | None = None

    def block(self, block: Block) -> Block:
        block = Block(tuple(map(self._inside, block.stms)), block.results)
        for rank in self.ranks:
            region = _region(block, self.defs, rank)
            if region is not None:
                block = self._rewritten(block, region)
        return block

    def _inside(self, stm: Stm) -> Stm:
        if isinstance(stm.expr, Apply | Check):
            return stm
        return Stm(stm.vars, map_lambdas(stm.expr, lambda lam: Lambda(lam.params, self.block(lam.body))), stm.pos)

    def _rewritten(self, block: Block, region: _Region) -> Block:
        """The block in the new form, where its arrays are long enough."""
        cut = region.cut(block)
        try:
            new = None if cut is None else region.new(cut)
        except NotPieces:
            new = None
        if cut is None or new is None:
            return block
        for stm in cut.part:
            if region.roots.intersection(stm.vars):
                self.notes.add(
                    stm.pos, "sums", "added up in one pass over the array", "parts were added at fixed distances"
                )
        body, demands = self._of_rows(new[0], region.rank - 1) if region.rank > 1 else (new[0], {})
        if not region.base.terms and region.base.literal < new[1]:
            return block
        if region.base.terms:
            key = frozenset(region.base.terms.items())
            demands[key] = max(demands.get(key, 0), new[1])
        if self.demands is None:
            return cut.chosen(body, demands) if demands else cut.joined(body)
        for key, least in demands.items():
            self.demands[key] = max(self.demands.get(key, 0), least)
        return cut.joined(body)

    def _of_rows(self, block: Block, rank: int) -> tuple[Block, dict[Terms, int]]:
        """The elements of rows told as well, and what that takes."""
        block = dce.run(Function("rows", (), block), self.notes).body
        own = {var.name: stm.expr for stm in statements(block) for var in stm.vars}
        demands: dict[Terms, int] = {}
        told = _Gather({**self.defs, **own}, self.notes, (rank,), demands).block(block)
        return (block, {}) if any(name in own for terms in demands for name, _ in terms) else (told, demands)


# -- which arrays ---------------------------------------------------------------------------------


def _region(block: Block, defs: Mapping[str, Expr], rank: int) -> _Region | None:
    """The arrays of a block with so many dimensions that are to be computed in one pass; None when there are none.

    All that were added up in parts, but for those of which some place cannot be told: these are made as they were.
    """
    made = {var.name: (stm, k) for stm in block.stms if _may_be_told(stm, rank) for k, var in enumerate(stm.vars)}
    while roots := _roots(block, made, defs):
        untold: str | None = roots[-1].name
        base = _base(roots[-1].type.shape[0], defs)
        if base is not None:
            reached = _reached(roots, made)
            used = {var for name in _used_otherwise(block, reached) for var in made[name][0].vars if var.name == name}
            region = _Region(defs, rank, reached, base, set(roots), used - set(roots))
            untold = region.settle()
            if untold is None:
                return region
        made = {name: (stm, k) for name, (stm, k) in made.items() if stm is not made[untold][0]}
    return None


def _may_be_told(stm: Stm, rank: int) -> bool:
    """Is this one of the statements that `pieces` and `bands` understand?"""
    if any(var.type.rank != rank for var in stm.vars):
        return False
    if isinstance(stm.expr, Map):
        if rank > 1:
            return not has_check((stm,))
        return all(isinstance(s.expr, Apply) and not s.vars[0].type.shape for s in stm.expr.body.body.stms)
    return isinstance(stm.expr, Apply) and stm.expr.op in STRUCTURAL


def _roots(block: Block, made: Mapping[str, tuple[Stm, int]], defs: Mapping[str, Expr]) -> list[Var]:
    """The arrays that were written in parts often enough, and are not written to any more."""
    written = {stm.expr.args[0] for stm in block.stms if isinstance(stm.expr, Apply) and _writes(stm.expr)}
    found = [var for stm in block.stms for var in stm.vars if var.name in made and var not in written]
    return [var for var in found if _rounds(var, defs) >= ROUNDS]


def _writes(expr: Apply) -> bool:
    return expr.op in ("update", "update_slice", "accumulate")


def _rounds(array: Atom, defs: Mapping[str, Expr]) -> int:
    """How many parts were written to an array, one after another."""
    rounds = 0
    while isinstance(array, Var):
        expr = defs.get(array.name)
        if not isinstance(expr, Apply) or not _writes(expr):
            break
        rounds += expr.op == "update_slice"
        array = expr.args[0]
    return rounds


def _reached(roots: Sequence[Var], made: Mapping[str, tuple[Stm, int]]) -> dict[str, tuple[Stm, int]]:
    """What the roots are made of, in program order."""
    found, work = set[str](), [var.name for var in roots]
    while work:
        name = work.pop()
        if name in made and name not in found:
            found.add(name)
            work += [atom.name for part in _parts(made[name][0]) for atom in part if isinstance(atom, Var)]
    return {name: made[name] for name in made if name in found}


def _base(size: Atom, defs: Mapping[str, Expr]) -> Base | None:
    if isinstance(size, Lit):
        return Base({}, int(size.value)) if size.value >= SHORTEST else None
    form = form_of(size, defs)
    return Base(form.terms) if form.terms and abs(form.const) <= WIDEST else None


def _used_otherwise(block: Block, made: Mapping[str, tuple[Stm, int]]) -> set[str]:
    """The arrays that are used by more than the statements that may be told, and reads of elements or rows."""
    used = {atom.name for atom in block.results if isinstance(atom, Var) and atom.name in made}
    for stm in block.stms:
        if stm.vars and stm.vars[0].name in made:
            continue
        if isinstance(stm.expr, Apply) and stm.expr.op == "index" and len(stm.expr.args) == 2:
            continue
        used |= {atom.name for part in _parts(stm) for atom in part if isinstance(atom, Var) and atom.name in made}
    return used


def _parts(stm: Stm) -> list[Sequence[Atom]]:
    """All atoms that a statement mentions."""
    inner = [part for lam in lambdas(stm.expr) for s in lam.body.stms for part in _parts(s)]
    return [operands(stm.expr), *inner, *(lam.body.results for lam in lambdas(stm.expr))]


# -- the new form ---------------------------------------------------------------------------------


@dataclass(slots=True)
class _Region:
    """`roots` are made in the new form, `kept` as they were; all else of `made` is told where it is read."""

    defs: Mapping[str, Expr]
    rank: int
    made: Mapping[str, tuple[Stm, int]]
    base: Base
    roots: set[Var]
    kept: set[Var]

    def settle(self) -> str | None:
        """Choose the roots: also what would be computed at several distances. The name of an array that is not told."""
        try:
            while (repeated := self._repeated()) is not None:
                self._make(repeated)
        except NotPieces as problem:
            return problem.array
        return None

    def _make(self, var: Var) -> None:
        """Let an array exist: as it was, where what makes it reads nothing that is told, else in the new form."""
        stm, _ = self.made[var.name]
        read = {atom.name for part in _parts(stm) for atom in part if isinstance(atom, Var)}
        if isinstance(stm.expr, Map) and read.isdisjoint(self.made):
            self.kept.update(stm.vars)
        else:
            self.roots.add(var)

    def _repeated(self) -> Var | None:
        """The last array that is computed at several places of the middle, and is not cheap."""
        order = list(self.made)
        worst: str | None = None
        wanted: dict[str, set[Place]] = {}
        for root in self.roots:
            for name, places in _Root(self, root).seen().items():
                wanted.setdefault(name, set()).update(places)
                later = worst is None or order.index(name) > order.index(worst)
                if len(places) > 1 and later and self._cost(name) > CHEAP:
                    worst = name
        if worst is None:
            return self._shared(wanted)
        stm, k = self.made[worst]
        return stm.vars[k]

    def _shared(self, wanted: Mapping[str, set[Place]]) -> Var | None:
        """An array that is told, where another result of the same map is computed elsewhere with much in common."""
        for name in wanted:
            stm, _ = self.made[name]
            others = [var for var in stm.vars if var.name in wanted or var in self.roots]
            if not isinstance(stm.expr, Map) or len(others) < 2:
                continue
            places = set[Place]().union(*(wanted.get(var.name, ()) for var in others))
            elsewhere = len(places) > 1 or any(var in self.roots for var in others)
            if elsewhere and _in_common(stm, [stm.vars.index(var) for var in others]) > COMMON:
                return next(var for var in stm.vars if var.name == name)
        return None

    def _cost(self, name: str) -> float:
        """The cost of one element when nothing of it is at hand: of a row, by its length."""
        stm, k = self.made[name]
        told = self.elements({}).inside(Room(), fresh("i", i64(0).type))
        b = Builder()
        told.at(b, stm.vars[k], Place("mid", 0))
        return block_cost(_numbers(b.block(()))) / elements(stm.vars[k].type.drop(1))

    def elements(self, news: Mapping[Var, Var]) -> Elements:
        """The elements, where `news` are the roots made so far under their new names."""
        kept = {var: var for var in (*self.kept, *self.roots)} | dict(news)
        return (Rows if self.rank > 1 else Elements)(self.defs, self.made, kept, self.base)

    def cut(self, block: Block) -> _Cut | None:
        """The block cut at where its arrays are made; None where what follows needs a size that is made there."""
        numbers = [k for k, stm in enumerate(block.stms) if any(var in self.roots for var in stm.vars)]
        first, last = self._start(block), self._end(block, numbers[-1])
        part, after = block.stms[first:last], Block(block.stms[last:], block.results)
        outputs = _outputs(part, after)
        return None if outputs is None else _Cut(block.stms[:first], part, outputs, after)

    def _start(self, block: Block) -> int:
        """At the first of the statements that make the arrays."""
        return next(k for k, stm in enumerate(block.stms) if stm.vars and stm.vars[0].name in self.made)

    def _end(self, block: Block, root: int) -> int:
        """Behind the last root, and behind the last read of an array that is not made any more."""
        gone = {var for stm, k in self.made.values() for var in (stm.vars[k],) if var not in self.kept | self.roots}
        reads = [k for k, stm in enumerate(block.stms) if any(atom in gone for part in _parts(stm) for atom in part)]
        return max(root, *reads, 0) + 1

    def new(self, cut: _Cut) -> tuple[Block, int]:
        """The statements in the new form, and the least common size for which they are right."""
        b, news = Builder(), dict[Var, Var]()
        subst: dict[Var, Atom] = {}
        least = 0
        for stm in cut.part:
            with b.at(stm.pos):
                found = [var for var in stm.vars if var in self.roots]
                elements = self.elements(news)
                if found:
                    for var in found:
                        news[var], needed = _Root(self, var).emit(b, elements)
                        least = max(least, needed)
                        subst[var] = news[var]
                    if len(found) < len(stm.vars):  # the others may be read by what stays as it was
                        others = tuple(fresh(var.name, var.type) if var in found else var for var in stm.vars)
                        b.stms.append(Stm(others, stm.expr, stm.pos))
                elif not self._told(b, stm, elements, subst):
                    b.stms.append(stm)
                least = max(least, elements.room.least)
        return substitute(b.block(cut.outputs), subst), least

    def _told(self, b: Builder, stm: Stm, elements: Elements, subst: dict[Var, Atom]) -> bool:
        """A read of an element that is told."""
        match stm.expr:
            case Apply("index", (Var() as array, at)) if array.name in self.made and array not in self.kept:
                told = elements.at(b, array, elements.place_of(at))
                # It may be an element that was read, and told, before.
                subst[stm.vars[0]] = subst.get(told, told) if isinstance(told, Var) else told
                return True
            case _:
                return False


def _in_common(stm: Stm, results: Sequence[int]) -> float:
    """What some results of a map cost more one by one than together, for an element."""
    assert isinstance(stm.expr, Map)
    body = stm.expr.body.body

    def cost(*some: int) -> float:
        part = Function("part", (), Block(body.stms, tuple(body.results[k] for k in some)))
        return block_cost(_numbers(dce.run(part, Notes()).body))

    return (sum(map(cost, results)) - cost(*results)) / elements(body.results[0].type)


def _numbers(block: Block) -> Block:
    """Without what is done with indices, and without rows that are read as they are: that is no work."""
    stms = [
        Stm(stm.vars, map_lambdas(stm.expr, lambda lam: Lambda(lam.params, _numbers(lam.body))), stm.pos)
        for stm in block.stms
        if not isinstance(stm.expr, Apply) or (stm.vars[0].type.dtype.is_float and not stm.vars[0].type.shape)
    ]
    return Block(tuple(stms), block.results)


@dataclass(frozen=True, slots=True)
class _Root:
    """An array to be made in one pass."""

    region: _Region
    var: Var

    def seen(self) -> dict[str, set[Place]]:
        """At which places of the middle other arrays are wanted."""
        elements = self._own(self.region.elements({}))
        try:
            self._middle(elements)
        except NotPieces as problem:
            problem.array = problem.array or self.var.name
            raise
        return {name: places for name, places in elements.seen.items() if name != self.var.name}

    def _own(self, elements: Elements) -> Elements:
        """This array is told, not read."""
        return replace(elements, kept={var: new for var, new in elements.kept.items() if var != self.var})

    def _middle(self, elements: Elements) -> tuple[Builder, Var, Atom, Room]:
        """The body of the map over the middle, its counter, its result, and what it needs."""
        size = elements.place_of(self.var.type.shape[0])
        b, counter, room = Builder(), fresh("i", i64(0).type), Room(extra=size.shift)
        element = elements.inside(room, counter).at(b, self.var, Place("mid", 0))
        if max(room.low, room.high) > WIDEST:
            raise NotPieces
        room.least = max(room.least, room.low + room.high - room.extra)
        return b, counter, element, room

    def emit(self, b: Builder, elements: Elements) -> tuple[Var, int]:
        """The array, and the least common size for which it is right."""
        elements = self._own(elements)
        inner, position, element, room = self._middle(elements)
        end = Place("high", room.extra)
        low = [elements.at(b, self.var, Place("low", k)) for k in range(room.low)]
        high = [elements.at(b, self.var, end.plus(k - room.high)) for k in range(room.high)]
        least, size = max(room.least, elements.room.least), self.var.type.shape[0]
        if not low and not high:
            (whole,) = b.bind((self.var.type,), Map(size, Lambda((position,), inner.block((element,)))))
            return whole, least
        rest = room.extra + self.region.base.literal - room.low - room.high
        count = emit_form(Affine(rest, self.region.base.terms), b.apply)
        counter = fresh("i", position.type)
        shift = Stm((position,), Apply("add", (counter, i64(room.low))), b.pos)
        body = Lambda((counter,), Block((shift, *inner.stms), (element,)))
        (middle,) = b.bind((self.var.type.drop(1).stacked(count),), Map(count, body))
        parts = [b.apply("stack", *low)] if low else []
        parts += [middle, *([b.apply("stack", *high)] if high else [])]
        return b.apply("concat", *parts, size, attrs=(0,)), least


def _outputs(part: Sequence[Stm], after: Block) -> tuple[Var, ...] | None:
    """The variables of some statements that are used after them; None when one has a size that is among them."""
    bound = {var for stm in part for var in stm.vars}
    used: dict[Var, None] = {}
    for stm in statements(after):
        for group in _parts(stm):
            used.update((atom, None) for atom in group if isinstance(atom, Var))
        used.update((size, None) for var in stm.vars for size in var.type.shape if isinstance(size, Var))
    used.update((atom, None) for atom in after.results if isinstance(atom, Var))
    outputs = tuple(var for var in used if var in bound)
    return None if any(size in bound for var in outputs for size in var.type.shape) else outputs


@dataclass(frozen=True, slots=True)
class _Cut:
    """A block cut in three; `outputs` are made in the middle and used behind it."""

    before: Sequence[Stm]
    part: Sequence[Stm]
    outputs: tuple[Var, ...]
    after: Block

    def joined(self, new: Block) -> Block:
        """The block with another middle."""
        rest = substitute(self.after, dict(zip(self.outputs, new.results, strict=True)))
        return Block((*self.before, *new.stms, *rest.stms), rest.results)

    def chosen(self, new: Block, demands: Mapping[Terms, int]) -> Block:
        """The block with another middle where all sizes are large enough."""
        b = Builder(self.part[-1].pos)
        tests = [
            b.apply("ge", emit_form(Affine(0, dict(terms)), b.apply), i64(least)) for terms, least in demands.items()
        ]
        wide = reduce(lambda x, y: b.apply("and", x, y), tests)
        old = refresh(Lambda((), Block(tuple(self.part), self.outputs))).body
        vars = tuple(fresh(var.name, var.type) for var in self.outputs)
        b.stms.append(Stm(vars, If(wide, new, old), b.pos))
        return self.joined(b.block(vars))
