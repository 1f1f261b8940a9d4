"""Local derivatives as programs: the values on the edges of a linearised graph, their products and their sums.

A factor is `coefficient * atom` where all its masks hold, and exactly 0 elsewhere; without an atom it is the
coefficient alone. So a product with one, minus one or a constant is no operation, constants multiply when the program
is made, and the slope of `select(c, x, y)` by `x` is 1 under the mask `c`: the mask is laid over a product after it was
computed, and an arm not taken contributes 0 whatever its own slope is (never 0 * inf).

A zero may also meet an infinity in a product that is computed, where masked values were added up. Which zero wins is
that of `ad` (`masks`, `roots`, docs/conventions.md), and `Factor` says where it can happen. None is an exact zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from ..ad.values import times
from ..ir.build import Builder
from ..ir.types import F32, Atom, DType, Lit, Var, zero
from ..records import dataclass, replace

# A condition, and whether it must hold or must not.
Mask: TypeAlias = tuple[Var, bool]

# Constants are multiplied when the program is made as long as they cannot overflow or vanish.
_TAME = (1e-30, 1e30)


@dataclass(frozen=True, slots=True)
class Traits:
    """What may happen to a factor when the program runs.

    `vanishes`: it may be zero. `masked`: it may be zero because another value was chosen, and such a zero wins over
    factors that are `wild`: those that may be infinite though the inputs are not. `before` and `after`: any zero of
    what stands before it, or after it, wins over it.
    """

    vanishes: bool = True
    masked: bool = False
    wild: bool = False
    before: bool = False
    after: bool = False

    def __or__(self, other: Traits) -> Traits:
        return Traits(
            self.vanishes or other.vanishes,
            self.masked or other.masked,
            self.wild or other.wild,
            self.before or other.before,
            self.after or other.after,
        )


CERTAIN = Traits(vanishes=False)


@dataclass(frozen=True, slots=True)
class Factor:
    """`coefficient * atom` where all masks hold, else 0."""

    coefficient: float = 1.0
    atom: Var | None = None
    masks: tuple[Mask, ...] = ()
    traits: Traits = CERTAIN

    @property
    def is_literal(self) -> bool:
        """Is it a number known now?"""
        return self.atom is None and not self.masks


def factor(atom: Atom, traits: Traits) -> Factor | None:
    """An atom as a factor."""
    if isinstance(atom, Lit):
        return None if atom.value == 0 else Factor(float(atom.value))
    return Factor(1.0, atom, (), traits)


def chosen(cond: Atom, wanted: bool) -> Factor | None:
    """The slope of a value that is handed on where a condition holds, or where it does not."""
    if isinstance(cond, Lit):
        return Factor() if cond.value == wanted else None
    return Factor(masks=((cond, wanted),))


def product(b: Builder, post: Factor, pre: Factor) -> Factor | None:
    """`post * pre`, where `post` is the derivative by what `pre` is the derivative of."""
    masks = tuple(dict.fromkeys((*post.masks, *pre.masks)))
    if any((cond, not wanted) in masks for cond, wanted in masks):
        return None
    post, pre = _bounded(b, post, pre), _bounded(b, pre, post)
    coefficient, traits = post.coefficient * pre.coefficient, post.traits | pre.traits
    if post.atom is None or pre.atom is None:
        return Factor(coefficient, post.atom or pre.atom, masks, traits)
    return Factor(coefficient, _times(b, post, pre, post.atom, pre.atom), masks, traits)


def plus(b: Builder, x: Factor, y: Factor, dtype: DType) -> Factor | None:
    """The sum of two factors; None when it is zero whatever the program computes."""
    if x.is_literal and y.is_literal:
        total = x.coefficient + y.coefficient
        return Factor(total) if total else None
    common = tuple(mask for mask in x.masks if mask in y.masks)
    left, right = _beyond(x, common), _beyond(y, common)
    if len(left.masks) == len(right.masks) == 1 and left.masks[0] == _opposite(right.masks[0]):
        traits = x.traits | y.traits
        if left.atom is right.atom and left.coefficient == right.coefficient:
            return Factor(left.coefficient, left.atom, common, traits)
        return Factor(1.0, _either(b, left, right, dtype), common, traits)
    left, right = (Factor(1.0, _var(settled(b, part, dtype))) if part.masks else part for part in (left, right))
    traits = replace(settled_traits(_beyond(x, common)) | settled_traits(_beyond(y, common)), vanishes=True)
    return replace(_sum(b, left, right, dtype), masks=common, traits=traits)


def settled(b: Builder, x: Factor, dtype: DType) -> Atom:
    """A factor as one value of the program."""
    value = _literal(x.coefficient, dtype) if x.atom is None else _scaled(b, x, dtype)
    for cond, wanted in reversed(x.masks):
        arms = (value, zero(dtype)) if wanted else (zero(dtype), value)
        value = b.apply("select", cond, *arms)
    return value


def settled_traits(x: Factor | None) -> Traits:
    """What may happen to a factor, or to an exact zero, once it is one value."""
    if x is None:
        return Traits(masked=True)
    return replace(x.traits, masked=True, vanishes=True) if x.masks else x.traits


def without_coefficient(b: Builder, x: Factor, dtype: DType) -> Factor:
    """The same factor, multiplied by its constant now: worth while when it takes part in several products."""
    if x.atom is None or abs(x.coefficient) == 1.0:
        return x
    return replace(x, coefficient=1.0, atom=_var(_scaled(b, x, dtype)))


def _times(b: Builder, post: Factor, pre: Factor, y: Var, x: Var) -> Var:
    before, after = pre.traits, post.traits
    pre_wins = before.vanishes and (after.before or (before.masked and after.wild))
    post_wins = after.vanishes and (before.after or (after.masked and before.wild))
    if pre_wins and post_wins:
        nil = zero(x.type.dtype)
        return b.apply("select", b.apply("eq", x, nil), nil, b.apply("scale", x, y))
    if pre_wins or post_wins:
        return b.apply("scale", y, x) if pre_wins else b.apply("scale", x, y)
    return b.apply("mul", y, x)


def _sum(b: Builder, x: Factor, y: Factor, dtype: DType) -> Factor:
    """The sum of two factors without masks, not both literal."""
    if x.atom is not None and y.atom is not None and abs(x.coefficient) == abs(y.coefficient):
        op = "add" if x.coefficient == y.coefficient else "sub"
        return Factor(x.coefficient, b.apply(op, x.atom, y.atom))
    if x.atom is not None and y.atom is not None and x.coefficient < 0 < y.coefficient:
        x, y = y, x
    if y.coefficient < 0:
        positive = replace(y, coefficient=-y.coefficient)
        return Factor(1.0, b.apply("sub", settled(b, x, dtype), settled(b, positive, dtype)))
    return Factor(1.0, b.apply("add", settled(b, x, dtype), settled(b, y, dtype)))


def _either(b: Builder, x: Factor, y: Factor, dtype: DType) -> Var:
    """The sum of two factors of which one holds where a condition does, and the other elsewhere."""
    (cond, wanted), *_ = x.masks
    values = [settled(b, replace(part, masks=()), dtype) for part in (x, y)]
    return b.apply("select", cond, *(values if wanted else reversed(values)))


def _beyond(x: Factor, common: Sequence[Mask]) -> Factor:
    return replace(x, masks=tuple(mask for mask in x.masks if mask not in common))


def _opposite(mask: Mask) -> Mask:
    return mask[0], not mask[1]


def _bounded(b: Builder, x: Factor, other: Factor) -> Factor:
    """The factor, with its constant multiplied in if the constants of both could overflow together."""
    low, high = _TAME
    if x.atom is None or low < abs(x.coefficient * other.coefficient) < high:
        return x
    return without_coefficient(b, x, x.atom.type.dtype)


def _scaled(b: Builder, x: Factor, dtype: DType) -> Atom:
    assert x.atom is not None
    return times(b, _literal(x.coefficient, dtype), x.atom)


def _literal(value: float, dtype: DType) -> Lit:
    return Lit(float(np.float32(value)) if dtype is F32 else value, dtype)


def _var(atom: Atom) -> Var:
    assert isinstance(atom, Var)
    return atom
