"""Which contributions of a winner are to all of its row."""

from collections.abc import Sequence

import pytest

from tapeless.ad import extremes
from tapeless.ad.adjoints import Deposit, Entry, Span
from tapeless.ir.types import F64, I64, Atom, Type, Var, i64

WHICH, OTHER, M, N, D = (Var(name, Type(I64)) for name in ("which", "other", "m", "n", "d"))
ZERO, ONE, THREE = i64(0), i64(1), i64(3)


@pytest.mark.parametrize(
    ("shape", "entries", "row"),
    [
        ((M,), (WHICH,), True),
        ((M,), (), False),
        ((M,), (OTHER,), False),
        ((N,), (WHICH,), False),
        ((M, D), (WHICH,), True),
        ((M, D), (), False),
        ((M, D), (WHICH, Span(ZERO, D, ONE)), True),
        ((M, D), (WHICH, Span(ZERO, N, ONE)), True),  # a part of unknown length may be all
        ((M, D), (WHICH, Span(ZERO, THREE, ONE)), False),
        ((M, THREE), (WHICH, Span(ZERO, THREE, ONE)), True),
        ((M, THREE), (WHICH, Span(ZERO, ONE, ONE)), False),
        ((M, D), (WHICH, ONE), False),
        ((M, D), (WHICH, OTHER), False),
        ((M, D, THREE), (WHICH, Span(ZERO, D, ONE), Span(ZERO, THREE, ONE)), True),
        ((M, D, THREE), (WHICH, Span(ZERO, D, ONE), ONE), False),
        ((M, THREE, D), (WHICH, ONE, Span(ZERO, D, ONE)), False),
    ],
)
def test_rows(shape: Sequence[Atom], entries: Sequence[Entry], row: bool):
    deposit = Deposit(Var("x", Type(F64, tuple(shape))), tuple(entries), Var("x_adj", Type(F64)))
    assert extremes._is_row(deposit, WHICH, M) is row
