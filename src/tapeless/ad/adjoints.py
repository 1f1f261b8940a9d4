"""Adjoints of the variables in scope, and how contributions to them are collected.

A `Scope` belongs to one block of the return sweep. It maps variables to their adjoints so far (a variable that is
absent has adjoint zero) and arrays that were overwritten to their restored versions. What happens to a contribution
to a variable from outside the block depends on the kind of block:

* `Scope`, the outermost: there is no outside, it is added up;
* `LoopScope`, the body of a sequential loop: the adjoint becomes a carried value of the loop;
* `ArmScope`, an arm of a branch: the arm goes on from the adjoint outside and returns the new one;
* `RecordScope`, the body of a parallel operator: the contribution is recorded as a `Deposit`, which `indexed` turns
  into a map, a reduction or a histogram when the body is complete.

A contribution is to a whole value, or to a part of an array given by one `Entry` per leading dimension: an index, or
a `Span`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ..ir.build import Builder, is_literal
from ..ir.core import Apply
from ..ir.types import Atom, Type, Var, i64
from ..ir.walk import fresh
from ..records import dataclass
from .values import is_small, plus, zeros


@dataclass(frozen=True, slots=True)
class Span:
    """The places start, start + step, ... of a dimension, `size` of them."""

    start: Atom
    size: Atom
    step: Atom

    def covers(self, size: Atom) -> bool:
        """All of a dimension of this size, in order?"""
        return is_literal(self.start, 0) and is_literal(self.step, 1) and self.size == size


Entry: TypeAlias = Atom | Span


@dataclass(frozen=True, slots=True)
class Deposit:
    """`var[entries] += value`; the value has a dimension for each span, then the dimensions without entry."""

    var: Var
    entries: tuple[Entry, ...]
    value: Atom


@dataclass(frozen=True, slots=True)
class Hole:
    """An adjoint is `base` but for zeros at one place, where that is `part`."""

    base: Atom
    entries: tuple[Entry, ...]
    part: Atom | None


class CannotRecord(Exception):
    """A contribution cannot be kept apart until the parallel operator ends: the body must become a loop."""


class Scope:
    """The adjoints of the outermost block; also what all scopes share."""

    def __init__(self, b: Builder, varied: set[str], bound: set[str], parent: Scope | None = None) -> None:
        self.b = b
        self.varied = varied
        self.bound = bound
        self.parent = parent
        self.adjoints: dict[str, Atom] = {}
        self.restored: dict[Var, Atom] = {}
        self.origins: dict[str, Var] = parent.origins if parent else {}
        self.holes: dict[str, Hole] = parent.holes if parent else {}
        self.counters: dict[str, Atom] = dict(parent.counters) if parent else {}

    # -- primal values ------------------------------------------------------------------------

    def restorations(self) -> dict[Var, Atom]:
        """The versions of overwritten arrays that hold again what they held at this point."""
        outer = self.parent.restorations() if self.parent else {}
        return outer | self.restored

    def restore(self, var: Var, version: Var) -> None:
        """From here on back, `version` holds what `var` held; they have one adjoint, that of `var`."""
        origin = self.origins.get(var.name, var)
        self.restored |= {origin: version, var: version}
        self.origins[version.name] = origin
        if origin.name in self.varied:
            self.varied.add(version.name)

    def primal(self, atom: Atom) -> Atom:
        if not isinstance(atom, Var) or not atom.type.shape:
            return atom
        return self.restorations().get(self.origins.get(atom.name, atom), atom)

    # -- adjoints -----------------------------------------------------------------------------

    def take(self, var: Var) -> Atom | None:
        """The adjoint of a variable whose defining statement is reached; None for zero."""
        return self.adjoints.pop(var.name, None)

    def wants(self, atom: Atom) -> bool:
        return isinstance(atom, Var) and atom.name in self.varied

    def add(self, atom: Atom, value: Atom | None, *entries: Entry) -> None:
        """Contribute to the adjoint of an operand, if it has one."""
        if value is None or not isinstance(atom, Var) or atom.name not in self.varied:
            return
        atom = self.origins.get(atom.name, atom)
        if self.parent is None or atom.name in self.bound:
            self._accumulate(atom, value, entries)
        else:
            self._outside(atom, value, entries)

    def without(self, adjoint: Atom, write: Apply, part: Atom | None) -> Var:
        """An adjoint with zeros where `write` wrote, and it was `part`. What is added there first takes their place."""
        _, value, *place = write.args
        emptied = self.b.apply(write.op, adjoint, zeros(self.b, value.type), *place)
        pairs = zip(place[::2], value.type.shape, place[1::2], strict=False)
        entries = [Span(*span) for span in pairs] if write.op == "update_slice" else place
        self.holes[emptied.name] = Hole(adjoint, tuple(entries), part)
        return emptied

    def records(self, var: Var) -> bool:
        """Are contributions to this variable kept apart?"""
        return False

    def begin(self, var: Var) -> Atom | None:
        """The adjoint so far, for an inner block to go on from. Only where it is not recorded."""
        return self.adjoints.get(var.name)

    def set(self, var: Var, value: Atom) -> None:
        """What an inner block made of it."""
        self.adjoints[var.name] = value

    def _outside(self, var: Var, value: Atom, entries: Sequence[Entry]) -> None:
        raise AssertionError("the outermost scope has no outside")

    def _accumulate(self, var: Var, value: Atom, entries: Sequence[Entry]) -> None:
        old = self.adjoints.get(var.name)
        hole = self.holes.get(old.name) if isinstance(old, Var) else None
        if hole is not None and hole.entries == tuple(entries):
            self.adjoints[var.name] = _filled(self.b, hole, value)
        else:
            self.adjoints[var.name] = deposited(self.b, var.type, old, entries, value)


class LoopScope(Scope):
    """The body of a sequential loop: `carried` lists the variables from outside with the parameter of each."""

    def __init__(self, b: Builder, varied: set[str], bound: set[str], parent: Scope) -> None:
        super().__init__(b, varied, bound, parent)
        self.carried: dict[Var, Var] = {}

    def _outside(self, var: Var, value: Atom, entries: Sequence[Entry]) -> None:
        self.begin(var)
        self._accumulate(var, value, entries)

    def begin(self, var: Var) -> Atom | None:
        assert self.parent is not None
        if var.name not in self.bound:
            if self.parent.records(var) and not is_small(var.type):
                raise CannotRecord
            self.carried[var] = fresh(f"{base_name(var)}_adj", var.type)
            self.bound.add(var.name)
            self.adjoints[var.name] = self.carried[var]
        return self.adjoints.get(var.name)


class ArmScope(Scope):
    """An arm of a branch: `touched` lists the variables from outside whose adjoint it changes."""

    def __init__(self, b: Builder, varied: set[str], bound: set[str], parent: Scope) -> None:
        super().__init__(b, varied, bound, parent)
        self.touched: dict[Var, None] = {}
        self.deposits: list[Deposit] = []

    def records(self, var: Var) -> bool:
        assert self.parent is not None
        return var.name not in self.bound and self.parent.records(var)

    def begin(self, var: Var) -> Atom | None:
        assert self.parent is not None
        if var.name not in self.bound:
            self.touched[var] = None
            self.bound.add(var.name)
            current = self.parent.begin(var)
            if current is not None:
                self.adjoints[var.name] = current
        return self.adjoints.get(var.name)

    def set(self, var: Var, value: Atom) -> None:
        self.begin(var)
        self.adjoints[var.name] = value

    def _outside(self, var: Var, value: Atom, entries: Sequence[Entry]) -> None:
        if self.records(var):
            self.deposits.append(Deposit(var, tuple(entries), value))
        else:
            self.begin(var)
            self._accumulate(var, value, entries)


class RecordScope(Scope):
    """The body of a parallel operator."""

    def __init__(self, b: Builder, varied: set[str], bound: set[str], parent: Scope) -> None:
        super().__init__(b, varied, bound, parent)
        self.deposits: list[Deposit] = []

    def records(self, var: Var) -> bool:
        return var.name not in self.bound

    def _outside(self, var: Var, value: Atom, entries: Sequence[Entry]) -> None:
        self.deposits.append(Deposit(var, tuple(entries), value))


def base_name(var: Var) -> str:
    return var.name.split(".", maxsplit=1)[0]


# -- adding up ----------------------------------------------------------------------------------


def deposited(b: Builder, type: Type, old: Atom | None, entries: Sequence[Entry], value: Atom) -> Atom:
    """An adjoint of this type (None for zero) with a contribution added."""
    if _covers(type, entries):
        return value if old is None else plus(b, old, value)
    return _part_changed(b, zeros(b, type) if old is None else old, entries, value, fresh=old is None)


def _filled(b: Builder, hole: Hole, value: Atom) -> Atom:
    """An adjoint with a contribution where it was zero."""
    if value == hole.part:
        return hole.base
    if _covers(hole.base.type, hole.entries):
        return value
    return _part_changed(b, hole.base, hole.entries, value, fresh=True)


def _part_changed(b: Builder, whole: Atom, entries: Sequence[Entry], value: Atom, *, fresh: bool) -> Atom:
    """An array with a contribution to a part, which counts as zero if it is `fresh`."""
    depth = next((k for k, entry in enumerate(entries) if isinstance(entry, Span)), len(entries))
    if depth == len(entries):
        return b.apply("update" if fresh else "accumulate", whole, value, *_indices(entries))
    if depth == 0:
        return _spanned(b, whole, entries, value, fresh=fresh)
    row = b.apply("index", whole, *_indices(entries[:depth]))
    new = _spanned(b, row, entries[depth:], value, fresh=fresh)
    return b.apply("update", whole, new, *_indices(entries[:depth]))


def _spanned(b: Builder, old: Atom, entries: Sequence[Entry], value: Atom, *, fresh: bool) -> Atom:
    """As `deposited`, where the first entry is a span; an index among the rest is a span of one place.

    `fresh` says that the old value is zero.
    """
    if _covers(old.type, entries):
        return value if fresh else plus(b, old, value)
    spans = [entry if isinstance(entry, Span) else Span(entry, i64(1), i64(1)) for entry in entries]
    if any(not isinstance(entry, Span) for entry in entries):
        value = b.apply("reshape", value, *(span.size for span in spans), *old.type.shape[len(spans) :])
    pairs = [x for span in spans for x in (span.start, span.step)]
    if not fresh:
        triples = [x for span in spans for x in (span.start, span.size, span.step)]
        value = plus(b, b.apply("slice", old, *triples), value)
    return b.apply("update_slice", old, value, *pairs)


def _covers(type: Type, entries: Sequence[Entry]) -> bool:
    return all(isinstance(e, Span) and e.covers(size) for e, size in zip(entries, type.shape, strict=False))


def _indices(entries: Sequence[Entry]) -> list[Atom]:
    return [entry for entry in entries if not isinstance(entry, Span)]
