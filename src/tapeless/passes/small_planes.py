"""Which arrays come apart into planes: those that loops write at literal first indices.

    after[0, y, x] = ...; after[1, y, x] = ...        in one iteration: after0[y, x] = ...; after1[y, x] = ...

A field of a simulation often holds few quantities for each of many cells, and an iteration writes them all: at
several places of one array, so that it is not plain that iterations are independent. As arrays of their own each is
written at one place. The versions of an array (written by `update`, handed on by branches and loops) stand or fall
together. A group is chosen when some iteration writes several of its planes, every write names its plane, and the
array is not made whole again more often than it is written: then the copy costs no more than the writes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ..ir.core import Apply, Block, Expr, For, Function, If, Pos, Stm, While
from ..ir.types import Atom, Lit, Type, Var
from ..ir.walk import lambdas, operands
from ..records import dataclass, field
from .notes import Notes
from .rewrite import literal, name_of

LIMIT = 32
WRITES = ("update", "accumulate")


def plane_count(type: Type) -> int:
    """How many planes such an array has; 0 where it does not come apart."""
    if len(type.shape) < 2 or not isinstance(type.shape[0], Lit):
        return 0
    count = int(literal(type.shape[0]) or 0)
    return count if 1 < count <= LIMIT else 0


def is_plane(array: Type, index: Atom) -> bool:
    """Does the index name a plane of the array?"""
    return isinstance(index, Lit) and 0 <= int(literal(index) or 0) < plane_count(array)


@dataclass(frozen=True, slots=True)
class Choice:
    """The names of the arrays that come apart; and of those among them that are made whole where they are bound."""

    apart: set[str]
    whole: set[str]


def choose(function: Function, notes: Notes) -> Choice:
    """The arrays that come apart."""
    groups = _Groups()
    _visit(groups, function.body, ())
    groups.leave(function.body.results, 0)
    return groups.chosen(notes)


@dataclass(slots=True)
class _Groups:
    """Versions joined into groups; `writes` says which planes are written, and in which loops.

    `bound` says inside how many loops a version is made, where its planes could be stacked up at once; `exits` inside
    how many loops one is needed whole.
    """

    leaders: dict[str, str] = field(default_factory=dict[str, str])
    bound: dict[str, int] = field(default_factory=dict[str, int])
    vars: dict[str, tuple[Var, Pos | None]] = field(default_factory=dict[str, "tuple[Var, Pos | None]"])
    writes: list[tuple[str, tuple[int, ...], Atom]] = field(default_factory=list[tuple[str, tuple[int, ...], Atom]])
    exits: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])

    def make(self, var: Var, pos: Pos | None, depth: int | None = None) -> None:
        """A version that is bound inside so many loops; None for a parameter."""
        self.leaders[var.name] = var.name
        if depth is not None:
            self.bound[var.name] = depth
        self.vars[var.name] = var, pos

    def has(self, atom: Atom) -> bool:
        return name_of(atom) in self.leaders

    def join(self, atom: Atom, var: Var) -> None:
        """The array `atom` becomes the version `var`; from memory it comes apart for nothing."""
        if self.has(atom):
            self.leaders[self.leader(name_of(atom))] = self.leader(var.name)

    def leave(self, atoms: Sequence[Atom], depth: int) -> None:
        """The atoms that are versions are needed whole, inside so many loops."""
        self.exits += [(name_of(atom), depth) for atom in atoms if self.has(atom)]

    def leader(self, name: str) -> str:
        while (above := self.leaders[name]) != name:
            self.leaders[name] = self.leaders[above]
            name = above
        return name

    def chosen(self, notes: Notes) -> Choice:
        """The versions of all groups that are worth it."""
        planes: defaultdict[tuple[str, tuple[int, ...]], set[Atom]] = defaultdict(set)
        for name, loops, plane in self.writes:
            planes[self.leader(name), loops].add(plane)
        depths: dict[str, int] = {}
        for (leader, loops), written in planes.items():
            if loops and len(written) > 1:
                depths[leader] = max(depths.get(leader, 0), len(loops))
        whole = {name for name, depth in self.exits if self.bound.get(name, depth) < depth}
        for name, depth in self.exits:
            leader, made = self.leader(name), self.bound.get(name, depth)
            if leader in depths and made + self.vars[name][0].type.rank - 1 > depths[leader]:
                del depths[leader]
        for leader in depths:
            var, pos = self.vars[leader]
            notes.add(pos, "array", f"{plane_count(var.type)} arrays", "the first index of every write is a literal")
        apart = {name for name in self.leaders if self.leader(name) in depths}
        return Choice(apart, whole & apart)


def _visit(groups: _Groups, block: Block, loops: tuple[int, ...]) -> None:
    for stm in block.stms:
        match stm.expr:
            case Apply():
                _operation(groups, stm, stm.expr, loops)
            case If():
                _branch(groups, stm, stm.expr, loops)
            case For() | While():
                _loop(groups, stm, stm.expr, loops)
            case _:
                _other(groups, stm.expr, loops)


def _operation(groups: _Groups, stm: Stm, expr: Apply, loops: tuple[int, ...]) -> None:
    var, base = stm.vars[0], expr.args[0]
    match expr.op:
        case "replicate" if plane_count(var.type) and not base.type.shape:
            groups.make(var, stm.pos, len(loops))
        case "index" if groups.has(base) and is_plane(base.type, expr.args[1]):
            pass
        case "update" | "accumulate" if len(expr.args) > 3 and is_plane(base.type, expr.args[2]):
            groups.leave(expr.args[1:2], len(loops))
            groups.make(var, stm.pos, len(loops))
            groups.join(base, var)
            groups.writes.append((var.name, loops, expr.args[2]))
        case _:
            groups.leave(expr.args, len(loops))


def _branch(groups: _Groups, stm: Stm, expr: If, loops: tuple[int, ...]) -> None:
    for arm in (expr.then, expr.orelse):
        _visit(groups, arm, loops)
    for var, *sides in zip(stm.vars, expr.then.results, expr.orelse.results, strict=True):
        if plane_count(var.type) and all(side.type == var.type for side in sides):
            groups.make(var, stm.pos, len(loops))
            for side in sides:
                groups.join(side, var)
        else:
            groups.leave(sides, len(loops))


def _loop(groups: _Groups, stm: Stm, expr: For | While, loops: tuple[int, ...]) -> None:
    bodies, skipped = lambdas(expr), isinstance(expr, For)
    carried: list[int] = []
    for k, (var, start, result) in enumerate(zip(stm.vars, expr.init, expr.body.body.results, strict=True)):
        if plane_count(var.type) and start.type == var.type == result.type:
            carried.append(k)
            groups.make(var, stm.pos, len(loops))
            groups.join(start, var)
            for lam in bodies:
                groups.make(lam.params[k + skipped], stm.pos)
                groups.join(lam.params[k + skipped], var)
        else:
            groups.leave((start,), len(loops))
    for lam in bodies:
        _visit(groups, lam.body, (*loops, id(expr)))
    for k, result in enumerate(expr.body.body.results):
        if k in carried:
            groups.join(result, stm.vars[k])
        else:
            groups.leave((result,), len(loops) + 1)


def _other(groups: _Groups, expr: Expr, loops: tuple[int, ...]) -> None:
    groups.leave(operands(expr), len(loops))
    for lam in lambdas(expr):
        inner = (*loops, id(expr)) if lam.params else loops
        _visit(groups, lam.body, inner)
        groups.leave(lam.body.results, len(inner))
