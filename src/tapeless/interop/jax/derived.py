"""A derivative of a JAX function, made once for each combination of argument types.

`Derived` flattens arguments, looks up or makes the derivative for their types (`Making`), runs it and rebuilds JAX's
result structure. Where the IR cannot express the function the derivative is JAX's own, with a warning.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from ...backend.jaxlib.library import jax, jnp
from ...errors import ArgumentError, DerivativeError, RefusedError
from ...runtime.collection import no_collection
from .made import Made, make
from .program import JaxRuleWarning
from .signature import Signature
from .timed import measured

Verb: TypeAlias = Literal["gradient", "jacobian", "jvp", "vjp"]
BACKENDS = ("auto", "jax", "native")


@dataclass(frozen=True, slots=True)
class Request:
    """What is wanted of a function."""

    verb: Verb
    argnums: int | tuple[int, ...]
    has_aux: bool = False
    method: Any = "auto"
    budget: Any = None
    backend: str = "auto"

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            raise ArgumentError(f"there is no back end {self.backend!r}", fix='choose "auto", "jax" or "native"')


class Derived:
    """A function's derivative."""

    def __init__(self, fun: Callable[..., Any], request: Request) -> None:
        self.fun, self.request = fun, request
        self.made: dict[Any, Made] = {}
        self.choices: dict[Any, Callable[..., Any]] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The gradient or Jacobian at these arguments, in JAX's structure."""
        if self.request.method == "jax":
            return jax_own(self.fun, self.request)(*args, **kwargs)
        signature, leaves = self._signature(args, kwargs)
        made = self._made(signature)
        if made is None:
            return jax_own(self.fun, self.request)(*args, **kwargs)
        return self._measured(made)(leaves) if self.request.method == "measured" else made.run(leaves)

    def _measured(self, made: Made) -> Callable[[Sequence[Any]], Any]:
        """The fastest of our derivative and JAX's own ones."""
        key = made.signature.key
        if key in self.choices:
            return self.choices[key]

        def flat(derivative: Callable[..., Any]) -> Callable[..., Sequence[Any]]:
            def call(*leaves: Any) -> list[Any]:
                args, kwargs = jax.tree.unflatten(made.signature.tree, leaves)
                return jax.tree.leaves(derivative(*args, **kwargs))

            return call

        theirs = [flat(own) for own in jax_owns(self.fun, self.request)]
        run = measured([lambda *leaves: jax.tree.leaves(made.run(leaves)), *theirs])
        structure = jax.tree.structure(jax.eval_shape(made.body, *made.signature.avals))

        def choose(leaves: Sequence[Any]) -> Any:
            return jax.tree.unflatten(structure, run(*leaves))

        if made.is_closed:
            self.choices[key] = choose
        return choose

    def push(self, primals: tuple[Any, ...], tangents: Sequence[Any]) -> tuple[Any, ...]:
        """The value, its tangent, and what is auxiliary."""
        signature, leaves = self._signature(primals, {})
        made = self._made(signature)
        if made is None:
            return jax.jvp(
                self.fun, primals, jax.tree.unflatten(jax.tree.structure(primals), tangents), self.request.has_aux
            )
        return made.push(leaves, tangents)

    def pull(self, primals: tuple[Any, ...]) -> tuple[Any, ...]:
        """The value, the map from cotangents to adjoints, and what is auxiliary."""
        signature, leaves = self._signature(primals, {})
        made = self._made(signature)
        if made is None:
            return jax.vjp(self.fun, *primals, has_aux=self.request.has_aux)
        return made.pull(self.fun, primals, leaves)

    def _made(self, signature: Signature) -> Made | None:
        """The derivative for argument types; None where only JAX has one."""
        if signature.key in self.made:
            return self.made[signature.key]
        try:
            with no_collection():
                made = make(self.fun, self.request, signature)
        except DerivativeError:
            raise
        except RefusedError as error:
            if self.request.backend == "native":
                raise
            warnings.warn(f"[TP310] JAX's own derivative is used: {error.what}", JaxRuleWarning, stacklevel=4)
            return None
        if made.is_closed:
            self.made[signature.key] = made
        return made

    def _signature(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Signature, list[Any]]:
        leaves, tree = jax.tree.flatten((args, kwargs))
        for leaf in leaves:
            if not isinstance(leaf, jax.Array | np.ndarray | np.generic | bool | int | float | complex):
                raise ArgumentError(f"{leaf!r} is no valid JAX type", fix="pass arrays, numbers and pytrees of them")
        avals = tuple(_abstract(leaf) for leaf in leaves)
        starts = np.cumsum([0, *(len(jax.tree.leaves(arg)) for arg in args)]).tolist()
        chosen = _positions(self.request.argnums, len(args))
        active = tuple(k for position in chosen for k in range(starts[position], starts[position + 1]))
        if self.request.verb in ("gradient", "jacobian"):
            for position in chosen:
                _need_floats(avals[starts[position] : starts[position + 1]], position)
        else:
            active = tuple(k for k in active if jnp.issubdtype(avals[k].dtype, jnp.floating))
        wrt = tuple(jax.tree.structure(args[position]) for position in chosen)
        return Signature(tree, avals, active, wrt, bool(jax.config.jax_enable_x64)), leaves


@functools.lru_cache(maxsize=512)
def derived(fun: Callable[..., Any], request: Request) -> Derived:
    """A function's derivative, the same object for the same request."""
    return Derived(fun, request)


def _abstract(leaf: Any) -> Any:
    aval = jax.typeof(leaf)
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)


def _positions(argnums: int | tuple[int, ...], count: int) -> tuple[int, ...]:
    wanted = (argnums,) if isinstance(argnums, int) else argnums
    for k in wanted:
        if not -count <= k < count:
            raise DerivativeError(
                f"argnums={argnums} asks for argument {k}, but there are {count} positional arguments"
            )
    return tuple(k % count for k in wanted)


def _need_floats(avals: Sequence[Any], position: int) -> None:
    for aval in avals:
        if not jnp.issubdtype(aval.dtype, jnp.inexact):
            raise DerivativeError(
                f"argument {position} cannot be differentiated by: it holds values of type {aval.dtype}",
                why="only floats vary smoothly",
                fix="convert it with .astype(float), or choose other arguments with argnums=...",
            )


def jax_owns(fun: Callable[..., Any], request: Request) -> list[Callable[..., Any]]:
    """All of JAX's derivatives that answer a request."""
    if request.verb == "gradient":
        return [jax_own(fun, request)]
    return [verb(fun, request.argnums, request.has_aux) for verb in (jax.jacfwd, jax.jacrev)]


def jax_own(fun: Callable[..., Any], request: Request) -> Callable[..., Any]:
    """JAX's derivative for a request."""
    if request.verb == "gradient":
        return jax.value_and_grad(fun, request.argnums, request.has_aux)

    def call(*args: Any, **kwargs: Any) -> Any:
        chosen = [args[k] for k in _positions(request.argnums, len(args))]
        out = jax.eval_shape(functools.partial(fun, **kwargs), *args)
        value = out[0] if request.has_aux else out
        columns = sum(np.size(leaf) for leaf in jax.tree.leaves(chosen))
        rows = sum(leaf.size for leaf in jax.tree.leaves(value))
        verb = jax.jacfwd if columns <= rows else jax.jacrev
        return verb(fun, request.argnums, request.has_aux)(*args, **kwargs)

    return call
