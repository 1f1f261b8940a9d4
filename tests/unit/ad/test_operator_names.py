"""The operation by which an operator combines each of its components, element by element at any depth."""

import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.values import operator_name, operator_names
from tapeless.ir.check import check
from tapeless.ir.core import Reduce
from tapeless.ir.text import parse_function

ROW = """r{0}: f64[3] = map 3 (j{0}: i64) {{
  g{0}: f64 = index {1} j{0}
  h{0}: f64 = index {2} {4}
  {3}
  return k{0}
}}"""


def row(x: str, y: str, operation: str, at: str = "j") -> str:
    return ROW.format(x, x, y, operation.format(x), f"{at}{x}" if at == "j" else at)


PLUS, LESS, OTHER = "k{0}: f64 = add g{0} h{0}", "k{0}: f64 = min h{0} g{0}", "k{0}: f64 = add g{0} g{0}"


def matrix(body: str) -> str:
    return f"rm: f64[2, 3] = map 2 (l: i64) {{\n x: f64[3] = index p l\n y: f64[3] = index q l\n {body}\n return rx\n}}"


@pytest.mark.parametrize(
    ("types", "body", "results", "names"),
    [
        ("f64", "r: f64 = mul p q", "r", ["mul"]),
        ("f64", "r: f64 = mul q p", "r", ["mul"]),
        ("f64", "r: f64 = mul p p", "r", [None]),
        ("f64", "r: f64 = exp p", "r", [None]),
        ("f64", "", "p", [None]),
        ("f64", "", "1.0", [None]),
        ("f64[3]", row("p", "q", PLUS), "rp", ["add"]),
        ("f64[3]", row("p", "q", LESS), "rp", ["min"]),
        ("f64[3]", row("p", "q", OTHER), "rp", [None]),
        ("f64[3]", row("p", "p", PLUS), "rp", [None]),
        ("f64[3]", row("p", "q", PLUS, "0"), "rp", [None]),
        ("f64[3]", row("q", "p", PLUS, "0"), "rq", [None]),
        ("f64[2, 3]", matrix(row("x", "y", PLUS)), "rm", ["add"]),
    ],
)
def test_one_component(types: str, body: str, results: str, names: list[str | None]):
    neutral = {"f64": "0.0", "f64[3]": "z", "f64[2, 3]": "m"}[types]
    function = parse_function(
        f"def f(z: f64[3], m: f64[2, 3]) {{\n o: {types} = reduce 4 [{neutral}] (p: {types}, q: {types}) {{\n {body}\n"
        f" return {results}\n }} (i: i64) {{\n return {neutral}\n }}\n return o\n}}"
    )
    check(function)
    expr = function.body.stms[0].expr
    assert isinstance(expr, Reduce)
    assert operator_names(expr.op, 1) == names
    assert operator_name(expr.op, 0) == names[0]


THREE = """
def f(x: f64) {
  a: f64, b: f64, c: f64 = reduce 4 [0.0 1.0 0.0] (p: f64, q: f64, r: f64, p1: f64, q1: f64, r1: f64) {
    s: f64 = add p p1
    t: f64 = mul q q1
    u: f64 = add p r1
    return s t u
  } (i: i64) {
    return x x x
  }
  return a b c
}
"""


def test_components_are_told_apart():
    expr = parse_function(THREE).body.stms[0].expr
    assert isinstance(expr, Reduce)
    assert operator_names(expr.op, 3) == ["add", "mul", None]
    assert [operator_name(expr.op, k) for k in range(3)] == ["add", "mul", None]
