"""The scalar operations of the table on JAX arrays, and index arithmetic that stays affine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ir.types import BOOL, I64, DType
from .library import jnp, lax, special
from .values import Affine, Value, aligned, is_known, jax_dtype, of_affine, of_array, product, total, united


def _floordiv(x: Any, y: Any) -> Any:
    if jnp.issubdtype(jnp.result_type(x), jnp.floating):
        return jnp.floor_divide(x, y)
    return jnp.where(y == 0, 0, jnp.floor_divide(x, jnp.where(y == 0, 1, y)))


def _mod(x: Any, y: Any) -> Any:
    if jnp.issubdtype(jnp.result_type(x), jnp.floating):
        return jnp.mod(x, y)
    return jnp.where(y == 0, 0, jnp.mod(x, jnp.where(y == 0, 1, y)))


def _ipow(x: Any, y: Any) -> Any:
    return jnp.where(y < 0, 1, jnp.power(x, jnp.maximum(y, 0)))


def _select(cond: Any, x: Any, y: Any) -> Any:
    shape = jnp.broadcast_shapes(np.shape(cond), np.shape(x), np.shape(y))
    if np.shape(cond) == np.shape(x) == np.shape(y):
        return lax.select(cond, x, y)
    return lax.select(*(jnp.broadcast_to(each, shape) for each in (cond, x, y)))


def _fma(x: Any, y: Any, z: Any) -> Any:
    return x * y + z


def _same(x: Any) -> Any:
    return x


def _is_nan(x: Any) -> Any:
    return lax.ne(x, x)


TABLE: dict[str, Callable[..., Any]] = {
    "add": lax.add, "sub": lax.sub, "mul": lax.mul, "div": lax.div, "floordiv": _floordiv, "mod": _mod,
    "neg": lax.neg, "abs": lax.abs, "sign": lax.sign, "pow": lax.pow, "ipow": _ipow,
    "min": lax.min, "max": lax.max, "fmin": jnp.fmin, "fmax": jnp.fmax,
    "fma": _fma, "copysign": jnp.copysign,
    "and": lax.bitwise_and, "or": lax.bitwise_or, "xor": lax.bitwise_xor, "not": lax.bitwise_not,
    "shl": lax.shift_left, "shr": lax.shift_right_arithmetic, "lshr": lax.shift_right_logical,
    "eq": lax.eq, "ne": lax.ne, "lt": lax.lt, "le": lax.le, "gt": lax.gt, "ge": lax.ge, "select": _select,
    "stop_gradient": _same,
    "basis": _same,
    "sqrt": lax.sqrt, "cbrt": lax.cbrt, "exp": lax.exp, "exp2": lax.exp2, "expm1": lax.expm1, "log": lax.log,
    "log2": jnp.log2, "log10": jnp.log10, "log1p": lax.log1p, "sin": lax.sin, "cos": lax.cos, "tan": lax.tan,
    "asin": lax.asin, "acos": lax.acos, "atan": lax.atan, "atan2": lax.atan2, "sinh": lax.sinh,
    "cosh": lax.cosh, "tanh": lax.tanh, "asinh": lax.asinh, "acosh": lax.acosh, "atanh": lax.atanh,
    "hypot": jnp.hypot, "erf": lax.erf, "erfc": lax.erfc, "lgamma": lax.lgamma, "gamma": special.gamma,
    "digamma": lax.digamma, "floor": lax.floor, "ceil": lax.ceil, "trunc": jnp.trunc, "rint": jnp.rint,
    "isnan": _is_nan, "isinf": jnp.isinf, "isfinite": lax.is_finite,
}  # fmt: skip


def apply_scalar(op: str, dtype: DType, values: Sequence[Value], attrs: tuple[Any, ...]) -> Value:
    """A scalar operation on values of any axes; `dtype` is the type of its first operand."""
    if dtype is I64 and op in _AFFINE:
        found = _AFFINE[op](*map(as_affine, values))
        if found is not None and _is_small(found):
            return of_affine(found)
    if dtype.is_float and op == "mul":
        return product(*values)
    if op == "scale":
        return product(*values, masked=True)
    if dtype.is_float and op == "add":
        return total(*values)
    axes = united(values)
    arrays = [aligned(value, axes) for value in values]
    match op:
        case "convert":
            return of_array(axes, _converted(arrays[0], attrs[0]))
        case "bitcast":
            return of_array(axes, lax.bitcast_convert_type(arrays[0], jax_dtype(attrs[0])))
        case _:
            return of_array(axes, TABLE[op](*arrays))


def _converted(x: Any, dtype: DType) -> Any:
    if dtype is BOOL:
        return x != 0
    if is_known(x):
        return np.asarray(x).astype(jax_dtype(dtype))
    return lax.convert_element_type(x, jax_dtype(dtype))


# -- index arithmetic -------------------------------------------------------------------------------


def as_affine(value: Value) -> Affine | None:
    """An integer in terms of the axes; one that is the same everywhere is a base."""
    if value.affine is not None or value.axes:
        return value.affine
    return Affine(0, (), value.array)


def _is_small(x: Affine) -> bool:
    """Is there no doubt that this does not wrap around?"""
    return all(abs(number) < 1 << 40 for number in (x.const, *(c for _, c in x.terms)))


def _sum(x: Affine | None, y: Affine | None, sign: int = 1) -> Affine | None:
    if x is None or y is None or (sign < 0 and y.base is not None):
        return None
    terms = dict(x.terms)
    for axis, c in y.terms:
        terms[axis] = terms.get(axis, 0) + sign * c
    bases = [base for base in (x.base, y.base) if base is not None]
    base = None if not bases else bases[0] if len(bases) == 1 else bases[0] + bases[1]
    return Affine(x.const + sign * y.const, tuple(terms.items()), base)


def _difference(x: Affine | None, y: Affine | None) -> Affine | None:
    return _sum(x, y, -1)


def _times(x: Affine | None, y: Affine | None) -> Affine | None:
    if x is None or y is None:
        return None
    if x.static is None:
        x, y = y, x
    if x.static is None or y.base is not None:
        return None
    return Affine(x.static * y.const, tuple((axis, x.static * c) for axis, c in y.terms))


def _negated(x: Affine | None) -> Affine | None:
    return _times(Affine(-1), x)


def _split(x: Affine | None, y: Affine | None) -> tuple[Affine, Affine] | None:
    """Quotient and remainder by a constant, where the remainder of the terms never reaches it."""
    n = None if y is None else y.static
    if x is None or n is None or n <= 0 or x.base is not None:
        return None
    low = Affine(x.const % n, tuple((axis, c % n) for axis, c in x.terms))
    if low.bounds is None or low.bounds[1] >= n:
        return None
    return Affine(x.const // n, tuple((axis, c // n) for axis, c in x.terms)), low


def _quotient(x: Affine | None, y: Affine | None) -> Affine | None:
    parts = _split(x, y)
    return parts and parts[0]


def _remainder(x: Affine | None, y: Affine | None) -> Affine | None:
    parts = _split(x, y)
    return parts and parts[1]


def _extreme(sign: int) -> Callable[[Affine | None, Affine | None], Affine | None]:
    """The one that is never beyond the other."""

    def choose(x: Affine | None, y: Affine | None) -> Affine | None:
        apart = _difference(x, y)
        bounds = apart and apart.bounds
        if not bounds:
            return None
        if bounds[0] >= 0:
            return x if sign > 0 else y
        return (y if sign > 0 else x) if bounds[1] <= 0 else None

    return choose


_AFFINE: dict[str, Callable[..., Affine | None]] = {
    "add": _sum, "sub": _difference, "mul": _times, "neg": _negated, "floordiv": _quotient, "mod": _remainder,
    "min": _extreme(-1), "max": _extreme(1),
}  # fmt: skip
