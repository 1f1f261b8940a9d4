"""Together: what all iterations of a map would compute in loops of their own is computed in one loop for all.

    map r { for n [s, a(r)] (i, s, a) { g(s), h(r, s, a) } }
    ->  for n [s, map r { a(r) }] (i, s, a) { g(s), map r { h(r, s, a[r]) } }

Several adjoints that go back through a loop at once need the same states of it: where these are computed again, or the
loop is run backwards, once is enough. It is done where the states are arrays: each iteration of the map would need a
copy of them. What stands before the loop is done first, for all iterations, and what stands behind it in a map of its
own; where something is checked, the order matters and all is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..ir.build import Atoms, Builder
from ..ir.core import Apply, Block, Check, For, Function, Lambda, Map, Stm
from ..ir.types import Atom, Type, Var
from ..ir.walk import free_vars, inline, map_lambdas
from ..records import dataclass
from .cost import has_check
from .notes import Notes


def run(function: Function, notes: Notes) -> Function:
    """The function with such loops outside of their maps."""
    return Function(function.name, function.params, _block(function.body, notes), function.donated)


def _block(block: Block, notes: Notes) -> Block:
    stms: list[Stm] = []
    work = list(reversed(block.stms))
    while work:
        stm = work.pop()
        found = _shared_loop(stm)
        if found is not None:
            notes.add(stm.pos, "rows", "one loop for all of them", "they need the same states")
            work += reversed(_outside(stm, found))
        elif isinstance(stm.expr, Apply | Check):
            stms.append(stm)
        else:
            inner = map_lambdas(stm.expr, lambda lam: Lambda(lam.params, _block(lam.body, notes)))
            stms.append(Stm(stm.vars, inner, stm.pos))
    return Block(tuple(stms), block.results)


@dataclass(frozen=True, slots=True)
class _Found:
    """A loop in a map: statement `at`. `own` are the names that differ between the map's iterations, before the loop
    and behind it, `varying` those inside of it; of what it carries, `shared` are the same for all.
    """

    at: int
    loop: For
    own: frozenset[str]
    varying: frozenset[str]
    shared: tuple[int, ...]

    @property
    def others(self) -> tuple[int, ...]:
        return tuple(k for k in range(len(self.loop.init)) if k not in self.shared)


def _shared_loop(stm: Stm) -> _Found | None:
    """The first loop of a map that computes arrays which do not depend on the map's index, beside what does."""
    if not isinstance(stm.expr, Map):
        return None
    stms = stm.expr.body.body.stms
    if not any(isinstance(inner.expr, For) for inner in stms) or has_check((stm,)):
        return None
    own = _dependent(stms, {stm.expr.body.params[0].name})
    for at, inner in enumerate(stms):
        if isinstance(inner.expr, For) and not own.isdisjoint(var.name for var in inner.vars):
            shared, varying = _same_for_all(inner.expr, own)
            worth = any(_is_changed(inner.expr, k) for k in shared) and len(shared) < len(inner.vars)
            if worth and _name(inner.expr.count) not in own and _has_fixed_sizes(stms[:at], inner, own):
                return _Found(at, inner.expr, own, varying, shared)
    return None


def _dependent(stms: Iterable[Stm], start: Iterable[str]) -> frozenset[str]:
    """What depends on some variables, and these."""
    found = set(start)
    for stm in stms:
        if any(var.name in found for var in free_vars(stm.expr)):
            found.update(var.name for var in stm.vars)
    return frozenset(found)


def _same_for_all(loop: For, own: frozenset[str]) -> tuple[tuple[int, ...], frozenset[str]]:
    """Which of the carried values do not depend on the names in `own`; the names inside that do."""
    shared = {k for k, start in enumerate(loop.init) if _name(start) not in own}
    params, results = loop.body.params[1:], loop.body.body.results
    while True:
        others = {param.name for k, param in enumerate(params) if k not in shared}
        varying = _dependent(loop.body.body.stms, own | others)
        lost = {k for k in shared if _name(results[k]) in varying}
        if not lost:
            return tuple(sorted(shared)), varying
        shared -= lost


def _name(atom: Atom) -> str | None:
    return atom.name if isinstance(atom, Var) else None


def _is_changed(loop: For, k: int) -> bool:
    """Is this carried value an array of which each round makes another?"""
    param = loop.body.params[1 + k]
    return bool(param.type.shape) and loop.body.body.results[k] != param


def _has_fixed_sizes(before: Sequence[Stm], loop: Stm, own: frozenset[str]) -> bool:
    """Do the sizes of arrays not depend on the iteration, and not on the round?"""
    assert isinstance(loop.expr, For)
    types: list[Type] = [var.type for stm in (*before, loop) for var in stm.vars]
    types += [param.type for param in loop.expr.body.params]
    sizes = {size.name for type in types for size in type.shape if isinstance(size, Var)}
    carried = {param.name for param in loop.expr.body.params} | {var.name for var in loop.vars}
    return own.isdisjoint(sizes) and carried.isdisjoint(sizes)


# -- the loop outside -------------------------------------------------------------------------------


def _outside(stm: Stm, found: _Found) -> list[Stm]:
    """The statements that bind the same arrays."""
    assert isinstance(stm.expr, Map)
    (row,), block, size = stm.expr.body.params, stm.expr.body.body, stm.expr.size
    b, loop, behind = Builder(stm.pos), found.loop, block.stms[found.at + 1 :]
    ended = block.stms[found.at].vars
    before = [s for s in block.stms[: found.at] if not _is_in(s, found.own)]
    moving = [s for s in block.stms[: found.at] if _is_in(s, found.own)]
    b.stms += before
    last = Block(tuple(behind), block.results)
    kept = _bound_and_used(moving, loop, last)
    starts = Block(tuple(moving), (*(loop.init[k] for k in found.others), *kept))
    arrays = b.map_(size, lambda c, j: c.splice(inline(Lambda((row,), starts), (j,))))
    first, extras = arrays[: len(found.others)], arrays[len(found.others) :]

    def rows(c: Builder, j: Var, held: Sequence[Atom]) -> Atoms:
        return tuple(c.apply("index", array, j) for array in (*held, *extras))

    def body(c: Builder, i: Var, *carried: Var) -> Atoms:
        states, own = carried[: len(found.shared)], carried[len(found.shared) :]
        return _round(c, found, size, (row, *kept), (i, *states), lambda d, j: rows(d, j, own))

    after = b.for_(loop.count, (*(loop.init[k] for k in found.shared), *first), body)

    def end(c: Builder, j: Var) -> Atoms:
        states, own = after[: len(found.shared)], after[len(found.shared) :]
        names = (row, *(ended[k] for k in (*found.shared, *found.others)), *kept)
        return c.splice(inline(Lambda(names, last), (j, *states, *rows(c, j, own))))

    b.map_(size, end)
    made = b.stms.pop()
    return [*b.stms, Stm(stm.vars, made.expr, stm.pos)]


def _round(
    c: Builder,
    found: _Found,
    size: Atom,
    names: Sequence[Var],
    now: Sequence[Atom],
    read: Callable[[Builder, Var], Atoms],
) -> Atoms:
    """A round of the loop: what is the same for all, then a map. `now` are its counter and shared values; `names` the
    index of the map and what differs between its iterations, which `read` gives for one of these.
    """
    counter, *params = found.loop.body.params
    block, given = found.loop.body.body, (counter, *(params[k] for k in found.shared))
    common = [stm for stm in block.stms if not _is_in(stm, found.varying)]
    each = Block(
        tuple(stm for stm in block.stms if _is_in(stm, found.varying)), tuple(block.results[k] for k in found.others)
    )
    used = _bound_and_used(common, each)
    results = (*(block.results[k] for k in found.shared), *used)
    values = c.splice(inline(Lambda(given, Block(tuple(common), results)), tuple(now)))
    states, more = values[: len(found.shared)], values[len(found.shared) :]
    row, *differing = names
    lam = Lambda((row, *given, *(params[k] for k in found.others), *differing, *used), each)
    return (*states, *c.map_(size, lambda d, j: d.splice(inline(lam, (j, *now, *read(d, j), *more)))))


def _is_in(stm: Stm, names: frozenset[str]) -> bool:
    return any(var.name in names for var in stm.vars)


def _bound_and_used(stms: Sequence[Stm], *users: For | Block) -> list[Var]:
    """The variables of some statements that others read."""
    bound = {var for stm in stms for var in stm.vars}
    return [var for var in free_vars(*users) if var in bound]
