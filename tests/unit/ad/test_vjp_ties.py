"""Ties: elements equal to an extremum share its derivative, in both modes, whatever else the operator computes."""

import numpy as np
import pytest

from tapeless.ir.core import For, Reduce, Scan
from tapeless.ir.text import parse_function
from tapeless.ir.types import Lit
from tapeless.ir.walk import statements

from .jvp_programs import PROGRAMS
from .vjp_harness import jacobians, reverse_agrees, vjp


def fold(form, operator, values, count, start="-inf 1.0 0.0", body="y y y"):
    """A program that combines the elements of x by an operator of two or three accumulators."""
    results = ", ".join(f"{name}: {'f64[n]' if form == 'scan' else 'f64'}" for name in "spq"[:count])
    params = ", ".join(f"{name}: f64" for name in "ace"[:count] + "bdg"[:count])
    return parse_function(f"""
def mixed(x: f64[n]) {{
  {results} = {form} n [{start}] ({params}) {{
{operator}
    return {values}
  }} (i: i64) {{
    y: f64 = index x i
    return {body}
  }}
  return {" ".join("spq"[:count])}
}}
""")


RECURRENCE = """    u: f64 = mul c d
    v: f64 = mul e d
    w: f64 = add v g"""
MIXED = fold("reduce", f"    t: f64 = max a b\n{RECURRENCE}", "t u w", 3)


def agree(function, *args):
    forward, reverse = jacobians(function, args)
    np.testing.assert_allclose(reverse, forward, rtol=1e-12, atol=1e-12)
    return reverse


def test_an_extremum_beside_a_recurrence_keeps_its_equal_shares():
    found = agree(MIXED, np.full(3, 3.0))
    np.testing.assert_allclose(found[0], 1 / 3)
    reverse_agrees(MIXED, [np.array([0.5, 2.0, -1.0, 1.5])])


def test_only_what_needs_a_loop_becomes_one():
    """The recurrence needs the product, which is computed with it once more."""
    stms = vjp(MIXED).body.stms
    reduction = next(s.expr for s in stms if isinstance(s.expr, Reduce))
    loop = next(s.expr for s in stms if isinstance(s.expr, For))
    assert [x.value for x in reduction.neutral] == [-np.inf, 1.0]
    assert [x.value for x in loop.init if isinstance(x, Lit)] == [1.0, 0.0]


def test_what_the_others_compare_with_is_computed_with_them():
    """The third accumulator goes with the larger element, by a comparison: it has a derivative of its own."""
    operator = """    t: f64 = max a b
    l: bool = ge a b
    u: f64 = select l c d
    v: f64 = mul e g"""
    function = fold("reduce", operator, "t u v", 3, "-inf 0.0 1.0")
    agree(function, np.array([1.0, 3.0, 3.0, 2.0]))
    reverse_agrees(function, [np.array([0.5, 2.0, -1.0, 1.5])])


def test_an_extremum_whose_tangent_goes_on_is_not_kept_apart():
    operator = """    t: f64 = max a b
    p1: f64 = add c d
    p2: f64 = sub t a
    p3: f64 = sub p2 p2
    u: f64 = add p1 p3"""
    agree(fold("reduce", operator, "t u", 2, "-1.0 0.0", "y y"), np.array([1.0, 3.0, 3.0, 3.0]))


def test_an_operator_with_a_check_stays_whole():
    operator = f"""    ok: bool = le a a
    check assert ok
    t: f64 = max a b
{RECURRENCE}"""
    function = fold("reduce", operator, "t u w", 3)
    reverse_agrees(function, [np.array([0.5, 2.0, -1.0, 1.5])])


def test_a_running_sum_beside_a_recurrence():
    function = fold("scan", f"    t: f64 = add a b\n{RECURRENCE}", "t u w", 3, "0.0 1.0 0.0")
    agree(function, np.array([0.5, 2.0, -1.0, 1.5]))
    scan = next(s.expr for s in vjp(function).body.stms if isinstance(s.expr, Scan))
    assert len(scan.neutral) == 1


@pytest.mark.parametrize("x", [[1.0, 3.0, 3.0, 3.0], [1.0, np.nan, 3.0], [-np.inf, -np.inf], []])
def test_the_neutral_element_has_the_derivative_when_no_element_has_the_result(x):
    function = parse_function("""
def maximum(x: f64[n], top: f64) {
  s: f64 = reduce n [top] (a: f64, b: f64) {
    t: f64 = max a b
    return t
  } (i: i64) {
    v: f64 = index x i
    return v
  }
  return s
}
""")
    agree(function, np.array(x), -np.inf)


@pytest.mark.parametrize("rows", [[[1.0, 5.0], [2.0, 5.0], [2.0, 5.0]], [[3.0, 1.0], [3.0, np.nan]], [[2.0, 7.0]]])
def test_rows_share_element_by_element(rows):
    function = parse_function(PROGRAMS["row_extrema"][1])
    found = agree(function, np.array(rows))
    assert not any(isinstance(s.expr, For) for s in statements(vjp(function).body))
    assert np.isfinite(found).all()


HISTOGRAM = """
def bins(x: f64[n], z: f64[m], k: i64[n]) {
  s: f64[m], p: f64[m], q: f64[m] = hist 1 n [-inf 1.0 0.0] [z z z] (a: f64, c: f64, e: f64, b: f64, d: f64, g: f64) {
    t: f64 = max a b
    u: f64 = mul c d
    v: f64 = mul e d
    w: f64 = add v g
    return t u w
  } (i: i64) {
    y: f64 = index x i
    j: i64 = index k i
    return j y y y
  }
  return s p q
}
"""


def test_histograms_are_taken_apart_too():
    function = parse_function(HISTOGRAM)
    keys = np.array([0, 0, 1, 5, 1, 0])
    found = agree(function, np.array([3.0, 3.0, 2.0, 9.0, 1.0, 3.0]), np.array([3.0, 2.0]), keys)
    np.testing.assert_allclose(found[0, [0, 1, 5, 6]], 0.25)
    reverse_agrees(function, [np.array([3.0, 3.5, 2.0, 9.0, 1.0, -3.0]), np.array([3.25, 2.5]), keys])


def test_histograms_of_rows_share_element_by_element():
    function = parse_function("""
def rows(d: f64[m, 2], a: f64[n, 2], key: i64[n]) {
  h: f64[m, 2] = hist 1 n [+inf] [d] (x: f64, y: f64) {
    z: f64 = min x y
    return z
  } (i: i64) {
    k: i64 = index key i
    r: f64[2] = index a i
    return k r
  }
  return h
}
""")
    d, a = np.array([[1.0, 4.0], [2.0, 2.0]]), np.array([[1.0, 3.0], [1.0, 3.0], [5.0, 2.0]])
    agree(function, d, a, np.array([0, 0, 1]))


def test_ties_share_equally_in_second_derivatives():
    function = parse_function(PROGRAMS["extrema"][1])
    x = np.array([2.0, 5.0, 5.0, 1.0])
    agree(vjp(function), x, np.array([1.0, 2.0, 2.0, 0.5]), *[np.float64(1.5)] * len(function.body.results))
