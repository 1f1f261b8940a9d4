"""Sums of arrays: reductions whose operator works element by element.

    reduce n [zeros] (x: f64[K, d], y: f64[K, d]) { map k { map j { x[k, j] + y[k, j] } } } (i) { ... }

The return sweep is made of these: every read of an array that iterations share becomes one. `operators` names the
operation of each accumulator, whether it is a scalar or an array; `sum_operator` makes the operator of such a sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ..ir.build import Builder
from ..ir.core import Apply, Block, Function, Lambda, Map, Reduce, Scan
from ..ir.types import Atom, Lit, Type, Var
from ..ir.walk import statements

REORDERABLE = ("add", "mul", "min", "max", "fmin", "fmax", "and", "or", "xor")
# What a name stands for: an accumulator or a value, and the indices at which it was read.
_Parts: TypeAlias = "dict[str, tuple[Var, tuple[Atom, ...]]]"


def operators(expr: Reduce | Scan) -> list[str] | None:
    """The operation of each accumulator, when each is a single one that may be reordered; of arrays only sums."""
    half = len(expr.neutral)
    found: list[str] = []
    statements: set[int] = set()
    for acc, value, result in zip(expr.op.params[:half], expr.op.params[half:], expr.op.body.results, strict=True):
        maker = _maker(expr.op.body, result)
        name = _operator(expr.op.body, result, (), {acc.name: (acc, ()), value.name: (value, ())})
        if maker is None or name is None or (acc.type.shape and name != "add"):
            return None
        statements.add(maker)
        found.append(name)
    return found if len(statements) == len(expr.op.body.stms) else None


def plus(b: Builder, x: Atom, y: Atom) -> Atom:
    """x + y, element by element."""
    if not x.type.shape:
        return b.apply("add", x, y)
    return b.map_(x.type.shape[0], lambda b, i: (plus(b, b.apply("index", x, i), b.apply("index", y, i)),))[0]


def sum_operator(b: Builder, types: Sequence[Type]) -> Lambda:
    """The operator of a reduction that adds up values of these types."""

    def combine(inner: Builder, *operands: Var) -> Sequence[Atom]:
        count = len(types)
        return [plus(inner, x, y) for x, y in zip(operands[:count], operands[count:], strict=True)]

    return b.lam((*types, *types), combine)


def zero_arrays(function: Function) -> frozenset[Var]:
    """The arrays that are all zeros."""
    found: set[Var] = set()
    for stm in statements(function.body):
        match stm.expr:
            case Apply("replicate", (Lit(value), *_)) if value == 0:
                found.update(stm.vars)
            case _:
                pass
    return frozenset(found)


def _maker(block: Block, result: Atom) -> int | None:
    return next((number for number, stm in enumerate(block.stms) if result in stm.vars), None)


def _operator(block: Block, result: Atom, at: tuple[Atom, ...], outer: _Parts) -> str | None:
    """The operation of which `result` is the outcome, on the elements of an accumulator and a value at `at`."""
    parts = dict(outer)
    for stm in block.stms:
        match stm.expr:
            case Apply("index", (Var() as base, *indices)) if base.name in parts:
                root, before = parts[base.name]
                parts[stm.vars[0].name] = root, (*before, *indices)
            case Apply(op, (Var() as x, Var() as y)) if stm.vars == (result,) and op in REORDERABLE:
                if x.name not in parts or y.name not in parts:
                    return None
                (first, here), (second, there) = parts[x.name], parts[y.name]
                return op if first != second and here == there == at else None
            case Map(_, body) if result in stm.vars:
                inner = body.body.results[stm.vars.index(result)]  # type: ignore[arg-type]
                return _operator(body.body, inner, (*at, body.params[0]), parts)
            case _:
                pass
    return None
