"""What a value depends on: inputs, and functions that may be infinite, under every outcome of the conditions.

A way to compute a value may stand for another only if both depend on the same. Then what is not a number stays so, and
nothing else becomes so. A choice depends on what it chooses, for each outcome: a - phi(c, 0, a) is no way to compute
phi(c, a, 0), since the former reads a where c does not hold. `scale x y` is 0 where y is 0, whatever x is: it depends
on what x depends on only where y is not zero. A product may not stand for it even if x is masked already:
scale (scale x a + scale x b) a is 0 where a is, and a (scale x a + scale x b) is not if x is infinite and b not 0.

So a dependence is a set of pairs: a source, and factors that hide it where one of them is zero. With fewer factors it
is seen more often: of two pairs with one source the one whose factors are among the other's says all. The set is a
number with a bit for each outcome of up to `MOST` conditions, pair by pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

MOST = 3  # conditions: every further one doubles the outcomes
_MOST_HIDDEN = 48  # pairs with factors in one dependence; one with more is like no other

Factors = frozenset[int]
_NONE: Factors = frozenset()


class Dependence:
    """Makes and combines dependences."""

    def __init__(self, conditions: Sequence[str]) -> None:
        self._conditions = {name: k for k, name in enumerate(conditions[:MOST])}
        self._outcomes = 1 << len(self._conditions)
        self._pairs: list[tuple[int, Factors]] = []
        self._numbers: dict[tuple[int, Factors], int] = {}
        self._of_source: dict[int, list[int]] = {}
        self._seen_more: list[list[int]] = []  # for each pair the others that say all that it does
        self._scaled: dict[tuple[int, int, Factors], int] = {}
        self._hidden = 0  # all bits of pairs with factors

    def new(self) -> int:
        """The dependence on one more input or function."""
        number = self._number((len(self._pairs), _NONE))
        return self._full << number * self._outcomes

    def union(self, x: int, y: int) -> int:
        """That of a sum or product."""
        both = x | y
        return self._normal(both) if both & self._hidden else both

    def scaled(self, x: int, y: int, factors: Factors) -> int:
        """That of `scale x y`, for a y that is zero where one of these factors is."""
        if not factors:
            return self.union(x, y)
        key = x, y, factors
        if key not in self._scaled:
            hidden = 0
            for number, outcomes in self._parts(x):
                source, others = self._pairs[number]
                hidden |= outcomes << self._number((source, others | factors)) * self._outcomes
            whole = self._normal(hidden | y)
            few = sum(1 for _ in self._parts(whole & self._hidden)) <= _MOST_HIDDEN
            self._scaled[key] = whole if few else self.new() | y
        return self._scaled[key]

    def chosen(self, condition: str, x: int, y: int) -> int:
        """That of phi(condition, x, y); of one condition too many both are read, and itself."""
        k = self._conditions.get(condition)
        if k is None:
            return x | y | self.new()
        each = sum(1 << outcome for outcome in range(self._outcomes) if outcome >> k & 1)
        where = each * (((1 << len(self._pairs) * self._outcomes) - 1) // self._full)
        return x & where | y & ~where

    @property
    def _full(self) -> int:
        return (1 << self._outcomes) - 1

    def _number(self, pair: tuple[int, Factors]) -> int:
        if pair not in self._numbers:
            self._numbers[pair] = number = len(self._pairs)
            self._pairs.append(pair)
            source, factors = pair
            others = self._of_source.setdefault(source, [])
            self._seen_more.append([other for other in others if self._pairs[other][1] < factors])
            for other in others:
                if factors < self._pairs[other][1]:
                    self._seen_more[other].append(number)
            others.append(number)
            if factors:
                self._hidden |= self._full << number * self._outcomes
        return self._numbers[pair]

    def _parts(self, x: int) -> Iterator[tuple[int, int]]:
        """The numbers of the pairs of a dependence, each with its outcomes."""
        while x:
            number = ((x & -x).bit_length() - 1) // self._outcomes
            shift = number * self._outcomes
            yield number, x >> shift & self._full
            x &= ~(self._full << shift)

    def _normal(self, x: int) -> int:
        """Without pairs of which another one says all."""
        for number, outcomes in self._parts(x & self._hidden):
            seen = 0
            for other in self._seen_more[number]:
                seen |= x >> other * self._outcomes & outcomes
            x &= ~(seen << number * self._outcomes)
        return x
