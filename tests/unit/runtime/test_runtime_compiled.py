"""A program of the IR, compiled and called from Python: results, faults, threads, interrupts."""

from __future__ import annotations

import signal
import threading
import time

import numpy as np
import pytest

import tapeless.ops  # noqa: F401  (registers the operations)
from tapeless.backend import cpu
from tapeless.config import config
from tapeless.ir.build import Builder
from tapeless.ir.core import Function, Pos
from tapeless.ir.types import F64, I64, Type, Var, f64, i64
from tapeless.runtime import host
from tapeless.runtime.call import bind
from tapeless.runtime.faults import Site, raiser
from tapeless.runtime.signature import Param, Result, Signature, dims

N = Var("n", Type(I64))
X = Var("x", Type(F64, (N,)))
K = Var("k", Type(I64))
(SIZES,) = dims([("n",)])


def builtin(function: Function, signature: Signature):
    loaded = cpu.load(cpu.compile(function))
    sites = [Site.decode(site, function.name) for site in loaded.meta["sites"]]
    return bind(signature, loaded.address, raiser(sites), loaded)


def test_map_and_reduce():
    b = Builder()
    (doubled,) = b.map_(N, lambda b, i: (b.apply("mul", b.apply("index", X, i), f64(2.0)),))
    (total,) = b.reduce(N, "add", (f64(0.0),), lambda b, i: (b.apply("index", X, i),))
    function = Function("f", (X,), b.block((doubled, total)))
    f = builtin(
        function,
        Signature((Param("array", "f64", SIZES),), (Result("array", "f64", 1), Result("float", "f64")), (0, 1)),
    )
    live = host.memory().live_blocks
    for size in (0, 2, 7, 1000, 300_000):
        x = np.arange(float(size))
        for threads in (1, 3):
            with config(threads=threads):
                array, total = f(x)
            np.testing.assert_array_equal(array, 2 * x)
            assert total == x.sum()
    del array
    assert host.memory().live_blocks == live


def test_fault_carries_the_users_line(tmp_path):
    source = tmp_path / "user.py"
    source.write_text("def pick(x, k):\n    return x[k]\n")
    b = Builder(Pos(str(source), 2, 11, 2, 15))
    b.check("bounds", K, N)
    function = Function("pick", (X, K), b.block((b.apply("index", X, K),)))
    params = (Param("array", "f64", SIZES), Param("int", "i64"))
    pick = builtin(function, Signature(params, (Result("scalar", "f64"),), (0,)))
    assert pick(np.arange(5.0), 3) == 3.0
    with pytest.raises(IndexError, match=r"index 10 is out of bounds for axis 0 with size 5") as caught:
        pick(np.arange(5.0), 10)
    assert "    2 | return x[k]" in str(caught.value)
    assert "in pick" in str(caught.value)


def test_interrupt_of_compiled_code():
    b = Builder()
    (end,) = b.while_((i64(0),), lambda b, k: (b.apply("ge", k, i64(0)),), lambda b, k: (b.apply("add", k, i64(1)),))
    function = Function("forever", (), b.block((end,)))
    forever = builtin(function, Signature((), (Result("int", "i64"),), (0,)))
    timer = threading.Timer(0.2, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        forever()
    assert time.monotonic() - begin < 5
