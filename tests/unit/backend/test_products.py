"""Matrix products through the packed kernel: all orders of indices, all edges, and factors that are not finite."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.backend import cpu
from tapeless.backend.product_text import CHUNK, ROWS
from tapeless.backend.target import Options
from tapeless.ir.core import Map
from tapeless.ir.text import parse_function
from tapeless.ir.walk import statements
from tapeless.passes.products import is_large, product

TOLERANCE = {np.float32: 1e-5, np.float64: 1e-13}


def _program(left: str, right: str, op: str = "mul", dtype: str = "f64", start: str = "0.0") -> str:
    """Both arrays have a dimension more than a matrix."""
    sizes = {"i": "m", "j": "n", "k": "l", "0": "o"}
    shapes = (", ".join(sizes[index] for index in at.split()) for at in (left, right))
    a, b = (f"{dtype}[{shape}]" for shape in shapes)
    zero = start + ("f32" if dtype == "f32" else "")
    return f"""
def f(a: {a}, b: {b}) {{
  r: {dtype}[m, n] = map m (i: i64) {{
    s: {dtype}[n] = map n (j: i64) {{
      t: {dtype} = reduce l [{zero}] (x: {dtype}, y: {dtype}) {{
        z: {dtype} = add x y
        return z
      }} (k: i64) {{
        u: {dtype} = index a {left}
        v: {dtype} = index b {right}
        w: {dtype} = {op} u v
        return w
      }}
      return t
    }}
    return s
  }}
  return r
}}
"""


def _arguments(left: str, right: str, sizes: tuple[int, int, int], dtype: type) -> list[np.ndarray]:
    by_name = dict(zip("ijk0", (*sizes, 2), strict=True))
    rng = np.random.default_rng(sum(sizes))
    return [rng.normal(size=[by_name[x] for x in at.split()]).astype(dtype) for at in (left, right)]


def _expected(left: str, right: str, arguments: list[np.ndarray]) -> np.ndarray:
    matrices = []
    for at, x in zip((left, right), arguments, strict=True):
        names = at.split()
        matrix = (np.take(x, 0, axis=names.index("0")) if "0" in names else x).astype(np.float64)
        order = [name for name in names if name != "0"]
        matrices.append(matrix if order[0] != "k" else matrix.T)
    return matrices[0] @ matrices[1].T


SIZES = [(1, 1, 1), (8, 32, CHUNK), (9, 33, CHUNK + 1), (ROWS + 5, 31, 3), (2 * ROWS, 17, 0), (20, 70, 2 * CHUNK + 7)]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize(("left", "right"), [("i k", "k j"), ("k i", "j k"), ("0 i k", "j 0 k"), ("k 0 i", "k j 0")])
def test_orders_and_edges(left: str, right: str, sizes: tuple[int, int, int], dtype: type) -> None:
    function = parse_function(_program(left, right, dtype="f32" if dtype is np.float32 else "f64"))
    arguments = _arguments(left, right, sizes, dtype)
    (result,) = cpu.compile_and_run(function, arguments)
    expected = _expected(left, right, arguments)
    assert result.dtype == dtype
    np.testing.assert_allclose(result, expected, atol=TOLERANCE[dtype] * max(sizes), rtol=0)


def test_the_same_on_threads() -> None:
    function = parse_function(_program("i k", "k j"))
    arguments = _arguments("i k", "k j", (3 * ROWS, 40, 50), np.float64)
    runs = [cpu.compile_and_run(function, arguments, threads, Options(threads_from=0)) for threads in (1, 2)]
    np.testing.assert_array_equal(runs[0][0], runs[1][0])


@pytest.mark.parametrize("infinite", [False, True])
def test_an_adjoint_of_zero_meets_infinity(infinite: bool) -> None:
    x, adjoint = _arguments("i k", "k j", (40, 40, 60), np.float64)
    if infinite:
        x[3, 5], x[7, 0], adjoint[5] = np.inf, np.nan, 0.0
    (result,) = cpu.compile_and_run(parse_function(_program("i k", "k j", "scale")), [x, adjoint])
    with np.errstate(invalid="ignore"):
        terms = np.where(adjoint[None] == 0, 0.0, x[:, :, None] * adjoint[None])
    np.testing.assert_allclose(result, terms.sum(axis=1), rtol=1e-12, atol=1e-12)
    assert np.isnan(result).any() == infinite


@pytest.mark.parametrize(
    ("left", "right", "start", "found"),
    [("i k", "k j", "0.0", True), ("i k", "k j", "-0.0", False), ("i k", "k j", "1.0", False),
     ("i j", "k j", "0.0", False)],
)  # fmt: skip
def test_what_is_a_product(left: str, right: str, start: str, found: bool) -> None:
    function = parse_function(_program(left, right, start=start))
    outer = next(stm.expr for stm in statements(function.body) if isinstance(stm.expr, Map))
    assert (product(outer) is not None) == found


def test_small_ones_are_not_packed() -> None:
    assert is_large(16, 16, 256)
    assert not is_large(3, 100_000, 100)
    assert not is_large(100_000, 3, 100)
    assert not is_large(16, 16, 3)


@pytest.mark.parametrize("sizes", [(3, 4, 5), (40, 50, 60)])
def test_products_of_users_and_their_gradients(sizes: tuple[int, int, int]) -> None:
    m, n, l = sizes
    rng = np.random.default_rng(1)
    a, b, c = rng.normal(size=(m, l)), rng.normal(size=(n, l)), rng.normal(size=(m, n))
    gradient = tp.grad(lambda a, b: np.sum(c * np.tanh(a @ b.T)), (0, 1))
    slopes = c * (1 - np.tanh(a @ b.T) ** 2)
    for found, expected in zip(gradient(a, b), (slopes @ b, slopes.T @ a), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)
