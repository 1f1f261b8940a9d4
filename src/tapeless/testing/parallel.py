"""Productions of the parallel operators: map, reduce, scan, hist, scatter."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.types import BOOL, I64, Atom, DType, Type, Var, zero
from .bounds import USUAL, counter, fit, gathered, settle, supply
from .operators import Operator, some_operator
from .scope import Production, Scope, Value
from .shapes import elements


def body_scope(s: Scope, b: Builder, i: Var, n: Value) -> Scope:
    """The scope of a body over `n` indices, with a few elements at `i` of arrays of that size."""
    inner = s.child(b, n.hi, (counter(s, i, n.atom),))
    arrays = [v for v in s.values if v.type.is_array and v.type.shape[0] == n.atom]
    for array in s.dice.shuffled(arrays)[: s.dice.between(1, 3)]:
        inner.define(b.apply("index", array.atom, i), array.lo, array.hi, exact=array.exact, below=array.below)
    return inner


def mapping(s: Scope) -> bool:
    """A map of one to three results, some of them rows."""
    n = _size(s)
    made: list[Value] = []

    def body(b: Builder, i: Var) -> Sequence[Atom]:
        inner = body_scope(s, b, i, n)
        inner.grow(s.dice.between(1, 4))
        for _ in range(s.dice.between(1, 3)):
            made.append(_map_result(s, inner, n))
        return [value.atom for value in made]

    for atom, value in zip(s.b.map_(n.atom, body), made, strict=True):
        s.define(atom, value.lo, value.hi, exact=value.exact, below=value.below)
    return True


def _size(s: Scope) -> Value:
    """The size of an array in scope where that is affordable: then its elements are read."""
    if s.dice.chance(0.8):
        array = s.find(lambda v: v.type.is_array and s.extent(v.type.shape[0])[1] <= s.limit)
        if array is not None:
            size = array.type.shape[0]
            lo, hi = s.extent(size)
            return Value(size, lo, hi)
    return s.count()


def _map_result(s: Scope, inner: Scope, n: Value) -> Value:
    """A scalar, or an array whose sizes are known outside the map."""
    if s.dice.chance(0.25):
        row = s.find(lambda v: v.type.is_array and v.type.rank <= 2 and not v.wild)
        if row is not None and elements(s, row.type.shape) * n.hi <= s.most_elements:
            return supply(inner, row.type, -64, 64)
    return gathered(inner, s.any_type())


def _values(inner: Scope, operator: Operator) -> list[Atom]:
    """One value for each accumulator of the operator, within its interval."""
    return [
        fit(inner, _operand(inner, operator, atom.type.dtype), *span).atom
        for atom, span in zip(operator.neutral, operator.spans, strict=True)
    ]


def _operand(inner: Scope, operator: Operator, dtype: DType) -> Value:
    return inner.scalar(dtype, exact=True) if operator.exact else gathered(inner, dtype)


def reduction(s: Scope) -> bool:
    """A reduce with one or several accumulators."""
    n, operator = _size(s), some_operator(s)

    def body(b: Builder, i: Var) -> Sequence[Atom]:
        inner = body_scope(s, b, i, n)
        inner.grow(s.dice.between(0, 3))
        return _values(inner, operator)

    results = s.b.reduce(n.atom, operator.combine, operator.neutral, body)
    for atom, (lo, hi) in zip(results, operator.image(n.hi), strict=True):
        settle(s, atom, lo - 5, hi + 5, exact=operator.exact)
    return True


def row_reduction(s: Scope) -> bool:
    """A sum of arrays."""
    n = _size(s)
    row = s.find(lambda v: v.type.rank == 1 and v.dtype.is_float and not v.wild)
    if row is None or s.work * n.hi * s.extent(row.type.shape[0])[1] > s.most_work:
        return False
    size = row.type.shape[0]

    def combine(b: Builder, x: Var, y: Var) -> Sequence[Atom]:
        return b.map_(size, lambda b, j: (b.apply("add", b.apply("index", x, j), b.apply("index", y, j)),))

    def body(b: Builder, i: Var) -> Sequence[Atom]:
        inner = body_scope(s, b, i, n)
        inner.grow(s.dice.between(0, 2))
        return (supply(inner, row.type, -2, 2).atom,)

    neutral = s.b.apply("replicate", zero(row.dtype), size)
    total = s.b.reduce(n.atom, combine, (neutral,), body)[0]
    s.define(total, -2 * n.hi, 2 * n.hi, exact=False)
    return True


def prefixes(s: Scope) -> bool:
    """A scan with one or several accumulators."""
    n, operator = _size(s), some_operator(s)

    def body(b: Builder, i: Var) -> Sequence[Atom]:
        inner = body_scope(s, b, i, n)
        inner.grow(s.dice.between(0, 2))
        return _values(inner, operator)

    results = s.b.scan(n.atom, operator.combine, operator.neutral, body)
    for atom, (lo, hi) in zip(results, operator.image(n.hi), strict=True):
        s.define(atom, lo - 5, hi + 5, exact=operator.exact)
    return True


def histogram(s: Scope) -> bool:
    """A hist over one or two keys; some keys are out of range and ignored."""
    operator = some_operator(s, commutes=s.dice.chance(0.9))
    rank = s.dice.between(1, 2)
    shape = _destination_shape(s, rank)
    if shape is None:
        return False
    n = _size(s)
    types = [Type(atom.type.dtype, shape) for atom in operator.neutral]
    dest = [supply(s, type, *span) for type, span in zip(types, operator.spans, strict=True)]

    def body(b: Builder, i: Var) -> Sequence[Atom]:
        inner = body_scope(s, b, i, n)
        inner.grow(s.dice.between(0, 2))
        return [*_keys(inner, shape), *_values(inner, operator)]

    results = s.b.hist(n.atom, operator.combine, operator.neutral, [d.atom for d in dest], rank, body)
    for atom, (lo, hi) in zip(results, operator.image(n.hi + 1), strict=True):
        s.define(atom, lo - 5, hi + 5, exact=operator.exact)
    return True


def _destination_shape(s: Scope, rank: int) -> tuple[Atom, ...] | None:
    """The shape of an array in scope."""
    array = s.find(lambda v: v.type.rank == rank)
    return array.type.shape if array is not None else None


def _keys(inner: Scope, shape: Sequence[Atom]) -> list[Atom]:
    """Keys around the range of the sizes: most are in it."""
    keys: list[Atom] = []
    for size in shape:
        inside = inner.find(lambda v, size=size: v.below == size and v.type == Type(I64))
        if inside is not None and inner.dice.chance(0.6):
            keys.append(inside.atom)
        else:
            keys.append(fit(inner, inner.scalar(I64), -1, inner.extent(size)[1]).atom)
    return keys


def scattering(s: Scope) -> bool:
    """A scatter of elements or rows; later ones win."""
    array = s.find(lambda v: v.type.is_array and v.type.rank <= 2 and not v.wild)
    if array is None:
        return False
    n, keys = _size(s), s.dice.between(1, array.type.rank)
    element = array.type.drop(keys)
    made: list[Value] = []

    def body(b: Builder, i: Var) -> Sequence[Atom]:
        inner = body_scope(s, b, i, n)
        inner.grow(s.dice.between(0, 2))
        made.append(supply(inner, element, *USUAL) if array.dtype is not BOOL else supply(inner, element, 0, 1))
        return [*_keys(inner, array.type.shape[:keys]), made[0].atom]

    result = s.b.scatter(n.atom, array.atom, keys, body)
    lo, hi = min(array.lo, made[0].lo), max(array.hi, made[0].hi)
    s.define(result, lo, hi, exact=array.exact and made[0].exact)
    return True


PARALLEL = (
    Production("map", 6, mapping, nested=True),
    Production("reduce", 3.5, reduction, nested=True),
    Production("row_reduce", 0.5, row_reduction, nested=True),
    Production("scan", 1.5, prefixes, nested=True),
    Production("hist", 1.5, histogram, nested=True),
    Production("scatter", 1.5, scattering, nested=True),
)
