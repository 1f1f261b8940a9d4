"""Which places of an array are saved for a branch or a loop that writes into it."""

from __future__ import annotations

import pytest

import tapeless.ops as _ops
from tapeless.ad.overwritten import MANY, covering, part_type
from tapeless.ir.core import Apply
from tapeless.ir.types import F64, I64, Type, Var, i64

assert _ops

N, M = Var("n", Type(I64)), Var("m", Type(I64))
I, J, K = (Var(name, Type(I64)) for name in "ijk")
A = Var("a", Type(F64, (i64(3), N, M)))
INSIDE = {"k"}


def update(*place):
    return Apply("update", (A, Var("v", A.type.drop(len(place))), *place))


def span(*triples):
    sizes = triples[1::3]
    value = Var("v", Type(F64, (*sizes, *A.type.shape[len(sizes) :])))
    pairs = [x for start, step in zip(triples[::3], triples[2::3], strict=True) for x in (start, step)]
    return Apply("update_slice", (A, value, *pairs))


def places(*writes):
    return [(access.op, access.args[2:]) for access in covering(A, writes, INSIDE)]


CASES = {
    "the same place twice": ([update(I, J, K), update(I, J, K)], [("update", (I, J))]),
    "a row in a loop": ([update(I, K)], [("update", (I,))]),
    "places of a column": (
        [update(i64(0), I, J), update(i64(2), I, J), update(i64(0), I, J)],
        [("update", (i64(0), I, J)), ("update", (i64(2), I, J))],
    ),
    "few elements, not the row": ([update(I, J, J), update(I, J, I)], [("update", (I, J, J)), ("update", (I, J, I))]),
    "an element of a row that is kept": ([update(I, J), update(I, J, K), update(I, J, J)], [("update", (I, J))]),
    "an index that is not known at all": ([update(K, I), update(I, I)], []),
    "an index that is not known among others": ([update(I, K, J), update(I, J, J)], [("update", (I,))]),
    "a column": ([span(i64(0), i64(3), i64(1), I, i64(1), i64(1))], [("update_slice", (i64(0), i64(1), I, i64(1)))]),
    "a column in a loop": ([span(i64(0), i64(3), i64(1), K, i64(1), i64(1))], [("update_slice", (i64(0), i64(1)))]),
    "a span of one": ([span(I, i64(1), i64(1), J, i64(1), i64(1))], [("update", (I, J))]),
    "a span of unknown size": ([span(I, N, i64(1))], []),
    "a span that moves": ([span(K, i64(2), i64(1))], []),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_places(name):
    writes, expected = CASES[name]
    assert places(*writes) == expected


def test_many_places_are_kept_as_the_part_they_share():
    assert len(places(*(update(I, J, i64(k)) for k in range(MANY)))) == MANY
    assert places(*(update(I, J, i64(k)) for k in range(MANY + 1))) == [("update", (I, J))]


def test_the_part_has_the_type_of_what_is_read():
    (access,) = covering(A, [span(i64(0), i64(2), i64(1), I, i64(1), i64(1))], INSIDE)
    assert part_type(access) == Type(F64, (i64(2), i64(1), M))
    (access,) = covering(A, [update(I)], INSIDE)
    assert part_type(access) == Type(F64, (N, M))
