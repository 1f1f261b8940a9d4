"""Prints what a call costs: python tests/unit/runtime/overhead.py (a script, not a test)."""

from __future__ import annotations

import time
import timeit

import numpy as np
from runtime_kernels import SCALE, SQUARES, builtin, echo

from tapeless.config import config
from tapeless.runtime.call import call_prepared
from tapeless.runtime.dispatch import dispatch
from tapeless.runtime.signature import ANY, Param, Result, Signature

VECTOR = Param("array", "f64", (ANY,))
WRITTEN = Param("array", "f64", (ANY,), written=True)
NOTHING = "define i64 @kernel(ptr %args, ptr %results, ptr %fault) {\n ret i64 0\n}"
SCALE_SIGNATURE = Signature((VECTOR, Param("float", "f64")), (Result("array", "f64", 1),), (0,))


def show(name, call, number=100_000):
    best = min(timeit.repeat(call, number=number, repeat=5)) / number
    print(f"{name:<44}{best * 1e9:8.0f} ns")


def main():
    x, y, z = np.arange(8.0), np.arange(8.0), np.arange(8.0)
    strided = np.arange(16.0)[::2]
    nothing = builtin(Signature((VECTOR,) * 3, (), ()), NOTHING)
    writing = builtin(Signature((WRITTEN, VECTOR, VECTOR), (), ()), NOTHING)
    scale = builtin(SCALE_SIGNATURE, SCALE)
    number = builtin(Signature((Param("float", "f64"),), (Result("float", "f64"),), (0,)), echo(1))
    squares = builtin(Signature((Param("int", "i64"),), (Result("array", "i64", 1),), (0,)), SQUARES)
    entered, entered_scale = (dispatch(config.current, [way], print) for way in (nothing, scale))
    show("empty lambda (part of every line below)", lambda: None)
    show("three arrays", lambda: nothing(x, y, z))
    show("three arrays, one written", lambda: writing(x, y, z))
    show("float to float", lambda: number(2.0))
    show("array and float to array", lambda: scale(x, 2.0))
    show("a miss", lambda: nothing(x, y, 1.0))
    show("three arrays, as a compiled function", lambda: entered(x, y, z))
    show("array to array, as a compiled function", lambda: entered_scale(x, 2.0))
    show("prepared: a strided array", lambda: call_prepared(SCALE_SIGNATURE, scale, (strided, 2.0)), 10_000)
    show("for scale: np.add(x, y, out=z)", lambda: np.add(x, y, out=z))
    with config(threads=1):
        show("region of 16 blocks on one thread", lambda: squares(16))
    with config(threads=2):
        show("region of 16 blocks on two, spinning", lambda: squares(16))
        show("region on two, asleep (with a 1 ms pause)", lambda: (time.sleep(0.001), squares(16)), 300)


if __name__ == "__main__":
    main()
