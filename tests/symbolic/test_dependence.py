"""What a value depends on, and what hides it: a product may not stand for a product that is masked."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.text import parse_function
from tapeless.symbolic.dependence import Dependence
from tapeless.symbolic.table import Table
from tapeless.testing.coarsen_judge import judge_coarse, request

A, B = frozenset({1}), frozenset({2})


def test_a_mask_is_part_of_the_dependence():
    d = Dependence(())
    x, a, b = d.new(), d.new(), d.new()
    assert d.scaled(x, a, A) != x | a
    assert d.scaled(d.scaled(x, a, A), a, A) == d.scaled(x, a, A)
    assert d.scaled(d.scaled(x, a, A), b, B) != d.scaled(d.scaled(x, b, B), a, A)  # one is hidden by the other
    both = d.union(d.scaled(x, a, A), d.scaled(x, b, B))
    assert d.scaled(both, a, A) != d.union(both, a)


def test_what_is_seen_more_often_says_all():
    d = Dependence(())
    x, a, b = d.new(), d.new(), d.new()
    once = d.scaled(x, a, A)
    assert d.union(d.scaled(once, b, B), once) == once | b
    assert d.union(once, x) == x | a


@pytest.mark.parametrize("seed", range(20))
def test_unions_are_the_least_that_say_all(seed):
    """Against the definition: a pair goes where another one with the same source has some of its factors."""
    rng = np.random.default_rng(seed)
    d = Dependence(("c", "e"))
    made = [d.new() for _ in range(3)]
    for _ in range(60):
        x, y = (made[k] for k in rng.integers(0, len(made), 2))
        factors = frozenset(int(k) for k in rng.integers(0, 4, rng.integers(0, 3)))
        match rng.integers(0, 3):
            case 0:
                made.append(d.chosen("ce"[rng.integers(0, 2)], x, y))
            case 1:
                made.append(d.scaled(x, y, factors))
            case _:
                made.append(d.union(x, y))
                assert made[-1] == _least(d, x | y)


def _least(d: Dependence, x: int) -> int:
    parts = dict(d._parts(x))
    for number, outcomes in parts.items():
        source, factors = d._pairs[number]
        for other, seen in parts.items():
            if d._pairs[other][0] == source and d._pairs[other][1] < factors:
                x &= ~((seen & outcomes) << number * d._outcomes)
    return x


def test_many_masks_take_no_time():
    """Random seed 760004173: all pairs were compared with all others at every sum."""
    assert judge_coarse(request(760004173)).kind == "ok"


def test_constants_hide_nothing():
    d = Dependence(())
    x, y = d.new(), d.new()
    assert d.scaled(x, y, frozenset()) == x | y


def test_choices_are_told_apart_by_their_outcomes():
    d = Dependence(("c",))
    x, y = d.new(), d.new()
    z = d.chosen("c", d.scaled(x, y, A), y)
    assert z != d.scaled(x, y, A)
    assert d.chosen("c", z, d.scaled(x, y, A)) == d.scaled(x, y, A)
    assert d.chosen("other", x, y) != d.chosen("other", x, y)


def test_too_many_masks_are_like_no_others():
    d = Dependence(())
    whole = x = d.new()
    for k in range(10):
        left, right = frozenset({2 * k + 1}), frozenset({2 * k + 2})
        whole = d.union(d.scaled(whole, x, left), d.scaled(whole, x, right))
    assert whole.bit_length() < 20_000


def test_a_masked_product_stays_masked_in_a_body():
    """The adjoint of the root is infinite where x is 0, and hidden twice by x, once by what is not 0 there."""

    def weighted(x):
        return np.sqrt(np.sum((1.0 + x**3) * x**2))

    assert np.array_equal(tp.grad(weighted)(np.zeros(3)), np.zeros(3))


FLAT = """\
def flat(u.1: f64, v.2: f64) {
  a.3: f64 = mul u.1 u.1
  b.4: f64 = add a.3 1.0
  c.5: f64 = div v.2 b.4
  d.6: f64 = tanh u.1
  e.7: f64 = mul a.3 c.5
  return e.7
}"""


def test_what_is_finite_where_an_operand_is_not_does_not_depend_on_it():
    """v / (1 + u u) is 0 where u is infinite; tanh u is 1."""
    table = Table(parse_function(FLAT).body.stms, {})
    u, v, quotient, bounded, product = (
        table.classes.inputs[table.of[name][0]] for name in ("u.1", "v.2", "c.5", "d.6", "e.7")
    )
    assert not u & (quotient | bounded)
    assert v & quotient
    assert product == u | quotient
