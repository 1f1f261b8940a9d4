"""Journals: what in-place writes overwrite, so that the return sweep can undo them.

A loop or a branch that writes into an array at a few places need not keep the whole array for the return sweep: the
overwritten places are enough. `follow(block, atom)` traces an array back through the writes of a block to the value
it started from, and says for each write which place of the array it concerns. A branch or a loop counts as writes to
the places that cover those of all writes inside (`overwritten`): `for j: a[i, j] = ...` concerns the row `a[i]`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Block, Custom, For, If, Lambda, Stm, While
from ..ir.types import Atom, Type, Var, i64
from ..ir.walk import lambdas, statements
from ..records import dataclass
from .adjoints import Scope
from .local import read_back, write_back
from .overwritten import covering, part_type
from .sweep import Back
from .values import in_range, zeros


@dataclass(frozen=True, slots=True)
class Write:
    """Statement `stm` turns `source` into `out`, which differ at one place: `access` reads and writes it.

    `access` is a write of the table whose array and value do not matter: only its operation, its indices and the type
    of its value say which place is meant. The write is `certain` unless it stands in an inner block, which may not run:
    then the place may be out of range, and there is nothing to save. Such a statement may have several writes, one for
    each place where the two arrays may differ; they are undone one after the other.
    """

    stm: Stm
    source: Var
    out: Var
    access: Apply
    certain: bool = True

    def save(self, b: Builder) -> Var:
        """What stands at the place before the write."""
        access = Apply(self.access.op, (self.source, *self.access.args[1:]))
        if self.certain:
            return read_back(b, access)
        inside = self._in_range(b, self.place)
        return b.if_(inside, lambda c: (read_back(c, access),), lambda c: (zeros(c, self.saved),))[0]

    def undo(self, b: Builder, out: Atom, old: Atom, place: Sequence[Atom]) -> Var:
        """The array before the write, from the array after it; `place` are the indices of `access`."""
        access = Apply(self.access.op, (self.source, old, *place))
        if self.certain:
            return write_back(b, access, out, old)
        inside = self._in_range(b, place)
        return b.if_(inside, lambda c: (write_back(c, access, out, old),), lambda _c: (out,))[0]

    @property
    def place(self) -> tuple[Atom, ...]:
        return self.access.args[2:]

    @property
    def saved(self) -> Type:
        """The type of what is saved."""
        return part_type(self.access)

    def _in_range(self, b: Builder, place: Sequence[Atom]) -> Atom:
        """Is the place inside the array? For spans: their first and their last index."""
        shape = self.source.type.shape
        if self.access.op != "update_slice":
            return in_range(b, place, shape)
        starts, steps = place[::2], place[1::2]
        lasts = [
            b.apply("add", start, b.apply("mul", b.apply("sub", size, i64(1)), step))
            for start, step, size in zip(starts, steps, self.saved.shape, strict=False)
        ]
        return b.apply("and", in_range(b, starts, shape), in_range(b, lasts, shape))


def follow(block: Block, atom: Atom) -> tuple[list[Write], Atom] | None:
    """The writes, last first, between an array and the value it started from; None where it is made anew."""
    sites = {var.name: stm for stm in block.stms for var in stm.vars}
    writes: list[Write] = []
    while isinstance(atom, Var) and atom.name in sites:
        stm = sites[atom.name]
        found = _simple(stm) if isinstance(stm.expr, Apply) else _compound(stm, stm.vars.index(atom))
        if found is None:
            return None
        if isinstance(found, list):
            writes += found
            atom = found[0].source
        else:
            atom = found
    return writes, atom


def _simple(stm: Stm) -> list[Write] | None:
    expr = stm.expr
    assert isinstance(expr, Apply)
    if expr.op not in ("update", "accumulate", "update_slice") or not isinstance(expr.args[0], Var):
        return None
    return [Write(stm, expr.args[0], stm.vars[0], expr)]


def _compound(stm: Stm, k: int) -> list[Write] | Atom | None:
    """The places where a branch, a loop or a scope may write into its result k; or its source, when it does not."""
    match stm.expr:
        case If(_, then, orelse):
            arms = [follow(arm, arm.results[k]) for arm in (then, orelse)]
            if arms[0] is None or arms[1] is None or arms[0][1] != arms[1][1]:
                return None
            writes, source = arms[0][0] + arms[1][0], arms[0][1]
        case Custom(_, body, None):
            whole = follow(body.body, body.body.results[k])
            if whole is None:
                return None
            writes, source = whole
        case For(_, init, body):
            inner = _through(body, k + 1, k)
            if inner is None:
                return None
            writes, source = inner, init[k]
        case While(init, _, body):
            inner = _through(body, k, k)
            if inner is None:
                return None
            writes, source = inner, init[k]
        case _:
            return None
    if not writes or not isinstance(source, Var):
        return source
    places = covering(source, [write.access for write in writes], _bound_inside(stm))
    return [Write(stm, source, stm.vars[k], place, certain=False) for place in places] or None


def _bound_inside(stm: Stm) -> set[str]:
    inner = [stm, *(s for lam in lambdas(stm.expr) for s in statements(lam.body))]
    names = {var.name for s in inner[1:] for var in s.vars}
    return names | {param.name for s in inner for lam in lambdas(s.expr) for param in lam.params}


def _through(body: Lambda, param: int, result: int) -> list[Write] | None:
    """The writes of a loop body to a carried array; None when the next value is not made from it."""
    found = follow(body.body, body.body.results[result])
    return found[0] if found is not None and found[1] == body.params[param] else None


def journal(b: Builder, stm: Stm) -> Back | None:
    """Save what a branch or a scope overwrites; a `Back` that restores the arrays to what they were before it."""
    saved: list[list[tuple[Write, Var]]] = []
    for k, var in enumerate(stm.vars):
        writes = _compound(stm, k) if var.type.shape else None
        if isinstance(writes, list):
            saved.append([(write, write.save(b)) for write in writes])
    if not saved:
        return None

    def restore(scope: Scope) -> None:
        for places in saved:
            array, source = scope.primal(places[0][0].out), places[0][0].source
            for write, old in places:
                array = write.undo(scope.b, array, old, write.place)
            assert isinstance(array, Var)
            scope.restore(source, array)

    return restore
