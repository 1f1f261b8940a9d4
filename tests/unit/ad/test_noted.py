"""Which states a loop notes on its way, what it notes, and which of those that come back are held to be wrong."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.near import DRIFT, DUST
from tapeless.ad.noted import LEAST_SHIFT, PLACES, Noted, _place, _shift, noting
from tapeless.ad.witness import NOTHING, unless_all
from tapeless.ir.build import Builder, build
from tapeless.ir.check import check
from tapeless.ir.core import For, Function
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.types import BOOL, F64, I64, Type, Var, i64
from tapeless.ir.walk import statements

GOLDEN, IN_BITS = 0.6180339887498949, 40503


def place(i: int, shift: int) -> tuple[bool, int]:
    """By the definition: in each part of 2^shift iterations one, spread by the golden ratio."""
    part = i >> shift
    return i - (part << shift) == (part * IN_BITS % 2**16 << shift) >> 16, part


def marked(x: np.ndarray) -> float:
    if x.dtype.kind == "i":
        return np.sum((1 + 2 * np.arange(x.size)) * x)
    return np.sum((0.5 + np.arange(x.size) * GOLDEN % 1.0) * x)


@pytest.mark.parametrize("shift", [2, 3, 6, 11])
def test_one_state_of_each_part(shift: int) -> None:
    i, s = Var("i", Type(I64)), Var("s", Type(I64))
    function = build("place", (i, s), lambda b: _place(b, i, s))
    check(function)
    ways = [evaluate(function, [k, shift]) for k in range(9 << shift)]
    assert [(bool(here), int(row)) for here, row in ways] == [place(k, shift) for k in range(9 << shift)]
    assert [sum(bool(here) for here, row in ways if row == part) for part in range(9)] == 9 * [1]


@pytest.mark.parametrize("count", [-3, 0, 1, 64, 255, 256, 257, 511, 512, 513, 1024, 1025, 2**20, 2**20 + 1])
def test_parts_are_as_short_as_there_is_room_for(count: int) -> None:
    n = Var("n", Type(I64))
    expected = next(s for s in range(LEAST_SHIFT, 99) if PLACES << s >= count)
    assert _shift(Builder(), i64(count)) == i64(expected)
    assert evaluate(build("shift", (n,), lambda b: [_shift(b, n)]), [count]) == [expected]


LOOP = """
def f(x: f64[3], k: i64[2], c: f64, n: i64) {
  y: f64[3], l: i64[2], s: f64 = for n [x k c] (i: i64, z: f64[3], m: i64[2], r: f64) {
    z1: f64[3] = map 3 (j: i64) {
      e: f64 = index z j
      t: f64 = cos e
      u: f64 = mul t -3.0
      return u
    }
    m0: i64 = index m 0
    m1: i64 = mul m0 -3
    m2: i64 = sub m1 i
    m3: i64[2] = update m m2 0
    r1: f64 = mul r 0.9
    return z1 m3 r1
  }
  return y l s
}
"""


@pytest.mark.parametrize("count", ["n", "300"])
def test_what_a_loop_notes(count: str) -> None:
    function = parse_function(LOOP.replace("for n", f"for {count}"))
    check(function)
    b = Builder()
    b.stms += function.body.stms
    witness = noting(b, b.stms[0], (0, 1))
    assert isinstance(witness, Noted)
    assert witness.sums.keys() == {0, 1}
    assert witness.tops.keys() == {0}  # of numbers that are compared as they are no magnitude is needed
    results = (*function.body.results, witness.shift, *witness.sums.values(), *witness.tops.values())
    noting_too = Function("g", function.params, b.block(results))
    check(noting_too)
    # Adding to zeros runs backwards.
    assert {getattr(stm.expr, "op", "") for stm in statements(noting_too.body)} >= {"accumulate"}
    args = [np.array([0.3, -2.0, 0.7]), np.array([2, 5]), 0.4, 300]
    y, l, s, shift, x_sums, k_sums, x_tops = evaluate(noting_too, args)
    for found, expected in zip((y, l, s), evaluate(function, args), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert shift == 3
    sums, whole, tops = np.zeros(PLACES), np.zeros(PLACES, "int64"), np.zeros(PLACES)
    x, k = args[0], args[1].copy()
    with np.errstate(over="ignore"):
        for i in range(300):
            here, row = place(i, 3)
            if here:
                sums[row], whole[row], tops[row] = marked(x), marked(k), np.max(np.abs(x))
            x, k = -3.0 * np.cos(x), np.array([-3 * k[0] - i, k[1]])
    np.testing.assert_allclose(x_sums, sums, rtol=1e-9)
    np.testing.assert_array_equal(k_sums, whole)
    np.testing.assert_allclose(x_tops, tops, rtol=1e-9)


def test_nothing_to_note() -> None:
    b = Builder()
    b.stms += parse_function(LOOP).body.stms
    assert noting(b, b.stms[0], ()) is NOTHING
    expr = b.stms[0].expr
    assert isinstance(expr, For)
    b.stms[:] = expr.body.body.stms
    assert noting(b, b.stms[0], (0,)) is NOTHING
    assert b.stms == list(expr.body.body.stms)
    assert NOTHING.start() == (i64(0),)


N = Var("n", Type(I64))
SUMS, TOPS, WHOLE = Var("sums", Type(F64, (i64(PLACES),))), Var("tops", Type(F64, (i64(PLACES),))), Var(
    "whole", Type(I64, (i64(PLACES),))
)  # fmt: skip
VALUE, LAST, KEYS = Var("value", Type(F64, (N,))), Var("last", Type(F64, (N,))), Var("keys", Type(I64, (N,)))
I, WRONG = Var("i", Type(I64)), Var("wrong", Type(I64))


def comparing() -> Function:
    witness = Noted(i64(2), {0: SUMS, 1: WHOLE}, {0: TOPS})
    params = (SUMS, TOPS, WHOLE, VALUE, KEYS, LAST, I, WRONG)

    def body(b: Builder):
        dust = witness.dust(b, (LAST, KEYS))
        assert dust.keys() == {0}
        return witness.compared(b, I, (VALUE, KEYS), (WRONG,), dust)

    function = build("compared", params, body)
    check(function)
    return function


COMPARED = comparing()
KEY_VALUES = np.array([4, -7, 1, 0])


def is_wrong(row: int, tops: dict[int, float], last: float, error: float, *, at: int = 0, keys: int = 0) -> bool:
    """Is a state of four elements wrong whose sum was noted with this error, where others were as large as `tops`?"""
    value = np.array([0.25, -1.0, 0.5, 2.0])
    sums, largest, whole = np.zeros(PLACES), np.zeros(PLACES), np.zeros(PLACES, "int64")
    sums[row] = marked(value) + error
    whole[row] = marked(KEY_VALUES) + keys
    for k, size in tops.items():
        largest[k] = size
    i = next(i for i in range(row << 2, row + 1 << 2) if place(i, 2)[0])
    lasts = np.array([0.0, -last, 0.0, 0.0])
    (wrong,) = evaluate(COMPARED, [sums, largest, whole, value, KEY_VALUES, lasts, i + at, 3])
    assert wrong in (3, 4)
    return wrong == 4


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("row", [0, 5, PLACES - 1])
def test_errors_that_are_too_large(row: int, sign: float) -> None:
    """Twice, the root of four elements, what the largest number there or at the next place allows, or dust."""
    limit, dust = 2 * DRIFT[F64], 2 * DUST[F64]
    behind = min(row + 1, PLACES - 1)
    for tops, last, most in (
        ({row: 100.0}, 0.0, 100.0 * limit), ({behind: 100.0}, 0.0, 100.0 * limit),
        ({row: 100.0, behind: 1.0 + 99.0 * (row == behind)}, 0.0, 100.0 * limit),
        ({row: 1.0, (row + 3) % 40: 1e7}, 0.0, 1e7 * dust), ({row: 1.0}, 1e8, 1e8 * dust),
        ({row: 1.0, (row + 3) % 40: 1e7}, 1e8, 1e8 * dust), ({row: 1e3, (row + 3) % 40: 1e6}, 1e6, 1e3 * limit),
    ):  # fmt: skip
        assert not is_wrong(row, tops, last, sign * 0.98 * most)
        assert is_wrong(row, tops, last, sign * 1.02 * most)
        assert not is_wrong(row, tops, last, sign * 1.02 * most, at=1)  # another state of this part


def test_no_error_is_none() -> None:
    assert not is_wrong(3, {}, 0.0, 0.0)
    assert is_wrong(3, {}, 0.0, np.nan)


def test_whole_numbers_are_exact() -> None:
    for row in (0, 9):
        assert is_wrong(row, {row: 1.0}, 0.0, 0.0, keys=1)
        assert is_wrong(row, {row: 1.0}, 0.0, 0.0, keys=-1)
        assert not is_wrong(row, {row: 1.0}, 0.0, 0.0, keys=1, at=1)


def test_one_test_that_fails() -> None:
    tests = tuple(Var(f"t{k}", Type(BOOL)) for k in range(3))
    for count in (1, 2, 3):
        function = build("tested", tests[:count], lambda b, count=count: [unless_all(b, tests[:count])])
        for values in np.ndindex(*(2,) * count):
            assert evaluate(function, [bool(x) for x in values]) == [0 if all(values) else 1]
