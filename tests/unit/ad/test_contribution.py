"""The product of a partial and an adjoint: which zero wins over an infinity, and what needs no product."""

from math import inf, isnan, nan

import numpy as np
import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.local import contribution
from tapeless.ir.build import Builder, build
from tapeless.ir.eval import evaluate
from tapeless.ir.types import F64, Atom, Type, f64
from tapeless.ir.walk import fresh

FACTOR, ADJOINT = fresh("factor", Type(F64)), fresh("adjoint", Type(F64))

# Factor, adjoint, and their product: with neither zero winning, that of a masked adjoint, of a steep partial, and both.
PRODUCTS = (
    (2.0, 3.0, (6.0, 6.0, 6.0, 6.0)),
    (inf, 3.0, (inf, inf, inf, inf)),
    (inf, 0.0, (nan, 0.0, nan, 0.0)),
    (0.0, inf, (nan, nan, 0.0, 0.0)),
    (0.0, 0.0, (0.0, 0.0, 0.0, 0.0)),
    (nan, 0.0, (nan, 0.0, nan, 0.0)),
    (0.0, nan, (nan, nan, 0.0, 0.0)),
)
WAYS = ((False, False), (True, False), (False, True), (True, True))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("factor", "adjoint", "expected"), PRODUCTS)
def test_zeros_win_where_they_must(factor: float, adjoint: float, expected: tuple[float, ...]):
    for (masked, steep), product in zip(WAYS, expected, strict=True):

        def made(b: Builder, masked: bool = masked, steep: bool = steep) -> tuple[Atom]:
            found = contribution(b, FACTOR, ADJOINT, masked, steep)
            assert found is not None
            return (found,)

        with np.errstate(invalid="ignore"):
            (found,) = evaluate(build("f", (FACTOR, ADJOINT), made), [np.float64(factor), np.float64(adjoint)])
        assert found == product or (isnan(found) and isnan(product)), (masked, steep)


def test_factors_that_are_known():
    b = Builder()
    assert contribution(b, f64(0.0), ADJOINT, True, True) is None
    assert contribution(b, f64(1.0), ADJOINT, True, True) == ADJOINT
    assert not b.stms
    contribution(b, f64(-1.0), ADJOINT, False, False)
    contribution(b, f64(2.0), ADJOINT, False, False)
    assert [stm.expr.op for stm in b.stms] == ["neg", "mul"]  # type: ignore[union-attr]
