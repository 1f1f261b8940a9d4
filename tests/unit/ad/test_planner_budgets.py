"""`memory=` changes what is kept, never the result; limits in all their forms; what explain() says."""

import numpy as np
import pytest

import tapeless as tp
from tapeless.ad.planner import Plan, plan_for
from tapeless.ad.treeverse import forward_steps
from tapeless.errors import ArgumentError


def logistic(x, n):
    y = x
    for i in range(n):
        y = np.sin(1.7 * y + 0.01 * i) + 0.3 * y * x
    return y


def heat(u, n):
    v = u.copy()
    for _ in range(n):
        w = v.copy()
        for j in range(1, len(v) - 1):
            w[j] = v[j] + 0.1 * (v[j - 1] - 2.0 * v[j] + v[j + 1]) + 0.01 * np.sin(v[j])
        v = w
    return np.sum(v * v)


def in_place(u, n):
    v = u.copy()
    for i in range(n):
        k = (7 * i + int(v[0] > 0.5)) % len(v)
        v[k] = np.sin(v[k]) + 0.5 * v[(k + 1) % len(v)] * u[i % len(u)]
    return np.sum(v * v)


def restored(u, n):
    """The array before the loop is read again by what comes earlier."""
    v = u * u
    v[0] = v[1] * v[2]
    s = v[0] * v[3]
    for i in range(n):
        v[i % len(v)] = v[(i + 1) % len(v)] * 0.9 + np.sin(v[i % len(v)]) * s
    return np.sum(v)


def settled(x, n):
    a = np.zeros(n + 1)
    a[0] = x
    s = 1.0
    for i in range(n):
        s = np.cos(s * a[i])
        a[i + 1] = np.sin(a[i] * 1.3) + s
    return np.sum(a * a)


def newton(a, tolerance):
    x, steps = 1.0 + a, 0
    while abs(x * x - a) > tolerance:
        x = x - 0.3 * np.sin(x - a / x)
        steps += 1
    return x * steps


def nested(x, n):
    s, y = 0.0, x
    for i in range(n):
        z = y
        for j in range(i + 2):
            z = np.sin(z * 1.1 + 0.1 * j * y)
        y = 0.5 * y + z
        s += y * z
    return s


def branchy(x, n):
    y, z = x, 2.0 * x
    for _ in range(n):
        if y > z:
            y = np.sin(y) * z
        else:
            z = np.cos(z * y)
            for _ in range(3):
                y = y + 0.1 * z * y
    return y * z


def per_row(a, n):
    out = np.zeros(len(a))
    for k in range(len(a)):
        y = a[k]
        for i in range(n):
            y = np.sin(y * a[(k + 1) % len(a)] + i)
        out[k] = y
    return np.sum(out * out)


def two_loops(x, n):
    y = x
    for i in range(n):
        y = np.sin(y * x + i)
    z = y
    for i in range(n):
        z = np.cos(z * y - i)
    return z * y


ARRAY = np.array([0.3, 0.8, -0.4, 1.2, 0.6])
PROGRAMS = [
    (logistic, 0.3, 23), (heat, ARRAY, 11), (in_place, ARRAY, 17), (restored, ARRAY, 13), (settled, 0.4, 19),
    (newton, 2.0, 1e-3), (nested, 0.7, 9), (branchy, 0.7, 14), (per_row, ARRAY, 8), (two_loops, 0.7, 12),
]  # fmt: skip


@pytest.mark.parametrize(("f", "x", "n"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_every_limit_gives_the_same_gradient(f, x, n):
    with tp.config(mode="interpret"):
        expected = {count: tp.grad(f)(x, count) for count in ((n,) if f is newton else (n, 1, 0))}
        for memory in (tp.States(1), tp.States(3), tp.States(64), 0, 100):
            for count, slope in expected.items():
                np.testing.assert_allclose(tp.grad(f, memory=memory)(x, count), slope, rtol=1e-12)
    compiled = tp.grad(f, memory=tp.States(64 if f is newton else 2))
    for count, slope in expected.items():
        np.testing.assert_allclose(compiled(x, count), slope, rtol=1e-9)


@tp.config(mode="interpret")
def test_every_verb_takes_a_limit():
    two = tp.States(2)
    v = np.ones(5)
    expected = tp.grad(heat)(ARRAY, 6)
    np.testing.assert_allclose(tp.value_and_grad(heat, memory=two)(ARRAY, 6)[1], expected, rtol=1e-12)
    np.testing.assert_allclose(tp.jacrev(heat, memory=two)(ARRAY, 6), expected, rtol=1e-12)
    np.testing.assert_allclose(tp.vjp(lambda u: heat(u, 6), ARRAY, memory=two)[1](1.0)[0], expected, rtol=1e-12)
    second = tp.hvp(lambda u: heat(u, 6), (ARRAY,), (v,))
    np.testing.assert_allclose(tp.hvp(lambda u: heat(u, 6), (ARRAY,), (v,), memory=two), second, rtol=1e-11)
    hessian = tp.hessian(lambda u: heat(u, 6), memory=two)(ARRAY)
    np.testing.assert_allclose(hessian @ v, second, rtol=1e-11)


@tp.config(mode="interpret")
def test_second_derivatives_under_limits():
    expected = tp.grad(tp.grad(logistic))(0.3, 7)
    twice = tp.grad(tp.grad(logistic, memory=tp.States(2)), memory=tp.States(2))
    assert np.isclose(twice(0.3, 7), expected, rtol=1e-10)


def test_long_loops_fit():
    """Ten thousand states of 8 kB would be 80 MB; the peak is not asserted, only that it is right."""
    u = np.linspace(0.0, 1.0, 1000)
    np.testing.assert_allclose(tp.grad(heat, memory="1MB")(u, 1000), tp.grad(heat)(u, 1000), rtol=1e-10)
    assert np.isclose(tp.grad(logistic, memory="4KB")(0.3, 20_000), tp.grad(logistic)(0.3, 20_000))


@pytest.mark.parametrize(
    ("memory", "size"),
    [("64MB", 64_000_000), ("1.5 GiB", 3 * 2**29), ("10", 10), ("2kb", 2000), (4096, 4096), (0, 0)],
)
def test_amounts(memory, size):
    assert plan_for(memory) == Plan(bytes=size)


@pytest.mark.parametrize("memory", ["much", "64 M B", "-1MB", -5, 1.5, True])
def test_what_is_no_amount_is_refused(memory):
    with pytest.raises(ArgumentError, match="no amount of memory"):
        plan_for(memory)


def test_no_states_are_refused():
    with pytest.raises(ArgumentError, match="0 states"):
        tp.States(0)


def test_explain_says_what_is_kept():
    free = tp.grad(logistic, coarsen=False)
    free(0.3, 5)
    assert "return sweep: keeps 8 bytes of every iteration" in free.explain()
    limited = tp.grad(logistic, memory="64KB", coarsen=False)
    limited(0.3, 5)
    text = limited.explain()
    assert "within 64000 bytes, else s = 64000 // (8) states of 8 bytes" in text
    assert all(way in text for way in ("binomial", "strips", "from the start"))


def test_explain_counts_where_it_can():
    def fixed(x):
        y = x
        for _ in range(100):
            y = np.sin(y * x)
        return y

    limited = tp.grad(fixed, memory=tp.States(10), coarsen=False)
    limited(0.3)
    assert f"binomial: 10 states, {forward_steps(101, 10)} again" in limited.explain()
    assert "from the start: 1 state, 5050 again" in limited.explain()
