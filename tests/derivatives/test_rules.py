"""`tp.custom_jvp` and `tp.custom_vjp`: the rule is what counts, in both modes, nested, in loops and operators."""

# ruff: noqa: ARG005

from functools import partial

import numpy as np
import pytest

import tapeless as tp
from tapeless.errors import DerivativeError
from tapeless.ir.check import check
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function, print_function

X = np.array([0.4, 1.3, -0.2])


@tp.custom_jvp
def thrice(x, y):
    """x * y, whose derivative is three times what it should be, so that the rule shows."""
    return x * y


@thrice.defjvp
def _thrice_rule(primals, tangents):
    (x, y), (x_dot, y_dot) = primals, tangents
    return thrice(x, y), 3.0 * (x_dot * y + x * y_dot)


@tp.custom_vjp
def twice(x, y):
    return x * y


twice.defvjp(lambda x, y: (x * y, (x, y)), lambda kept, adj: (2.0 * adj * kept[1], 2.0 * adj * kept[0]))


def test_the_value_is_the_functions_own():
    assert thrice(2.0, 5.0) == 10.0
    assert tp.jit(thrice)(2.0, 5.0) == 10.0
    assert tp.jit(lambda x: twice(x, y=5.0))(2.0) == 10.0


def test_a_rule_for_tangents_serves_both_modes():
    assert tp.grad(thrice, argnums=(0, 1))(2.0, 5.0) == (15.0, 6.0)
    assert tp.jvp(thrice, (2.0, 5.0), (1.0, 10.0)) == (10.0, 75.0)
    np.testing.assert_allclose(tp.jacfwd(lambda x: thrice(x, X))(X), 3.0 * np.diag(X))
    np.testing.assert_allclose(tp.jacrev(lambda x: thrice(x, X))(X), 3.0 * np.diag(X))


def test_a_rule_for_adjoints_serves_reverse_mode():
    assert tp.grad(twice, argnums=(0, 1))(2.0, 5.0) == (10.0, 4.0)
    np.testing.assert_allclose(tp.grad(lambda x: np.sum(twice(x, X)))(X), 2.0 * X)
    with pytest.raises(DerivativeError, match="forward mode"):
        tp.jvp(twice, (2.0, 5.0), (1.0, 1.0))


def test_differentiating_again_goes_through_the_rule():
    # grad: 3 * 2 x y at y = x, and 3 of each again through the rule's own thrice and plain products
    assert tp.grad(tp.grad(lambda x: thrice(x, 2.0)))(1.5) == 0.0
    square = lambda x: thrice(x, x)  # noqa: E731
    assert tp.grad(square)(1.5) == pytest.approx(9.0)
    assert tp.grad(tp.grad(square))(1.5) == pytest.approx(6.0)
    assert tp.jacfwd(tp.grad(square))(1.5) == pytest.approx(6.0)
    assert tp.jvp(tp.grad(lambda x: twice(x, x)), (1.5,), (1.0,))[1] == pytest.approx(4.0)


def test_in_loops_branches_and_parallel_operators():
    def power(x, n):
        p = 1.0
        for _ in range(n):
            p = thrice(p, x) if x > 0.0 else p
        return p

    # d(p x) = 3 (dp x + p dx)
    p, p_dot = 1.0, 0.0
    for _ in range(4):
        p, p_dot = p * 1.1, 3.0 * (p_dot * 1.1 + p)
    assert tp.grad(power)(1.1, 4) == pytest.approx(p_dot)
    assert tp.jvp(lambda x: power(x, 4), (1.1,), (1.0,))[1] == pytest.approx(p_dot)
    assert tp.grad(power)(-1.0, 4) == 0.0
    total = lambda xs: tp.reduce(np.add, 0.0, tp.map(lambda x: thrice(x, x), xs))  # noqa: E731
    np.testing.assert_allclose(tp.grad(total)(X), 6.0 * X)
    recurrence = lambda xs: float(np.sum(twice(np.cumsum(xs), X)))  # noqa: E731
    np.testing.assert_allclose(tp.grad(recurrence)(X), 2.0 * np.cumsum(X[::-1])[::-1])


def test_structures_and_constants():
    @partial(tp.custom_vjp, nondiff_argnums=(0, 2))
    def scaled(f, p, n):
        return {"v": f(p["a"]) * n, "n": n}

    def backward(f, n, kept, adj):
        return ({"a": 7.0 * adj["v"] * n * tp.grad(f)(kept[0])},)

    def forward(f, p, n):
        return scaled(f, p, n), [p["a"]]

    def whole(p):
        return scaled(np.sin, p, 3)["v"]

    scaled.defvjp(forward, backward)
    assert whole({"a": 0.5}) == pytest.approx(3 * np.sin(0.5))
    assert tp.grad(whole)({"a": 0.5})["a"] == pytest.approx(21.0 * np.cos(0.5))


def test_none_is_a_zero_cotangent_and_integers_have_none():
    @tp.custom_vjp
    def pick(x, i):
        return x[i]

    def backward(kept, adj):
        shape, i = kept
        out = np.zeros(len(shape))
        out[i] = 5.0 * adj
        return out, None

    pick.defvjp(lambda x, i: (x[i], (x, i)), backward)
    np.testing.assert_allclose(tp.grad(pick)(X, 1), [0.0, 5.0, 0.0])

    @tp.custom_jvp
    def item(x, i):
        return x[i]

    item.defjvp(lambda primals, tangents: (item(*primals), 2.0 * tangents[0][primals[1]]))
    np.testing.assert_allclose(tp.grad(item)(X, 2), [0.0, 0.0, 2.0])


def test_the_arm_not_taken_contributes_exactly_zero():
    @tp.custom_vjp
    def root(x):
        return np.sqrt(x)

    root.defvjp(lambda x: (np.sqrt(x), x), lambda x, adj: (adj * 0.5 / np.sqrt(x),))
    safe = lambda x: np.sum(tp.map(lambda v: np.where(v > 0.0, root(v), 0.0), x))  # noqa: E731
    np.testing.assert_allclose(tp.grad(safe)(np.array([0.0, 4.0])), [0.0, 0.25])


SURROUNDINGS = np.ones(3)


def write_into(x):
    SURROUNDINGS[0] = 2.0
    return x


def test_refusals():
    no_rule = tp.custom_jvp(lambda x: x)
    with pytest.raises(DerivativeError, match="no rule"):
        tp.grad(no_rule)(1.0)
    for rule, message in [
        (lambda primals, tangents: primals[0], "must return a pair"),
        (lambda primals, tangents: (X, tangents[0]), "value that the rule"),
        (lambda primals, tangents: (primals[0], X), "tangent is a 1-dimensional"),
        (lambda primals, tangents: (write_into(primals[0]), tangents[0]), "surroundings"),
    ]:
        function = tp.custom_jvp(lambda x: x * 1.0)
        function.defjvp(rule)
        with pytest.raises(DerivativeError, match=message):
            tp.grad(function)(1.0)
    short = tp.custom_vjp(lambda x, y: x * y)
    short.defvjp(lambda x, y: (x * y, x), lambda x, adj: (x * adj,))
    with pytest.raises(DerivativeError, match="cotangent per argument"):
        tp.grad(short)(1.0, 2.0)

    with pytest.raises(DerivativeError, match="surroundings"):
        tp.grad(lambda x: _closing(x, lambda y: y * x))(1.0)


@tp.custom_jvp
def _applied(f, y):
    return f(y)


_applied.defjvp(lambda primals, tangents: (primals[0](primals[1]), tangents[1]))


def _closing(x, f):
    return _applied(f, x)


def test_writing_into_an_argument_is_refused():
    @tp.custom_jvp
    def writes(x):
        x[0] = 1.0
        return x.sum()

    writes.defjvp(lambda primals, tangents: (primals[0].sum(), tangents[0].sum()))
    with pytest.raises(DerivativeError, match="writes into its arguments"):
        tp.grad(writes)(X)
    x = X.copy()
    tp.jit(writes)(x)
    assert x[0] == 1.0


PROGRAM = """def f(x.1: f64) {
  y.2: f64 = custom [x.1] (a.3: f64) {
    b.4: f64 = mul a.3 a.3
    return b.4
  } (c.5: f64, d.6: f64) {
    e.7: f64 = mul c.5 c.5
    g.8: f64 = mul c.5 d.6
    return e.7 g.8
  }
  z.9: f64 = custom [y.2] (a.10: f64) {
    return a.10
  } (c.11: f64) {
    return c.11 c.11
  } (d.12: f64, h.13: f64) {
    return h.13
  }
  return z.9
}
"""


def test_the_form_prints_parses_checks_and_runs():
    function = parse_function(PROGRAM)
    check(function)
    assert print_function(function) == PROGRAM
    assert evaluate(function, [3.0]) == [9.0]
