"""Wrong derivatives on purpose: every partial of every operation's record, changed in the ways people get it wrong.

A law that lets one of these pass proves nothing. `record_mutants()` yields each with a context manager that plants it
in the registry; `caught(mutant)` judges programs that apply the operation once, made from its record.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np

from ..ir import op as registry
from ..ir.build import build
from ..ir.core import Function
from ..ir.eval import evaluate
from ..ir.op import Op, Partial, all_ops
from ..ir.types import F64, Atom, Lit, Type, Var
from ..ops.samples import Case, cases
from ..records import replace
from .derivative_law import judge_derivatives

POINTS = 8


@dataclass(frozen=True, slots=True)
class Mutant:
    """An operation with one wrong partial."""

    right: Op
    wrong: Op
    change: str

    @property
    def name(self) -> str:
        return f"{self.right.name}: {self.change}"

    @contextmanager
    def planted(self) -> Generator[None, None, None]:
        """The compiler believes the wrong record meanwhile."""
        with mock.patch.dict(registry._REGISTRY, {self.right.name: self.wrong}):  # pyright: ignore[reportPrivateUsage]
            yield


def record_mutants() -> Iterator[Mutant]:
    """Sign, factor, dropped and swapped for each partial; a change that changes nothing is left out."""
    for op in all_ops():
        if isinstance(op.partials, str):
            continue
        for k, right in enumerate(op.partials):
            wrongs = {f"partial {k} {change}": mutate(right) for change, mutate in _CHANGES.items()}
            if len(op.partials) > 1:
                wrongs[f"partial {k} is another's"] = op.partials[(k + 1) % len(op.partials)]
                wrongs[f"operands of partial {k} swapped"] = _turned(right)
            for change, wrong in wrongs.items():
                if not _agree(op, right, wrong):
                    partials = (*op.partials[:k], wrong, *op.partials[k + 1 :])
                    yield Mutant(op, replace(op, partials=partials), change)


def caught(mutant: Mutant, mode: str) -> bool:
    """Do the laws find the planted mistake in this mode?"""
    function, args = applications(mutant.right)
    with mutant.planted():
        return judge_derivatives(function, args, modes=(mode,)).kind == "wrong"


def applications(op: Op) -> tuple[Function, list[Any]]:
    """The program that applies an operation at several points of its domain."""
    case, rng = _case(op), np.random.default_rng(len(op.name))
    arity = len(case.ranges)
    params = tuple(Var(f"x{k}", Type(F64)) for k in range(POINTS * arity))
    groups = [params[arity * k : arity * (k + 1)] for k in range(POINTS)]
    function = build("applications", params, lambda b: [b.apply(op.name, *group) for group in groups])
    return function, [value for _ in range(POINTS) for value in case.arguments(rng)]


def _scaled(partial: Partial, factor: float) -> Partial:
    def wrong(b: Any, args: Sequence[Atom], out: Atom) -> Atom:
        return b.apply("mul", partial(b, args, out), Lit(factor, out.type.dtype))

    return wrong


def _raised(partial: Partial) -> Partial:
    return lambda b, args, out: b.apply("add", partial(b, args, out), Lit(1.0, out.type.dtype))


def _turned(partial: Partial) -> Partial:
    return lambda b, args, out: partial(b, [args[1], args[0], *args[2:]], out)


_CHANGES: dict[str, Callable[[Partial], Partial]] = {
    "negated": lambda partial: _scaled(partial, -1.0),
    "doubled": lambda partial: _scaled(partial, 2.0),
    "off by one part in a million": lambda partial: _scaled(partial, 1.000001),
    "plus one": _raised,
    "dropped": lambda partial: _scaled(partial, 0.0),
}


def _case(op: Op) -> Case:
    return next(case for case in cases(op) if case.function.params[0].type.dtype is F64)


def _agree(op: Op, right: Partial, wrong: Partial) -> bool:
    """Are these partials equal at random points?"""
    case, rng = _case(op), np.random.default_rng(1)
    params = case.function.params

    def both(b: Any) -> Sequence[Atom]:
        out = b.apply(op.name, *params)
        return right(b, params, out), wrong(b, params, out)

    function = build("both", params, both)
    return all(x == y for x, y in (evaluate(function, case.arguments(rng)) for _ in range(8)))
