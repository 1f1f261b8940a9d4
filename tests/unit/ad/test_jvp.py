"""Forward mode: every construct against 60-digit differences, twice over, and the conventions at ties."""

import numpy as np
import pytest

from tapeless.ad.jvp import pushforward
from tapeless.errors import DerivativeError
from tapeless.ir.build import Builder
from tapeless.ir.check import check
from tapeless.ir.core import Apply, Check, Function, Map, Pos, Scatter, Stm
from tapeless.ir.eval import evaluate
from tapeless.ir.op import all_ops
from tapeless.ir.text import parse_function
from tapeless.ir.types import F64
from tapeless.ir.walk import fresh, statements
from tapeless.ops.samples import cases
from tapeless.testing.oracle import Oracle, deviation, flat

from .jvp_harness import directions, jvp
from .jvp_programs import PROGRAMS

FUNCTIONS = {name: (parse_function(text), args) for name, (args, text) in PROGRAMS.items()}


def agree(function, args, tolerance=1e-18, rounding=1e-12):
    """The tangents equal the oracle's slopes in long numbers, and nearly so in the machine's."""
    derived, varying = jvp(function)
    direction = directions(function, args)
    slope = Oracle(function).slope(args, direction)
    assert not slope.kink
    given = [*args, *(along for along in direction if along is not None)]
    exact, near = Oracle(derived).evaluate(given).results, evaluate(derived, given)
    count = len(function.body.results)
    for k, expected in enumerate(slope.along):
        if expected is None:
            assert np.array_equal(exact[k], slope.value.results[k])
        elif k not in varying:
            assert all(x == 0 for x in flat(expected)), f"result {k} varies"
        else:
            found = exact[count + varying.index(k)]
            assert deviation(found, expected) < tolerance, f"tangent {k}: {found}, not {expected}"
            machine = near[count + varying.index(k)]
            np.testing.assert_allclose(
                np.ravel(machine), [float(x) for x in flat(expected)], rtol=rounding, atol=rounding
            )
    return derived, given


@pytest.mark.parametrize("name", FUNCTIONS)
def test_construct(name):
    function, args = FUNCTIONS[name]
    rounding = 1e-5 if name == "single" else 1e-12
    derived, given = agree(function, args, rounding=rounding)
    agree(derived, given, rounding=rounding)


SMOOTH = [op for op in all_ops() if not isinstance(op.partials, str)]


@pytest.mark.parametrize("op", SMOOTH, ids=lambda op: op.name)
def test_scalar_operation(op):
    (case,) = [case for case in cases(op) if case.function.params[0].type.dtype is F64]
    tolerance = 1e-15 if op.name == "digamma" else 1e-18  # the series behind its partial has double precision
    agree(case.function, case.arguments(np.random.default_rng(3)), tolerance)


def tangents_of(text, args, dots):
    derived, varying = jvp(parse_function(text))
    return evaluate(derived, [*args, *dots])[-len(varying) :]


MAXIMUM = """
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
"""


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ([1.0, 3.0, 3.0, 3.0], (2 + 3 + 4) / 3),
        ([1.0, 3.0, 2.0, 3.0], (2 + 4) / 2),
        ([1.0, np.nan, 3.0, 3.0], 0.0),
        ([-np.inf, -np.inf], (1 + 2) / 2),
        ([], 7.0),
    ],
)
def test_ties_of_a_maximum_share_equally(x, expected):
    (found,) = tangents_of(MAXIMUM, [np.array(x), -np.inf], [np.arange(1.0, len(x) + 1), 7.0])
    assert found == pytest.approx(expected)


def test_ties_share_equally_in_the_second_derivative_too():
    first, _ = jvp(parse_function(MAXIMUM))
    second, _ = jvp(first)
    x, x_dot = np.array([3.0, 3.0, 3.0]), np.array([1.0, 2.0, 6.0])
    *_, outer, mixed = evaluate(second, [x, -np.inf, np.zeros(3), 0.0, x_dot, 0.0, x_dot, 0.0])
    assert outer == pytest.approx(3.0)
    assert mixed == pytest.approx(3.0)


def test_ties_of_rows_share_equally():
    text = PROGRAMS["row_extrema"][1]
    a = np.array([[1.0, 5.0], [2.0, 5.0], [2.0, 5.0]])
    (found,) = tangents_of(text, [a], [np.array([[1.0, 1.0], [2.0, 2.0], [4.0, 6.0]])])
    np.testing.assert_allclose(found, [3.0, 3.0])


def test_ties_of_a_running_maximum_share_equally():
    text = """
def running(x: f64[n]) {
  s: f64[n] = scan n [-inf] (a: f64, b: f64) {
    t: f64 = max a b
    return t
  } (i: i64) {
    v: f64 = index x i
    return v
  }
  return s
}
"""
    (found,) = tangents_of(text, [np.full(3, 4.0)], [np.array([1.0, 2.0, 6.0])])
    np.testing.assert_allclose(found, [1.0, 1.5, 3.0])


def test_ties_of_a_histogram_count_the_destination():
    text = """
def lowest(x: f64[n], d: f64[m], key: i64[n]) {
  h: f64[m] = hist 1 n [+inf] [d] (a: f64, b: f64) {
    c: f64 = min a b
    return c
  } (i: i64) {
    k: i64 = index key i
    v: f64 = index x i
    return k v
  }
  return h
}
"""
    x, d, key = np.array([1.0, 1.0, 4.0, np.nan]), np.array([1.0, 4.0, 2.0]), np.array([0, 0, 1, 2])
    (found,) = tangents_of(text, [x, d, key], [np.array([1.0, 2.0, 5.0, 1.0]), np.array([6.0, 1.0, 1.0])])
    np.testing.assert_allclose(found, [3.0, 3.0, 0.0])


def test_an_arm_not_taken_has_no_influence():
    text = """
def root(x: f64) {
  c: bool = gt x 0.0
  r: f64 = sqrt x
  y: f64 = select c r 0.0
  z: f64 = if c {
    s: f64 = sqrt x
    return s
  } else {
    return 0.0
  }
  return y z
}
"""
    assert tangents_of(text, [0.0], [1.0]) == [0.0, 0.0]


def test_what_does_not_vary_has_no_tangent():
    function = parse_function("""
def constant(x: f64, y: f64, n: i64) {
  k: f64 = floor x
  s: f64 = copysign y x
  a: f64[n] = replicate y n
  b: f64[n] = map n (i: i64) {
    e: f64 = index a i
    f: f64 = exp e
    return f
  }
  r: f64 = for n [y] (j: i64, c: f64) {
    d: f64 = mul c k
    return d
  }
  z: f64 = sin x
  return k s b r n z
}
""")
    b = Builder()
    x = function.params[0]
    _, dots = pushforward(b, function.body, {x: fresh("x_dot", x.type)})
    assert [x_dot is None for x_dot in dots] == [True] * 5 + [False]
    assert len(b.stms) == len(function.body.stms) + 2  # cos x, and its product with the tangent


def test_a_block_may_be_pushed_twice():
    function, _ = FUNCTIONS["updates_in_a_loop"]
    inputs = [param for param in function.params if param.type.dtype.is_float]
    b, tangents = Builder(), [fresh("dot", param.type) for param in inputs]
    results = [pushforward(b, function.body, {x: x_dot}) for x, x_dot in zip(inputs, tangents, strict=True)]
    atoms = [atom for _, dots in results for atom in dots]
    check(Function("both", (*function.params, *tangents), b.block(atoms)))


def test_scatter_computes_a_loop_once_and_cheap_code_twice():
    looping, _ = jvp(FUNCTIONS["scatter_after_a_loop"][0])
    assert [type(stm.expr) for stm in looping.body.stms if not isinstance(stm.expr, Apply)] == [Map, Scatter, Scatter]
    plain, _ = jvp(FUNCTIONS["scatters"][0])
    assert not any(isinstance(stm.expr, Map) for stm in plain.body.stms)
    assert sum(isinstance(stm.expr, Check) for stm in statements(plain.body)) == 1


def test_statements_keep_the_position_of_their_source():
    function, _ = FUNCTIONS["straight"]
    stms = tuple(Stm(stm.vars, stm.expr, Pos("f.py", n, 0, n, 1)) for n, stm in enumerate(function.body.stms))
    placed = Function(function.name, function.params, type(function.body)(stms, function.body.results))
    derived, _ = jvp(placed)
    lines = [stm.pos.line for stm in derived.body.stms]
    assert lines == sorted(lines)
    assert set(lines) == set(range(len(stms)))


def test_opaque_operations_are_refused():
    function = parse_function("""
def bits(x: f64) {
  k: i64 = bitcast[i64] x
  return k
}
""")
    with pytest.raises(DerivativeError, match="bitcast"):
        jvp(function)
