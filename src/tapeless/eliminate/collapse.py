"""Straight-line code as a linear map: products of its Jacobian with tangents and adjoints, by few multiplications.

The block is linearised, some of its graph is eliminated (`scarcity`), and what is left is multiplied with vectors: a
tangent from the inputs on, each vertex the sum of edge times tangent over the edges into it; an adjoint from the
outputs back. `Collapser` does so for the segments that `ad` finds in blocks, loops and maps; `linear_map` for a whole
block that is applied many times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import ClassVar

from ..ad.elements import together
from ..ad.segments import Accumulated, Segment, parts
from ..ad.values import zeros
from ..ir.build import Builder, is_literal
from ..ir.core import Block, Stm
from ..ir.types import Atom, DType, Lit, Var, zero
from ..passes.notes import Notes
from ..records import dataclass, field, replace
from ..symbolic.describe import Segment as described
from .cuts import cut
from .emit import accumulate
from .factors import Factor, Traits, plus, product, settled, settled_traits, without_coefficient
from .graph import Graph
from .linear import Ends, Linear
from .linearise import linearise
from .methods import How
from .scarcity import Factors, Scarce, Vectors, scarce
from .structure import MINUS, ONE, Values

MANY = 8  # vectors that a linear map is expected to meet
MOST = 400  # vertices of a graph that is looked at


@dataclass(frozen=True, slots=True)
class Collapser:
    """How `ad` gets through segments (`ad.segments.Collapse`); what is decided goes to `notes`."""

    notes: Notes | None = None
    taken: list[str] = field(default_factory=list[str], compare=False)
    chooses: ClassVar[bool] = True

    def noting(self, notes: Notes) -> Collapser:
        """The same that writes what it decides to these notes; nothing is taken yet."""
        return Collapser(notes)

    def push(
        self, b: Builder, segment: Segment, directions: Sequence[Sequence[Atom | None]]
    ) -> Sequence[Sequence[Atom | None]] | None:
        """The tangents of the results in each direction, or None where one statement after another is as good."""
        linear = linear_part(segment)
        if linear is None:
            return None
        found = scarce(linear.graph, _tangents(linear, directions))
        if found.total >= found.plain:
            return None
        self._note(segment, found)
        b.stms.extend(linear.stms)
        edges = reduced(b, linear, found)
        return [pushed(b, linear, edges, dots) for dots in directions]

    def pull(self, b: Builder, segment: Segment, seeds: Sequence[Atom | None]) -> Sequence[Atom | None] | None:
        """The adjoints of the inputs, or None."""
        wanted = [(x, seed) for x, seed in zip(segment.block.results, seeds, strict=True) if seed is not None]
        part = replace(segment, block=replace(segment.block, results=tuple(x for x, _ in wanted)))
        seeds, linear = [seed for _, seed in wanted], linear_part(part)
        if linear is None:
            return None
        found = scarce(linear.graph, _adjoints(linear, seeds))
        if found.total >= found.plain:
            return None
        self._note(segment, found)
        b.stms.extend(linear.stms)
        return pulled(b, linear, reduced(b, linear, found), seeds)

    def parts(
        self, block: Block, varied: AbstractSet[str], apart: AbstractSet[str] = frozenset()
    ) -> Sequence[Stm | Segment]:
        """The longest segments, cut where that is cheaper."""
        found = [cut(part, _price) if isinstance(part, Segment) else (part,) for part in parts(block, varied, apart)]
        return [piece for pieces in found for piece in pieces]

    def jacobian(self, segment: Segment, most: int | None = None) -> Accumulated | None:
        """Straight-line code with its Jacobian of few entries, accumulated in the order that `auto` takes."""
        return accumulated(segment, How(), most)

    def _note(self, segment: Segment, found: Scarce) -> None:
        self.taken.append("elimination")
        if self.notes is not None:
            before, after = f"{found.plain} multiplications", f"{found.total}"
            if found.once:
                after += f", {found.once} of them to eliminate"
            self.notes.put(described.straight("derivative of a segment", segment.block, ["elimination"], before, after))


def accumulated(segment: Segment, how: How, most: int | None = None) -> Accumulated | None:
    """Straight-line code, branches included, with its Jacobian (`ad.segments.Collapse.jacobian`)."""
    linear = linearise(segment.block, segment.inputs, _arm, renamed=False)
    if linear is None or len(linear.graph.shapes) > MOST:
        return None
    if most is not None and _entries(linear.graph) > most:
        return None
    plan, b = how.plan(linear.graph), Builder()
    b.stms.extend(linear.stms)
    entries = accumulate(b, linear, plan.order)
    atoms: dict[Ends, Atom] = {}
    for row, (output,) in enumerate(linear.rows):
        for k in range(len(segment.inputs)):
            if output is not None and (output, k) in entries:
                atoms[row, k] = settled(b, entries[output, k], linear.dtype)
    slopes = dict.fromkeys(edge.atom for edge in linear.factors.values() if edge.atom is not None)
    plain = linear.inner + sum(edge not in (ONE, MINUS) for edge in linear.graph.edges.values())
    return Accumulated(tuple(b.stms), atoms, tuple(slopes), plan.cost + linear.inner, plain)


def _price(segment: Segment) -> int:
    """How many multiplications it takes to go back through a segment with an adjoint for each of its results."""
    linear = linear_part(segment)
    if linear is None:
        return 2 * len(segment.block.stms)
    counts = Vectors([1] * len(linear.graph.shapes), back=True)
    found = scarce(linear.graph, counts)
    return min(found.total, found.plain)


# -- many vectors, later ----------------------------------------------------------------------------


class LinearMap:
    """A block, emitted with what is left of its graph; and that multiplied with many vectors later."""

    def __init__(self, linear: Linear, found: Scarce) -> None:
        self._linear, self._found = linear, found
        self._edges: dict[Ends, Factor] = {}

    def emit(self, b: Builder) -> list[Atom]:
        """The values of the results, then the variables that `push` wants again, by the names they have got then."""
        b.stms.extend(self._linear.stms)
        left = reduced(b, self._linear, self._found)
        self._edges = {ends: _alone(b, edge, self._linear.dtype) for ends, edge in left.items()}
        return [*self._linear.results, *(edge.atom for edge in self._edges.values() if edge.atom is not None)]

    def push(self, b: Builder, atoms: Sequence[Atom], dots: Sequence[Atom | None]) -> list[Atom]:
        """The tangents of the float results for those of the inputs."""
        linear, given = self._linear, iter(atoms)
        edges = {at: edge if edge.atom is None else _from(next(given), edge.traits) for at, edge in self._edges.items()}
        made = [zero(linear.dtype) if x is None else x for x in pushed(b, linear, edges, dots)]
        lengths = map(len, linear.rows)
        tangents: list[Atom] = []
        for result, length in zip(linear.results, lengths, strict=True):
            own, made = made[:length], made[length:]
            if result.type.dtype.is_float:
                tangents.append(together(b, own, result.type) if own else zeros(b, result.type))
        return tangents


def linear_map(block: Block, inputs: Sequence[Var], notes: Notes) -> LinearMap | None:
    """The linear map of straight-line code, for many vectors; None where vectors had better be swept."""
    linear = linearise(block, inputs, _arm)
    if linear is None or len(linear.graph.shapes) > MOST:
        return None
    found = scarce(linear.graph, Vectors([MANY] * len(linear.graph.shapes)))
    pos = next((stm.pos for stm in block.stms), None)
    plain, each = found.plain // MANY, found.later // MANY
    notes.add(
        pos, "linear map", f"{each} multiplications for each tangent", f"and {found.once} once; {plain} by pushing"
    )
    return LinearMap(linear, found)


def _arm(b: Builder, linear: Linear) -> tuple[Mapping[Ends, Factor], int]:
    """How the arms of branches accumulate."""
    plan = How().plan(linear.graph)
    return accumulate(b, linear, plan.order), plan.cost


# -- products with vectors --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Emitted:
    """Factors of the program that is made (`scarcity.Algebra`)."""

    b: Builder
    dtype: DType

    def times(self, post: Factor, pre: Factor) -> Factor | None:
        return product(self.b, post, pre)

    def plus(self, old: Factor, new: Factor) -> Factor | None:
        return plus(self.b, old, new, self.dtype)


def reduced(b: Builder, linear: Linear, found: Scarce) -> dict[Ends, Factor]:
    """Emit the products and sums of the steps; the edges that are left."""
    factors = Factors(len(linear.graph.shapes), linear.factors)
    for step in found.steps:
        factors.take(step, _Emitted(b, linear.dtype))
    left = ((s, t, edge) for t, edges in enumerate(factors.before) for s, edge in sorted(edges.items()))
    return {(source, target): without_coefficient(b, edge, linear.dtype) for source, target, edge in left}


def pushed(b: Builder, linear: Linear, edges: Mapping[Ends, Factor], dots: Sequence[Atom | None]) -> list[Atom | None]:
    """The tangents of all elements of the results for those of the inputs."""
    values = {vertex: _from(x_dot) for vertex, x_dot in enumerate(dots) if x_dot is not None and not _is_zero(x_dot)}
    for (source, target), edge in sorted(edges.items(), key=lambda item: (item[0][1], item[0][0])):
        if source in values and (term := product(b, edge, _single(b, values, source, linear.dtype))) is not None:
            _add(b, values, target, term, linear.dtype)
    rows = [output for row in linear.rows for output in row]
    return [settled(b, values[row], linear.dtype) if row is not None and row in values else None for row in rows]


def pulled(b: Builder, linear: Linear, edges: Mapping[Ends, Factor], seeds: Sequence[Atom | None]) -> list[Atom | None]:
    """The adjoints of the inputs for those of all elements of the results."""
    values: dict[int, Factor] = {}
    rows = [output for row in linear.rows for output in row]
    for row, seed in zip(rows, seeds, strict=True):
        if row is not None and seed is not None:
            _add(b, values, row, _from(seed), linear.dtype)
    for (source, target), edge in sorted(edges.items(), reverse=True):
        if target in values and (term := product(b, _single(b, values, target, linear.dtype), edge)) is not None:
            _add(b, values, source, term, linear.dtype)
    inputs = range(linear.graph.inputs)
    return [settled(b, values[vertex], linear.dtype) if vertex in values else None for vertex in inputs]


def _add(b: Builder, values: dict[int, Factor], vertex: int, term: Factor, dtype: DType) -> None:
    total = plus(b, values[vertex], term, dtype) if vertex in values else term
    if total is None:
        del values[vertex]
    else:
        values[vertex] = total


def _single(b: Builder, values: dict[int, Factor], vertex: int, dtype: DType) -> Factor:
    """The value at a vertex, multiplied with its constant once for all products that it is in."""
    values[vertex] = without_coefficient(b, values[vertex], dtype)
    return values[vertex]


def _alone(b: Builder, edge: Factor, dtype: DType) -> Factor:
    """The edge as a number known now, or as one variable."""
    return edge if edge.is_literal else _from(settled(b, edge, dtype), settled_traits(edge))


def _from(atom: Atom, traits: Traits | None = None) -> Factor:
    if isinstance(atom, Lit):
        return Factor(float(atom.value))
    return Factor(1.0, atom, (), traits or Traits())


def _is_zero(atom: Atom) -> bool:
    return is_literal(atom, 0.0)


# -- segments ---------------------------------------------------------------------------------------


def linear_part(segment: Segment) -> Linear | None:
    """The graph of a segment, with the statements of its partials alone; None for a large one or several types."""
    linear = linearise(segment.block, segment.inputs, _no_branches, renamed=False)
    if linear is None or len(linear.graph.shapes) > MOST:
        return None
    there = set(map(id, segment.block.stms))
    return replace(linear, stms=tuple(stm for stm in linear.stms if id(stm) not in there))


def _no_branches(_b: Builder, _linear: Linear) -> tuple[Mapping[Ends, Factor], int]:
    raise AssertionError("a segment has no branches")


def _tangents(linear: Linear, directions: Sequence[Sequence[Atom | None]]) -> Vectors:
    """In how many directions there is a tangent at each vertex."""
    bits, units = [0] * len(linear.graph.shapes), [0] * len(linear.graph.shapes)
    for number, dots in enumerate(directions):
        for vertex, x_dot in enumerate(dots):
            if x_dot is not None and not _is_zero(x_dot):
                bits[vertex] |= 1 << number
                units[vertex] |= _is_unit(x_dot) << number
    for source, target in sorted(linear.graph.edges, key=lambda ends: ends[1]):
        bits[target] |= bits[source]
    return Vectors([(found & ~free).bit_count() for found, free in zip(bits, units, strict=True)])


def _adjoints(linear: Linear, seeds: Sequence[Atom | None]) -> Vectors:
    """Whether there is an adjoint at each vertex."""
    counts = [0] * len(linear.graph.shapes)
    met = set[int]()
    for (row,), seed in zip(linear.rows, seeds, strict=True):
        if row is not None and seed is not None:
            met.add(row)
            counts[row] = max(counts[row], 0 if _is_unit(seed) else 1)
    for source, target in sorted(linear.graph.edges, reverse=True):
        if target in met:
            met.add(source)
            counts[source] = 1
    return Vectors(counts, back=True)


def _entries(graph: Graph) -> int:
    """How many entries of the Jacobian depend on an edge that varies."""
    # The inputs before each vertex, and those before it on a path with such an edge, as bits.
    reached = [1 << vertex if vertex < graph.inputs else 0 for vertex in range(len(graph.shapes))]
    varying = [0] * len(reached)
    for (source, target), edge in sorted(graph.edges.items(), key=lambda item: item[0][1]):
        reached[target] |= reached[source]
        varying[target] |= reached[source] if edge.values is Values.VAR else varying[source]
    return sum(varying[output].bit_count() for output in graph.outputs)


def _is_unit(atom: Atom) -> bool:
    return is_literal(atom, 1.0) or is_literal(atom, -1.0)
