"""Records between memory and lanes: every shuffle is carried out on numbers, for every length and width."""

from __future__ import annotations

import re
from math import gcd, log2
from typing import Any

import pytest

from tapeless.backend.interleaved import Shape, Vector, of_fields, of_memory

SHAPES = [(length, width) for width in (2, 4, 8, 16) for length in range(1, width)]


class Lanes:
    """An emitter whose instructions are carried out at once."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.w = self
        self.values: dict[str, list[int | None]] = {}
        self.names: dict[str, str] = {}
        self.moves = 0

    def vector(self, elements: range) -> Vector:
        name = f"%v{len(self.values)}"
        self.values[name] = list(elements)
        return Vector(name, elements)

    def op(self, text: str) -> str:
        if text not in self.names:
            a, b, mask = re.findall(r"<8 x double> (%\w+), <8 x double> (%\w+), <\d+ x i32> <(.*)>", text)[0]
            both = self.values[a] + self.values[b]
            picks = [-1 if "poison" in pick else int(pick.split()[1]) for pick in mask.split(",")]
            self.moves += any(pick >= 0 and pick % self.width != lane for lane, pick in enumerate(picks))
            self.names[text] = f"%v{len(self.values)}"
            self.values[self.names[text]] = [None if pick < 0 else both[pick] for pick in picks]
        return self.names[text]


def shape_of(length: int, width: int) -> tuple[Any, Shape]:
    lanes: Any = Lanes(width)
    return lanes, Shape(lanes, "<8 x double>", length)


@pytest.mark.parametrize(("length", "width"), SHAPES)
def test_fields_are_picked_out_of_memory(length: int, width: int) -> None:
    lanes, shape = shape_of(length, width)
    blocks = [lanes.vector(range(k * width, (k + 1) * width)) for k in range(length)]
    field = of_memory(shape, lambda number: blocks[number])
    for number in range(length):
        assert lanes.values[field(number).text] == [lane * length + number for lane in range(width)]


@pytest.mark.parametrize(("length", "width"), SHAPES)
def test_memory_is_put_together_from_fields(length: int, width: int) -> None:
    lanes, shape = shape_of(length, width)
    block = of_fields(shape, [lanes.vector(shape.field(k)) for k in range(length)])
    for number in range(length):
        assert lanes.values[block(number).text] == list(range(number * width, (number + 1) * width))


@pytest.mark.parametrize(("length", "width"), SHAPES)
def test_lanes_move_once_for_each_halving_of_a_group(length: int, width: int) -> None:
    """All fields together take as many moves as vectors, for each of log2 g exchanges or for one permutation."""
    lanes, shape = shape_of(length, width)
    blocks = [lanes.vector(range(k * width, (k + 1) * width)) for k in range(length)]
    field = of_memory(shape, lambda number: blocks[number])
    for number in range(length):
        field(number)
    assert lanes.moves <= length * max(1, int(log2(gcd(length, width))))
