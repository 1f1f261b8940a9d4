"""Which statement of a program has a wrong derivative?

Rules are local: the derivative of a program is wrong only if that of one of its statements is, at the values that the
statement meets. So each statement is made a program of its own (what it mentions are the arguments), and judged at the
values of its first execution, outer statements before those inside them. The innermost one that fails is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ir import eval as interpreter
from ..ir.check import check
from ..ir.core import Block, Check, Function, Stm
from ..ir.numbers import NUMPY
from ..ir.types import Var
from ..ir.walk import free_vars, lambdas
from .derivative_law import judge_derivatives
from .verify import Verdict

Values = dict[Var, Any]


@dataclass(frozen=True, slots=True)
class Culprit:
    """A statement, and what is wrong with its derivative."""

    stm: Stm
    verdict: Verdict


def culprit(function: Function, args: Sequence[Any], modes: Sequence[str]) -> Culprit | None:
    """The innermost statement whose derivative is wrong in one of the modes; None when each by itself is right."""
    return _search(function.body, executed(function, args), modes)


def executed(function: Function, args: Sequence[Any]) -> dict[int, Values]:
    """For each statement that runs, by its identity: the values it meets the first time."""
    seen: dict[int, Values] = {}
    linker = _Recorder(seen)
    sizes = {size: linker.slot(size) for size in function.sizes}
    slots = [linker.slot(param) for param in function.params]
    run = linker.block(function.body)
    frame = linker.frame.copy()
    for param, slot, arg in zip(function.params, slots, args, strict=True):
        frame[slot] = np.asarray(arg, NUMPY.storage(param.type.dtype))[()]
        for size, length in zip(param.type.shape, np.shape(frame[slot]), strict=True):
            if isinstance(size, Var):
                frame[sizes[size]] = np.int64(length)
    with np.errstate(all="ignore"):
        run(frame)
    return seen


class _Recorder(interpreter._Linker):  # pyright: ignore[reportPrivateUsage]
    """The interpreter, which also writes down what each statement is about to read."""

    def __init__(self, seen: dict[int, Values]) -> None:
        super().__init__(NUMPY, None)
        self.seen = seen

    def statement(self, stm: Stm) -> Callable[[list[Any]], None]:
        step = super().statement(stm)
        reads = [(var, self.slot(var)) for var in free_vars(stm.expr)]

        def recorded(frame: list[Any]) -> None:
            if id(stm) not in self.seen:
                self.seen[id(stm)] = {var: frame[slot] for var, slot in reads}
            step(frame)

        return recorded


def _search(block: Block, seen: dict[int, Values], modes: Sequence[str]) -> Culprit | None:
    for stm in block.stms:
        if id(stm) not in seen or isinstance(stm.expr, Check):
            continue
        verdict = _alone(stm, seen[id(stm)], modes)
        if verdict.kind == "wrong":
            inner = (_search(lam.body, seen, modes) for lam in lambdas(stm.expr))
            return next((found for found in inner if found is not None), Culprit(stm, verdict))
    return None


def _alone(stm: Stm, values: Values, modes: Sequence[str]) -> Verdict:
    """The law for the program that consists of one statement."""
    sizes = {size for var in values for size in var.type.shape}
    params = tuple(var for var in values if var not in sizes)
    function = Function("statement", params, Block((stm,), tuple(v for v in stm.vars if v.type.dtype.is_float)))
    try:
        check(function)
    except TypeError:  # a size that the statement itself makes: judged with the statements around it
        return Verdict("ok")
    return judge_derivatives(function, [values[var] for var in params], modes=modes, prepared=False)
