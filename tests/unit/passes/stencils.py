"""Stencils with boundaries: programs by name, and random ones, for the tests of `peel`."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from tapeless.ir.build import Atoms, Builder
from tapeless.ir.core import Function
from tapeless.ir.types import F64, I64, Atom, Type, Var, f64, i64

PERIODIC = """
def periodic(u: f64[n]) {
  r: f64[n] = map n (i: i64) {
    h: i64 = add i -1
    l: i64 = mod h n
    j: i64 = add i 2
    k: i64 = mod j n
    x: f64 = index u l
    y: f64 = index u k
    z: f64 = add x y
    return z
  }
  return r
}
"""

CLAMPED_SUM = """
def clamped_sum(u: f64[m, n], i: i64) {
  check bounds i m
  last: i64 = sub n 1
  s: f64, t: f64 = reduce n [0.0 0.0] (a: f64, b: f64, c: f64, d: f64) {
    e: f64 = add a c
    f: f64 = max b d
    return e f
  } (j: i64) {
    h: i64 = add j -1
    l: i64 = max h 0
    k: i64 = add j 1
    r: i64 = min k last
    x: f64 = index u i l
    y: f64 = index u i r
    z: f64 = mul x y
    w: f64 = abs y
    return z w
  }
  return s t
}
"""

CASES = """
def cases(u: f64[n], v: f64[m]) {
  last: i64 = sub n 1
  r: f64[n] = map n (i: i64) {
    c: bool = eq i 0
    x: f64 = if c {
      check bounds 0 m
      a: f64 = index v 0
      return a
    } else {
      d: bool = eq i last
      y: f64 = if d {
        check bounds i m
        b: f64 = index v i
        return b
      } else {
        k: i64 = add i 1
        check bounds k n
        e: f64 = index u k
        return e
      }
      return y
    }
    return x
  }
  return r
}
"""

ROLLED_PAIRS = """
def rolled_pairs(u: f64[n]) {
  one: i64 = mod 1 n
  r: f64[n, 2], s: bool[n] = map n (i: i64) {
    h: i64 = sub i one
    c: bool = lt h 0
    w: i64 = add h n
    j: i64 = select c w h
    x: f64 = index u j
    y: f64 = index u i
    p: f64[2] = stack x y
    q: bool = lt x y
    return p q
  }
  return r s
}
"""

ROWS = """
def rows(u: f64[m, n]) {
  r: f64[m, n] = map m (i: i64) {
    a: i64 = add i 1
    b: i64 = mod a m
    s: f64[n] = map n (j: i64) {
      h: i64 = add j -1
      l: i64 = mod h n
      x: f64 = index u b j
      y: f64 = index u i l
      z: f64 = sub x y
      return z
    }
    return s
  }
  return r
}
"""

LATER = """
def later(u: f64[n]) {
  q: i64 = sub n 2
  m: i64 = max q 0
  r: f64[m] = map m (k: i64) {
    j: i64 = add k 3
    w: i64 = mod j n
    x: f64 = index u w
    return x
  }
  return r
}
"""

PEELED = {"periodic": PERIODIC, "clamped_sum": CLAMPED_SUM, "cases": CASES, "rolled_pairs": ROLLED_PAIRS}
PEELED |= {"rows": ROWS, "later": LATER}

# Nothing is gained by peeling these: no read becomes contiguous, no branch goes away.
LEFT_ALONE = {
    "other divisor": "h: i64 = add i 1\nj: i64 = mod h k\nx: f64 = index u j",
    "value only": "c: bool = eq i 0\ny: f64 = index u i\nx: f64 = select c 1.0 y",
    "too far in": "h: i64 = add i 9\nj: i64 = mod h n\nx: f64 = index u j",
    "somewhere": "c: bool = lt i k\nx: f64 = if c {\na: f64 = index u 0\nreturn a\n} else {\nreturn 0.0\n}",
    "strided": "h: i64 = add i 1\nd: i64 = mul h 2\nj: i64 = mod d n\nx: f64 = index u j",
    "first index": "h: i64 = add i 1\nj: i64 = mod h n\nx: f64 = index w j 0",
    "contiguous": "x: f64 = index u i",
}


def left_alone(name: str) -> str:
    """The text of a program that has nothing to peel."""
    return (
        "def f(u: f64[n], w: f64[n, m], k: i64) {\n"
        f"r: f64[n] = map n (i: i64) {{\n{LEFT_ALONE[name]}\nreturn x\n}}\nreturn r\n}}"
    )


def random_stencil(seed: int) -> Function:
    """A map or reduction over a row whose neighbours wrap around, stop at the ends, or are absent."""
    dice = random.Random(seed)
    m, n = Var("m", Type(I64)), Var("n", Type(I64))
    u, w, v = Var("u", Type(F64, (n,))), Var("w", Type(F64, (m, n))), Var("v", Type(F64, (m,)))
    b = Builder()
    last = b.apply("sub", n, i64(1))
    size = dice.choice([n, n, n, i64(40), b.apply("max", b.apply("sub", n, i64(dice.randint(1, 3))), i64(0))])
    shift = b.apply("mod", i64(dice.choice([-2, -1, 1, 3])), n)

    def body(b: Builder, i: Var) -> Atoms:
        values: list[Atom] = [f64(1.0)]
        for _ in range(dice.randint(1, 4)):
            place = dice.choice(_PLACES)(b, dice, i, n, last, shift)
            values.append(_read(b, dice, place, (u, v, w)))
            if dice.random() < 0.4:
                values.append(_branch(b, dice, i, last, values[-1], (u, v, w)))
        total = values[0]
        for value in values[1:]:
            total = b.apply(dice.choice(["add", "sub", "mul"]), total, value)
        if element == "pair":
            return (b.apply("stack", total, values[1]), b.apply("lt", i, n))
        return (total,)

    element = dice.choice(["number", "number", "pair", "sum"])
    if element == "sum":
        op, neutral = dice.choice([("add", 0.0), ("max", -np.inf)])
        results = b.reduce(size, op, (f64(neutral),), body)
    else:
        results = b.map_(size, body)
    return Function("stencil", (u, w, v), b.block(results))


def _periodic(b: Builder, dice: random.Random, i: Var, n: Var, _last: Var, _shift: Var) -> Var:
    return b.apply("mod", b.apply("add", i, i64(dice.randint(-3, 3))), n)


def _periodic_above(b: Builder, dice: random.Random, i: Var, n: Var, _last: Var, _shift: Var) -> Var:
    return b.apply("mod", b.apply("add", b.apply("add", i, i64(dice.randint(-2, 2))), n), n)


def _clamped(b: Builder, dice: random.Random, i: Var, _n: Var, last: Var, _shift: Var) -> Var:
    inner = b.apply("max", b.apply("add", i, i64(dice.randint(-3, 3))), i64(0))
    return b.apply("min", inner, last)


def _negative(b: Builder, dice: random.Random, i: Var, n: Var, _last: Var, _shift: Var) -> Var:
    place = b.apply("add", i, i64(dice.randint(-2, 1)))
    return b.apply("select", b.apply("lt", place, i64(0)), b.apply("add", place, n), place)


def _chosen(b: Builder, dice: random.Random, i: Var, _n: Var, last: Var, _shift: Var) -> Var:
    following = b.apply("add", i, i64(1))
    return b.apply("select", b.apply(dice.choice(["le", "lt"]), following, last), following, i64(0))


def _rolled(b: Builder, _dice: random.Random, i: Var, n: Var, _last: Var, shift: Var) -> Var:
    place = b.apply("sub", i, shift)
    return b.apply("select", b.apply("lt", place, i64(0)), b.apply("add", place, n), place)


_PLACES: list[Callable[..., Var]] = [_periodic, _periodic_above, _clamped, _negative, _chosen, _rolled]


def _read(b: Builder, dice: random.Random, place: Var, arrays: tuple[Var, Var, Var]) -> Var:
    u, v, w = arrays
    match dice.randrange(4):
        case 0:
            b.check("bounds", place, v.type.shape[0])
            return b.apply("index", v, place)
        case 1:
            b.check("bounds", i64(1), w.type.shape[0])
            b.check("bounds", place, u.type.shape[0])
            return b.apply("index", w, i64(1), place)
        case _:
            b.check("bounds", place, u.type.shape[0])
            return b.apply("index", u, place)


def _branch(b: Builder, dice: random.Random, i: Var, last: Var, other: Atom, arrays: tuple[Var, Var, Var]) -> Atom:
    bound = dice.choice([i64(0), i64(1), last, b.apply("sub", last, i64(1))])
    cond = b.apply(dice.choice(["eq", "ne", "lt", "le", "gt", "ge"]), i, bound)
    if dice.random() < 0.3:
        cond = b.apply("or", cond, b.apply("eq", i, last))
    return b.if_(cond, lambda b: (_read(b, dice, i, arrays),), lambda b: (b.apply("exp", b.apply("sin", other)),))[0]


def stencil_arguments(m: int, n: int, seed: int) -> list[np.ndarray]:
    """Arguments of a random stencil."""
    values = np.random.default_rng([m, n, seed])
    return [values.normal(size=n), values.normal(size=(m, n)), values.normal(size=m)]
