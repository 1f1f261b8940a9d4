"""The tangents known so far, shared by the rules of forward mode.

A tangent has exactly the type of its value. A variable without one has the tangent zero: zeros are made only where a
form demands a value (`filled`). Names are unique in the program, so one dictionary serves all scopes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from ..ir.build import Atoms, Builder, is_literal
from ..ir.core import Block
from ..ir.types import Atom, Var
from ..ir.walk import fresh
from ..records import dataclass
from .segments import Collapse
from .values import zeros

# One per result; None is an exact zero.
MaybeAtoms: TypeAlias = tuple[Atom | None, ...]


@dataclass(frozen=True, slots=True)
class Tangents:
    """`known` maps names to tangents, `varied` are the names that may have one (`activity`).

    `flat` are those that are zero only where their tangent is (`roots`). `push` emits a block's statements with their
    tangents and returns the tangents of its results; the rules of structured forms call it for sub-blocks. `collapse`
    may know a way through segments.
    """

    known: dict[str, Atom]
    varied: AbstractSet[str]
    flat: AbstractSet[str]
    push: Callable[[Tangents, Builder, Block], MaybeAtoms]
    collapse: Collapse | None = None

    def of(self, atom: Atom) -> Atom | None:
        """The tangent of an atom, None when it is zero."""
        return self.known.get(atom.name) if isinstance(atom, Var) else None

    def define(self, var: Var, x_dot: Atom | None) -> None:
        if x_dot is not None and not is_literal(x_dot, 0.0):
            self.known[var.name] = x_dot

    def filled(self, b: Builder, atom: Atom) -> Atom:
        """The tangent of an atom, zeros made where it has none."""
        x_dot = self.of(atom)
        return zeros(b, atom.type) if x_dot is None else x_dot

    def filled_block(self, b: Builder, block: Block, wanted: Sequence[int]) -> Atoms:
        """Emit a block; its results, then the tangents of the `wanted` ones."""
        return (*block.results, *filled_results(b, block.results, self.push(self, b, block), wanted))

    def varying(self, params: Sequence[Var]) -> tuple[int, ...]:
        """The positions of the parameters that vary."""
        return tuple(k for k, param in enumerate(params) if param.name in self.varied)

    def dotted(self, vars: Sequence[Var], at: Sequence[int]) -> tuple[Var, ...]:
        """Fresh tangents for the variables at these positions, from now on known as theirs."""
        dots = tuple(dot(vars[k]) for k in at)
        for k, x_dot in zip(at, dots, strict=True):
            self.define(vars[k], x_dot)
        return dots


def filled_results(b: Builder, results: Atoms, dots: MaybeAtoms, wanted: Sequence[int]) -> Atoms:
    """The tangents of the results at the positions `wanted`, zeros made where there is none."""
    for k, x_dot in enumerate(dots):
        # A tangent that nobody carries on would be lost: then activity analysis is wrong.
        assert x_dot is None or k in wanted, f"result {k} has a tangent where none was expected"
    tangents: list[Atom] = []
    for k in wanted:
        x_dot = dots[k]
        tangents.append(zeros(b, results[k].type) if x_dot is None else x_dot)
    return tuple(tangents)


def dot(var: Var) -> Var:
    """A fresh variable for the tangent of `var`."""
    return fresh(dot_name(var), var.type)


def dot_name(var: Var) -> str:
    return var.name.split(".", maxsplit=1)[0] + "_dot"
