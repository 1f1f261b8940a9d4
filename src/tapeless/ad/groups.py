"""Operators of several accumulators, taken apart.

Fusing loops puts several accumulators into one `Reduce`, `Scan` or `Hist`. Those with a rule of their own keep it; the
others, for which the reverse rule is a loop, go into a form of their own:

    m, p, q = reduce (max, product, recurrence)  =>  m, p = reduce (max, product);  _, q = reduce (product, recurrence)

An accumulator that others look at is in their form too: there it is computed once more, under a name that nobody uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..ir.core import Hist, Lambda, Reduce, Scan, Stm
from ..ir.walk import fresh, refresh
from ..passes.cost import has_check
from ..passes.uses import mentioned, slice_for
from .jvp_extrema import is_extremum
from .sweep import Back, Rule, Sweep, back_through
from .values import operator_names


def operations(sweep: Sweep, stm: Stm, known: Sequence[str]) -> list[str | None]:
    """For each accumulator the operation it is combined by, if its rule applies; sums and products if they are `known`.

    The empty string for one without derivative, None for any other: it needs a loop.
    """
    expr = stm.expr
    assert isinstance(expr, Reduce | Scan | Hist)
    found: list[str | None] = []
    for k, name in enumerate(operator_names(expr.op, len(expr.neutral))):
        start = expr.neutral[k]
        match name:
            case _ if stm.vars[k].name not in sweep.varied:
                found.append("")
            case "min" | "max":
                found.append(name if is_extremum(expr.op, k) else None)
            case "add" | "mul" if isinstance(expr, Hist) or not sweep.is_varied(start):
                found.append(name if name in known and (name == "add" or not start.type.shape) else None)
            case _:
                found.append(None)
    return found


def apart(sweep: Sweep, stm: Stm, names: Sequence[str | None], rule: Rule, looped: Rule) -> Back:
    """The rule of a form of which some accumulators need a loop: `looped` for these, `rule` for the others."""
    parts = _taken_apart(stm, [k for k, name in enumerate(names) if name is None]) if any(names) else None
    if parts is None:
        return looped(sweep, stm)
    backs = rule(sweep, sweep.adopt(parts[0])), looped(sweep, sweep.adopt(parts[1]))
    return lambda scope: back_through(backs, scope)


def _taken_apart(stm: Stm, rest: Iterable[int]) -> tuple[Stm, Stm] | None:
    """One form without the accumulators `rest` and one with them, which between them bind the statement's variables.

    None when nothing can be kept apart from `rest`. Checks run in the first form.
    """
    expr = stm.expr
    assert isinstance(expr, Reduce | Scan | Hist)
    if has_check(expr.op.body.stms):
        return None
    apart, every = set(rest), range(len(expr.neutral))
    reach = {k: _reach(expr.op, k) for k in every}
    first = [k for k in every if reach[k].isdisjoint(apart)]
    if not first:
        return None
    wanted = {j for k in every if k not in first for j in reach[k]}
    return _part(stm, first, (), checks=True), _part(stm, sorted(wanted), first, checks=False)


def _reach(op: Lambda, k: int) -> set[int]:
    """The accumulators on which accumulator k depends, itself included."""
    count = len(op.params) // 2
    numbers = {param.name: n % count for n, param in enumerate(op.params)}
    found, queue = {k}, [k]
    while queue:
        seen = mentioned(slice_for(op.body, (op.body.results[queue.pop()],), checks=False))
        new = {numbers[name] for name in seen if name in numbers} - found
        found |= new
        queue += new
    return found


def _part(stm: Stm, kept: Sequence[int], bound: Sequence[int], *, checks: bool) -> Stm:
    """The statement with the accumulators `kept` only; those `bound` elsewhere go by new names."""
    expr = stm.expr
    assert isinstance(expr, Reduce | Scan | Hist)
    vars = tuple(fresh(stm.vars[k].name, stm.vars[k].type) if k in bound else stm.vars[k] for k in kept)
    count, params = len(expr.neutral), expr.op.params
    sides = (*(params[k] for k in kept), *(params[count + k] for k in kept))
    op = refresh(Lambda(sides, slice_for(expr.op.body, [expr.op.body.results[k] for k in kept], checks=False)))
    neutral = tuple(expr.neutral[k] for k in kept)
    keys = expr.keys if isinstance(expr, Hist) else 0
    values = expr.body.body.results
    results = (*values[:keys], *(values[keys + k] for k in kept))
    body = refresh(Lambda(expr.body.params, slice_for(expr.body.body, results, checks=checks)))
    if isinstance(expr, Hist):
        return Stm(vars, Hist(expr.size, op, neutral, tuple(expr.dest[k] for k in kept), keys, body), stm.pos)
    return Stm(vars, type(expr)(expr.size, op, neutral, body), stm.pos)
