"""Reduction of an angle: x = q pi/2 + r with |r| <= pi/4, r as a pair, for any x >= 0.

Up to a limit, q pi/2 is subtracted in three parts; each step is exact or has its error kept. The
product with the second part is rounded before it is subtracted: a fused tail would lose what is left near
multiples of pi/2. Beyond the limit, see `payne_hanek`: angles there send the whole vector once through a loop out of
line. What comes back is an angle like any other, so that all functions of one angle share the branch.
"""

from __future__ import annotations

from typing import TypeAlias

from ...ir.types import F32, F64, I64
from ...records import dataclass
from ..text import Writer, llvm_type
from .coefficients import INV_PI_2, PI_2
from .definition import RARE
from .double import Pair, exact_product, ordered_sum
from .formats import format_of
from .lanes import Lanes, at_least, fma, if_any_all, select, while_any
from .payne_hanek import call_reduction

# Above these the rounded quotient has too many bits for the subtraction in three parts.
LIMIT = {F64: 2.0**30, F32: 2.0**16}


@dataclass(frozen=True, slots=True, eq=False)
class Angle:
    """q, an integer of which the two lowest bits count, and r."""

    quadrant: Lanes
    r: Pair


def reduced(x: Lanes) -> Angle:
    """For any x >= 0."""
    w, near = x.writer, reduce_near(x)
    usual = near.quadrant, near.r.hi, near.r.lo

    def make() -> list[str]:
        far = x > LIMIT[x.dtype]
        return [part.text for part in if_any_all(far, lambda: _call_far(x, usual), usual)]

    names = w.several(f"angle {x.type} {x.text}", make)
    quadrant, hi, lo = (Lanes(w, part.dtype, x.width, name) for part, name in zip(usual, names, strict=True))
    return Angle(quadrant, Pair(hi, lo))


def reduce_near(x: Lanes) -> Angle:
    """For 0 <= x <= LIMIT.

    What the first part leaves may be smaller than what is added to it, but is a multiple of the last place of that: the
    short sum is exact.
    """
    rounder = format_of(x).rounder()
    shifted = fma(x, INV_PI_2[x.dtype][0], rounder)
    q = shifted - rounder
    first, second, third = PI_2[x.dtype]
    high = fma(q, -first, x)
    product = exact_product(q, second)
    total = ordered_sum(high, -product.hi)
    return Angle(shifted.bits(), Pair(total.hi, total.lo - fma(q, third, product.lo)))


def reduce_far(x: Lanes) -> Angle:
    """For a scalar x > LIMIT; infinite x gives NaN, smaller x anything."""
    wide = at_least(x, 2.0).convert(F64)
    quadrant, r = call_reduction(wide)
    r = Pair(r.hi + (wide - wide), r.lo)
    if x.dtype is F64:
        return Angle(quadrant, r)
    rounded = r.hi.convert(F32)
    return Angle(quadrant.convert(format_of(x).integer), Pair(rounded, (r.hi - rounded.convert(F64)).convert(F32)))


Parts: TypeAlias = "tuple[Lanes, Lanes, Lanes]"


def _call_far(x: Lanes, near: Parts) -> list[Lanes]:
    """The angle's parts, those of `near` in lanes that are not beyond the limit."""
    w, types = x.writer, [part.type for part in near]
    symbol = f"tp.far_angles.{x.dtype.value}.w{x.width}"
    w.module.require(symbol, lambda: _definition(symbol, x, near))
    result = f"{{ {', '.join(types)} }}"
    operands = ", ".join(f"{part.type} {part.text}" for part in (x, *near))
    found = w.op(f"call {result} @{symbol}({operands})")
    return [part.emit(f"extractvalue {result} {found}, {k}") for k, part in enumerate(near)]


def _definition(symbol: str, x: Lanes, near: Parts) -> str:
    """One lane after the other through memory: short code for rare cases."""
    w = Writer(x.writer.module)
    params = [Lanes(w, part.dtype, part.width, f"%x{k}") for k, part in enumerate((x, *near))]
    memory = [w.op(f"alloca {param.type}") for param in params]
    for param, at in zip(params, memory, strict=True):
        w.line(f"store {param.type} {param.text}, ptr {at}")

    def unfinished(lane: Lanes) -> Lanes:
        return lane < x.width

    def step(lane: Lanes) -> tuple[Lanes]:
        places = [_place(param, at, lane) for param, at in zip(params, memory, strict=True)]
        one, *usual = (
            Lanes(w, param.dtype, 1, w.op(f"load {llvm_type(param.dtype)}, ptr {place}"))
            for param, place in zip(params, places, strict=True)
        )
        angle = reduce_far(one)
        for place, far, other in zip(places[1:], (angle.quadrant, angle.r.hi, angle.r.lo), usual, strict=True):
            part = select(one > LIMIT[x.dtype], far, other)
            w.line(f"store {part.type} {part.text}, ptr {place}")
        return (lane + 1,)

    while_any((Lanes(w, I64, 1, "0"),), unfinished, step)
    result = f"{{ {', '.join(part.type for part in near)} }}"
    found = "poison"
    for k, (param, at) in enumerate(zip(params[1:], memory[1:], strict=True)):
        found = w.op(f"insertvalue {result} {found}, {param.type} {w.op(f'load {param.type}, ptr {at}')}, {k}")
    signature = ", ".join(f"{param.type} {param.text}" for param in params)
    head = f"define internal {result} @{symbol}({signature}) {RARE} nounwind willreturn nosync memory(none) {{"
    return "\n".join([head, *w.lines, f"  ret {result} {found}", "}"])


def _place(vector: Lanes, memory: str, lane: Lanes) -> str:
    return vector.writer.op(f"getelementptr {llvm_type(vector.dtype)}, ptr {memory}, i64 {lane.text}")
