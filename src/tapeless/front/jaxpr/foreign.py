"""Equations that stay JAX's own: what has no rule here, and what XLA has a kernel of its own for.

Such an equation becomes an operation of another system (`ops.foreign`), whose value is computed by JAX and whose
derivative is JAX's as well. Equations of few elements are taken apart instead where there is a rule: derivatives
of scalars know which of them are zero.

`ruled` gives any equation the derivative that JAX defines for it, whatever its value is computed by: that is how
`custom_jvp` and `custom_vjp` keep their meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from ...ir.build import Atoms, Builder
from ...ir.core import Custom, Lambda
from ...ir.types import Atom, Lit
from ...ir.walk import fresh
from ...ops.foreign import Foreign
from .convert import Walk
from .types import type_of

# XLA has kernels for these; a nest of loops would be slower.
KERNELS = frozenset(
    (
        "cholesky", "conv_general_dilated", "cumlogsumexp", "cummax", "cummin", "cumprod", "cumsum", "gather",
        "reduce_window_max", "reduce_window_min", "reduce_window_sum", "scatter", "scatter-add", "scatter-max",
        "scatter-min", "scatter-mul", "scatter-sub", "triangular_solve",
    )
)  # fmt: skip

# Nothing is gained by taking these apart.
WHOLE = frozenset(["argmax", "argmin", "erf_inv", "lu", "lu_pivots_to_permutation", "reduce", "sort", "top_k"])

# Equations of at most so many elements are taken apart.
FEW = 64


def is_kept(equation: Any) -> bool:
    """Is this equation left to XLA in programs for JAX?"""
    name = equation.primitive.name
    if name not in KERNELS:
        return name in WHOLE
    avals = [var.aval for var in (*equation.invars, *equation.outvars)]
    return sum(prod(aval.shape) for aval in avals) > FEW


def foreign(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    """The results of an equation as JAX computes them."""

    def value(b: Builder, args: Atoms) -> Sequence[Atom]:
        types = tuple(type_of(var.aval) for var in equation.outvars)
        operation = Foreign(equation.primitive.name, types, function_of(equation))
        names = ["foreign" if type.dtype.is_float else "foreign_steps" for type in types]
        return [b.apply(name, *args, attrs=(operation, k)) for k, name in enumerate(names)]

    return ruled(walk, equation, args, value)


def ruled(walk: Walk, equation: Any, args: Atoms, value: Callable[[Builder, Atoms], Sequence[Atom]]) -> Sequence[Atom]:
    """Results that `value` emits, with the derivative that JAX has for the equation."""
    smooth = [var for var in equation.outvars if type_of(var.aval).dtype.is_float]
    mode = walk.options.mode
    moving = _moving(equation, args)
    if not smooth or not moving:
        return value(walk.b, args)
    walk.record.ruled.append(equation.primitive.name)
    if mode is None:
        return value(walk.b, args)
    params = tuple(fresh("x", arg.type) for arg in args)
    inner = walk.b.child()
    body = Lambda(params, inner.block(value(inner, params)))
    types = [result.type for result in body.body.results]
    if mode == "forward":
        return walk.b.bind(types, Custom(args, body, walk.lam(pushed(equation, moving))))
    again = walk.b.child()
    copies = tuple(fresh("x", arg.type) for arg in args)
    forward = Lambda(copies, again.block((*value(again, copies), *copies)))
    return walk.b.bind(types, Custom(args, body, forward, walk.lam(pulled(equation, moving))))


def _moving(equation: Any, args: Atoms) -> list[int]:
    """The operands by which JAX is asked to differentiate: not numbers, nor what a function with a rule closes over.

    JAX refuses those where it has no rule for them, though nothing is asked in the end.
    """
    closed = int(equation.params.get("num_consts", 0)) if equation.primitive.name.startswith("custom_vjp") else 0
    return [k for k, x in enumerate(args) if k >= closed and x.type.dtype.is_float and not isinstance(x, Lit)]


# -- what JAX says of an equation -------------------------------------------------------------------


def function_of(equation: Any) -> Callable[..., Any]:
    """The equation as a function of all its operands that JAX can call."""
    from .library import jax_core

    # Operands that are literals, or given twice, are parameters of their own here.
    params = [jax_core.Var(var.aval) for var in equation.invars]
    single = equation.replace(invars=params)
    debug = jax_core.DebugInfo("equation", equation.primitive.name, None, None)
    jaxpr = jax_core.Jaxpr((), params, equation.outvars, [single], equation.effects, debug)
    return jax_core.jaxpr_as_fun(jax_core.ClosedJaxpr(jaxpr, ()))


def pushed(equation: Any, moving: Sequence[int]) -> Any:
    """The jaxpr from the operands and a tangent for each float among them to results and tangents of the floats."""
    from .flat import tidied
    from .library import jax

    avals, floats = _operands(equation)

    def dual(*values: Any) -> Any:
        args, dots = values[: len(avals)], dict(zip(floats, values[len(avals) :], strict=True))
        function, points = _along(equation, args, moving)
        results, tangents = jax.jvp(function, points, tuple(dots[k] for k in moving))
        return (*results, *(t for r, t in zip(results, tangents, strict=True) if _is_float(r)))

    return tidied(jax.make_jaxpr(dual)(*avals, *(avals[k] for k in floats)))


def pulled(equation: Any, moving: Sequence[int]) -> Any:
    """The jaxpr from the operands and an adjoint for each float result to an adjoint for each float operand."""
    from .flat import tidied
    from .library import jax

    avals, floats = _operands(equation)
    smooth = [_shape(var.aval) for var in equation.outvars if _is_float(var.aval)]

    def back(*values: Any) -> Any:
        args, seeds = values[: len(avals)], values[len(avals) :]
        function, points = _along(equation, args, moving)

        def floating(*given: Any) -> Any:
            return tuple(r for r in function(*given) if _is_float(r))

        found = dict(zip(moving, jax.vjp(floating, *points)[1](tuple(seeds)), strict=True))
        return [found[k] if k in found else jax.numpy.zeros_like(args[k]) for k in floats]

    return tidied(jax.make_jaxpr(back)(*avals, *smooth))


def _operands(equation: Any) -> tuple[list[Any], list[int]]:
    """The operands of an equation, and which of them are floats."""
    avals = [_shape(var.aval) for var in equation.invars]
    return avals, [k for k, aval in enumerate(avals) if _is_float(aval)]


def _along(equation: Any, args: Sequence[Any], moving: Sequence[int]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """An equation as a function of the operands that move, and these."""
    function = function_of(equation)

    def varied(*given: Any) -> Any:
        full = list(args)
        for k, x in zip(moving, given, strict=True):
            full[k] = x
        return function(*full)

    return varied, tuple(args[k] for k in moving)


def _shape(aval: Any) -> Any:
    from .library import jax

    return jax.ShapeDtypeStruct(aval.shape, aval.dtype)


def _is_float(value: Any) -> bool:
    return str(value.dtype).startswith("float") and value.dtype.itemsize > 0
