"""Sets of inputs through reductions, scans and histograms.

The word of a result is the union over what was combined. Components of an operator that fixed values go through keep
their own operator beside it. Where a component reads others (the mean and the variance of a running estimate), it
depends on what they depend on: the components that it reaches are found in the operator once, and their unions united.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..ir.build import Builder
from ..ir.core import Block, Hist, Lambda, Reduce, Scan, Stm
from ..ir.types import Atom, Type, Var
from ..ir.walk import free_vars, fresh
from .activity import varied
from .values import elementwise
from .words import NOTHING, Words, everything, everywhere, union

EmitBlock: TypeAlias = Callable[[Words, Builder, Block], None]


def reduce_words(w: Words, b: Builder, stm: Stm, expr: Reduce | Scan, emit: EmitBlock) -> None:
    """Emit a reduction or scan over fixed values and over words."""
    fixed, moving = _split(w, stm.vars)
    inner = b.child()
    emit(w, inner, expr.body.body)
    values = expr.body.body.results
    words = [w.filled(inner, values[k]) for k in moving]
    body = Lambda(expr.body.params, inner.block((*(values[k] for k in fixed), *words)))
    neutral = (*(expr.neutral[k] for k in fixed), *(w.filled(b, expr.neutral[k]) for k in moving))
    types = [Type(NOTHING.dtype, expr.neutral[k].type.shape) for k in moving]
    op = _operator(w, b, expr.op, fixed, types, emit)
    made = [fresh("set", w.type(stm.vars[k])) for k in moving]
    bound = (*(stm.vars[k] for k in fixed), *made)
    b.stms.append(Stm(bound, type(expr)(expr.size, op, neutral, body), stm.pos))
    _reach(w, b, stm.vars, expr.op, moving, made)


def hist_words(w: Words, b: Builder, stm: Stm, expr: Hist, emit: EmitBlock) -> None:
    """Emit a histogram over fixed values and over words; its keys are fixed."""
    fixed, moving = _split(w, stm.vars)
    inner = b.child()
    emit(w, inner, expr.body.body)
    keys, values = expr.body.body.results[: expr.keys], expr.body.body.results[expr.keys :]
    words = [w.filled(inner, values[k]) for k in moving]
    body = Lambda(expr.body.params, inner.block((*keys, *(values[k] for k in fixed), *words)))
    neutral = (*(expr.neutral[k] for k in fixed), *[NOTHING] * len(moving))
    dest = (*(expr.dest[k] for k in fixed), *(w.filled(b, expr.dest[k]) for k in moving))
    op = _operator(w, b, expr.op, fixed, [NOTHING.type] * len(moving), emit)
    made = [fresh("set", w.type(stm.vars[k])) for k in moving]
    bound = (*(stm.vars[k] for k in fixed), *made)
    b.stms.append(Stm(bound, Hist(expr.size, op, neutral, dest, expr.keys, body), stm.pos))
    _reach(w, b, stm.vars, expr.op, moving, made)


def _split(w: Words, vars: Sequence[Var]) -> tuple[list[int], list[int]]:
    """The positions of results that are fixed, and of those that vary."""
    return [k for k, var in enumerate(vars) if w.is_fixed(var)], [k for k, var in enumerate(vars) if w.is_varied(var)]


def _operator(w: Words, b: Builder, op: Lambda, fixed: Sequence[int], types: Sequence[Type], emit: EmitBlock) -> Lambda:
    """The operator's own components where they are fixed, unions beside them."""
    count = len(op.params) // 2
    inner = b.child()
    if fixed:
        emit(w, inner, op.body)
    old, new = ([fresh("set", type) for type in types] for _ in range(2))
    joined = [elementwise(inner, "or", x, y) for x, y in zip(old, new, strict=True)]
    left, right = ([op.params[start + k] for k in fixed] for start in (0, count))
    return Lambda((*left, *old, *right, *new), inner.block((*(op.body.results[k] for k in fixed), *joined)))


def _reach(w: Words, b: Builder, vars: Sequence[Var], op: Lambda, moving: Sequence[int], made: Sequence[Atom]) -> None:
    """Unite each component with those that it reads, directly or through others, and with what the operator reads."""
    outside = union(b, *(everything(b, w.of(var)) for var in free_vars(op)))
    reads = _closure(op, len(vars))
    for k, own in zip(moving, made, strict=True):
        others = [word for j, word in zip(moving, made, strict=True) if j in reads[k] and j != k]
        read = [word if word.type == own.type else everywhere(b, everything(b, word), own.type) for word in others]
        w.define(b, vars[k], union(b, own, *read, everywhere(b, outside, own.type)))


def _closure(op: Lambda, count: int) -> list[set[int]]:
    """For each component the components that its value depends on."""
    reads: list[set[int]] = [set() for _ in range(count)]
    for j in range(count):
        names = {op.params[j].name, op.params[count + j].name}
        reached = varied(op.body, names)
        for k, result in enumerate(op.body.results):
            if isinstance(result, Var) and result.name in reached:
                reads[k].add(j)
    for middle in range(count):
        for component in reads:
            component.update(reads[middle] if middle in component else ())
    return reads
