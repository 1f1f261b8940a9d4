"""Places that have nothing in common: never claimed of places that share an element, in either order of a span."""

from __future__ import annotations

from itertools import product

import pytest

from tapeless.inversion.apart import are_apart
from tapeless.ir.types import I64, Type, Var, i64
from tapeless.passes.affine import Affine
from tapeless.passes.facts import Facts


def number(k):
    return Affine(k, {})


def elements(part):
    return (
        {part.const} if isinstance(part, Affine) else {part[0].const + k * part[2].const for k in range(part[1].value)}
    )


PARTS = [
    *(number(k) for k in range(4)),
    *((number(start), i64(size), number(step)) for start in range(4) for size in (1, 2) for step in (1, -1, 2, -2, 3)),
]


@pytest.mark.parametrize("one", PARTS, ids=str)
def test_claims_are_right(one):
    facts = Facts({}, {})
    found = [are_apart(facts, (one,), (other,)) for other in PARTS]
    assert not any(apart and elements(one) & elements(other) for other, apart in zip(PARTS, found, strict=True))
    assert any(found)


def test_one_dimension_is_enough():
    facts = Facts({}, {})
    row, span = number(1), (number(3), i64(2), number(-1))
    for first, second in product((row, span), repeat=2):
        assert are_apart(facts, (first, number(0)), (second, number(1)))
    assert not are_apart(facts, (row, span), (row, number(2)))


def test_steps_pass_over_each_other():
    facts = Facts({}, {})
    n = Var("n", Type(I64))
    odd, even = (number(1), n, number(2)), (number(0), n, number(2))
    assert are_apart(facts, (odd,), (even,))
    assert are_apart(facts, (odd,), (Affine(4, {"i": 2}),))
    assert are_apart(facts, (odd,), (Affine(2, {"i": 4}),))
    assert not are_apart(facts, (odd,), (Affine(2, {"i": 3}),))
    assert not are_apart(facts, ((number(1), n, number(3)),), (Affine(0, {"i": 2}),))
    # 3 i and 3 j + 1 may be one number modulo 2^64.
    assert not are_apart(facts, ((number(1), n, number(3)),), (Affine(0, {"i": 3}),))
    assert are_apart(facts, ((number(1), n, number(6)),), (Affine(0, {"i": 6}),))
    assert not are_apart(facts, (odd,), ((number(0), n, Affine(0, {"step": 1})),))
