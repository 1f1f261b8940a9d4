"""Parts of reversible functions with a meaning of their own, and variables that are handed back.

In plain Python `compute` and `irreversible` do nothing, and `ancilla` and `release` only check.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from .errors import ArgumentError
from .records import dataclass

# How far a float may be off its value when it is released: what adding and subtracting leave behind.
RELEASED = 1e-8


@dataclass(frozen=True, slots=True)
class Region:
    """A block with a meaning when it is run backwards."""

    kind: str

    def __enter__(self) -> None:
        if self.kind == "inverse":
            raise ArgumentError(
                "plain Python cannot run statements backwards",
                why="`with tp.inverse():` is understood by the compiler alone",
                fix="decorate the function with @tp.reversible or @tp.jit, or call (~f)(...)",
            )

    def __exit__(self, *_: object) -> None:
        pass


def compute() -> Region:
    """`with tp.compute():` temporaries only: the block changes nothing that it was given.

    >>> import numpy as np, tapeless as tp
    >>> @tp.reversible
    ... def add_norm(y, x):
    ...     with tp.compute():
    ...         total = np.sum(x * x)
    ...     y += np.sqrt(total)
    >>> y = np.zeros(1)
    >>> add_norm(y, np.array([3.0, 4.0]))
    >>> y
    array([5.])
    """
    return Region("compute")


def irreversible() -> Region:
    """`with tp.irreversible():` statements that run forward in either direction: what they write is not brought back.

    >>> import numpy as np, tapeless as tp
    >>> @tp.reversible
    ... def counted(x, calls):
    ...     x += 1.0
    ...     with tp.irreversible():
    ...         calls[0] += 1
    >>> x, calls = np.zeros(2), np.zeros(1, int)
    >>> counted(x, calls)
    >>> (~counted)(x, calls)
    >>> x, calls
    (array([0., 0.]), array([2]))
    """
    return Region("irreversible")


def inverse() -> Region:
    """`with tp.inverse():` the block, run backwards; in compiled functions only.

    >>> import numpy as np, tapeless as tp
    >>> @tp.jit
    ... def undone(x):
    ...     with tp.inverse():
    ...         x += 1.0
    ...         x *= 2.0
    >>> x = np.array([6.0])
    >>> undone(x)
    >>> x
    array([2.])
    """
    return Region("inverse")


def saved(value: Any) -> Any:
    """The value itself, which is kept for the inverse: `if tp.saved(x > 0.0):`, `old = tp.saved(x[0])`.

    A reversible function keeps what its inverse cannot tell by itself (`f.keep`, `f.undo`); this names more to be kept,
    such as what is overwritten. Strictly reversible functions may not.

    >>> import numpy as np, tapeless as tp
    >>> @tp.reversible
    ... def clear(x):
    ...     for i in range(len(x)):
    ...         old = tp.saved(x[i])
    ...         x[i] = 0.0
    >>> x = np.array([3.0, 4.0])
    >>> _, kept = clear.keep(x)
    >>> clear.undo(kept, x)
    >>> x
    array([3., 4.])
    """
    return value


def ancilla(value: Any) -> Any:
    """A variable that begins with this value, and must be handed back with `tp.release`.

    >>> import tapeless as tp
    >>> @tp.reversible
    ... def add_square(y, x):
    ...     t = tp.ancilla(0.0)
    ...     t += x * x
    ...     y += t
    ...     t -= x * x
    ...     tp.release(t, 0.0)
    ...     return y
    >>> add_square(1.0, 3.0)
    10.0
    """
    return copy(value)


def release(variable: Any, value: Any) -> None:
    """Hand a variable back; it must be this value, floats to within 1e-8, and cannot be used afterwards.

    Inverses begin with it: `tp.release(k, n)` says that k is n at the end, whatever it was in between.
    """
    close = np.abs(np.subtract(variable, value)) <= RELEASED * np.maximum(1.0, np.abs(value))
    if not np.all(close):
        raise AssertionError("a variable is released that is not what it should be")
