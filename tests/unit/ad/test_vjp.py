"""Reverse mode: every construct by the dot test in 60 digits, twice over; masks; what is not there costs nothing."""

import numpy as np
import pytest

from tapeless.ad.functions import jvp_function, vjp_function
from tapeless.ad.vjp import pullback
from tapeless.errors import DerivativeError
from tapeless.ir.build import Builder
from tapeless.ir.check import check
from tapeless.ir.core import Check, Function, Pos, Stm
from tapeless.ir.eval import evaluate
from tapeless.ir.op import all_ops
from tapeless.ir.text import parse_function
from tapeless.ir.types import F64, f64
from tapeless.ir.walk import fresh, statements
from tapeless.ops.samples import cases

from .jvp_programs import PROGRAMS
from .vjp_harness import floats, jacobians, reverse_agrees, vjp

# Stacks have rows of one size: a loop whose arrays change theirs, which the front end does not make, is left out.
FUNCTIONS = {name: (parse_function(text), args) for name, (args, text) in PROGRAMS.items() if name != "growing"}
SMOOTH = [op for op in all_ops() if not isinstance(op.partials, str)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_construct(name):
    function, args = FUNCTIONS[name]
    rounding = 1e-4 if name == "single" else 1e-10
    derived, given = reverse_agrees(function, args, rounding=rounding)
    reverse_agrees(derived, given, rounding=rounding)
    forward = jvp_function(function, floats([param.type for param in function.params]))
    tangents = [0.5 * np.asarray(arg)[()] for k, arg in enumerate(args) if function.params[k].type.dtype.is_float]
    reverse_agrees(forward, [*args, *tangents], rounding=rounding)


@pytest.mark.parametrize("op", SMOOTH, ids=lambda op: op.name)
def test_scalar_operation(op):
    (case,) = [case for case in cases(op) if case.function.params[0].type.dtype is F64]
    tolerance = 1e-15 if op.name == "digamma" else 1e-18  # the series behind its partial has double precision
    reverse_agrees(case.function, case.arguments(np.random.default_rng(3)), tolerance=tolerance)


# -- masks --------------------------------------------------------------------------------------


def gradient(text, *args):
    """The adjoints of the float arguments of a program with one result."""
    return evaluate(vjp(parse_function(text)), [*args, 1.0])[1:]


def test_an_arm_not_taken_contributes_exactly_nothing():
    text = """
def f(x: f64) {
  c: bool = lt x 1.0
  r: f64 = sqrt x
  y: f64 = select c x r
  return y
}
"""
    assert gradient(text, 0.0) == [1.0]
    assert gradient(text, 4.0) == [0.25]


ENTROPY = """
def f(x: f64) {
  c: bool = gt x 0.0
  l: f64 = log x
  p: f64 = mul x l
  y: f64 = select c p 0.0
  return y
}
"""


def test_a_masked_product_with_an_infinite_factor():
    """x log x, at 0: the mask stands behind a product, one factor of which is infinite."""
    assert gradient(ENTROPY, 0.0) == [0.0]
    assert gradient(ENTROPY, 1.0) == [1.0]


@pytest.mark.parametrize("mode", ["forward over reverse", "reverse over reverse"])
def test_a_masked_product_differentiated_twice(mode):
    first = vjp(parse_function(ENTROPY))
    again = jvp_function if mode.startswith("forward") else vjp_function
    second = again(first, (0,))
    seeds = [1.0] if mode.startswith("forward") else [0.0, 1.0]
    for x, expected in ((0.0, 0.0), (2.0, 0.5)):
        assert evaluate(second, [x, 1.0, *seeds])[-1] == expected


def test_a_second_derivative_sees_through_a_mask():
    """u = a b, z = u c where a is positive: at c = 0 the adjoint of u is zero by value, not by the mask."""
    function = parse_function("""
def f(a: f64, b: f64, c: f64) {
  t: bool = gt a 0.0
  u: f64 = mul a b
  z: f64 = mul u c
  y: f64 = select t z a
  return y
}
""")
    first = vjp(function)
    a, b = 2.0, 3.0
    point = [a, b, 0.0, 1.0]
    # all results after the gradient's own: d(gradient)/dc
    *_, in_a, in_b, in_c = evaluate(jvp_function(first, (2,)), [*point, 1.0])
    assert (in_a, in_b, in_c) == (b, a, 0.0)
    for seed, expected in (((1.0, 0.0, 0.0), b), ((0.0, 1.0, 0.0), a), ((0.0, 0.0, 1.0), 0.0)):
        assert evaluate(vjp_function(first, (2,)), [*point, 0.0, *seed])[-1] == expected


def test_masks_inside_maps_loops_and_branches():
    text = """
def f(x: f64[n]) {
  a: f64[n] = map n (i: i64) {
    v: f64 = index x i
    c: bool = gt v 0.0
    r: f64 = sqrt v
    y: f64 = select c r v
    return y
  }
  s: f64 = for n [0.0] (j: i64, s0: f64) {
    w: f64 = index x j
    d: bool = gt w 0.0
    t: f64 = if d {
      l: f64 = log w
      return l
    } else {
      l2: f64 = log w
      m: f64 = select d l2 w
      return m
    }
    e: f64 = index a j
    p: f64 = mul t e
    s1: f64 = add s0 p
    return s1
  }
  return s
}
"""
    (found,) = gradient(text, np.array([0.0, 4.0]))
    np.testing.assert_allclose(found, [0.0, 2 / 4 + np.log(4.0) / 4])


def test_an_overwritten_root_is_masked_too():
    text = """
def f(x: f64[2]) {
  v: f64 = index x 0
  r: f64 = sqrt v
  a: f64[2] = update x r 0
  b: f64[2] = update a 1.0 0
  e: f64 = index b 0
  g: f64 = index b 1
  y: f64 = add e g
  return y
}
"""
    (found,) = gradient(text, np.array([0.0, 4.0]))
    assert found.tolist() == [0.0, 1.0]


# -- branches -----------------------------------------------------------------------------------


@pytest.mark.parametrize("c", [False, True])
def test_arms_of_different_sizes(c):
    function, _ = FUNCTIONS["branch_of_sizes"]
    reverse_agrees(function, [np.array([0.5, 1.5, 2.5]), c])


@pytest.mark.parametrize("c", [False, True])
def test_arms_that_return_an_array_from_outside_under_two_names(c):
    function = parse_function("""
def f(x: f64[n], y: f64[n], c: bool) {
  a: f64[n], b: f64[n] = if c {
    return x x
  } else {
    return y x
  }
  e: f64[n] = update a 2.0 0
  s: f64 = reduce n [0.0] (p: f64, q: f64) {
    t: f64 = add p q
    return t
  } (i: i64) {
    u: f64 = index e i
    v: f64 = index b i
    w: f64 = mul u v
    return w
  }
  return s a
}
""")
    args = [np.array([0.5, 1.5]), np.array([2.0, 3.0]), c]
    reverse_agrees(function, args)
    forward, reverse = jacobians(function, args)
    np.testing.assert_allclose(reverse, forward)


@pytest.mark.parametrize("k", [0, 2, 99])
def test_a_branch_that_may_not_write_leaves_what_is_out_of_range_alone(k):
    """The index is in range only where the arm is taken; what is saved and restored must not touch it otherwise."""
    function = parse_function("""
def f(x: f64[n], k: i64) {
  ok: bool = lt k n
  a: f64[n] = for 3 [x] (i: i64, a0: f64[n]) {
    e: f64 = index a0 i
    b: f64[n] = if ok {
      v: f64 = index a0 k
      p: f64 = mul v e
      w: f64[n] = update a0 p k
      return w
    } else {
      return a0
    }
    h: f64 = index b i
    q: f64 = sin h
    g: f64[n] = update b q i
    return g
  }
  return a
}
""")
    derived, given = reverse_agrees(function, [np.array([0.5, 1.5, 0.75]), k])
    reverse_agrees(derived, given)


# -- what is not there --------------------------------------------------------------------------


def test_what_has_no_adjoint_is_none():
    function = parse_function("""
def f(x: f64, y: f64, z: f64) {
  a: f64 = floor x
  b: f64 = mul y y
  return a b
}
""")
    b = Builder()
    values, pull = pullback(b, function.body, function.params)
    assert pull(b, (f64(1.0), None)) == (None, None, None)
    x_adj, y_adj, z_adj = pull(b, (None, f64(1.0)))
    assert (x_adj, z_adj) == (None, None)
    assert y_adj is not None
    assert len(values) == 2


def test_several_return_sweeps_from_one_forward_sweep():
    function, args = FUNCTIONS["updates_in_a_loop"]
    b, inputs = Builder(), [function.params[k] for k in floats([param.type for param in function.params])]
    values, pull = pullback(b, function.body, inputs)
    seeds = [[fresh("adj", value.type) for value in values if value.type.dtype.is_float] for _ in range(2)]
    adjoints = [pull(b, given) for given in seeds]
    both = Function("both", (*function.params, *seeds[0], *seeds[1]), b.block([x for pair in adjoints for x in pair]))
    check(both)
    single = vjp(function)
    weights = [np.asarray(value) * 0.5 for value in evaluate(function, args)]
    expected = evaluate(single, [*args, *weights])[len(values) :]
    found = evaluate(both, [*args, *weights, *(2.0 * w for w in weights)])
    for k, x in enumerate(expected):
        np.testing.assert_allclose(found[k], x)
        np.testing.assert_allclose(found[len(expected) + k], 2.0 * np.asarray(x))


def test_checks_run_in_the_forward_sweep_only():
    function = parse_function("""
def f(x: f64[n], m: i64) {
  s: f64 = for m [1.0] (i: i64, a: f64) {
    check bounds i n
    v: f64 = index x i
    b: f64 = mul a v
    return b
  }
  return s
}
""")
    derived = vjp(function)
    assert sum(isinstance(stm.expr, Check) and stm.expr.kind == "bounds" for stm in statements(derived.body)) == 1


def test_adjoint_statements_stand_at_the_line_of_their_source():
    function, _ = FUNCTIONS["straight"]
    stms = tuple(Stm(stm.vars, stm.expr, Pos("f.py", n, 0, n, 1)) for n, stm in enumerate(function.body.stms))
    placed = Function(function.name, function.params, type(function.body)(stms, function.body.results))
    lines = [stm.pos.line for stm in vjp(placed).body.stms if stm.pos is not None]
    assert lines[: len(stms)] == sorted(lines[: len(stms)])
    assert lines[len(stms) :] == sorted(lines[len(stms) :], reverse=True)


def test_opaque_operations_are_refused():
    function = parse_function("""
def bits(x: f64) {
  k: i64 = bitcast[i64] x
  return k
}
""")
    with pytest.raises(DerivativeError, match="bitcast"):
        vjp(function)
