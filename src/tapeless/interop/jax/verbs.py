"""The verbs: `jacobian`, `grad`, `value_and_grad`, `hessian`, `jvp`, `vjp` of JAX functions, as JAX names them.

Arguments and results are pytrees, `argnums` and `has_aux` mean what they mean in JAX. A derivative is made once for
each combination of shapes and types; `method="jax"` asks for JAX's own, and `method="measured"` times ours and JAX's
where XLA compiles them, and keeps the fastest.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...backend.jaxlib.library import jax
from ...eliminate.methods import how
from ...errors import ArgumentError, DerivativeError
from .derived import Derived, Request, derived


def jacobian(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    *,
    method: Any = "auto",
    budget: float | str | None = None,
    backend: str = "auto",
) -> Callable[..., Any]:
    """The Jacobian of a JAX function; its structure is that of `jax.jacfwd`.

    `method` and `budget` are those of `tp.jacobian`, and "jax" or "measured". With `backend="native"` the derivative
    is compiled by Tapeless and called from XLA, with "jax" by XLA; "auto" compiles straight-line code on CPUs.
    """
    if method not in ("jax", "measured"):
        how(method, budget)
    return _wrapped(fun, Request("jacobian", _positions(argnums), has_aux, method, budget, backend))


def jacfwd(fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The Jacobian by columns."""
    return jacobian(fun, argnums, has_aux, method="forward")


def jacrev(fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The Jacobian by rows."""
    return jacobian(fun, argnums, has_aux, method="reverse")


def grad(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    *,
    method: str = "auto",
    backend: str = "auto",
) -> Callable[..., Any]:
    """The gradient of a JAX function that returns one number."""
    both = value_and_grad(fun, argnums, has_aux, method=method, backend=backend)

    @functools.wraps(fun)
    def call(*args: Any, **kwargs: Any) -> Any:
        value, slopes = both(*args, **kwargs)
        return (slopes, value[1]) if has_aux else slopes

    return call


def value_and_grad(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    *,
    method: str = "auto",
    backend: str = "auto",
) -> Callable[..., Any]:
    """The value and the gradient of a JAX function that returns one number."""
    return _wrapped(fun, Request("gradient", _positions(argnums), has_aux, method, None, backend))


def hessian(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    *,
    method: Any = "auto",
    budget: float | str | None = None,
    backend: str = "auto",
) -> Callable[..., Any]:
    """The Hessian of a JAX function that returns one number: the Jacobian of its gradient."""
    slope = grad(fun, argnums, has_aux, method="jax" if method == "jax" else "auto", backend="jax")
    return jacobian(slope, argnums, has_aux, method=method, budget=budget, backend=backend)


def jvp(
    fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False
) -> tuple[Any, ...]:
    """The value of a JAX function and its derivative in one direction, as `jax.jvp`."""
    if not isinstance(primals, tuple | list) or not isinstance(tangents, tuple | list):
        raise ArgumentError("the primals and tangents must be tuples", fix="write jvp(f, (x,), (x_dot,))")
    request = Request("jvp", tuple(range(len(primals))), has_aux)
    leaves, tree = jax.tree.flatten(tuple(tangents))
    expected = jax.tree.structure(tuple(primals))
    if tree != expected:
        raise ArgumentError(f"the tangents have the structure {tree}, the primals {expected}")
    return derived(fun, request).push(tuple(primals), leaves)


def vjp(fun: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """The value of a JAX function, and the map from cotangents to adjoints of the primals, as `jax.vjp`."""
    request = Request("vjp", tuple(range(len(primals))), has_aux)
    return derived(fun, request).pull(primals)


def _wrapped(fun: Callable[..., Any], request: Request) -> Callable[..., Any]:
    derivative = Derived(fun, request)

    @functools.wraps(fun)
    def call(*args: Any, **kwargs: Any) -> Any:
        return derivative(*args, **kwargs)

    return call


def _positions(argnums: int | Sequence[int]) -> int | tuple[int, ...]:
    if isinstance(argnums, int | np.integer):
        return int(argnums)
    found = tuple(int(k) for k in argnums)
    if not found:
        raise DerivativeError(f"argnums={argnums!r} names no argument")
    return found
