"""Sums of arrays are added up in place: the values against the interpreter, and no array beside the accumulator."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.backend import cpu, native
from tapeless.backend.target import Options
from tapeless.ir.check import check
from tapeless.ir.core import Reduce
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.passes.sums import operators

from .test_codegen import OPTIONS, assert_close

_ADD_ROWS = """(a.1: f64[{d}], b.1: f64[{d}]) {{
    t.1: f64[{d}] = map {d} (j.1: i64) {{
      u.1: f64 = index a.1 j.1
      v.1: f64 = index b.1 j.1
      w.1: f64 = add u.1 v.1
      return w.1
    }}
    return t.1
  }}"""
_ADD_MATRICES = """(a.1: f64[m.0, {d}], b.1: f64[m.0, {d}]) {{
    t.1: f64[m.0, {d}] = map m.0 (k.1: i64) {{
      p.1: f64[{d}] = index a.1 k.1
      t.2: f64[{d}] = map {d} (j.1: i64) {{
        u.1: f64 = index p.1 j.1
        v.1: f64 = index b.1 k.1 j.1
        w.1: f64 = add v.1 u.1
        return w.1
      }}
      return t.2
    }}
    return t.1
  }}"""

ROWS = f"""
def rows(x.0: f64[n.0, m.0]) {{
  z.0: f64[m.0] = replicate 0.0 m.0
  r.0: f64[m.0] = reduce n.0 [z.0] {_ADD_ROWS.format(d="m.0")} (i.0: i64) {{
    r.1: f64[m.0] = index x.0 i.0
    return r.1
  }}
  return r.0
}}
"""
PRODUCT = f"""
def product(x.0: f64[n.0, m.0]) {{
  z.0: f64[m.0, 11] = replicate 0.0 m.0 11
  r.0: f64[m.0, 11] = reduce n.0 [z.0] {_ADD_MATRICES.format(d="11")} (i.0: i64) {{
    r.1: f64[m.0, 11] = map m.0 (k.0: i64) {{
      e.0: f64 = index x.0 i.0 k.0
      r.2: f64[11] = map 11 (j.0: i64) {{
        e.1: f64 = convert[f64] j.0
        e.2: f64 = mul e.0 e.1
        return e.2
      }}
      return r.2
    }}
    return r.1
  }}
  return r.0
}}
"""
# Zeros around a part that is shorter from round to round, and the same row twice.
PADDED = f"""
def padded(x.0: f64[n.0, m.0]) {{
  z.0: f64[m.0, 19] = replicate 0.0 m.0 19
  r.0: f64[m.0, 19] = reduce n.0 [z.0] {_ADD_MATRICES.format(d="19")} (i.0: i64) {{
    r.1: f64[m.0, 19] = map m.0 (k.0: i64) {{
      l.0: i64 = min k.0 17
      r.2: f64[l.0] = map l.0 (j.0: i64) {{
        e.0: f64 = index x.0 i.0 k.0
        e.1: f64 = convert[f64] j.0
        e.2: f64 = mul e.0 e.1
        return e.2
      }}
      z.1: f64[19] = replicate 0.0 19
      r.3: f64[19] = update_slice z.1 r.2 1 1
      return r.3
    }}
    return r.1
  }}
  return r.0
}}
"""
MIXED = """
def mixed(x.0: f64[n.0, m.0]) {
  z.0: f64[m.0] = replicate 0.0 m.0
  s.0: f64, r.0: f64[m.0], q.0: f64[m.0] = reduce n.0 [-inf z.0 z.0] \
    (a.0: f64, a.1: f64[m.0], a.2: f64[m.0], b.0: f64, b.1: f64[m.0], b.2: f64[m.0]) {
    c.0: f64 = max a.0 b.0
    t.1: f64[m.0], t.2: f64[m.0] = map m.0 (j.1: i64) {
      u.1: f64 = index a.1 j.1
      v.1: f64 = index b.1 j.1
      w.1: f64 = add u.1 v.1
      u.2: f64 = index a.2 j.1
      v.2: f64 = index b.2 j.1
      w.2: f64 = add u.2 v.2
      return w.1 w.2
    }
    return c.0 t.1 t.2
  } (i.0: i64) {
    r.1: f64[m.0], r.2: f64[m.0] = map m.0 (j.0: i64) {
      e.0: f64 = index x.0 i.0 j.0
      e.1: f64 = sin e.0
      return e.0 e.1
    }
    l.0: f64 = reduce m.0 [0.0] (a.3: f64, b.3: f64) {
      c.1: f64 = add a.3 b.3
      return c.1
    } (j.2: i64) {
      e.2: f64 = index r.2 j.2
      return e.2
    }
    return l.0 r.1 r.2
  }
  return s.0 r.0 q.0
}
"""
# Inside lanes each lane has its own accumulator, and some lanes do not take part.
NESTED = f"""
def nested(x.0: f64[n.0, m.0]) {{
  r.0: f64[n.0] = map n.0 (i.0: i64) {{
    f.0: f64 = index x.0 i.0 0
    c.0: bool = gt f.0 0.0
    r.1: f64 = if c.0 {{
      z.0: f64[5] = replicate 0.0 5
      r.2: f64[5] = reduce m.0 [z.0] {_ADD_ROWS.format(d="5")} (k.0: i64) {{
        e.0: f64 = index x.0 i.0 k.0
        r.3: f64[5] = map 5 (j.0: i64) {{
          e.1: f64 = convert[f64] j.0
          e.2: f64 = mul e.0 e.1
          return e.2
        }}
        return r.3
      }}
      g.0: f64 = index r.2 3
      return g.0
    }} else {{
      return 0.5
    }}
    return r.1
  }}
  return r.0
}}
"""
PROGRAMS = {"rows": ROWS, "product": PRODUCT, "padded": PADDED, "mixed": MIXED, "nested": NESTED}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_agrees_with_the_interpreter(text: str, options: Options) -> None:
    function = parse_function(text)
    check(function)
    loaded = cpu.load(cpu.compile(function, options=options))
    for n, m in ((0, 3), (1, 1), (5, 8), (21, 19), (40, 3)):
        x = np.random.default_rng(n).normal(size=(n, m))
        expected = evaluate(function, [x.copy()])
        for found, wanted in zip(cpu.run(loaded, function, [x]), expected, strict=True):
            assert_close(found, wanted)


@pytest.mark.parametrize("text", [ROWS, PRODUCT, PADDED, MIXED], ids=["rows", "product", "padded", "mixed"])
def test_sums_are_recognised(text: str) -> None:
    (stm,) = [stm for stm in parse_function(text).body.stms if isinstance(stm.expr, Reduce)]
    assert isinstance(stm.expr, Reduce)
    assert operators(stm.expr) == (["max", "add", "add"] if text is MIXED else ["add"])


def test_other_operators_are_not_sums() -> None:
    text = ROWS.replace("w.1: f64 = add u.1 v.1", "w.1: f64 = sub u.1 v.1")
    (stm,) = [stm for stm in parse_function(text).body.stms if isinstance(stm.expr, Reduce)]
    assert isinstance(stm.expr, Reduce)
    assert operators(stm.expr) is None


def test_nothing_is_made_beside_the_accumulator() -> None:
    text = cpu.emit(parse_function(PRODUCT), options=Options(lanes="never"))
    nest = text[text.index("define internal void @kernel.nest") :]
    # The accumulator of the block is the only array that the nest allocates.
    assert nest[: nest.index("\n}")].count("call ptr @tp_hold") == 1


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_threads_change_no_bit(text: str) -> None:
    function = parse_function(text)
    loaded = cpu.load(cpu.compile(function, options=Options(block=64, threads_from=0)))
    x = np.random.default_rng(5).normal(size=(301, 19))
    set_threads = ctypes.CFUNCTYPE(None, ctypes.c_int64)(native.symbols()["tp_set_threads"])
    outcomes: list[list[bytes]] = []
    try:
        for threads in (1, 2, 3):
            set_threads(threads)
            outcomes.append([np.asarray(result).tobytes() for result in cpu.run(loaded, function, [x])])
    finally:
        set_threads(1)
    assert outcomes[0] == outcomes[1] == outcomes[2]
