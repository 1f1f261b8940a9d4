"""Functions with derivative rules of the user's own, and functions to run again, as in JAX.

Called from plain Python they are the plain function. In compiled code, and where they are differentiated, the rules
stand in for the derivative of the function's own text.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

# The compiler is imported by who compiles.
if TYPE_CHECKING:
    from .front.again import Again
    from .front.custom import Ruled

F = TypeVar("F", bound=Callable[..., Any])


class _Ruled:
    """What both kinds share: the plain function, and the arguments that are not differentiated."""

    def __init__(self, fun: Callable[..., Any], nondiff_argnums: tuple[int, ...] = ()) -> None:
        functools.update_wrapper(self, fun)
        self._fun, self._constants = fun, tuple(nondiff_argnums)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._fun(*args, **kwargs)


class custom_jvp(_Ruled):
    """A function whose tangent is given by a rule, which serves both modes.

    `rule(primals, tangents)` takes tuples and returns the value and its tangent; it must be linear in the tangents.
    Arguments at `nondiff_argnums` are passed to the rule first. Where an argument is not a float, its tangent is None.

    >>> import numpy as np, tapeless as tp
    >>> @tp.custom_jvp
    ... def log1pexp(x):
    ...     return np.log(1.0 + np.exp(x))
    >>> @log1pexp.defjvp
    ... def rule(primals, tangents):
    ...     (x,), (x_dot,) = primals, tangents
    ...     return log1pexp(x), (1.0 - 1.0 / (1.0 + np.exp(x))) * x_dot
    >>> tp.grad(log1pexp)(100.0)
    1.0
    """

    _rule: Callable[..., Any] | None = None

    def defjvp(self, rule: F) -> F:
        """Give the rule; it is returned, so that this is a decorator."""
        self._rule = rule
        return rule

    @property
    def __derivation__(self) -> Ruled:
        from .front.custom import Ruled

        return Ruled(self._fun, self._constants, self._rule)


class custom_vjp(_Ruled):
    """A function whose adjoint is given by a rule, for reverse mode.

    `fwd(*args)` returns the value and whatever `bwd` will need; `bwd(kept, cotangent)` returns a tuple with a cotangent
    per argument, None for zero. Arguments at `nondiff_argnums` are passed to `bwd` first, and have none.

    >>> import numpy as np, tapeless as tp
    >>> @tp.custom_vjp
    ... def clipped(x):
    ...     return x
    >>> clipped.defvjp(lambda x: (x, None), lambda _, x_adj: (np.clip(x_adj, -1.0, 1.0),))
    >>> tp.grad(lambda x: 10.0 * clipped(x))(3.0)
    1.0
    """

    _rules: tuple[Callable[..., Any] | None, Callable[..., Any] | None] = None, None

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Give the rules of the two sweeps."""
        self._rules = fwd, bwd

    @property
    def __derivation__(self) -> Ruled:
        from .front.custom import Ruled

        return Ruled(self._fun, self._constants, *self._rules)


class Checkpointed(_Ruled):
    """What `tp.checkpoint` makes of a function."""

    @property
    def __derivation__(self) -> Again:
        from .front.again import Again

        return Again(self._fun)
