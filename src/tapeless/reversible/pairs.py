"""Functions with inverses of the user's own: `tp.dual`, `tp.selfdual`, `@tp.primitive`.

Called from plain Python they are the plain functions. In a reversible function the inverse that was given is what
undoes a call, whatever the text of the function says; `check_inverse` of whoever calls it shows whether it does.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import ArgumentError
from ..rules import custom_vjp

# The compiler is imported by who compiles.
if TYPE_CHECKING:
    from ..front.pairs import Pair

F = TypeVar("F", bound=Callable[..., Any])


class dual:
    """Two functions that undo each other: both change arrays in place, and return the numbers that they change.

    >>> import numpy as np, tapeless as tp
    >>> def halve(x):
    ...     x *= 0.5
    >>> def double(x):
    ...     x *= 2.0
    >>> shrink = tp.dual(halve, double)
    >>> @tp.reversible
    ... def shift(x):
    ...     shrink(x)
    ...     x += 1.0
    >>> x = np.array([4.0])
    >>> shift(x)
    >>> (~shift)(x)
    >>> x
    array([4.])
    """

    def __init__(self, function: Callable[..., Any], inverse: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function, self._inverse = function, inverse

    def __call__(self, *args: Any) -> Any:
        return self._function(*args)

    @property
    def inv(self) -> dual:
        """The other one first."""
        return dual(self._inverse, self._function)

    __inverse__ = inv

    def __invert__(self) -> dual:
        return self.inv

    @property
    def __derivation__(self) -> Pair:
        from ..front.pairs import Pair

        return Pair(self._function, self._inverse, in_place=True)


def selfdual(function: Callable[..., Any]) -> dual:
    """A function that undoes itself, such as a reflection."""
    return dual(function, function)


class primitive:
    """A function that returns new values of its first arguments, with an inverse, and an adjoint if it needs one.

    The inverse takes the results in the places of these arguments, and returns what they were. The adjoint takes the
    adjoints of the results, the results and the other arguments, and returns an adjoint for each argument.

    >>> import numpy as np, tapeless as tp
    >>> @tp.primitive
    ... def turn(a, b, t):
    ...     return a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)
    >>> @turn.inverse
    ... def back(a, b, t):
    ...     return turn(a, b, -t)
    >>> @turn.adjoint
    ... def pulled(a_adj, b_adj, a, b, t):
    ...     t_adj = a * b_adj - b * a_adj
    ...     a_adj, b_adj = turn(a_adj, b_adj, -t)
    ...     return a_adj, b_adj, t_adj
    >>> @tp.reversible
    ... def spin(a, b, n):
    ...     for k in range(n):
    ...         a, b = turn(a, b, 0.1 * k)
    ...     return a, b
    >>> np.round((~spin)(*spin(1.0, 2.0, 10), 10), 12)
    array([1., 2.])
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function, self._inverse = function, _no_inverse(function)
        self._ruled: Callable[..., Any] = function

    def __call__(self, *args: Any) -> Any:
        return self._function(*args)

    def inverse(self, function: F) -> F:
        """Give the inverse; it is returned, so that this is a decorator."""
        self._inverse = function
        return function

    def adjoint(self, function: F) -> F:
        """Give the adjoint; it is returned, so that this is a decorator."""
        ruled = custom_vjp(self._function)
        ruled.defvjp(*_rules(self._function, function))
        self._ruled = ruled
        return function

    @property
    def inv(self) -> primitive:
        """The inverse as a primitive, whose derivative is that of its text."""
        other = primitive(self._inverse)
        other.inverse(self._function)
        return other

    __inverse__ = inv

    def __invert__(self) -> primitive:
        return self.inv

    @property
    def __derivation__(self) -> Pair:
        from ..front.pairs import Pair

        return Pair(self._ruled, self._inverse, in_place=False)


def _no_inverse(function: Callable[..., Any]) -> Callable[..., Any]:
    def missing(*_: Any) -> Any:
        raise ArgumentError(f"{function.__name__} has no inverse yet", fix=f"give it with @{function.__name__}.inverse")

    return missing


def _rules(function: Callable[..., Any], adjoint: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The two sweeps of reverse mode, compiled from this text as the functions of users are."""

    def forward(*args: Any) -> Any:
        results = function(*args)
        return results, (results, args)

    def backward(kept: Any, adjoints: Any) -> Any:
        results, args = kept
        if isinstance(results, tuple):
            return adjoint(*adjoints, *results, *args[len(results) :])  # pyright: ignore[reportUnknownArgumentType]
        return adjoint(adjoints, results, *args[1:])

    return forward, backward
