"""Journals: what in-place writes overwrite, so that the return sweep can undo them.

A loop or a branch that writes into an array at a few places need not keep the whole array for the return sweep: the
overwritten places are enough. `follow(block, atom)` traces an array back through the writes of a block to the value
it started from, and says for each write which place of the array it concerns. A write inside an inner block counts as
a write to the part of the array that all writes of that block have in common: `for j: a[i, j] = ...` concerns the row
`a[i]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.build import Builder
from ..ir.core import Apply, Block, For, If, Lambda, Stm, While
from ..ir.types import Atom, Var
from ..ir.walk import lambdas, statements
from .adjoints import Scope
from .local import read_back, write_back
from .sweep import Back
from .values import in_range, zeros


@dataclass(frozen=True, slots=True)
class Write:
    """Statement `stm` turns `source` into `out`, which differ at one place only: `access` reads and writes it.

    `access` is a write of the table whose array and value do not matter: only its operation, its indices and the type of
    its value say which place is meant. The write is `certain` unless it stands in an inner block, which may not run: then the
    place may be out of range, and there is nothing to save.
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
        inside = in_range(b, self.place, self.source.type.shape)
        part = self.source.type.drop(len(self.place))
        return b.if_(inside, lambda c: (read_back(c, access),), lambda c: (zeros(c, part),))[0]

    def undo(self, b: Builder, out: Atom, old: Atom, place: Sequence[Atom]) -> Var:
        """The array before the write, from the array after it; `place` are the indices of `access`."""
        access = Apply(self.access.op, (self.source, old, *place))
        if self.certain:
            return write_back(b, access, out, old)
        inside = in_range(b, place, self.source.type.shape)
        return b.if_(inside, lambda c: (write_back(c, access, out, old),), lambda c: (out,))[0]

    @property
    def place(self) -> tuple[Atom, ...]:
        return self.access.args[2:]


def follow(block: Block, atom: Atom) -> tuple[list[Write], Atom] | None:
    """The writes, last first, between an array and the value it started from; None where it is made anew."""
    sites = {var.name: stm for stm in block.stms for var in stm.vars}
    writes: list[Write] = []
    while isinstance(atom, Var) and atom.name in sites:
        stm = sites[atom.name]
        found = _simple(stm) if isinstance(stm.expr, Apply) else _compound(stm, stm.vars.index(atom))
        if found is None:
            return None
        if isinstance(found, Write):
            writes.append(found)
            atom = found.source
        else:
            atom = found
    return writes, atom


def _simple(stm: Stm) -> Write | None:
    expr = stm.expr
    assert isinstance(expr, Apply)
    if expr.op not in ("update", "accumulate", "update_slice") or not isinstance(expr.args[0], Var):
        return None
    return Write(stm, expr.args[0], stm.vars[0], expr)


def _compound(stm: Stm, k: int) -> Write | Atom | None:
    """A branch or a loop as one write to the part that all its writes have in common; or its source, when it has none."""
    match stm.expr:
        case If(_, then, orelse):
            arms = [follow(arm, arm.results[k]) for arm in (then, orelse)]
            if arms[0] is None or arms[1] is None or arms[0][1] != arms[1][1]:
                return None
            writes, source = arms[0][0] + arms[1][0], arms[0][1]
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
    inside = {var.name for lam in lambdas(stm.expr) for var in lam.params}
    inside |= {var.name for lam in lambdas(stm.expr) for s in statements(lam.body) for var in s.vars}
    inside |= {var.name for lam in lambdas(stm.expr) for s in statements(lam.body)
               for inner_lam in lambdas(s.expr) for var in inner_lam.params}  # fmt: skip
    place = _common([write.access for write in writes], inside)
    if not place:
        return None
    part = Builder().apply("index", source, *place)  # only its type is of interest
    return Write(stm, source, stm.vars[k], Apply("update", (source, part, *place)), certain=False)


def _through(body: Lambda, param: int, result: int) -> list[Write] | None:
    """The writes of a loop body to a carried array; None when the next value is not made from it."""
    found = follow(body.body, body.body.results[result])
    return found[0] if found is not None and found[1] == body.params[param] else None


def _common(accesses: Sequence[Apply], inside: set[str]) -> tuple[Atom, ...]:
    """The leading indices that all accesses share and that are known outside."""
    places = [() if access.op == "update_slice" else access.args[2:] for access in accesses]
    prefix: list[Atom] = []
    for atoms in zip(*places, strict=False):
        if any(atom != atoms[0] for atom in atoms) or (isinstance(atoms[0], Var) and atoms[0].name in inside):
            break
        prefix.append(atoms[0])
    return tuple(prefix)


def journal(b: Builder, stm: Stm) -> Back | None:
    """Save what a branch overwrites; a `Back` that restores the arrays to what they were before it."""
    saved: list[tuple[Write, Var]] = []
    for k, var in enumerate(stm.vars):
        if var.type.shape:
            write = _compound(stm, k)
            if isinstance(write, Write):
                saved.append((write, write.save(b)))
    if not saved:
        return None

    def restore(scope: Scope) -> None:
        for write, old in saved:
            scope.restore(write.source, write.undo(scope.b, scope.primal(write.out), old, write.place))

    return restore
