"""LLVM IR as text: a module of functions, and a writer of one function's instructions.

Text is written directly because that is three times as fast as building llvmlite's objects
(facts/backend.md 1). A value is its LLVM name or constant (`%t3`, `0x3FF0000000000000`); its LLVM
type is known to whoever made it. `width` is the number of SIMD lanes: 1 means a plain scalar.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from ..ir.types import DType, Lit

_SCALAR = {"bool": "i1", "i32": "i32", "i64": "i64", "f32": "float", "f64": "double"}
_MEMORY = {**_SCALAR, "bool": "i8"}


def llvm_type(dtype: DType, width: int = 1) -> str:
    """The type of a value in registers; a bool is an i1 there."""
    scalar = _SCALAR[dtype.value]
    return scalar if width == 1 else f"<{width} x {scalar}>"


def memory_type(dtype: DType, width: int = 1) -> str:
    """The type of a value in memory; a bool is a byte there, as in NumPy."""
    scalar = _MEMORY[dtype.value]
    return scalar if width == 1 else f"<{width} x {scalar}>"


def constant(lit: Lit, width: int = 1) -> str:
    """A literal as an LLVM constant, the same in every lane."""
    if lit.dtype.is_float:
        text = float_constant(float(lit.value), lit.dtype)
    elif lit.dtype is DType.BOOL:
        text = "true" if lit.value else "false"
    else:
        text = str(int(lit.value))
    return text if width == 1 else f"splat ({llvm_type(lit.dtype)} {text})"


def float_constant(value: float, dtype: DType) -> str:
    """Exact: LLVM reads hexadecimal constants as the bits of a double, also for `float`."""
    if dtype is DType.F32:
        value = struct.unpack("<f", struct.pack("<f", value))[0]
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


class Module:
    """Function definitions and declarations by name, each once."""

    def __init__(self) -> None:
        self._parts: dict[str, str] = {}

    def require(self, name: str, make: Callable[[], str]) -> None:
        """Add the definition or declaration of `name` unless it is there."""
        if name not in self._parts:
            self._parts[name] = ""  # a placeholder, so that a recursive requirement ends
            self._parts[name] = make()

    def declare(self, name: str, text: str) -> None:
        self.require(name, lambda: text)

    def __str__(self) -> str:
        return "\n".join(part for part in self._parts.values() if part)


class Writer:
    """The instructions of one function."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.lines: list[str] = []
        self._count = 0

    def name(self, hint: str = "t") -> str:
        self._count += 1
        return f"%{hint}{self._count}"

    def op(self, text: str, hint: str = "t") -> str:
        """Emit an instruction with a result; return its name."""
        name = self.name(hint)
        self.lines.append(f"  {name} = {text}")
        return name

    def several(self, key: str, make: Callable[[], Sequence[str]]) -> Sequence[str]:
        """Values that take a branch to find, by a key that says what they are."""
        del key  # here nothing is known from before
        return make()

    def line(self, text: str) -> None:
        """Emit an instruction without a result."""
        self.lines.append(f"  {text}")

    def new_label(self, hint: str = "b") -> str:
        self._count += 1
        return f"{hint}{self._count}"

    def label(self, label: str) -> None:
        """Start the basic block `label`; the block before must have ended with a branch."""
        self.lines.append(f"{label}:")
