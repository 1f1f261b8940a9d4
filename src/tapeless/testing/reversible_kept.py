"""Programs that keep what their inverses cannot tell: there and back, interpreted and compiled, to the same bits."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..inversion.inverse import inverse_block
from ..inversion.keeping import kept_arrays, sites_to_keep
from ..inversion.recording import recorded, replayed
from ..ir.build import Builder
from ..ir.check import check
from ..ir.core import Function
from ..ir.eval import interpreter
from ..ir.types import BOOL, Type
from ..ir.walk import fresh
from ..passes.notes import Notes
from ..passes.pipeline import PIPELINE
from .derivative_law import Found
from .reversible_programs import Reversible
from .verify import native_code

Run = Callable[[Sequence[Any]], Sequence[Any]]


def judge_kept(program: Reversible, *, compiled: bool) -> bool:
    """Raise unless a program comes back to where it began, given what it kept; False where that does not help it."""
    directions = both_directions(program)
    if directions is None:
        return False
    forward, inverse = directions
    _judge(program, interpreter(forward), interpreter(inverse), "interpreted", interpreter(program.function))
    if compiled:
        _judge(program, _native(forward), _native(inverse), "compiled")
    return True


def both_directions(program: Reversible) -> tuple[Function, Function] | None:
    """The program that keeps something, and its inverse: of results, what was kept, constants, and of each size."""
    function, body = program.function, program.function.body
    inputs, constants = function.params[: program.state], function.params[program.state :]
    lasts = {k: fresh("last", result.type) for k, result in enumerate(body.results)}
    sites = sites_to_keep(body, inputs, lasts)
    if sites is None:
        return None
    kept = kept_arrays(body, sites)
    ends = {len(body.results) + k: array.type.shape[0] for k, array in enumerate(kept.values())}
    b = Builder()
    before = inverse_block(b, replayed(body, sites, kept), inputs, {**lasts, **ends})
    forward = Function("recorded", function.params, recorded(body, sites))
    sizes = [fresh("size", Type(BOOL, (size,))) for size in function.sizes]
    inverse = Function("inverse", (*lasts.values(), *kept.values(), *constants, *sizes), b.block(before))
    check(forward)
    check(inverse)
    return forward, inverse


def _native(function: Function) -> Run:
    """As users run it: after all passes, in machine code."""
    for step in PIPELINE:
        function = step.run(function, Notes())
    call = native_code(function, "auto")
    return lambda args: call(copy.deepcopy(list(args)), 1)


def _judge(program: Reversible, forward: Run, inverse: Run, stage: str, plain: Run | None = None) -> None:
    function, state = program.function, program.state
    for args in program.inputs:
        after = forward(args)
        if plain is not None:
            _same(f"{stage} forward", after, plain(args))
        lengths: dict[Any, int] = {}
        for param, arg in zip(function.params, args, strict=True):
            lengths.update(zip(param.type.shape, np.shape(arg), strict=True))
        sizes = [np.zeros(lengths[size], bool) for size in function.sizes]
        _same(f"{stage} back", inverse([*after, *args[state:], *sizes]), args[:state])


def _same(stage: str, found: Sequence[Any], expected: Sequence[Any]) -> None:
    for k, (x, y) in enumerate(zip(found, expected, strict=False)):
        if not np.array_equal(x, y):
            raise Found("wrong", stage, f"value {k} is {x}, must be {y}")
