"""Taking run-time checks out of loops.

A check that does not depend on the iteration runs once before the loop. An index that is affine in the counter,
`c*i + invariant`, is within [0, n) (or [-n, n), where a negative index counts from the end) in every iteration when it
is so in the first and the last. Both run only when the loop does.

Nothing moves when the loop may raise different exceptions: the user must get the one that comes first.
"""

from __future__ import annotations

from ..ir.core import Block, Check, Expr, For, Hist, If, Lambda, Map, Reduce, Scan, Scatter, Stm
from ..ir.types import Atom, Var, i64
from ..ir.walk import lambdas, map_lambdas
from ..records import dataclass
from .affine import Affine, emit_form, form_of
from .cost import exceptions, is_total
from .ranges import Walk
from .rewrite import Rewriter
from .uses import mentioned


def lift_checks(walk: Walk, expr: Expr, inside: set[str]) -> Expr:
    """The loop without the checks that could be emitted before it; `inside` are the names bound in it."""
    match expr:
        case For(count) | Map(count) | Reduce(count) | Scan(count) | Hist(count) | Scatter(count) if _is_uniform(expr):
            body = lambdas(expr)[-1]
        case _:
            return expr
    counter = body.params[0]
    moved: dict[int, list[_Bound] | Stm] = {}
    for stm in body.body.stms:
        if isinstance(stm.expr, Check | If) and not stm.vars and not mentioned(stm) & inside and _only_checks(stm):
            moved[id(stm)] = stm
        elif isinstance(stm.expr, Check) and stm.expr.kind == "bounds":
            ends = _ends(walk, stm.expr, counter, count, inside)
            if ends is not None:
                moved[id(stm)] = ends
    if not moved:
        return expr
    _emit(walk, count, [(stm, moved[id(stm)]) for stm in body.body.stms if id(stm) in moved])
    rest = Block(tuple(stm for stm in body.body.stms if id(stm) not in moved), body.body.results)
    return map_lambdas(expr, lambda lam: Lambda(lam.params, rest) if lam is body else lam)


def _is_uniform(expr: Expr) -> bool:
    """Do all checks inside raise the same exception?"""
    return len(exceptions(stm for lam in lambdas(expr) for stm in lam.body.stms)) == 1


def _only_checks(stm: Stm) -> bool:
    """A check, or a branch that does nothing but check."""
    return all(isinstance(s.expr, Check) or is_total(s.expr) for lam in lambdas(stm.expr) for s in lam.body.stms)


@dataclass(frozen=True, slots=True)
class _Bound:
    """An index at one end of the loop, to be compared with a size; `wraps` when it may count from the end."""

    form: Affine
    size: Atom
    wraps: bool


def _ends(walk: Walk, check: Check, counter: Var, count: Atom, inside: set[str]) -> list[_Bound] | None:
    """The index in the first and the last iteration."""
    index, size = check.args
    if isinstance(size, Var) and size.name in inside:
        return None
    raw, wraps = _unwrapped(walk.r, index, size)
    form = form_of(raw, walk.r.defs)
    step = form.coefficient(counter.name)
    if any(name in inside for name in form.terms if name != counter.name):
        return None
    # With a large step and an unknown trip count, the last index could overflow into the range.
    if abs(step) > 1 and not (abs(step) <= 1 << 10 and walk.facts.is_tame(count)):
        return None
    first = form.without(counter.name)
    if step == 0:
        return [_Bound(first, size, wraps)]
    last = first.plus(form_of(count, walk.r.defs).shifted(-1), step)
    return [_Bound(first, size, wraps), _Bound(last, size, wraps)]


def _unwrapped(r: Rewriter, index: Atom, size: Atom) -> tuple[Atom, bool]:
    """The index before a negative one was taken from the end: `select(e < 0, e + size, e)`."""
    chosen = r.operation(index, "select")
    if chosen is None:
        return index, False
    cond, shifted, raw = chosen.args
    test = r.operation(cond, "lt")
    if test is None or test.args != (raw, i64(0)):
        return index, False
    distance = form_of(shifted, r.defs).plus(form_of(raw, r.defs), -1)
    return (raw, True) if distance == form_of(size, r.defs) else (index, False)


def _emit(walk: Walk, count: Atom, moved: list[tuple[Stm, list[_Bound] | Stm]]) -> None:
    """The checks, under the condition that the loop runs."""
    r, facts = walk.r, walk.facts
    if facts.proves(facts.form(count).shifted(-1)):
        _emit_all(walk, moved)
        return
    runs = r.apply("gt", count, i64(0))
    told: list[Affine] = []

    def guarded() -> tuple[Atom, ...]:
        with facts.scope():
            told.extend(_emit_all(walk, moved))
        return ()

    r.emit((), If(runs, r.scoped(guarded), Block((), ())))
    _learn_in_any_case(walk, count, told)


def _emit_all(walk: Walk, moved: list[tuple[Stm, list[_Bound] | Stm]]) -> list[Affine]:
    """Emit the checks here and learn what they tell; returns the forms that are not negative after them."""
    r, told = walk.r, list[Affine]()
    for stm, what in moved:
        r.pos = stm.pos
        if isinstance(what, Stm) and not isinstance(what.expr, Check):
            r.emit((), what.expr)
            continue
        assert isinstance(stm.expr, Check)
        for args in [stm.expr.args] if isinstance(what, Stm) else [_bounded(r, bound) for bound in what]:
            told += walk.check_here(Check(stm.expr.kind, args, stm.expr.info))
    return told


def _bounded(r: Rewriter, bound: _Bound) -> tuple[Atom, Atom]:
    index = emit_form(bound.form, r.apply)
    if bound.wraps:
        below = r.apply("lt", index, i64(0))
        index = r.apply("select", below, r.apply("add", index, bound.size), index)
    return index, bound.size


def _learn_in_any_case(walk: Walk, count: Atom, told: list[Affine]) -> None:
    """What the checks tell when the loop runs, and what is so anyway when it does not, holds from here on."""
    facts = walk.facts
    for form in told:
        with facts.scope():
            facts.learn(facts.form(count).times(-1))
            holds = facts.proves(form)
        if holds:
            facts.learn(form)
