"""Weights: what two arms add at one place or at all places differs in the weights of the same rows.

    r = if c { zeros with f(k) at k } else { map j { g(w(j), j) } }        where f(k) = g(1, k)

    v = if c { zeros with 1 at k }    else { map j { w(j) } }
    r = map j { g(v[j], j) }

The winner of a minimum has its adjoint alone, or those that tie share it (`ad.extremes`). In a sum over many such r,
where g is linear in the weight and otherwise the same for all, only the weights are left to be added up (`factor`).
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from ..ir.build import Builder
from ..ir.core import Apply, Block, Function, If, Lambda, Map, Stm
from ..ir.types import I64, Atom, Lit, Type, Var, zero
from ..ir.walk import canonical, free_vars, fresh, inline
from ..records import dataclass
from . import simplify
from .notes import Notes
from .uses import use_counts


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows as a function of an index below `size` and a weight, the body they come from, and where one may be alone."""

    rows: Lambda
    body: Block
    size: Atom
    at: Atom


def weighted(outside: Builder, block: Block, k: int, zeros: Set[Var]) -> Iterator[tuple[Block, Var]]:
    """Versions of a block that make its result k of weights in a last map, each with the weight in that map.

    What is the same for all rounds of the block goes outside.
    """
    result = block.results[k]
    number = next((n for n, stm in enumerate(block.stms) if result in stm.vars), None)
    if number is None or not isinstance(result, Var) or use_counts(block)[result.name] != 1:
        return
    match block.stms[number]:
        case Stm(vars, If(_, then, orelse)):
            position = vars.index(result)
        case _:
            return
    match _made(then, position), _made(orelse, position):
        case (Apply("update", (base, row, at)), _), (Map(size, body), q) if base in zeros and row.type.shape:
            for weight in _floats(body.body):
                rows = Lambda((body.params[0], weight), _without(body.body, weight, body.body.results[q]))
                if _equal(inline(rows, (at, Lit(1.0, weight.type.dtype))), Block(then.stms, (row,))):
                    yield _version(outside, block, number, position, _Rows(rows, body.body, size, at))
        case _:
            return


def _made(arm: Block, position: int) -> tuple[object, int]:
    """The expression that makes a result of an arm, and as which of its results."""
    for stm in arm.stms:
        for q, var in enumerate(stm.vars):
            if var == arm.results[position]:
                return stm.expr, q
    return None, 0


def _floats(body: Block) -> Iterator[Var]:
    """The numbers that a body computes and may multiply with."""
    for stm in body.stms:
        if isinstance(stm.expr, Apply) and not stm.vars[0].type.shape and stm.vars[0].type.dtype.is_float:
            yield stm.vars[0]


def _without(body: Block, weight: Var, row: Atom) -> Block:
    """The body as a function of the weight."""
    return Block(tuple(stm for stm in body.stms if weight not in stm.vars), (row,))


def _equal(x: Block, y: Block) -> bool:
    """Do two blocks compute the same, as far as simplifying shows?"""
    params = tuple(sorted(free_vars(x) | free_vars(y), key=lambda var: var.name))
    first, second = (canonical(simplify.run(Function("rows", params, block), Notes()), "v") for block in (x, y))
    return first == second


def _version(outside: Builder, block: Block, number: int, position: int, given: _Rows) -> tuple[Block, Var]:
    stm = block.stms[number]
    expr, weight = stm.expr, given.rows.params[1]
    assert isinstance(expr, If)
    none = outside.apply("replicate", zero(weight.type.dtype), given.size)
    all_of = Lambda(given.rows.params[:1], Block(given.body.stms, (weight,)))

    one, many = Builder(stm.pos), Builder(stm.pos)
    one.splice(expr.then)
    many.splice(expr.orelse)
    values = (
        one.apply("update", none, Lit(1.0, weight.type.dtype), given.at),
        many.map_(given.size, lambda b, j: b.splice(inline(all_of, (j,))))[0],
    )
    arms = [
        b.block([value if k == position else old for k, old in enumerate(arm.results)])
        for b, arm, value in zip((one, many), (expr.then, expr.orelse), values, strict=True)
    ]
    weights, own = fresh("weights", none.type), fresh("weight", weight.type)
    vars = tuple(weights if k == position else var for k, var in enumerate(stm.vars))
    j = fresh("i", Type(I64))
    made = inline(given.rows, (j, own))
    read = Stm((own,), Apply("index", (weights, j)), stm.pos)
    last = Map(given.size, Lambda((j,), Block((read, *made.stms), made.results)))
    news = Stm(vars, If(expr.cond, arms[0], arms[1]), stm.pos), Stm((stm.vars[position],), last, stm.pos)
    return Block((*block.stms[:number], *news, *block.stms[number + 1 :]), block.results), own
