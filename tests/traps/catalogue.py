"""How a trap is written down: a program, a point, the true gradient, and what other tools have answered.

`peers` are recorded answers (of Warp 1.19.0, Taichi 1.7.4, JAX 0.10.2, PyTorch 2.13, autograd 1.9.1), kept as data:
they show why the program is here. They are never run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Trap:
    """`gradient` has one entry for each of `argnums`; `refused` is the exception that is right instead."""

    kind: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    argnums: tuple[int, ...]
    gradient: tuple[Any, ...] = ()
    refused: type[Exception] | None = None
    peers: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.kind}: {self.function.__name__}"


TRAPS: list[Trap] = []


def trap(
    kind: str,
    args: Sequence[Any],
    gradient: Any = None,
    *,
    argnums: int | tuple[int, ...] = 0,
    refused: type[Exception] | None = None,
    **peers: str,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a program; `gradient` is a tuple when `argnums` is one."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        numbers = argnums if isinstance(argnums, tuple) else (argnums,)
        expected = gradient if isinstance(argnums, tuple) else (gradient,)
        TRAPS.append(Trap(kind, function, tuple(args), numbers, tuple(expected), refused, peers))
        return function

    return add
