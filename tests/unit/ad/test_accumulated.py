"""Loops that keep derivatives instead of states: which do, what they keep, and that their gradients are right."""

import re

import numpy as np
import pytest

from tapeless.ad import accumulated, compared, loops
from tapeless.ad.planner import Plan
from tapeless.ad.segments import Accumulated
from tapeless.eliminate.collapse import Collapser
from tapeless.ir.core import Apply, Block, For, Lambda, Stm
from tapeless.ir.text import parse_function
from tapeless.ir.types import F64, I64, Type, Var
from tapeless.passes.cost import block_cost
from tapeless.passes.notes import Notes

from .vjp_harness import reverse_agrees


@pytest.fixture(autouse=True)
def _nothing_is_carried_along(monkeypatch):
    """Loops of few inputs would carry tangents along instead."""
    monkeypatch.setattr(loops, "ahead", lambda *_: None)


PROGRAM = """
def f(x: f64, y: f64, a: f64[4], b: f64[4, 2], key: i64[4], c: f64) {{
  u: f64 = mul x y
  r: f64[4] = replicate u 4
  {0} = for 3 [{1}] ({2}) {{
    {3}
  }}
  return {4}
}}
"""
ONE = ("p: f64", "x", "i: i64, z: f64")
TWO = ("p: f64, q: f64", "x y", "i: i64, z: f64, w: f64")
MIXED = ("j: i64, p: f64, h: f64, q: f64", "2 x 1.0 y", "i: i64, l: i64, z: f64, g: f64, w: f64")
ARGS = (0.7, 0.4, np.array([0.3, 0.9, 0.5, 0.2]), np.linspace(0.2, 0.9, 8).reshape(4, 2), np.array([2, 0, 3, 1]), 0.6)
SIN = "z1: f64 = sin z\n"
PLACED = "j: i64 = {0}\n e: f64 = index a j\n z1: f64 = mul z e\n return z1"

# Loops, their bodies, what is returned, and how many entries of the Jacobian are kept; None: states are.
LOOPS: dict[str, tuple[tuple[str, str, str], str, str, int | None]] = {
    "one number": (ONE, SIN + "return z1", "p", 1),
    "numbers from outside": (ONE, "s: f64 = mul z y\n z1: f64 = sin s\n return z1", "p", 2),
    "a number that varies outside": (ONE, "s: f64 = mul z u\n z1: f64 = sin s\n return z1", "p", 2),
    "slopes that stand outside or are written": (ONE, "s: f64 = mul z y\n z1: f64 = add s y\n return z1", "p", 1),
    "nothing to keep": (ONE, "s: f64 = mul z 0.5\n z1: f64 = add s y\n return z1", "p", 0),
    "two numbers": (TWO, SIN + "w1: f64 = mul w z1\n return z1 w1", "p q", 3),
    "one of two numbers": (TWO, SIN + "w1: f64 = mul w z1\n return z1 w1", "q", 3),
    "the other of two numbers": (TWO, SIN + "w1: f64 = mul w z1\n return z1 w1", "p", 3),
    "numbers that change places": (TWO, SIN + "return w z1", "p q", 1),
    "a number that is not read": (TWO, "z1: f64 = sin y\n w1: f64 = mul w z\n return z1 w1", "p q", 3),
    "counters and constants are carried too": (
        MIXED, "l1: i64 = add l 1\n z1: f64 = sin z\n g1: f64 = cos g\n s: f64 = mul w g\n w1: f64 = mul s z\n"
        "return l1 z1 g1 w1", "j p h q", 3),
    "the counter counts": (ONE, "k: f64 = convert[f64] i\n s: f64 = mul z k\n z1: f64 = sin s\n return z1", "p", 1),
    "elements": (ONE, PLACED.format("add i 0"), "p", 2),
    "elements behind": (ONE, PLACED.format("add i 1"), "p", 2),
    "elements from the end": (ONE, PLACED.format("sub 3 i"), "p", 2),
    "elements by keys": (ONE, PLACED.format("index key i"), "p", 2),
    "elements of a matrix": (
        ONE, "e: f64 = index b i 1\n d: f64 = index b 3 0\n s: f64 = mul z e\n z1: f64 = mul s d\n return z1", "p", 3),
    "elements of what is computed": (ONE, "e: f64 = index r i\n z1: f64 = mul z e\n return z1", "p", 2),
    "elements and numbers": (
        TWO, "e: f64 = index a i\n s: f64 = mul e y\n z1: f64 = add s w\n w1: f64 = mul z e\n return z1 w1", "p q", 3),
    "a branch": (
        ONE, "d: bool = gt z 0.5\n z1: f64 = if d {\n s: f64 = sin z\n return s\n } else {\n t: f64 = mul z y\n "
        "return t\n }\n return z1", "p", 2),
    # States are kept.
    "places that move with a carried counter": (
        MIXED, "l1: i64 = sub l 1\n k: i64 = max l 0\n e: f64 = index a k\n z1: f64 = mul z e\n "
        "return l1 z1 g w", "p", None),
    "places found by a loop": (
        ONE, "k: i64 = for i [0] (o: i64, l: i64) {\n l1: i64 = add l 1\n return l1\n }\n e: f64 = index a k\n "
        "z1: f64 = mul z e\n return z1", "p", None),
    "a row": (
        ONE, "v: f64[2] = index b i\n e: f64 = index v 1\n z1: f64 = mul z e\n return z1", "p", None),
    "a row for nothing": (ONE, "v: f64[2] = index b i\n" + SIN + "return z1", "p", None),
    "elements and the rest of an array": (
        ONE, "e: f64 = index a i\n v: f64[2] = slice a 1 2 1\n d: f64 = index v 0\n s: f64 = mul z e\n "
        "z1: f64 = mul s d\n return z1", "p", None),
    "another array": (
        ONE, "e: f64 = index a i\n v: f64[2] = slice r 1 2 1\n d: f64 = index v 0\n s: f64 = mul z e\n "
        "z1: f64 = mul s d\n return z1", "p", None),
    "a root": (ONE, "s: f64 = sqrt z\n z1: f64 = mul s y\n return z1", "p", None),
    "an array is carried": (
        ("p: f64, q: f64[4]", "x r", "i: i64, z: f64, v: f64[4]"),
        SIN + "v1: f64[4] = update v z1 i\n return z1 v1", "p q", None),
}  # fmt: skip


def agreed(name: str, **limits: int) -> list[str]:
    """The gradient is right; what is said of keeping entries."""
    (bound, init, params), body, results, _ = LOOPS[name]
    function = parse_function(PROGRAM.format(bound, init, params, body, results))
    notes = Notes()
    plan = Plan(collapse=Collapser(), notes=notes, **limits)
    reverse_agrees(function, ARGS, plan=plan, tolerance=1e-12)
    return [f"{note.decision}; {note.reason}" for note in notes if "entries" in note.decision]


@pytest.mark.parametrize("name", LOOPS)
def test_loops(name: str, monkeypatch: pytest.MonkeyPatch):
    """Whether it is worth it does not matter here."""
    monkeypatch.setattr(accumulated, "_worth", lambda *_: True)
    monkeypatch.setattr(accumulated, "_most", lambda _: 100)
    asked: list[object] = []
    monkeypatch.setattr(compared, "is_worth_it", lambda *blocks: not asked.append(blocks))
    found, kept = agreed(name), LOOPS[name][-1]
    if kept is None:
        assert found == []
        return
    assert asked  # the whole is compared with what keeps states
    (words,) = found
    assert re.fullmatch(
        rf"keeps {8 * kept} bytes of every iteration: {kept} entries of its Jacobian; "
        r"accumulated by \d+ multiplications; no iteration runs again",
        words,
    )
    assert agreed(name, states=2) == []


# z' = sin(z c) and the like: the values that slopes are made of are computed by `stms` of the body.
Z, C, S, T, COS = (Var(name, Type(F64)) for name in ("z", "c", "s", "t", "cos"))
I, N = Var("i", Type(I64)), Var("n", Type(I64))
BODY = (Stm((S,), Apply("mul", (Z, C))), Stm((T,), Apply("sin", (S,))))
SLOPE = (Stm((COS,), Apply("cos", (S,))),)
LOOP = For(N, (C,), Lambda((I, Z), Block(BODY, (T,))))
AGAIN = int(block_cost(Block(BODY[:1], ())))  # only s is read by a slope


@pytest.mark.parametrize("plain", [7, 8])
@pytest.mark.parametrize(("products", "entries", "kept"), [(1, 3, 1), (1, 4, 0), (9, 3, 0)])
@pytest.mark.parametrize("more", [-1, 0])
def test_what_it_is_worth(plain: int, products: int, entries: int, kept: int, more: int):
    """Against one state that is kept, s that is computed again, and going back through the body."""
    products += AGAIN + plain + accumulated.KEPT - (products + entries + accumulated.KEPT * kept) + more
    ends = [(k, 0) for k in range(entries)]
    found = Accumulated((*BODY, *SLOPE), dict.fromkeys(ends, COS), (COS,), products, plain)
    assert accumulated._worth(LOOP, found, ends[:kept], {}) is (more < 0)


def test_nothing_is_worth_it_where_no_state_is_kept():
    """What slopes are made of comes from outside."""
    found = Accumulated((*BODY, Stm((COS,), Apply("cos", (C,)))), {(0, 0): COS}, (COS,), 0, 100)
    assert not accumulated._worth(LOOP, found, [(0, 0)], {})


def test_what_finds_places_is_done_in_either_way():
    """A body that is run again costs less by what finds the places of elements again for the return sweep."""
    place = Lambda((), Block(BODY[:1], (S,)))
    ends = [(0, 0)]

    def is_worth_it(products: int, reads: dict[Var, tuple[Var, Lambda]]) -> bool:
        found = Accumulated((*BODY, *SLOPE), dict.fromkeys(ends, COS), (COS,), products, 50)
        return accumulated._worth(LOOP, found, ends, reads)

    most = max(products for products in range(100) if is_worth_it(products, {}))
    found = {S: (S, place)}
    assert is_worth_it(most - int(block_cost(place.body)), found)
    assert not is_worth_it(most - int(block_cost(place.body)) + 1, found)


@pytest.mark.parametrize("sines", range(12))
def test_the_most_entries(sines: int):
    """An eighth of what running the body and going back through it costs, and one for each number that is carried."""
    names = [Var(f"s{k}", Type(F64)) for k in range(sines)]
    block = Block(tuple(Stm((name,), Apply("mul", (Z, C))) for name in names), (Z, C, Z))
    body = Lambda((I, Z, C, S), block)
    assert accumulated._most(body) == int(block_cost(block) + 2 * sines) // accumulated.KEPT + 3
