"""The structure of a partial derivative: what is known of it before it is computed, and what a product of two costs.

The partial of a target array by a source array has an axis for each axis of either. Three facts are kept. *Links*: a
target axis tied to a source axis, the partial being zero off that diagonal (a Kronecker delta). *Stored axes*: those
along which the values may change; along the others one value serves all positions. The *class* of the values: all one,
all minus one, constants of the program, or numbers known only when it runs. An axis that is stored although the values
are ones stands for a selection (entries are zero or one in places that no link describes: reshape, slice, gather): it
is applied by copying and adding.

    elementwise x -> y      link 0-0, stored along 0        matrix product W x, by x    stored along both, VAR
    y = 2 x                 link 0-0, not stored, CONST     sum of x                    nothing stored, ONE
    transpose               links 0-1 and 1-0, ONE          reshape                     stored along all, ONE

The *product* post * pre runs over the axes of the vertex between. Its links are the chains of links, it is stored along
every axis that one factor is stored along, except those summed away. It *costs* the product of the sizes of all index
variables along which a factor is stored (linked axes are one variable); the model says which products are free.
"""

from __future__ import annotations

from enum import IntEnum

from ..records import dataclass


class Values(IntEnum):
    """What is known of the values of a partial, from most to least."""

    ONE = 1
    MINUS = 2
    CONST = 3
    VAR = 4


@dataclass(frozen=True, slots=True)
class Edge:
    """A partial: class of its values, (target axis, source axis) links, and the axes it is stored along.

    A linked pair that is stored is listed by its target axis alone; `along_source` holds unlinked axes only. Every axis
    is in at most one link. All three are in ascending order.
    """

    values: Values
    links: tuple[tuple[int, int], ...] = ()
    along_target: tuple[int, ...] = ()
    along_source: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        targets, sources = [t for t, _ in self.links], [s for _, s in self.links]
        if len(set(targets)) < len(targets) or len(set(sources)) < len(sources):
            raise ValueError(f"an axis in two links: {self.links}")
        if set(sources) & set(self.along_source):
            raise ValueError(f"a linked source axis is stored by its target axis: {self}")
        for listed in (self.links, self.along_target, self.along_source):
            if list(listed) != sorted(listed):
                raise ValueError(f"not in ascending order: {listed}")


ONE = Edge(Values.ONE)
MINUS = Edge(Values.MINUS)
CONST = Edge(Values.CONST)
VAR = Edge(Values.VAR)

Axis = tuple[str, int]  # ("target" | "middle" | "source", axis): an index variable of a product


@dataclass(frozen=True, slots=True)
class Product:
    """What post * pre is, and the axes whose sizes multiply to its cost."""

    edge: Edge
    axes: frozenset[Axis]


def product(post: Edge, pre: Edge, rank: int) -> Product:
    """The product of d target / d middle with d middle / d source, the middle vertex having so many axes."""
    names = _variables(post, pre)
    stored: set[Axis] = {("target", t) for t in post.along_target} | {("source", s) for s in pre.along_source}
    stored |= {names.get(("middle", m), ("middle", m)) for m in (*post.along_source, *pre.along_target)}
    edge = Edge(
        _product_values(post, pre, rank),
        _chains(post, pre),
        tuple(sorted(axis for side, axis in stored if side == "target")),
        tuple(sorted(axis for side, axis in stored if side == "source")),
    )
    return Product(edge, frozenset(stored))


def plus(a: Edge, b: Edge) -> Edge:
    """The sum of two partials of the same target by the same source: linked where both are, stored where one is."""
    links = set(a.links) & set(b.links)
    broken = set(a.links) ^ set(b.links)
    along_target = {*a.along_target, *b.along_target} | {target for target, _ in broken}
    along_source = {*a.along_source, *b.along_source} | {source for _, source in broken}
    values = Values.VAR if Values.VAR in (a.values, b.values) else Values.CONST
    return Edge(values, tuple(sorted(links)), tuple(sorted(along_target)), tuple(sorted(along_source)))


def without_units(edge: Edge, target: tuple[int, ...], source: tuple[int, ...]) -> Edge:
    """The edge between vertices of these shapes with nothing said of axes of size one."""
    if not (target or source):
        return edge
    return Edge(
        edge.values,
        tuple((t, s) for t, s in edge.links if target[t] > 1),
        tuple(t for t in edge.along_target if target[t] > 1),
        tuple(s for s in edge.along_source if source[s] > 1),
    )


def _variables(post: Edge, pre: Edge) -> dict[Axis, Axis]:
    """Middle axes that are tied to an outer one, by the name of the outer one (the target's where both are tied)."""
    names: dict[Axis, Axis] = {("middle", m): ("source", s) for m, s in pre.links}
    return names | {("middle", m): ("target", t) for t, m in post.links}


def _chains(post: Edge, pre: Edge) -> tuple[tuple[int, int], ...]:
    after = dict(pre.links)
    return tuple((target, after[middle]) for target, middle in post.links if middle in after)


def _product_values(post: Edge, pre: Edge, rank: int) -> Values:
    if Values.VAR in (post.values, pre.values):
        return Values.VAR
    tied = {middle for _, middle in post.links} | {middle for middle, _ in pre.links}
    summed = len(tied) < rank
    if summed or Values.CONST in (post.values, pre.values):
        return Values.CONST
    return Values.ONE if post.values == pre.values else Values.MINUS
