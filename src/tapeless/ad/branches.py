"""Reverse rule of `If`: the same branch again; each arm runs its block forward and back.

The condition is the same, or a stronger one where only then the results are read (`asked`).

The arms return the adjoints of the outer variables that either of them touches. In the body of a parallel operator,
where contributions are kept apart, they return these instead: the arm not taken contributes zero, at an index that is
out of range unless the index is known to be in range.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Block, If, Lambda, Stm
from ..ir.types import Atom, Type, Var, i64
from ..ir.walk import fresh
from .adjoints import ArmScope, CannotRecord, Deposit, Entry, Scope, Span
from .journal import journal
from .sweep import Back, Sweep, back_through, nothing
from .values import mentions, retyped, zeros


def if_rule(sweep: Sweep, stm: Stm) -> Back:
    """The rule of a branch."""
    restores = journal(sweep.b, stm)
    sweep.emit(stm)
    if not sweep.varies(stm):
        return restores or nothing

    def back(scope: Scope) -> None:
        if restores is not None:
            restores(scope)
        adjoints = [scope.take(var) for var in stm.vars]
        if any(adjoint is not None for adjoint in adjoints):
            _branch(sweep, stm, scope, adjoints)

    return back


def _branch(sweep: Sweep, stm: Stm, scope: Scope, adjoints: Sequence[Atom | None]) -> None:
    expr = stm.expr
    assert isinstance(expr, If)
    cond = sweep.asked.get(stm.vars[0].name, expr.cond)
    join(scope, cond, [_arm(sweep, stm, scope, arm, adjoints) for arm in (expr.then, expr.orelse)])


def join(
    scope: Scope, cond: Atom, arms: Sequence[ArmScope], extra: Sequence[Sequence[Atom]] = ((), ())
) -> tuple[Var, ...]:
    """Emit a branch of the return sweep from its two arms; what it returns of the values `extra` of each."""
    touched = list({var: None for arm in arms for var in arm.touched})
    results: list[list[Atom]] = [[], []]
    for side, arm in zip(results, arms, strict=True):
        for var in touched:
            current = arm.adjoints.get(var.name) if var in arm.touched else scope.begin(var)
            side.append(zeros(arm.b, var.type) if current is None else current)
    types = [var.type for var in touched]
    merged = [_merge(scope, arms, side, deposit, results, types) for side in (0, 1) for deposit in arms[side].deposits]
    types += [atom.type for atom in extra[0]]
    vars = tuple(fresh("t", type) for type in types)
    blocks = [arm.b.block((*side, *more)) for arm, side, more in zip(arms, results, extra, strict=True)]
    if vars:
        scope.b.stms.append(Stm(vars, If(cond, blocks[0], blocks[1]), scope.b.pos))
    for var, new in zip(touched, vars, strict=False):
        scope.set(var, new)
    for var, entries, value in merged:
        places = [vars[e] if isinstance(e, int) else e for e in entries]
        scope.add(var, vars[value], *places)
    return vars[len(vars) - len(extra[0]) :]


def _arm(sweep: Sweep, stm: Stm, scope: Scope, arm: Block, adjoints: Sequence[Atom | None]) -> ArmScope:
    """One arm, run forward and back."""
    b = scope.b.child()
    inner, block = sweep.inner(scope, b, Lambda((), arm), (), stm.vars)
    child = ArmScope(b, inner.varied, inner.bound, scope)
    backs = inner.run(block)
    for result, adjoint in zip(block.results, adjoints, strict=True):
        child.add(result, None if adjoint is None else retyped(b, adjoint, result.type))
    back_through(backs, child)
    return child


def _merge(
    scope: Scope, arms: Sequence[ArmScope], side: int, deposit: Deposit, results: list[list[Atom]], types: list[Type]
) -> tuple[Var, list[Entry | int], int]:
    """Return a deposit of one arm from the branch; integers stand for results of the branch."""
    inside = {var.name for s in arms[side].b.stms for var in s.vars}
    if mentions(deposit.value.type, inside):
        raise CannotRecord

    def result(here: Atom, there: Atom) -> int:
        results[side].append(here)
        results[1 - side].append(there)
        types.append(here.type)
        return len(types) - 1

    entries: list[Entry | int] = []
    for entry, size in zip(deposit.entries, deposit.var.type.shape, strict=False):
        if isinstance(entry, Span):
            if not entry.covers(size):
                raise CannotRecord
            entries.append(entry)
        elif isinstance(entry, Var) and scope.counters.get(entry.name) == size:
            entries.append(entry)
        else:
            entries.append(result(entry, i64(-1)))
    value = result(deposit.value, zeros(arms[1 - side].b, deposit.value.type))
    return deposit.var, entries, value
