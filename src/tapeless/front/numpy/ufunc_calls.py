"""Calls of ufuncs and of their methods: `np.add(x, y, out=z)`, `np.add.reduce`, `.accumulate`, `.outer`, `.at`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...ir.build import Builder
from ...ir.types import BOOL, I64, Atom, Lit
from ..context import Context
from ..registry import implements
from ..values import Value
from .arguments import array_like, count, in_range, only_options, pull
from .arithmetic import power
from .atoms import highest, literal, lowest
from .elementwise import Ufunc, apply_ufunc, broadcast, deliver, elementwise, floating, require_castable
from .nest import Atoms, Pull, array_of, stretched, unflatten
from .reductions import accumulated, all_, any_, max_, min_, prod, sum_, sum_type
from .ufuncs import ASSOCIATIVE, UFUNCS, by_op

_REDUCERS: dict[np.ufunc, Callable[..., Value]] = {
    np.add: sum_, np.multiply: prod, np.minimum: min_, np.maximum: max_, np.logical_and: all_, np.logical_or: any_,
}  # fmt: skip


def register_ufuncs() -> None:
    """Register every ufunc of the table, and the methods that have a parallel form."""
    for function, ufunc in UFUNCS.items():
        implements(function)(_power_call if function is np.power else _call(ufunc))
        if ufunc.arity == 2:
            implements(function.outer)(_outer(ufunc))
    implements(np.subtract.at)(_at(np.subtract))
    for function, reducer in _REDUCERS.items():
        implements(function.at)(_at(function))
        implements(function.reduce)(_reduce(reducer))
        implements(function.accumulate)(_accumulate(function))
    implements(np.divmod)(divmod_)
    implements(np.modf)(modf)


def _call(ufunc: Ufunc) -> Callable[..., Value]:
    def call(c: Context, *operands: Value, out: Value = None, where: Value = True, **options: Value) -> Value:
        only_options(c, ufunc.name, options)
        operands, out = _split_out(c, ufunc, operands, out)
        if where is True:
            return apply_ufunc(c, ufunc, operands, out)
        return _deliver_where(c, apply_ufunc(c, ufunc, operands), where, out)

    return call


def _power_call(c: Context, *operands: Value, out: Value = None, where: Value = True, **options: Value) -> Value:
    only_options(c, "np.power", options)
    (base, exponent), out = _split_out(c, UFUNCS[np.power], operands, out)
    if where is True:
        return power(c, base, exponent, out)
    return _deliver_where(c, power(c, base, exponent), where, out)


def _deliver_where(c: Context, result: Value, where: Value, out: Value) -> Value:
    """Write the result into `out` where a condition holds."""
    if out is None:
        c.refuse(
            "where= is compiled together with out=",
            why="without it the other elements of the result are whatever was in memory",
            fix="give out=, or use np.where",
        )
    require_castable(c, c.dtype(result), c.dtype(out))
    pulls = [pull(c, where, BOOL), pull(c, result, c.dtype(out)), pull(c, out)]
    return deliver(c, elementwise(c, pulls, by_op("select")), out)


def _split_out(c: Context, ufunc: Ufunc, operands: tuple[Value, ...], out: Value) -> tuple[tuple[Value, ...], Value]:
    """The operands as numbers and arrays, and `out`, which may come last by position or in a tuple."""
    if len(operands) == ufunc.arity + 1 and out is None:
        *rest, out = operands
        operands = tuple(rest)
    if len(operands) != ufunc.arity:
        c.refuse(f"{ufunc.name} takes {ufunc.arity} operands, not {len(operands)}")
    inside = c.items(out)
    return tuple(array_like(c, x) for x in operands), out if inside is None else inside[0]


def _reduce(reducer: Callable[..., Value]) -> Callable[..., Value]:
    def reduce(c: Context, a: Value, axis: Value = 0, **options: Value) -> Value:
        return reducer(c, a, axis=axis, **options)

    return reduce


def _accumulate(function: np.ufunc) -> Callable[..., Value]:
    def accumulate(c: Context, a: Value, axis: Value = 0, *, out: Value = None, **options: Value) -> Value:
        only_options(c, "accumulate", options)
        p = pull(c, a)
        if function in (np.add, np.multiply):
            p = p.to(sum_type(p.dtype))
        elif function in (np.logical_and, np.logical_or):
            p = p.to(BOOL)
        return deliver(c, accumulated(c, p, axis, ASSOCIATIVE[function][p.dtype is BOOL], neutral_of(function, p)), out)

    return accumulate


def neutral_of(function: np.ufunc, p: Pull) -> Lit:
    """The neutral element of an associative ufunc."""
    if function is np.minimum:
        return highest(p.dtype)
    if function is np.maximum:
        return lowest(p.dtype)
    return literal(1 if function in (np.multiply, np.logical_and) else 0, p.dtype)


def _outer(ufunc: Ufunc) -> Callable[..., Value]:
    def outer(c: Context, x: Value, y: Value) -> Value:
        x, y = array_like(c, x), array_like(c, y)
        dtype = ufunc.rule(c, ufunc.name, (x, y))
        left, right = pull(c, x, dtype), pull(c, y, dtype)

        def at(b: Builder, index: Atoms) -> Atom:
            return ufunc.kernel(b, left.at(b, index[: left.rank]), right.at(b, index[left.rank :]))

        return c.fresh(array_of(c.b, (*left.shape, *right.shape), at))

    return outer


def _at(function: np.ufunc) -> Callable[..., Value]:
    """`np.add.at(a, keys, values)`: every key counts, also when it comes twice."""
    ufunc = UFUNCS[function]

    def at(c: Context, a: Value, indices: Value, values: Value) -> None:
        if not c.is_array(a):
            c.refuse(f"{ufunc.name}.at needs an array to write into")
        dtype = c.dtype(a)
        if ufunc.rule(c, ufunc.name, (a, a)) is not dtype:
            c.refuse(f"{ufunc.name}.at is compiled only where it keeps the type of the array")
        require_castable(c, pull(c, values).dtype, dtype)
        keys = c.items(indices) or (indices,)
        if len(keys) > len(c.shape(a)):
            c.refuse("more indices than dimensions")
        places = [pull(c, key) for key in keys]
        if any(not p.dtype.is_int for p in places):
            c.refuse(f"{ufunc.name}.at takes integer indices", fix="use a[mask] = ... for boolean masks")
        _emit_at(c, function, a, places, pull(c, values, dtype))

    return at


def _emit_at(c: Context, function: np.ufunc, a: Value, places: list[Pull], values: Pull) -> None:
    """A histogram over the flattened index space; subtracting is adding the negative."""
    combine = np.add if function is np.subtract else function
    array: Atom = c.read(a)
    space = broadcast(c, [p.shape for p in places])
    keys = [stretched(p.to(I64), space) for p in places]
    rest = array.type.shape[len(places) :]
    given = stretched(values, broadcast(c, [(*space, *rest), values.shape]))

    def element(b: Builder, index: Atoms) -> Atom:
        value = given.at(b, index)
        return b.apply("neg", value) if function is np.subtract else value

    def body(b: Builder, flat: Atom) -> list[Atom]:
        at = unflatten(b, space, flat)
        where = [in_range(b, k.at(b, at), n) for k, n in zip(keys, array.type.shape, strict=False)]
        return [*where, array_of(b, rest, lambda b, tail: element(b, (*at, *tail)))]

    op, neutral = ASSOCIATIVE[combine][given.dtype is BOOL], neutral_of(combine, given)
    c.write(a, c.b.hist(count(c, space), op, (neutral,), (array,), len(keys), body)[0])


def divmod_(c: Context, x: Value, y: Value) -> Value:
    """Quotient and remainder."""
    operands = (array_like(c, x), array_like(c, y))
    return apply_ufunc(c, UFUNCS[np.floor_divide], operands), apply_ufunc(c, UFUNCS[np.remainder], operands)


def modf(c: Context, x: Value) -> Value:
    """Fractional and integral part, both with the sign of x."""

    def fraction(b: Builder, x: Atom) -> Atom:
        rest = b.apply("sub", x, b.apply("trunc", x))
        rest = b.apply("select", b.apply("isinf", x), literal(0, x.type.dtype), rest)
        return b.apply("copysign", rest, x)

    value = array_like(c, x)
    parts = (Ufunc("np.modf", 1, floating, kernel) for kernel in (fraction, by_op("trunc")))
    return tuple(apply_ufunc(c, part, (value,)) for part in parts)
