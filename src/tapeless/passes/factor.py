"""Factor: a sum of linear functions is the function of the sum.

    reduce i { map c { reduce r { a[r, c] * s(i, r) } } }  ->  S = reduce i { map r { s(i, r) } }
                                                               map c { reduce r { a[r, c] * S[r] } }

where a does not change with i: the matrix is applied once, not once for each i. Return sweeps are full of such sums,
since adjoints are linear in one another. The value to cut at, s, is a scalar in the body, or in maps and sums inside
it; what is made of it must be linear (`linear`) and otherwise the same for all i. It is done when what moves out of the
loop costs more than adding up S.

The sum of the products a * s(i) and the product of a with the sum have the same bound on their rounding errors. A
product becomes `scale`, which is 0 where S is: with nothing to add up the result is 0 though a be infinite. Then what
moved must also be harmless, or run only where there is something to add up: only there an index may be in range.
"""

from __future__ import annotations

from collections.abc import Set

from ..ir.build import Builder, is_literal
from ..ir.core import Apply, Block, Check, Expr, Function, If, Lambda, Map, Reduce, Stm
from ..ir.types import Atom, Lit, Var, i64, zero
from ..ir.walk import fresh, inline, map_lambdas, refresh, statements
from ..records import replace
from . import dce
from .cost import block_cost, elements, has_check
from .gates import linear_cuts
from .harmless import are_harmless
from .linear import LINEAR, Kinds
from .notes import Notes
from .ranges import Walk
from .sums import operators, sum_operator, zero_arrays
from .uses import bound_names
from .weights import weighted

# Operations saved in each iteration for each element that is added up instead.
GAIN = 4.0


def run(function: Function, notes: Notes) -> Function:
    """The function with linear functions moved out of its sums."""
    if not any(isinstance(stm.expr, Reduce) for stm in statements(function.body)):
        return function
    zeros = zero_arrays(function)
    walk = Walk(lambda _r, stm: _factor(walk, stm, zeros, notes))
    return dce.run(walk.function(function), notes)


def _factor(walk: Walk, stm: Stm, zeros: Set[Var], notes: Notes) -> bool:
    """Replace a result of a sum for which that pays, and go on with what that makes: there may be others."""
    expr = stm.expr
    if not isinstance(expr, Reduce) or isinstance(expr.size, Lit) or set(operators(expr) or "?") != {"add"}:
        return False
    ran = _is_never_empty(walk, expr.size)
    for k, start in enumerate(expr.neutral):
        if start not in zeros and not is_literal(start, 0):
            continue
        b = Builder(stm.pos)
        found = _where_to_cut(b, stm, k, zeros)
        if found is None:
            continue
        new, after = _cut(b, found[0], k, found[1], zeros)
        if not ran and not _has_sizes(walk, new.vars[k]):
            continue
        if not ((ran and found[0] is stm) or are_harmless(walk, after)):
            if found[0] is not stm:  # rows that are made of weights may be such that no round has made
                continue
            after = _unless_empty(stm, k, after)
        notes.add(stm.pos, "factor", "done once, after the sum", "it is linear in what is summed")
        for made in (*b.stms, new, *after):
            walk.r.statement(made)
        return True
    return False


def _is_never_empty(walk: Walk, size: Atom) -> bool:
    return walk.facts.proves(walk.facts.form(walk.r.atom(size)).shifted(-1))


def _has_sizes(walk: Walk, total: Var) -> bool:
    """Do the sizes of what is added up make sense where there is nothing to add up, too?"""
    return all(walk.facts.proves(walk.facts.form(walk.r.atom(size))) for size in total.type.shape)


def _unless_empty(stm: Stm, k: int, after: list[Stm]) -> list[Stm]:
    """What moved out of a sum for its result k, where there was something to add up; nothing else makes it harmless."""
    expr, var = stm.expr, stm.vars[k]
    assert isinstance(expr, Reduce)
    b, start = Builder(stm.pos), expr.neutral[k]
    *first, last = after
    assert last.vars == (var,)
    made = fresh(var.name, var.type)
    moved = Block((*first, Stm((made,), last.expr, last.pos)), (made,))
    there = b.apply("gt", expr.size, i64(0))
    b.stms.append(Stm((var,), If(there, moved, Block((), (start,))), stm.pos))
    return b.stms


# -- where to cut ---------------------------------------------------------------------------------


def _where_to_cut(b: Builder, stm: Stm, k: int, zeros: Set[Var]) -> tuple[Stm, Var] | None:
    """The sum as it is, or with the weights of result k in the open, and the value at which to cut."""
    expr = stm.expr
    assert isinstance(expr, Reduce)
    var = _best_cut(stm, k, zeros)
    if var is not None:
        return stm, var
    for body, weight in weighted(b, expr.body.body, k, zeros):
        part = _only(body, body.results[k])
        if not has_check(part.stms) and Kinds(expr.body.params[0], weight, zeros).block(part) == [LINEAR]:
            return Stm(stm.vars, replace(expr, body=Lambda(expr.body.params, body)), stm.pos), weight
    return None


def _best_cut(stm: Stm, k: int, zeros: Set[Var]) -> Var | None:
    """The value at which to cut so that the least is left to do for result k in each iteration, where that pays."""
    expr = stm.expr
    assert isinstance(expr, Reduce)
    body, index = _only(expr.body.body, expr.body.body.results[k]), expr.body.params[0]
    if has_check(body.stms):
        return None
    whole, best, found = block_cost(body), 0.0, None
    for var in reversed(list(linear_cuts(body, index, bound_names(expr.body.body) | {index.name}, zeros))):
        exposed, value = _exposed(body, var)
        saved = whole - block_cost(_only(exposed, value)) - GAIN * elements(value.type)
        if saved > best:
            best, found = saved, var
    return found


def _only(block: Block, result: Atom) -> Block:
    """What a block needs to compute one value."""
    return dce.run(Function("part", (), Block(block.stms, (result,))), Notes()).body


def _exposed(block: Block, var: Var) -> tuple[Block, Atom]:
    """The block, and in it all values of a variable that maps and sums inside may bind, as an array."""
    number, stm = next((n, s) for n, s in enumerate(block.stms) if var in s.vars or _binds(s.expr, var))
    expr = stm.expr
    if not isinstance(expr, Map | Reduce):
        return block, var
    inner, value = _exposed(expr.body.body, var)
    array = fresh(var.name, value.type.stacked(expr.size))
    if isinstance(expr, Map):
        body = Lambda(expr.body.params, Block(inner.stms, (*inner.results, value)))
        news = [Stm((*stm.vars, array), Map(expr.size, body), stm.pos)]
    else:
        body = refresh(Lambda(expr.body.params, _only(inner, value)))
        news = [Stm((array,), Map(expr.size, body), stm.pos), stm]
    return Block((*block.stms[:number], *news, *block.stms[number + 1 :]), block.results), array


def _binds(expr: Expr, var: Var) -> bool:
    return isinstance(expr, Map | Reduce) and var.name in bound_names(expr.body.body)


# -- cutting --------------------------------------------------------------------------------------


def _cut(b: Builder, stm: Stm, k: int, var: Var, zeros: Set[Var]) -> tuple[Stm, list[Stm]]:
    """The sum of the values cut at in place of result k, and the statements that make result k of it."""
    expr = stm.expr
    assert isinstance(expr, Reduce)
    block = expr.body.body
    exposed, value = _exposed(block, var)
    results = (*block.results[:k], value, *block.results[k + 1 :])
    start: Atom = zero(value.type.dtype)
    if value.type.shape:
        start = b.apply("replicate", start, *value.type.shape)
    total = fresh(stm.vars[k].name, value.type)
    neutral = (*expr.neutral[:k], start, *expr.neutral[k + 1 :])
    body = Lambda(expr.body.params, Block(exposed.stms, results))
    new = Reduce(expr.size, sum_operator(b, [x.type for x in results]), neutral, body)
    vars = (*stm.vars[:k], total, *stm.vars[k + 1 :])
    kinds = Kinds(expr.body.params[0], var, zeros)
    kinds.block(block)
    function = _only(_of_total(_only(block, block.results[k]), var, total, kinds, ()), block.results[k])
    made = inline(Lambda((), function), ())
    result = made.results[0]
    rest = [Stm((stm.vars[k],), s.expr, s.pos) if s.vars == (result,) else s for s in made.stms]
    return Stm(vars, new, stm.pos), rest


def _of_total(block: Block, var: Var, total: Var, kinds: Kinds, at: tuple[Var, ...]) -> Block:
    """The block with `var` read from `total` at the counters around it; products with it become `scale`."""
    stms: list[Stm] = []
    for stm in block.stms:
        expr = stm.expr
        match expr:
            case Apply() if stm.vars == (var,):
                expr = Apply("index", (total, *at)) if at else Apply("add", (total, zero(total.type.dtype)))
            case Apply("mul", (x, y)) if kinds.of.get(stm.vars[0]) == LINEAR:
                expr = Apply("scale", (x, y) if kinds.atom(y) == LINEAR else (y, x))
            case Map(body=body) | Reduce(body=body) if _binds(expr, var):
                inside = _of_total(body.body, var, total, kinds, (*at, body.params[0]))
                expr = replace(expr, body=Lambda(body.params, inside))
            case Apply() | Check():
                pass
            case _:
                expr = map_lambdas(expr, lambda lam: Lambda(lam.params, _of_total(lam.body, var, total, kinds, at)))
        stms.append(Stm(stm.vars, expr, stm.pos))
    return Block(tuple(stms), block.results)
