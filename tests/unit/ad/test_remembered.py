"""Sums of many terms that a loop's body computes are kept for the return sweep, not computed again."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
import tapeless.ops  # registers the operations
from tapeless.ad.remembered import split
from tapeless.ir.check import check
from tapeless.ir.core import For, Function, Reduce, Stm
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.types import Var
from tapeless.ir.walk import statements

RNG = np.random.default_rng(5)


def vector(w, x, n):
    for _ in range(n):
        x = np.tanh(w @ x)
    return np.sum(x)


def batch(w, v, b, x, n):
    for t in range(n):
        x = np.tanh(x @ w.T + np.sin(x) @ v.T + b) * np.cos(x) + 0.1 * t
    return np.sum(x * x)


def with_loss(w, v, x, n):
    total = 0.0
    for _ in range(n):
        x = np.tanh(x @ w)
        total += np.sum((x @ v) ** 2)
    return total


def norm(x, n):
    for _ in range(n):
        x = x / np.sqrt(1.0 + np.sum(x * x)) + 0.5
    return x[0]


def written(w, a, x, n):
    """Sums are kept, and what is overwritten of a."""
    for t in range(n):
        x = np.tanh(w @ x)
        a[t, 0] = a[t, 0] * x[0] + a[t + 1, 1]
    return np.sum(x) + np.sum(a * a)


def read_on_the_way(w, v, x, n):
    """What is added to is read as well: the sums in it are needed in the forward sweep."""
    total = 0.0
    for _ in range(n):
        x = np.tanh(x @ w) * np.cos(total)
        total += np.sum((x @ v) ** 2)
    return total


def arguments(name: str) -> tuple:
    w, v, x = RNG.normal(size=(9, 9)) / 2, RNG.normal(size=(9, 9)) / 2, RNG.normal(size=(5, 9))
    return {"vector": (w, x[0], 3), "read_on_the_way": (w, v[:, :2].copy(), x, 3),
            "batch": (w, v, w[0], x, 3), "with_loss": (w, v[:, :2].copy(), x, 3),
            "norm": (x[0], 4), "written": (w, v, x[0], 3)}[name]  # fmt: skip


@pytest.mark.parametrize(
    "function", [vector, batch, with_loss, read_on_the_way, norm, written], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("memory", [None, tp.States(2)])
def test_derivatives(function, memory):
    args = arguments(function.__name__)
    floats = tuple(k for k, x in enumerate(args) if isinstance(x, np.ndarray))
    gradient = tp.grad(function, floats, memory=memory)(*args)
    directions = [RNG.normal(size=args[k].shape) for k in floats]
    slope = tp.jvp(lambda *xs: function(*xs, args[-1]), args[:-1], tuple(directions))[1]
    found = sum(np.sum(g * d) for g, d in zip(gradient, directions, strict=True))
    np.testing.assert_allclose(found, slope, rtol=1e-11)


def test_second_derivatives():
    w, x, n = arguments("vector")
    tp.testing.check_grads(tp.grad(lambda w: vector(w, x, n)), w)


@pytest.mark.parametrize(
    ("function", "kept"),
    [
        (vector, "16*n"),
        (batch, "16*n*n"),
        (with_loss, "16*n*n"),  # nothing of the loss, which the forward sweep does not need
        (read_on_the_way, "16*n*n + 8*n*n + 8"),
        (norm, "8*n + 8"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_is_kept(function, kept):
    args = arguments(function.__name__)
    assert f"keeps {kept} bytes of every iteration (" in tp.grad(function).explain(*args)


TEXT = """
def f(w: f64[m, n], points: f64[k, n], x: f64[n]) {
  s: f64, y: f64[n] = for 3 [0.0 x] (i: i64, total: f64, z: f64[n]) {
    far: f64[k] = map k (p: i64) {
      d: f64 = reduce n [0.0] (a: f64, b: f64) {
        c: f64 = add a b
        return c
      } (j: i64) {
        e: f64 = index points p j
        g: f64 = index z j
        h: f64 = mul e g
        return h
      }
      q: f64 = sin d
      return q
    }
    new: f64[n] = map n (j2: i64) {
      dot: f64 = reduce SIZE [1.0] (a2: f64, b2: f64) {
        c2: f64 = add a2 b2
        return c2
      } (r: i64) {
        e2: f64 = index w r j2
        g2: f64 = index z j2
        h2: f64 = mul e2 g2
        return h2
      }
      old: f64 = index z j2
      more: f64 = sub dot old
      first: f64 = index far 0
      o: f64 = mul more first
      return o
    }
    t: f64 = add total 1.0
    return t new
  }
  return y
}
"""


# As many sums for each element of what is carried as there are points.
WIDE = """
def f(w: f64[m, n], points: f64[k, n], x: f64[n]) {
  y: f64[n] = for 3 [x] (i: i64, z: f64[n]) {
    far: f64[n, k] = map n (j: i64) {
      own: f64 = index z j
      row: f64[k] = map k (p: i64) {
        d: f64 = reduce n [0.0] (a: f64, b: f64) {
          c: f64 = add a b
          return c
        } (q: i64) {
          e: f64 = index points p q
          g: f64 = index z q
          h: f64 = mul e g
          return h
        }
        o: f64 = mul d own
        return o
      }
      return row
    }
    new: f64[n] = map n (j2: i64) {
      u: f64 = index far j2 0
      v: f64 = sin u
      return v
    }
    return new
  }
  return y
}
"""


# A sum of rows, of a length that has nothing to do with what is carried.
ROWS = """
def f(w: f64[m, n], points: f64[k, n], x: f64[n]) {
  y: f64[n] = for 3 [x] (i: i64, z: f64[n]) {
    zeros: f64[m] = map m (o: i64) {
      return 0.0
    }
    total: f64[m] = reduce n [zeros] (a: f64[m], b: f64[m]) {
      c: f64[m] = map m (p: i64) {
        a1: f64 = index a p
        b1: f64 = index b p
        c1: f64 = add a1 b1
        return c1
      }
      return c
    } (q: i64) {
      row: f64[m] = map m (p2: i64) {
        e: f64 = index w p2 q
        g: f64 = index z q
        h: f64 = mul e g
        return h
      }
      return row
    }
    new: f64[n] = map n (j2: i64) {
      u: f64 = index total 0
      v: f64 = sin u
      return v
    }
    return new
  }
  return y
}
"""


def _split(text: str, carried: int = 1, points: int = 2) -> tuple[list[str], list[str]]:
    """What is kept of the loop, and its statements."""
    loop, kept = _changed(text, carried, points)
    return [str(var.type) for var in kept], [var.name for inner in loop.body.body.stms for var in inner.vars]


def _changed(text: str, carried: int = 1, points: int = 2) -> tuple[For, tuple[Var, ...]]:
    """The loop, which must go on to mean the same, and what is kept."""
    function = parse_function(text)
    check(function)
    *before, stm = function.body.stms
    assert isinstance(stm.expr, For)
    loop, kept = split(stm.expr, [carried], before)
    body = type(function.body)((*before, Stm(stm.vars, loop)), function.body.results)
    changed = Function("f", function.params, body)
    check(changed)
    args = [RNG.normal(size=(40, 3)), RNG.normal(size=(points, 3)), RNG.normal(size=3)]
    for found, expected in zip(evaluate(changed, args), evaluate(function, args), strict=True):
        np.testing.assert_array_equal(found, expected)
    return loop, kept


def test_a_sum_with_what_is_added_to_it_is_kept_if_it_is_no_larger_than_what_is_carried():
    kept, names = _split(TEXT.replace("SIZE", "m"))
    assert kept == ["f64[n]"]
    assert len(names) == 4  # the sums stand before the map that reads them
    assert _split(TEXT.replace("SIZE", "32"))[0] == ["f64[n]"]


def test_short_sums_are_computed_again():
    assert _split(TEXT.replace("SIZE", "31"))[0] == []


def test_more_sums_than_what_is_carried_are_computed_again():
    assert _split(WIDE, 0)[0] == []
    assert _split(ROWS, 0)[0] == []


def test_sizes_that_are_written_are_known_outside():
    text = TEXT.replace("n]", "3]").replace(" n ", " 3 ").replace("SIZE", "m")
    assert _split(text)[0] == ["f64[3]"]


def test_what_a_check_stands_before_is_not_computed_earlier():
    text = TEXT.replace("SIZE", "m")
    assert _split(text.replace("old: f64", "check bounds j2 n\n old: f64"))[0] == []


def test_a_sum_that_is_read_twice_is_kept_itself():
    text = TEXT.replace("SIZE", "m").replace("mul more first", "mul more dot")
    loop, kept = _changed(text)
    assert [str(var.type) for var in kept] == ["f64[n]"]
    assert sum(isinstance(stm.expr, Reduce) for stm in statements(loop.body.body)) == 1


def test_of_several_sums_only_those_in_floats_are_kept():
    both = "dot: f64, steps: i64 = reduce m [1.0 0] (a2: f64, k2: i64, b2: f64, l2: i64) {\n    m2: i64 = add k2 l2\n"
    text = TEXT.replace("dot: f64 = reduce SIZE [1.0] (a2: f64, b2: f64) {", both)
    text = text.replace("return c2\n", "return c2 m2\n").replace("return h2\n", "return h2 j2\n")
    scaled = "s2: f64 = convert[f64] steps\n    p2: f64 = mul dot s2\n    o: f64 = mul more p2"
    text = text.replace("o: f64 = mul more first", scaled)
    assert _split(text)[0] == ["f64[n]"]


def test_whole_numbers_that_a_loop_adds_up_are_computed_from_iteration_to_iteration():
    """What they are made of is kept: only a sum in floats may be left to the gradient."""
    text = TEXT.replace("SIZE", "m").replace("[0.0 x] (i: i64, total: f64,", "[0 x] (i: i64, total: i64,")
    text = text.replace("s: f64, y", "s: i64, y")
    counted = "u: f64 = index far 0\n    v: i64 = convert[i64] u\n    t: i64 = add total v"
    text = text.replace("t: f64 = add total 1.0", counted)
    text = text.replace("first: f64 = index far 0", "first: f64 = index z 0")
    square = text.replace("x: f64[n]) {\n  s", "x: f64[n]) {\n  check equal k n\n  s")
    assert _split(square, points=3)[0] == ["f64[k]", "f64[n]"]


def test_sizes_that_a_check_makes_equal_are_of_one_order():
    text = TEXT.replace("SIZE", "31")
    assert _split(text)[0] == []
    assert _split(text.replace("x: f64[n]) {\n  s", "x: f64[n]) {\n  check equal k n\n  s"), points=3)[0] == ["f64[k]"]
