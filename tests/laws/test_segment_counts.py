"""Laws of counts: a derivative that is made by the cheapest ways takes no more than one statement after another.

Ways through single segments and loops are chosen by estimates; the whole is compared before it is kept. Without that,
or with estimates that count places in arrays for one way only, those of `FOUND` were dearer. Nor does it make a
derivative dearer to shorten it (`SHORTENED`: what two bodies compute that is the same in all iterations was shared no
more).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeless.ad.functions import jvp_function, vjp_function
from tapeless.ad.planner import Plan
from tapeless.ad.prepare import prepare
from tapeless.config import config
from tapeless.eliminate.collapse import Collapser
from tapeless.eliminate.paper import Paper
from tapeless.ir.core import Function
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers_count import CountingTower
from tapeless.ir.op import lookup
from tapeless.passes.notes import Notes
from tapeless.passes.pipeline import optimise
from tapeless.symbolic.resynthesis import shortened
from tapeless.testing.coarsen_judge import request

SEEDS = range(24)
FOUND = (179, 204, 265, 276, 286, 304)
SHORTENED = (*range(0, 24, 3), 245)


def prepared(seed: int) -> tuple[Function, list[Any], list[int], list[Any]]:
    """A random program of branches, recurrences and sums, with a point, what to differentiate by, and seeds."""
    asked = request(seed)
    function = Function(asked.function.name, asked.function.params, asked.function.body)
    active = [k for k, param in enumerate(function.params) if param.type.dtype.is_float]
    with config(coarsen=False):
        program = prepare(function, Notes())
    values = evaluate(program, list(asked.args))
    seeds = [np.ones_like(x) for x in values if np.asarray(x).dtype.kind == "f"]
    return program, list(asked.args), active, seeds


def cost(function: Function, args: list[Any]) -> tuple[float, list[Any]]:
    """Operations by their cost, with one for each byte that is written: a number kept costs 8."""
    tower = CountingTower()
    with np.errstate(all="ignore"):
        values = evaluate(optimise(function), args, tower)
    return sum(count * lookup(op).cost for op, count in tower.counts.items()) + tower.bytes_written, list(values)


def agree(found: list[Any], wanted: list[Any]) -> None:
    for x, y in zip(found, wanted, strict=True):
        bound = 1e-4 if np.asarray(y).dtype == np.float32 else 1e-8
        np.testing.assert_allclose(x, y, rtol=bound, atol=bound)


@pytest.mark.parametrize("seed", [*SEEDS, *FOUND])
def test_return_sweeps(seed: int) -> None:
    program, args, active, seeds = prepared(seed)
    if not active:
        return
    plain, wanted = cost(vjp_function(program, active), [*args, *seeds])
    counted, found = cost(vjp_function(program, active, Plan(collapse=Collapser())), [*args, *seeds])
    assert counted <= plain
    agree(found, wanted)
    agree(cost(vjp_function(program, active, Plan(collapse=Paper())), [*args, *seeds])[1], wanted)


@pytest.mark.parametrize("seed", SHORTENED)
def test_shorter_derivatives(seed: int) -> None:
    program, args, active, seeds = prepared(seed)
    if not active:
        return
    long = vjp_function(program, active, Plan(collapse=Collapser()))
    short = Function(long.name, long.params, shortened(long.body, Notes()))
    before, wanted = cost(long, [*args, *seeds])
    after, found = cost(short, [*args, *seeds])
    assert after <= before
    agree(found, wanted)


@pytest.mark.parametrize("seed", SEEDS[::2])
def test_tangents(seed: int) -> None:
    program, args, active, _ = prepared(seed)
    if not active:
        return
    dots = [np.ones_like(args[k]) for k in active]
    plain, wanted = cost(jvp_function(program, active), [*args, *dots])
    for way in (Collapser(), Paper()):
        spent, found = cost(jvp_function(program, active, Plan(collapse=way)), [*args, *dots])
        assert not isinstance(way, Collapser) or spent <= plain
        agree(found, wanted)
