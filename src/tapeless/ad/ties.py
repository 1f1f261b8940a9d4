"""Elements that equal the smallest or largest share its adjoint equally; NaN equals nothing.

All of it element by element, where the values are arrays.
"""

from __future__ import annotations

from ..ir.build import Atoms, Builder
from ..ir.types import Atom, Lit, zero
from .values import each


def tied(b: Builder, x: Atom, y: Atom) -> Atom:
    """One where two values are equal, else zero."""

    def element(b: Builder, x: Atom, y: Atom) -> Atoms:
        return (b.apply("select", b.apply("eq", x, y), Lit(1.0, x.type.dtype), zero(x.type.dtype)),)

    return each(b, element, x, y)[0]


def chosen(b: Builder, x: Atom, y: Atom, share: Atom) -> Atom:
    """The share where two values are equal, else zero."""

    def element(b: Builder, x: Atom, y: Atom, share: Atom) -> Atoms:
        return (b.apply("select", b.apply("eq", x, y), share, zero(share.type.dtype)),)

    return each(b, element, x, y, share)[0]
