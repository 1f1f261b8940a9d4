"""JAX: its own Jacobians (`forward`, `reverse`), and ours run by XLA (`ours`) or called by it (`native`)."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
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
    if any(task.shapes):
        return _of_arrays(task, variant)
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


def _of_arrays(task: Task, variant: str) -> Callable[..., Any]:
    """From a row of all numbers to the derivative of all results by all arguments, as one matrix."""
    verbs = {"forward": jax.jacfwd, "reverse": jax.jacrev, "ours": tapeless.jax.jacobian}
    native = functools.partial(tapeless.jax.jacobian, backend="native")
    function, count = for_jax(task), len(task.shapes)
    blocks = verbs.get(variant, native)(lambda *args: jax.tree.leaves(function(*args)), tuple(range(count)))
    ends = np.cumsum([math.prod(shape) for shape in task.shapes])[:-1]

    def matrix(x: Any) -> Any:
        args = [part.reshape(shape) for part, shape in zip(numpy.split(x, ends), task.shapes, strict=True)]
        rows = []
        for row in blocks(*args):
            sizes = [math.prod(shape) for shape in task.shapes]
            rows.append(numpy.concatenate([b.reshape(-1, size) for b, size in zip(row, sizes, strict=True)], axis=1))
        return numpy.concatenate(rows)

    return matrix
