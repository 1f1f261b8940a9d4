"""Products of matrices with vectors: the same values, in the fewest products with vectors."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.check import check
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers_count import CountingTower
from tapeless.ir.text import parse_function, print_function
from tapeless.passes import simplify
from tapeless.passes.notes import Notes
from tapeless.symbolic import chains
from tapeless.symbolic.rules import fired

from .helpers import agree, before, exactly, operations


def quadratic(v, a, b):
    return (b @ v) @ (a @ b @ v)


def three(v, a, b):
    return a @ b @ a @ v


def from_the_left(v, a, b):
    return v @ (a @ b)


def turned(v, a, b):
    return (a @ b).T @ v


def turned_inside(v, a, b):
    return (a.T @ b.T) @ v


def turned_twice(v, a, b):
    return (a @ b).T @ v + (b @ a.T) @ v


def again(v, a, b):
    return a @ (b @ v) + b @ v


def in_a_loop(v, a, b):
    for _ in range(3):
        v = (a @ b) @ v
    return v


def read_twice(v, a, b):
    both = a @ b
    return both @ v + both @ (2.0 * v)


def of_matrices(v, a, b):
    return (a @ b @ a)[0] * v


def both_ways(v, a, b):
    return (a @ b) @ v + a @ (b @ v)


def two_vectors(v, a, b):
    w = b @ v
    return (a @ w) * (a @ (b @ v))


PROGRAMS = (
    quadratic, three, from_the_left, turned, turned_inside, turned_twice, again, in_a_loop, read_twice, of_matrices,
    both_ways, two_vectors,
)  # fmt: skip
# How many products with a vector are left.
SHORTER = {quadratic: 2, three: 3, from_the_left: 2, turned: 2, turned_inside: 2, turned_twice: 3, in_a_loop: 6,
           again: 2, both_ways: 2, two_vectors: 2}  # fmt: skip


def data(n=7):
    rng = np.random.default_rng(n)
    return rng.normal(size=n), rng.normal(size=(n, n)), rng.normal(size=(n, n))


def rewritten(program):
    new = simplify.run(chains.run(program, Notes()), Notes())
    check(new)
    return new


@pytest.mark.parametrize("function", PROGRAMS)
def test_values_are_the_same(function):
    """In numbers of 60 digits."""
    program, args = before(function, *data()), data()
    wanted, found = (np.ravel(exactly(p, args)[0]) for p in (program, rewritten(program)))
    assert agree(wanted, found)


@pytest.mark.parametrize("function", PROGRAMS)
def test_operations_are_no_more(function):
    args = data()
    program = before(function, *args)
    counts = [operations(p, args) for p in (program, rewritten(program))]
    product, others = 4 * args[1].size, 50  # two loads, a product and a sum for each element
    assert counts[1] <= (SHORTER[function] * product + others if function in SHORTER else counts[0])


def test_the_rules_fire():
    for function, rule in ((three, "chain"), (quadratic, "chain"), (quadratic, "shared")):
        fired.clear()
        rewritten(before(function, *data()))
        assert fired[rule]


def test_what_was_decided_is_told():
    notes = Notes()
    chains.run(before(three, *data()), notes)
    assert [note.decision for note in notes.about("product")] == ["factor by factor"]


def test_matrices_that_are_read_elsewhere_are_made_once():
    fired.clear()
    rewritten(before(read_twice, *data()))
    assert not fired["chain"]


def multiplications(derivative, args):
    tower = CountingTower()
    evaluate(derivative.lower(*args).ir, args, tower)
    return tower.counts["mul"] + tower.counts["scale"]


def test_the_gradient_takes_four_products():
    """X2' (X1 + X1') X2 v: n^2 multiplications for each product with a vector, and a few vectors."""
    n = 40
    args = data(n)
    v, a, b = args
    gradient = tp.grad(quadratic)
    np.testing.assert_allclose(gradient(*args), b.T @ ((a + a.T) @ (b @ v)), rtol=1e-11)
    plain = tp.grad(tp.jit(coarsen=False)(quadratic))
    assert multiplications(gradient, args) <= 4 * n * n + 4 * n
    assert multiplications(plain, args) > n**3


def test_sizes_must_fit():
    v, a, b = data()
    with pytest.raises(ValueError, match="size"):
        tp.grad(quadratic)(v, a, b[:, :-1].copy())


@pytest.mark.parametrize("function", [f for f in PROGRAMS if f is not quadratic])
def test_derivatives_are_right(function):
    args = data(5)

    def total(v, a, b):
        return np.sum(function(v, a, b) ** 2)

    found = tp.grad(total, (0, 1, 2))(*args)
    plain = tp.grad(tp.jit(coarsen=False)(total), (0, 1, 2))(*args)
    for x, y in zip(found, plain, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-11 * np.abs(y).max())


def test_values_round_as_they_are_written():
    args = data(30)
    assert tp.jit(quadratic)(*args) == tp.jit(coarsen=False)(quadratic)(*args)


def partly(v, a):
    return np.sum((a[:, :3] @ v[:3]) * (a @ v) ** 2)


def partly_in_loops(v, a):
    some, all_ = np.empty(len(a)), np.empty(len(a))
    for i in range(len(a)):
        some[i] = sum(a[i, k] * v[k] for k in range(3))
    for i in range(len(a)):
        all_[i] = sum(a[i, k] * v[k] for k in range(len(v)))
    return np.sum(some * all_**2)


@pytest.mark.parametrize("function", [partly, partly_in_loops])
def test_parts_of_a_product_are_not_the_product(function):
    rng = np.random.default_rng(5)
    a, v = rng.normal(size=(4, 6)), rng.normal(size=6)
    some, all_ = a[:, :3] @ v[:3], a @ v
    by_v = a.T @ (2.0 * some * all_)
    by_v[:3] += a[:, :3].T @ all_**2
    np.testing.assert_allclose(tp.grad(function)(v, a), by_v, rtol=1e-12)


APPLIED = """
def f(a: f64[n, m], v: f64[m], c: f64, w: f64[n]) {
  x: f64[n] = map n (i: i64) {
    t: f64 = reduce m [0.0] (p: f64, q: f64) {
      r: f64 = add p q
      return r
    } (k: i64) {
      d: f64 = index a i k
      e: f64 = index v k
      g: f64 = mul d e
      return g
    }
    return t
  }
  return x
}
"""


@pytest.mark.parametrize(
    ("old", "new", "read"),
    [
        ("", "", True),
        ("mul d e", "mul e d", True),
        ("[0.0]", "[1.0]", False),
        ("[0.0]", "[c]", False),
        ("add p q", "max p q", False),
        ("return g", "return d", False),
        ("return t", "return c", False),
        ("      g: f64 = mul", "      u: f64 = neg e\n      g: f64 = mul", False),
        ("mul d e", "add d e", False),
        ("mul d e", "mul d d", False),
        ("mul d e", "scale d e", False),
        ("index v k", "index w i", False),
        ("index a i k", "index a k k", False),
        ("index a i k", "index a 0 k", False),
    ],
)
def test_what_is_a_product_with_a_vector(old, new, read):
    (made,) = parse_function(APPLIED.replace(old, new)).body.stms
    assert (chains._applied(made.expr) is not None) is read


PRODUCT = """
def f(t: f64[2, n, n], b: f64[n, n], v: f64[n]) {
  c: f64[n, n] = map n (i: i64) {
    r: f64[n] = map n (j: i64) {
      s: f64 = reduce n [0.0] (p: f64, q: f64) {
        o: f64 = add p q
        return o
      } (k: i64) {
        d: f64 = index b i k
        e: f64 = index b k j
        g: f64 = mul d e
        return g
      }
      return s
    }
    return r
  }
  x: f64[n] = map n (l: i64) {
    y: f64 = reduce n [0.0] (u: f64, w: f64) {
      z: f64 = add u w
      return z
    } (m: i64) {
      dd: f64 = index c l m
      ee: f64 = index v m
      gg: f64 = mul dd ee
      return gg
    }
    return y
  }
  return x
}
"""


@pytest.mark.parametrize(
    ("old", "new", "matrices"),
    [
        ("", "", 0),
        ("index b i k", "index t 1 i k", 1),
        ("index b k j", "index t 1 k j", 1),
        (
            "mul d e\n",
            "scale d e\n",
            1,
        ),  # zeros in it hide what is infinite, which a product in another order would meet
    ],
)
def test_which_matrices_need_not_be_made(old, new, matrices):
    program = parse_function(PRODUCT.replace(old, new))
    shorter = rewritten(program)
    assert print_function(shorter).count(": f64[n, n] = map") == matrices
    rng = np.random.default_rng(3)
    args = [rng.normal(size=shape) for shape in ((2, 3, 3), (3, 3), (3,))]
    assert agree(exactly(program, args)[0], exactly(shorter, args)[0])


def test_a_program_without_products_stays_the_same_object():
    program = before(read_twice, *data())
    assert chains.run(program, Notes()) is program
