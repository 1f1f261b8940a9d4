"""Facts about sizes: linear forms, bounds, comparisons."""

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.front.sizes import Linear, Sizes
from tapeless.ir.build import Builder
from tapeless.ir.types import I64, Type, Var, i64
from tapeless.ir.walk import fresh


def size(sizes, name="n"):
    var = fresh(name, Type(I64))
    sizes.at_least_constant(var, 0)
    return var


def test_equal_sums_are_the_same_atom():
    b, sizes = Builder(), Sizes()
    n = size(sizes)
    less = sizes.sub(b, n, i64(1))
    assert sizes.add(b, less, i64(1)) is n
    assert sizes.sub(b, n, i64(1)) is less
    assert sizes.sub(b, n, n) == i64(0)
    assert len(b.stms) == 1


def test_products_with_constants_are_linear():
    b, sizes = Builder(), Sizes()
    n = size(sizes)
    twice = sizes.mul(b, i64(2), n)
    assert sizes.same(sizes.sub(b, twice, n), n)


def test_counters_are_in_range():
    b, sizes = Builder(), Sizes()
    n, i, j = size(sizes), fresh("i", Type(I64)), fresh("j", Type(I64))
    sizes.below(i, sizes.sub(b, n, i64(1)))
    sizes.below(j, sizes.sub(b, n, i))
    assert sizes.in_range(sizes.add(b, i, i64(1)), n)
    assert not sizes.in_range(sizes.add(b, i, i64(2)), n)
    assert sizes.in_range(sizes.add(b, i, j), n)
    assert not sizes.in_range(sizes.sub(b, i, i64(1)), n)


def test_several_limits_hold_at_once():
    sizes = Sizes()
    m, n, k = size(sizes, "m"), size(sizes), fresh("k", Type(I64))
    sizes.below(k, m, n)
    assert sizes.in_range(k, m)
    assert sizes.in_range(k, n)


def test_comparisons_with_one_answer():
    b, sizes = Builder(), Sizes()
    n = size(sizes)
    more = sizes.add(b, n, i64(1))
    assert sizes.decide("Gt", more, n) is True
    assert sizes.decide("LtE", more, n) is False
    assert sizes.decide("Eq", n, n) is True
    assert sizes.decide("NotEq", more, n) is True
    assert sizes.decide("GtE", n, i64(0)) is True
    assert sizes.decide("Eq", n, i64(1)) is None
    sizes.not_one.add(n)
    assert sizes.decide("Eq", n, i64(1)) is False


def test_unified_sizes_are_the_same():
    b, sizes = Builder(), Sizes()
    m, n = size(sizes, "m"), size(sizes)
    before = sizes.sub(b, n, i64(1))
    sizes.unify(m, n)
    assert sizes.same(m, n)
    assert sizes.same(before, sizes.sub(b, m, i64(1)))
    sizes.unify(m, i64(3))
    assert sizes.linear(n) == Linear(3)


def test_facts_of_a_block_stay_inside():
    b, sizes = Builder(), Sizes()
    n: Var = size(sizes)
    inner = sizes.child()
    inner.unify(n, i64(4))
    inner.sub(Builder(), n, i64(1))
    assert not sizes.same(n, i64(4))
    assert isinstance(sizes.sub(b, n, i64(1)), Var)
    assert b.stms


def test_extremes_fold_where_the_order_is_known():
    b, sizes = Builder(), Sizes()
    n = size(sizes)
    less = sizes.sub(b, n, i64(1))
    assert sizes.max(b, n, i64(0)) is n
    assert sizes.min(b, less, n) is less
    clamped = sizes.max(b, less, i64(0))
    assert sizes.least(clamped) == 0
