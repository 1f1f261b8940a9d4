"""Programs on which other tools give wrong gradients without a word: ours are right, or refused with the reason."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import tapeless as tp

from . import programs_arrays, programs_loops
from .catalogue import TRAPS, Trap

assert programs_arrays
assert programs_loops
RIGHT = [trap for trap in TRAPS if trap.refused is None]
WRONG = [trap for trap in TRAPS if trap.refused is not None]


def same(found: Any, expected: Any) -> None:
    single = np.asarray(expected).dtype == np.float32
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=2e-6 if single else 1e-12, atol=1e-14)
    if single:
        assert np.asarray(found).dtype == np.float32


@pytest.mark.parametrize("trap", RIGHT, ids=lambda trap: trap.name)
@pytest.mark.parametrize("verb", [tp.grad, tp.jacfwd], ids=["reverse", "forward"])
def test_the_gradient_is_right(trap: Trap, verb: Any) -> None:
    args = copy.deepcopy(trap.args)
    for found, expected in zip(verb(trap.function, argnums=trap.argnums)(*args), trap.gradient, strict=True):
        same(found, expected)
    for before, after in zip(trap.args, args, strict=True):
        np.testing.assert_array_equal(before, after)  # arguments are never written


@pytest.mark.parametrize("trap", WRONG, ids=lambda trap: trap.name)
def test_it_is_refused(trap: Trap) -> None:
    assert trap.refused is not None
    with pytest.raises(trap.refused):
        tp.grad(trap.function, argnums=trap.argnums[0])(*trap.args)


def test_there_are_about_sixty() -> None:
    assert len(TRAPS) >= 60
