"""What a production of the program generator sees: a builder, the values in scope, and dice.

Each value carries what the generator knows of it, so that programs are numerically sane by construction:

* `lo`, `hi` bound the value, or the elements of an array; infinite bounds mean that NaN may occur too.
* `exact`: every implementation computes the very same bits (no rounding on the way), so that comparing
  it, truncating it or sorting by it gives the same answer everywhere. Integers are always exact.
* `below`: an atom that is greater than the (non-negative) value: an index that is in range by reason.

A production takes a `Scope`, emits statements, defines values, and says whether it applied.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..ir.build import Builder
from ..ir.types import BOOL, F32, F64, I32, I64, Atom, DType, Lit, Type, Var
from .dice import Dice
from .profile import GENERAL, Profile

DEEPEST = 4  # blocks within blocks
FULL: dict[DType, tuple[int, int]] = {I32: (-(2**31), 2**31 - 1), I64: (-(2**63), 2**63 - 1), BOOL: (0, 1)}


@dataclass(frozen=True, slots=True)
class Value:
    """An atom and what is known of it."""

    atom: Atom
    lo: float
    hi: float
    exact: bool = True
    below: Atom | None = None

    @property
    def type(self) -> Type:
        return self.atom.type

    @property
    def dtype(self) -> DType:
        return self.atom.type.dtype

    @property
    def wild(self) -> bool:
        """May this be infinite or NaN?"""
        return math.isinf(self.lo) or math.isinf(self.hi)

    def within(self, lo: float, hi: float) -> bool:
        return lo <= self.lo and self.hi <= hi


@dataclass(frozen=True, slots=True)
class Production:
    """One way to go on. `nested` ones contain blocks; `weight` is relative, biased by features."""

    name: str
    weight: float
    make: Callable[[Scope], bool]
    nested: bool = False


@dataclass(slots=True)
class World:
    """What all scopes of one program share."""

    dice: Dice
    table: tuple[Production, ...]
    features: Mapping[str, float]
    floats: tuple[DType, ...]
    budget: int
    may_fault: bool
    audit: bool = False
    profile: Profile = GENERAL
    used: set[Atom] = field(default_factory=set[Atom])

    def weight(self, production: Production) -> float:
        return production.weight * self.features.get(production.name, 1.0)


class Scope:
    """One block being generated."""

    def __init__(self, world: World, b: Builder, values: Iterable[Value] = (), work: int = 1, depth: int = 0) -> None:
        self.world, self.b, self.work, self.depth = world, b, work, depth
        self.dice = world.dice
        self.values = list(values)
        self.outer = len(self.values)  # how many of them come from enclosing blocks
        self.known = {value.atom: value for value in self.values}

    def child(self, b: Builder, trips: float, values: Iterable[Value] = ()) -> Scope:
        """The scope of a sub-block that runs at most `trips` times and binds `values`."""
        inner = Scope(self.world, b, self.values, self.work * max(1, int(trips)), self.depth + 1)
        for value in values:
            inner.add(value)
        return inner

    # -- values -------------------------------------------------------------------------------

    def add(self, value: Value) -> Value:
        """Bring a value into scope."""
        self.values.append(value)
        self.known[value.atom] = value
        if self.world.audit:
            self._audit(value)
        return value

    def _audit(self, value: Value) -> None:
        """Make what is believed of a scalar a check of the program."""
        if value.type.is_array or value.dtype is BOOL or value.wild:
            return
        slack = 1e-3 * max(1.0, abs(value.lo), abs(value.hi)) if value.dtype.is_float else 0
        for op, bound in (("ge", value.lo - slack), ("le", value.hi + slack)):
            literal = real(value.dtype, bound) if value.dtype.is_float else Lit(int(bound), value.dtype)
            self.b.check("overflow", self.b.apply(op, value.atom, literal), info=f"{value}")

    def define(self, atom: Atom, lo: float, hi: float, *, exact: bool = True, below: Atom | None = None) -> Value:
        """Bring an atom into scope with what is known of it; integers are exact, and wrap."""
        if not atom.type.dtype.is_float:
            full = FULL[atom.type.dtype]
            if lo < full[0] or hi > full[1]:
                lo, hi = full
            exact = True
        return self.add(Value(atom, lo, hi, exact, below))

    def find(self, test: Callable[[Value], bool]) -> Value | None:
        """A value that passes; recent ones and unused ones first, so that little of a program is dead."""
        found = [value for value in self.values if test(value)]
        if not found:
            return None
        if self.dice.chance(0.7):
            found = self.unused(found) or found
        chosen = self.dice.recent(found)
        self.world.used.add(chosen.atom)
        return chosen

    def unused(self, values: Sequence[Value]) -> list[Value]:
        """Those that nothing has used yet; those of this very block if there are any."""
        fresh = [value for value in values if value.atom not in self.world.used]
        local = {value.atom for value in self.values[self.outer :]} if self.depth else set[Atom]()
        return [value for value in fresh if value.atom in local] or fresh

    def scalar(self, dtype: DType, *, exact: bool = False) -> Value:
        """A scalar to compute with: one in scope, or now and then a literal. Never wild."""
        if self.dice.chance(0.85):
            found = self.find(
                lambda v: v.type == Type(dtype) and not v.wild and (v.exact or not exact) and isinstance(v.atom, Var)
            )
            if found is not None:
                return found
        return self.literal(dtype)

    def literal(self, dtype: DType, lo: float = -3.0, hi: float = 3.0) -> Value:
        """A random literal between bounds."""
        if dtype is BOOL:
            lit = Lit(self.dice.chance(0.5), BOOL)
        elif dtype.is_float:
            lit = real(dtype, self.dice.uniform(lo, hi))
        else:
            lit = Lit(self.dice.between(math.ceil(lo), math.floor(hi)), dtype)
        return Value(lit, float(lit.value), float(lit.value))

    def extent(self, size: Atom) -> tuple[int, int]:
        """The bounds of a size."""
        if isinstance(size, Lit):
            return int(size.value), int(size.value)
        value = self.known[size]
        return int(value.lo), int(value.hi)

    @property
    def most_work(self) -> int:
        """Iterations that a nest may have: the interpreter runs them one by one."""
        return self.world.profile.work

    @property
    def most_elements(self) -> int:
        return self.world.profile.elements

    @property
    def limit(self) -> int:
        """How many iterations a loop here may have."""
        limit = max(1, self.most_work // self.work)
        return limit if self.depth == 0 else min(limit, 40)

    def count(self) -> Value:
        """A number of iterations that the work limit allows: a size in scope, a value, a literal."""
        limit = self.limit
        if self.dice.chance(0.85):
            found = self.find(lambda v: v.type == Type(I64) and v.within(0, limit))
            if found is not None:
                return found
        return self.literal(I64, 0, min(limit, 5))

    def float_type(self) -> DType:
        return self.dice.pick(self.world.floats)

    def any_type(self) -> DType:
        """A scalar type, mostly a float."""
        return self.dice.weighted((self.float_type(), I64, I32, BOOL), self.world.profile.types)

    # -- growing ------------------------------------------------------------------------------

    def grow(self, steps: int) -> None:
        """Apply about `steps` productions, drawn by weight."""
        nested = self.depth < DEEPEST and self.work < self.most_work
        table = [p for p in self.world.table if nested or not p.nested]
        weights = [self.world.weight(p) / (1 + self.depth if p.nested else 1) for p in table]
        for _ in range(steps):
            if self.world.budget <= 0:
                return
            for _ in range(4):
                if self.dice.weighted(table, weights).make(self):
                    self.world.budget -= 1
                    break


def real(dtype: DType, value: float) -> Lit:
    """A float literal that its type holds exactly."""
    if dtype is F32:
        return Lit(float(np.float32(value)), F32)
    return Lit(float(value), F64)
