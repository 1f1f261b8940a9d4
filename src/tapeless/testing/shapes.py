"""Productions that make and rearrange whole arrays: replicate, iota, reshape, transpose, concat, stack, argsort."""

from __future__ import annotations

from ..ir.types import Atom, Lit, Type, i64
from .scope import Production, Scope, Value


def elements(s: Scope, shape: tuple[Atom, ...]) -> int:
    """At most how many elements an array of this shape has."""
    count = 1
    for size in shape:
        count *= s.extent(size)[1]
    return count


def some_size(s: Scope) -> Atom:
    """A size in scope, or a small literal."""
    sizes = [size for value in s.values for size in value.type.shape]
    if sizes and s.dice.chance(0.7):
        return s.dice.recent(sizes)
    return i64(s.dice.pick((0, 1, 2, 3, 4)))


def replication(s: Scope) -> bool:
    """One value many times, or an array many times."""
    value = s.find(lambda v: v.type.rank <= 2 and not v.wild)
    if value is None:
        return False
    shape = tuple(some_size(s) for _ in range(s.dice.between(1, max(1, 2 - value.type.rank))))
    if elements(s, (*shape, *value.type.shape)) > s.most_elements:
        return False
    result = s.b.apply("replicate", value.atom, *shape)
    s.define(result, value.lo, value.hi, exact=value.exact, below=value.below)
    return True


def counting(s: Scope) -> bool:
    """0, 1, ..., n - 1."""
    size = some_size(s)
    s.define(s.b.apply("iota", size), 0, max(0, s.extent(size)[1] - 1), below=size)
    return True


def reshaping(s: Scope) -> bool:
    """The same elements in another shape: flattened, with a dimension of 1, or folded."""
    array = s.find(lambda v: 1 <= v.type.rank <= 3)
    if array is None:
        return False
    shape = array.type.shape
    if array.type.rank >= 2 and s.dice.chance(0.6):
        new = (_product(s, shape[0], shape[1]), *shape[2:])
    elif array.type.rank == 3:
        return False
    elif s.dice.chance(0.5):
        new = (i64(1), *shape)
    else:
        new = (*shape, i64(1))
    result = s.b.apply("reshape", array.atom, *new)
    s.define(result, array.lo, array.hi, exact=array.exact, below=array.below)
    return True


def _product(s: Scope, m: Atom, n: Atom) -> Atom:
    (m_lo, m_hi), (n_lo, n_hi) = s.extent(m), s.extent(n)
    if isinstance(m, Lit) and isinstance(n, Lit):
        return i64(m_lo * n_lo)
    return s.define(s.b.apply("mul", m, n), m_lo * n_lo, m_hi * n_hi).atom


def transposition(s: Scope) -> bool:
    """The dimensions in another order."""
    array = s.find(lambda v: v.type.rank >= 2)
    if array is None:
        return False
    order = tuple(s.dice.shuffled(range(array.type.rank)))
    result = s.b.apply("transpose", array.atom, attrs=order)
    s.define(result, array.lo, array.hi, exact=array.exact, below=array.below)
    return True


def concatenation(s: Scope) -> bool:
    """Two or three arrays one after another along an axis."""
    first = s.find(lambda v: v.type.is_array)
    if first is None or elements(s, first.type.shape) > s.most_elements // 3:
        return False
    axis = s.dice.below(first.type.rank)
    parts = [first]
    for _ in range(s.dice.between(1, 2)):
        parts.append(s.find(lambda v: _alike(v.type, first.type, axis)) or first)
    if sum(elements(s, part.type.shape) for part in parts) > s.most_elements:
        return False
    total = parts[0].type.shape[axis]
    for part in parts[1:]:
        total = _sum(s, total, part.type.shape[axis])
    result = s.b.apply("concat", *(part.atom for part in parts), total, attrs=(axis,))
    _define_union(s, result, parts)
    return True


def _alike(left: Type, right: Type, axis: int) -> bool:
    """Equal types, but for the size along `axis`?"""
    same = left.dtype == right.dtype and left.rank == right.rank
    return same and all(m == n for d, (m, n) in enumerate(zip(left.shape, right.shape, strict=True)) if d != axis)


def _sum(s: Scope, m: Atom, n: Atom) -> Atom:
    (m_lo, m_hi), (n_lo, n_hi) = s.extent(m), s.extent(n)
    if isinstance(m, Lit) and isinstance(n, Lit):
        return i64(m_lo + n_lo)
    return s.define(s.b.apply("add", m, n), m_lo + n_lo, m_hi + n_hi).atom


def _define_union(s: Scope, atom: Atom, parts: list[Value]) -> None:
    lo, hi = min(part.lo for part in parts), max(part.hi for part in parts)
    s.define(atom, lo, hi, exact=all(part.exact for part in parts))


def stacking(s: Scope) -> bool:
    """Scalars or arrays of one type as the rows of an array of literal size."""
    first = s.find(lambda v: v.type.rank <= 2)
    if first is None or elements(s, first.type.shape) > s.most_elements // 4:
        return False
    parts = [first]
    for _ in range(s.dice.between(0, 3)):
        parts.append(s.find(lambda v: v.type == first.type) or first)
    _define_union(s, s.b.apply("stack", *(part.atom for part in parts)), parts)
    return True


def ordering(s: Scope) -> bool:
    """argsort along the last axis; only of exact elements, whose ties are ties everywhere."""
    array = s.find(lambda v: v.type.is_array and v.exact)
    if array is None:
        return False
    size = array.type.shape[-1]
    s.define(s.b.apply("argsort", array.atom), 0, max(0, s.extent(size)[1] - 1), below=size)
    return True


SHAPES = (
    Production("replicate", 1, replication),
    Production("iota", 0.5, counting),
    Production("reshape", 1, reshaping),
    Production("transpose", 1, transposition),
    Production("concat", 1, concatenation),
    Production("stack", 1, stacking),
    Production("argsort", 0.7, ordering),
)
