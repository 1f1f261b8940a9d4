"""Compiled code against the interpreter: every kind of node, in lanes, in blocks, as scalar code."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.backend import cpu, native
from tapeless.backend.target import Options
from tapeless.ir.check import check
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function

from .codegen_programs import PROGRAMS, Program

OPTIONS = {
    "auto": Options(),
    "lanes and threads everywhere": Options(lanes="always", block=8, threads_from=0),
    "scalar": Options(lanes="never"),
}
SIZES = (0, 1, 2, 7, 8, 9, 37)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_agrees_with_the_interpreter(program: Program, options: Options) -> None:
    function = parse_function(program.text)
    check(function)
    loaded = cpu.load(cpu.compile(function, options=options))
    for n in SIZES:
        args = program.arguments(np.random.default_rng(n), n)
        expected = evaluate(function, [np.array(arg) if isinstance(arg, np.ndarray) else arg for arg in args])
        for found, wanted in zip(cpu.run(loaded, function, args), expected, strict=True):
            assert_close(found, wanted)


def assert_close(found: Any, wanted: Any) -> None:
    assert np.asarray(found).dtype == np.asarray(wanted).dtype
    assert np.shape(found) == np.shape(wanted)
    tolerance = 1e-4 if np.asarray(wanted).dtype == np.float32 else 1e-12
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_threads_change_no_bit(program: Program) -> None:
    function = parse_function(program.text)
    loaded = cpu.load(cpu.compile(function, options=Options(block=64, threads_from=0)))
    args = program.arguments(np.random.default_rng(5), 999)
    set_threads = ctypes.CFUNCTYPE(None, ctypes.c_int64)(native.symbols()["tp_set_threads"])
    outcomes: list[list[bytes]] = []
    try:
        for threads in (1, 2, 3):
            set_threads(threads)
            outcomes.append([np.asarray(result).tobytes() for result in cpu.run(loaded, function, args)])
    finally:
        set_threads(1)
    assert outcomes[0] == outcomes[1] == outcomes[2]
