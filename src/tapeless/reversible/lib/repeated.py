"""Steps that have no inverse, run so that nothing is left over: y += step(step(... x)), by Bennett's schedule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...ad.bennett import schedule


class repeated:
    """A function that adds to y what `steps` steps make of x; its inverse takes it away again.

    What is computed on the way is undone, so that x and y are all there is before and after. With n = sectors**m steps
    it takes (2 sectors - 1)**m calls, and m (sectors - 1) + 2 states at a time.

    >>> import numpy as np
    >>> forgets = repeated(lambda x: np.floor(x / 2.0), steps=3, sectors=2)
    >>> x, y = np.array([100.0, 7.0]), np.zeros(2)
    >>> forgets(y, x)
    >>> y
    array([12.,  0.])
    >>> (~forgets)(y, x)
    >>> y
    array([0., 0.])
    """

    def __init__(self, step: Callable[[Any], Any], steps: int, sectors: int = 4, *, sign: int = 1) -> None:
        self.step, self.steps, self.sectors, self.sign = step, steps, sectors, sign

    def __call__(self, y: np.ndarray, x: np.ndarray) -> None:
        """Change y in place; where the same step gives the same bits, nothing else is left."""
        states = {0: x}
        for before, clears in schedule(self.steps, self.sectors):
            made = self.step(states[before])
            if clears:
                if not np.array_equal(states.pop(before + 1), made, equal_nan=True):
                    raise AssertionError("a step gave something else the second time")
            else:
                states[before + 1] = made
        y += self.sign * states[self.steps]

    @property
    def inv(self) -> repeated:
        return repeated(self.step, self.steps, self.sectors, sign=-self.sign)

    def __invert__(self) -> repeated:
        return self.inv
