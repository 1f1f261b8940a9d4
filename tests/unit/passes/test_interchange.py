"""A sum of large arrays becomes an array of sums; what is dear is computed once, and small arrays are left alone."""

from __future__ import annotations

import numpy as np
import pytest

from tapeless.ir.core import Map, Reduce
from tapeless.ir.text import parse_function, print_function
from tapeless.passes import interchange, simplify

from .small_programs import kinds, optimised

X = np.random.default_rng(3).normal(size=(5, 4))
Y = np.random.default_rng(4).normal(size=(5, 3))


def _sum(shape: str, body: str, sizes: tuple[str, str] = ("m", "k"), result: str = "r") -> str:
    rows, columns = sizes
    return f"""
def f(x: f64[n, {sizes[0]}], y: f64[n, {sizes[1]}]) {{
  z: f64[{shape}] = replicate 0.0 {rows} {columns}
  s: f64[{shape}] = reduce n [z] (a: f64[{shape}], b: f64[{shape}]) {{
    c: f64[{shape}] = map {rows} (p: i64) {{
      ar: f64[{columns}] = index a p
      br: f64[{columns}] = index b p
      d: f64[{columns}] = map {columns} (q: i64) {{
        u: f64 = index ar q
        v: f64 = index br q
        w: f64 = add u v
        return w
      }}
      return d
    }}
    return c
  }} (i: i64) {{
{body}
    return {result}
  }}
  return s
}}
"""


OUTER = """
    r: f64[{m}, {k}] = map {m} (j: i64) {{
      e: f64 = index x i j
      {dear}
      t: f64[{k}] = map {k} (l: i64) {{
        g: f64 = index y i l
        h: f64 = mul g o
        return h
      }}
      return t
    }}"""


def test_an_outer_product():
    body = OUTER.format(m="m", k="k", dear="o: f64 = neg e")
    function = optimised(_sum("m, k", body), [X, Y], interchange, simplify)
    assert kinds(function.body)[:3] == ["map", "map", "reduce"], print_function(function)


def test_what_is_dear_is_computed_once():
    body = OUTER.format(m="m", k="k", dear="o: f64 = exp e")
    function = optimised(_sum("m, k", body), [X, Y], interchange, simplify)
    assert kinds(function.body).count("exp") == 1
    first, second = (stm for stm in function.body.stms if isinstance(stm.expr, Map))
    assert "exp" in print_function(function).split(f"{second.vars[0].name}:", maxsplit=1)[0]
    assert first.vars[0].type.rank == 2


def test_a_transposed_sum_is_transposed_once():
    body = OUTER.format(m="k2", k="m2", dear="o: f64 = neg e").replace("k2", "m").replace("m2", "k")
    text = _sum("k, m", body.replace("r: f64[m, k]", "r: f64[m, k]") + "\n    q2: f64[k, m] = transpose[1, 0] r",
                ("k", "m"), "q2").replace("x: f64[n, k], y: f64[n, m]", "x: f64[n, m], y: f64[n, k]")  # fmt: skip
    function = optimised(text, [X, Y], interchange)
    assert [kind for kind in kinds(function.body) if kind in ("transpose", "map", "reduce")] == [
        "map", "map", "reduce", "transpose"]  # fmt: skip


def test_literal_sizes_are_left_to_the_back_end():
    body = OUTER.format(m="4", k="3", dear="o: f64 = neg e")
    function = optimised(_sum("4, 3", body, ("4", "3")), [X, Y], interchange)
    assert any(isinstance(stm.expr, Reduce) for stm in function.body.stms)


VECTORS = """
def f(x: f64[n, m], y: f64[m, n]) {{
  z: f64[m] = replicate 0.0 m
  s: f64[m] = reduce n [z] (a: f64[m], b: f64[m]) {{
    c: f64[m] = map m (p: i64) {{
      u: f64 = index a p
      v: f64 = index b p
      w: f64 = add u v
      return w
    }}
    return c
  }} (i: i64) {{
    r: f64[m] = map m (j: i64) {{
      g: f64 = index {read}
      return g
    }}
    return r
  }}
  return s
}}
"""


@pytest.mark.parametrize(("read", "first"), [("x i j", "replicate"), ("y j i", "map")])
def test_vectors_are_summed_in_the_order_of_memory(read, first):
    function = optimised(VECTORS.format(read=read), [X, X.T.copy()], interchange)
    assert kinds(function.body)[0] == first


def test_nothing_moves_past_a_check():
    body = OUTER.format(m="m", k="k", dear="o: f64 = neg e\n      check bounds i n")
    function = parse_function(_sum("m, k", body))
    assert kinds(optimised(function, [X, Y], interchange).body) == kinds(function.body)


TOGETHER = """
def f(x: f64[n, m], y: f64[n, k]) {
  z: f64[m, k] = replicate 0.0 m k
  o: f64[m] = replicate 0.0 m
  s: f64[m, k], r: f64[m] = reduce n [z o] (a: f64[m, k], p: f64[m], b: f64[m, k], q: f64[m]) {
    c: f64[m, k] = map m (i0: i64) {
      ar: f64[k] = index a i0
      br: f64[k] = index b i0
      d: f64[k] = map k (i1: i64) {
        u: f64 = index ar i1
        v: f64 = index br i1
        w: f64 = add u v
        return w
      }
      return d
    }
    e: f64[m] = map m (i2: i64) {
      pe: f64 = index p i2
      qe: f64 = index q i2
      g: f64 = add pe qe
      return g
    }
    return c e
  } (i: i64) {
    row: f64[m] = index x i
    outer: f64[m, k] = map m (j: i64) {
      h: f64 = index row j
      t: f64[k] = map k (l: i64) {
        yl: f64 = index y i l
        hy: f64 = mul h yl
        return hy
      }
      return t
    }
    return outer row
  }
  return s r
}
"""


def test_sums_that_are_done_together_are_done_apart():
    function = optimised(TOGETHER, [X, Y], interchange, simplify)
    assert kinds(function.body)[1:4] == ["map", "map", "reduce"], print_function(function)
    assert [len(stm.vars) for stm in function.body.stms if isinstance(stm.expr, Reduce)] == [1]


def test_what_is_dear_is_not_computed_for_each_of_several_sums():
    text = TOGETHER.replace("row: f64[m] = index x i\n", DEAR_ROW)
    function = optimised(text, [X, Y], interchange, simplify)
    assert kinds(function.body).count("exp") == 1, print_function(function)


DEAR_ROW = """xs: f64[m] = index x i
    row: f64[m] = map m (i3: i64) {
      xe: f64 = index xs i3
      ex: f64 = exp xe
      return ex
    }
"""


# The adjoint of what a layer computes from each row: in lanes it would be read and written once for each i.
ROWS = """
def f(x: f64[n, m], y: f64[m, k]) {{
  r: f64[n, k] = map n (p: i64) {{
    o: f64[m] = map m (q: i64) {{
      e: f64 = index x p q
      g: f64 = tanh e
      return g
    }}
    z: f64[k] = replicate 0.0 k
    s: f64[k] = reduce m [z] (a: f64[k], b: f64[k]) {{
      c: f64[k] = map k (h: i64) {{
        u: f64 = index a h
        v: f64 = index b h
        w: f64 = add u v
        return w
      }}
      return c
    }} (i: i64) {{
      number: f64 = index {numbers} i
      t: f64[k] = map k (l: i64) {{
        j: f64 = index y i l
        d: f64 = mul j number
        return d
      }}
      return t
    }}
    return s
  }}
  return r
}}
"""


def test_a_row_of_a_product():
    function = optimised(ROWS.format(numbers="o"), [X, Y[:4]], interchange, simplify)
    (rows,) = (stm.expr for stm in function.body.stms if isinstance(stm.expr, Map))
    *_, last = rows.body.body.stms
    assert isinstance(last.expr, Map)
    assert kinds(last.expr.body.body)[0] == "reduce"


def test_a_sum_that_is_the_same_for_all_rows():
    function = interchange.run(parse_function(ROWS.format(numbers="x 0")), interchange.Notes())
    assert kinds(function.body)[:3] == ["map", "replicate", "reduce"]
