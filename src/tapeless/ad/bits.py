"""Loops that run backwards but for branches of which nothing tells which way was taken: they keep a bit of each.

    for i < n:  kept[i] = x > 0;  if x > 0: x -= 3          backwards:  for i = n-1 ... 0:  if kept[i]: x += 3

That is a byte of each iteration instead of its whole state. In loops within the loop, what is kept is passed several
times in an iteration, or never: then it is kept in the order of passing, and the loop that runs backwards carries the
place behind what it has not read yet. How much there will be is counted by running the loop once before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..inversion.inverse import inverse_step
from ..inversion.recording import recorded, recorded_step, replayed, replayed_step
from ..inversion.sites import Site, layout, needed_sites, sites_within
from ..inversion.solving import CannotInvert, Stuck
from ..ir.build import Builder
from ..ir.core import Apply, Block, For, Lambda, Stm
from ..ir.types import I64, Atom, Type, Var, zero
from ..ir.walk import fresh, substitute_lambda
from .sweep import Sweep
from .witness import NOTHING, Witness


@dataclass(frozen=True, slots=True)
class Backwards:
    """One iteration backwards; `places` are what it takes behind the state, as they are after the loop.

    `witness` is what was noted of the loop on its way.
    """

    inverse: Lambda
    places: tuple[Atom, ...] = ()
    witness: Witness = NOTHING


def keeping_bits(sweep: Sweep, stm: Stm) -> Backwards | None:
    """Emit a loop that keeps values at some places of its body; one iteration backwards, which reads them.

    None where that does not make it run backwards; then nothing is emitted.
    """
    found = _of_each_iteration(sweep, stm)
    each = "of each iteration"
    if found is None:
        found, each = _of_each_passing(sweep, stm), "each time"
    if found is None:
        return None
    sites, back = found
    for site in sites:
        if sweep.plan.notes is not None:
            sweep.plan.notes.add(site.pos, "reversible", f"keeps {site.what} {each}", "the state is not kept")
    return back


def _found(expr: For, attempt: Callable[[Sequence[Site]], Lambda]) -> tuple[Sequence[Site], Lambda] | None:
    """The sites that an attempt to find an inverse needs, and what it answers."""
    inverses: list[Lambda] = []

    def attempted(sites: Sequence[Site]) -> tuple[bool, Stuck]:
        try:
            inverses.append(attempt(sites))
        except CannotInvert as problem:
            return False, problem.stuck
        return True, set()

    sites = needed_sites(expr.body.body, attempted)
    return (sites, inverses[-1]) if sites else None


# -- at most once in an iteration: kept by its number ----------------------------------------------------


def _of_each_iteration(sweep: Sweep, stm: Stm) -> tuple[Sequence[Site], Backwards] | None:
    expr = stm.expr
    assert isinstance(expr, For)
    rows: dict[str, Var] = {}

    def attempt(sites: Sequence[Site]) -> Lambda:
        if any(site.is_count for site in sites):
            raise CannotInvert("a loop inside is counted each time")
        for site in sites:
            rows.setdefault(site.name, fresh("bit", layout(expr.body.body, site).type))
        recorded_step(expr.body, sites)  # refuses what has no place of its own in an iteration
        step = For(expr.count, expr.init, replayed_step(expr.body, sites, rows))
        return inverse_step(step, sweep.before)

    found = _found(expr, attempt)
    if found is None:
        return None
    sites, inverse = found
    return sites, Backwards(_reading(inverse, sites, rows, _forward(sweep.b, stm, sites)))


def _forward(b: Builder, stm: Stm, sites: Sequence[Site]) -> Mapping[str, Var]:
    """Emit the loop, which fills an array for each site."""
    expr = stm.expr
    assert isinstance(expr, For)
    body, count = recorded_step(expr.body, sites), len(expr.init)
    types = [layout(expr.body.body, site).type.stacked(expr.count) for site in sites]
    empty = [b.apply("replicate", zero(type.dtype), *type.shape, hint="kept") for type in types]
    params, inner = [fresh("kept", type) for type in types], Builder(stm.pos)
    results = inner.splice(body.body)
    i = body.params[0]
    filled = [inner.apply("update", p, x, i) for p, x in zip(params, results[count:], strict=True)]
    loop = Lambda((*body.params, *params), inner.block((*results[:count], *filled)))
    arrays = [fresh("kept", type) for type in types]
    b.stms.append(Stm((*stm.vars, *arrays), For(expr.count, (*expr.init, *empty), loop), stm.pos))
    return {site.name: array for site, array in zip(sites, arrays, strict=True)}


def _reading(inverse: Lambda, sites: Sequence[Site], rows: Mapping[str, Var], kept: Mapping[str, Var]) -> Lambda:
    """The inverse of an iteration that reads what was kept of it."""
    i, body = inverse.params[0], inverse.body
    reads = [Stm((rows[site.name],), Apply("index", (kept[site.name], i))) for site in sites]
    return Lambda(inverse.params, Block((*reads, *body.stms), body.results))


# -- any number of times in an iteration: kept in the order of passing -------------------------------------


def _of_each_passing(sweep: Sweep, stm: Stm) -> tuple[Sequence[Site], Backwards] | None:
    expr = stm.expr
    assert isinstance(expr, For)
    alone, kept, counts = Block((stm,), stm.vars), dict[str, Var](), dict[str, Var]()

    def attempt(sites: Sequence[Site]) -> Lambda:
        for site in sites:
            count = counts.setdefault(site.name, fresh("passed", Type(I64)))
            kept.setdefault(site.name, fresh("kept", layout(alone, site).type.stacked(count)))
        loop = replayed(alone, sites, kept).stms[-1]
        assert isinstance(loop.expr, For)
        return inverse_step(loop.expr, sweep.before)

    found = _found(expr, attempt)
    if found is None:
        return None
    sites, inverse = found
    arrays = sweep.b.splice(recorded(alone, sites))[len(stm.vars) :]
    made = dict(zip((site.name for site in sites), arrays, strict=True))
    same: dict[Var, Atom] = {kept[name]: array for name, array in made.items()}
    same |= {counts[name]: array.type.shape[0] for name, array in made.items()}
    ends = tuple(made[site.name].type.shape[0] for site in sites_within(stm, sites))
    return sites, Backwards(substitute_lambda(inverse, same), ends)
