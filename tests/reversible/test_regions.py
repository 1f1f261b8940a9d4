"""Blocks with a meaning of their own, variables that are handed back, and inverses that users give."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

import tapeless as tp
from tapeless import regions
from tapeless.errors import ArgumentError, NotReversibleError, TapelessError
from tapeless.reversible import pairs


@pytest.mark.parametrize("module", [regions, pairs], ids=["regions", "pairs"])
def test_examples(module):
    assert doctest.testmod(module).failed == 0


# -- temporaries ------------------------------------------------------------------------------------


@tp.reversible
def add_norm(y, x):
    with tp.compute():
        total = 0.0
        for i in range(len(x)):
            total += x[i] * x[i]
        length = np.sqrt(total)
    y += length * x


def test_temporaries():
    y, x = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    plain = y.copy()
    add_norm.python(plain, x)
    add_norm.check_inverse(y, x, tolerance=1e-14)
    add_norm(y, x)
    np.testing.assert_array_equal(y, plain)


def test_temporaries_leave_what_was_there():
    @tp.reversible
    def spoils(y, x):
        with tp.compute():
            y += x
        y -= 1.0

    with pytest.raises(NotReversibleError, match="was there before it"):
        spoils(np.ones(2), np.ones(2))


# -- blocks backwards -------------------------------------------------------------------------------


@tp.jit
def undone(x, k, table):
    with tp.inverse():
        k += 3
        for i in range(len(x)):
            x[i] += table[k % 4] * i
        x *= 2.0
    return k


def test_a_block_backwards():
    x, table = np.array([6.0, 8.0, 10.0]), np.array([1.0, 2.0, 3.0, 4.0])
    assert undone(x, 5, table) == 2
    np.testing.assert_array_equal(x, [3.0, 4.0 - 2.0, 5.0 - 4.0])


def test_a_block_that_cannot_be_undone():
    @tp.jit
    def lost(x):
        with tp.inverse():
            x[0] = 1.0

    with pytest.raises(NotReversibleError, match="the block cannot be run backwards"):
        lost(np.ones(3))


def returns(x):
    with tp.inverse():
        x += 1.0
        return x


def breaks(x):
    for i in range(3):
        with tp.inverse():
            x += 1.0
            if i == 1:
                break
    return x


def goes_on(x):
    for i in range(3):
        with tp.inverse():
            x += 1.0
            if i == 1:
                continue
    return x


@pytest.mark.parametrize("function", [returns, breaks, goes_on], ids=lambda f: f.__name__)
def test_a_block_backwards_is_not_left_in_the_middle(function):
    with pytest.raises(NotReversibleError, match="left in the middle"):
        tp.jit(function)(np.ones(2))


def test_rounds_of_a_loop_inside_a_block_backwards_may_be_left():
    @tp.jit
    def some(x):
        with tp.inverse():
            for i in range(5):
                if i == 2:
                    continue
                x += 1.0

    x = np.zeros(2)
    some(x)
    np.testing.assert_array_equal(x, [-4.0, -4.0])


def test_plain_python_does_not_run_backwards():
    with pytest.raises(ArgumentError, match="plain Python"):
        undone.python(np.ones(3), 5, np.ones(4))


# -- ancillas ---------------------------------------------------------------------------------------


@tp.reversible
def add_sums(y, n):
    k = tp.ancilla(0)
    for i in range(n):
        k += i
        y += k * k
    tp.release(k, n * (n - 1) // 2)
    return y


@tp.reversible
def add_scratch(y, x):
    t = tp.ancilla(np.zeros(3))
    t += x * x
    y += t
    t -= x * x
    tp.release(t, np.zeros(3))


def test_released():
    assert add_sums(1, 5) == add_sums.python(1, 5) == 147
    add_sums.check_inverse(1, 5)
    add_scratch.check_inverse(np.zeros(3), np.array([0.1, 0.2, 0.3]))


@pytest.mark.parametrize("run", [lambda f: f, lambda f: f.python], ids=["compiled", "plain"])
def test_a_variable_that_is_not_what_it_should_be(run):
    @tp.reversible
    def dirty(y, x):
        t = tp.ancilla(0.0)
        t += x
        y += t
        tp.release(t, 0.0)
        return y

    with pytest.raises(AssertionError, match="released"):
        run(dirty)(1.0, 2.0)


def test_use_after_release():
    @tp.reversible
    def late(y):
        t = tp.ancilla(0.0)
        tp.release(t, 0.0)
        y += t
        return y

    with pytest.raises(TapelessError, match="'t' is read before it is assigned"):
        late(1.0)


# -- inverses of users ------------------------------------------------------------------------------


def square(x):
    x *= x


def root(x):
    x[:] = np.sqrt(x)


squared = tp.dual(square, root)
mirrored = tp.selfdual(lambda x: np.negative(x, out=x))


def increased(n):
    n *= 3
    return n


def decreased(n):
    n //= 3
    return n


tripled = tp.dual(increased, decreased)


@tp.reversible
def mixed(x, y, n):
    for _ in range(3):
        y += np.sin(x)
        squared(x)
        x += 0.25
        n = tripled(n)
        n += 1
    (~squared)(x)
    return n


def test_pairs():
    x, y = np.array([1.2, 0.7]), np.zeros(2)
    plain = x.copy(), y.copy()
    assert mixed.python(*plain, 2) == mixed(x, y, 2)
    np.testing.assert_allclose(x, plain[0], rtol=1e-14)
    mixed.check_inverse(np.array([1.2, 0.7]), np.zeros(2), 2, tolerance=1e-12)


def test_pairs_in_gradients_that_keep_nothing():
    def end(x):
        y = np.zeros(2)
        u = x.copy()
        mixed(u, y, 1)
        return np.sum(y) + u[0]

    x = np.array([1.2, 0.7])
    np.testing.assert_allclose(tp.grad(end, memory="reversible")(x), tp.grad(end)(x), rtol=1e-10)


def test_an_inverse_that_brings_nothing_back():
    careless = tp.dual(square, lambda x: None)  # noqa: ARG005

    @tp.reversible
    def uses(x):
        careless(x)

    with pytest.raises(AssertionError, match="not what it was"):
        uses.check_inverse(np.array([2.0, 3.0]))


@tp.primitive
def turn(a, b, t):
    return a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)


@turn.inverse
def turn_back(a, b, t):
    return turn(a, b, -t)


@turn.adjoint
def turn_adjoint(a_adj, b_adj, a, b, t):
    t_adj = a * b_adj - b * a_adj
    a_adj, b_adj = turn(a_adj, b_adj, -t)
    return a_adj, b_adj, t_adj


@tp.reversible
def spin(a, b, speed, n):
    for k in range(n):
        a, b = turn(a, b, 0.1 * k * speed)
    return a, b


def plain_spin(a, b, speed):
    for k in range(10):
        t = 0.1 * k * speed
        a, b = a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)
    return a


def test_primitives():
    spin.check_inverse(1.0, 2.0, 0.5, 10, tolerance=1e-13)
    assert (~turn)(*turn(1.0, 2.0, 0.3), 0.3) == pytest.approx((1.0, 2.0))
    expected = tp.grad(plain_spin, argnums=(0, 1, 2))(1.0, 2.0, 0.5)
    for memory in (None, "reversible"):
        found = tp.grad(lambda a, b, s: spin(a, b, s, 10)[0], argnums=(0, 1, 2), memory=memory)(1.0, 2.0, 0.5)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_primitive_without_an_inverse():
    @tp.primitive
    def lonely(x):
        return x * x

    @tp.reversible
    def uses(x):
        x = lonely(x)
        return x  # noqa: RET504

    assert uses(3.0) == 9.0
    with pytest.raises(TapelessError, match="has no inverse"):
        (~uses)(9.0)


# -- strictly ---------------------------------------------------------------------------------------


def test_strict_functions_are_refused_when_they_are_called():
    @tp.reversible(strict=True)
    def forgets(x):
        x[0] = 1.0

    with pytest.raises(NotReversibleError, match="forgets cannot be run backwards"):
        forgets(np.ones(2))


def test_strict_gradients_keep_nothing():
    def damped(x, n):
        for _ in range(n):
            x = np.sin(x) * 0.9
        return x

    strict = tp.grad(damped, memory="strictly reversible")
    with pytest.raises(NotReversibleError, match="the loop cannot be run backwards"):
        strict(0.5, 10)
    kept = tp.grad(damped, memory="reversible", coarsen=False)
    assert kept(0.5, 10) == tp.grad(damped, coarsen=False)(0.5, 10)


@tp.reversible(strict=True)
def drift(x, v, n):
    for _ in range(n):
        x += 0.1 * v
    return x


def test_strict_functions():
    assert drift(1.0, 2.0, 10) == pytest.approx(drift.python(1.0, 2.0, 10))
    assert tp.grad(drift)(1.0, 2.0, 10) == 1.0
    drift.check_inverse(1.0, 2.0, 10)


def test_what_is_computed_again_is_said():
    x, v = np.ones(3), np.zeros(3)

    @tp.reversible
    def kicked(x, v, n):
        for _ in range(n):
            force = -np.sin(x)
            v += 0.1 * force
            x += 0.1 * v

    said = (~kicked).explain(x, v, 5)
    line = kicked.python.__code__.co_firstlineno + 3
    assert f"line {line}: backwards: computes f64 again" in said


@tp.reversible
def logged(x, log, n):
    for i in range(n):
        x += 0.5 * i
        with tp.irreversible():
            log[0] += 1.0
            log[1] = max(log[1], x[0])


def test_statements_that_run_forward_either_way():
    x, log = np.array([1.0, 2.0]), np.zeros(2)
    plain = x.copy(), log.copy()
    logged.python(*plain, 4)
    logged(x, log, 4)
    np.testing.assert_array_equal(log, plain[1])
    (~logged)(x, log, 4)
    np.testing.assert_array_equal(x, [1.0, 2.0])
    np.testing.assert_array_equal(log, [8.0, plain[1][1]])


def test_what_is_written_forward_cannot_be_needed():
    @tp.reversible
    def depends(x, log):
        x += log[0]
        with tp.irreversible():
            log[0] = 3.0

    with pytest.raises(NotReversibleError):
        (~depends)(np.ones(2), np.ones(1))


@tp.reversible
def scaled(x, k, n):
    for i in range(n):
        x *= k + i
        x += 1.0


def test_factors_that_are_known_when_it_runs_back():
    scaled.check_inverse(np.array([1.0, 2.0]), 0.3, 5, tolerance=1e-13)
    with pytest.raises(ZeroDivisionError):
        (~scaled)(np.ones(2), -2.0, 5)
    x = np.array([1.0, 2.0])

    def end(x, k):
        u = x.copy()
        scaled(u, k, 5)
        return np.sum(u)

    np.testing.assert_allclose(tp.grad(end, memory="reversible")(x, -2.0), tp.grad(end)(x, -2.0), rtol=1e-12)


def test_variables_that_are_not_handed_back():
    @tp.reversible
    def alive(y, x):
        t = tp.ancilla(0.0)
        if x > 0.0:
            tp.release(t, 0.0)
        y += t
        return y

    with pytest.raises(NotReversibleError, match="t is not handed back"):
        alive(1.0, 2.0)


def test_explanations_count_ancillas():
    assert "ancilla: 8 bytes" in add_sums.explain(1, 5)
    assert "ancilla: 8 bytes an element" in add_scratch.explain(np.zeros(3), np.ones(3))
