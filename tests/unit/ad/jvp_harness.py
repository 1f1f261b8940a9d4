"""The program of a function's tangents, and random directions to try it in."""

import numpy as np

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.ad.jvp import pushforward
from tapeless.ir.build import Builder
from tapeless.ir.check import check
from tapeless.ir.core import Function
from tapeless.ir.numbers import NUMPY_TYPES
from tapeless.ir.walk import fresh


def jvp(function):
    """The program that also takes a tangent per float parameter and returns the tangents of the results that vary."""
    b = Builder()
    inputs = [param for param in function.params if param.type.dtype.is_float]
    tangents = [fresh(f"{param.name}_dot", param.type) for param in inputs]
    values, dots = pushforward(b, function.body, dict(zip(inputs, tangents, strict=True)))
    for value, x_dot in zip(values, dots, strict=True):
        assert x_dot is None or x_dot.type == value.type
    varying = tuple(k for k, x_dot in enumerate(dots) if x_dot is not None)
    derived = Function(
        f"{function.name}_jvp", (*function.params, *tangents), b.block((*values, *(dots[k] for k in varying)))
    )
    check(derived)
    return derived, varying


def directions(function, args, seed=5):
    """A random tangent per argument, None where it is not a float."""
    rng = np.random.default_rng(seed)

    def direction(param, arg):
        along = rng.uniform(-1.0, 1.0, np.shape(arg))
        return along.astype(NUMPY_TYPES[param.type.dtype])[()] if param.type.dtype.is_float else None

    return [direction(param, arg) for param, arg in zip(function.params, args, strict=True)]
