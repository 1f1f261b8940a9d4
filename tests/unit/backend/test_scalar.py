"""Every scalar operation against NumPy, in scalars and vectors, on ordinary and on troublesome operands."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import tapeless.ops  # noqa: F401  (registers the operations)
from tapeless.backend import elementary
from tapeless.backend.scalar import emit_op, is_emitted
from tapeless.backend.text import Module, Writer, constant
from tapeless.ir.op import all_ops
from tapeless.ir.types import BOOL, F32, F64, I32, I64, DType, Lit

from .vector_jit import DTYPES, apply

WIDTHS = [1, 4, 8]
INTS, FLOATS = [I32, I64], [F32, F64]


def operands(dtype: DType) -> np.ndarray:
    """Small and large, of both signs, zeros, and for floats infinities, NaN, subnormal numbers."""
    numpy_type = DTYPES[dtype.value]
    if dtype is BOOL:
        return np.array([False, True])
    if dtype.is_int:
        info = np.iinfo(numpy_type)
        return np.array([0, 1, -1, 2, -2, 3, -7, 8, 100, -100, info.max, info.min, info.min + 1], numpy_type)
    info = np.finfo(numpy_type)
    numbers = [0.0, 1.0, 1.5, 2.5, 3.0, 0.1, 7.25, 1e9, 1e-9, 1e30, info.max, info.tiny, info.smallest_subnormal]
    return np.array([*numbers, *(-x for x in numbers), np.inf, -np.inf, np.nan], numpy_type)


def grid(*dtypes: DType) -> list[np.ndarray]:
    """All combinations of operands."""
    columns = list(zip(*itertools.product(*(operands(dtype) for dtype in dtypes)), strict=True))
    return [np.array(column, DTYPES[dtype.value]) for column, dtype in zip(columns, dtypes, strict=True)]


def agree(got: np.ndarray, expected: np.ndarray, *, zeros: bool = True) -> None:
    expected = np.asarray(expected)
    assert got.dtype == expected.dtype
    assert np.array_equal(got, expected, equal_nan=got.dtype.kind == "f")
    if got.dtype.kind == "f" and zeros:
        ordered = ~np.isnan(expected)
        assert np.array_equal(np.signbit(got[ordered]), np.signbit(expected[ordered]))


BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply,
    "floordiv": np.floor_divide, "mod": np.mod,
    "min": np.minimum, "max": np.maximum, "fmin": np.fmin, "fmax": np.fmax,
}  # fmt: skip


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", [*INTS, *FLOATS], ids=repr)
@pytest.mark.parametrize("op", BINARY)
def test_arithmetic(op: str, dtype: DType, width: int) -> None:
    a, b = grid(dtype, dtype)
    with np.errstate(all="ignore"):
        expected = BINARY[op](a, b)
    # Which of two zeros is the smaller one is left open by NumPy.
    agree(apply(op, a, b, width=width), expected, zeros=op not in ("min", "max", "fmin", "fmax"))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", FLOATS, ids=repr)
@pytest.mark.parametrize(("op", "peer"), [("div", np.divide), ("copysign", np.copysign)])
def test_float_arithmetic(op: str, peer: np.ufunc, dtype: DType, width: int) -> None:
    a, b = grid(dtype, dtype)
    with np.errstate(all="ignore"):
        agree(apply(op, a, b, width=width), peer(a, b))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", FLOATS, ids=repr)
def test_long_quotients_have_exact_remainders(dtype: DType, width: int) -> None:
    rng = np.random.default_rng(3)
    a, b = (np.exp(rng.uniform(-80, 80, 500)).astype(DTYPES[dtype.value]) for _ in range(2))
    expected = np.array([math.fmod(float(x), float(y)) for x, y in zip(a, b, strict=True)], a.dtype)
    agree(apply("mod", a, b, width=width), expected)


UNARY = {
    "neg": np.negative, "abs": np.abs, "sign": np.sign, "sqrt": np.sqrt, "floor": np.floor, "ceil": np.ceil,
    "trunc": np.trunc, "rint": np.rint,
}  # fmt: skip


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    ("op", "dtype"),
    [(op, dtype) for op in UNARY for dtype in [*INTS, *FLOATS] if dtype.is_float or op in ("neg", "abs", "sign")],
)
def test_unary(op: str, dtype: DType, width: int) -> None:
    a = operands(dtype)
    with np.errstate(all="ignore"):
        agree(apply(op, a, width=width), UNARY[op](a))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", FLOATS, ids=repr)
@pytest.mark.parametrize(("op", "peer"), [("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite)])
def test_float_tests(op: str, peer: np.ufunc, dtype: DType, width: int) -> None:
    a = operands(dtype)
    agree(apply(op, a, width=width, result=BOOL), peer(a))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", list(DType), ids=repr)
@pytest.mark.parametrize("op", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_comparisons(op: str, dtype: DType, width: int) -> None:
    a, b = grid(dtype, dtype)
    peer = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
    agree(apply(op, a, b, width=width, result=BOOL), getattr(np, peer[op])(a, b))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", [BOOL, *INTS], ids=repr)
def test_bits(dtype: DType, width: int) -> None:
    a, b = grid(dtype, dtype)
    for op in ("and", "or", "xor"):
        agree(apply(op, a, b, width=width), getattr(np, f"bitwise_{op}")(a, b))
    agree(apply("not", a, width=width), np.logical_not(a) if dtype is BOOL else np.invert(a))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", INTS, ids=repr)
def test_shift_counts_beyond_the_width(dtype: DType, width: int) -> None:
    numbers, counts = operands(dtype), np.array([0, 1, 5, 31, 32, 33, 63, 64, 1000, -1], DTYPES[dtype.value])
    a, b = (np.ascontiguousarray(g.ravel()) for g in np.meshgrid(numbers, counts))
    agree(apply("shl", a, b, width=width), np.left_shift(a, b))
    agree(apply("shr", a, b, width=width), np.right_shift(a, b))
    unsigned = np.dtype(f"u{dtype.itemsize}")
    agree(apply("lshr", a, b, width=width), np.right_shift(a.view(unsigned), b.view(unsigned)).view(a.dtype))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", INTS, ids=repr)
def test_integer_powers_wrap(dtype: DType, width: int) -> None:
    a, b = (g.ravel() for g in np.meshgrid(operands(dtype), np.array([0, 1, 2, 5, 31, 63, 64], DTYPES[dtype.value])))
    agree(apply("ipow", a, b, width=width), np.power(a, b))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", list(DType), ids=repr)
def test_select(dtype: DType, width: int) -> None:
    c, a, b = grid(BOOL, dtype, dtype)
    agree(apply("select", c, a, b, width=width), np.where(c, a, b))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("source", "target"), list(itertools.product(DType, DType)), ids=repr)
def test_conversions(source: DType, target: DType, width: int) -> None:
    a = operands(source)
    got = apply("convert", a, width=width, result=target, attrs=(target,))
    with np.errstate(all="ignore"):
        expected = a.astype(DTYPES[target.value])
    if source.is_float and target.is_int:
        info = np.iinfo(expected.dtype)
        whole = [int(x) if np.isfinite(x) else info.min for x in a]
        expected = np.array([n if info.min <= n <= info.max else info.min for n in whole], expected.dtype)
    agree(got, expected)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("source", "target"), [(F64, I64), (I64, F64), (F32, I32), (I32, F32)])
def test_bitcasts(source: DType, target: DType, width: int) -> None:
    a = operands(source)
    got = apply("bitcast", a, width=width, result=target, attrs=(target,))
    assert got.tobytes() == a.tobytes()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", FLOATS, ids=repr)
def test_fma_rounds_once(dtype: DType, width: int) -> None:
    tiny = np.finfo(DTYPES[dtype.value]).eps
    one = DTYPES[dtype.value](1)
    a, b, c = (np.array([x], one.dtype) for x in (one + tiny, one - tiny, -one))
    # The product is 1 - eps^2, which rounds to 1: only a fused operation sees the difference.
    assert apply("fma", a, b, c, width=width)[0] == -(tiny**2)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("divisor", [1, 2, 8, 7, -4, 0, -1])
@pytest.mark.parametrize("dtype", INTS, ids=repr)
def test_division_by_a_literal_is_as_by_a_variable(dtype: DType, divisor: int, width: int) -> None:
    a = operands(dtype)
    b = np.full_like(a, divisor)
    with np.errstate(all="ignore"):
        for op, expected in (("floordiv", np.floor_divide(a, b)), ("mod", np.mod(a, b))):
            agree(apply(op, a, width=width, literals=(constant(Lit(divisor, dtype), width),)), expected)


def test_short_code_for_division_by_a_power_of_two() -> None:
    w = Writer(Module())
    emit_op(w, "floordiv", (), (I64, I64), I64, 1, ("%a", "8"))
    emit_op(w, "mod", (), (I64, I64), I64, 4, ("%a", "splat (i64 8)"))
    assert [line.split(" = ")[1].split(" ")[0] for line in w.lines] == ["ashr", "and"]


def test_every_scalar_operation_is_emitted() -> None:
    arrays = {"index", "slice", "update", "update_slice", "accumulate", "transpose", "reshape", "replicate", "concat",
              "stack", "iota", "argsort"}  # fmt: skip
    assert {op.name for op in all_ops() if not is_emitted(op.name)} <= arrays


def test_a_definition_stands_once_in_a_module() -> None:
    module = Module()
    w = Writer(module)
    for _ in range(2):
        emit_op(w, "exp", (), (F64,), F64, 8, ("%x",))
        emit_op(w, "sin", (), (F64,), F64, 8, ("%x",))
    assert str(module).count("define internal <8 x double> @tp.exp.f64.w8(") == 1
    assert set(elementary.FUNCTIONS) >= {"exp", "sin"}
