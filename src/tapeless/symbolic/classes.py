"""The classes of the values of a run: those that are equal up to their sign, and depend on the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..records import dataclass, field
from . import fingerprints as fp
from .dependence import Dependence, Factors
from .extract import Way

Ints = NDArray[np.int64]
# A class, and the sign with which a value is in it.
Value = tuple[int, int]


@dataclass(slots=True)
class Classes:
    """Of each class the fingerprint, the place of its first statement (-1 outside), what it depends on, and ways.

    `factors` are classes of which one is zero wherever this class is: those of a product are those of its operands.
    """

    dependence: Dependence
    prints: list[fp.Print] = field(default_factory=list[fp.Print])
    places: list[float] = field(default_factory=list[float])
    inputs: list[int] = field(default_factory=list[int])
    ways: list[list[Way]] = field(default_factory=list[list[Way]])
    factors: list[Factors] = field(default_factory=list[Factors])
    # All classes with a fingerprint: they differ in what they depend on.
    having: dict[fp.Print, list[int]] = field(default_factory=dict[fp.Print, list[int]])

    def add(self, print_: fp.Print, place: float, inputs: int) -> Value:
        """The class of a value, a new one if there is none."""
        key, sign = fp.unsigned(print_)
        same = self.having.setdefault(key, [])
        for k in same:
            if self.inputs[k] == inputs:
                return k, sign
        same.append(len(self.prints))
        self.prints.append(key)
        self.places.append(place)
        self.inputs.append(inputs)
        self.ways.append([])
        self.factors.append(frozenset(same[-1:]))
        return same[-1], sign

    def print_of(self, value: Value) -> fp.Print:
        return self.prints[value[0]] if value[1] > 0 else fp.negated(self.prints[value[0]])

    def fields(self) -> tuple[Ints, Ints]:
        """The fingerprints in both fields."""
        both = np.array(self.prints, np.int64).reshape(-1, 2)
        return both[:, 0].copy(), both[:, 1].copy()

    def useful(self) -> NDArray[np.bool_]:
        """Which classes are worth being combined: not 0, not 1."""
        return np.array([p not in (fp.ZERO, fp.ONE) for p in self.prints])

    def sum(self, x: int, y: int) -> int:
        """What the sum of two classes depends on."""
        return self.dependence.union(self.inputs[x], self.inputs[y])

    def product(self, x: tuple[int, Factors], y: tuple[int, Factors], whole: int) -> tuple[str, bool] | None:
        """The operation that gives a product which depends on `whole`, and whether its operands stand the other way
        round; None where no operation does. Operands are given by what they depend on, and their factors.
        """
        if self.dependence.union(x[0], y[0]) == whole:
            return "mul", False
        if self.dependence.scaled(x[0], *y) == whole:
            return "scale", False
        return ("scale", True) if self.dependence.scaled(y[0], *x) == whole else None

    def operand(self, k: int) -> tuple[int, Factors]:
        """A class as an operand of a product."""
        return self.inputs[k], self.factors[k]
