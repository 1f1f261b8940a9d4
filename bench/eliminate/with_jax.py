"""JAX: its own Jacobians (`forward`, `reverse`), and ours run by XLA (`ours`) or called by it (`native`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from jax import numpy
from setting import Call, is_hessian
from tasks import Task, for_jax

import tapeless.jax


def many(task: Task, points: Any, variant: str, threads: int) -> Call:  # noqa: ARG001 (XLA's are set from outside)
    jacobians = jax.jit(jax.vmap(_jacobian(task, variant)))
    arguments = numpy.asarray(points)
    return Call(lambda: jax.block_until_ready(jacobians(arguments)))


def one(task: Task, point: Any, variant: str) -> Any:
    return jax.block_until_ready(jax.jit(_jacobian(task, variant))(numpy.asarray(point)))


def _jacobian(task: Task, variant: str) -> Callable[..., Any]:
    scalars = for_jax(task)

    def vector(x: Any) -> Any:
        results = scalars(*(x[k] for k in range(len(task.shapes))))
        return results if is_hessian(task) else numpy.stack(results)

    match variant, is_hessian(task):
        case "forward", hessian:
            return jax.jacfwd(jax.grad(vector) if hessian else vector)
        case "reverse", hessian:
            return jax.jacrev(jax.grad(vector) if hessian else vector)
        case "ours", hessian:
            return tapeless.jax.hessian(vector) if hessian else tapeless.jax.jacobian(vector)
        case _, hessian:
            verb = tapeless.jax.hessian if hessian else tapeless.jax.jacobian
            return verb(vector, backend="native")
