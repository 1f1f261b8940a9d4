"""Sums of arrays in lanes: products of rows with scalars, and parts that each iteration adds at a place of its own."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.backend import cpu, native
from tapeless.backend.apart import split
from tapeless.backend.outer import factors
from tapeless.backend.target import Options
from tapeless.ir.check import check
from tapeless.ir.core import Reduce
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function

from .test_codegen import OPTIONS, assert_close


def _zero(dtype: str) -> str:
    return "0.0f32" if dtype == "f32" else "0.0"


def _summed(rows: int | str, columns: int | str, body: str, result: str, dtype: str = "f64") -> str:
    """A program that adds up what `body` makes of row i of x."""
    shape = f"{dtype}[{rows}, {columns}]"
    return f"""
def summed(x: {dtype}[n, {columns}]) {{
  z: {shape} = replicate {_zero(dtype)} {rows} {columns}
  s: {shape} = reduce n [z] (a: {shape}, b: {shape}) {{
    t: {shape} = map {rows} (k: i64) {{
      p: {dtype}[{columns}] = index a k
      q: {dtype}[{columns}] = index b k
      r: {dtype}[{columns}] = map {columns} (j: i64) {{
        u: {dtype} = index p j
        v: {dtype} = index q j
        w: {dtype} = add u v
        return w
      }}
      return r
    }}
    return t
  }} (i: i64) {{
{body}
    return {result}
  }}
  return s
}}
"""


def _outer(rows: int | str, columns: int | str, size: str, dtype: str = "f64", order: str = "e f") -> str:
    """Row r of the sum gets f(r) times the first elements of what lanes keep of a row."""
    body = f"""
    y: {dtype}[{columns}] = map {columns} (j1: i64) {{
      e0: {dtype} = index x i j1
      e1: {dtype} = sin e0
      return e1
    }}
    o: {dtype}[{rows}, {columns}] = map {rows} (r1: i64) {{
      g: {dtype} = index x i 0
      h: {dtype} = convert[{dtype}] r1
      f: {dtype} = mul g h
      l: i64 = min r1 2
      m: {dtype}[{size}] = map {size} (j2: i64) {{
        e: {dtype} = index y j2
        d: {dtype} = mul {order}
        return d
      }}
      y0: {dtype}[{columns}] = replicate {_zero(dtype)} {columns}
      y1: {dtype}[{columns}] = update_slice y0 m 0 1
      return y1
    }}"""
    return _summed(rows, columns, body, "o", dtype)


MASKED = _summed(
    9,
    12,
    """
    y: f64[12] = map 12 (j1: i64) {
      e0: f64 = index x i j1
      e1: f64 = sin e0
      return e1
    }
    f: f64 = index x i 0
    c: bool = gt f 0.0
    o: f64[9, 12] = map 9 (r1: i64) {
      m: f64[12] = if c {
        m1: f64[12] = map 12 (j2: i64) {
          e: f64 = index y j2
          d: f64 = mul e f
          return d
        }
        return m1
      } else {
        m2: f64[12] = map 12 (j3: i64) {
          e2: f64 = index y j3
          return e2
        }
        return m2
      }
      return m
    }""",
    "o",
)

# Each row has an x of its own, which is made with it.
OWN = _summed(
    12,
    9,
    """
    o: f64[12, 9] = map 12 (r1: i64) {
      y: f64[9] = map 9 (j1: i64) {
        e0: f64 = index x i j1
        h: f64 = convert[f64] r1
        e1: f64 = add e0 h
        return e1
      }
      f: f64 = index x i 0
      m: f64[9] = map 9 (j2: i64) {
        e: f64 = index y j2
        d: f64 = mul e f
        return d
      }
      return m
    }""",
    "o",
)

KEY = """
    g: f64 = index x i 0
    h: f64 = mul g 3.0
    k0: f64 = abs h
    k1: i64 = convert[i64] k0
    key: i64 = min k1 6"""
ROW = """
      e: f64 = index x i j1
      d: f64 = mul e h
      return d
    }"""
PLACED = _summed(
    7, 12, f"{KEY}\n    row: f64[12] = map 12 (j1: i64) {{{ROW}\n    o: f64[7, 12] = update z row key", "o"
)
TWICE = _summed(
    7,
    12,
    f"{KEY}\n    row: f64[12] = map 12 (j1: i64) {{{ROW}\n    o1: f64[7, 12] = update z row key\n"
    "    o2: f64[7, 12] = accumulate o1 row 2\n    o: f64[7, 12] = accumulate o2 h key 3",
    "o",
)
BRANCH = _summed(
    7,
    12,
    f"""{KEY}
    elements: f64[3] = stack g h k0
    c: bool = lt g 0.9
    o: f64[7, 12] = if c {{
      part: f64[12] = index x i
      row: f64[12] = map 12 (j1: i64) {{
        e: f64 = index part j1
        d: f64 = mul e h
        return d
      }}
      o1: f64[7, 12] = update z row key
      return o1
    }} else {{
      o2: f64[7, 12] = map 7 (r2: i64) {{
        two: i64 = min r2 2
        w2: f64 = index elements two
        o3: f64[12] = map 12 (j3: i64) {{
          e3: f64 = index x i j3
          d3: f64 = add e3 w2
          return d3
        }}
        return o3
      }}
      return o2
    }}""",
    "o",
)
# More than fits on the stack: the accumulator is in a buffer.
LARGE = BRANCH.replace("[7, 12]", "[70, 12]").replace("7 12", "70 12").replace("map 7 ", "map 70 ")
PROGRAMS = {
    "triangle": _outer(12, 12, "r1"),
    "odd": _outer(7, 13, "11"),
    "singles": _outer(9, 19, "r1", "f32"),
    "turned": _outer(5, 8, "8", order="f e"),
    "computed": _outer(5, 8, "l"),
    "tall": _outer(40, 16, "16"),
    "long": _outer(16, 27, "27"),
    "shorter": _outer(17, 27, "19"),
    "triangle of singles": _outer(24, 24, "r1", "f32"),
    "computed of many": _outer(18, 8, "l"),
    "rows made with them": OWN,
    "masked": MASKED,
    "placed": PLACED,
    "twice": TWICE,
    "branch": BRANCH,
    "large": LARGE,
}


def _data(text: str, n: int) -> np.ndarray:
    function = parse_function(text)
    (x,) = function.params
    rng = np.random.default_rng(n)
    return rng.normal(size=(n, int(x.type.shape[1].value))).astype(np.float32 if "f32" in text else np.float64)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_agrees_with_the_interpreter(text: str, options: Options) -> None:
    function = parse_function(text)
    check(function)
    loaded = cpu.load(cpu.compile(function, options=options))
    for n in (0, 1, 7, 8, 33, 100):
        x = _data(text, n)
        (expected,) = evaluate(function, [x.copy()])
        (found,) = cpu.run(loaded, function, [x])
        if "f32" in text:
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
        else:
            assert_close(found, expected)


@pytest.mark.parametrize("size", ["r1", "dim"])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_rows_of_any_length(options: Options, size: str) -> None:
    function = parse_function(_outer("dim", "dim", size))
    loaded = cpu.load(cpu.compile(function, options=options))
    for d in (1, 2, 7, 8, 9, 16, 27):
        x = np.random.default_rng(d).normal(size=(21, d))
        (expected,) = evaluate(function, [x.copy()])
        (found,) = cpu.run(loaded, function, [x])
        assert_close(found, expected)


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_threads_change_no_bit(text: str) -> None:
    function = parse_function(text)
    loaded = cpu.load(cpu.compile(function, options=Options(block=64, threads_from=0)))
    x = _data(text, 301)
    set_threads = ctypes.CFUNCTYPE(None, ctypes.c_int64)(native.symbols()["tp_set_threads"])
    outcomes: list[bytes] = []
    try:
        for threads in (1, 2, 3):
            set_threads(threads)
            outcomes.append(np.asarray(cpu.run(loaded, function, [x])[0]).tobytes())
    finally:
        set_threads(1)
    assert outcomes[0] == outcomes[1] == outcomes[2]


@pytest.mark.parametrize("name", ["placed", "twice", "branch", "large", "triangle"])
def test_which_bodies_are_taken_apart(name: str) -> None:
    (stm,) = [s for s in parse_function(PROGRAMS[name]).body.stms if isinstance(s.expr, Reduce)]
    assert isinstance(stm.expr, Reduce)
    parts = split(stm.expr)
    assert (parts is None) == (name == "triangle")
    if parts is not None:
        assert (parts.usual is not None) == (name in ("branch", "large"))


def test_rows_of_products_are_known() -> None:
    assert [var.name for var in factors(parse_function(PROGRAMS["triangle"]))] == ["y"]
    assert not factors(parse_function(PLACED))


def _is_shuffled(program: str) -> bool:
    text = cpu.emit(parse_function(program), options=Options(lanes="always"))
    return "poison, <8 x i32> splat (i32 1)" in text or "poison, <4 x i32> splat (i32 1)" in text


def test_products_are_added_lane_by_lane() -> None:
    """A lane's factor in all lanes meets that lane's own row."""
    for program, expected in ((_outer(3, 12, "11"), True), (MASKED, False)):
        assert _is_shuffled(program) == expected


@pytest.mark.parametrize("program", [PROGRAMS["triangle"], PROGRAMS["shorter"], _outer("dim", "dim", "r1")])
def test_many_rows_wait_for_the_factors_of_all(program: str) -> None:
    """No factor is shuffled out of a vector: they are read again, one by one."""
    assert not _is_shuffled(program)
