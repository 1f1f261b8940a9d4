"""Hidden values inside of parallel loops (`recording`): a place for each element, whether it is passed or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.build import Builder
from ..ir.core import Block, Custom, If, Lambda, Map, Stm
from ..ir.types import Atom, Var, zero
from ..ir.walk import fresh
from .sites import Site, sites_within
from .solving import CannotInvert


def map_collected(b: Builder, stm: Stm, inside: Sequence[Site]) -> dict[str, Var]:
    """Emit a map that also returns what is kept at the sites in it."""
    expr = stm.expr
    assert isinstance(expr, Map)
    body = collected(b.child(), expr.body.body, inside)
    rows = [fresh("kept", x.type.stacked(expr.size)) for x in body.results[len(stm.vars) :]]
    b.stms.append(Stm((*stm.vars, *rows), Map(expr.size, Lambda(expr.body.params, body)), stm.pos))
    return dict(zip((site.name for site in inside), rows, strict=True))


def collected(b: Builder, block: Block, sites: Sequence[Site]) -> Block:
    """The block with the values at its sites, none of which is in a loop, as further results; zero if not passed."""
    names, found = {site.name for site in sites}, dict[str, Atom]()
    for stm in block.stms:
        inside = sites_within(stm, sites)
        match stm.expr:
            case Map() if inside:
                found |= map_collected(b, stm, inside)
            case If(cond, then, orelse) if inside:
                arms = [collected(b.child(), arm, inside) for arm in (then, orelse)]
                ends = [fresh("kept", site.type) for site in inside]
                if any(x.type.shape for arm in arms for x in arm.results[-len(ends) :]):
                    raise CannotInvert("a value would have to be kept for each element of a parallel loop", stm.pos)
                b.stms.append(Stm((*stm.vars, *ends), If(cond, arms[0], arms[1]), stm.pos))
                found |= {site.name: end for site, end in zip(inside, ends, strict=True)}
            case _ if inside:
                raise CannotInvert("a value would have to be kept in a loop inside of a parallel one", stm.pos)
            case _:
                b.stms.append(stm)
        found |= {var.name: var for var in stm.vars if var.name in names}
    return b.block((*block.results, *(found.get(site.name, zero(site.type.dtype)) for site in sites)))


def map_told(b: Builder, stm: Stm, inside: Sequence[Site], rows: Mapping[str, Atom]) -> None:
    """Emit a map whose body is told what was kept."""
    expr = stm.expr
    assert isinstance(expr, Map)
    inner, (i,) = b.child(), expr.body.params
    elements: dict[str, Atom] = {}
    for site in inside:
        inner.check("bounds", i, rows[site.name].type.shape[0])
        elements[site.name] = inner.apply("index", rows[site.name], i)
    tell_all(inner, expr.body.body, inside, elements)
    b.stms.append(Stm(stm.vars, Map(expr.size, Lambda((i,), inner.block(expr.body.body.results))), stm.pos))


def tell_all(b: Builder, block: Block, sites: Sequence[Site], rows: Mapping[str, Atom]) -> None:
    """Emit the statements of a block, in which each site is told its value."""
    names = {site.name for site in sites}
    for stm in block.stms:
        inside = sites_within(stm, sites)
        match stm.expr:
            case Map() if inside:
                map_told(b, stm, inside, rows)
            case If(cond, then, orelse) if inside:
                arms: list[Block] = []
                for arm in (then, orelse):
                    inner = b.child()
                    tell_all(inner, arm, inside, rows)
                    arms.append(inner.block(arm.results))
                b.stms.append(Stm(stm.vars, If(cond, arms[0], arms[1]), stm.pos))
            case _:
                b.stms.append(stm)
        for var in stm.vars:
            if var.name in names:
                inner = b.child()
                inner.check("told", var, rows[var.name])
                b.bind((), Custom((), Lambda((), inner.block(()))))
