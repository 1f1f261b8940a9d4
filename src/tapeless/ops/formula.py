"""Partial derivatives written as formulas.

`formula(lambda x, r: 0.5 / r)` is the partial of an operation with one operand `x` and result `r`:
a function that, given a builder and the atoms, emits the statements which compute it. Python's
operators build `add sub mul div neg`; `call` builds any other operation; plain numbers become
literals of the result's type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..ir.build import Builder
from ..ir.op import Partial
from ..ir.types import Atom, DType, Lit
from ..records import dataclass

Term: TypeAlias = "Formula | float"


@dataclass(frozen=True, slots=True)
class Formula:
    """An atom together with the builder that extends the program it belongs to."""

    b: Builder
    atom: Atom

    @property
    def dtype(self) -> DType:
        return self.atom.type.dtype

    def call(self, op: str, *others: Term) -> Formula:
        """`op` applied to this value and the others."""
        return Formula(self.b, self.b.apply(op, self.atom, *(_atom(x, self.dtype) for x in others)))

    def constant(self, op: str, value: float) -> Formula:
        """The number `op(value)`: folded by the compiler, yet exact in any number tower."""
        return Formula(self.b, self.b.apply(op, Lit(value, self.dtype)))

    def choose(self, yes: Term, no: Term, dtype: DType) -> Formula:
        """`yes` where this condition holds, else `no`."""
        return Formula(self.b, self.b.apply("select", self.atom, _atom(yes, dtype), _atom(no, dtype)))

    def _reverse(self, op: str, left: Term) -> Formula:
        return Formula(self.b, _atom(left, self.dtype)).call(op, self)

    def __add__(self, other: Term) -> Formula:
        return self.call("add", other)

    def __sub__(self, other: Term) -> Formula:
        return self.call("sub", other)

    def __mul__(self, other: Term) -> Formula:
        return self.call("mul", other)

    def __truediv__(self, other: Term) -> Formula:
        return self.call("div", other)

    def __neg__(self) -> Formula:
        return self.call("neg")

    def __radd__(self, left: float) -> Formula:
        return self._reverse("add", left)

    def __rsub__(self, left: float) -> Formula:
        return self._reverse("sub", left)

    def __rmul__(self, left: float) -> Formula:
        return self._reverse("mul", left)

    def __rtruediv__(self, left: float) -> Formula:
        return self._reverse("div", left)


def formula(rule: Callable[..., Term]) -> Partial:
    """The partial computed by `rule(*operands, result)`."""

    def emit(b: Builder, args: Sequence[Atom], out: Atom) -> Atom:
        return _atom(rule(*(Formula(b, arg) for arg in args), Formula(b, out)), out.type.dtype)

    return emit


def _atom(term: Term, dtype: DType) -> Atom:
    return term.atom if isinstance(term, Formula) else Lit(float(term), dtype)
