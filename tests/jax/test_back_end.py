"""IR run by JAX beside the interpreter: random programs, and what whole-array code could get wrong."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tapeless import ops as _ops
from tapeless.backend.jaxlib import from_ir
from tapeless.errors import UnsupportedFunctionError
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.testing.compare import Outcome, difference, reference, tolerance, unstable
from tapeless.testing.generate import random_program

assert _ops

# Of these programs none fails a check, and none makes an array whose size depends on data.
SEEDS = (7, 9, 10, 11, 13, 16, 17, 19, 23, 24, 25, 28, 29, 30, 31, 33, 34, 35, 37, 39, 41, 42, 43, 44, 45, 46, 47)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs(seed: int) -> None:
    function, args = random_program(seed)
    expected = reference(function, args)
    assert not expected.fault
    found = Outcome(tuple(np.asarray(x) for x in jax.jit(from_ir(function))(*map(np.asarray, args))))
    words = difference(expected, found, tolerance(function))
    assert not words or unstable(function, args, expected, found), words


PROGRAMS = {
    "the last of several writes wins": """
def f(k: i64[5], v: f64[5], d: f64[3]) {
  r: f64[3] = scatter 1 5 d (i: i64) {
    a: i64 = index k i
    b: f64 = index v i
    return a b
  }
  return r
}
""",
    "keys out of range are dropped": """
def f(k: i64[5], v: f64[5], d: f64[3]) {
  r: f64[3] = hist 1 5 [0.0] [d] (x: f64, y: f64) {
    s: f64 = add x y
    return s
  } (i: i64) {
    a: i64 = index k i
    t: i64 = sub a 1
    b: f64 = index v i
    return t b
  }
  return r
}
""",
    "an operator of one's own": """
def f(k: i64[5], v: f64[5], d: f64[3]) {
  r: f64[3] = hist 1 5 [0.0] [d] (x: f64, y: f64) {
    s: f64 = add x y
    p: f64 = mul x y
    q: f64 = add s p
    return q
  } (i: i64) {
    a: i64 = index k i
    b: f64 = index v i
    return a b
  }
  return r
}
""",
    "loops of different lengths side by side": """
def f(k: i64[5], v: f64[5], d: f64[3]) {
  r: f64[5] = map 5 (i: i64) {
    n: i64 = index k i
    x: f64 = index v i
    y: f64 = for n [x] (j: i64, z: f64) {
      w: f64 = mul z 1.5
      return w
    }
    u: f64 = while [y] (z: f64) {
      c: bool = lt z 4.0
      return c
    } (z: f64) {
      w: f64 = add z 1.0
      return w
    }
    return u
  }
  return r
}
""",
    "reads beyond the edge that are masked out": """
def f(k: i64[5], v: f64[5], d: f64[3]) {
  r: f64[5] = map 5 (i: i64) {
    c: bool = gt i 0
    e: f64 = if c {
      j: i64 = sub i 1
      x: f64 = index v j
      return x
    } else {
      return 7.0
    }
    return e
  }
  return r
}
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_against_the_interpreter(name: str) -> None:
    function = parse_function(PROGRAMS[name].lstrip())
    args = [np.array([0, 2, 3, 0, 1]), np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([10.0, 20.0, 30.0])]
    (want,) = evaluate(function, args)
    (got,) = jax.jit(from_ir(function))(*args)
    np.testing.assert_allclose(got, want, rtol=1e-14)
    batched = jax.vmap(from_ir(function), in_axes=(None, 0, None))(args[0], jnp.stack([args[1], args[1]]), args[2])
    np.testing.assert_allclose(batched[0][1], want, rtol=1e-14)


def test_sums_of_products_are_contractions() -> None:
    function = parse_function(
        """
def f(x: f64[n, m], y: f64[m, k]) {
  r: f64[n, k] = map n (i: i64) {
    s: f64[k] = map k (j: i64) {
      t: f64 = reduce m [0.0] (a: f64, b: f64) {
        c: f64 = add a b
        return c
      } (l: i64) {
        u: f64 = index x i l
        v: f64 = index y l j
        w: f64 = mul u v
        return w
      }
      return t
    }
    return s
  }
  return r
}
""".lstrip()
    )
    x, y = np.arange(600.0).reshape(20, 30), np.arange(1200.0).reshape(30, 40)
    names = [equation.primitive.name for equation in jax.make_jaxpr(from_ir(function))(x, y).eqns]
    assert "dot_general" in names
    assert "gather" not in names
    np.testing.assert_allclose(from_ir(function)(x, y)[0], x @ y)


def test_sizes_that_depend_on_data_are_refused() -> None:
    function = parse_function("def f(n: i64) {\n  x: f64[n] = replicate 1.0 n\n  return x\n}\n")
    with pytest.raises(UnsupportedFunctionError, match="size"):
        jax.jit(from_ir(function))(3)


def test_the_wrong_number_of_dimensions_is_refused() -> None:
    function = parse_function("def f(x: f64[n]) {\n  return x\n}\n")

    def call() -> Any:
        return from_ir(function)(jnp.zeros((2, 2)))

    with pytest.raises(TypeError, match="dimensions"):
        call()
