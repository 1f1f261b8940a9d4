"""What is kept of the values that several parts need, and that the parts get the same from what was kept."""

from collections.abc import Sequence

import numpy as np
import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad import shared
from tapeless.ir.build import Builder
from tapeless.ir.check import check
from tapeless.ir.core import Block, Function, Map
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.passes.cost import block_cost
from tapeless.passes.uses import slice_for

DEAR = """s{0}: f64 = reduce m [0.0] (x{0}: f64, y{0}: f64) {{
    z{0}: f64 = add x{0} y{0}
    return z{0}
  }} (k{0}: i64) {{
    e{0}: f64 = index a i k{0}
    t{0}: f64 = exp e{0}
    return t{0}
  }}
"""
ONE, TWO = DEAR.format(1), DEAR.format(2)
ROWS = {
    "a row": "r: f64[2] = map 2 (j: i64) {\n" + ONE + "return s1\n}",
    "two rows": "r: f64[2], q: f64[2] = map 2 (j: i64) {\n" + ONE + "w: f64 = sin s1\n return s1 w\n}",
    "a row of its own size": "r: f64[i] = map i (j: i64) {\n" + ONE + "return s1\n}",
    "a loop": "r: f64 = for m [1.0] (j: i64, p: f64) {\n" + ONE + "p1: f64 = mul p s1\n return p1\n}",
}

# The statements of a body, what its parts are made of, and what is kept.
BODIES: dict[str, tuple[str, tuple[str, str], list[str]]] = {
    "the last value": (
        ONE + "d: f64 = add s1 s1\n u: f64 = sin d\n v: f64 = cos d", ("u", "v"), ["d"]
    ),
    "one value before two": (
        ONE + "d: f64 = add s1 s1\n g: f64 = mul s1 s1\n u: f64 = add d g\n v: f64 = mul d g", ("u", "v"), ["s1"]
    ),
    "two values": (ONE + TWO + "u: f64 = add s1 s2\n v: f64 = mul s1 s2", ("u", "v"), ["s2", "s1"]),
    "what one part needs only": (ONE + TWO + "u: f64 = sin s1\n v: f64 = add s1 s2", ("u", "v"), ["s1"]),
    "what is made on the way, and needed beside it": (
        ONE + TWO + "d: f64 = add s1 s2\n u: f64 = sin d\n g: f64 = mul d s1\n v: f64 = cos g", ("u", "v"), ["d", "s1"]
    ),
    "nothing in common": (ONE + TWO + "u: f64 = sin s1\n v: f64 = sin s2", ("u", "v"), []),
    "what is cheap": ("d: f64 = index a i 0\n u: f64 = sin d\n v: f64 = cos d", ("u", "v"), []),
    "a row": (ROWS["a row"] + "\n u: f64 = index r 0\n v: f64 = index r 1", ("u", "v"), ["r"]),
    "two rows": (ROWS["two rows"] + "\n u: f64 = index r 0\n v: f64 = index q 1", ("u", "v"), ["r", "q"]),
    "one of two rows": (ROWS["two rows"] + "\n u: f64 = index r 0\n v: f64 = index r 1", ("u", "v"), ["r"]),
    "a row of its own size": (
        ROWS["a row of its own size"] + "\n u: f64 = index r 0\n v: f64 = index r 0", ("u", "v"), []
    ),
    "a loop": (ROWS["a loop"] + "\n u: f64 = sin r\n v: f64 = cos r", ("u", "v"), []),
}  # fmt: skip


def body(text: str, parts: Sequence[str]) -> Function:
    function = parse_function(f"def f(a: f64[n, m], i: i64) {{\n {text}\n return {' '.join(parts)}\n}}")
    check(function)
    return function


def kept(function: Function) -> tuple[list[str], Function]:
    """The names of what is kept, and the function that takes it from arrays."""
    b, (a, i) = Builder(), function.params
    block = shared.keep_shared(b, a.type.shape[0], i, function.body, [[x] for x in function.body.results])
    made = Function("parts", function.params, Block((*b.stms, *block.stms), block.results))
    check(made)
    assert len(b.stms) <= 1
    maps = [stm.expr for stm in b.stms if isinstance(stm.expr, Map)]
    return [x.name.split(".")[0] for each in maps for x in each.body.body.results], made


@pytest.mark.parametrize("name", BODIES)
def test_this_is_kept(name: str):
    text, parts, expected = BODIES[name]
    function = body(text, parts)
    names, made = kept(function)
    assert names == expected
    if not expected:
        assert made.body == function.body
    matrix = np.linspace(-1.0, 1.0, 12).reshape(3, 4)
    for i in range(1, 3):
        assert evaluate(made, [matrix, i]) == evaluate(function, [matrix, i])


def test_worth_begins_at_so_many_operations_for_each_element(monkeypatch: pytest.MonkeyPatch):
    text, parts, _ = BODIES["a row"]
    function = body(text, parts)
    row = function.body.stms[0].vars[0]
    cost = block_cost(slice_for(function.body, (row,), checks=False)) / 2.0
    monkeypatch.setattr(shared, "WORTH", cost)
    assert kept(function)[0] == ["r"]
    monkeypatch.setattr(shared, "WORTH", cost + 1.0)
    assert kept(function)[0] == []
