"""Stacks in reversible functions: what is pushed goes out of sight, and comes back when it is popped.

A push exchanges a value with the free place on top, which holds zero; so `x = stack.push(x)` leaves x zero, and
`x = stack.pop(x)` undoes it. Both are ordinary statements that are solved like any others. A stack is an argument, and
so its memory is in sight: strictly reversible functions may use it.
"""

# Values here are numbers of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(eq=False)
class Stack:
    """Places for numbers of one type, and how many of them are taken; the others are zero.

    >>> import numpy as np, tapeless as tp
    >>> @tp.reversible
    ... def put_away(stack, x):
    ...     for i in range(len(x)):
    ...         x[i] = stack.push(x[i])
    >>> stack, x = tp.Stack.of(4), np.array([1.0, 2.0])
    >>> put_away(stack, x)
    >>> x, len(stack), stack.nbytes
    (array([0., 0.]), 2, 40)
    >>> (~put_away)(stack, x)
    >>> x, len(stack)
    (array([1., 2.]), 0)
    """

    places: np.ndarray
    taken: np.ndarray

    @staticmethod
    def of(capacity: int, dtype: Any = float) -> Stack:
        """An empty stack."""
        return Stack(np.zeros(capacity, dtype), np.zeros(1, np.int64))

    @property
    def nbytes(self) -> int:
        return self.places.nbytes + self.taken.nbytes

    def __len__(self) -> int:
        return int(self.taken[0])

    def push(self, x: Any) -> Any:
        """Put x on top; what comes back is zero, to take its place: `x = stack.push(x)`."""
        k = self.taken[0]
        free = self.places[k]
        self.places[k] = x
        self.taken[0] += 1
        return free

    def pop(self, zero: Any) -> Any:
        """Take what is on top, and leave zero there: `x = stack.pop(x)`, where x is zero before."""
        self.taken[0] -= 1
        k = self.taken[0]
        assert k >= 0
        x = self.places[k]
        self.places[k] = zero
        return x

    def push_copy(self, x: Any) -> None:
        """Put a copy of x on top; x stays."""
        k = self.taken[0]
        self.places[k] += x
        self.taken[0] += 1

    def pop_copy(self, x: Any) -> None:
        """Take a copy of x from the top: it must be what x is."""
        self.taken[0] -= 1
        k = self.taken[0]
        assert k >= 0
        assert self.places[k] == x
        self.places[k] -= x
