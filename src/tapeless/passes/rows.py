"""Rows: sums and histograms over the same short row, in a loop over rows, become one plain loop.

    for r { n = length of row r;  s = reduce n { v[k] * x[c[k]] };  y = hist n y { c[k], t * v[k] }; ... }

    for r { s, y = for n { s + v[k] * x[c[k]];  y with y[c[k]] + t * v[k] at c[k] }; ... }

Rows whose length changes from round to round are short as a rule (sparse matrices, graphs): there lanes stay empty, and
reading the row once for each operator costs more than they gain. This is how the derivative of a product with a sparse
matrix becomes one pass over its entries. Only small bodies are treated, which have nothing else to gain from lanes.

An addition to one element of an array, `accumulate`, goes behind a histogram that adds to the same array: sums of
floats in histograms have no order. A map that only checks (`along`) may be the first member: the loop checks before
it reads.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Block, Check, For, Function, Hist, Lambda, Map, Reduce, Scan, Scatter, Stm, While
from ..ir.types import I64, Atom, Type, Var, i64
from ..ir.walk import fresh, inline, lambdas, map_lambdas, statements
from .along import along, only_checks, partner, without_repetition
from .cost import block_cost, has_check
from .guards import may_wait
from .notes import Notes
from .uses import mentioned, use_counts

# What one member may cost for each element of the row.
SMALL = 30.0

Member = Map | Reduce | Hist


def run(function: Function, notes: Notes) -> Function:
    """The function with such rows gone over once."""
    if not any(isinstance(stm.expr, Hist) or only_checks(stm) for stm in statements(function.body)):
        return function
    return Function(function.name, function.params, _block(function.body, notes, rows=False), function.donated)


def _block(block: Block, notes: Notes, *, rows: bool) -> Block:
    """`rows` says that the block is the body of a loop that runs round by round."""
    stms = [_inside(stm, notes, rows) for stm in _checked_along(block.stms, notes)]
    if rows and sum(isinstance(stm.expr, Member) for stm in stms) > 1:
        stms = _merged(_sunk(stms, block.results), notes) or stms
    return Block(tuple(stms), block.results)


def _checked_along(block: Sequence[Stm], notes: Notes) -> list[Stm]:
    """The statements, loops with the checks before them, unless that leaves an inner loop which only checks."""
    stms: list[Stm] = []
    for stm in block:
        stms.append(stm)
        if (checks := partner(stms)) is not None:
            joined = _inside(along(stms[checks], stm), notes, rows=True)
            if not any(only_checks(inner) for lam in lambdas(joined.expr) for inner in lam.body.stms):
                stms[-1] = joined
                del stms[checks]
    return stms


def _inside(stm: Stm, notes: Notes, rows: bool) -> Stm:
    match stm.expr:
        case Apply() | Check():
            return stm
        case For() | While():
            rows = True
        case Map() | Reduce() | Scan() | Hist() | Scatter():
            rows = False
        case _:
            pass
    inner = map_lambdas(stm.expr, lambda lam: Lambda(lam.params, _block(lam.body, notes, rows=rows)))
    return Stm(stm.vars, inner, stm.pos)


def _sunk(stms: list[Stm], results: Sequence[Atom]) -> list[Stm]:
    """Single additions to an array behind a histogram of additions to it."""
    uses = use_counts(Block(tuple(stms), tuple(results)))
    made = {stm.vars[0]: stm for stm in stms if isinstance(stm.expr, Apply) and stm.expr.op == "accumulate"}
    for number, stm in enumerate(stms):
        expr = stm.expr
        if not isinstance(expr, Hist) or len(expr.dest) != 1 or not _adds(expr):
            continue
        add = made.get(expr.dest[0]) if isinstance(expr.dest[0], Var) else None
        if add is None or add not in stms[:number] or uses[add.vars[0].name] != 1:
            continue
        assert isinstance(add.expr, Apply)
        before = fresh(stm.vars[0].name, stm.vars[0].type)
        hist = Hist(expr.size, expr.op, expr.neutral, (add.expr.args[0],), expr.keys, expr.body)
        last = Stm(stm.vars, Apply("accumulate", (before, *add.expr.args[1:])), add.pos)
        stms = [s for s in stms if s is not add]
        at = stms.index(stm)
        stms[at : at + 1] = [Stm((before,), hist, stm.pos), last]
        return _sunk(stms, results)
    return stms


def _adds(expr: Hist) -> bool:
    match expr.op.body:
        case Block((Stm((total,), Apply("add", operands)),), (result,)):
            return total == result and set(operands) == set(expr.op.params)
        case _:
            return False


# -- one loop ---------------------------------------------------------------------------------------


def _merged(stms: list[Stm], notes: Notes) -> list[Stm] | None:
    """The statements with the first group of members that can be joined as one loop; None when there is none."""
    bound = {var.name for stm in stms for var in stm.vars}
    for first, stm in enumerate(stms):
        if _length(stm, bound) is None:
            continue
        group = _independent(stms, first, bound)
        if len(group) > 1 and any(isinstance(member.expr, Hist) for member in group):
            notes.add(stm.pos, "row", "one loop over the row", "several operators read it, and its length changes")
            return _joined(stms, group)
    return None


def _length(stm: Stm, bound: set[str]) -> Var | None:
    """The length of a small operator over scalars, where that is computed in this block; None for all others."""
    expr = stm.expr
    if not isinstance(expr, Member) or not isinstance(expr.size, Var) or expr.size.name not in bound:
        return None
    if isinstance(expr, Map) and not only_checks(stm):
        return None
    plain = all(isinstance(s.expr, Apply | Check) for lam in lambdas(expr) for s in lam.body.stms)
    scalars = all(not result.type.shape for lam in lambdas(expr) for result in lam.body.results)
    return expr.size if plain and scalars and block_cost(expr.body.body) <= SMALL else None


def _independent(stms: Sequence[Stm], first: int, bound: set[str]) -> list[Stm]:
    """The members from `first` on of the same length of which none needs what another one makes or overwrites."""
    group, others = [stms[first]], list[Stm]()
    reached = {var.name for var in stms[first].vars}
    for stm in stms[first + 1 :]:
        if has_check((stm,)):
            break
        member = _length(stm, bound) == _length(stms[first], bound) and not _interferes(stm, group)
        if mentioned(stm) & reached:
            reached.update(var.name for var in stm.vars)
        elif member and (not only_checks(group[0]) or may_wait(group[0], others, stm)):
            group.append(stm)
            reached.update(var.name for var in stm.vars)
        else:
            others.append(stm)
    return group


def _interferes(stm: Stm, group: Sequence[Stm]) -> bool:
    """Would it read what a member writes, or write what a member reads, so that the array has to be copied?"""
    for x, y in ((stm, member) for member in group):
        if _written(x) & mentioned(y) or _written(y) & mentioned(x):
            return True
    return any(name in _written(stm) for lam in lambdas(stm.expr) for name in mentioned(lam))


def _written(stm: Stm) -> set[str]:
    return {x.name for x in stm.expr.dest if isinstance(x, Var)} if isinstance(stm.expr, Hist) else set()


def _joined(stms: Sequence[Stm], group: Sequence[Stm]) -> list[Stm]:
    """All that does not depend on the group, the loop, then the rest."""
    first, last = stms.index(group[0]), stms.index(group[-1])
    reached = {var.name for member in group for var in member.vars}
    before, after = list[Stm](), list[Stm]()
    for stm in stms[first : last + 1]:
        if any(stm is member for member in group):
            continue
        if mentioned(stm) & reached:
            reached.update(var.name for var in stm.vars)
            after.append(stm)
        else:
            before.append(stm)
    return [*stms[:first], *before, _loop(group), *after, *stms[last + 1 :]]


def _loop(group: Sequence[Stm]) -> Stm:
    members = [stm.expr for stm in group if isinstance(stm.expr, Member)]
    vars = tuple(var for stm in group for var in stm.vars)
    init = tuple(x for member in members for x in _carried(member))

    def step(b: Builder, i: Var, *carried: Var) -> list[Atom]:
        values = [inline(member.body, (i,)) for member in members]
        block = without_repetition(
            Block(tuple(stm for value in values for stm in value.stms), tuple(x for v in values for x in v.results))
        )
        left, results, new = list(carried), list(b.splice(block)), list[Atom]()
        for member, value in zip(members, values, strict=True):
            count = len(_carried(member))
            own, left = left[:count], left[count:]
            yielded, results = results[: len(value.results)], results[len(value.results) :]
            if isinstance(member, Hist):
                new += _deposited(b, member, own, yielded)
            elif isinstance(member, Reduce):
                new += b.splice(inline(member.op, (*own, *yielded)))
        return new

    lam = Builder(group[0].pos).lam((Type(I64), *(x.type for x in init)), step, hints=("i",))
    return Stm(vars, For(members[0].size, init, lam), group[0].pos)


def _carried(member: Member) -> tuple[Atom, ...]:
    match member:
        case Map():
            return ()
        case Reduce():
            return member.neutral
        case Hist():
            return member.dest


def _deposited(b: Builder, hist: Hist, arrays: Sequence[Var], results: Sequence[Atom]) -> Sequence[Atom]:
    """The arrays with the values combined into the elements at the keys, if these are in range."""
    keys, values = results[: hist.keys], results[hist.keys :]

    def combined(b: Builder) -> list[Atom]:
        olds = [b.apply("index", array, *keys) for array in arrays]
        news = b.splice(inline(hist.op, (*olds, *values)))
        return [b.apply("update", array, new, *keys) for array, new in zip(arrays, news, strict=True)]

    inside: Atom | None = None
    for key, size in zip(keys, arrays[0].type.shape, strict=False):
        if not _is_index(key, size, b.stms):
            here = b.apply("and", b.apply("ge", key, i64(0)), b.apply("lt", key, size))
            inside = here if inside is None else b.apply("and", inside, here)
    return combined(b) if inside is None else b.if_(inside, combined, lambda _: arrays)


def _is_index(key: Atom, size: Atom, stms: Sequence[Stm]) -> bool:
    """Was an element read at this index of an array of this size? Then it is in range."""
    for stm in stms:
        match stm.expr:
            case Apply("index", (array, *at)):
                if any(x == key and n == size for x, n in zip(at, array.type.shape, strict=False)):
                    return True
            case _:
                pass
    return False
