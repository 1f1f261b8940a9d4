"""From W records of r < W elements, as they lie in memory, to one vector per field, and back.

Let g = gcd(r, W), and count the elements of the records from 0: each run of r / g vectors of memory holds the records
of W / g lanes, a *class*. In a class, the elements of g neighbouring fields, a *group*, have W places that are all
different modulo W: a vector that has each at its own place is chosen lane by lane from the vectors of memory, which any
unit of the processor does, and moves nothing. Only then lanes move: the g vectors of a group, one for each class,
become those of its g fields in log2 g exchanges, or by one permutation where g is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from math import gcd

from ..records import dataclass
from .emitter import Emitter


@dataclass(frozen=True, slots=True)
class Vector:
    """A vector by name, and which element of the records each of its lanes holds; -1 where that does not matter."""

    text: str
    elements: Sequence[int]


@dataclass(frozen=True, slots=True)
class Shape:
    """W records of `length` elements, W being the width of the emitter."""

    e: Emitter
    type: str
    length: int

    @property
    def classes(self) -> int:
        """g: as many classes of lanes as there are fields in a group."""
        return gcd(self.length, self.e.width)

    def field(self, number: int) -> range:
        """The elements of a field, one for each lane."""
        return range(number, self.e.width * self.length, self.length)

    def elements(self, classes: range, fields: range) -> list[int]:
        """Those of some fields in some classes, in order of their places in memory."""
        lanes = self.e.width // self.classes
        members = range(classes.start * lanes, classes.stop * lanes)
        return [lane * self.length + field for lane in members for field in fields]

    def in_place(self, number: int, fields: range) -> list[int]:
        """Those of a class and a group, each where it is in its vector of memory."""
        return sorted(self.elements(range(number, number + 1), fields), key=lambda element: element % self.e.width)

    def group(self, field: int) -> range:
        first = field - field % self.classes
        return range(first, first + self.classes)

    def joined(self, a: Vector, b: Vector, elements: Sequence[int]) -> Vector:
        """A vector of elements that are in either of two."""
        places = {element: self.e.width + lane for lane, element in enumerate(b.elements)}
        places |= {element: lane for lane, element in enumerate(a.elements)}
        picks = [-1 if element < 0 else places[element] for element in elements]
        return Vector(shuffle(self.e, self.type, a.text, b.text, picks), elements)

    def chosen(self, vectors: Iterable[Vector], elements: Sequence[int]) -> Vector:
        """Elements that stay in their lanes, from several vectors."""

        def both(a: Vector, b: Vector) -> Vector:
            held = {*a.elements, *b.elements}
            return self.joined(a, b, [element if element in held else -1 for element in elements])

        return reduce(both, vectors)


def of_memory(shape: Shape, block: Callable[[int], Vector]) -> Callable[[int], Vector]:
    """The vectors of fields, given those of memory; both by number."""
    blocks = shape.length // shape.classes

    def part(classes: range, fields: range) -> Vector:
        """Some fields of some classes: as many as fill a vector."""
        if len(classes) == 1:
            number = classes.start
            whole = (block(k) for k in range(number * blocks, (number + 1) * blocks))
            return shape.chosen(whole, shape.in_place(number, fields))
        half, group = len(classes) // 2, shape.group(fields.start)
        first = group.start + (fields.start - group.start) // (2 * len(fields)) * 2 * len(fields)
        wider = range(first, first + 2 * len(fields))
        low, high = part(classes[:half], wider), part(classes[half:], wider)
        return shape.joined(low, high, shape.elements(classes, fields))

    def field(number: int) -> Vector:
        one = range(number, number + 1)
        found = part(range(shape.classes), one)
        return found if shape.classes > 1 else shape.joined(found, found, shape.field(number))

    return field


def of_fields(shape: Shape, fields: Sequence[Vector]) -> Callable[[int], Vector]:
    """The vectors of memory, given those of fields; both by number."""
    blocks = shape.length // shape.classes

    def part(classes: range, group: range) -> Vector:
        if len(group) == 1 and shape.classes > 1:
            return fields[group.start]
        if len(group) == 1:
            only = fields[group.start]
            return shape.joined(only, only, shape.in_place(0, group))
        half = len(group) // 2
        first = classes.start // (2 * len(classes)) * 2 * len(classes)
        wider = range(first, first + 2 * len(classes))
        low, high = part(wider, group[:half]), part(wider, group[half:])
        last = len(group) == shape.classes
        elements = shape.in_place(classes.start, group) if last else shape.elements(classes, group)
        return shape.joined(low, high, elements)

    def block(number: int) -> Vector:
        own = number // blocks
        groups = (shape.group(first) for first in range(0, shape.length, shape.classes))
        held = range(number * shape.e.width, (number + 1) * shape.e.width)
        return shape.chosen([part(range(own, own + 1), group) for group in groups], held)

    return block


def shuffle(e: Emitter, type: str, a: str, b: str, mask: Sequence[int]) -> str:
    """Lanes of `a` (0 ...) and `b` (width ...); -1 where the lane does not matter. The result may be shorter."""
    picks = ", ".join("i32 poison" if pick < 0 else f"i32 {pick}" for pick in mask)
    return e.w.op(f"shufflevector {type} {a}, {type} {b}, <{len(mask)} x i32> <{picks}>")
