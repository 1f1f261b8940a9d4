"""Planted bugs are caught, blamed on the right stage, and shrunk to a few statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tapeless.ir.build import Builder, build
from tapeless.ir.check import check
from tapeless.ir.core import Apply, Function, Stm
from tapeless.ir.eval import evaluate
from tapeless.ir.types import F64, I64, Type, Var, f64
from tapeless.passes import pipeline
from tapeless.records import replace
from tapeless.testing import judge, random_program, shrink, verify
from tapeless.testing.compare import Outcome, difference, reference, same_bits
from tapeless.testing.edits import Edit, count, rewrite, without_dead
from tapeless.testing.verify import Call
from tapeless.testing.wire import Request, decode, encode


def swapped(function: Function, old: str, new: str) -> Function:
    """A wrong pass: one operation in the place of another."""

    def change(_: int, stm: Stm) -> Edit | None:
        if isinstance(stm.expr, Apply) and stm.expr.op == old:
            return Edit((replace(stm, expr=replace(stm.expr, op=new)),))
        return None

    return rewrite(function, change)


@pytest.mark.parametrize(("old", "new"), [("mul", "add"), ("max", "min"), ("sin", "cos"), ("update", "accumulate")])
def test_a_planted_bug_is_caught_and_shrunk(monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> None:
    wrong = pipeline.Pass("wrong", lambda function, _: swapped(function, old, new))
    monkeypatch.setattr(verify, "PIPELINE", (wrong,))

    def fails(function: Function, args: Sequence[Any]) -> bool:
        verdict = judge(function, args)
        return verdict.kind == "wrong" and verdict.stage == "pass 0:wrong" and verdict.detail.startswith("result")

    programs = (random_program(seed) for seed in range(60))
    function, args = next((f, a) for f, a in programs if fails(f, a))
    small, values = shrink(function, args, fails, seconds=20)
    assert count(small) <= 8
    assert fails(small, values)


def test_a_wrong_compiler_is_blamed_on_compiled_code() -> None:
    def compiler(function: Function, _: str) -> Call:
        return lambda args, _: evaluate(swapped(function, "mul", "add"), args)

    stages = {judge(*random_program(seed), compiler=compiler).stage for seed in range(20)}
    assert "compiled unoptimised" in stages


def test_results_that_depend_on_the_number_of_threads_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "PIPELINE", ())
    x = Var("x", Type(F64))
    function = build("f", (x,), lambda b: (b.apply("add", x, f64(1.0)),))

    def compiler(function: Function, _: str) -> Call:
        return lambda args, threads: [np.nextafter(evaluate(function, args)[0], threads * 10)]

    verdict = judge(function, [np.float64(11.0)], compiler=compiler)
    assert verdict.kind == "wrong"
    assert "bits" in verdict.detail


def test_an_overwritten_argument_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "PIPELINE", ())
    n = Var("n", Type(I64))
    x = Var("x", Type(F64, (n,)))
    function = build("f", (x,), lambda b: (b.apply("add", n, n),))

    def compiler(function: Function, _: str) -> Call:
        def call(args: list[Any], _: int) -> Sequence[Any]:
            results = evaluate(function, args)
            args[0][0] = 7.0
            return results

        return call

    assert judge(function, [np.ones(3)], compiler=compiler).detail.endswith("argument 0 was overwritten")


def test_a_branch_decided_by_rounding_is_unstable_not_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "PIPELINE", ())
    x = Var("x", Type(F64))

    def body(b: Builder) -> Sequence[Var]:
        third = b.apply("div", x, f64(3.0))
        return (b.apply("floor", b.apply("mul", third, f64(3.0))),)

    function = build("f", (x,), body)
    lower = judge(function, [np.float64(3.0)], compiler=lambda _f, _v: lambda _args, _threads: [np.float64(2.0)])
    assert lower.kind == "unstable"
    other = judge(function, [np.float64(3.0)], compiler=lambda _f, _v: lambda _args, _threads: [np.float64(2.0) * 1e3])
    assert other.kind == "wrong"


@pytest.mark.parametrize(
    ("expected", "found", "same"),
    [
        (np.float64(1.0), np.float64(1.0 + 1e-12), True),
        (np.float64(1.0), np.float64(1.0 + 1e-6), False),
        (np.array([np.nan, 1e6]), np.array([np.nan, 1e6 + 1e-5]), True),
        (np.array([np.nan, 1.0]), np.array([1.0, 1.0]), False),
        (np.array([np.inf]), np.array([-np.inf]), False),
        (np.int64(3), np.int64(4), False),
        (np.int64(3), np.int32(3), False),
        (np.zeros((0, 2)), np.zeros((2, 0)), False),
    ],
)
def test_comparison(expected: Any, found: Any, same: bool) -> None:
    assert (difference(Outcome((expected,)), Outcome((found,)), 1e-9) == "") is same


def test_faults_compare_by_kind_and_bits_by_sign_of_zero() -> None:
    assert difference(Outcome(fault="IndexError"), Outcome(fault="IndexError"), 0.0) == ""
    assert difference(Outcome(fault="IndexError"), Outcome((1,)), 0.0)
    assert not same_bits(Outcome((np.float64(0.0),)), Outcome((np.float64(-0.0),)))
    assert same_bits(Outcome((np.float64("nan"),)), Outcome((np.float64("nan"),)))


def test_programs_survive_the_wire() -> None:
    for seed in range(20):
        function, args = random_program(seed)
        again = decode(encode(Request(function, args, ("auto",), 2, seed)))
        assert (again.function, list(again.variants), again.order, again.seed) == (function, ["auto"], 2, seed)
        assert all(np.array_equal(x, y, equal_nan=x.dtype.kind == "f") for x, y in zip(args, again.args, strict=True))
        assert [x.dtype for x in args] == [y.dtype for y in again.args]


def test_without_dead_keeps_meaning() -> None:
    for seed in range(30):
        function, args = random_program(seed)
        smaller = without_dead(function)
        check(smaller)
        assert same_bits(reference(function, args), reference(smaller, args))
