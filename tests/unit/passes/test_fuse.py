"""Fusion: intermediate arrays go away, work is not repeated, checks and writes in place stay where they are."""

from __future__ import annotations

import numpy as np

from tapeless.passes import fuse, hoist, inplace, simplify

from .small_programs import kinds, optimised

X = np.linspace(-1.0, 2.0, 7)


def _forms(text, args=(X,)):
    function = optimised(text, list(args), simplify, fuse, simplify)
    return [kind for kind in kinds(function.body) if kind in ("map", "reduce", "scan", "hist", "scatter")], function


def test_a_chain_of_maps_and_a_sum_become_one_reduction():
    forms, _ = _forms(
        """
def f(x: f64[n]) {
  a: f64[n] = map n (i: i64) {
    p: f64 = index x i
    q: f64 = exp p
    return q
  }
  b: f64[n] = map n (j: i64) {
    r: f64 = index a j
    s: f64 = sin r
    return s
  }
  t: f64 = reduce n [0.0] (u: f64, v: f64) {
    w: f64 = add u v
    return w
  } (k: i64) {
    y: f64 = index b k
    return y
  }
  return t
}
"""
    )
    assert forms == ["reduce"]


def test_nested_maps_fuse_level_by_level():
    forms, _ = _forms(
        """
def f(x: f64[n]) {
  a: f64[n, n] = map n (i: i64) {
    p: f64 = index x i
    e: f64 = exp p
    r: f64[n] = map n (j: i64) {
      q: f64 = index x j
      s: f64 = mul e q
      g: f64 = tanh s
      return g
    }
    return r
  }
  b: f64[n] = map n (k: i64) {
    t: f64 = reduce n [0.0] (u: f64, v: f64) {
      w: f64 = add u v
      return w
    } (l: i64) {
      y: f64 = index a k l
      return y
    }
    return t
  }
  return b
}
"""
    )
    assert forms == ["map", "reduce"]


def test_an_array_needed_twice_is_computed_once():
    forms, function = _forms(
        """
def f(x: f64[n]) {
  a: f64[n] = map n (i: i64) {
    p: f64 = index x i
    q: f64 = exp p
    return q
  }
  b: f64[n] = map n (j: i64) {
    r: f64 = index a j
    s: f64 = sin r
    return s
  }
  return a b
}
"""
    )
    assert forms == ["map"]
    assert kinds(function.body).count("exp") == 1


def test_neighbours_read_from_a_dear_producer_keep_it():
    text = """
def f(x: f64[n]) {{
  a: f64[n] = map n (i: i64) {{
    p: f64 = index x i
    q: f64 = {op} p
    return q
  }}
  m: i64 = sub n 1
  b: f64[m] = map m (j: i64) {{
    k: i64 = add j 1
    r: f64 = index a j
    s: f64 = index a k
    t: f64 = sub s r
    return t
  }}
  return b
}}
"""
    assert _forms(text.format(op="exp"))[0] == ["map", "map"]
    assert _forms(text.format(op="neg"))[0] == ["map"]


def test_sums_over_one_array_are_done_together():
    forms, function = _forms(
        """
def f(x: f64[n]) {
  a: f64 = reduce n [0.0] (u: f64, v: f64) {
    w: f64 = add u v
    return w
  } (i: i64) {
    p: f64 = index x i
    return p
  }
  b: f64 = reduce n [1.0] (y: f64, z: f64) {
    g: f64 = mul y z
    return g
  } (j: i64) {
    q: f64 = index x j
    return q
  }
  return a b
}
"""
    )
    assert forms == ["reduce"]
    assert kinds(function.body).count("index") == 1


def test_a_producer_is_not_moved_past_a_write_to_what_it_reads():
    forms, function = _forms(
        """
def f(x: f64[n]) {
  c: f64[n] = map n (l: i64) {
    o: f64 = index x l
    e: f64 = exp o
    return e
  }
  a: f64[n] = map n (i: i64) {
    p: f64 = index c i
    q: f64 = sin p
    return q
  }
  d: f64[n] = update c 3.0 0
  b: f64[n] = map n (j: i64) {
    r: f64 = index a j
    s: f64 = cos r
    return s
  }
  return b d
}
"""
    )
    order = kinds(function.body)
    assert order.index("sin") < order.index("update")
    assert forms.count("map") == 2


def test_a_check_does_not_move_past_another():
    text = """
def f(x: f64[n]) {
  a: f64[n] = map n (i: i64) {
    p: f64 = index x i
    c: bool = gt p -5.0
    check assert c
    q: f64 = exp p
    return q
  }
  check nonempty n
  b: f64[n] = map n (j: i64) {
    r: f64 = index a j
    s: f64 = sin r
    return s
  }
  return b
}
"""
    assert _forms(text)[0] == ["map", "map"]
    assert _forms(text.replace("  check nonempty n\n", ""))[0] == ["map"]


def test_checks_alone_join_what_runs_over_the_same_indices():
    forms, _ = _forms(
        """
def f(x: f64[n], k: i64[n]) {
   = map n (i: i64) {
    p: i64 = index k i
    check bounds p n
    return
  }
  h: f64[n] = hist 1 n [0.0] [x] (u: f64, v: f64) {
    w: f64 = add u v
    return w
  } (j: i64) {
    q: i64 = index k j
    return q 1.5
  }
  return h
}
""",
        (X, np.array([0, 6, 6, 1, 2, 3, 0])),
    )
    assert forms == ["hist"]


def test_one_element_of_a_map_is_computed_alone():
    forms, _ = _forms(
        """
def f(x: f64[n]) {
  a: f64[n] = map n (i: i64) {
    p: f64 = index x i
    q: f64 = exp p
    return q
  }
  e: f64 = index a 2
  return e
}
"""
    )
    assert forms == []


def test_hoisting_shares_rows_and_moves_invariant_work():
    text = """
def f(x: f64[n], y: f64[n, n], c: f64) {
  a: f64[n] = map n (i: i64) {
    b: f64[n] = map n (k: i64) {
      t: f64 = reduce n [0.0] (u: f64, v: f64) {
        w: f64 = add u v
        return w
      } (j: i64) {
        p: f64 = index y i j
        q: f64 = index x k
        e: f64 = exp c
        r: f64 = mul p q
        s: f64 = mul r e
        return s
      }
      return t
    }
    m: f64 = reduce n [-inf] (u2: f64, v2: f64) {
      w2: f64 = max u2 v2
      return w2
    } (l: i64) {
      z: f64 = index b l
      return z
    }
    return m
  }
  return a
}
"""
    function = optimised(text, [X, np.outer(X, X), np.float64(0.5)], simplify, hoist, simplify)
    order = kinds(function.body)
    assert order[0] == "exp"
    assert order[1:3] == ["map", "index"]  # the row y[i], read before the loop over k


def test_reads_that_may_be_out_of_range_are_not_hoisted():
    text = """
def f(x: f64[n], k: i64) {
  s: f64 = for k [0.0] (i: i64, a: f64) {
    v: f64 = index x k
    b: f64 = mul a v
    return b
  }
  return s
}
"""
    function = optimised(text, [X, np.int64(0)], simplify, hoist, simplify)
    assert kinds(function.body)[0] == "for"


def test_partial_writes_in_lanes_are_done_in_place():
    text = """
def f(x: f64[n, n], l: f64[n]) {
  y: f64[n, n] = map n (q: i64) {
    r0: f64[n] = index x q
    r9: f64[n] = for n [r0] (c: i64, r: f64[n]) {
      s: i64 = sub n c
      m: f64[s] = map s (k: i64) {
        j: i64 = add k c
        o: f64 = index r j
        g: f64 = index l j
        h: f64 = mul o g
        return h
      }
      w: f64[n] = update_slice r m c 1
      return w
    }
    return r9
  }
  return y
}
"""
    function = optimised(text, [np.outer(X, X), X], simplify, inplace, simplify)
    assert kinds(function.body)[:4] == ["map", "index", "for", "sub"]
    assert kinds(function.body)[4] == "for"
    assert "update_slice" not in kinds(function.body)


def test_a_map_goes_into_all_histograms_that_it_feeds():
    function = optimised(
        """
def f(x: f64[n], k: i64[n], a: f64[5], b: f64[5]) {
  p: i64[n], v: f64[n], w: f64[n] = map n (i: i64) {
    key: i64 = index k i
    e: f64 = index x i
    g: f64 = mul e e
    return key e g
  }
  r: f64[5] = hist 1 n [0.0] [a] (s: f64, t: f64) {
    u: f64 = add s t
    return u
  } (j: i64) {
    q: i64 = index p j
    o: f64 = index v j
    return q o
  }
  c: f64[5] = hist 1 n [0.0] [b] (s2: f64, t2: f64) {
    u2: f64 = add s2 t2
    return u2
  } (l: i64) {
    q2: i64 = index p l
    o2: f64 = index w l
    return q2 o2
  }
  return r c
}
""",
        [np.array([0.5, -1.25, 2.0]), np.array([1, 4, 1]), np.ones(5), np.zeros(5)],
        fuse,
    )
    assert [kind for kind in kinds(function.body) if kind in ("map", "hist")] == ["hist", "hist"]


def _apart(reads: str) -> list[str]:
    """Two matrices made of the same rows; READS are the indices of the second."""
    forms, _ = _forms(
        f"""
def f(x: f64[n]) {{
  m: i64 = add n -2
  a: f64[m, m] = map m (i: i64) {{
    i1: i64 = add i 1
    p: f64 = index x i1
    e: f64 = exp p
    r: f64[m] = map m (j: i64) {{
      j1: i64 = add j 1
      q: f64 = index x j1
      s: f64 = mul e q
      return s
    }}
    return r
  }}
  b: f64[m, m] = map m (k: i64) {{
    k1: i64 = add k 1
    k2: i64 = add k 2
    l1: i64 = sub 5 k
    u: f64 = index x {reads}
    v: f64 = sin u
    w: f64[m] = map m (l: i64) {{
      l2: i64 = add l 1
      y: f64 = index x l2
      z: f64 = mul v y
      return z
    }}
    return w
  }}
  return a b
}}
"""
    )
    return forms


def test_arrays_that_are_read_at_one_distance_are_read_once():
    assert _apart("k1") == ["map", "map"]  # both matrices in one map of one map of rows


def test_arrays_that_are_read_at_several_distances_stay_apart():
    assert _apart("k2") == _apart("l1") == ["map", "map", "map", "map"]


STENCILS = """
def f(x: f64[n, n], v: f64[n, n], w: f64[n, n]) {{
  m: i64 = add n -2
  check bounds m n
  a: f64[m, m] = map m (i: i64) {{
    i2: i64 = add i 2
    r: f64[m] = map m (j: i64) {{
      p: f64 = index x i2 j
      q: f64 = index x i j
      o: f64 = sub p q
      e: f64 = exp o
      return e
    }}
    return r
  }}
  v2: f64[n, n] = update_slice v a 1 1 1 1
  {between}
  b: f64[m, m] = map m (k: i64) {{
    k2: i64 = add k {distance}
    s: f64[m] = map m (l: i64) {{
      t: f64 = index x k2 l
      u: f64 = index {second} k l
      g: f64 = add t u
      h: f64 = tanh g
      return h
    }}
    return s
  }}
  w2: f64[n, n] = update_slice w b 1 1 1 1
  return {results}
}}
"""


def _stencils(distance="2", second="w", between="", results="v2 w2"):
    text = STENCILS.format(distance=distance, second=second, between=between, results=results)
    rng = np.random.default_rng(1)
    forms, _ = _forms(text, tuple(rng.normal(size=(6, 6)) for _ in range(3)))
    return forms.count("map") // 2


def test_stencils_over_one_array_are_done_together_though_one_is_written_between():
    """What the first makes is put into an array, which nobody reads yet."""
    assert _stencils() == 1
    assert _stencils(second="v") == 1  # read before it is written, as it was


def test_stencils_that_read_other_rows_stay_apart():
    assert _stencils(distance="1") == 2


def test_a_stencil_stays_apart_from_one_that_reads_what_it_wrote():
    assert _stencils(second="v2") == 2
    assert _stencils(second="c", between="c: f64[n, n] = transpose[1, 0] v2") == 2
    assert _stencils(between="c: f64[n, n] = transpose[1, 0] v2", results="v2 w2 c") == 2
