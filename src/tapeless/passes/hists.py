"""Recognising histograms: an array whose elements at computed indices are combined with new values, `a[k] (+)= v`.

The array must not be looked at otherwise. Several such statements in a row are several histograms one after
another. A branch that leaves the array alone gives the key -1, which a `Hist` ignores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ..ir.core import Apply, Block, If, Lambda, Stm
from ..ir.types import Atom, Type, Var, i64
from ..ir.walk import fresh, inline
from ..records import dataclass
from .algebra import neutral_literal
from .reductions import OPERATORS
from .rewrite import name_of
from .views import same

Sites = Mapping[str, tuple[Stm, int]]


@dataclass(frozen=True, slots=True)
class Deposit:
    """`array[keys] (+)= value`, after the statements `extra` at the end of the loop body."""

    op: str
    keys: tuple[Atom, ...]
    value: Atom
    extra: tuple[Stm, ...] = ()


def deposits(param: Var, result: Atom, sites: Sites, uses: Counter[str]) -> list[Deposit] | None:
    """What the body combines into a carried array, in order, when that is all it does with it."""
    found: list[Deposit] = []
    if uses[name_of(result)] != 1:
        return None
    while not same(result, param):
        step = _deposit(result, param, sites, uses)
        if step is None:
            return None
        deposit, version, mentions = step
        if isinstance(version, Var) and uses[version.name] != mentions:
            return None
        found.append(deposit)
        result = version
    operators = {deposit.op for deposit in found}
    return found[::-1] if len(operators) == 1 else None


def _deposit(result: Atom, param: Var, sites: Sites, uses: Counter[str]) -> tuple[Deposit, Atom, int] | None:
    """The last combination, the array before it, and how often that is mentioned."""
    if not isinstance(result, Var) or result.name not in sites:
        return None
    stm, k = sites[result.name]
    match stm.expr:
        case Apply("accumulate", (array, value, *keys)) if not value.type.shape:
            return Deposit("add", tuple(keys), value), array, 1
        case Apply("update", (array, value, *keys)) if not value.type.shape:
            combined = _combination(array, value, keys, sites, uses)
            return None if combined is None else (Deposit(combined[0], tuple(keys), combined[1]), array, 2)
        case If(cond, then, orelse):
            return _branch(stm, k, cond, (then, orelse), param, sites, uses)
        case _:
            return None


def _combination(
    array: Atom, value: Atom, keys: list[Atom], sites: Sites, uses: Counter[str]
) -> tuple[str, Atom] | None:
    """`value` as the old element combined with a new value, neither of which may be looked at otherwise."""
    stm = sites[value.name][0] if isinstance(value, Var) and value.name in sites else None
    if stm is None or not isinstance(stm.expr, Apply) or stm.expr.op not in OPERATORS:
        return None
    x, y = stm.expr.args
    for old, new in ((x, y), (y, x)):
        read = sites[old.name][0].expr if isinstance(old, Var) and old.name in sites else None
        if isinstance(read, Apply) and read.op == "index" and same(read.args[0], array):
            indices = read.args[1:]
            alone = uses[name_of(value)] == 1 and uses[name_of(old)] == 1
            if alone and len(indices) == len(keys) and all(same(i, j) for i, j in zip(indices, keys, strict=True)):
                return stm.expr.op, new
    return None


def _branch(
    stm: Stm, k: int, cond: Atom, arms: tuple[Block, Block], param: Var, sites: Sites, uses: Counter[str]
) -> tuple[Deposit, Atom, int] | None:
    """One arm combines into the loop's own array, the other leaves it alone or does alike."""
    found = [None if same(arm.results[k], param) else _deposit(arm.results[k], param, sites, uses) for arm in arms]
    steps = [step for step in found if step is not None]
    if not steps or any(not same(step[1], param) for step in steps):
        return None
    if any(uses[name_of(arm.results[k])] != 1 for step, arm in zip(found, arms, strict=True) if step is not None):
        return None
    if any(step is None and not same(arm.results[k], param) for step, arm in zip(found, arms, strict=True)):
        return None
    op, keys = steps[0][0].op, len(steps[0][0].keys)
    if any((step[0].op, len(step[0].keys)) != (op, keys) for step in steps):
        return None
    nothing = (*[i64(-1)] * keys, neutral_literal(op, param.type.dtype))
    blocks: list[Block] = []
    for step, arm in zip(found, arms, strict=True):
        made = Block((), nothing) if step is None else Block(arm.stms + step[0].extra, (*step[0].keys, step[0].value))
        blocks.append(inline(Lambda((), made), ()))
    vars = tuple(fresh("t", Type(x.type.dtype)) for x in nothing)
    extra = Stm(vars, If(cond, blocks[0], blocks[1]), stm.pos)
    mentions = sum(step[2] for step in steps) + sum(same(arm.results[k], param) for arm in arms)
    return Deposit(op, vars[:-1], vars[-1], (extra,)), param, mentions
