"""Arrays that are put together from parts of themselves: what is told of parts that are all of it tells it all."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp


def haar(x):
    h = len(x) // 2
    a, b = x[::2].copy(), x[1::2].copy()
    x[:h] = (a + b) / np.sqrt(2.0)
    x[h:] = (a - b) / np.sqrt(2.0)


def haar_at_once(x):
    h = len(x) // 2
    x[:h], x[h:] = (x[::2] + x[1::2]) / 2, (x[::2] - x[1::2]) / 2


def lazy(x):
    """Even places first, then odd ones: of any length."""
    t = x.copy()
    h = (len(x) + 1) // 2
    x[:h] = t[::2]
    x[h:] = t[1::2]


def lifted(x):
    h = len(x) // 2
    s, d = x[0::2].copy(), x[1::2].copy()
    d -= 0.5 * s
    s += 0.25 * d
    x[:h] = s
    x[h:] = d


def back_to_even_places(x):
    h = len(x) // 2
    t = np.concatenate((x[:h], x[h:]))
    x[::2] = t[:h]
    x[1::2] = t[h:]


def turned(x):
    first = x[0]
    x[:-1] = x[1:].copy()
    x[-1] = first


def coupled(x):
    """A coupling layer of a flow: halves put together anew."""
    h = len(x) // 2
    a, b = x[:h], x[h:]
    x[:] = np.concatenate((b * np.exp(np.tanh(a)) + a, a))


def by_threes(x):
    a, b, c = x[::3].copy(), x[1::3].copy(), x[2::3].copy()
    b += a
    c -= np.sin(b)
    x[:] = np.concatenate((c, a, b))


def columns(a):
    """A coupling layer of a batch."""
    h = a.shape[1] // 2
    left, right = a[:, :h], a[:, h:]
    a[:] = np.concatenate((right + np.tanh(left), left), axis=1)


def fourier(re, im, angles):
    """The last step of a Fourier transform: two arrays of numbers, real and imaginary parts."""
    h = len(re) // 2
    c, s = np.cos(angles), np.sin(angles)
    a, b = re[:h].copy(), im[:h].copy()
    p = c * re[h:] - s * im[h:]
    q = c * im[h:] + s * re[h:]
    re[:h], im[:h] = a + p, b + q
    re[h:], im[h:] = a - p, b - q


def normal(*shape):
    return np.random.default_rng(5).normal(size=shape)


CASES = [
    (haar, normal(12)), (haar_at_once, normal(12)), (lazy, normal(13)), (lazy, normal(10)), (lazy, normal(1)),
    (lifted, normal(12)), (back_to_even_places, normal(12)), (turned, normal(11)), (coupled, normal(12)),
    (by_threes, normal(12)), (columns, normal(9, 10)), (fourier, normal(12), normal(12), normal(6)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "args"), [(f, args) for f, *args in CASES], ids=lambda x: getattr(x, "__name__", "")
)
def test_there_and_back(function, args):
    reversible = tp.reversible(function)
    reversible.check_inverse(*(x.copy() for x in args))
    reversible.check_grad(*(x.copy() for x in args))
    found, plain = [x.copy() for x in args], [x.copy() for x in args]
    tp.reversible(function, strict=True)(*found)
    function(*plain)
    for x, y in zip(found, plain, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-13)


def shifted_in(x, new):
    """What falls out at the end is returned."""
    old = x[-1]
    x[1:] = x[:-1].copy()
    x[0] = new
    new = old
    return new  # noqa: RET504


def test_what_falls_out_comes_back():
    x = normal(9)
    f = tp.reversible(shifted_in)
    found = x.copy()
    out = f(found, 0.5)
    assert out == x[-1]
    assert (~f)(found, out) == 0.5
    np.testing.assert_array_equal(found, x)


def dropped(x):
    x[:-1] = x[1:].copy()


def twice(x):
    h = len(x) // 2
    t = x.copy()
    x[:h] = t[::2]
    x[h:] = t[::2]


def one_left_out(x):
    """A place between the parts."""
    h = len(x) // 2
    a, b = x[: h - 1].copy(), x[h:].copy()
    x[:] = 0.0
    x[: h - 1] = a
    x[h:] = b


def the_last_left_out(x):
    h = len(x) // 2
    a, b = x[: 2 * h : 2].copy(), x[1 : 2 * h : 2].copy()
    x[:] = 0.0
    x[:h] = a
    x[h : 2 * h] = b


def every_third_left_out(x):
    a, b = x[::3].copy(), x[1::3].copy()
    x[:] = 0.0
    x[: len(a)] = a
    x[len(a) : len(a) + len(b)] = b


def sums_only(x):
    h = len(x) // 2
    a, b = x[::2].copy(), x[1::2].copy()
    x[:h] = a + b
    x[h:] = b + a


@pytest.mark.parametrize(
    "function",
    [dropped, twice, one_left_out, the_last_left_out, every_third_left_out, sums_only],
    ids=lambda f: f.__name__,
)
def test_what_is_lost_is_refused(function):
    with pytest.raises(tp.TapelessError, match="what x was does not follow"):
        tp.reversible(function).inv(np.ones(12))


def test_sizes_that_do_not_fit_are_an_error_backwards_too():
    with pytest.raises(ValueError, match=r"shape|size|broadcast"):
        haar(np.ones(7))
    with pytest.raises((ValueError, AssertionError)):
        tp.reversible(haar).inv(np.ones(7))


def folded(x):
    """Each place of the first half with its mirror image."""
    h = len(x) // 2
    a, b = x[:h] + x[h:][::-1], x[:h] - x[h:][::-1]
    x[:h] = a
    x[h:] = b


def turned_half(x):
    h = len(x) // 2
    x[:h] = x[:h][::-1].copy()


@pytest.mark.parametrize("function", [folded, turned_half], ids=lambda f: f.__name__)
@pytest.mark.parametrize("size", [12, 2])
def test_parts_from_the_last_place_on(function, size):
    tp.reversible(function).check_inverse(normal(size))


def test_a_part_in_another_order_is_no_order_of_all():
    def some(x, order):
        x[:4] = x[:4][order]

    with pytest.raises(tp.TapelessError, match="what x was does not follow"):
        tp.reversible(some).inv(normal(9), np.arange(4))
