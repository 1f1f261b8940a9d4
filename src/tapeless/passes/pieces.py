"""Elements of arrays that are put together piece by piece, as expressions of their place.

In: statements that make arrays of one dimension and nearly one size: maps, and `replicate`, `stack`, `concat`, `slice`,
`update`, `update_slice` and `accumulate` of such arrays. Out: `Elements.at(b, array, place)` emits code for the one
element at `place`, reading only arrays that are made anyway:

    z = replicate 0.0 n;  a = update_slice z x 0 1;  b = update_slice a (map (i) { a[i + 1] + y[i] }) 1 1

    b at 0 = x[0];     b at i = x[i] + y[i - 1] in the middle;     b at n - 1 = y[n - 2]

A place is counted from the start of the array, from its end, or from the counter of a map over the middle. Pieces begin
and end near either end of the array, so in the middle each array has one form: `Room` collects how far the middle must
keep away from both ends for that, and how long the array must be for the ends not to meet. Sums keep their order, so
the elements are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from ..ir.build import Builder
from ..ir.core import Apply, Expr, Map, Stm
from ..ir.types import Atom, Lit, Var, i64
from ..ir.walk import fresh, subst_atom
from ..records import dataclass, field, replace
from .affine import Affine, emit_form, form_of

# So far from an end of an array is near.
WIDEST = 8


class NotPieces(Exception):
    """The element at a place cannot be told, if not for its place then for how this array is made."""

    array: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """`shift` from the start (`low`), from the common size of the arrays (`high`), or from the counter (`mid`)."""

    anchor: Literal["low", "mid", "high"]
    shift: int

    def plus(self, amount: int) -> Place:
        return replace(self, shift=self.shift + amount)


@dataclass(slots=True)
class Room:
    """What must hold for the middle of an array of size `base + extra` to be uniform.

    It leaves out the first `low` and the last `high` elements, and `base` is at least `least`.
    """

    extra: int = 0
    low: int = 0
    high: int = 0
    least: int = 0

    def less(self, x: Place, y: Place) -> bool:
        """Is x before y, a place that is not in the middle?"""
        if x.anchor == "mid":
            if y.anchor == "low":
                self.low = max(self.low, y.shift - x.shift)
                return False
            self.high = max(self.high, self.extra + x.shift - y.shift)
            return True
        if x.anchor == y.anchor:
            return x.shift < y.shift
        low, high = (x, y) if x.anchor == "low" else (y, x)
        self.least = max(self.least, low.shift - high.shift + 1)
        return x.anchor == "low"

    def equal(self, x: Place, y: Place) -> bool:
        """Is x the place y, which is not in the middle?"""
        return not self.less(x, y) and self.less(x, y.plus(1))


@dataclass(frozen=True, slots=True)
class Base:
    """The common size of the arrays: `terms`, without the constant, or a literal when there are none."""

    terms: Mapping[str, int]
    literal: int = 0

    def place(self, form: Affine, counter: str = "") -> Place | None:
        """A form as a place or as a size counted from 0."""
        if form.terms == {counter: 1}:
            return Place("mid", form.const)
        if form.terms:
            return Place("high", form.const) if form.terms == self.terms else None
        if self.terms or form.const <= self.literal // 2:
            return Place("low", form.const)
        return Place("high", form.const - self.literal)


@dataclass(slots=True)
class Elements:
    """The elements of arrays.

    `defs` are all definitions in scope, `made` the arrays whose elements may be told, `kept` those that are read from
    memory. `seen` counts at which places of the middle each array is wanted.
    """

    defs: Mapping[str, Expr]
    made: Mapping[str, tuple[Stm, int]]
    kept: Mapping[Var, Var]
    base: Base
    room: Room = field(default_factory=Room)
    counter: Var | None = None
    seen: dict[str, set[Place]] = field(default_factory=dict[str, set[Place]])
    _known: dict[tuple[str, Place], Atom] = field(default_factory=dict[tuple[str, Place], Atom])

    def at(self, b: Builder, array: Atom, place: Place) -> Atom:
        """Emit the element of an array at a place."""
        if not isinstance(array, Var):
            raise NotPieces
        if array in self.kept or array.name not in self.made:
            return self._read(b, self.kept.get(array, array), place)
        key = array.name, place
        if key not in self._known:
            if place.anchor == "mid":
                self.seen.setdefault(array.name, set()).add(place)
            try:
                self._known[key] = self._told(b, array, place)
            except NotPieces as problem:
                problem.array = problem.array or array.name
                raise
        return self._known[key]

    def inside(self, room: Room, counter: Var) -> Elements:
        """For the body of a map over the middle."""
        return replace(self, room=room, counter=counter, seen=self.seen, _known={})

    def form(self, atom: Atom) -> Affine:
        """The affine form, where a size cut off at 0 is taken as it is: the arrays are long enough."""
        return form_of(atom, _Uncut(self))

    def place_of(self, index: Atom, counter: str = "") -> Place:
        """The place that an index means."""
        place = self.base.place(self.form(index), counter)
        if place is None or abs(place.shift) > WIDEST:
            raise NotPieces
        return place

    def _read(self, b: Builder, array: Var, place: Place) -> Atom:
        key = f"[{array.name}]", place
        if key not in self._known:
            self._known[key] = b.apply("index", array, self.emit_place(b, place))
        return self._known[key]

    def emit_place(self, b: Builder, place: Place) -> Atom:
        """The index of a place."""
        match place.anchor:
            case "low":
                return i64(place.shift)
            case "high":
                return emit_form(Affine(place.shift + self.base.literal, self.base.terms), b.apply)
            case "mid":
                assert self.counter is not None
                return b.apply("add", self.counter, i64(place.shift)) if place.shift else self.counter

    # -- by the operation that makes the array --------------------------------------------------

    def _told(self, b: Builder, array: Var, place: Place) -> Atom:
        stm, k = self.made[array.name]
        match stm.expr:
            case Map() as producer:
                return self._of_map(b, producer, k, place)
            case Apply("replicate", (value, _)):
                return value
            case Apply("stack", parts) if place.anchor == "low" and 0 <= place.shift < len(parts):
                return parts[place.shift]
            case Apply("concat", (*parts, _)):
                return self._of_concat(b, parts, place)
            case Apply("slice", (source, start, _, Lit(1))):
                return self.at(b, source, total(place, self.place_of(start)))
            case Apply("update", (source, value, index)):
                return value if self.room.equal(place, self.place_of(index)) else self.at(b, source, place)
            case Apply("accumulate", (source, value, index)):
                old = self.at(b, source, place)
                return b.apply("add", old, value) if self.room.equal(place, self.place_of(index)) else old
            case Apply("update_slice", (source, part, start, Lit(1))):
                first = self.place_of(start)
                if self._is_in(place, first, part):
                    return self.at(b, part, difference(place, first))
                return self.at(b, source, place)
            case _:
                raise NotPieces

    def _is_in(self, place: Place, first: Place, part: Atom) -> bool:
        end = total(first, self.place_of(part.type.shape[0]))
        return not self.room.less(place, first) and self.room.less(place, end)

    def _of_concat(self, b: Builder, parts: list[Atom], place: Place) -> Atom:
        first = Place("low", 0)
        for part in parts:
            if self._is_in(place, first, part):
                return self.at(b, part, difference(place, first))
            first = total(first, self.place_of(part.type.shape[0]))
        raise NotPieces

    def _of_map(self, b: Builder, producer: Map, k: int, place: Place) -> Atom:
        """What the body yields at a place, for one of its results."""
        counter, body = producer.body.params[0], producer.body.body
        wanted = {body.results[k]}
        needed: list[Stm] = []
        for stm in reversed(body.stms):
            if stm.vars[0] in wanted:
                needed.append(stm)
                assert isinstance(stm.expr, Apply)
                wanted.update(stm.expr.args)
        subst: dict[Var, Atom] = {}
        if any(_takes(stm, counter) for stm in needed) or body.results[k] == counter:
            subst[counter] = self.emit_place(b, place)
        for stm in reversed(needed):
            subst[stm.vars[0]] = self._of_statement(b, stm, counter, place, subst)
        return subst_atom(body.results[k], subst)

    def _of_statement(self, b: Builder, stm: Stm, counter: Var, place: Place, subst: dict[Var, Atom]) -> Atom:
        expr = stm.expr
        assert isinstance(expr, Apply)
        array = expr.args[0]
        if expr.op == "index" and isinstance(array, Var) and (array in self.kept or array.name in self.made):
            where = self.place_of(expr.args[1], counter.name)
            return self.at(b, array, place.plus(where.shift) if where.anchor == "mid" else where)
        var = fresh(stm.vars[0].name, stm.vars[0].type)
        b.stms.append(Stm((var,), Apply(expr.op, tuple(subst_atom(x, subst) for x in expr.args), expr.attrs), stm.pos))
        return var


def _takes(stm: Stm, counter: Var) -> bool:
    return isinstance(stm.expr, Apply) and counter in stm.expr.args


def total(place: Place, offset: Place) -> Place:
    """A place so much further on."""
    match place.anchor, offset.anchor:
        case _, "low":
            return place.plus(offset.shift)
        case "low", "high":
            return offset.plus(place.shift)
        case _:
            raise NotPieces


def difference(place: Place, first: Place) -> Place:
    """A place counted from another one."""
    if first.anchor == "low":
        return place.plus(-first.shift)
    if place.anchor == "high":
        return Place("low", place.shift - first.shift)
    raise NotPieces


@dataclass(frozen=True, slots=True)
class _Uncut(Mapping[str, Expr]):
    """The definitions with `max(x, 0)` read as x, where x is near the common size."""

    elements: Elements

    def __getitem__(self, name: str) -> Expr:
        expr = self.elements.defs[name]
        match expr:
            case Apply("max", (Var() as x, Lit(0))) | Apply("max", (Lit(0), Var() as x)):
                form = form_of(x, self)
                if form.terms and form.terms == self.elements.base.terms:
                    room = self.elements.room
                    room.least = max(room.least, -form.const)
                    return Apply("add", (x, i64(0)))
                return expr
            case _:
                return expr

    def __iter__(self):
        return iter(self.elements.defs)

    def __len__(self) -> int:
        return len(self.elements.defs)
