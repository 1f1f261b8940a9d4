"""Sparse Jacobians and Hessians as users call them, against the dense ones."""

import sys

import numpy as np
import pytest
from scipy.sparse import csr_array

import tapeless as tp


def chain(x):
    """Neighbours, boundaries, and a branch on a value that changes who is a neighbour."""
    y = np.zeros(len(x))
    for i in range(len(x)):
        s = -2.0 * x[i] ** 2
        if i > 0:
            s += x[i - 1]
        if i < len(x) - 1:
            s += np.sin(x[i + 1])
        if x[i] > 0.5 and i + 2 < len(x):
            s += x[i] * x[i + 2]
        y[i] = s
    return y


def stencil(u):
    inner = u[1:-1, 1:-1] ** 2
    return u[2:, 1:-1] + u[:-2, 1:-1] * u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * inner


def steps(x):
    """Two sweeps in place: dependences spread."""
    y = x.copy()
    for _ in range(2):
        for i in range(1, len(y) - 1):
            y[i] = 0.5 * y[i] + np.tanh(y[i + 1] - y[i])
    return y


def gathered(x, edges):
    force = np.zeros(len(x))
    for k in range(len(edges)):
        i, j = edges[k, 0], edges[k, 1]
        d = x[i] - x[j]
        force[i] += d**3
        force[j] -= d * x[j]
    return force


def running(x):
    return np.cumsum(x * x) / (1.0 + np.arange(len(x)))


def iterated(x):
    """A loop whose length depends on the values: everything inside one lane depends on that lane."""

    def root(a):
        r = 1.0 + a
        while abs(r * r - a) > 1e-12 * a:
            r = 0.5 * (r + a / r)
        return r

    return tp.map(lambda a: root(a * a + 1.0), x)


def chosen(x, which):
    return x[which] * np.where(which > 2, x[0], 1.0)


def ordered(x):
    return np.sort(x) * np.arange(len(x))


EDGES = np.array([[0, 3], [1, 2], [4, 5], [5, 0], [2, 2]])
CASES = {
    "chain": (chain, lambda rng: (rng.normal(size=9),), 0.7),
    "stencil": (stencil, lambda rng: (rng.normal(size=(6, 5)),), 0.3),
    "steps": (steps, lambda rng: (rng.normal(size=12),), 0.4),
    "gathered": (gathered, lambda rng: (rng.normal(size=6), EDGES), 0.5),
    "running": (running, lambda rng: (rng.normal(size=7),), 0.6),
    "iterated": (iterated, lambda rng: (rng.normal(size=8),), 0.2),
    "chosen": (chosen, lambda rng: (rng.normal(size=8), np.array([1, 4, 7, 2, 0])), 0.3),
    "ordered": (ordered, lambda rng: (rng.normal(size=5),), 1.0),
}


@pytest.mark.parametrize("name", CASES)
def test_jacobians_equal_dense_ones(name):
    f, draw, density = CASES[name]
    args = draw(np.random.default_rng(0))
    sparse, dense = tp.jacobian(f, sparse=True), tp.jacrev(f)
    for seed in range(20):  # all of them by the pattern of the first
        args = draw(np.random.default_rng(seed))
        found, expected = sparse(*args), dense(*args)
        assert isinstance(found, csr_array)
        assert np.allclose(found.toarray().reshape(expected.shape), expected, rtol=1e-13, atol=1e-14)
    assert len(sparse._plans) == 1
    assert sparse.pattern(*args).nnz <= density * expected.size


@pytest.mark.parametrize("name", ["chain", "gathered", "stencil"])
def test_both_directions_are_one_matrix(name):
    f, draw, _ = CASES[name]
    args = draw(np.random.default_rng(1))
    forward, reverse = tp.jacfwd(f, sparse=True)(*args), tp.jacrev(f, sparse=True)(*args)
    assert np.array_equal(forward.indices, reverse.indices)
    assert np.allclose(forward.data, reverse.data, rtol=1e-13, atol=1e-14)


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def springs(p, k):
    e = 0.0
    for i in range(len(p["x"]) - 1):
        d = p["x"][i + 1] - p["x"][i]
        if d > 0.3:
            e += 0.5 * k * (d - p["rest"]) ** 2 * p["x"][i]
    return e


@pytest.mark.parametrize("seed", range(3))
def test_hessians_equal_dense_ones(seed):
    x = np.random.default_rng(seed).normal(size=10)
    sparse = tp.hessian(rosenbrock, sparse=True)
    assert np.allclose(sparse(x).toarray(), tp.hessian(rosenbrock)(x), rtol=1e-13)
    assert "28 nonzeros" in sparse.explain()
    assert "3 colours" in sparse.explain()


def test_hessians_have_the_structure_of_the_argument():
    p = {"x": np.array([0.0, 0.2, 1.0, 1.1, 3.0]), "rest": 0.1}
    found, expected = tp.hessian(springs, sparse=True)(p, 2.0), tp.hessian(springs)(p, 2.0)
    for row in p:
        for column in p:
            block = np.reshape(expected[row][column], found[row][column].shape)
            assert np.allclose(found[row][column].toarray(), block, rtol=1e-13)


def test_containers_and_several_arguments():
    def f(p, y):
        return {"a": p[0] * y[::-1], "b": np.sum(p[1] * y)}

    args = ((np.arange(1.0, 4.0), 2.0), np.arange(5.0, 8.0))
    found, expected = tp.jacobian(f, (0, 1), sparse=True)(*args), tp.jacfwd(f, (0, 1))(*args)
    for name in ("a", "b"):
        pairs = [(found[name][0][k], expected[name][0][k]) for k in (0, 1)]
        for sparse, dense in (*pairs, (found[name][1], expected[name][1])):
            assert np.array_equal(sparse.toarray().reshape(np.shape(dense)), dense)


def test_a_plan_holds_for_what_the_pattern_reads():
    sparse, dense, x = tp.jacobian(gathered, sparse=True), tp.jacfwd(gathered), np.arange(6.0)
    for edges in (EDGES, EDGES[::-1] % 5, EDGES[:2]):
        assert np.allclose(sparse(x, edges).toarray(), dense(x, edges))


SHIFT = 2


def test_names_from_outside_are_read_at_each_call(monkeypatch):
    def rolled(x):
        return x * np.roll(x, SHIFT)

    sparse, x = tp.jacobian(rolled, sparse=True), np.arange(1.0, 8.0)
    for shift in (2, 3):
        monkeypatch.setitem(globals(), "SHIFT", shift)
        assert np.array_equal(sparse(x).toarray(), tp.jacfwd(rolled)(x))


def test_single_precision_zero_sizes_and_constants():
    twice = tp.jacobian(lambda x: 2.0 * x, sparse=True)
    assert twice(np.ones(3, np.float32)).dtype == np.float32
    assert twice(np.ones(0)).shape == (0, 0)
    assert twice(3.0).toarray() == 2.0
    assert tp.jacobian(lambda _: np.ones(4), sparse=True)(np.ones(3)).nnz == 0


def test_dense_jacobians_choose_their_direction():
    x = np.arange(1.0, 5.0)
    for f in (lambda x: x[1:] ** 2, lambda x: np.array([x.sum(), x.prod()]), lambda x: np.outer(x, x)):
        assert np.allclose(tp.jacobian(f)(x), tp.jacfwd(f)(x))
        assert np.allclose(tp.jit(lambda x, f=f: tp.jacobian(f)(x))(x), tp.jacfwd(f)(x))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (tp.jacobian(lambda x: x[x > 0], sparse=True), "size"),
        (lambda x: tp.jacobian(lambda x: x, sparse=True)(x.astype(int)), "i64"),
        (tp.jit(lambda x: 2.0 * tp.jacobian(chain, sparse=True)(x)), "inside compiled"),
        (lambda _: tp.jacobian(lambda x: x, method="magic"), "magic"),
        (lambda _: tp.jacfwd(lambda x: x, has_aux=True, sparse=True), "has_aux"),
        (lambda x: tp.jacobian(lambda x, *, k: k * x, sparse=True)(x, k=2.0), "keyword only"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(tp.TapelessError, match=words):
        call(np.ones(3))


def test_without_scipy(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    with pytest.raises(ImportError, match=r"pip install 'tapeless\[scipy\]'"):
        tp.jacobian(lambda x: x, sparse=True)(np.ones(3))


def test_thousands_of_unknowns():
    x = np.random.default_rng(0).normal(size=5000)
    found = tp.jacobian(chain, sparse=True)(x)
    assert found.nnz <= 4 * len(x)
    direction = np.random.default_rng(1).normal(size=len(x))
    assert np.allclose(found @ direction, tp.jvp(chain, (x,), (direction,))[1])
