"""The numeric gate: a closed form is used only if it gives what the loop gives, on inputs drawn at random.

Both are run by the interpreter. The algebra is proven, so that what the gate would find is a mistake of this compiler;
the samples are small enough to be run every time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite, isnan
from random import Random
from typing import Any

import numpy as np

from ..errors import IRError
from ..ir.core import Block, Function, Stm
from ..ir.eval import Frame, Step, interpreter
from ..ir.numbers import NUMPY_TYPES
from ..ir.types import BOOL, F32, Atom, DType, Lit, Var
from ..ir.walk import free_vars

WANTED = 3  # runs that took the closed form
TRIALS = 16
DIFFERS = "its closed form was tried and differs"
STEPS = 1500  # statements of one run
_LARGEST_SIZE = 4


def objection(
    old: Sequence[Stm],
    new: Sequence[Stm],
    results: Sequence[Var],
    took: Atom,
    counts: Sequence[int],
    around: Mapping[str, Stm],
) -> str:
    """Why new statements may not stand for old ones; empty where they gave the same results.

    `took` says whether a run went through the closed form; `counts` are integers to try where there are some; `around`
    are the operations that made what the statements read.
    """
    before_both = _made_by(free_vars(Block(tuple(old), ())), around)
    old, new = (*before_both, *old), (*before_both, *new)
    free = free_vars(Block(tuple(old), ()), Block(tuple(new), ()))
    sizes = {size for var in free for size in var.type.shape}
    params = tuple(var for var in free if var not in sizes)
    clock = _Clock()
    before = interpreter(Function("old", params, Block(tuple(old), tuple(results))), watch=clock.watch)
    after = interpreter(Function("new", params, Block(tuple(new), (*results, took))), watch=clock.watch)
    rng, taken = np.random.default_rng(len(params)), 0
    for trial in range(TRIALS):
        args = _arguments(rng, params, counts, trial)
        wanted, found = clock.outcome(before, args), clock.outcome(after, args)
        if isinstance(wanted, type) or isinstance(found, type):
            # Numbers drawn at random may have no meaning: a size below zero, an index that nobody checks.
            if wanted is not found and wanted not in (TimeoutError, IRError):
                return DIFFERS
            continue
        if not all(map(_same, wanted, found[:-1], results)):
            return DIFFERS
        taken += bool(found[-1])
        if taken == WANTED:
            break
    return "" if taken else "its closed form was not reached on any of the inputs it was tried on"


def same_values(
    old: Sequence[Stm], new: Sequence[Stm], results: Sequence[Var], opposite: Mapping[str, str] | None = None
) -> bool:
    """Do operations on floats give the same results as others, at a few points?

    `opposite` tells of truth values of which other one each is the negation.
    """
    params = tuple(free_vars(Block(tuple(old), tuple(results))))
    runs = [interpreter(Function("run", params, Block(tuple(stms), tuple(results)))) for stms in (old, new)]
    dice = Random(len(old))
    for low, holds in ((-2.0, True), (0.1, False), (-1.0, True), (0.5, False)):
        truth = _truth([param.name for param in params if param.type.dtype is BOOL], opposite or {}, dice, holds)
        args = [truth[param.name] if param.name in truth else dice.uniform(low, 2.0) for param in params]
        wanted, found = (run(args) for run in runs)
        if not all(map(_same, wanted, found, results)):
            return False
    return True


def _truth(names: Sequence[str], opposite: Mapping[str, str], dice: Random, first: bool) -> dict[str, bool]:
    """Truth values of which some are the negations of others; the first one is given."""
    found: dict[str, bool] = {}
    for name in names:
        base, holds = name, True
        while base in opposite:
            base, holds = opposite[base], not holds
        if base not in found:
            found[base] = dice.random() < 0.5 if found else first
        found[name] = found[base] == holds
    return found


def _made_by(free: Iterable[Var], around: Mapping[str, Stm]) -> list[Stm]:
    """The operations that compute free variables, in order."""
    needed: dict[str, Stm] = {}
    todo = [var.name for var in free]
    while todo:
        stm = around.get(todo.pop())
        if stm is not None and stm.vars[0].name not in needed:
            needed[stm.vars[0].name] = stm
            todo += [var.name for var in free_vars(stm.expr)]
    return [stm for name, stm in around.items() if name in needed]


class _Clock:
    """Ends runs that take long: with numbers drawn at random a loop may have no end."""

    def __init__(self) -> None:
        self.left = 0

    def watch(self, _stm: Stm, step: Step) -> Step:
        def counted(frame: Frame) -> None:
            self.left -= 1
            if self.left < 0:
                raise TimeoutError
            step(frame)

        return counted

    def outcome(self, run: Callable[[Sequence[Any]], list[Any]], args: Sequence[Any]) -> list[Any] | type[Exception]:
        """The results, or the class of what was raised."""
        self.left = STEPS
        try:
            return run(args)
        except (ArithmeticError, AssertionError, IndexError, ValueError, RuntimeError, TimeoutError, IRError) as error:
            return type(error)


def _same(wanted: Any, found: Any, var: Var) -> bool:
    if not var.type.dtype.is_float:
        return bool(np.all(wanted == found))
    bound = 2e-3 if var.type.dtype is F32 else 1e-9
    if isinstance(wanted, float) and isinstance(found, float):
        return _close(float(wanted), float(found), bound)
    return bool(np.allclose(found, wanted, rtol=bound, atol=bound, equal_nan=True))


def _close(wanted: float, found: float, bound: float) -> bool:
    """`np.allclose` of two numbers, which takes thirty times as long."""
    if isfinite(wanted) and isfinite(found):
        return abs(found - wanted) <= bound + bound * abs(wanted)
    return wanted == found or (isnan(wanted) and isnan(found))


def _arguments(rng: np.random.Generator, params: Sequence[Var], counts: Sequence[int], trial: int) -> list[Any]:
    """Every other time all is positive, and all sizes are the same: then programs do what they are meant to do."""
    size = int(rng.integers(2, _LARGEST_SIZE)) if trial % 2 == 0 else None
    sizes: dict[str, int] = {}

    def extent(atom: Atom) -> int:
        if isinstance(atom, Lit):
            return int(atom.value)
        return sizes.setdefault(atom.name, int(rng.integers(2, _LARGEST_SIZE)) if size is None else size)

    return [_draw(rng, param.type.dtype, tuple(map(extent, param.type.shape)), counts, trial) for param in params]


def _draw(rng: np.random.Generator, dtype: DType, shape: tuple[int, ...], counts: Sequence[int], trial: int) -> Any:
    if dtype is BOOL:
        values = rng.integers(0, 2, shape)
    elif dtype.is_int:
        values = rng.choice(np.asarray(counts if trial % 2 else counts[len(counts) // 2 :]), shape)
    else:
        largest = 5.0 if trial % 4 == 2 else 0.1
        values = np.exp(rng.uniform(-3.0, largest, shape)) * rng.choice([1.0, -1.0] if trial % 2 else [1.0], shape)
    drawn = np.asarray(values).astype(NUMPY_TYPES[dtype])
    return drawn if shape else drawn[()]
