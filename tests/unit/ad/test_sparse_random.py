"""Patterns of random programs over the whole language: every entry that differs from zero anywhere is in the pattern.

The pattern is found by the reference interpreter; Jacobians come from forward mode at the program's own arguments and
at points far from them, where other arms are taken and other indices computed.
"""

import numpy as np
import pytest

from tapeless.ad.compressed import pattern_words
from tapeless.ad.functions import jvp_function
from tapeless.ad.prepare import prepare
from tapeless.errors import DerivativeError, TapelessError
from tapeless.ir.build import Builder
from tapeless.ir.check import check
from tapeless.ir.core import Block, Function
from tapeless.ir.eval import evaluate, interpreter
from tapeless.ir.types import I64, Lit, Type, Var
from tapeless.passes.notes import Notes
from tapeless.testing.generate import random_program
from tapeless.testing.profile import SMOOTH

CHUNK = 12
POINTS = 3


@pytest.mark.parametrize("start", range(0, 48, CHUNK))
def test_nonzeros_are_in_the_pattern(start):
    judged = sum(contains_all_nonzeros(seed) for seed in range(start, start + CHUNK))
    assert judged > CHUNK // 3  # the others fail a check, or have arrays whose size depends on the inputs


def contains_all_nonzeros(seed):
    """Judge one program; how many points could be judged?"""
    function, args = random_program(seed, profile=SMOOTH)
    function = with_known_sizes(prepare(function, Notes()))
    active = [k for k, param in enumerate(function.params) if param.type.dtype.is_float]
    try:
        pattern = find_pattern(function, args, active)
        push = interpreter(jvp_function(function, active))
    except DerivativeError:
        return False
    except Exception as error:
        if isinstance(error, TapelessError):
            raise
        return False  # the program's own exception
    if not pattern.size:
        return False
    rng = np.random.default_rng(seed)
    judged = 0
    for point in range(POINTS):
        there = [moved(rng, arg) if point and k in active else arg for k, arg in enumerate(args)]
        try:
            jacobian = dense(push, function, there, active)
        except Exception as error:
            if isinstance(error, TapelessError):
                raise
            continue
        missing = (jacobian != 0) & ~np.isnan(jacobian) & ~pattern
        assert not missing.any(), f"seed {seed}, point {point}: {np.argwhere(missing)[:5]}"
        judged += 1
    return judged > 0


def with_known_sizes(function):
    """The function without results whose size it computes."""
    known = set(function.sizes)
    results = [r for r in function.body.results if all(isinstance(n, Lit) or n in known for n in r.type.shape)]
    return Function(function.name, function.params, Block(function.body.stms, tuple(results)))


def find_pattern(function, args, active):
    floats = tuple(result for result in function.body.results if result.type.dtype.is_float)
    first, count = Var("first", Type(I64)), Var("count", Type(I64))
    b = Builder()
    words = pattern_words(b, Block(function.body.stms, floats), [function.params[k] for k in active], first, count)
    program = Function("pattern", (*function.params, first, count), b.block(words))
    check(program)
    inputs = sum(np.size(args[k]) for k in active)
    found = evaluate(program, [*args, 0, -(-inputs // 64)])
    bits = [(word[..., None] >> np.arange(64)) & 1 for word in found]
    rows = [np.moveaxis(bit, 0, -2).reshape(np.prod(bit.shape[1:-1], dtype=int), bit.shape[0] * 64) for bit in bits]
    return np.concatenate([row[:, :inputs] for row in rows] or [np.zeros((0, inputs))]) == 1


def dense(push, function, args, active):
    """The Jacobian, column by column."""
    columns = []
    for k in active:
        for place in range(np.size(args[k])):
            dots = [np.zeros_like(np.asarray(args[j])) for j in active]
            dots[active.index(k)].reshape(-1)[place] = 1
            tangents = push([*args, *(x_dot[()] for x_dot in dots)])[len(function.body.results) :]
            columns.append(np.concatenate([np.ravel(tangent) for tangent in tangents] or [np.zeros(0)]))
    return np.stack(columns, axis=1)


def moved(rng, arg):
    array = np.asarray(arg)
    return (array + rng.normal(size=array.shape)).astype(array.dtype)[()]
