"""States that a loop keeps are made in the rows where they are kept, where nothing else wants them elsewhere."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tapeless as tp
from tapeless.backend import cpu
from tapeless.ir.check import check
from tapeless.ir.core import For
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.walk import statements
from tapeless.passes import in_stack, pipeline
from tapeless.passes.notes import Notes

assert pipeline  # registers the operations

KEPT = """
def kept(x: f64[SIZE], k: i64) {
  z: f64[k, SIZE] = START k SIZE
  last: f64[SIZE], s: f64[k, SIZE] = for COUNT [x z] (i: i64, a: f64[SIZE], p: f64[k, SIZE]) {
    PUSH
    b: f64[SIZE] = map SIZE (j: i64) {
      j1: i64 = add j 1
      m: i64 = mod j1 SIZE
      e: f64 = index a j
      f: f64 = index a m
      g: f64 = sub e f
      t: f64 = sin g
      return t
    }
    NEXT
  }
  r: f64[k] = map k (i2: i64) {
    USE
    return o
  }
  return last rRESULT
}
"""
USUAL = {
    "SIZE": "n",
    "START": "replicate[scratch] 0.0",
    "COUNT": "k",
    "PUSH": "q: f64[k, n] = update p a i",
    "NEXT": "return b q",
    "USE": "o: f64 = index s i2 0",
    "RESULT": "",
}


def text_of(**changed: str) -> str:
    text = KEPT
    for name, part in (USUAL | changed).items():
        text = text.replace(name, part)
    return text


def carried(text: str, *arguments: object) -> int:
    """What the loop carries after the pass; the results are those of the function as it was."""
    function = parse_function(text)
    changed = in_stack.run(function, Notes())
    check(changed)
    expected = evaluate(function, list(arguments))
    for run in (evaluate, cpu.compile_and_run):
        for want, got in zip(expected, run(changed, list(arguments)), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-15)
    (loop,) = (stm.expr for stm in statements(changed.body) if isinstance(stm.expr, For))
    return len(loop.init)


@pytest.mark.parametrize("k", [0, 1, 2, 7])
@pytest.mark.parametrize("n", [1, 5, 70])
def test_a_state_lives_where_it_is_kept(k: int, n: int) -> None:
    assert carried(text_of(), np.linspace(0.2, 1.1, n), k) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"START": "replicate 0.0"},  # rows that are not written are zeros
        {"PUSH": "i0: i64 = min i 0\n q: f64[k, n] = update p a i0", "USE": "o: f64 = index s 0 0"},
        {"PUSH": "q: f64[k, n] = update p x i"},
        {"PUSH": "o2: f64[k, n] = update p a i\n q: f64[k, n] = update o2 a i"},
        {"NEXT": "y: f64 = index b 0\n c: f64[n] = update b y 0\n return c q"},  # not what the map makes
        {"NEXT": "w: f64 = index b 0\n v: f64 = mul w 0.0\n return b q"},  # it is read as well
        {"NEXT": "return a q"},
        {"RESULT": " s"},
        {"USE": "v: f64[n, k] = transpose[1, 0] s\n o: f64 = index v 0 i2"},
        {
            "NEXT": "n1: i64 = add n -1\n c: f64[n1] = slice x 0 n1 1\n d: f64[1] = stack 1.0\n"
            "y: f64[n] = concat[0] d c n\n return y q"
        },  # of what no map makes anew
    ],
)
def test_others_are_left_alone(changed: dict[str, str]) -> None:
    assert carried(text_of(**changed), np.linspace(0.2, 1.1, 6), 4) == 2


def test_a_count_of_its_own_and_a_literal_size_are_left_alone() -> None:
    assert carried(text_of(COUNT="2", USE="o: f64 = index s 0 0"), np.linspace(0.2, 1.1, 6), 4) == 2
    literal = text_of(SIZE="3", PUSH="q: f64[k, 3] = update p a i")
    assert carried(literal, np.linspace(0.2, 1.1, 3), 4) == 2


def test_two_states_and_a_number_beside_them() -> None:
    two = """
def two(x: f64[n], y: f64[n], k: i64) {
  z: f64[k, n] = replicate[scratch] 0.0 k n
  w: f64[k, n] = replicate[scratch] 0.0 k n
  u: f64[n], c: f64, v: f64[n], s: f64[k, n], t: f64[k, n] = for k [x 1.0 y z w] PARAMS {
    p1: f64[k, n] = update p b i
    q1: f64[k, n] = update q a i
    a1: f64[n], b1: f64[n] = map n (j: i64) {
      e: f64 = index a j
      f: f64 = index b j
      g: f64 = mul e d
      h: f64 = sub f g
      return h e
    }
    d1: f64 = add d 0.5
    return a1 d1 b1 p1 q1
  }
  r: f64[k] = map k (l: i64) {
    m: f64 = index s l 0
    o: f64 = index t l 0
    x1: f64 = mul m 10.0
    x2: f64 = add x1 o
    return x2
  }
  return u c v r
}
"""
    two = two.replace("PARAMS", "(i: i64, a: f64[n], d: f64, b: f64[n], p: f64[k, n], q: f64[k, n])")
    assert carried(two, np.array([0.3, -1.0, 2.0]), np.array([1.0, 0.5, 0.25]), 5) == 3


def stepped(x, steps: int):
    for _ in range(steps):
        y = np.empty_like(x)
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                y[i, j] = np.sin(x[i, j]) * x[(i + 1) % x.shape[0], j]
        x = y
    return np.sum(x)


def test_the_forward_sweep_of_a_gradient_copies_no_state() -> None:
    gradient, x = tp.grad(stepped), np.linspace(0.5, 1.5, 50).reshape(10, 5)
    tp.testing.check_grads(stepped, x[:3, :2], 4)
    loop = next(line for line in gradient.show("ir", x, 6).splitlines() if " = for " in line)
    (init,) = re.findall(r"for \S+ \[(.*?)\] \(", loop)
    assert len(init.split()) == 1


ROWS = """
def rows(x: f64[n], k: i64) {
  k1: i64 = add k 1
  z: f64[k1, n] = replicate 0.5 k1 n
  y: f64[k1, n] = replicate 0.25 k1 n
  u: f64[k1, n], v: f64[k1, n] = for k [z y] (i: i64, p: f64[k1, n], q: f64[k1, n]) {
    i1: i64 = add i 1
    a: f64[n] = index p READ
    c: f64[n], d: f64[n] = map n (j: i64) {
      j1: i64 = add j 1
      m: i64 = mod j1 n
      e: f64 = index a m
      f: f64 = index x j
      g: f64 = mul e f
      h: f64 = OTHER
      l: f64 = add h g
      return g l
    }
    r: f64[k1, n] = update p c i1
    t: f64[k1, n] = update q d i1
    return r t
  }
  return u v
}
"""


@pytest.mark.parametrize("read", ["i", "i1"])
@pytest.mark.parametrize("other", ["index q i j", "index q i1 m", "index p i m", "index p i1 m", "neg f"])
def test_a_row_is_made_in_its_place_only_beside_what_is_read(read: str, other: str) -> None:
    function = parse_function(ROWS.replace("READ", read).replace("OTHER", other))
    x = np.linspace(0.3, 1.2, 37)
    for want, got in zip(evaluate(function, [x, 4]), cpu.compile_and_run(function, [x, 4]), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-13)


RING = """
def ring(x: f64[n], k: i64) {
  n1: i64 = sub n 1
  z: f64[k, n] = replicate[scratch] 0.0 k n
  last: f64[n], s: f64[k, n] = for k [x z] (i: i64, a: f64[n], p: f64[k, n]) {
    q: f64[k, n] = update p a i
    v: f64 = index a n1
    w: f64 = mul v 0.5
    c: f64[n] = update a w AT
    b: f64[n1] = map n1 (j: i64) {
      j1: i64 = add j 1
      e: f64 = index c j1
      f: f64 = index a j
      g: f64 = sub e f
      h: f64 = sin g
      return h
    }
    d: f64[1] = stack w
    y: f64[n] = concat[0] PARTS n
    return y q
  }
  r: f64[k] = map k (l: i64) {
    o: f64 = index s l 0
    return o
  }
  return last r
}
"""


@pytest.mark.parametrize("k", [0, 1, 5])
@pytest.mark.parametrize("n", [1, 2, 9, 70])
@pytest.mark.parametrize("parts", ["d b", "b d"])
def test_what_is_joined_is_made_in_its_row(n: int, k: int, parts: str) -> None:
    """Neither is the state copied nor the array that differs from it in one place: nothing reads it there."""
    text = RING.replace("AT", "0").replace("PARTS", parts)
    assert carried(text, np.linspace(0.2, 1.1, n), k) == 1
    changed = in_stack.run(parse_function(text), Notes())
    (loop,) = (stm.expr for stm in statements(changed.body) if isinstance(stm.expr, For))
    assert sum(getattr(stm.expr, "op", "") == "update" for stm in loop.body.body.stms) == 1


@pytest.mark.parametrize("at", ["n1", "1", "i"])
def test_what_is_read_where_it_was_written_stays(at: str) -> None:
    text = RING.replace("AT", at).replace("PARTS", "b d")
    x = np.linspace(0.2, 1.1, 9)
    assert carried(text, x, 5) == 1
    changed = in_stack.run(parse_function(text), Notes())
    (loop,) = (stm.expr for stm in statements(changed.body) if isinstance(stm.expr, For))
    assert sum(getattr(stm.expr, "op", "") == "update" for stm in loop.body.body.stms) == 2


JOINED = """
def joined(x: f64[n], k: i64) {
  k1: i64 = add k 1
  n1: i64 = sub n 1
  z: f64[k1, n] = replicate 0.5 k1 n
  u: f64[k1, n], t: f64 = for k [z 0.0] (i: i64, p: f64[k1, n], s: f64) {
    i1: i64 = add i 1
    a: f64[n] = index p READ
    c: f64[n1] = map n1 (j: i64) {
      j1: i64 = add j 1
      e: f64 = index a j1
      f: f64 = index x j
      g: f64 = mul e f
      h: f64 = OTHER
      l: f64 = add h g
      return l
    }
    BETWEEN
    d: f64[1] = stack v
    y: f64[n] = concat[0] PARTS n
    r: f64[k1, n] = update p y i1
    w: f64 = BEHIND
    s1: f64 = add s w
    return r s1
  }
  return u t
}
"""


@pytest.mark.parametrize("read", ["i", "i1"])
@pytest.mark.parametrize("other", ["neg f", "index p i j1", "index p i1 j", "index p i1 j1"])
@pytest.mark.parametrize("between", ["index x 0", "index p i1 n1", "index p i 0", "index a n1", "index c 0"])
@pytest.mark.parametrize("behind", ["index x 0", "index a n1", "index r i1 0"])
@pytest.mark.parametrize("parts", ["c d", "d c"])
def test_a_joined_row_is_made_in_its_place_only_beside_what_is_read(
    read: str, other: str, between: str, behind: str, parts: str
) -> None:
    text = JOINED.replace("READ", read).replace("OTHER", other).replace("BETWEEN", f"v: f64 = {between}")
    function = parse_function(text.replace("BEHIND", behind).replace("PARTS", parts))
    x = np.linspace(0.3, 1.2, 37)
    for want, got in zip(evaluate(function, [x, 4]), cpu.compile_and_run(function, [x, 4]), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-13)


def test_the_forward_sweep_over_a_ring_copies_no_state() -> None:
    def ring(u, steps: int):
        n = len(u)
        half = np.empty(n)
        for _ in range(steps):
            for i in range(n - 1):
                half[i] = 0.5 * (u[i] + u[i + 1]) - 0.1 * (u[i + 1] ** 2 - u[i] ** 2)
            half[n - 1] = 0.5 * (u[n - 1] + u[0]) - 0.1 * (u[0] ** 2 - u[n - 1] ** 2)
            u[0] -= 0.2 * (half[0] ** 2 - half[n - 1] ** 2)
            for i in range(1, n):
                u[i] -= 0.2 * (half[i] ** 2 - half[i - 1] ** 2)
        return np.sum(u**2)

    for n in (1, 2, 3, 11, 90):
        tp.testing.check_grads(ring, 1.0 + 0.3 * np.sin(np.arange(n)), 4)
    text = tp.grad(ring).show("ir", np.ones(20), 6)
    assert text.count("update_slice stack") == 0
    forward = text[text.index(" = for ") : text.index("update stack")]
    assert "update u" not in forward
