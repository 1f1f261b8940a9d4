"""Compiled code against the interpreter: every kind of node, in lanes, in blocks, as scalar code."""

from __future__ import annotations

import ctypes
import re
from typing import Any

import numpy as np
import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.backend import cpu, native
from tapeless.backend.target import Options
from tapeless.ir.check import check
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.types import F64

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


ANGLES = """
def f(x.1: f64[n.0]) {
  y.9: f64[n.0] = map n.0 (i.2: i64) {
    a.3: f64 = index x.1 i.2
    s.4: f64 = sin a.3
    c.5: f64 = cos a.3
    t.6: f64 = tan a.3
    p.7: f64 = mul s.4 c.5
    q.8: f64 = add p.7 t.6
    return q.8
  }
  return y.9
}
"""


def test_functions_of_one_angle_share_its_reduction_and_its_branch() -> None:
    function = parse_function(ANGLES)
    text = cpu.emit(function, options=Options(lanes="always"))
    width = cpu.host().lanes([F64])
    assert len(re.findall(rf"= call [^@]*@tp.far_angles.f64.w{width}\(", text)) == 1
    x = np.array([0.5, -3.0, 2.0**40, 1e300, -1e22, 0.0, 7.0, 2.0**30, -(2.0**31), 3.0] * 3)
    loaded = cpu.load(cpu.compile(function, options=Options(lanes="always")))
    np.testing.assert_allclose(cpu.run(loaded, function, [x])[0], evaluate(function, [x])[0], rtol=1e-12)


def test_vectors_on_the_stack_do_not_cross_lines_of_the_cache() -> None:
    text = cpu.emit(parse_function(ANGLES), options=Options(lanes="always"))
    assert f"nounwind alignstack({cpu.host().vector_bytes})" in text
