"""A specialisation looked at: its stages as text, the decisions that were made, and one line about it."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from string import ascii_lowercase
from types import FunctionType

from .driver import Compiled, assembly_text, llvm_text
from .front.tree import Leaf, Node, Shared, Size, Spec, Static
from .ir.core import Function
from .ir.text import print_function
from .ir.types import DType
from .records import dataclass
from .symbolic.describe import segments_text

STAGES = ("python", "front", "ir", "llvm", "asm", "explain", "segments", "latex")


@dataclass(frozen=True, slots=True)
class Lowering:
    """A specialisation that is compiled but not called: its program, and its stages as text."""

    python: FunctionType
    compiled: Compiled

    @property
    def ir(self) -> Function:
        """The optimised program."""
        return self.compiled.function

    def text(self, stage: str) -> str:
        """One of the stages `python`, `front`, `ir`, `llvm`, `asm`, `explain`, `segments`, `latex`."""
        match stage:
            case "python":
                return inspect.getsource(self.python)
            case "front":
                return print_function(self.compiled.lowered.function)
            case "ir":
                return print_function(self.ir)
            case "llvm":
                return llvm_text(self.ir)
            case "asm":
                return assembly_text(self.ir)
            case "explain":
                return explanation(self.compiled)
            case "segments":
                return segments_text(list(self.compiled.notes))
            case "latex":
                return segments_text(list(self.compiled.notes), latex=True)
            case _:
                raise ValueError(f"there is no stage {stage!r}; the stages are {', '.join(STAGES)}")

    def __str__(self) -> str:
        return self.text("ir")


def explanation(compiled: Compiled) -> str:
    """The decisions of the passes and of the back end, in order of line."""
    lines = [(note.line, str(note)) for note in compiled.notes]
    lines += [(line, f"line {line}: {text}" if line else text) for line, text in compiled.machine_notes]
    return "\n".join(text for _, text in sorted(lines, key=lambda entry: entry[0])) or "nothing to decide"


def describe(specs: tuple[tuple[str, Spec], ...], compiled: Compiled) -> str:
    """Types of the arguments and of what was captured, calls, how long it took to compile."""
    captured = [(entry.label, entry.spec) for entry in compiled.lowered.captured if not isinstance(entry.spec, Static)]
    reads = f", reading {_signature(captured)}" if captured else ""
    made = f"{'from the cache' if compiled.from_cache else 'compiled'} in {sum(compiled.seconds.values()) * 1e3:.0f} ms"
    return f"({_signature(specs)}){reads}: {made}, {compiled.calls} calls through the general path"


def _signature(named: Sequence[tuple[str, Spec]]) -> str:
    return ", ".join(f"{name}: {_words(spec)}" for name, spec in named)


def _words(spec: Spec) -> str:
    """A type as annotations and `tapeless show --types` write it; other objects as themselves."""
    match spec:
        case Leaf(dtype, "python"):
            return {DType.BOOL: "bool", DType.I64: "int"}.get(dtype, "float")
        case Leaf(dtype, _, dims):
            sizes = ", ".join(map(_size, dims))
            return f"{dtype.value}[{sizes}]" if dims else dtype.value
        case Node(kind, keys, parts):
            names = [f"{key}: " for key in keys] or [""] * len(parts)
            return f"{kind.__name__}({', '.join(n + _words(p) for n, p in zip(names, parts, strict=True))})"
        case Static(value):
            return getattr(value, "__name__", repr(value))


def _size(size: Size) -> str:
    """A number, `:` for any size, and a letter for sizes that are equal."""
    match size:
        case None:
            return ":"
        case Shared(number):
            return ascii_lowercase[13:][number] if number < 13 else f"n{number}"
        case int():
            return str(size)
