"""Running one library call through the front end and the reference interpreter.

`call(function, args, kwargs)` lowers `function(*args, **kwargs)` for these arguments: arrays and NumPy scalars become
parameters, everything else is static. It returns what the call returned, and the arrays after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.front import registry
from tapeless.front.calls import call as front_call
from tapeless.front.context import Context
from tapeless.front.numpy import library  # noqa: F401 - registers the names
from tapeless.front.numpy.atoms import NUMPY_DTYPE
from tapeless.front.values import ArrayRef
from tapeless.ir.check import check
from tapeless.ir.core import Function
from tapeless.ir.eval import evaluate
from tapeless.ir.types import I64, Atom, Type, Var, i64
from tapeless.ir.walk import fresh

DTYPES = {dtype: ours for ours, dtype in NUMPY_DTYPE.items()}


def call(function: object, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, list[Any]]:
    """The result of a call (a tuple when it is one) and its arguments afterwards."""
    c = Context(front_call)
    params: list[Var] = []
    values = [_parameter(c, a, params) for a in args]
    named = {k: _parameter(c, a, params) for k, a in kwargs.items()}
    if isinstance(function, str):
        found = registry.find_method(function) or registry.find_attribute(function)
        assert found is not None, function
        result = found(c, *values, **named)
    else:
        result = c.call(function, values, named)
    parts = result if isinstance(result, tuple) else () if result is None else (result,)
    after = [v for v in values if isinstance(v, ArrayRef)]
    outputs = [_atom(c, v) for v in (*parts, *after)]
    program = Function("f", tuple(params), c.b.block(outputs))
    check(program)
    concrete = list(_dynamic((*args, *kwargs.values())))
    with np.errstate(all="ignore"):
        answers = evaluate(program, concrete)
    got = answers[: len(parts)]
    return (tuple(got) if isinstance(result, tuple) else got[0] if got else None), answers[len(parts) :]


def _dynamic(values: Sequence[Any]) -> Iterator[Any]:
    """What becomes a parameter, in the order of `_parameter`."""
    for value in values:
        if isinstance(value, list | tuple):
            yield from _dynamic(value)
        elif _is_dynamic(value):
            yield value


def _is_dynamic(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic)


def _parameter(c: Context, value: Any, params: list[Var]) -> Any:
    if isinstance(value, list | tuple):
        items = [_parameter(c, item, params) for item in value]
        return c.new_list(items) if isinstance(value, list) else tuple(items)
    if not _is_dynamic(value):
        return value
    sizes: list[Atom] = []
    for n in np.shape(value):
        size: Atom = i64(1) if n == 1 else fresh("n", Type(I64))
        if isinstance(size, Var):
            c.sizes.at_least_constant(size, 0)
        sizes.append(size)
    var = fresh("x", Type(DTYPES[value.dtype], tuple(sizes)))
    params.append(var)
    return c.fresh(var)


def _atom(c: Context, value: Any) -> Atom:
    return c.read(value) if isinstance(value, ArrayRef) else c.atom(value)
