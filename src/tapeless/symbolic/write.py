"""Expressions as programs: every node is computed once, sums are reductions, powers are loops.

What does not depend on the index of a sum is computed outside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from ..ir.build import Builder
from ..ir.types import Atom, Var
from ..passes.algebra import neutral_literal
from . import blocks, powers, series
from .graph import Node, reachable
from .read import Condition


class Writer:
    """Writes nodes to builders; `atoms` holds those written, by number."""

    def __init__(self, atoms: Mapping[int, Atom] | None = None) -> None:
        self.atoms: dict[int, Atom] = dict(atoms or {})
        self._powers: dict[tuple[Any, ...], Sequence[Atom]] = {}

    def write(self, b: Builder, roots: Sequence[Node]) -> list[Atom]:
        """Emit what is not there yet; the atoms of the roots."""
        self._emit(b, roots)
        return [self.atoms[root.number] for root in roots]

    def checks(self, b: Builder, conditions: Sequence[Condition]) -> None:
        """Emit run-time checks under their conditions."""
        for condition in conditions:
            self._check(b, condition, condition.under)

    def _check(self, b: Builder, condition: Condition, under: Sequence[tuple[Node, bool]]) -> None:
        if not under:
            with b.at(condition.pos):
                b.check(condition.kind, *self.write(b, condition.args), info=condition.info)
            return
        (cond, holds), rest = under[0], under[1:]
        (test,) = self.write(b, [cond])

        def inside(b: Builder) -> Sequence[Atom]:
            # What is written in the arm is not there outside it.
            outside = dict(self.atoms), dict(self._powers)
            self._check(b, condition, rest)
            self.atoms, self._powers = outside
            return ()

        def nothing(_: Builder) -> Sequence[Atom]:
            return ()

        b.if_(test, inside if holds else nothing, nothing if holds else inside)

    def _emit(self, b: Builder, roots: Iterable[Node]) -> None:
        """All nodes that can be computed in this scope; bodies of sums wait for their index, and so do sums in them."""
        nodes = reachable(roots, self.atoms)
        unknown = sum(node.mask for node in nodes if node.op == "symbol")
        for node in nodes:
            waits = node.op == "symbol" or (node.op == "sum" and node.mask & unknown)
            if not waits and all(arg.number in self.atoms for arg in _operands(node)):
                self.atoms[node.number] = self._node(b, node)

    def _node(self, b: Builder, node: Node) -> Atom:
        match node.op:
            case "leaf" | "const":
                return cast(Atom, node.attrs[0])
            case "sum":
                return self._sum(b, node)
            case "power":
                return self._power(b, node)
            case "blocks":
                return self._blocks(b, node)
            case "series":
                return series.emit(b, *[self.atoms[arg.number] for arg in node.args])
            case op:
                return b.apply(op, *[self.atoms[arg.number] for arg in node.args], attrs=node.attrs)

    def _power(self, b: Builder, node: Node) -> Atom:
        shape, k = cast(tuple[powers.Shape, int], node.attrs)
        count, *own = [self.atoms[arg.number] for arg in node.args]
        key = tuple(arg.number for arg in node.args)
        if key not in self._powers:
            self._powers[key] = powers.emit(b, shape, count, own)
        return self._powers[key][k]

    def _blocks(self, b: Builder, node: Node) -> Atom:
        shape, k = cast(tuple[blocks.Blocks, int], node.attrs)
        count, counter, *rest = node.args
        starts, entries = rest[: shape.size], dict(zip(shape.places, rest[shape.size :], strict=True))
        key = (shape, *(arg.number for arg in node.args))

        def read(b: Builder, i: Atom, places: Sequence[blocks.Place]) -> blocks.Entries:
            return dict(zip(places, self._at(b, counter, i, [entries[place] for place in places]), strict=True))

        if key not in self._powers:
            first = [self.atoms[start.number] for start in starts]
            self._powers[key] = blocks.emit(b, shape, self.atoms[count.number], first, read)
        return self._powers[key][k]

    def _sum(self, b: Builder, node: Node) -> Atom:
        size, index, body = node.args

        def term(b: Builder, i: Var) -> Sequence[Atom]:
            return self._at(b, index, i, [body])

        return b.reduce(self.atoms[size.number], "add", (neutral_literal("add", node.dtype),), term)[0]

    def _at(self, b: Builder, symbol: Node, value: Atom, roots: Sequence[Node]) -> list[Atom]:
        """Nodes where a symbol has a value; what is written for them is known nowhere else."""
        outside = dict(self.atoms), dict(self._powers)
        self.atoms[symbol.number] = value
        made = self.write(b, roots)
        self.atoms, self._powers = outside
        return made


def _operands(node: Node) -> Sequence[Node]:
    if node.op == "sum":
        return node.args[:1]
    if node.op == "blocks":
        count, counter, *others = node.args
        return [count, *(other for other in others if not other.mask & counter.mask)]
    return node.args
