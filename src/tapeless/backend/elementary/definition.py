"""From a body in lanes to an LLVM function of its own, and calls of it.

A definition is `internal`, so each module holds the functions it calls and nothing is linked. Short
functions are inlined: their constants then stay in registers around the caller's loop.
"""

from __future__ import annotations

from collections.abc import Callable

from ...ir.types import I64
from ...records import dataclass, replace
from ..text import Writer, llvm_type
from .lanes import Lanes, while_any

# What hardly ever runs should cost little to compile: optimised, huge angles take longer than all the rest of a sine.
RARE = "noinline optnone cold"


@dataclass(frozen=True, slots=True)
class Elementary:
    """A function of lanes of one type; `rare` marks the long way for seldom arguments."""

    name: str
    body: Callable[..., Lanes]
    inline: bool = True
    rare: bool = False


def call_definition(function: Elementary, *args: Lanes) -> Lanes:
    """A call of `function`, whose definition for this type and width is added to the module."""
    first = args[0]
    symbol = f"tp.{function.name}.{first.dtype.value}.w{first.width}"
    first.writer.module.require(symbol, lambda: _definition(symbol, function, args))
    operands = ", ".join(f"{arg.type} {arg.text}" for arg in args)
    return first.emit(f"call {first.type} @{symbol}({operands})")


def call_by_lanes(function: Elementary, x: Lanes) -> Lanes:
    """The scalar version of `function` for one lane after the other, in a loop: short code for rare cases."""
    if x.width == 1:
        return call_definition(function, x)

    def each(x: Lanes) -> Lanes:
        return _each_lane(function, x)

    return call_definition(replace(function, name=f"{function.name}_by_lanes", body=each), x)


def _each_lane(function: Elementary, x: Lanes) -> Lanes:
    w, scalar = x.writer, llvm_type(x.dtype)
    memory = w.op(f"alloca {x.type}")
    w.line(f"store {x.type} {x.text}, ptr {memory}")
    start = Lanes(w, I64, 1, "0")

    def unfinished(lane: Lanes) -> Lanes:
        return lane < x.width

    def step(lane: Lanes) -> tuple[Lanes]:
        place = w.op(f"getelementptr {scalar}, ptr {memory}, i64 {lane.text}")
        one = Lanes(w, x.dtype, 1, w.op(f"load {scalar}, ptr {place}"))
        w.line(f"store {scalar} {call_definition(function, one).text}, ptr {place}")
        return (lane + 1,)

    while_any((start,), unfinished, step)
    return x.emit(f"load {x.type}, ptr {memory}")


def _definition(symbol: str, function: Elementary, args: tuple[Lanes, ...]) -> str:
    writer = Writer(args[0].writer.module)
    params = [Lanes(writer, arg.dtype, arg.width, f"%x{i}") for i, arg in enumerate(args)]
    result = function.body(*params)
    inlining = "alwaysinline" if function.inline else RARE if function.rare else "noinline"
    signature = ", ".join(f"{param.type} {param.text}" for param in params)
    head = f"define internal {result.type} @{symbol}({signature}) {inlining} nounwind willreturn nosync memory(none) {{"
    return "\n".join([head, *writer.lines, f"  ret {result.type} {result.text}", "}"])
