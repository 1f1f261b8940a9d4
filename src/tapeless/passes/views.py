"""Reading through array operations: the element of a slice, transpose, replicate, ... is an element of its source.

    slice(a, s, n, t)[i] = a[s + i*t]      transpose(a)[i, j] = a[j, i]      replicate(v, n)[i] = v
    update(a, v, k)[i]   = v  when i = k,  a[i]  when i differs from k (small arrays only)
    (if c then update(a, v, k) ...)[k] = v  where c holds

so that the array itself need not exist. Reads are not moved before the write of a large array: that would keep the
old array alive, and the write could no longer be done in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from numpy import ndindex

from ..ir.core import Apply, Block, If
from ..ir.types import Atom, Lit, Type, Var, i64
from .rewrite import Rewriter, Rule, literal, name_of
from .uses import mentioned

Result = Atom | Apply | None
RULES: dict[str, Rule] = {}
SMALL = 64
# So many single writes stand for one of a column.
FEW = 32


def _rule(op: str) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        RULES[op] = rule
        return rule

    return register


def same(x: Atom, y: Atom) -> bool:
    """Are two atoms of one scope the same value for certain?"""
    return x is y or (isinstance(x, Var) and isinstance(y, Var) and x.name == y.name) or (isinstance(x, Lit) and x == y)


def element_count(type: Type) -> int | None:
    """How many elements, when all sizes are literal."""
    total = 1
    for size in type.shape:
        if not isinstance(size, Lit):
            return None
        total *= int(size.value)
    return total


def is_small(type: Type, limit: int = SMALL) -> bool:
    """Is it an array of literal sizes with few elements?"""
    count = element_count(type)
    return count is not None and count <= limit


def compare_indices(r: Rewriter, xs: Sequence[Atom], ys: Sequence[Atom]) -> bool | None:
    """True when the index tuples are equal (as far as both go), False when they differ, None when unknown."""
    verdict: bool | None = True
    for x, y in zip(xs, ys, strict=False):
        if same(x, y):
            continue
        (base_x, shift_x), (base_y, shift_y) = _split(r, x), _split(r, y)
        if base_x == base_y:
            if shift_x != shift_y:
                return False
        else:
            verdict = None
    return verdict


def _split(r: Rewriter, atom: Atom) -> tuple[str, int]:
    if isinstance(atom, Lit):
        return "", int(atom.value)
    total = r.operation(atom, "add")
    if total and isinstance(total.args[1], Lit) and isinstance(total.args[0], Var):
        return total.args[0].name, int(total.args[1].value)
    return atom.name, 0


def read(r: Rewriter, array: Atom, indices: Sequence[Atom]) -> Atom:
    """`array` at some leading indices; the array itself when there are none."""
    return r.apply("index", array, *indices) if indices else array


@_rule("index")
def _index(r: Rewriter, e: Apply, type: Type) -> Result:
    source = r.definition(e.args[0])
    if isinstance(source, If):
        return _of_branch(r, source, e.args[1:], type)
    if not isinstance(source, Apply):
        return None
    reader = _READERS.get(source.op)
    new = reader(r, source, e.args[0], e.args[1:]) if reader else None
    # A type may name the same size by another atom; then the array has to stay.
    return new if new is None or isinstance(new, Apply) or new.type == type else None


def _of_branch(r: Rewriter, source: If, at: tuple[Atom, ...], type: Type) -> Result:
    """In another branch on the same condition: an element of what the arm yields, if that is known outside the arm.

    Not of an array that the other arm may write in place: it would have to be kept.
    """
    holds = r.held.get(name_of(source.cond))
    if holds is None or len(source.then.results) != 1:
        return None
    arm, other = (source.then, source.orelse) if holds else (source.orelse, source.then)
    result, made = arm.results[0], {var: stm.expr for stm in arm.stms for var in stm.vars}
    match made.get(result) if isinstance(result, Var) else None:
        case None if name_of(result) not in mentioned(Block(other.stms, ())):
            return Apply("index", (result, *at))
        case Apply("update", (_, value, *where)) if len(at) >= len(where) and compare_indices(r, at, where):
            rest = at[len(where) :]
            if value in made:
                return None
            return Apply("index", (value, *rest)) if rest else value if value.type == type else None
        case _:
            return None


def _of_index(r: Rewriter, source: Apply, array: Atom, at: tuple[Atom, ...]) -> Result:
    # A row that is read outside an inner loop stays a row: the back end packs it once.
    # A column is not worth that.
    here = isinstance(array, Var) and r.depths.get(array.name) == r.depth
    if here or r.operation(source.args[0], "transpose"):
        return Apply("index", (*source.args, *at))
    return None


def _of_slice(r: Rewriter, source: Apply, _array: Atom, at: tuple[Atom, ...]) -> Result:
    base, triples = source.args[0], source.args[1:]
    dims = len(triples) // 3
    places = list(at)
    for d in range(min(dims, len(at))):
        start, step = triples[3 * d], triples[3 * d + 2]
        places[d] = r.apply("add", r.apply("mul", at[d], step), start)
    if len(at) >= dims:
        return Apply("index", (base, *places))
    return Apply("slice", (read(r, base, places), *triples[3 * len(at) :]))


def _of_replicate(_r: Rewriter, source: Apply, _array: Atom, at: tuple[Atom, ...]) -> Result:
    value, sizes = source.args[0], source.args[1:]
    if len(at) < len(sizes):
        return Apply("replicate", (value, *sizes[len(at) :]))
    rest = at[len(sizes) :]
    return Apply("index", (value, *rest)) if rest else value


def _of_iota(_r: Rewriter, _source: Apply, _array: Atom, at: tuple[Atom, ...]) -> Result:
    return at[0]


def _of_stack(_r: Rewriter, source: Apply, _array: Atom, at: tuple[Atom, ...]) -> Result:
    position = literal(at[0])
    if position is None or not 0 <= position < len(source.args):
        return None
    element = source.args[int(position)]
    return Apply("index", (element, *at[1:])) if at[1:] else element


def _of_transpose(r: Rewriter, source: Apply, _array: Atom, at: tuple[Atom, ...]) -> Result:
    axes = [int(axis) for axis in source.attrs]  # type: ignore[call-overload]
    count = len(at)
    if sorted(axes[:count]) != list(range(count)):
        return None
    places: list[Atom] = [at[0]] * count
    for d in range(count):
        places[axes[d]] = at[d]
    if count == len(axes):
        return Apply("index", (source.args[0], *places))
    rest = tuple(axis - count for axis in axes[count:])
    return Apply("transpose", (read(r, source.args[0], places),), rest)


def _of_reshape(r: Rewriter, source: Apply, _array: Atom, at: tuple[Atom, ...]) -> Result:
    base, shape = source.args[0], source.args[1:]
    if len(at) < len(shape):
        added = all(literal(size) == 1 for size in shape[: len(at)])
        return base if added and base.type.shape == shape[len(at) :] else None
    old = base.type.shape
    real = [(d, size) for d, size in enumerate(shape) if literal(size) != 1]
    kept = [size for size in old if literal(size) != 1]
    if len(real) == len(kept) and all(same(m, n) for (_, m), n in zip(real, kept, strict=True)):
        positions = iter([at[d] for d, _ in real])
        return Apply("index", (base, *(i64(0) if literal(size) == 1 else next(positions) for size in old)))
    if len(old) != 1:
        return None
    linear = at[0]
    for size, place in zip(shape[1:], at[1:], strict=True):
        linear = r.apply("add", r.apply("mul", linear, size), place)
    return Apply("index", (base, linear))


def _of_update(r: Rewriter, source: Apply, _array: Atom, at: tuple[Atom, ...]) -> Result:
    base, value, where = source.args[0], source.args[1], source.args[2:]
    verdict = compare_indices(r, at, where)
    if verdict is False and is_small(base.type):
        return Apply("index", (base, *at))
    if verdict and len(at) >= len(where):
        rest = at[len(where) :]
        return Apply("index", (value, *rest)) if rest else value
    return None


_Reader = Callable[[Rewriter, Apply, Atom, tuple[Atom, ...]], Result]
_READERS: dict[str, _Reader] = {
    "index": _of_index, "slice": _of_slice, "replicate": _of_replicate, "iota": _of_iota, "stack": _of_stack,
    "transpose": _of_transpose, "reshape": _of_reshape, "update": _of_update,
}  # fmt: skip


@_rule("slice")
def _slice(r: Rewriter, e: Apply, type: Type) -> Result:
    base, triples = e.args[0], e.args[1:]
    whole = all(
        literal(start) == 0 and literal(step) == 1 and same(size, base.type.shape[d])
        for d, (start, size, step) in enumerate(zip(triples[::3], triples[1::3], triples[2::3], strict=True))
    )
    if whole and base.type == type:
        return base
    made = r.operation(base, "replicate")
    if made and len(triples) // 3 <= len(made.args) - 1:
        sizes = (*triples[1::3], *made.args[1 + len(triples) // 3 :])
        return Apply("replicate", (made.args[0], *sizes))
    return None


@_rule("transpose")
def _transpose(r: Rewriter, e: Apply, _type: Type) -> Result:
    axes = [int(axis) for axis in e.attrs]  # type: ignore[call-overload]
    if axes == sorted(axes):
        return e.args[0]
    if inner := r.operation(e.args[0], "transpose"):
        return Apply("transpose", inner.args, tuple(inner.attrs[axis] for axis in axes))
    return None


@_rule("reshape")
def _reshape(r: Rewriter, e: Apply, type: Type) -> Result:
    if e.args[0].type == type:
        return e.args[0]
    if inner := r.operation(e.args[0], "reshape"):
        return Apply("reshape", (inner.args[0], *e.args[1:]))
    inner = r.operation(e.args[0], "replicate")
    return Apply("replicate", (inner.args[0], *e.args[1:])) if inner and not inner.args[0].type.shape else None


@_rule("replicate")
def _replicate(r: Rewriter, e: Apply, _type: Type) -> Result:
    inner = r.operation(e.args[0], "replicate")
    return Apply("replicate", (inner.args[0], *e.args[1:], *inner.args[1:])) if inner else None


@_rule("update")
def _update(r: Rewriter, e: Apply, _type: Type) -> Result:
    base, value, where = e.args[0], e.args[1], e.args[2:]
    kept = r.operation(value, "index")
    if kept and same(kept.args[0], base) and len(kept.args) == len(where) + 1:
        return base if compare_indices(r, kept.args[1:], where) else None
    return None


@_rule("update_slice")
def _update_slice(r: Rewriter, e: Apply, type: Type) -> Result:
    array, value, pairs = e.args[0], e.args[1], e.args[2:]
    whole = all(literal(start) == 0 for start in pairs[::2]) and all(literal(step) == 1 for step in pairs[1::2])
    if whole and value.type == type:
        return value
    column = _column(r, array, value, pairs)
    if column is not None or literal(value.type.shape[0]) != 1:
        return column
    # One row, or one element: an update.
    part = r.apply("index", value, i64(0))
    if pairs[2:]:
        part = r.apply("update_slice", r.apply("index", array, pairs[0]), part, *pairs[2:])
    return Apply("update", (array, part, pairs[0])) if part.type == type.drop(1) else None


def _column(r: Rewriter, array: Atom, value: Atom, pairs: Sequence[Atom]) -> Atom | None:
    """A few elements that stand far apart in memory are written one by one: passes know each place."""
    shape = value.type.shape
    apart = len(pairs) == 2 * len(shape) and literal(shape[-1]) == 1
    if not apart or not is_small(value.type, FEW):
        return None
    for at in ndindex(*(int(literal(size) or 0) for size in shape)):
        steps = [r.apply("mul", i64(k), step) for k, step in zip(at, pairs[1::2], strict=True)]
        place = [r.apply("add", start, step) for start, step in zip(pairs[::2], steps, strict=True)]
        array = r.apply("update", array, r.apply("index", value, *map(i64, at)), *place)
    return array


@_rule("concat")
def _concat(_r: Rewriter, e: Apply, type: Type) -> Result:
    parts = [part for part in e.args[:-1] if literal(part.type.shape[int(e.attrs[0])]) != 0]  # type: ignore[call-overload]
    if len(parts) == 1 and parts[0].type == type:
        return parts[0]
    return Apply("concat", (*parts, e.args[-1]), e.attrs) if parts and len(parts) < len(e.args) - 1 else None
