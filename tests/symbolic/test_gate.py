"""The numeric gate compares numbers as NumPy does."""

from __future__ import annotations

from itertools import product
from math import inf, nan

import numpy as np

from tapeless.ir.types import F32, F64, Type, Var
from tapeless.symbolic import gate

NUMBERS = (0.0, -0.0, 1.0, 1.0 + 1e-10, 1.0 + 1e-3, -1.0, 1e-9, 3e-9, 1e300, -1e308, 1e308, inf, -inf, nan)


def test_numbers_are_close_where_numpy_says_so() -> None:
    for dtype, scalar, bound in ((F64, np.float64, 1e-9), (F32, np.float32, 2e-3)):
        var = Var("x", Type(dtype))
        with np.errstate(all="ignore"):
            for wanted, found in product(map(scalar, NUMBERS), repeat=2):
                expected = bool(np.allclose(found, wanted, rtol=bound, atol=bound, equal_nan=True))
                assert gate._same(wanted, found, var) is expected, (wanted, found)
