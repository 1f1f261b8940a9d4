"""Where an array was written, its adjoint before that is zero until something is added there, which takes its place."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ad.functions import vjp_function
from tapeless.ad.prepare import prepare
from tapeless.front.capture import lower, specialise
from tapeless.ir.core import Apply
from tapeless.ir.walk import statements
from tapeless.passes import dce
from tapeless.passes.notes import Notes
from tapeless.testing import check_grads


def inside(x, y):
    """Interior += something: the adjoint of x is what it was."""
    x = x * 1.0
    x[1:-1] += np.sin(y[1:-1])
    return np.sum(x * x)


def scaled(x, y):
    x = x * 1.0
    x[1:-1] = 0.5 * x[1:-1] + y[1:-1]
    return np.sum(x * x)


def shifted(x, y):
    """Read elsewhere than written: zeros where it was written, and something added beside."""
    x = x * 1.0
    x[1:-1] = x[2:] * y[1:-1]
    return np.sum(x * x)


def both(x, y):
    """Read where it is written and beside: the first of the two fills what is empty, the second is added."""
    x = x * 1.0
    x[1:-1] = x[1:-1] * y[1:-1] + 0.5 * x[2:] - 0.25 * x[:-2]
    return np.sum(x * x)


def beside_first(x, y):
    x = x * 1.0
    old = x * 1.0
    x[1:-1] = 0.5 * old[2:]
    x[1:-1] += old[1:-1] * y[1:-1]
    return np.sum(x * x * y) + np.sum(old[3:-3])


def overlapping(x, y):
    x = x * 1.0
    x[1:6] = 0.5 * x[1:6] + y[1:6]
    x[3:8] = x[3:8] * y[:5]
    x[3:8] = np.sin(x[3:8])
    return np.sum(x * x)


def elements(x, y):
    x = x * 1.0
    x[2] = x[2] * y[2]
    x[2] += y[3]
    x[3] = x[2] * x[3]
    return np.sum(x * x)


def every_other(x, y):
    x = x * 1.0
    x[::2] = x[::2] * y[::2] + x[1::2]
    x[::-1] += y
    return np.sum(x * x)


def whole(x, y):
    x = x * 1.0
    x[:] = x * y
    x[:] += y
    return np.sum(x * x)


def in_a_branch(x, y):
    x = x * 1.0
    if y[0] > 0.0:
        x[1:-1] = x[1:-1] * y[1:-1]
    else:
        x[1:-1] += y[1:-1]
    x[1:-1] += np.sin(y[1:-1])
    return np.sum(x * x)


def in_a_loop(x, y):
    x = x * 1.0
    for k in range(3):
        x[1:-1] += np.sin(x[2:] * y[1:-1]) * k
        x[k] = x[k] * y[k]
    return np.sum(x * x)


def in_maps(x, y):
    m = np.outer(x, y)
    for k in range(len(y)):
        row = m[k].copy()
        row[k:] = row[k:] * y[k:] + 1.0
        row[0] += y[k]
        m[k] = row
    return np.sum(m * m)


PROGRAMS = (
    inside, scaled, shifted, both, beside_first, overlapping, elements, every_other, whole, in_a_branch, in_a_loop,
    in_maps,
)  # fmt: skip


def fields():
    rng = np.random.default_rng(4)
    return rng.normal(size=8), rng.normal(size=8)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients(program, sign):
    x, y = fields()
    assert check_grads(program, x, sign * y).kind == "ok"


def operations(program):
    """How often the derivative reads rows, writes parts, and begins with zeros."""
    jitted = tp.jit(program)
    call = specialise(jitted.parameters, fields(), {}, static_shapes=False)
    found = prepare(lower(jitted.parameters, call.specs, None, 1).function, Notes())
    found = dce.run(vjp_function(found, [0, 1]), Notes())
    ops = [stm.expr.op for stm in statements(found.body) if isinstance(stm.expr, Apply)]
    return {op: ops.count(op) for op in ("update_slice", "replicate")}


def test_what_stays_is_not_written_again():
    """A write in the program; y has an adjoint of zeros, of which a part is written."""
    assert operations(inside) == {"update_slice": 2, "replicate": 1}


def test_what_is_emptied_and_filled_is_written_once():
    assert operations(scaled) == {"update_slice": 3, "replicate": 1}
    assert operations(shifted) == {"update_slice": 5, "replicate": 2}
