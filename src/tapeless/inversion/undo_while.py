"""Loops with a condition, backwards, where a condition tells whether an iteration has taken place.

    assert k == 0                      backwards:  while k != 0:
    while c:                                           undo A
        A
        assert k != 0

The condition is asserted at the end of each iteration, and does not hold before the first: so the inverse ends where
the loop began. When it is called, each state that it comes by must be one in which the loop goes on, and the state that
it begins with one in which the loop ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.core import Block, Lambda, Stm, While
from ..ir.types import Atom
from ..ir.walk import free_vars, fresh, inline
from .conditions import Condition, asserted, emit, exclude, finals_of, is_false
from .solving import WRONG, Solving


def undo_while(s: Solving, stm: Stm) -> None:
    """Learn the values that the loop started from."""
    expr = stm.expr
    assert isinstance(expr, While)
    if all(s.at_hand(var) is None for var in stm.vars):
        return
    after = {k: value for k, var in enumerate(stm.vars) if (value := s.try_value(var)) is not None}
    started = _started(s, expr)
    if started is None:
        s.stuck.add(stm.vars[0].name)
        return
    kept, loop = _backwards(s, expr, after, started)
    if loop is None:
        return
    if s.checks:
        _check(s, expr, after, holds=False)
    finals = s.b.bind([after[k].type for k in kept], loop)
    for k, final in zip(kept, finals, strict=True):
        s.learn(expr.init[k], final)


def _started(s: Solving, expr: While) -> Condition | None:
    """A condition that holds after each iteration, but not before the first."""
    body = expr.body
    inside = Solving(body.body, s.b.child(), s.rules, {param.name for param in body.params}, s)
    before = list(asserted(s, Block(s.block.stms, expr.init)))
    for condition in asserted(inside, body.body):
        if finals_of(condition) is None:
            continue
        if is_false(condition, expr.init) or any(exclude(condition, other) for other in before):
            return condition
    return None


def _backwards(
    s: Solving, expr: While, after: Mapping[int, Atom], started: Condition
) -> tuple[Sequence[int], While | None]:
    """The loop over the carried values that can be brought back, and their numbers."""
    kept, body = list(after), expr.body
    while (finals_of(started) or set()).issubset(kept) and kept:
        b = s.b.child()
        lasts = {k: fresh("last", after[k].type) for k in kept}
        inner = Solving(body.body, b, s.rules, {param.name for param in body.params}, s)
        inner.run([lasts.get(k) for k in range(len(body.params))])
        starts = {k: found for k in kept if (found := inner.known.get(body.params[k].name)) is not None}
        if len(starts) == len(kept):
            if s.checks:
                _check(inner, expr, starts, holds=True)
            turn = Lambda(tuple(lasts.values()), b.block(list(starts.values())))
            return kept, While(tuple(after[k] for k in kept), _goes_on(s, after, kept, started), turn)
        kept = list(starts)
    return [], None


def _goes_on(s: Solving, after: Mapping[int, Atom], kept: Sequence[int], started: Condition) -> Lambda:
    lasts = {k: fresh("last", after[k].type) for k in kept}
    inner = Solving(Block((), ()), s.b.child(), s.rules, set(), s)
    holds = emit(inner, started, [lasts.get(k) for k in range(max(kept) + 1)])
    assert holds is not None
    return Lambda(tuple(lasts.values()), inner.b.block((holds,)))


def _check(s: Solving, expr: While, state: Mapping[int, Atom], *, holds: bool) -> None:
    """Check whether the loop goes on from a state, if what that depends on is known of it."""
    numbers = {param: k for k, param in enumerate(expr.cond.params)}
    read = tuple(free_vars(expr.cond.body))
    values = [state.get(numbers[var]) if var in numbers else s.try_value(var) for var in read]
    if None not in values:
        made = inline(Lambda(read, expr.cond.body), tuple(value for value in values if value is not None))
        (goes_on,) = s.b.splice(made)
        s.b.check("assert", goes_on if holds else s.b.apply("not", goes_on), info=WRONG)
