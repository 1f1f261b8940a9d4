"""States that were kept are compared with those that come back, the last one first, each with all of its values."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.checkpoints import Slots
from tapeless.ad.kept import Kept
from tapeless.ad.near import DRIFT, DUST
from tapeless.ir.build import Builder, build
from tapeless.ir.check import check
from tapeless.ir.core import Function
from tapeless.ir.eval import evaluate
from tapeless.ir.types import F64, I64, Type, Var, i64

N, M, ROOM = (Var(name, Type(I64)) for name in ("n", "m", "room"))
USED, AT = Var("used", Type(I64)), Var("at", Type(I64, (ROOM,)))
FLOATS, WHOLE = Var("floats", Type(F64, (ROOM, N))), Var("whole", Type(I64, (ROOM,)))
VALUE, KEY, SETTLED = Var("value", Type(F64, (N,))), Var("key", Type(I64)), Var("settled", Type(F64, (M,)))
LAST, I, WRONG, PASSED = Var("last", Type(F64, (N,))), *(Var(name, Type(I64)) for name in ("i", "wrong", "passed"))


def comparing() -> Function:
    """An array that is settled belongs to no state, and stands between those that do."""
    witness = Kept(Slots((None, [], None), ROOM, (USED, AT, FLOATS, WHOLE)))
    assert witness.start() == (i64(0), i64(0))
    params = (USED, AT, FLOATS, WHOLE, VALUE, SETTLED, KEY, LAST, I, WRONG, PASSED)

    def body(b: Builder):
        dust = witness.dust(b, (LAST, SETTLED, KEY))
        assert dust.keys() == {0}
        return witness.compared(b, I, (VALUE, SETTLED, KEY), (WRONG, PASSED), dust)

    function = build("compared", params, body)
    check(function)
    return function


COMPARED = comparing()
PLACES = np.array([2, 5, 11, 17, 0, 0])  # there is room for two states more
USED_ROWS = 4
STATES = np.array([[1.0, -3.0], [20.0, 1.0], [-400.0, 5.0], [7.0, 8000.0], [1e9, 1e9], [1e9, 1e9]])
KEYS = np.array([3, 1, 4, 1, 5, 9])


def compared(i: int, passed: int, error: float = 0.0, key: int = 0, last: float = 0.0) -> tuple[int, int]:
    """What is carried after the state before iteration i came back with this error; three were wrong before."""
    row = max(USED_ROWS - 1 - passed, 0)
    value = STATES[row] + np.array([0.0, error])
    args = [USED_ROWS, PLACES, STATES, KEYS, value, np.array([np.nan]), KEYS[row] + key, np.array([-last, 0.0])]
    wrong, after = evaluate(COMPARED, [*args, i, 3, passed])
    return int(wrong), int(after)


@pytest.mark.parametrize("passed", range(USED_ROWS))
def test_a_state_that_was_kept_is_compared_and_passed(passed: int) -> None:
    """To within what the largest number there or in the next state kept allows."""
    row = USED_ROWS - 1 - passed
    i = int(PLACES[row])
    most = DRIFT[F64] * max(np.max(np.abs(STATES[k])) for k in (row, min(row + 1, USED_ROWS - 1)))
    for sign in (1.0, -1.0):
        assert compared(i, passed, sign * 0.98 * most) == (3, passed + 1)
        assert compared(i, passed, sign * 1.02 * most) == (4, passed + 1)
        assert compared(i, passed, key=int(sign)) == (4, passed + 1)
    # Of numbers that were much larger in the end rounding leaves dust.
    last = 2e4 / DUST[F64] * most
    assert compared(i, passed, 1.9e4 * most, last=last) == (3, passed + 1)
    assert compared(i, passed, 2.1e4 * most, last=last) == (4, passed + 1)


def test_other_states_are_not_compared() -> None:
    for passed in range(USED_ROWS):
        for i in range(20):
            if i != PLACES[USED_ROWS - 1 - passed]:
                assert compared(i, passed, 1e6, 7) == (3, passed)


def test_before_the_first_state_nothing_is_left_to_compare() -> None:
    for i in (0, 1):
        assert compared(i, USED_ROWS, 1e6, 7) == (3, USED_ROWS)
