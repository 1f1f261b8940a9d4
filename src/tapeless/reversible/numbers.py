"""Numbers whose changes are undone to the bit: fixed-point numbers under `+=`, logarithmic ones under `*=`.

Both are whole multiples of a small unit. What is added is computed in floats and then rounded to the unit; the inverse
computes the same float, as what an amount is made of is rounded operation by operation (`backend.contraction`), so that
the same whole number is taken away again.

    x = tp.Fixed.of(0.1)           x.bits: 0.1 in units of 2**-43
    x += np.sin(y) * dt            exactly undone by x -= np.sin(y) * dt
    z = tp.Log.of(3.0)             z.bits: the logarithm of 3 to base 2, in units of 2**-43
    z *= np.exp(y)                 exactly undone by z /= np.exp(y)
"""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

UNIT = 2.0**43
LARGEST = 2.0**20


def _units(x: Any) -> Any:
    """A number or array of floats in units, rounded."""
    if not np.all(np.abs(x) < LARGEST):
        raise OverflowError("a fixed-point number is smaller than 2**20")
    return np.rint(x * UNIT).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Fixed:
    """A fixed-point number with 43 bits after the point, or an array of them: `bits` counts units of 2**-43.

    Sums and differences are exact. In other operations it is the float `value`.

    >>> import numpy as np, tapeless as tp
    >>> @tp.reversible
    ... def swing(x, v, dt, steps):
    ...     for _ in range(steps):
    ...         v -= np.sin(x.value) * dt
    ...         x += v.value * dt
    >>> x, v = tp.Fixed.of(np.array([0.1, 2.0])), tp.Fixed.of(np.array([0.0, 0.3]))
    >>> first = x.bits.copy()
    >>> swing(x, v, 0.01, 10_000)
    >>> (~swing)(x, v, 0.01, 10_000)
    >>> bool((x.bits == first).all())
    True
    """

    bits: Any
    __array_ufunc__ = None  # arrays of NumPy leave operators to us

    @staticmethod
    def of(x: Any) -> Fixed:
        """The nearest fixed-point number."""
        return Fixed(_units(x))

    @property
    def value(self) -> Any:
        return self.bits / UNIT

    def __len__(self) -> int:
        return len(self.bits)

    def __getitem__(self, at: Any) -> Fixed:
        return Fixed(self.bits[at])

    def __setitem__(self, at: Any, x: Fixed) -> None:
        self.bits[at] = x.bits

    def __neg__(self) -> Fixed:
        return Fixed(-self.bits)

    def __add__(self, x: Any) -> Fixed:
        return Fixed(self.bits + _amount(x))

    def __sub__(self, x: Any) -> Fixed:
        return Fixed(self.bits - _amount(x))

    def __iadd__(self, x: Any) -> Fixed:
        if not isinstance(self.bits, np.ndarray):
            return self + x
        self.bits[...] += _amount(x)
        return self

    def __isub__(self, x: Any) -> Fixed:
        if not isinstance(self.bits, np.ndarray):
            return self - x
        self.bits[...] -= _amount(x)
        return self


def _amount(x: Any) -> Any:
    return x.bits if isinstance(x, Fixed) else _units(x)


@dataclass(frozen=True, eq=False)
class Log:
    """A positive number by its logarithm to base 2, or an array of them: `bits` counts units of 2**-43 of it.

    Products and quotients are exact. In other operations it is the float `value`.

    >>> import numpy as np, tapeless as tp
    >>> @tp.reversible
    ... def decay(x, rate, steps):
    ...     for k in range(steps):
    ...         x *= np.exp(-rate * k)
    >>> x = tp.Log.of(np.array([0.1, 2.0]))
    >>> first = x.bits.copy()
    >>> decay(x, 0.3, 100)
    >>> (~decay)(x, 0.3, 100)
    >>> bool((x.bits == first).all())
    True
    """

    bits: Any
    __array_ufunc__ = None

    @staticmethod
    def of(x: Any) -> Log:
        """The nearest logarithmic number; x is positive."""
        return Log(_exponent(x))

    @property
    def value(self) -> Any:
        return np.exp2(self.bits / UNIT)

    def __len__(self) -> int:
        return len(self.bits)

    def __getitem__(self, at: Any) -> Log:
        return Log(self.bits[at])

    def __setitem__(self, at: Any, x: Log) -> None:
        self.bits[at] = x.bits

    def __mul__(self, x: Any) -> Log:
        return Log(self.bits + _factor(x))

    def __truediv__(self, x: Any) -> Log:
        return Log(self.bits - _factor(x))

    def __imul__(self, x: Any) -> Log:
        if not isinstance(self.bits, np.ndarray):
            return self * x
        self.bits[...] += _factor(x)
        return self

    def __itruediv__(self, x: Any) -> Log:
        if not isinstance(self.bits, np.ndarray):
            return self / x
        self.bits[...] -= _factor(x)
        return self


def _factor(x: Any) -> Any:
    return x.bits if isinstance(x, Log) else _exponent(x)


def _exponent(x: Any) -> Any:
    if not np.all(x > 0.0):
        raise ValueError("a logarithmic number is positive")
    return _units(np.log2(x))
