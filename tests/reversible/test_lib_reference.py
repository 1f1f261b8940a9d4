"""The functions of the library against NumPy, SciPy and published values; what some of their inverses are by name."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import tapeless as tp
from tapeless.reversible import lib

from .lib_cases import parts, random_matrix

near = np.testing.assert_allclose
RNG = np.random.default_rng(7)


def normal(*shape):
    return RNG.normal(size=shape)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("density", [0.0, 0.05, 0.3])
def test_sparse_products(seed, density):
    """Empty rows and columns are among them, and matrices without elements."""
    a, b = random_matrix(9, 7, density, seed), random_matrix(9, 7, density, seed + 100)
    x, wide = normal(7), normal(7, 2)
    y, z = np.ones(9), np.ones((9, 2))
    lib.csr_matvec(y, *parts(a), x)
    lib.csr_matmat(z, *parts(a), wide)
    near(y, 1.0 + a @ x, atol=1e-14)
    near(z, 1.0 + a @ wide, atol=1e-14)
    y, z = np.ones(9), np.ones((9, 2))
    lib.csc_matvec(y, *parts(a.tocsc()), x)
    lib.csc_matmat(z, *parts(a.tocsc()), wide)
    near(y, 1.0 + a @ x, atol=1e-14)
    near(z, 1.0 + a @ wide, atol=1e-14)
    near(lib.sparse_dot(1.0, *parts(a), *parts(b)), 1.0 + a.multiply(b).sum(), atol=1e-14)


def test_sparse_dot_where_a_column_is_empty():
    """A[0, 1] = 1, while B has rows 0 and 1 of column 0: a merge that runs on into the next column finds 1."""
    a = np.array([1.0]), np.array([0]), np.array([0, 0, 1])
    b = np.array([1.0, 1.0]), np.array([0, 1]), np.array([0, 2, 2])
    assert lib.sparse_dot(0.0, *a, *b) == 0.0


def test_norms():
    x = normal(4, 3)
    near(lib.dot(1.0, x[0], x[1]), 1.0 + x[0] @ x[1])
    near(lib.squared_norm(1.0, x), 1.0 + np.sum(x**2))
    near(lib.norm(1.0, x), 1.0 + np.linalg.norm(x))
    near(lib.norm1(1.0, x), 1.0 + np.sum(np.abs(x)))
    near(lib.norm_max(1.0, x), 1.0 + np.max(np.abs(x)))
    near(lib.norm(0.0, np.array([3e200, 4e200])), 5e200)
    assert [f(2.0, np.zeros(0)) for f in (lib.norm, lib.norm1, lib.norm_max)] == [2.0, 2.0, 2.0]
    near(tp.grad(lib.norm, 1)(0.0, np.zeros(3)), np.zeros(3))


def test_logarithms_of_sums():
    x, p = 800.0 * normal(6), RNG.dirichlet(np.ones(6))
    near(lib.logsumexp(1.0, x), 1.0 + scipy.special.logsumexp(x), rtol=1e-14)
    near(lib.cross_entropy(1.0, x, p), 1.0 - np.sum(p * scipy.special.log_softmax(x)), rtol=1e-12)
    near(tp.grad(lib.logsumexp, 1)(0.0, x), scipy.special.softmax(x), atol=1e-14)


@pytest.mark.parametrize("n", [1, 2, 8, 64, 256])
def test_fourier(n):
    z = normal(n) + 1j * normal(n)
    re, im = z.real.copy(), z.imag.copy()
    lib.fft(re, im)
    near(re + 1j * im, np.fft.fft(z), atol=1e-13 * n)
    re, im = z.real.copy(), z.imag.copy()
    (~lib.fft)(re, im)
    near(re + 1j * im, np.fft.ifft(z), atol=1e-14)


def test_fourier_of_another_length():
    with pytest.raises(ValueError, match="power of two"):
        lib.fft(np.zeros(6), np.zeros(6))


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5), (1, 3), (3, 1)])
@pytest.mark.parametrize("mode", ["complete", "reduced"])
def test_qr(shape, mode):
    matrix = normal(*shape)
    q, r = np.linalg.qr(matrix, mode=mode)
    found_q, found_r = np.ones_like(q), np.ones_like(r)
    lib.qr(found_q, found_r, matrix)
    near(found_q - 1.0, q, atol=1e-13)
    near(found_r - 1.0, r, atol=1e-13)


def test_qr_of_dependent_columns():
    matrix = np.outer(normal(5), np.array([1.0, 2.0, 0.0]))
    q, r = np.zeros((5, 5)), np.zeros((5, 3))
    lib.qr(q, r, matrix)
    near(q @ r, matrix, atol=1e-13)
    near(q.T @ q, np.eye(5), atol=1e-13)


def test_triangles():
    matrix, x = normal(5, 5), normal(5)
    for product, unit, part in (
        (lib.lower_matvec, lib.unit_lower_product, np.tril(matrix)),
        (lib.upper_matvec, lib.unit_upper_product, np.triu(matrix)),
    ):
        y, z = np.ones(5), x.copy()
        product(y, matrix, x)
        near(y, 1.0 + part @ x, atol=1e-14)
        ones = part - np.diag(np.diag(part)) + np.eye(5)
        unit(matrix, z)
        near(z, ones @ x, atol=1e-13)
        z = x.copy()
        (~unit)(matrix, z)
        near(z, np.linalg.solve(ones, x), atol=1e-12)


@pytest.mark.parametrize("angle", np.linspace(-7.0, 7.0, 29))
def test_rotation(angle):
    turned = np.exp(1j * angle) * (0.3 + 0.4j)
    near(lib.rotate(0.3, 0.4, angle), (turned.real, turned.imag), atol=1e-15)


def test_bessel_functions():
    for order in range(5):
        for z in (-2.0, 0.0, 0.5, 1.0, 6.0):
            near(lib.bessel_j(0.0, order, z), scipy.special.jv(order, z), rtol=1e-12, atol=1e-14)
    value, slope, curvature = lib.bessel_j, tp.grad(lib.bessel_j, 2), tp.grad(tp.grad(lib.bessel_j, 2), 2)
    near(value(0.0, 2, 1.0), 0.1149034849319005, rtol=1e-14)
    near(slope(0.0, 2, 1.0), 0.21024361588113258, rtol=1e-13)
    near(curvature(0.0, 2, 1.0), 0.1344668389145689, rtol=1e-12)


def test_running_sums_and_extrema():
    x, y = normal(6), np.ones(6)
    lib.cumulative_max(y, x)
    near(y, 1.0 + np.maximum.accumulate(x))
    z = x.copy()
    lib.cumulative_sum(z)
    near(z, np.cumsum(x))
    (~lib.cumulative_sum)(z)
    near(z, x, atol=1e-14)


def test_orders():
    x = np.array([3.0, 1.0, np.nan, 2.0, 1.0])
    y, order, ranks, back = np.zeros(5), np.zeros(5, int), np.zeros(5, int), np.zeros(5)
    lib.sort(y, order, x)
    near(y, np.sort(x))
    np.testing.assert_array_equal(order, np.argsort(x, kind="stable"))
    lib.ranks(ranks, x)
    np.testing.assert_array_equal(ranks, np.argsort(order))
    lib.permute(back, order, y)
    near(back, x)
