"""Making a derivative for given argument types, and running it on leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...backend.jaxlib.library import jax, jnp
from ...errors import DerivativeError
from ...front.jaxpr import Conversion
from . import bodies
from .native import native_call
from .program import trace
from .signature import Shape, Signature

if TYPE_CHECKING:
    from .derived import Request


@dataclass(frozen=True, slots=True)
class Made:
    """A derivative for a signature; `body` is one of `bodies`, compiled by JAX."""

    signature: Signature
    request: Request
    shape: Shape
    body: Callable[..., Sequence[Any]]
    is_closed: bool

    def run(self, leaves: Sequence[Any]) -> Any:
        """The gradient or Jacobian."""
        return self.body(*leaves)

    def push(self, leaves: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, ...]:
        dots = [jnp.asarray(tangents[k], self.signature.avals[k].dtype) for k in self.signature.active]
        outs, out_dots, aux = self.body(leaves, dots)
        filled = [
            _no_tangent(leaf) if dot is None else dot for leaf, dot in zip(self.shape.leaves, out_dots, strict=False)
        ]
        pair = jax.tree.unflatten(self.shape.out, outs), jax.tree.unflatten(self.shape.out, filled)
        return (*pair, jax.tree.unflatten(self.shape.aux, aux)) if self.request.has_aux else pair

    def pull(self, fun: Callable[..., Any], primals: tuple[Any, ...], leaves: Sequence[Any]) -> tuple[Any, ...]:
        result = fun(*primals)
        value, aux = _pair(result) if self.request.has_aux else (result, None)

        def back(cotangent: Any) -> tuple[Any, ...]:
            given, tree = jax.tree.flatten(cotangent)
            if tree != self.shape.out:
                raise DerivativeError(f"the cotangent has the structure {tree}, the result {self.shape.out}")
            adjoints = iter(self.body(leaves, [jnp.asarray(x) for x in _smooth(given)]))
            active = set(self.signature.active)
            made = [next(adjoints) if k in active else _no_tangent(aval) for k, aval in enumerate(self.signature.avals)]
            return jax.tree.unflatten(self.signature.tree, made)[0]

        return (value, back, aux) if self.request.has_aux else (value, back)


def make(fun: Callable[..., Any], request: Request, signature: Signature) -> Made:
    """The derivative of a function for argument types."""
    shape = Shape()

    def flat(*leaves: Any) -> list[Any]:
        args, kwargs = jax.tree.unflatten(signature.tree, leaves)
        result = fun(*args, **kwargs)
        out, aux = _pair(result) if request.has_aux else (result, None)
        found, shape.out = jax.tree.flatten(out)
        more, shape.aux = jax.tree.flatten(aux)
        shape.leaves = tuple(jax.ShapeDtypeStruct(np.shape(x), jnp.result_type(x)) for x in (*found, *more))
        return [*found, *more]

    program = trace(flat, signature.avals, signature.active, bodies.target_of(request))
    match request.verb:
        case "gradient":
            body = bodies.gradient(request, signature, shape, program)
        case "jacobian":
            body = bodies.jacobian(request, signature, shape, program)
        case "jvp":
            body = bodies.push(request, signature, shape, program)
        case "vjp":
            body = bodies.pull(request, signature, shape, program)
    return Made(signature, request, shape, jax.jit(body), program.is_closed)


def _pair(result: Any) -> tuple[Any, Any]:
    match result:
        case (out, aux):
            return out, aux
        case _:
            raise DerivativeError("with has_aux=True the function must return a pair", fix="return value, aux")


def traced_whole(fun: Callable[..., Any], tree: Any, leaves: Sequence[Any]) -> Callable[[Sequence[Any]], Any]:
    """A JAX function as machine code, for arguments of these types."""
    out: list[Any] = []

    def flat(*leaves: Any) -> list[Any]:
        found, structure = jax.tree.flatten(fun(*jax.tree.unflatten(tree, leaves)))
        out[:] = [structure]
        return found

    avals = [jax.ShapeDtypeStruct(jnp.shape(leaf), jnp.result_type(leaf)) for leaf in leaves]
    program = trace(flat, avals, range(len(avals)), "native")
    body = native_call(program.function("native", None, Conversion()))

    def run(leaves: Sequence[Any]) -> Any:
        known = program.known(*leaves)
        made = body(*leaves, *known[: program.taken])
        return jax.tree.unflatten(out[0], program.results(made, known))

    return run


def _no_tangent(leaf: Any) -> Any:
    return np.zeros(leaf.shape, jax.dtypes.float0)


def _smooth(leaves: Sequence[Any]) -> list[Any]:
    return [leaf for leaf in leaves if jnp.issubdtype(jnp.result_type(leaf), jnp.floating)]
