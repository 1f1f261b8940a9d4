"""Where a loop body touches a carried array: the same leading indices e(i) = c*i + invariant in every access?

All versions of the array are followed, through writes, branches and inner loops. Then there are three kinds of access:

* at the place e(i) that is written; c is not 0 in a `moving` place, and iterations touch different places;
* a *foreign* read, at an index that no iteration writes (the pivot row of an elimination): it sees the initial array;
* anything else, which makes iterations depend on one another: `NotLocal` says how.

When the place is a row of which only some elements are touched, at literal indices, these are its `columns`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..ir.core import Apply, Block, Expr, For, If, Lambda, Stm, While
from ..ir.types import Atom, Lit, Var
from ..ir.walk import lambdas, operands
from ..records import dataclass, field
from .affine import Affine, form_of
from .rewrite import name_of

# How many of the operands of an access come before the indices.
ACCESSES = {"index": 1, "update": 2, "accumulate": 2}
MAX_COLUMNS = 16

# Given the indices of the write and of a read: do they differ for any two iterations?
Disjoint = Callable[[Sequence[Atom], Sequence[Atom]], bool]


@dataclass(frozen=True, slots=True)
class Place:
    """The leading indices at which an array is touched; `moving` when the last depends on the counter."""

    forms: tuple[Affine, ...]
    moving: bool

    @property
    def dims(self) -> int:
        return len(self.forms)


class NotLocal(Exception):
    """The array is touched in more than one place per iteration; says how, and in which statement."""

    def __init__(self, reason: str, stm: Stm | None) -> None:
        super().__init__(reason)
        self.reason, self.stm = reason, stm


@dataclass(frozen=True, slots=True)
class Access:
    """A read or write of some version of the array."""

    indices: tuple[Atom, ...]
    stm: Stm
    number: int  # of the statement of the body that it is in
    certain: bool  # in every iteration
    inner: bool  # inside an inner loop

    @property
    def op(self) -> str:
        return self.stm.expr.op if isinstance(self.stm.expr, Apply) else ""


@dataclass(frozen=True, slots=True)
class Found:
    """Where an array is touched: `touches` at the place, `foreign` are the statements that read elsewhere."""

    place: Place
    touches: tuple[Access, ...]
    versions: frozenset[str]
    foreign: frozenset[int]

    @property
    def first(self) -> Access:
        return self.touches[0]

    @property
    def is_single(self) -> bool:
        """Are only single elements of a row written, and that outside inner loops?"""
        writes = [access for access in self.touches if access.op != "index"]
        return all(len(access.indices) > self.place.dims and not access.inner for access in writes)

    @property
    def columns(self) -> tuple[int, ...]:
        """The literal indices within a row, in order, when all accesses are of this kind; else none."""
        found: set[int] = set()
        for access in self.touches:
            rest = access.indices[self.place.dims :]
            if len(rest) != 1 or not isinstance(rest[0], Lit):
                return ()
            found.add(int(rest[0].value))
        return tuple(sorted(found)) if len(found) <= MAX_COLUMNS else ()

    def starts_with_write(self, column: int) -> bool:
        """Is the column written in every iteration before anything else is done with it?"""
        first = next(a for a in self.touches if literal_index(a.indices[self.place.dims]) == column)
        return first.op == "update" and first.certain


def literal_index(atom: Atom) -> int | None:
    return int(atom.value) if isinstance(atom, Lit) else None


@dataclass(frozen=True, slots=True)
class Query:
    """A carried array and the loop body that it goes through."""

    body: Block
    result: Atom
    param: Var
    counter: Var
    bound: set[str]
    defs: Mapping[str, Expr]
    disjoint: Disjoint


def find_place(query: Query) -> Found:
    """The one place at which the body touches the array; raises `NotLocal`."""
    finder = _Finder({query.param.name})
    for number, stm in enumerate(query.body.stms):
        finder.number = number
        finder.statement(stm, certain=True)
    if name_of(query.result) not in finder.versions:
        raise NotLocal("the next array is made from the previous one", None)
    if sum(name_of(result) in finder.versions for result in query.body.results) > 1:
        raise NotLocal("the whole array is used", None)
    writes = [access for access in finder.accesses if access.op != "index"]
    if not writes:
        raise NotLocal("the array is not written", None)
    candidates = [(_place(access, query), access) for access in writes]
    place, write = min(candidates, key=lambda c: (not c[0].moving, c[0].dims))
    if not place.dims:
        raise NotLocal("the place that is touched is computed in the loop", write.stm)
    touches: list[Access] = []
    foreign: set[int] = set()
    for access in finder.accesses:
        here = [form_of(atom, query.defs) for atom in access.indices[: place.dims]]
        if tuple(here) == place.forms:
            touches.append(access)
        elif access.op == "index" and place.moving and query.disjoint(write.indices[: place.dims], access.indices):
            foreign.add(id(access.stm))
        else:
            raise NotLocal(_conflict(access, place, here, query.counter), access.stm)
    _refuse_row_sums(touches, place)
    if finder.handed is not None and finder.handed[0] < touches[0].number:
        # There the place would be needed before it is read, which is safe only from the first access on.
        raise NotLocal("the whole array is used", finder.handed[1])
    return Found(place, tuple(touches), frozenset(finder.versions), frozenset(foreign))


def _refuse_row_sums(touches: Sequence[Access], place: Place) -> None:
    for access in touches:
        if access.op == "accumulate" and access.stm.expr.args[1].type.shape and len(access.indices) == place.dims:  # type: ignore[union-attr]
            raise NotLocal("rows are accumulated", access.stm)


def _place(access: Access, query: Query) -> Place:
    """The leading indices up to the counter's, or as far as they are invariant."""
    forms: list[Affine] = []
    for atom in access.indices:
        form = form_of(atom, query.defs)
        if any(name in query.bound and name != query.counter.name for name in form.terms):
            break
        forms.append(form)
        if form.coefficient(query.counter.name):
            return Place(tuple(forms), moving=True)
    return Place(tuple(forms), moving=False)


def _conflict(access: Access, place: Place, here: Sequence[Affine], counter: Var) -> str:
    kind = "read" if access.op == "index" else "written"
    distances = [f.const - g.const for f, g in zip(here, place.forms, strict=False) if f.terms == g.terms]
    if len(distances) == place.dims and not any(distances[:-1]):
        distance = distances[-1]
        step = place.forms[-1].coefficient(counter.name)
        which = "an earlier" if distance * step < 0 else "a later"
        return f"the element of {which} iteration is {kind} ({abs(distance)} away)"
    return f"the array is also {kind} at other places"


@dataclass(slots=True)
class _Finder:
    """Collects the accesses to all versions of one array."""

    versions: set[str]
    accesses: list[Access] = field(default_factory=list[Access])
    number: int = 0
    depth: int = 0
    handed: tuple[int, Stm] | None = None  # the first statement that goes through the array as a branch or a loop

    def block(self, block: Block) -> None:
        for stm in block.stms:
            self.statement(stm, certain=False)

    def statement(self, stm: Stm, certain: bool) -> None:
        expr = stm.expr
        match expr:
            case Apply(op, args) if op in ACCESSES:
                if any(name_of(arg) in self.versions for arg in args[1:]):
                    raise NotLocal("the whole array is used", stm)
                if name_of(args[0]) in self.versions:
                    self.accesses.append(Access(args[ACCESSES[op] :], stm, self.number, certain, self.depth > 0))
                    if op != "index":
                        self.versions.add(stm.vars[0].name)
            case If(_, then, orelse):
                self.block(then)
                self.block(orelse)
                self._join(stm, then.results, orelse.results)
            case For(_, init, body) | While(init, _, body):
                self._loop(stm, expr, init, body)
            case _:
                if any(name_of(atom) in self.versions for atom in operands(expr)):
                    raise NotLocal("the whole array is used", stm)
                for lam in lambdas(expr):
                    self.block(lam.body)
                    if any(name_of(result) in self.versions for result in lam.body.results):
                        raise NotLocal("the whole array is used", stm)

    def _hand(self, stm: Stm) -> None:
        if self.handed is None:
            self.handed = self.number, stm

    def _join(self, stm: Stm, left: Sequence[Atom], right: Sequence[Atom]) -> None:
        for var, x, y in zip(stm.vars, left, right, strict=True):
            same = (name_of(x) in self.versions, name_of(y) in self.versions)
            if same == (True, True):
                self._hand(stm)
                self.versions.add(var.name)
            elif True in same:
                raise NotLocal("the array is exchanged for another one", stm)

    def _loop(self, stm: Stm, expr: For | While, init: Sequence[Atom], body: Lambda) -> None:
        params = body.params[len(body.params) - len(init) :]
        conds = expr.cond.params if isinstance(expr, While) else params
        carried = [k for k, atom in enumerate(init) if name_of(atom) in self.versions]
        for k in carried:
            self._hand(stm)
            self.versions.update((params[k].name, conds[k].name, stm.vars[k].name))
        self.depth += 1
        if isinstance(expr, While):
            self.block(expr.cond.body)
        self.block(body.body)
        self.depth -= 1
        for k, result in enumerate(body.body.results):
            if (name_of(result) in self.versions) != (k in carried):
                raise NotLocal("the array is exchanged for another one", stm)
