"""The machine that code is made for: its name, its features, and how wide its vectors are."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, Literal

import llvmlite.binding

from ..ir.types import DType
from ..records import dataclass

# llvmlite has no types of its own.
llvm: Any = llvmlite.binding


@dataclass(frozen=True, slots=True)
class Target:
    """A CPU as LLVM names it; `vector_bytes` is the width of its registers."""

    triple: str
    cpu: str
    features: str
    vector_bytes: int

    def lanes(self, dtypes: Iterable[DType]) -> int:
        """How many iterations run side by side when a body works on these types."""
        widest = max((dtype.itemsize for dtype in dtypes if dtype is not DType.BOOL), default=8)
        return max(2, self.vector_bytes // widest)


@dataclass(frozen=True, slots=True)
class Options:
    """Choices of the code generator; the defaults are right except in tests.

    `lanes`: vectors where they pay, wherever they are possible, or never. `block` is the work handed to a thread at
    a time and `threads_from` the work from which threads are used at all, in additions. `level` says how hard LLVM
    looks for good instructions, from 0 to 3: beyond 1 it only orders them anew, which CPUs do by themselves.
    """

    lanes: Literal["auto", "always", "never"] = "auto"
    block: int = 1 << 15
    threads_from: int = 1 << 17
    level: int = 1


@cache
def host() -> Target:
    """The machine we run on."""
    features = llvm.get_host_cpu_features()
    if features.get("avx512f"):
        width = 64
    elif features.get("avx2"):
        width = 32
    else:
        width = 16
    return Target(llvm.get_process_triple(), llvm.get_host_cpu_name(), features.flatten(), width)
