"""What the derivative of a loop is counted to cost in each way, by hand."""

from __future__ import annotations

import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad import choice
from tapeless.ad.choice import KEPT, SPILLED, Choice, Part, Ways
from tapeless.ir.core import For, Stm, While
from tapeless.ir.op import lookup
from tapeless.ir.text import parse_function
from tapeless.ir.types import Var
from tapeless.ir.walk import statements

HEAD = "def f(x: f64, p: f64, q: f64, n: i64, t: f64[n]) {\n"


def cost(*ops: str) -> float:
    return sum(lookup(op).cost for op in ops)


def loop(text: str, held: str = "") -> tuple[Choice, Stm]:
    """The choice for a program, and its first loop; all floats vary but those that are `held`."""
    function = parse_function(f"{HEAD}{text}\nreturn x\n}}")
    stms = list(statements(function.body))
    names = [*function.params, *(var for stm in stms for var in stm.vars)]
    names += [param for stm in stms for body in _bodies(stm) for param in body]
    varied = {var.name for var in names if var.type.dtype.is_float} - set(held.split())
    return Choice(varied), next(stm for stm in stms if isinstance(stm.expr, For | While))


def _bodies(stm: Stm) -> list[tuple[Var, ...]]:
    match stm.expr:
        case For(_, _, body):
            return [body.params]
        case While(_, cond, body):
            return [cond.params, body.params]
        case _:
            return []


def ways(text: str, held: str = "") -> Ways:
    found, stm = loop(text, held)
    return found.ways(stm)


def test_a_product_and_a_sum_for_each_edge() -> None:
    """The sine's slope takes a cosine, and an edge with it a product and a sum; the sum's two edges a sum each."""
    text = "y: f64 = for 10 [x] (i: i64, z: f64) { u: f64 = sin z\n w: f64 = add u z\n return w }"
    assert ways(text) == Ways(states=KEPT + cost("cos") + 2 + 2, tangents=cost("cos") + 2 + 2)
    found, stm = loop(text)
    assert [x.name for x in found.inputs(stm)] == ["x"]
    assert found.statement(stm).push(3) == 10 * (cost("cos") + 3 * 4)
    assert found.statement(stm).back == 10 * (cost("cos") + 4)  # it is ahead


def test_what_is_read_is_kept_or_run_again() -> None:
    """The product's slopes are u and z: u is run again from z, which is kept; r is in neither."""
    text = "y: f64, s: f64 = for 10 [x p] (i: i64, z: f64, r: f64) { u: f64 = sin z\n w: f64 = mul u z\n" \
           " o: f64 = add r w\n return w o }"  # fmt: skip
    found = ways(text)
    assert found.states == KEPT + cost("sin") + cost("cos") + 2 + 4 + 2
    assert found.tangents == cost("cos") + 2 * (2 + 4 + 2)


def test_what_runs_again_reads_what_is_kept() -> None:
    """The sine's slope is made of v, and v of z."""
    text = "y: f64 = for 10 [x] (i: i64, z: f64) { v: f64 = add z 1.0\n w: f64 = sin v\n return w }"
    assert ways(text).states == KEPT + cost("add") + 1 + cost("cos") + 2


def test_a_constant_slope_of_two_is_a_product() -> None:
    text = "y: f64 = for 10 [x] (i: i64, z: f64) { u: f64 = mul z 2.0\n v: f64 = neg u\n w: f64 = sub v z\n return w }"
    assert ways(text) == Ways(states=2 + 1 + 2, tangents=2 + 1 + 2)


def test_what_holds_still_has_no_edge() -> None:
    text = "y: f64 = for 10 [x] (i: i64, z: f64) { g: f64 = exp p\n w: f64 = mul z g\n return w }"
    assert ways(text, held="g p") == Ways(states=cost("exp") + 2, tangents=2)


def test_moving_a_number_takes_a_sum() -> None:
    """Its place is needed, not what it is read from."""
    text = (
        "y: f64 = for 10 [x] (i: i64, z: f64) { j: i64 = mod i 3\n e: f64 = index t j\n w: f64 = add z e\n return w }"
    )
    assert ways(text) == Ways(states=cost("mod") + 1 + 2, tangents=2 * (1 + 2))


MANY = [f"z{k}" for k in range(9)]
MANY_CARRIED = (
    f"{', '.join(f'y{k}: f64' for k in range(9))} = for 10 [{'x ' * 9}] (i: i64, "
    f"{', '.join(f'{z}: f64' for z in MANY)})"
    f" {{ w: f64 = add z0 p\n return w {' '.join(MANY[1:])} }}"
)


def test_numbers_without_a_register() -> None:
    """Nine values, as many adjoints and two of the inputs; nine values with two tangents each."""
    assert ways(MANY_CARRIED) == Ways(states=2 + SPILLED * (9 + 9 + 2 - 16), tangents=4 + SPILLED * (9 * 3 - 16))


def test_conditions_are_counted_first() -> None:
    text = "j: i64, y: f64 = while [0 x] (k: i64, r: f64) { h: i64 = mul k 3\n c: bool = lt h n\n return c }" \
           " (m: i64, z: f64) { g: i64 = add m 1\n w: f64 = sin z\n return g w }"  # fmt: skip
    assert ways(text) == Ways(states=KEPT + cost("mul", "lt", "add") + cost("cos") + 2, tangents=cost("cos") + 2)


BRANCH = """y: f64 = for 10 [x] (i: i64, z: f64) {
  c: bool = gt z 0.0
  w: f64 = if c {
    u: f64 = sin z
    v: f64 = exp u
    return v
  } else {
    o: f64 = OP z
    return o
  }
  return w
}"""


@pytest.mark.parametrize(("op", "partial"), [("neg", 1.0), ("sin", cost("cos") + 2)])
def test_the_dearer_arm_counts(op: str, partial: float) -> None:
    """Its values run again in it, and all that it reads and decides is needed."""
    then = cost("sin", "exp") + cost("cos") + 2 + 2
    found = ways(BRANCH.replace("OP", op))
    assert found.tangents == cost("cos") + 2 + 2 + partial
    assert found.states == KEPT + cost("gt") + then


def test_arms_count_once_whichever_is_dear() -> None:
    turned = BRANCH.replace("gt z", "le z").replace("OP", "neg")
    first, second = turned.split("} else {")
    head, then = first.split("if c {")
    orelse, tail = second.split("}", 1)
    assert ways(f"{head}if c {{{orelse}}} else {{{then}}}{tail}") == ways(turned)


INNER = """y: f64 = for 10 [x] (i: i64, z: f64) {
  w: f64 = for 5 [z] (j: i64, r: f64) {
    u: f64 = sin r
    return u
  }
  return w
}"""
SLOPE = cost("cos") + 2


def test_loops_in_loops_are_chosen_first() -> None:
    """The inner loop carries its derivative along, five times in an iteration."""
    assert ways(INNER) == Ways(states=KEPT + 5 * SLOPE, tangents=5 * SLOPE)


def test_loops_of_arrays_keep_states() -> None:
    text = INNER.replace("sin r", "add r e").replace("u: f64", "e: f64 = index t i\n u: f64")
    found, stm = loop(text)
    assert not found.is_ahead(stm)
    assert ways(text).states == KEPT + 5 * 3  # all that a loop reads is kept for it


SUM = """y: f64 = for 10 [x] (i: i64, z: f64) {
  w: f64 = reduce 7 [0.0] (a: f64, b: f64) { s: f64 = add a b
    return s
  } (j: i64) {
    u: f64 = sin z
    v: f64 = exp u
    return v
  }
  return w
}"""


def test_operators_run_their_bodies_again() -> None:
    again = cost("sin", "exp") + SLOPE + 2
    assert ways(SUM) == Ways(states=KEPT + 7 * again, tangents=7 * (SLOPE + 2))


def test_few_inputs_are_numbers() -> None:
    """One input is worth it as soon as it is cheaper, several when that is sure."""
    one = "y: f64 = for 10 [x] (i: i64, z: f64) { w: f64 = sin z\n return w }"
    none = one.replace("[x]", "[0.0]")
    array = "y: f64 = for 10 [x] (i: i64, z: f64) { e: f64 = index t i\n d: f64 = mul e z\n w: f64 = sin d\n return w }"
    assert [found.is_ahead(stm) for found, stm in map(loop, (one, none, array))] == [True, False, False]
    found, stm = loop(array, held="t e")
    assert found.is_ahead(stm)


@pytest.mark.parametrize(("tangents", "inputs", "expected"), [
    (9.9, 1, True), (10.0, 1, False), (7.4, 2, True), (7.5, 2, False), (9.9, 2, False), (0.0, 6, True), (0.0, 7, False),
])  # fmt: skip
def test_where_tangents_are_taken(
    tangents: float, inputs: int, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = [f"e{k}" for k in range(inputs)]
    body = "\n".join(f"{e}: f64 = add 1.0 x" for e in read)
    sums = "\n".join(f"w{k}: f64 = add {e} z" for k, e in enumerate(read))
    text = f"{body}\ny: f64 = for 10 [0.0] (i: i64, z: f64) {{ {sums}\n return w0 }}"
    found, stm = loop(text)
    assert len(found.inputs(stm)) == inputs
    monkeypatch.setattr(Choice, "ways", lambda *_: Ways(10.0, tangents))
    assert found.is_ahead(stm) == expected


def test_arrays_that_vary_have_no_tangents(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "y: f64 = for 10 [x] (i: i64, z: f64) { e: f64 = index t i\n w: f64 = mul e z\n return w }"
    monkeypatch.setattr(Choice, "ways", lambda *_: Ways(10.0, 0.0))
    for held, expected in (("", False), ("t e", True)):
        found, stm = loop(text, held)
        assert found.is_ahead(stm) == expected


@pytest.mark.parametrize(("most", "expected"), [(3, True), (2, False)])
def test_long_loops_are_not_pushed(most: int, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "LARGEST", most)
    found, stm = loop("y: f64 = for 10 [x] (i: i64, z: f64) { u: f64 = sin z\n w: f64 = add u z\n return w }")
    assert found.is_ahead(stm) == expected


def test_what_does_not_vary_costs_nothing() -> None:
    text = "y: f64 = for 10 [x] (i: i64, z: f64) { check nonneg n\n g: f64 = sin p\n w: f64 = neg z\n return w }"
    assert ways(text, held="p g") == Ways(1.0, 1.0)
    assert ways(text.replace("nonneg n", "not_nan z"), held="p g") == Ways(1.0, 1.0)
    found, stm = loop(text, held="x p g y z w")
    assert found.statement(stm) == Part()
