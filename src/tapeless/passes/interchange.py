"""Interchange: a sum of large arrays becomes an array of sums.

    reduce i { map j { map k { e(i, j, k) } } }   ->   map j { map k { reduce i { e(i, j, k) } } }

so that nothing of the size of the result is read and written once for each i: this is how the derivative of a matrix
product becomes two matrix products. What e reads must not be dear to compute again: a value that is, and that belongs
to (i) or (i, j), is computed first for all of them and kept in an array. That array is as large as a matrix between two
others would be; where sizes are literals the sum is left as it is, since the back end adds small arrays up in place.

Where several sums are done together, those for which nothing is kept are done by themselves.

A sum of vectors, `reduce i { map k { e(i, k) } }`, reads its operands in order as it stands, unless one of them is read
along i: `b[k, i]`. But in the body of a map it is a row of a matrix product, if it sums up the rows of a matrix that is
the same for all, times numbers that are not: then it is an array of sums as well, which `jam` knows how to do. A
transposition of what is summed is done once, to the sum.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Block, Check, Function, Lambda, Map, Reduce, Stm
from ..ir.op import lookup
from ..ir.types import Atom, Lit, Var, zero
from ..ir.walk import inline, map_lambdas, refresh, substitute
from ..records import dataclass
from . import dce
from .cost import has_check
from .notes import Notes
from .rewrite import name_of
from .sums import operators, sum_operator
from .uses import bound_names, mentioned, use_counts

# What may be computed again for every element of the result.
CHEAP = 4.0


def run(function: Function, notes: Notes) -> Function:
    """The function with its sums of large arrays turned inside out."""
    body = _block(function.body, notes, frozenset())
    return dce.run(Function(function.name, function.params, body, function.donated), notes)


def _block(block: Block, notes: Notes, own: frozenset[str]) -> Block:
    """`own` are the names that the bodies of the maps around bind: what differs from row to row."""
    stms: list[Stm] = []
    for stm in (part for whole in block.stms for part in _apart(whole)):
        made = _interchanged(stm, own)
        if made is not None:
            notes.add(stm.pos, "sum", "an array of sums", "a sum of large arrays")
        for new in (stm,) if made is None else made:
            if isinstance(new.expr, Apply | Check):
                stms.append(new)
            else:
                below = own | bound_names(Block((new,), ())) if own or isinstance(new.expr, Map) else own
                inner = map_lambdas(new.expr, lambda lam, own=below: Lambda(lam.params, _block(lam.body, notes, own)))
                stms.append(Stm(new.vars, inner, new.pos))
    return Block(tuple(stms), block.results)


# -- several sums ---------------------------------------------------------------------------------


def _apart(stm: Stm) -> list[Stm]:
    """Sums that are done together, but for those that can be turned inside out without keeping anything."""
    expr = stm.expr
    if not isinstance(expr, Reduce) or len(stm.vars) < 2 or set(operators(expr) or "?") != {"add"}:
        return [stm]
    if has_check(expr.body.body.stms):
        return [stm]
    alone = [k for k in range(len(stm.vars)) if _is_free(_some(stm, expr, [k]))]
    rest = [k for k in range(len(stm.vars)) if k not in alone]
    return [_some(stm, expr, some) for some in (*([k] for k in alone), rest) if some] if alone else [stm]


def _some(stm: Stm, expr: Reduce, some: Sequence[int]) -> Stm:
    """The reduction for some of its results."""
    results = tuple(expr.body.body.results[k] for k in some)
    op = sum_operator(Builder(stm.pos), [expr.neutral[k].type for k in some])
    body = refresh(Lambda(expr.body.params, dce.live(Block(expr.body.body.stms, results))))
    neutral = tuple(expr.neutral[k] for k in some)
    return Stm(tuple(stm.vars[k] for k in some), Reduce(expr.size, op, neutral, body), stm.pos)


def _is_free(stm: Stm) -> bool:
    """Can this sum be turned inside out, and is nothing kept for that?"""
    assert isinstance(stm.expr, Reduce)
    nest = _nest(stm.expr) if stm.vars[0].type.shape else None
    return nest is not None and _kept(nest) == {} and _pays(nest, {})


# -- the nest -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Level:
    """A loop of the nest: its counter and size, and the statements of its body around the next one."""

    counter: Var
    size: Atom
    stms: tuple[Stm, ...]


@dataclass(frozen=True, slots=True)
class _Nest:
    """`levels[0]` is the reduction; `element` is what the innermost body yields. `axes` transpose the result."""

    levels: tuple[_Level, ...]
    element: Atom
    axes: tuple[object, ...]


def _interchanged(stm: Stm, own: frozenset[str]) -> tuple[Stm, ...] | None:
    """The statements that bind the same array, when the sum is to be turned inside out."""
    expr = stm.expr
    if not isinstance(expr, Reduce) or len(stm.vars) != 1 or not stm.vars[0].type.shape:
        return None
    if operators(expr) is None or has_check(expr.body.body.stms):
        return None
    nest = _nest(expr)
    kept = None if nest is None else _kept(nest)
    if nest is None or kept is None or not (_pays(nest, kept) or _is_row_of_product(nest, kept, own)):
        return None
    b = Builder(stm.pos)
    result = _turned(b, nest, kept)
    if nest.axes:
        result = b.apply("transpose", result, attrs=nest.axes)
    last = b.stms.pop()
    return (*b.stms, Stm(stm.vars, last.expr, stm.pos))


def _nest(expr: Reduce) -> _Nest | None:
    """The loops of a reduction whose body is made of maps in one another."""
    levels: list[_Level] = []
    counter, size, block = expr.body.params[0], expr.size, expr.body.body
    axes: tuple[object, ...] = ()
    bound = bound_names(Block((Stm((), expr),), ()))
    while block.results[0].type.shape:
        result, uses = block.results[0], use_counts(block)
        maker = next((s for s in block.stms if result in s.vars), None)
        if maker is not None and not levels and isinstance(maker.expr, Apply) and maker.expr.op == "transpose":
            axes, result = maker.expr.attrs, maker.expr.args[0]
            maker = next((s for s in block.stms if result in s.vars), None)
        if maker is None or not isinstance(maker.expr, Map) or len(maker.vars) != 1 or uses[name_of(result)] != 1:
            return None
        if name_of(maker.expr.size) in bound:
            return None
        levels.append(_Level(counter, size, tuple(s for s in block.stms if s is not maker)))
        counter, size, block = maker.expr.body.params[0], maker.expr.size, maker.expr.body.body
    levels.append(_Level(counter, size, block.stms))
    return _Nest(tuple(levels), block.results[0], axes)


# -- what is kept ---------------------------------------------------------------------------------


def _kept(nest: _Nest) -> dict[Var, int] | None:
    """The values to keep in arrays, each with its level; None when the innermost body itself is dear."""
    depth = len(nest.levels) - 1
    needed = _reads(nest.levels[depth].stms) | {name_of(nest.element)}
    if any(_cost(stm) is None for stm in nest.levels[depth].stms):
        return None
    kept: dict[Var, int] = {}
    again = 0.0
    for number in range(depth - 1, -1, -1):
        dear: set[str] = set()
        for stm in nest.levels[number].stms:
            cost = _cost(stm)
            if cost is None or _reads((stm,)) & dear:
                dear.update(var.name for var in stm.vars)
        for stm in reversed(nest.levels[number].stms):
            for var in stm.vars:
                if var.name not in needed:
                    continue
                if var.name in dear and var.type.shape:
                    return None
                if var.name in dear:
                    kept[var] = number
                else:
                    again += 0.0 if var.type.shape else _cost(stm) or 0.0  # rows are only looked at
                    needed |= _reads((stm,))
    return kept if again <= CHEAP else None


def _reads(stms: Sequence[Stm]) -> set[str]:
    return {name for stm in stms for name in mentioned(stm)}


def _cost(stm: Stm) -> float | None:
    """What an operation costs that may be repeated; None for all others."""
    expr = stm.expr
    if not isinstance(expr, Apply) or (stm.vars[0].type.shape and expr.op not in ("index", "slice", "transpose")):
        return None
    cost = lookup(expr.op).cost
    return cost if cost <= CHEAP else None


def _pays(nest: _Nest, kept: dict[Var, int]) -> bool:
    sizes = [level.size for level in nest.levels]
    if all(isinstance(size, Lit) for size in sizes[1:]):
        return False
    deepest = max(kept.values(), default=0)
    if deepest > 1 or (deepest == 1 and any(isinstance(size, Lit) for size in sizes[:2])):
        return False
    return len(sizes) > 2 or _runs_along(nest)


def _is_row_of_product(nest: _Nest, kept: dict[Var, int], own: frozenset[str]) -> bool:
    """Are rows of a matrix from outside the maps added up, each times a number from inside?"""
    if kept or len(nest.levels) != 2 or any(isinstance(level.size, Lit) for level in nest.levels):
        return False
    summed, inner = nest.levels[0].counter, nest.levels[1].counter
    reads = [s.expr for level in nest.levels for s in level.stms if isinstance(s.expr, Apply) and s.expr.op == "index"]
    matrices = [name_of(read.args[0]) for read in reads if read.args[-2:] == (summed, inner)]
    numbers = [name_of(read.args[0]) for read in reads if read.args[1:] == (summed,)]
    return len(reads) == 2 and bool(set(matrices) - own) and bool(set(numbers) & own)


def _runs_along(nest: _Nest) -> bool:
    """Is a matrix read along the index of the sum?"""
    summed, inner = nest.levels[0].counter, nest.levels[-1].counter
    for stm in nest.levels[-1].stms:
        match stm.expr:
            case Apply("index", (_, *at)) if len(at) > 1 and at[-1] == summed and inner in at:
                return True
            case _:
                pass
    return False


# -- the new program ------------------------------------------------------------------------------


def _turned(b: Builder, nest: _Nest, kept: dict[Var, int]) -> Var:
    arrays = {var: _array_of(b, nest.levels[: number + 1], var) for var, number in kept.items()}
    return _maps(b, nest, arrays, ())


def _array_of(b: Builder, levels: Sequence[_Level], var: Var, at: tuple[Atom, ...] = ()) -> Var:
    """A value of the last of the levels, for all their indices."""

    def element(b: Builder, i: Var) -> tuple[Atom, ...]:
        indices = (*at, i)
        if len(indices) < len(levels):
            return (_array_of(b, levels, var, indices),)
        stms = tuple(stm for level in levels for stm in level.stms)
        return b.splice(inline(Lambda(tuple(level.counter for level in levels), Block(stms, (var,))), indices))

    return b.map_(levels[len(at)].size, element)[0]


def _maps(b: Builder, nest: _Nest, arrays: dict[Var, Var], at: tuple[Atom, ...]) -> Var:
    """The maps of the result, and inside them the sum."""
    here = len(at) + 1
    if here == len(nest.levels):
        return _sum(b, nest, arrays, at)
    (array,) = b.map_(nest.levels[here].size, lambda b, i: (_maps(b, nest, arrays, (*at, i)),))
    return array


def _sum(b: Builder, nest: _Nest, arrays: dict[Var, Var], at: tuple[Atom, ...]) -> Var:
    dtype = nest.element.type.dtype
    counters = tuple(level.counter for level in nest.levels)
    stms = tuple(s for level in nest.levels for s in level.stms if not any(var in arrays for var in s.vars))

    def value(b: Builder, i: Var) -> tuple[Atom, ...]:
        indices = (i, *at)
        read: dict[Var, Atom] = {}
        for var, array in arrays.items():
            read[var] = b.apply("index", array, *indices[: array.type.rank])
        block = inline(Lambda(counters, substitute(Block(stms, (nest.element,)), read)), indices)
        return b.splice(block)

    (total,) = b.reduce(nest.levels[0].size, "add", (zero(dtype),), value)
    return total
