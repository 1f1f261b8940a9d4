"""The few numbers that tell states apart are those of their definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.marks import mark, mark_type, root_of_size, top
from tapeless.ir.build import build
from tapeless.ir.check import check
from tapeless.ir.eval import evaluate
from tapeless.ir.types import BOOL, F32, F64, I32, I64, DType, Type, Var
from tapeless.ir.walk import statements

GOLDEN = 0.6180339887498949
RNG = np.random.default_rng(5)
FLOATS = [RNG.normal(size=shape) for shape in ((), (1,), (7,), (3, 4), (2, 3, 5))]
WHOLE = [np.round(9 * x).astype("int64") for x in FLOATS]


def made(function: Any, dtype: DType, value: np.ndarray) -> tuple[Any, Type, list[str]]:
    """What a function of a value comes to, its type, and the operations that stand outside of loops."""
    sizes = tuple(Var(name, Type(I64)) for name in "nmk")[: value.ndim]
    x = Var("x", Type(dtype, sizes))
    program = build("made", (x,), lambda b: [function(b, x)])
    check(program)
    ops = [getattr(stm.expr, "op", None) for stm in program.body.stms]
    return evaluate(program, [value])[0], program.result_types[0], [op for op in ops if isinstance(op, str)]


@pytest.mark.parametrize("value", FLOATS, ids=np.shape)
@pytest.mark.parametrize(("dtype", "name"), [(F64, "float64"), (F32, "float32")])
def test_floats(dtype: DType, name: str, value: np.ndarray) -> None:
    value = value.astype(name)
    found, type, ops = made(mark, dtype, value)
    weights = 0.5 + np.arange(value.size) * GOLDEN % 1.0
    expected = np.sum(weights * value.astype("float64").ravel()) if value.ndim else value
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    assert type == mark_type(Type(dtype)) == Type(F64)
    assert ops[-1] == "stop_gradient"
    found, type, ops = made(top, dtype, value)
    assert (found, type, ops[-1]) == (np.max(np.abs(value)), Type(F64), "stop_gradient")


@pytest.mark.parametrize("value", WHOLE, ids=np.shape)
@pytest.mark.parametrize(("dtype", "name"), [(I64, "int64"), (I32, "int32"), (BOOL, "bool")])
def test_whole_numbers(dtype: DType, name: str, value: np.ndarray) -> None:
    value = value.astype(name)
    found, type, ops = made(mark, dtype, value)
    weights = 1 + 2 * np.arange(value.size)
    assert found == (np.sum(weights * value.astype("int64").ravel()) if value.ndim else value)
    assert type == mark_type(Type(dtype)) == Type(I64)
    assert "stop_gradient" not in ops


@pytest.mark.parametrize("value", FLOATS, ids=np.shape)
def test_the_root_of_the_size(value: np.ndarray) -> None:
    assert made(root_of_size, F64, value)[0] == np.sqrt(value.size)


def test_what_is_of_the_right_type_is_not_converted() -> None:
    for dtype, value in ((F64, FLOATS[3]), (I64, WHOLE[3])):
        x = Var("x", Type(dtype, (Var("n", Type(I64)), Var("m", Type(I64)))))
        program = build("made", (x,), lambda b, x=x: [mark(b, x)])
        converted = [stm for stm in statements(program.body) if getattr(stm.expr, "op", "") == "convert"]
        assert len(converted) == (1 if dtype is F64 else 0)  # the place, for the weight
        assert np.isfinite(evaluate(program, [value])[0])
