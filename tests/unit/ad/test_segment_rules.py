"""Both modes through segments that are collapsed, that a collapse refuses, and that must not be collapsed."""

import numpy as np
import pytest

from tapeless.ad import accumulated
from tapeless.ad.functions import vjp_function
from tapeless.ad.jvp import pushforwards
from tapeless.ad.planner import Plan
from tapeless.eliminate import collapse
from tapeless.eliminate.collapse import Collapser
from tapeless.eliminate.scarcity import Scarce, Step
from tapeless.ir.build import Builder
from tapeless.ir.check import check
from tapeless.ir.core import Function
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.types import Var
from tapeless.ir.walk import fresh

from .vjp_harness import reverse_agrees

STRAIGHT = "s: f64 = sin {1}\n u: f64 = mul {0} s\n v: f64 = add u s\n"
PROGRAMS = {
    "a block": STRAIGHT.format("x", "y") + "w: f64 = min v 9.0\n return w s",
    "one result": STRAIGHT.format("x", "y") + "return v",
    "read before and behind": "p: f64 = max x 0.1\n" + STRAIGHT.format("p", "x") + "w: f64 = max v p\n return w u",
    "a loop": "r: f64 = for 3 [x] (i: i64, z: f64) {\n" + STRAIGHT.format("z", "y") + "return v\n}\n return r",
    "a map": "m: f64[3] = map 3 (i: i64) {\n e: f64 = index a i\n"
    + STRAIGHT.format("e", "y")
    + "return v\n}\n return m",
    "an arm": "b: f64 = if g {\n" + STRAIGHT.format("x", "y") + "return v\n} else {\n return x\n}\n return b",
}
ARGS = (0.7, 0.4, np.array([0.3, 0.9, 0.5]), True)


def program(body: str) -> Function:
    function = parse_function(f"def f(x: f64, y: f64, a: f64[3], g: bool) {{\n {body}\n}}")
    check(function)
    return function


def collapsing(monkeypatch: pytest.MonkeyPatch, *, refuse: bool) -> list[object]:
    """Collapse every segment, or none, and do not keep the derivatives of loops; those met."""
    met: list[object] = []

    def scarce(graph, _vectors):
        met.append(graph)
        return Scarce(tuple(map(Step, graph.intermediates)), int(not refuse), 0, 0)

    monkeypatch.setattr(collapse, "scarce", scarce)
    monkeypatch.setattr(accumulated, "_worth", lambda *_: False)
    return met


@pytest.mark.parametrize("refuse", [False, True], ids=["collapsed", "refused"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_adjoints(name: str, refuse: bool, monkeypatch: pytest.MonkeyPatch):
    met = collapsing(monkeypatch, refuse=refuse)
    reverse_agrees(program(PROGRAMS[name]), ARGS, plan=Plan(collapse=Collapser()), tolerance=1e-12)
    assert len(met) == 1


def tangents(function: Function, collapser: Collapser | None, directions: int) -> list[float]:
    """Those of all float results in one direction or two, the second along x alone."""
    b, active = Builder(), function.params[:3]
    steps = [{x: fresh("dot", x.type) for x in some} for some in (active, active[:1])[:directions]]
    values, made = pushforwards(b, function.body, steps, collapser)
    found = [x for each in made for x in each if isinstance(x, Var)]
    params = [dot for step in steps for dot in step.values()]
    derived = Function("g", (*function.params, *params), b.block((*values, *found)))
    check(derived)
    dots = [0.3, -0.8, np.array([0.2, -0.5, 0.7]), 1.1][: len(params)]
    results = evaluate(derived, [*ARGS, *dots])
    return [float(x) for result in results[len(values) :] for x in np.ravel(result)]


@pytest.mark.parametrize("refuse", [False, True], ids=["collapsed", "refused"])
@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("name", PROGRAMS)
def test_tangents(name: str, refuse: bool, directions: int, monkeypatch: pytest.MonkeyPatch):
    met = collapsing(monkeypatch, refuse=refuse)
    found = tangents(program(PROGRAMS[name]), Collapser(), directions)
    assert len(met) == 1
    np.testing.assert_allclose(found, tangents(program(PROGRAMS[name]), None, directions), rtol=1e-14)


# Where an arm is not taken its slope is infinite; where a slope is infinite it may meet one that is zero.
GUARDED = {
    "an arm that is not taken": (
        "l: f64 = log x\n u: f64 = mul l y\n v: f64 = add u l\n d: bool = gt x 0.0\n w: f64 = select d v y\n return w",
        [0.0, 1.0],
    ),
    "a root": (
        "s: f64 = mul x y\n t: f64 = mul s y\n u: f64 = add t s\n w: f64 = sqrt u\n return w",
        [np.inf, 0.0],
    ),
}


@pytest.mark.parametrize("name", GUARDED)
def test_zeros_win(name: str, monkeypatch: pytest.MonkeyPatch):
    """Each statement sees to it: such segments are not collapsed."""
    met = collapsing(monkeypatch, refuse=False)
    body, gradient = GUARDED[name]
    derived = vjp_function(program(body), (0, 1), Plan(collapse=Collapser()))
    assert met == []
    with np.errstate(all="ignore"):
        assert [float(x) for x in evaluate(derived, [0.0, *ARGS[1:], 1.0])[1:]] == gradient
