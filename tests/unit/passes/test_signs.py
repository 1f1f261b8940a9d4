"""Signs that can be told from how a float is made: true at every point, special values included."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import tapeless as tp
import tapeless.ops
from tapeless.ir.build import Builder
from tapeless.ir.core import Apply, Block, Function, Stm
from tapeless.ir.eval import evaluate
from tapeless.ir.types import F32, F64, Lit, Type
from tapeless.ir.walk import fresh
from tapeless.passes.signs import never_negative, never_zero

POINTS = (0.0, -0.0, 1.0, -2.5, 1e-200, -1e-200, 1e200, -1e200, math.inf, -math.inf, math.nan)


def made(*terms):
    """The last of some operations, with what they are made of: places are numbers of terms, x and y come first."""
    x, y = fresh("x", Type(F64)), fresh("y", Type(F64))
    build, atoms = Builder(), [x, y]
    for op, *args in terms:
        atoms.append(build.apply(op, *(Lit(a, F64) if isinstance(a, float) else atoms[a] for a in args)))
    defs = {stm.vars[0].name: stm.expr for stm in build.stms}
    return defs, atoms[-1], Function("f", (x, y), Block(tuple(build.stms), (atoms[-1],)))


SQUARES = (("mul", 0, 0), ("mul", 1, 1), ("add", 2, 3))
POSITIVE = [
    (*SQUARES, ("add", 4, 1e-6)),
    (*SQUARES, ("add", 1e-6, 4)),
    (*SQUARES, ("add", 4, 1e-6), ("sqrt", 5)),
    (("exp", 0), ("add", 2, 1.0)),
    (("cosh", 0),),
    (("abs", 0), ("add", 2, 3.0), ("abs", 3)),
    (("abs", 0), ("add", 2, 3.0), ("add", 3, 2)),
]
NOT_NEGATIVE = [
    SQUARES,
    (("exp", 0),),
    (("exp2", 0),),
    (("hypot", 0, 1),),
    (("mul", 0, 0), ("sqrt", 2), ("mul", 2, 3)),
    (("abs", 0), ("exp", 1), ("min", 2, 3)),
    (("abs", 0), ("max", 2, 0.0)),
]
UNKNOWN = [
    (("add", 0, 1e-6),),
    (("mul", 0, 1), ("add", 2, 1e-6)),
    (("mul", 0, 0), ("sub", 2, 1e-6)),
    (("mul", 0, 0), ("add", 2, -1e-6)),
    (("max", 0, -1.0),),
    (("neg", 0),),
    (("mul", 0, 0), ("sqrt", 2), ("div", 2, 3), ("neg", 4)),
]


@pytest.mark.parametrize("terms", [*POSITIVE, *NOT_NEGATIVE])
def test_what_is_said_is_true_at_every_point(terms):
    defs, last, function = made(*terms)
    assert never_negative(defs, last)
    assert never_zero(defs, last) is (terms in POSITIVE)
    with np.errstate(all="ignore"):
        values = [evaluate(function, point)[0] for point in product(POINTS, POINTS)]
    assert not any(value < 0 or (terms in POSITIVE and value == 0) for value in values)


@pytest.mark.parametrize("terms", UNKNOWN)
def test_nothing_is_said_of_others(terms):
    defs, last, _ = made(*terms)
    assert not never_zero(defs, last)
    assert not never_negative(defs, last)


def test_inputs_and_small_literals_are_not_positive():
    assert not never_zero({}, fresh("x", Type(F64)))
    assert not never_zero({}, Lit(0.0, F64))
    assert never_negative({}, Lit(0.0, F64))
    assert not never_negative({}, Lit(-1.0, F64))
    assert not never_zero({}, Lit(1e-40, F32))
    assert never_zero({}, Lit(2.0**-126, F32))


def test_long_chains_are_not_followed_to_their_end():
    defs, last, _ = made(("mul", 0, 0), *(("add", 2 + k, 1.0) for k in range(7)))
    assert never_zero(defs, last)
    defs, last, _ = made(("mul", 0, 0), *(("add", 2 + k, 1.0) for k in range(9)))
    assert not never_zero(defs, last)


def asks_for_zero(function, *args):
    def inside(block):
        for stm in block.stms:
            assert isinstance(stm, Stm)
            if isinstance(stm.expr, Apply) and stm.expr.op == "eq":
                yield stm

    return bool(list(inside(tp.grad(function).lower(*args).ir.body)))


def test_roots_of_what_is_never_zero_need_no_test():
    assert not asks_for_zero(lambda x, y: np.sqrt(x * x + y * y + 1e-6), 1.0, 2.0)
    assert asks_for_zero(lambda x, y: np.sqrt(x * x + y * y), 1.0, 2.0)
    assert tp.grad(lambda x, y: np.sqrt(x * x + y * y))(0.0, 0.0) == 0.0
