"""From a failing program to a small one that still fails.

`shrink(function, args, fails)` greedily takes every simpler program (`edits`) and simpler argument that is
well-typed and still fails, until none is left. `fails(function, args)` is the caller's predicate; it must
be False for programs whose interpretation is itself in error. `describe` prints what is left.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import IRError
from ..ir.check import check
from ..ir.core import Function
from ..ir.text import print_function
from ..ir.types import Lit, Var
from ..ir.walk import free_vars, operands, statements, substitute
from ..records import replace
from .edits import count, edits, without_dead

Program = tuple[Function, list[Any]]
Fails = Callable[[Function, list[Any]], bool]


def shrink(function: Function, args: Sequence[Any], fails: Fails, *, seconds: float = 60.0) -> Program:
    """A program that fails and from which no single move leads to a smaller one that fails."""
    best: Program = (function, list(args))
    deadline = time.monotonic() + seconds
    tried: set[str] = set()
    while time.monotonic() < deadline:
        better = next((p for p in _candidates(best) if _accept(p, best, fails, tried, deadline)), None)
        if better is None:
            return best
        best = better
    return best


def describe(function: Function, args: Sequence[Any]) -> str:
    """The program in text form, and its arguments."""
    lines = [print_function(function)]
    with np.printoptions(threshold=100_000, precision=17, floatmode="unique"):
        lines += [f"{param.name} = {value!r}" for param, value in zip(function.params, args, strict=True)]
    return "\n".join(lines)


def _accept(candidate: Program, best: Program, fails: Fails, tried: set[str], deadline: float) -> bool:
    """Is the candidate new, smaller, well-typed and failing?"""
    function, args = candidate
    if time.monotonic() > deadline or _measure(candidate) >= _measure(best):
        return False
    try:
        check(function)
    except (IRError, KeyError, ValueError):
        return False
    key = describe(function, args)
    if key in tried:
        return False
    tried.add(key)
    return fails(function, args)


def _measure(program: Program) -> tuple[int, int, int, int]:
    """Statements first, then parameters, results and variables mentioned, elements, how plain they are."""
    function, args = program
    elements = sum(np.size(arg) for arg in args)
    plainness = sum(len(str(x)) for arg in args for x in np.asarray(arg).flat)
    mentions = sum(isinstance(atom, Var) for stm in statements(function.body) for atom in operands(stm.expr))
    signature = len(args) + len(function.body.results) + len(function.donated)
    return count(function), signature + mentions, elements, plainness


def _candidates(program: Program) -> Iterator[Program]:
    function, args = program
    yield without_dead(function), args
    for smaller in edits(function):
        yield without_dead(smaller), args
    yield from _fewer_parameters(function, args)
    yield from _smaller_arrays(function, args)
    yield from _plainer_values(function, args)


def _fewer_parameters(function: Function, args: list[Any]) -> Iterator[Program]:
    """Without a parameter: unused, or a scalar replaced by its value."""
    if function.donated:
        return
    used = free_vars(function.body)
    for k, param in enumerate(function.params):
        params = function.params[:k] + function.params[k + 1 :]
        if param not in used:
            yield replace(function, params=params), args[:k] + args[k + 1 :]
        elif not param.type.is_array:
            literal = Lit(args[k].item(), param.type.dtype)
            body = substitute(function.body, {param: literal})
            yield replace(function, params=params, body=body), args[:k] + args[k + 1 :]


def _smaller_arrays(function: Function, args: list[Any]) -> Iterator[Program]:
    """Each symbolic size smaller, in all arrays that have it."""
    for size in function.sizes:
        length = _length(function, args, size)
        for shorter in dict.fromkeys((0, 1, 2, length // 2, length - 1)):
            if 0 <= shorter < length:
                yield function, [_cut(p, arg, size, shorter) for p, arg in zip(function.params, args, strict=True)]


def _length(function: Function, args: list[Any], size: Var) -> int:
    found = (
        np.shape(arg)[param.type.shape.index(size)]
        for param, arg in zip(function.params, args, strict=True)
        if size in param.type.shape
    )
    return int(next(found))


def _cut(param: Var, arg: Any, size: Var, length: int) -> Any:
    if not param.type.is_array:
        return arg
    return np.ascontiguousarray(arg[tuple(slice(length if s == size else None) for s in param.type.shape)])


def _plainer_values(function: Function, args: list[Any]) -> Iterator[Program]:
    """Ones, zeros, or rounded numbers instead of random ones."""
    for k, arg in enumerate(args):
        for plainer in (np.ones_like(arg), np.zeros_like(arg), _rounded(arg)):
            yield function, [*args[:k], plainer[()], *args[k + 1 :]]


def _rounded(arg: Any) -> Any:
    array: Any = np.asarray(arg)
    return np.rint(array) if array.dtype.kind == "f" else array
