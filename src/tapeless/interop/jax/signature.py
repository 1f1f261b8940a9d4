"""The types of a call, and the structure of its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Signature:
    """The types of a call: the structure of all arguments, their leaves, which vary, and the structures of those."""

    tree: Any
    avals: tuple[Any, ...]
    active: tuple[int, ...]
    wrt: tuple[Any, ...]
    x64: bool

    @property
    def key(self) -> Any:
        leaves = tuple((aval.shape, aval.dtype, aval.weak_type) for aval in self.avals)
        return self.tree, leaves, self.active, self.x64

    @property
    def inputs(self) -> list[Any]:
        return [self.avals[k] for k in self.active]


@dataclass(slots=True)
class Shape:
    """The structure of a result, learnt while tracing: `out` and its leaves come first, then those of `aux`."""

    out: Any = None
    aux: Any = None
    leaves: tuple[Any, ...] = ()

    @property
    def count(self) -> int:
        return self.out.num_leaves
