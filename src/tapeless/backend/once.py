"""A writer that says everything once: a pure instruction whose text was written before is not repeated.

The text of an instruction names its operands, so equal texts compute equal values. What was written in a region of
the control flow that need not have run is forgotten at its end. This is the common-subexpression elimination
of our code; it also lets a sine and a cosine of the same angle share their work.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from .text import Module, Writer

_PURE = frozenset(
    ("getelementptr", "add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "icmp", "fcmp", "select",
     "bitcast", "zext", "sext", "trunc", "fpext", "fptrunc", "sitofp", "uitofp", "insertelement", "extractelement",
     "shufflevector", "fneg", "fadd", "fsub", "fmul", "fdiv")
)  # fmt: skip
_PURE_CALL = re.compile(r"call [^@]*@(llvm\.(?!masked|mem)|tp\.\w+\.f(64|32)\.w)")


class Lines(Writer):
    """The instructions of one function, pure ones once per region."""

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        self.known: dict[str, str] = {}
        self._before_labels: dict[str, str] | None = None

    def op(self, text: str, hint: str = "t") -> str:
        word = text.partition(" ")[0]
        if word in _PURE or (word == "call" and _PURE_CALL.match(text)):
            return self.once(text, hint)
        return super().op(text, hint)

    def once(self, text: str, hint: str = "t") -> str:
        """The result of an instruction that gives the same wherever it stands."""
        name = self.known.get(text)
        if name is None:
            name = self.known[text] = super().op(text, hint)
        return name

    def several(self, key: str, make: Callable[[], Sequence[str]]) -> Sequence[str]:
        """What is found behind a branch that comes back is known from there on."""
        names = self.known.get(key)
        if names is None:
            made = super().several(key, make)
            self.known[key] = " ".join(made)
            return made
        return names.split()

    @contextmanager
    def region(self) -> Generator[None, None, None]:
        """What is written inside need not have run when what follows does."""
        saved, self.known = self.known, dict(self.known)
        try:
            yield
        finally:
            self.known = saved

    @contextmanager
    def expansion(self) -> Generator[None, None, None]:
        """Inside, a definition with branches of its own is written: what follows one of its labels starts afresh."""
        self._before_labels = {}
        try:
            yield
        finally:
            self._before_labels = None

    def label(self, label: str) -> None:
        if self._before_labels is not None:
            self._before_labels = self._before_labels or dict(self.known)
            self.known = dict(self._before_labels)
        super().label(label)
