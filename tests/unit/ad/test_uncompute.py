"""When a loop that was run backwards on trial is found to be back where it began."""

import numpy as np
import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.functions import vjp_function
from tapeless.ad.near import is_near as emit_near
from tapeless.ad.planner import Plan
from tapeless.ir.build import Builder
from tapeless.ir.check import check
from tapeless.ir.core import Function
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers_count import CountingTower
from tapeless.ir.text import parse_function
from tapeless.ir.types import BOOL, F32, F64, I64, Type, Var, i64
from tapeless.passes.notes import Notes

NAN = float("nan")
KINDS = {F64: np.float64, F32: np.float32, I64: np.int64, BOOL: np.bool_}


def is_near(found, expected, dtype=F64, last=None) -> bool:
    """`last` is what the state was at the end."""
    type = Type(dtype, tuple(i64(size) for size in np.shape(expected)))
    x, y, z, b = Var("x", type), Var("y", type), Var("z", type), Builder()
    function = Function("near", (x, y, z), b.block((emit_near(b, x, y, z),)))
    check(function)
    values = (found, expected, expected if last is None else last)
    (near,) = evaluate(function, [np.asarray(value, KINDS[dtype])[()] for value in values])
    return bool(near)


@pytest.mark.parametrize(
    ("found", "expected", "near"),
    [
        (1.0, 1.0, True),
        (1.0 + 0.9e-8, 1.0, True),
        (1.0 - 0.9e-8, 1.0, True),
        (1.0 + 1.1e-8, 1.0, False),
        (1.0 - 1.1e-8, 1.0, False),
        (-1.0, 1.0, False),
        (-5.0, -5.0, True),
        (0.0, 0.0, True),
        (1e-300, 0.0, False),
        (NAN, 1.0, False),
        (1.0, NAN, False),
        (1e-3 + 1e-10, 1e-3, False),
        # Relative to the largest number of the array.
        ([1000.0, 0.9e-5], [1000.0, 0.0], True),
        ([1000.0, 1.1e-5], [1000.0, 0.0], False),
        ([0.9e-5, -1000.0], [0.0, -1000.0], True),
        ([1e-3 + 1e-10, 0.0], [1e-3, 0.0], False),
        ([2.0, NAN, 1.0], [2.0, 1.0, 1.0], False),
        ([2.0, 1.0, 1.0], [2.0, NAN, 1.0], False),
        ([0.0, 0.0], [0.0, 0.0], True),
        ([], [], True),
        ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0 + 5e-8]], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], True),
        ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0 + 7e-8]], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], False),
    ],
)
def test_near(found, expected, near: bool):
    assert is_near(found, expected) is near


def test_near_in_single_precision():
    assert is_near(1.0 + 0.9e-4, 1.0, F32)
    assert not is_near(1.0 + 1.1e-4, 1.0, F32)


def test_what_begins_at_rest_is_measured_by_what_it_becomes():
    assert is_near(0.9e-8, 0.0, last=-1.0)
    assert not is_near(1.1e-8, 0.0, last=-1.0)
    assert is_near([0.0, 0.9e-8], [0.0, 0.0], last=[1.0, 0.0])
    assert not is_near([0.0, 0.0], [0.0, 0.0], last=[NAN, 0.0])


def test_whole_numbers_must_be_the_same():
    assert is_near(10**12, 10**12, I64)
    assert not is_near(10**12 + 1, 10**12, I64)
    assert is_near([1, 2], [1, 2], I64)
    assert not is_near([[1, 2], [3, 5]], [[1, 2], [3, 4]], I64)
    assert is_near(True, True, BOOL)
    assert not is_near([True, False], [True, True], BOOL)


# A step that depends on its number; NUMBERED takes that of the loop, COUNTED one that it carries.
LOOP = """
def f(x: f64, v: f64, n: i64) {{
  {0} = for n [{1}] (i: i64, {2}) {{
    {3}
    s: f64 = sin p
    t: f64 = mul s 0.001
    d: f64 = mul t k
    q1: f64 = sub q d
    e: f64 = mul q1 0.1
    p1: f64 = add p e
    return {4}
  }}
  r: f64 = mul y w
  return r
}}
"""
NUMBERED = ("y: f64, w: f64", "x v", "p: f64, q: f64", "k: f64 = convert[f64] i", "p1 q1")
COUNTED = (
    "l: i64, y: f64, w: f64", "0 x v", "j: i64, p: f64, q: f64",
    "k: f64 = convert[f64] j\n j1: i64 = add j 2", "j1 p1 q1",
)  # fmt: skip
TRIPS = 40


DAMPED = (*NUMBERED[:2], "p: f64, q0: f64", "k: f64 = convert[f64] i\n q: f64 = mul q0 0.5", NUMBERED[4])
ONE_WAY = (*NUMBERED[:3], "k: f64 = exp q", NUMBERED[4])
BACK, NOT_BACK = "runs backwards from its last state of 16 bytes", "does not run backwards"


@pytest.mark.parametrize(
    ("parts", "plan", "sines", "said"),
    [
        (NUMBERED, {"states": 2}, 3 * TRIPS, [BACK]),  # forward, backwards and again
        (COUNTED, {"states": 2}, 3 * TRIPS, ["runs backwards from its last state of 24 bytes"]),
        (NUMBERED, {"backwards": True}, 3 * TRIPS, [BACK]),
        (NUMBERED, {}, 2 * TRIPS, []),  # every state is kept
        (DAMPED, {"backwards": True}, None, [BACK]),
        (DAMPED, {"states": 2}, None, [BACK]),
        (ONE_WAY, {"backwards": True}, None, [NOT_BACK]),
        (ONE_WAY, {"states": 2}, None, []),
    ],
)
def test_loops(parts: tuple[str, ...], plan: dict[str, int], sines: int | None, said: list[str]):
    """How often a sine is computed tells what was run; None: the loop is run from states that were kept."""
    function, notes, tower, args = parse_function(LOOP.format(*parts)), Notes(), CountingTower(), [0.3, 0.2, TRIPS, 1.0]
    check(function)
    derived = vjp_function(function, (0, 1), Plan(notes=notes, **plan))
    check(derived)
    found = evaluate(derived, args, tower)
    assert [note.decision for note in notes if "backwards" in note.decision] == said
    if sines is None:
        assert tower.counts["sin"] not in (3 * TRIPS, 4 * TRIPS)
        np.testing.assert_allclose(found, evaluate(vjp_function(function, (0, 1)), args), rtol=1e-12)
    else:
        assert tower.counts["sin"] == sines
        np.testing.assert_allclose(found, evaluate(vjp_function(function, (0, 1)), args), rtol=1e-7)
