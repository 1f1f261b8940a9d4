"""Rows of arrays that are put together from parts, as expressions of their place: `pieces` for several dimensions.

In: statements that make arrays of at least two dimensions and nearly one leading size. Out: `Rows.at(b, array, place)`
emits code for the row at `place`, an array of one dimension less, reading only arrays that are made anyway:

    z = replicate 0.0 n m;  a = update_slice z x 1 1 2 1         x has n - 2 rows

    a at 0 = replicate 0.0 m;      a at i = update_slice (replicate 0.0 m) x[i - 1] 2 1 in the middle

What is left is a statement of the same kind about each row. So rows are told first, and then elements of rows.
"""

from __future__ import annotations

from ..ir.build import Builder
from ..ir.core import Apply, Block, Lambda, Map, Stm
from ..ir.types import Atom, Lit, Var
from ..ir.walk import inline, map_lambdas, substitute
from ..records import dataclass
from .pieces import Elements, NotPieces, Place, difference, total
from .uses import mentioned, slice_for


@dataclass(slots=True)
class Rows(Elements):
    """The rows of arrays; as `Elements`, with rows for elements."""

    def _told(self, b: Builder, array: Var, place: Place) -> Atom:
        stm, k = self.made[array.name]
        match stm.expr:
            case Map() as producer:
                return self._of_map(b, producer, k, place)
            case Apply("replicate", (value, _, *sizes)):
                return b.apply("replicate", value, *sizes) if sizes else value
            case Apply("stack", parts) if place.anchor == "low" and 0 <= place.shift < len(parts):
                return parts[place.shift]
            case Apply("concat", (*parts, _), (0,)):
                return self._of_concat(b, parts, place)
            case Apply("slice", (source, start, _, Lit(1), *rest)):
                row = self.at(b, source, total(place, self.place_of(start)))
                return b.apply("slice", row, *rest) if rest else row
            case Apply("update", (source, value, index, *rest)):
                if not self.room.equal(place, self.place_of(index)):
                    return self.at(b, source, place)
                return b.apply("update", self.at(b, source, place), value, *rest) if rest else value
            case Apply("update_slice", (source, part, start, Lit(1), *rest)):
                first = self.place_of(start)
                if not self._is_in(place, first, part):
                    return self.at(b, source, place)
                row = self.at(b, part, difference(place, first))
                return b.apply("update_slice", self.at(b, source, place), row, *rest) if rest else row
            case _:
                raise NotPieces

    def _of_map(self, b: Builder, producer: Map, k: int, place: Place) -> Atom:
        """What the body yields at a place, for one of its results."""
        counter = producer.body.params[0]
        needed = slice_for(producer.body.body, (producer.body.body.results[k],), checks=True)
        told = _Told(self, b, counter, place)
        body = told.block(needed)
        if mentioned(body) & self._gone():
            raise NotPieces
        at = self.emit_place(b, place) if counter.name in mentioned(body) else counter
        return b.splice(inline(Lambda((counter,), body), (at,)))[0]

    def _gone(self) -> set[str]:
        """The arrays that need not exist any more."""
        kept = {var.name for var in self.kept}
        return {name for name in self.made if name not in kept}


@dataclass(frozen=True, slots=True)
class _Told:
    """Bodies of maps with the rows that they read told outside."""

    rows: Rows
    b: Builder
    counter: Var
    place: Place

    def block(self, block: Block) -> Block:
        stms: list[Stm] = []
        views: dict[Var, Atom] = {}
        for stm in block.stms:
            match stm.expr:
                case Apply("index", (Var() as array, at, *rest)) if self._is_told(array):
                    row = self._row(array, at)
                    if rest:
                        stms.append(Stm(stm.vars, Apply("index", (row, *rest)), stm.pos))
                    else:
                        views[stm.vars[0]] = row
                case _:
                    inner = map_lambdas(stm.expr, lambda lam: Lambda(lam.params, self.block(lam.body)))
                    stms.append(Stm(stm.vars, inner, stm.pos))
        return substitute(Block(tuple(stms), block.results), views)

    def _is_told(self, array: Var) -> bool:
        return array in self.rows.kept or array.name in self.rows.made

    def _row(self, array: Var, at: Atom) -> Atom:
        where = self.rows.place_of(at, self.counter.name)
        return self.rows.at(self.b, array, self.place.plus(where.shift) if where.anchor == "mid" else where)
