"""What the return sweep runs again has passed its checks; what is told to inverses stays. Sums of arrays."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.values import rerun, total
from tapeless.ir.build import Builder
from tapeless.ir.check import check
from tapeless.ir.core import Block, Check, Custom, Function, Lambda, Stm
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.types import F64, Type, Var, i64
from tapeless.ir.walk import statements

X, Y = Var("x", Type(F64)), Var("y", Type(F64))


def checks(block: Block) -> int:
    return sum(isinstance(stm.expr, Check) for stm in statements(block))


def test_checks_are_gone_at_any_depth():
    function = parse_function("""
def f(x: f64[n], k: i64) {
  check bounds k n
  = for 3 [] (i: i64) {
    check bounds i n
    return
  }
  y: f64[n] = map n (j: i64) {
    check bounds j n
    e: f64 = index x j
    return e
  }
  return y
}
""")
    assert checks(function.body) == 3
    again = rerun(function.body)
    assert checks(again) == 0
    assert again.results == function.body.results
    assert len(again.stms) == 2


def test_what_is_told_stays_and_what_is_computed_has_no_checks():
    body = Lambda((), Block((Stm((), Check("told", (X, Y))),), ()))
    told, computed = (Stm(vars, Custom((), body)) for vars in ((), (Y,)))
    assert checks(rerun(Block((told,), ()))) == 1
    assert checks(rerun(Block((computed,), (Y,)))) == 0


@pytest.mark.parametrize("dims", [0, 1, 2])
def test_sums_over_leading_dimensions(dims: int):
    array, b = Var("a", Type(F64, (i64(2), i64(3)))), Builder()
    function = Function("sums", (array,), b.block((total(b, array, dims),)))
    check(function)
    value = np.array([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]])
    (found,) = evaluate(function, [value])
    np.testing.assert_array_equal(found, np.sum(value, axis=tuple(range(dims))))
