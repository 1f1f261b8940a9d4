"""The completeness matrix: what is known of each operation, and what is missing.

`matrix()` has a row per operation; `holes()` names everything that a record lacks. An operation is
complete when every operand type has a program (`samples`) which the checker accepts and whose
value has the type that the type rule promises, when its partials are one per operand or a word,
when a kink has a convention, and when lowering and documentation are given.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..errors import IRError
from ..ir.check import check
from ..ir.core import Function
from ..ir.eval import evaluate
from ..ir.numbers import NUMPY_TYPES
from ..ir.op import Op, all_ops
from ..ir.types import DType
from .samples import Case, cases


@dataclass(frozen=True, slots=True)
class Row:
    """One operation; `tested` counts the programs made from its record that give what they promise."""

    op: str
    dtypes: tuple[DType, ...]
    meaning: bool
    partials: str
    lowering: str
    tested: int


def matrix(ops: tuple[Op, ...] | None = None) -> tuple[Row, ...]:
    """A row per operation, in the order of registration."""
    return tuple(_row(op) for op in (all_ops() if ops is None else ops))


def holes(ops: tuple[Op, ...] | None = None) -> tuple[str, ...]:
    """Everything that is missing, a sentence each; empty when the table is complete."""
    return tuple(f"{op.name}: {hole}" for op in (all_ops() if ops is None else ops) for hole in _holes(op))


def _row(op: Op) -> Row:
    tested = sum(_fault(case) == "" for case in cases(op))
    partials = op.partials if isinstance(op.partials, str) else f"{len(op.partials)}"
    return Row(op.name, op.dtypes, bool(tested), partials, op.lowering, tested)


def _holes(op: Op) -> Iterator[str]:
    programs = cases(op)
    covered = {param.type.dtype for case in programs for param in case.function.params}
    for dtype in op.dtypes:
        # An operation without array operands (`iota`) is covered by any program.
        if dtype not in covered and (covered or not programs):
            yield f"no test program for {dtype!r}"
    for case in programs:
        if fault := _fault(case):
            yield fault
    if not isinstance(op.partials, str) and len(op.partials) != op.arity:
        yield f"{len(op.partials)} partials for {op.arity} operands"
    if not op.domain.smooth and not op.domain.convention:
        yield "no convention for the derivative where it is not smooth"
    if not op.lowering:
        yield "no lowering"
    if not op.doc:
        yield "no documentation"


def _fault(case: Case) -> str:
    """What goes wrong when the program is checked and evaluated, or nothing."""
    function = case.function
    try:
        check(function)
        (value,) = evaluate(function, case.arguments(np.random.default_rng(0)))
    except (IRError, AttributeError, TypeError, ValueError) as error:
        return f"the meaning fails on {_signature(function)}: {error}"
    (wanted,) = function.result_types
    if np.asarray(value).dtype != NUMPY_TYPES[wanted.dtype] or np.ndim(value) != wanted.rank:
        return f"the meaning on {_signature(function)} is not {wanted!r}"
    return ""


def _signature(function: Function) -> str:
    return "(" + ", ".join(repr(param.type) for param in function.params) + ")"
