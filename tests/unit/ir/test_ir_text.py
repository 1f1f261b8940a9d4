"""The text form: printing and parsing are inverse, and mistakes are refused with their line."""

from pathlib import Path

import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.errors import IRError
from tapeless.ir.build import build
from tapeless.ir.check import check
from tapeless.ir.core import Block, Function, Pos, Stm
from tapeless.ir.op import all_ops
from tapeless.ir.text import parse_function, print_function, print_statement
from tapeless.ir.types import F32, F64, I32, Lit, Type, Var, f64
from tapeless.ir.walk import canonical
from tapeless.ops.samples import cases

from .ir_programs import FORMS

GOLDEN = Path(__file__).parents[2] / "golden" / "ir"


@pytest.mark.parametrize("name", FORMS)
def test_text_is_a_fixed_point(name):
    text = FORMS[name].lstrip("\n")
    function = parse_function(text)
    check(function)
    assert print_function(function) == text
    assert parse_function(print_function(canonical(function))) == canonical(function)


@pytest.mark.parametrize("op", all_ops(), ids=lambda op: op.name)
def test_every_operation_round_trips(op):
    for case in cases(op):
        assert parse_function(print_function(case.function)) == case.function


@pytest.mark.parametrize(
    "lit",
    [Lit(v, F64) for v in (0.1, -0.0, 1e300, 5e-324, 1e22, 123456789.0, float("inf"), float("-inf"), float("nan"))]
    + [Lit(v, F32) for v in (0.1, -0.0, 1e-45, float("inf"), float("nan"))]
    + [Lit(v, I32) for v in (0, -(2**31))],
    ids=repr,
)
def test_literals_keep_type_and_bits(lit):
    function = Function("f", (), Block((), (lit,)))
    assert parse_function(print_function(function)) == function


def test_zero_and_minus_zero_differ():
    zero, minus = (Function("f", (), Block((), (f64(v),))) for v in (0.0, -0.0))
    assert parse_function(print_function(zero)) != minus


def test_a_variable_may_be_named_like_a_keyword():
    names = ("check", "map", "inf", "nan", "if_", "e1", "f64", "élan")
    params = tuple(Var(name, Type(F64)) for name in names)
    function = build("<lambda>", params, lambda b: [b.apply("add", x, y) for x in params for y in params])
    assert parse_function(print_function(function)) == function
    first = function.body.stms[0]
    renamed = Function("f", params, Block((Stm((Var("check.1", Type(F64)),), first.expr),), params))
    assert parse_function(print_function(renamed)) == renamed


def test_positions_only_on_request():
    x = Var("x", Type(F64))
    function = build("f", (x,), lambda b: (b.apply("neg", x),))
    stm = function.body.stms[0]
    placed = Function("f", (x,), Block((Stm(stm.vars, stm.expr, Pos("a.py", 12, 4, 12, 9)),), function.body.results))
    assert "@" not in print_function(placed)
    assert "neg x @12:4\n" in print_function(placed, positions=True)
    parsed = parse_function(print_function(placed, positions=True))
    assert parsed == placed
    assert parsed.body.stms[0].pos is not None
    assert parsed.body.stms[0].pos.line == 12


def test_a_statement_alone():
    stm = parse_function(FORMS["branch"]).body.stms[0]
    assert print_statement(stm).splitlines()[0] == "m.1: i64, y.2: f64[m.1] = if c {"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f() {\n  return x\n}", "line 2 .* expected a variable that is bound before"),
        ("def f() {\n  y: f64 = add 1.0 2.0 }", "line 2 .* the end of the statement"),
        ("def f() {\n  return\n", "expected '}', found the end"),
        ("def f(x: f16) {\n  return\n}", "expected a scalar type, found f16"),
        ("def f() {\n  return\n}\nx", "expected the end of the text"),
        ("def f() {\n  y: f64 = for 3 (i: i64) {\n return\n}\n return\n}", r"expected '\['"),
        ("def f() ; {", "unexpected"),
        ("f() {", "expected 'def'"),
    ],
)
def test_mistakes_are_refused_with_their_line(text, message):
    with pytest.raises(IRError, match=message):
        parse_function(text)


@pytest.mark.parametrize("name", ["energy", "branch", "histogram"])
def test_golden(name):
    """The text is the cache's key: a change of the format must be seen in a diff."""
    assert print_function(canonical(parse_function(FORMS[name]))) == (GOLDEN / f"{name}.ir").read_text()
