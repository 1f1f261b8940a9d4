"""From straight-line code to its linearised graph.

A vertex for each scalar that depends differentiably on the inputs, an edge for each local partial derivative: those of
the operations' records, emitted beside the statements. An operand that stands twice has one edge, the sum of its
partials. Values that only move (elements of arrays at literal places) are no vertices. A branch is one step: its arms
accumulate their own Jacobians, and the branch returns their entries, which are its edges. Vertices that no output
depends on are left out.

Code is straight when nothing else depends on the inputs: loops, parallel operators and places known only at run time
may stand in the block as long as they do not. `linearise` answers None for code that is not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..ad.activity import opaque_operation
from ..ad.choices import masked
from ..ad.elements import LIMIT
from ..ad.masks import TAME, floats, suspects
from ..ad.roots import flat, is_root, level_at_zero, may_vanish, steep
from ..errors import IRError
from ..ir.build import Builder
from ..ir.core import Apply, Block, Check, If, Lambda, Stm
from ..ir.op import lookup
from ..ir.types import Atom, DType, Lit, Type, Var, zero
from ..ir.walk import free_vars, fresh, inline
from ..passes.views import element_count
from ..records import dataclass
from .exposure import exposed
from .factors import Factor, Traits, chosen, factor, plus, settled, settled_traits
from .linear import Ends, Linear, pruned

# Emits the Jacobian of a graph: its entries by (output, input), and how many multiplications they take.
Accumulate: TypeAlias = "Callable[[Builder, Linear], tuple[Mapping[Ends, Factor], int]]"

# Operations that move elements of arrays, with how many leading operands hold those.
_MOVES = {"index": 1, "slice": 1, "transpose": 1, "reshape": 1, "replicate": 1, "update": 2, "update_slice": 2}
_CHOOSING = frozenset({"min", "max", "fmin", "fmax"})


def linearise(block: Block, wrt: Sequence[Var], accumulate: Accumulate, *, renamed: bool = True) -> Linear | None:
    """The linearised graph of a block by some scalars among its free variables, or None where code is not straight.

    All names bound are fresh, unless those of the block are to stay. `accumulate` makes the Jacobians of the arms of
    branches.
    """
    dtypes = {var.type.dtype for var in wrt}
    if len(dtypes) != 1 or any(var.type.shape for var in wrt):
        return None
    copy = inline(Lambda((), block), ()) if renamed else block
    level = flat(copy)
    known = _Known(level, steep(copy, (), level, masked(copy, ())), exposed(copy), accumulate)
    try:
        return _Walk(known, wrt, dtypes.pop(), suspects(copy)).run(copy)
    except (_NotStraightError, IRError):  # a place out of range: a check before it fails
        return None


class _NotStraightError(Exception):
    """Something else than straight-line code depends on the inputs."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of the variables at any depth (`ad.roots`), and of those of the outermost block (`exposure`)."""

    flat: set[str]
    steep: set[str]
    exposed: set[str]
    accumulate: Accumulate


class _Walk:
    """Walks over the statements of a block once, and collects vertices and edges."""

    def __init__(self, known: _Known, wrt: Sequence[Var], dtype: DType, endless: set[str]) -> None:
        self.known, self.wrt, self.dtype = known, wrt, dtype
        # What may be infinite though the inputs are not, and without showing in the results.
        self.endless = endless
        self.b = Builder()
        self.inner = 0
        # One for each vertex.
        self.labels = [f"input {k}" for k in range(len(wrt))]
        self.vertices = {var.name: k for k, var in enumerate(wrt)}
        self.arrays: dict[str, NDArray[Any]] = {}
        self.factors: dict[Ends, Factor] = {}

    def run(self, block: Block) -> Linear:
        for stm in block.stms:
            with self.b.at(stm.pos):
                self.statement(stm)
        rows = [[self.vertex(atom) for atom in self.elements(result)] for result in block.results]
        kept = pruned(len(self.wrt), self.labels, self.factors, rows)
        stms = tuple(self.b.stms)
        return Linear(stms, block.results, kept.graph, kept.factors, kept.rows, kept.labels, self.dtype, self.inner)

    def vertex(self, atom: Atom) -> int | None:
        return self.vertices.get(atom.name) if isinstance(atom, Var) else None

    def elements(self, atom: Atom) -> Sequence[Atom]:
        """Its elements; zeros where it does not depend on the inputs, and nothing if there are many of these."""
        if not atom.type.shape:
            return (atom,)
        if isinstance(atom, Var) and atom.name in self.arrays:
            return list(self.arrays[atom.name].flat)
        count = element_count(atom.type) or 0
        return (zero(atom.type.dtype),) * count if count <= LIMIT else ()

    def depends(self, atom: Atom) -> bool:
        return isinstance(atom, Var) and (atom.name in self.vertices or atom.name in self.arrays)

    # -- statements -----------------------------------------------------------------------------

    def statement(self, stm: Stm) -> None:
        match stm.expr:
            case If() as expr if any(map(self.depends, free_vars(expr))):
                self.branch(stm, expr)
                return
            case Apply() as expr:
                self.b.stms.append(stm)
                if expr.op not in TAME or not self.endless.isdisjoint(floats(expr.args)):
                    self.hide(stm.vars)
                if any(map(self.depends, expr.args)):
                    self.apply(stm.vars[0], expr)
                return
            case Check():
                pass
            case expr:
                if any(map(self.depends, free_vars(expr))) and any(var.type.dtype.is_float for var in stm.vars):
                    raise _NotStraightError
                self.hide(stm.vars)
        self.b.stms.append(stm)

    def hide(self, vars: Sequence[Var]) -> None:
        """These may be infinite, which may not show."""
        self.endless.update(name for name in floats(vars) if name not in self.known.exposed)

    def apply(self, out: Var, expr: Apply) -> None:
        partials = lookup(expr.op).partials
        if partials == "opaque":
            raise opaque_operation(expr.op, self.b.pos)
        if partials == "constant" or not out.type.dtype.is_float:
            return
        if partials == "structural":
            self.move(out, expr)
            return
        edges: dict[int, Factor | None] = {}
        for arg in dict.fromkeys(expr.args):
            vertex = self.vertex(arg)
            if vertex is not None:
                edges[vertex] = self.partial(out, expr, arg)
        self.define(out, edges, expr.op)

    def partial(self, out: Var, expr: Apply, arg: Atom) -> Factor | None:
        """The derivative of an operation by one variable, which may be several of its operands."""
        total: Factor | None = None
        for k, (operand, rule) in enumerate(zip(expr.args, lookup(expr.op).partials, strict=True)):
            if operand == arg:
                assert callable(rule)
                atom = rule(self.b, expr.args, out)
                if k == 0:
                    atom = level_at_zero(self.b, expr, atom, self.known.flat)
                found = factor(atom, self.traits(out, expr, k))
                total = found if total is None else total if found is None else plus(self.b, total, found, self.dtype)
        return total

    def traits(self, out: Var, expr: Apply, k: int) -> Traits:
        """What may happen to the partial by operand k."""
        root = k == 0 and is_root(expr) and not self.known.steep.isdisjoint(floats(expr.args[:1]))
        return Traits(
            vanishes=may_vanish(expr.op, k),
            masked=expr.op in _CHOOSING,
            wild=root or out.name in self.endless,
            before=root,
        )

    def define(self, out: Var, edges: Mapping[int, Factor | None], label: str) -> None:
        """Make a value a vertex, unless it depends on nothing."""
        there = {vertex: edge for vertex, edge in edges.items() if edge is not None}
        if not there:
            return
        if out.type.dtype != self.dtype:
            raise _NotStraightError
        for vertex, edge in there.items():
            self.factors[vertex, len(self.labels)] = edge
        self.vertices[out.name] = len(self.labels)
        self.labels.append(f"{label}, line {self.b.pos.line}" if self.b.pos else label)

    def add(self, edges: dict[int, Factor | None], atom: Atom, edge: Factor | None) -> None:
        """Add an edge from an atom, if that is a vertex, to those of a value."""
        vertex = self.vertex(atom)
        if vertex is not None and edge is not None:
            old = edges.get(vertex)
            edges[vertex] = edge if old is None else plus(self.b, old, edge, self.dtype)

    # -- moving values --------------------------------------------------------------------------

    def move(self, out: Var, expr: Apply) -> None:
        args = expr.args
        edges: dict[int, Factor | None] = {}
        match expr.op:
            case "select":
                for arg, wanted in ((args[1], True), (args[2], False)):
                    self.add(edges, arg, chosen(args[0], wanted))
                self.define(out, edges, expr.op)
            case "scale":
                self.add(edges, args[0], factor(args[1], Traits(masked=True, wild=True)))
                self.add(edges, args[1], factor(args[0], Traits(wild=True, before=True, after=True)))
                self.define(out, edges, expr.op)
            case "convert":
                self.add(edges, args[0], Factor())
                if args[0].type.dtype != out.type.dtype:
                    raise _NotStraightError
                self.define(out, edges, expr.op)
            case _:
                self.elsewhere(out, self.moved(expr))

    def elsewhere(self, out: Var, elements: Any) -> None:
        """The value is one that exists already, or an array of such."""
        if not out.type.shape:
            vertex = self.vertex(elements)
            if vertex is not None:
                self.vertices[out.name] = vertex
        elif any(map(self.depends, elements.flat)):
            self.arrays[out.name] = elements

    def moved(self, expr: Apply) -> Any:
        """The elements of what an operation makes that moves elements."""
        op, args = expr.op, expr.args
        if op == "stack":
            return _stacked([self.parts(arg) for arg in args], not args[0].type.shape)
        if op == "concat":
            return lookup(op).meaning(None, *map(self.parts, args[:-1]), _place(args[-1]), *expr.attrs)
        if op not in _MOVES:
            raise _NotStraightError
        moving = _MOVES[op]
        rest = [_place(arg) for arg in args[moving:]]
        return lookup(op).meaning(None, *(self.parts(arg) for arg in args[:moving]), *rest, *expr.attrs)

    def parts(self, atom: Atom) -> Any:
        """The elements of an array; a scalar itself. An array that does not depend on the inputs has literal ones."""
        if not atom.type.shape:
            return atom
        if isinstance(atom, Var) and atom.name in self.arrays:
            return self.arrays[atom.name]
        constant: NDArray[Any] = np.empty([_place(size) for size in atom.type.shape], object)
        constant[...] = Lit(0.0, atom.type.dtype)
        return constant

    # -- branches -------------------------------------------------------------------------------

    def branch(self, stm: Stm, expr: If) -> None:
        """Each arm accumulates its own Jacobian, whose entries the branch returns besides its results."""
        used = [var for var in free_vars(expr) if self.depends(var)]
        if any(var.type != Type(self.dtype) for var in used):
            raise _NotStraightError
        then, orelse = (self.arm(arm, used) for arm in (expr.then, expr.orelse))
        self.inner += max(then.inner, orelse.inner)
        self.hide(stm.vars)
        places = sorted(then.entries.keys() | orelse.entries.keys())
        asked = [at for at in places if not _is_number(then.entries.get(at), orelse.entries.get(at))]
        vars = [fresh("t", Type(self.dtype)) for _ in asked]
        both = [then.traits(at) | orelse.traits(at) for at in asked]
        cells = {at: Factor(1.0, var, (), traits) for at, var, traits in zip(asked, vars, both, strict=True)}
        self.b.stms.append(Stm((*stm.vars, *vars), If(expr.cond, then.block(asked), orelse.block(asked)), stm.pos))
        for r, out in enumerate(stm.vars):
            edges: dict[int, Factor | None] = {}
            for k, var in enumerate(used):
                self.add(edges, var, cells.get((r, k)) or then.entries.get((r, k)))
            self.define(out, edges, "if")

    def arm(self, arm: Block, used: Sequence[Var]) -> _Arm:
        linear = _Walk(self.known, used, self.dtype, self.endless).run(arm)
        rows = zip(arm.results, linear.rows, strict=True)
        if any(result.type.shape and any(vertex is not None for vertex in row) for result, row in rows):
            raise _NotStraightError
        b = Builder(self.b.pos)
        b.stms.extend(linear.stms)
        found, price = self.known.accumulate(b, linear)
        entries: dict[Ends, Factor] = {}
        for r, row in enumerate(linear.rows):
            for output in row:
                for k in range(len(used)):
                    if output is not None and (output, k) in found:
                        entries[r, k] = found[output, k]
        return _Arm(b, arm.results, entries, price + linear.inner, self.dtype)


@dataclass(frozen=True, slots=True)
class _Arm:
    """An arm of a branch with the entries of its Jacobian by (result, variable); `inner` multiplications make them."""

    b: Builder
    results: tuple[Atom, ...]
    entries: Mapping[Ends, Factor]
    inner: int
    dtype: DType

    def traits(self, at: Ends) -> Traits:
        return settled_traits(self.entries.get(at))

    def block(self, asked: Sequence[Ends]) -> Block:
        """The block that returns the results and these entries."""
        values = [self.entries.get(at) for at in asked]
        nil = zero(self.dtype)
        return self.b.block((*self.results, *(nil if x is None else settled(self.b, x, self.dtype) for x in values)))


def _is_number(x: Factor | None, y: Factor | None) -> bool:
    """Are both the same number, known now?"""
    return x is not None and x == y and x.is_literal


# -- elements of arrays ------------------------------------------------------------------------------


def _place(atom: Atom) -> int:
    """An index or a size that is known now."""
    if not isinstance(atom, Lit):
        raise _NotStraightError
    return int(atom.value)


def _stacked(parts: Sequence[Any], is_scalar: bool) -> NDArray[Any]:
    if not is_scalar:
        return np.stack(parts)
    array: NDArray[Any] = np.empty(len(parts), object)
    array[:] = parts
    return array
