"""`tp.checkpoint(f)`: the same derivatives, nothing of f kept, its body run again."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.errors import DerivativeError
from tapeless.front.capture import lower, specialise
from tapeless.ir.core import Custom, For
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers_count import CountingTower
from tapeless.ir.walk import statements
from tapeless.passes.pipeline import optimise

X = np.linspace(0.2, 1.4, 7)


def decay(x):
    for _ in range(20):
        x = x - 0.05 * np.sin(x)
    return x


def layer(w, x):
    y = np.tanh(w * x)
    for i in range(1, len(y)):
        y[i] = y[i - 1] + y[i] * y[i]
    return y


again_decay, again_layer = tp.checkpoint(decay), tp.checkpoint(layer)


def twice(x, f=decay):
    return f(f(x))


def net(w, x, f=layer):
    for _ in range(3):
        x = x + f(w, x)
    return np.sum(x * x)


def mapped(w, x, f=decay):
    total = 0.0
    for i in range(len(w)):
        if x[i] > 0.5:
            total += f(w[i] * x[i]) * x[i]
    return total


CASES = [(twice, again_decay, (1.0,)), (net, again_layer, (X, X + 0.5)), (mapped, again_decay, (X, X))]


@pytest.mark.parametrize(("function", "again", "args"), CASES)
def test_derivatives_are_the_same(function, again, args):
    def marked(*args):
        return function(*args, again)

    def plain(*args):
        return function(*args)

    tangents = tuple(np.ones_like(arg) if isinstance(arg, np.ndarray) else 1.0 for arg in args)
    np.testing.assert_allclose(tp.grad(marked)(*args), tp.grad(plain)(*args), rtol=1e-14)
    np.testing.assert_allclose(tp.jvp(marked, args, tangents), tp.jvp(plain, args, tangents), rtol=1e-13)
    np.testing.assert_allclose(tp.hessian(marked)(*args), tp.hessian(plain)(*args), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(tp.grad(marked, memory=tp.States(2))(*args), tp.grad(plain)(*args), rtol=1e-14)
    assert marked(*args) == plain(*args)
    assert tp.jit(marked)(*args) == tp.jit(plain)(*args)


def derivative(function):
    """The program of a gradient at 1.0, one statement after another, after all passes."""
    call, grad = specialise(function, (1.0,), {}), tp.grad(function, coarsen=False)
    return optimise(lower(grad.parameters, call.specs, grad.__derivation__).function)


def stacks(function):
    loops = [stm.expr for stm in statements(function.body) if isinstance(stm.expr, For)]
    return [sum(param.name.startswith(("stack.", "slope.")) for param in loop.body.params) for loop in loops]


def test_nothing_is_kept_and_the_body_runs_again():
    plain, marked = derivative(twice), derivative(lambda x: twice(x, again_decay))
    assert not [stm for stm in statements(marked.body) if isinstance(stm.expr, Custom)]
    # Plain: both loops keep their states, and run back. Marked: the first keeps nothing; each runs again and keeps
    # states right before it runs back; that the value of the second is not asked for is found by the passes.
    assert stacks(plain) == [1, 1, 0, 0]
    assert stacks(marked) == [0, 1, 0, 1, 0]
    counts = []
    for function in (plain, marked):
        tower = CountingTower()
        evaluate(function, [1.0], tower)
        counts.append(tower.counts["sin"])
    assert counts[1] > counts[0]


def one_place(u, i):
    v = u.copy()
    for _ in range(3):
        v[i] = np.sin(v[i - 1]) * v[i] + u[i]
    return v, 2.0 * v[i]


def places(x, f=one_place):
    u, s = x * 1.0, 0.0
    for i in range(1, len(x)):
        u, t = f(u, i)
        s += t
    return np.sum(u * u) + s


def test_of_an_array_that_is_handed_on_only_the_places_written_are_kept():
    def marked(x):
        return places(x, tp.checkpoint(one_place))

    def plain(x):
        return places(x)

    assert "keeps 8 bytes of every iteration" in tp.grad(marked).explain(X)
    np.testing.assert_allclose(tp.grad(marked)(X), tp.grad(plain)(X), rtol=1e-13)
    np.testing.assert_allclose(tp.hessian(marked)(X), tp.hessian(plain)(X), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(tp.grad(marked, memory=tp.States(2))(X), tp.grad(plain)(X), rtol=1e-13)


def test_explain_says_so():
    gradient = tp.grad(lambda x: again_decay(again_decay(x)))
    assert "tp.checkpoint" in gradient.explain(1.0)


def test_what_is_not_computed_inside_is_handed_on():
    table = np.array([1.0, 2.0, 3.0])

    @tp.checkpoint
    def pair(x):
        return x, table, 2, None, {"y": np.sin(x)}

    def f(x):
        same, outside, power, nothing, made = pair(x)
        assert nothing is None
        same[0] = 5.0  # the argument itself
        return np.sum(x**power * outside * made["y"])

    def by_hand(x):
        y = np.sin(x)
        x[0] = 5.0
        return np.sum(x**2 * table * y)

    x = np.array([0.5, 1.0, 1.5])
    np.testing.assert_allclose(tp.grad(f)(x), tp.grad(by_hand)(x), rtol=1e-14)


def writes(x):
    x[0] = 1.0
    return np.sum(x)


def doubles(x):
    y = x * 2.0
    return y, y


def chooses(x):
    return x[x > 0.5]


@pytest.mark.parametrize(
    ("function", "message"), [(writes, "writes into"), (doubles, "twice"), (chooses, "size depends")]
)
def test_refusals(function, message):
    def f(x):
        return np.sum(tp.checkpoint(function)(x * 1.0)[0])

    def scalar(x):
        return tp.checkpoint(function)(x * 1.0)

    with pytest.raises(DerivativeError, match=message):
        tp.grad(scalar if function is writes else f)(X)
    tp.jit(scalar)(X)  # without a derivative it is the plain function


def test_patterns_of_sparse_jacobians_are_seen_through_it():
    @tp.checkpoint
    def differences(x):
        return x[1:] * x[:-1] - np.sin(x[1:])

    found = tp.jacobian(lambda x: differences(x) * 2.0, sparse=True)(X)
    assert found.nnz == 2 * (len(X) - 1)
    np.testing.assert_allclose(found.toarray(), tp.jacfwd(lambda x: differences(x) * 2.0)(X), rtol=1e-14)
