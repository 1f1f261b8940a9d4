"""The verbs of the user."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, overload

from .jitted import Jitted, Options, jitted


@overload
def jit(function: Callable[..., Any], /) -> Jitted: ...
@overload
def jit(*, static_shapes: bool = False, check: str | None = None) -> Callable[[Callable[..., Any]], Jitted]: ...
def jit(
    function: Callable[..., Any] | None = None, /, *, static_shapes: bool = False, check: str | None = None
) -> Jitted | Callable[[Callable[..., Any]], Jitted]:
    """Compile a function to native code, at its first call for each combination of argument types.

    Deleting the decorator changes no result. `static_shapes=True` specialises by all sizes of the arguments;
    `check="bounds,nan"` chooses run-time checks for this function.

    >>> import numpy as np, tapeless as tp
    >>> @tp.jit
    ... def total(x):
    ...     s = 0.0
    ...     for i in range(len(x)):
    ...         s += x[i] ** 2
    ...     return s
    >>> float(total(np.array([1.0, 2.0, 3.0])))
    14.0
    """
    options = Options(static_shapes, check)
    if function is None:
        return partial(jitted, options=options)
    return jitted(function, options)
