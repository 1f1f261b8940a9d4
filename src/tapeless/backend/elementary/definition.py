"""From a body in lanes to an LLVM function of its own, and calls of it.

A definition is `internal`, so each module holds the functions it calls and nothing is linked. Short
functions are inlined: their constants then stay in registers around the caller's loop.
"""

from __future__ import annotations

from collections.abc import Callable

from ...records import dataclass
from ..text import Writer
from .lanes import Lanes

# What hardly ever runs should cost little to compile: optimised, huge angles take longer than all the rest of a sine.
RARE = "noinline optnone cold"


@dataclass(frozen=True, slots=True)
class Elementary:
    """A function of lanes of one type."""

    name: str
    body: Callable[..., Lanes]
    inline: bool = True


def call_definition(function: Elementary, *args: Lanes) -> Lanes:
    """A call of `function`, whose definition for this type and width is added to the module."""
    first = args[0]
    symbol = f"tp.{function.name}.{first.dtype.value}.w{first.width}"
    first.writer.module.require(symbol, lambda: _definition(symbol, function, args))
    operands = ", ".join(f"{arg.type} {arg.text}" for arg in args)
    return first.emit(f"call {first.type} @{symbol}({operands})")


def call_pair(name: str, body: Callable[[Lanes], tuple[Lanes, Lanes]], x: Lanes) -> tuple[Lanes, Lanes]:
    """A call of a function of two results of the type of its argument."""
    symbol, both = f"tp.{name}.{x.dtype.value}.w{x.width}", f"{{ {x.type}, {x.type} }}"

    def paired(x: Lanes) -> Lanes:
        first, second = body(x)
        start = x.writer.op(f"insertvalue {both} poison, {first.type} {first.text}, 0")
        return first.emit(f"insertvalue {both} {start}, {second.type} {second.text}, 1")

    x.writer.module.require(symbol, lambda: _definition(symbol, Elementary(name, paired), (x,), both))
    found = x.writer.op(f"call {both} @{symbol}({x.type} {x.text})")
    return x.emit(f"extractvalue {both} {found}, 0"), x.emit(f"extractvalue {both} {found}, 1")


def _definition(symbol: str, function: Elementary, args: tuple[Lanes, ...], result_type: str = "") -> str:
    writer = Writer(args[0].writer.module)
    params = [Lanes(writer, arg.dtype, arg.width, f"%x{i}") for i, arg in enumerate(args)]
    result = function.body(*params)
    inlining = "alwaysinline" if function.inline else "noinline"
    signature = ", ".join(f"{param.type} {param.text}" for param in params)
    type = result_type or result.type
    head = f"define internal {type} @{symbol}({signature}) {inlining} nounwind willreturn nosync memory(none) {{"
    return "\n".join([head, *writer.lines, f"  ret {type} {result.text}", "}"])
