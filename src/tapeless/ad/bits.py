"""Loops that run backwards but for branches of which nothing tells which way was taken: they keep a bit of each.

    for i < n:  kept[i] = x > 0;  if x > 0: x -= 3          backwards:  for i = n-1 ... 0:  if kept[i]: x += 3

That is a byte of each iteration instead of its whole state. Branches in loops within the loop would be passed several
times in an iteration; these are not kept so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..inversion.inverse import inverse_step
from ..inversion.recording import recorded_step, replayed_step
from ..inversion.sites import Site, needed_sites
from ..inversion.solving import CannotInvert, Stuck
from ..ir.build import Builder
from ..ir.core import Apply, Block, For, Lambda, Stm
from ..ir.types import Var, zero
from ..ir.walk import fresh
from .sweep import Sweep


def keeping_bits(sweep: Sweep, stm: Stm) -> Lambda | None:
    """Emit a loop that keeps values at some places of its body; one iteration backwards, which reads them.

    None where that does not make it run backwards; then nothing is emitted.
    """
    expr = stm.expr
    assert isinstance(expr, For)
    rows: dict[str, Var] = {}
    inverses: list[Lambda] = []

    def attempt(sites: Sequence[Site]) -> tuple[bool, Stuck]:
        for site in sites:
            rows.setdefault(site.name, fresh("bit", site.type))
        try:
            recorded_step(expr.body, sites)
            step = For(expr.count, expr.init, replayed_step(expr.body, sites, rows))
            inverses.append(inverse_step(step, sweep.b.stms))
        except CannotInvert as problem:
            return False, problem.stuck
        return True, set()

    sites = needed_sites(expr.body.body, attempt)
    if not sites:
        return None
    kept = _forward(sweep.b, stm, sites)
    for site in sites:
        if sweep.plan.notes is not None:
            sweep.plan.notes.add(
                site.pos, "reversible", f"keeps {site.what} of each iteration", "its state is not kept"
            )
    return _reading(inverses[-1], sites, rows, kept)


def _forward(b: Builder, stm: Stm, sites: Sequence[Site]) -> Mapping[str, Var]:
    """Emit the loop, which fills an array for each site."""
    expr = stm.expr
    assert isinstance(expr, For)
    body, count = recorded_step(expr.body, sites), len(expr.init)
    types = [site.type.stacked(expr.count) for site in sites]
    empty = [b.apply("replicate", zero(type.dtype), expr.count, hint="kept") for type in types]
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
