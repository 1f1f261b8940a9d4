"""Running one library call through the front end and the reference interpreter.

Arrays and NumPy scalars among the arguments become parameters of a program, `Weak` numbers become parameters that
are Python numbers, everything else is static.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.front import capture, registry  # noqa: F401 - capture registers every handler
from tapeless.front.calls import call as front_call
from tapeless.front.captured import Parameters
from tapeless.front.context import Context
from tapeless.front.numpy.atoms import NUMPY_DTYPE
from tapeless.front.values import ArrayRef, ListRef, Value
from tapeless.ir.check import check
from tapeless.ir.core import Function
from tapeless.ir.eval import evaluate
from tapeless.ir.types import I64, Atom, Type, Var, i64
from tapeless.ir.walk import fresh

DTYPES = {dtype: ours for ours, dtype in NUMPY_DTYPE.items()}


@dataclass(frozen=True)
class Weak:
    """A Python number that is known only at run time."""

    value: bool | int | float


@dataclass(frozen=True)
class Answer:
    """What a call returned, as a list of parts, and the array arguments after it."""

    parts: list[Any]
    is_python: list[bool]
    is_tuple: bool
    arrays: list[Any]


def call(function: object, args: Sequence[Any], kwargs: dict[str, Any]) -> Answer:
    """`function(*args, **kwargs)`; a string names a method or attribute of the first argument."""
    names = list(kwargs)

    def action(c: Context, values: Sequence[Value]) -> Value:
        named = dict(zip(names, values[len(args) :], strict=True))
        if isinstance(function, str):
            found = registry.find_method(function) or registry.find_attribute(function)
            assert found is not None, function
            return found(c, *values[: len(args)], **named)
        return c.call(function, values[: len(args)], named)

    return run(action, (*args, *kwargs.values()))


def run(action: Callable[[Context, Sequence[Value]], Value], args: Sequence[Any]) -> Answer:
    """The answer of what `action` builds over the arguments as values."""
    c = Context(front_call)
    c.parameters = Parameters(c.store)
    params: list[Var] = []
    values = [_parameter(c, a, params) for a in args]
    result = action(c, values)
    if isinstance(result, ListRef):
        result = c.items(result)
    parts: tuple[Value, ...] = result if isinstance(result, tuple) else () if result is None else (result,)
    arrays = [v for v in values if isinstance(v, ArrayRef)]
    outputs = [_atom(c, v) for v in (*parts, *arrays)]
    program = Function("f", tuple(params), c.b.block(outputs))
    check(program)
    with np.errstate(all="ignore"):
        answers = evaluate(program, list(_dynamic(args)))
    weak = [c.is_weak(part) for part in parts]
    return Answer(answers[: len(parts)], weak, isinstance(result, tuple), answers[len(parts) :])


def same(got: Any, want: Any) -> None:
    """Assert one type, one shape and equal elements, up to rounding for floats."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    if want.dtype.kind != "f":
        np.testing.assert_array_equal(got, want)
    else:
        rounding = 2e-6 if want.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(got, want, rtol=rounding, atol=rounding)


def _parameter(c: Context, value: Any, params: list[Var]) -> Value:
    if isinstance(value, list | tuple):
        items = [_parameter(c, item, params) for item in value]
        return c.new_list(items) if isinstance(value, list) else tuple(items)
    if not isinstance(value, np.ndarray | np.generic | Weak):
        return value
    concrete = np.asarray(value.value) if isinstance(value, Weak) else value
    sizes: list[Atom] = []
    for n in concrete.shape:
        size: Atom = i64(1) if n == 1 else fresh("n", Type(I64))
        if isinstance(size, Var):
            c.sizes.at_least_constant(size, 0)
        sizes.append(size)
    var = fresh("x", Type(DTYPES[concrete.dtype], tuple(sizes)))
    params.append(var)
    return c.fresh(var, weak=isinstance(value, Weak))


def _dynamic(values: Sequence[Any]) -> Iterator[Any]:
    """What became a parameter, in order."""
    for value in values:
        if isinstance(value, list | tuple):
            yield from _dynamic(value)
        elif isinstance(value, Weak):
            yield np.asarray(value.value)[()]
        elif isinstance(value, np.ndarray | np.generic):
            yield value


def _atom(c: Context, value: Value) -> Atom:
    return c.read(value) if isinstance(value, ArrayRef) else c.atom(value)
