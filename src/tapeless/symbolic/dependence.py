"""What a value depends on: inputs, and functions that may be infinite, under every outcome of the conditions.

A way to compute a value may stand for another only if both depend on the same. Then what is not a number stays so, and
nothing else becomes so. A choice depends on what it chooses, for each outcome: a - phi(c, 0, a) is no way to compute
phi(c, a, 0), since the former reads a where c does not hold. `scale x y` is 0 where y is 0, whatever x is: it depends
on what x depends on in a weaker sense.

A dependence is a number: for each outcome of up to `MOST` conditions a field of bits, the upper half for the weak ones.
"""

from __future__ import annotations

from collections.abc import Sequence

MOST = 3  # conditions: every further one doubles the outcomes


class Dependence:
    """Makes and combines dependences of at most `bits` inputs and functions."""

    def __init__(self, bits: int, conditions: Sequence[str]) -> None:
        self.bits, self._used = bits, 0
        width, outcomes = 2 * bits, range(1 << min(MOST, len(conditions)))
        self._each = sum(1 << width * outcome for outcome in outcomes)
        self._strong = self._each * ((1 << bits) - 1)
        full = (1 << width) - 1
        self._where = {
            name: sum(full << width * outcome for outcome in outcomes if outcome >> k & 1)
            for k, name in enumerate(conditions[:MOST])
        }

    def new(self) -> int:
        """The dependence on one more input or function."""
        assert self._used < self.bits
        self._used += 1
        return self._each << (self._used - 1)

    def scaled(self, x: int, y: int) -> int:
        """That of `scale x y`."""
        return (x & self._strong) << self.bits | x & ~self._strong | y

    def chosen(self, condition: str, x: int, y: int) -> int:
        """That of phi(condition, x, y); of one condition too many both are read, and itself."""
        where = self._where.get(condition)
        return x | y | self.new() if where is None else x & where | y & ~where
