"""Which code a parallel form gets: lanes, strips, or a nest with threads.

Inside lanes every form is a plain loop. In scalar code its index may run in strips of lanes. Outside any
parallel region a map, and a reduction of scalars, become nests of their own unless they are tiny.
"""

from __future__ import annotations

from ..ir.core import Map, Reduce, Stm
from ..ir.types import Lit
from ..records import replace
from . import cost, destinations, memory, nests, outer, outer_rows, parallel, reductions, vectorise
from .carry import Carry
from .emitter import Emitter
from .schedule import is_little, plan

_TINY = 64


def emit_map(e: Emitter, stm: Stm) -> None:
    expr = stm.expr
    assert isinstance(expr, Map)
    with e.plainly(is_little(expr, e.kernel)):
        _map(e, stm, expr)


def _map(e: Emitter, stm: Stm, expr: Map) -> None:
    place = e.places.get(stm.vars[0]) if len(stm.vars) == 1 else None
    if place is not None and place.adds == "across" and place.rank == 1:
        if outer_rows.put(e, stm.vars[0]) or outer.add(e, expr, place):
            e.bind(stm.vars[0], place)
            return
        e.places.pop(stm.vars[0])
    found = destinations.find(e, stm)
    for var, destination in zip(stm.vars, found, strict=True):
        if destination is not None:
            e.places[var] = destination
            e.kernel.note(stm.pos, "writes its results into place")
    targets = [memory.allocate_typed(e, var.type, var) for var in stm.vars]
    with memory.held(targets):
        if e.width > 1:
            parallel.fill_map(e, expr, targets)
            outer.keep_rows(e, stm, targets)
        elif _is_nest(e, expr):
            nests.fill_map(e, stm, expr, targets)
        else:
            span, schedule = ("0", e.scalar(expr.size).text), plan(expr, e.kernel)
            with e.repeated(expr.body):
                vectorise.map_range(e, expr, targets, span, schedule, asks=True)
    for var, target in zip(stm.vars, targets, strict=True):
        e.places.pop(var, None)
        e.bind(var, replace(target, replaces=False))


def emit_reduce(e: Emitter, stm: Stm) -> None:
    expr = stm.expr
    assert isinstance(expr, Reduce)
    with e.plainly(is_little(expr, e.kernel)):
        _reduce(e, stm, expr)


def _reduce(e: Emitter, stm: Stm, expr: Reduce) -> None:
    if e.width > 1:
        reductions.emit_reduce(e, stm)
    elif _is_nest(e, expr) and (not reductions.holds_arrays(expr) or reductions.operators(expr) is not None):
        nests.emit_reduce(e, stm)
    else:
        schedule = plan(expr, e.kernel)
        with e.repeated(expr.body, expr.op):
            carry = Carry(e, expr.op.params[: len(expr.neutral)], expr.neutral)
            vectorise.reduce_range(e, expr, carry, ("0", e.scalar(expr.size).text), schedule, asks=True)
        carry.finish(stm.vars)


def _is_nest(e: Emitter, expr: Map | Reduce) -> bool:
    """Is the form worth a function of its own? Not when it is short, as rows inside a loop mostly are."""
    tiny = isinstance(expr.size, Lit) and expr.size.value <= _TINY and is_little(expr, e.kernel)
    row = e.depth > 0 and expr.size in e.kernel.changing and cost.height(expr.body.body) == 1
    return not e.parallel and not e.plain and not tiny and not row


def emit_scan(e: Emitter, stm: Stm) -> None:
    parallel.emit_scan(e, stm, _loop(e))


def emit_hist(e: Emitter, stm: Stm) -> None:
    parallel.emit_hist(e, stm, _loop(e))


def emit_scatter(e: Emitter, stm: Stm) -> None:
    parallel.emit_scatter(e, stm, _loop(e))


def _loop(e: Emitter) -> parallel.Loop:
    return parallel.one_by_one if e.width > 1 else vectorise.in_order
