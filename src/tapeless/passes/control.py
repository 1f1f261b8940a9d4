"""Simplifying structured forms: branches, loops and parallel operators whose shape is known.

* an `If` on a literal is its arm; results equal in both arms leave it; cheap arms become `select`;
* a loop that does not run is its initial values, one that runs once is its body; a carried value that never changes
  is its initial value; what is combined of nothing is the neutral element;
* a `Map` that copies, repeats or counts is the array itself, `replicate` or `iota`; equal results are one array;
* a literal trip count is unrolled when `expand` says so;
* a check that holds, or that an earlier one covers, goes away.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ..ir.core import Apply, Block, Check, Expr, For, If, Lambda, Map, Reduce, Scan, Stm
from ..ir.op import lookup
from ..ir.types import Atom, Lit, Var, i64
from ..ir.walk import inline
from .cost import is_total
from .rewrite import Form, Rewriter, literal
from .views import same

# Given a form with a literal trip count and that count: is it to be unrolled?
Expand = Callable[[Rewriter, Expr, int], bool]
# An arm that costs no more than this is evaluated in any case.
SELECT_COST = 8.0


def forms(expand: Expand) -> Form:
    """The rules for structured forms; `expand` says whether to unroll."""

    def form(r: Rewriter, stm: Stm) -> bool:
        match stm.expr:
            case If():
                return _if(r, stm, stm.expr)
            case Check():
                return _check(r, stm.expr)
            case For(count):
                return _for(r, stm, stm.expr, _unrolled(r, stm.expr, count, expand))
            case Map(size):
                if _unrolled(r, stm.expr, size, expand):
                    return _unroll_map(r, stm, stm.expr)
                return _map(r, stm, stm.expr)
            case Reduce(size) if literal(r.atom(size)) == 0:
                r.replace(stm.vars, r.atoms(stm.expr.neutral))
                return True
            case Reduce(size) | Scan(size) if _unrolled(r, stm.expr, size, expand):
                return _unroll_fold(r, stm, stm.expr)
            case _:
                return False

    return form


def _unrolled(r: Rewriter, expr: Expr, count: Atom, expand: Expand) -> bool:
    trips = literal(r.atom(count))
    return trips is not None and trips > 0 and expand(r, expr, int(trips))


def _check(r: Rewriter, check: Check) -> bool:
    args = r.atoms(check.args)
    if holds(check.kind, args) or not r.first_time(("check", check.kind, *args)):
        r.changed = True
        return True
    return False


def holds(kind: str, args: Sequence[Atom]) -> bool:
    """Is the condition of a check true whatever the variables are?"""
    values = [literal(arg) for arg in args]
    match kind, values:
        case "bounds", [int(index), int(size)]:
            return 0 <= index < size
        case "equal", _:
            return same(args[0], args[1])
        case "nonneg", [int(size)]:
            return size >= 0
        case "nonempty", [int(size)]:
            return size > 0
        case "nonzero", [value] if value is not None:
            return value != 0
        case (("domain" | "singular" | "assert" | "raise" | "unbound" | "overflow"), [value, *_]):
            return value is True
        case "not_nan", [value] if value is not None:
            return not math.isnan(value)
        case _:
            return False


# -- branches -------------------------------------------------------------------------------------


def _if(r: Rewriter, stm: Stm, expr: If) -> bool:
    cond = r.atom(expr.cond)
    if isinstance(cond, Lit):
        r.replace(stm.vars, r.splice(expr.then if cond.value else expr.orelse))
        return True
    new = r.rebuild(expr)
    assert isinstance(new, If)
    then, orelse = new.then, new.orelse
    if _speculative(then) and _speculative(orelse):
        _to_select(r, stm.vars, cond, then, orelse)
        return True
    keep: list[int] = []
    for k, (var, x, y) in enumerate(zip(stm.vars, then.results, orelse.results, strict=True)):
        if same(x, y) and x.type == r.type(var.type):
            r.replace((var,), (x,))
        else:
            keep.append(k)
    if keep or then.stms or orelse.stms:
        arms = [Block(arm.stms, tuple(arm.results[k] for k in keep)) for arm in (then, orelse)]
        r.emit([stm.vars[k] for k in keep], If(cond, arms[0], arms[1]))
    return True


def _speculative(block: Block) -> bool:
    if any(result.type.shape for result in block.results):
        return False
    cost = 0.0
    for stm in block.stms:
        if not is_total(stm.expr):
            return False
        assert isinstance(stm.expr, Apply)
        cost += lookup(stm.expr.op).cost
    return cost <= SELECT_COST


def _to_select(r: Rewriter, vars: Sequence[Var], cond: Atom, then: Block, orelse: Block) -> None:
    left, right = r.splice(then), r.splice(orelse)
    r.replace(vars, [r.apply("select", cond, x, y) for x, y in zip(left, right, strict=True)])


# -- loops ----------------------------------------------------------------------------------------


def _for(r: Rewriter, stm: Stm, expr: For, unroll: bool) -> bool:
    count, init = r.atom(expr.count), r.atoms(expr.init)
    trips = literal(count)
    if trips is not None and trips <= 0:
        r.replace(stm.vars, init)
        return True
    if unroll:
        state = init
        for k in range(int(trips or 0)):
            state = r.splice(inline(expr.body, (i64(k), *state)))
        r.replace(stm.vars, state)
        return True
    params, results = expr.body.params[1:], expr.body.body.results
    keep: list[int] = []
    for k, (param, result) in enumerate(zip(params, results, strict=True)):
        unchanged = same(param, result) or same(r.atom(result), init[k])
        if unchanged and r.type(param.type) == init[k].type:
            r.replace((param, stm.vars[k]), (init[k], init[k]))
        else:
            keep.append(k)
    if len(keep) == len(params):
        return False
    if keep or expr.body.body.stms:
        body = Block(expr.body.body.stms, tuple(results[k] for k in keep))
        lam = Lambda((expr.body.params[0], *(params[k] for k in keep)), body)
        r.emit([stm.vars[k] for k in keep], r.rebuild(For(count, tuple(init[k] for k in keep), lam)))
    return True


def _unroll_map(r: Rewriter, stm: Stm, expr: Map) -> bool:
    trips = int(literal(r.atom(expr.size)) or 0)
    rows = [r.splice(inline(expr.body, (i64(k),))) for k in range(trips)]
    if not rows[0]:
        return True
    r.replace(stm.vars, [r.apply("stack", *column) for column in zip(*rows, strict=True)])
    return True


def _unroll_fold(r: Rewriter, stm: Stm, expr: Reduce | Scan) -> bool:
    trips = int(literal(r.atom(expr.size)) or 0)
    state = r.atoms(expr.neutral)
    prefixes: list[tuple[Atom, ...]] = []
    for k in range(trips):
        values = r.splice(inline(expr.body, (i64(k),)))
        state = r.splice(inline(expr.op, (*state, *values)))
        prefixes.append(state)
    if isinstance(expr, Scan):
        state = tuple(r.apply("stack", *column) for column in zip(*prefixes, strict=True))
    r.replace(stm.vars, state)
    return True


# -- maps -----------------------------------------------------------------------------------------


def _map(r: Rewriter, stm: Stm, expr: Map) -> bool:
    new = r.rebuild(expr)
    assert isinstance(new, Map)
    size, lam = new.size, new.body
    keep: dict[Atom, Var] = {}
    twins: list[tuple[Var, Var]] = []
    for var, result in zip(stm.vars, lam.body.results, strict=True):
        whole = _whole(r, lam, result, size, var)
        if whole is not None:
            r.replace((var,), (whole,))
        elif result in keep:
            twins.append((var, keep[result]))
        else:
            keep[result] = var
    if keep or lam.body.stms:
        r.emit(list(keep.values()), Map(size, Lambda(lam.params, Block(lam.body.stms, tuple(keep)))))
    for var, first in twins:
        r.replace((var,), (r.atom(first),))
    return True


def _whole(r: Rewriter, lam: Lambda, result: Atom, size: Atom, var: Var) -> Atom | None:
    """The array that a map stacks up, when it exists already or is a replicate or iota."""
    counter = lam.params[0]
    if same(result, counter):
        return r.apply("iota", size)
    bound = {v.name for s in lam.body.stms for v in s.vars}
    if not isinstance(result, Var) or result.name not in bound:
        return r.apply("replicate", result, size)
    element = r.operation(result, "index")
    if element and len(element.args) == 2 and same(element.args[1], counter):
        array = element.args[0]
        if isinstance(array, Var) and array.name not in bound and array.type == r.type(var.type):
            return array
    return None
