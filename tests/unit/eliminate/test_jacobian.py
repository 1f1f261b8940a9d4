"""`tp.jacobian` by elimination: what users see of it, and the cases in which published tools are silently wrong."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import tapeless as tp
from tapeless.api import elimination
from tapeless.errors import TapelessError
from tapeless.ir.core import Apply
from tapeless.ir.walk import statements

METHODS = ("auto", "forward", "reverse", "markowitz", "search")
X = np.array([0.6, 1.3, -0.4])


def operations(derivative, *args) -> Counter[str]:
    body = derivative.lower(*args).ir.body
    return Counter(stm.expr.op for stm in statements(body) if isinstance(stm.expr, Apply))


def is_eliminated(derivative, *args) -> bool:
    return "jacobian: eliminates" in derivative.explain(*args)


def flow(x: tp.f64[3]):
    u = np.sin(x[0] * x[1]) * x[2]
    v = np.exp(u) / (1.0 + x[1] * x[1])
    w = u * v - x[0]
    return np.array([u * w, v, w * w + 2.0 * u, x[1]])


# -- every way to make the same matrix ----------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_methods_agree_with_sweeps(method):
    jacobian = tp.jacobian(flow, method=method, budget="20ms")
    np.testing.assert_allclose(jacobian(X), tp.jacfwd(flow)(X), rtol=1e-14)
    assert is_eliminated(jacobian, X)


def test_an_order_is_a_method():
    vertices = elimination(flow, X, argnums=0, method="forward", model="work", budget=None).plan.graph.intermediates
    for order, method in ((list(vertices), "forward"), (vertices[::-1], "reverse")):
        np.testing.assert_allclose(tp.jacobian(flow, method=order)(X), tp.jacfwd(flow)(X), rtol=1e-14)
        count = tp.count_multiplications(flow, X, method=order)
        assert count == tp.count_multiplications(flow, X, method=method)
    with pytest.raises(TapelessError, match="each of its vertices once: 3, 4"):
        tp.jacobian(flow, method=vertices[1:])(X)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "magic"}, "no method 'magic'"),
        ({"method": [1.5]}, "no method"),
        ({"budget": "soon"}, "budget='soon' is no time"),
        ({"budget": -1}, "is no time"),
        ({"method": "markowitz", "sparse": True}, "sparse Jacobians have no method"),
    ],
)
def test_refused_options(options, words):
    with pytest.raises(TapelessError, match=words):
        tp.jacobian(flow, **options)


def test_an_order_needs_straight_line_code():
    def summed(x):
        return np.cumsum(x * x)

    with pytest.raises(TapelessError, match="this function has none"):
        tp.jacobian(summed, method=(3, 4))(X)
    with pytest.raises(TapelessError, match="not accumulated by elimination"):
        tp.count_multiplications(summed, X)
    for method in METHODS:
        np.testing.assert_allclose(tp.jacobian(summed, method=method)(X), tp.jacfwd(summed)(X))


# -- where graphs are easily made wrong ------------------------------------------------------------------


@pytest.mark.parametrize("method", ["auto", "forward", "reverse"])
@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: x * x, 6.0),
        (lambda x: x + x, 2.0),
        (lambda x: x - x, 0.0),
        (lambda x: x, 1.0),
        (lambda _: 2.0, 0.0),
        (np.arcsinh, 1.0 / np.sqrt(10.0)),
        (lambda x: abs(x - 3.0), 0.0),
        (lambda x: np.maximum(x, 3.0), 0.5),
        (lambda x: np.sqrt(x - 3.0), np.inf),
        (lambda x: x * 0.0, 0.0),
        (lambda x: np.where(x < 4.0, x, np.sqrt(x - 3.0)), 1.0),
        (lambda x: np.where(x > 4.0, np.sqrt(x - 3.0) / (x - 3.0), x * x), 6.0),
        (lambda x: np.hypot(x - 3.0, 0.0 * x), 0.0),
    ],
)
def test_single_operations(f, expected, method):
    np.testing.assert_allclose(tp.jacobian(f, method=method)(3.0), expected, rtol=1e-15)


def test_outputs_that_are_inputs_that_feed_others_and_that_stand_twice():
    def f(x, y, _unused):
        z = x * y
        return z, z * y, z, x, (z, np.exp(z), 1.0)

    found = tp.jacobian(f, (0, 1, 2))(2.0, 3.0, 5.0)
    e = np.exp(6.0)
    assert found[0] == found[2] == found[4][0] == (3.0, 2.0, 0.0)
    assert found[1] == (9.0, 12.0, 0.0)
    assert found[3] == (1.0, 0.0, 0.0)
    np.testing.assert_allclose(found[4][1], (3.0 * e, 2.0 * e, 0.0))
    assert found[4][2] == (0.0, 0.0, 0.0)


def test_masked_zeros_win_over_infinite_slopes_though_they_were_added_up():
    def f(x: tp.f64[2]):
        root = np.sqrt(x[0]) + x[1]
        left = np.where(x[0] > 0.0, root, 1.0)
        right = np.where(x[0] > 1.0, root * x[1], 2.0)
        return left * 3.0 + right * x[1]

    for method in ("auto", "forward", "reverse"):
        np.testing.assert_array_equal(tp.jacobian(f, method=method)(np.array([0.0, 5.0])), [0.0, 2.0])


def test_a_value_used_only_in_an_arm_not_taken():
    def f(x: tp.f64[2]):
        root = np.sqrt(x[0])
        if x[0] > 0.0:
            y = np.exp(np.sin(root) + np.cos(root * x[1])) * root
        else:
            y = np.exp(np.sin(x[1]) + np.cos(x[1] * x[0]))
        return y, y * x[1]

    e, c = np.exp(np.sin(1.3) + 1.0), np.cos(1.3)
    found = tp.jacobian(f)(np.array([0.0, 1.3]))
    np.testing.assert_allclose(found, [[0.0, e * c], [0.0, e * c * 1.3 + e]], rtol=1e-14)


def test_what_is_infinite_in_the_results_too_needs_no_tests():
    def shown(x: tp.f64[2]):
        u = x[0] / x[1]
        return np.where(u > 1.0, u, np.sin(u)) * np.where(u > 2.0, u, x[1]) + u

    def hidden(x: tp.f64[2]):
        u = x[0] / x[1]
        return np.where(u > 1.0, u, np.sin(u)) + np.where(u > 2.0, u * x[0], x[1])

    x = np.array([1.0, 2.0])
    assert operations(tp.jacobian(shown, method="reverse"), x)["scale"] == 0
    np.testing.assert_allclose(tp.jacobian(hidden)(x), tp.jacfwd(hidden)(x), rtol=1e-14)


# -- where it can be used --------------------------------------------------------------------------------


def test_structures_argnums_and_aux():
    def f(p, k, scale):
        s = p["a"] * p["b"][1]
        return {"s": s * k, "v": (s - k, p["b"][0] * scale)}, s + 1.0

    p = {"a": 2.0, "b": (3.0, 5.0)}
    found, aux = tp.jacobian(f, argnums=(0, 2), has_aux=True)(p, 7.0, 0.5)
    assert aux == 11.0
    assert found["s"] == ({"a": 35.0, "b": (0.0, 14.0)}, 0.0)
    assert found["v"][1] == ({"a": 0.0, "b": (0.5, 0.0)}, 3.0)


def test_float32_stays_float32():
    x = X.astype(np.float32)

    def f(x: tp.f32[3]):
        return np.array([x[0] * x[1] * np.float32(0.1) * np.float32(0.3), x[2] * x[2]])

    found = tp.jacobian(f)(x)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, tp.jacfwd(f)(x), rtol=1e-6)


def test_inside_maps_loops_branches_and_compiled_functions():
    points = np.random.default_rng(3).uniform(0.2, 1.5, (50, 3))
    expected = np.stack([tp.jacfwd(flow)(x) for x in points])

    @tp.jit
    def mapped(points: tp.f64[:, 3]):
        return tp.map(tp.jacobian(flow), points)

    @tp.jit
    def looped(points: tp.f64[:, 3]):
        out = np.zeros((len(points), 4, 3))
        for i in range(len(points)):
            if points[i, 0] > 0.0:
                out[i] = tp.jacobian(flow, method="reverse")(points[i])
        return out

    np.testing.assert_allclose(mapped(points), expected, rtol=1e-13)
    np.testing.assert_allclose(looped(points), expected, rtol=1e-13)


def test_under_other_derivatives():
    def norm(x: tp.f64[3]):
        return np.sum(tp.jacobian(flow)(x) ** 2)

    def swept(x: tp.f64[3]):
        return np.sum(tp.jacfwd(flow)(x) ** 2)

    np.testing.assert_allclose(tp.grad(norm)(X), tp.grad(swept)(X), rtol=1e-12)
    np.testing.assert_allclose(tp.jacobian(tp.jacobian(flow))(X), tp.jacfwd(tp.jacfwd(flow))(X), rtol=1e-12)
    np.testing.assert_allclose(tp.jacobian(tp.grad(norm))(X), tp.jacfwd(tp.grad(swept))(X), rtol=1e-10)


def test_loops_may_stand_in_straight_line_code_that_do_not_depend_on_the_inputs():
    def f(x: tp.f64[2], table):
        total = 0.0
        for i in range(len(table)):
            total += table[i] * table[i]
        return x[0] * total, x[1] * x[0]

    jacobian, args = tp.jacobian(f), (np.array([2.0, 3.0]), np.array([1.0, 2.0]))
    np.testing.assert_array_equal(jacobian(*args), [[5.0, 0.0], [3.0, 2.0]])
    assert is_eliminated(jacobian, *args)


def test_checks_are_kept():
    def f(x: tp.f64[2], k: int):
        return x[0] * x[1] * x[k]

    assert tp.jacobian(f)(np.array([2.0, 3.0]), 1).shape == (2,)
    with pytest.raises(IndexError):
        tp.jacobian(f)(np.array([2.0, 3.0]), 2)


# -- Hessians --------------------------------------------------------------------------------------------


def potential(x: tp.f64[4]):
    r = np.sqrt(x[0] * x[0] + x[1] * x[1])
    return np.exp(-r) * np.sin(x[2] * x[3]) + x[0] * x[3] / (1.0 + r)


def test_hessians_are_symmetric_and_cost_one_triangle():
    x = np.array([0.3, 0.4, 1.1, 0.7])
    hessian, both = tp.hessian(potential), tp.jacobian(tp.jacrev(potential))
    found = hessian(x)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_allclose(found, tp.jacfwd(tp.jacrev(potential))(x), rtol=1e-13)
    with tp.config(coarsen=False):  # which finds the other triangle to be there already
        hessian, both = tp.hessian(potential), tp.jacobian(tp.jacrev(potential))
        assert operations(hessian, x)["mul"] < operations(both, x)["mul"]


def test_hessians_by_several_arguments_and_of_several_results():
    def f(x: tp.f64[2], y):
        return np.exp(x[0] * y) * x[1]

    args = (np.array([0.3, 0.8]), 1.7)
    expected = tp.jacfwd(tp.jacrev(f, (0, 1)), (0, 1))(*args)
    found = tp.hessian(f, (0, 1))(*args)
    for k in range(2):
        for j in range(2):
            np.testing.assert_allclose(found[k][j], expected[k][j], rtol=1e-14)

    def two(x: tp.f64[2]):
        return np.array([x[0] ** 2 * x[1], np.sin(x[0] * x[1])])

    np.testing.assert_allclose(tp.hessian(two)(args[0]), tp.jacfwd(tp.jacrev(two))(args[0]), rtol=1e-14)


def test_hessians_of_functions_linear_in_an_argument():
    def f(y: tp.f64[2], x: tp.f64[2]):
        return 3.0 * y[0] + 5.0 * y[1] + x[0] * x[1] ** 2

    (yy, yx), (xy, xx) = tp.hessian(f, (0, 1))(np.ones(2), np.array([2.0, 3.0]))
    for zeros in (yy, yx, xy):
        np.testing.assert_array_equal(zeros, np.zeros((2, 2)))
    np.testing.assert_array_equal(xx, [[0.0, 6.0], [6.0, 4.0]])


def test_nobody_promises_symmetry_of_rules_of_the_users():
    @tp.custom_vjp
    def product(x, y):
        return x * y

    product.defvjp(lambda x, y: (x * y, (x, y)), lambda kept, adj: (adj * kept[1] * 2.0, adj * kept[0]))

    def f(x: tp.f64[2]):
        return product(x[0], x[1])

    np.testing.assert_array_equal(tp.hessian(f)(np.array([2.0, 3.0])), [[0.0, 2.0], [1.0, 0.0]])


# -- what is counted and said ------------------------------------------------------------------------------


def test_the_published_model_counts_the_program_as_written():
    def f(x, y):
        return (x * y) * (x * y) + 2.0 * x

    def count(model):
        return tp.count_multiplications(f, 1.5, 2.5, argnums=(0, 1), method="reverse", model=model)

    # In reverse 1 for 2 x, 2 for the outer product and 2 for each inner one; shared, 2 for the one inner product.
    assert count("published") == 7
    assert count("work") == 2
    with pytest.raises(TapelessError, match="no cost model"):
        count("guessed")


def test_auto_is_never_worse_than_either_sweep():
    counts = {method: tp.count_multiplications(flow, X, method=method) for method in METHODS}
    assert counts["search"] <= counts["auto"] <= min(counts["forward"], counts["reverse"])


def test_explain_says_what_was_counted():
    text = tp.jacobian(flow).explain(X)
    count = tp.count_multiplications
    assert f"by {count(flow, X)} multiplications, method auto" in text
    assert f"forward {count(flow, X, method='forward')}, reverse {count(flow, X, method='reverse')}" in text
