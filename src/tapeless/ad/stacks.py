"""Loops that keep something for every iteration.

A carried scalar or array goes onto a stack (an array with one row per iteration), except an array that is only
written at a few places per iteration: there the overwritten places go onto the stack, and the return sweep undoes the
writes on its way back from the final array (`journal`); and where nothing that is read is overwritten, the final
array does (`settled`). What an iteration should not compute again is kept as well (`remembered`). Stacks that the
return sweep does not read are dead code, and go away.

    forward:  for i < n:  stack[i] = y;  y = body(i, y)
    return:   for i = n-1 ... 0:  y = stack[i];  run body(i, y) again;  y_adj, free_adj = back through it
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from ..ir.build import Builder
from ..ir.core import Apply, For, Lambda, Stm
from ..ir.types import Atom, Lit, Type, Var
from ..ir.walk import fresh, inline
from ..passes.uses import mentioned, slice_for
from ..records import dataclass
from .adjoints import Scope
from .announce import announce_all
from .handed_on import HandedOn
from .iteration import run_back
from .journal import Write, follow
from .planner import Plan
from .settled import is_settled
from .sweep import Sweep, bound_in
from .values import mentions, one_more, zeros

# What a stack holds: a carried value by its number, an overwritten place by carried value and write, an index or
# another variable of the body by name.
Key: TypeAlias = tuple[str, int | str, int]

# For each carried value the writes, last first, by which it is brought back from what it became: none for an array
# whose final value does; None for a value that has to be kept whole.
Writes: TypeAlias = tuple[list[Write] | None, ...]


@dataclass(frozen=True, slots=True)
class Stacks:
    """The stacks of a loop that ran; `made` are variables of its body that are kept besides what is carried.

    Those of the arrays that are `handed` on have a row more, for what they are after the loop.
    """

    writes: Writes
    rows: dict[Key, Var]
    made: Sequence[Var] = ()
    handed: Sequence[HandedOn] = ()


def writes_of(expr: For) -> Writes:
    """How each carried value is brought back."""
    return tuple(_journal(expr.body, k) for k in range(len(expr.init)))


def undone(writes: Writes) -> list[int]:
    """The carried arrays whose writes are undone one by one."""
    return [k for k, found in enumerate(writes) if found]


def row_types(expr: For, writes: Writes) -> dict[Key, Type]:
    """What is kept of each iteration."""
    types: dict[Key, Type] = {}
    for k, found in enumerate(writes):
        if found is None:
            types[_value(k)] = expr.init[k].type
        for j, write in enumerate(found or ()):
            types["old", k, j] = write.saved
    return types | {("index", atom.name, 0): atom.type for atom in _kept_indices(expr.body, writes)}


def forward(
    b: Builder,
    vars: Sequence[Var],
    expr: For,
    trips: Atom,
    writes: Writes,
    made: Sequence[Var] = (),
    handed: Sequence[HandedOn] = (),
) -> Stacks:
    """Emit the loop with its stacks, binding its results to `vars`; `trips` is its count, or 0 if that is negative.

    `made` are variables of the body to be kept as well, and what the `handed` ones overwrite.
    """
    counter, made = expr.body.params[0], (*made, *(old for array in handed for old in array.olds))
    kept = row_types(expr, writes) | {_made(var): var.type for var in made}
    longer = {_value(array.k): one_more(b, trips) for array in handed}
    types = {key: type.stacked(longer.get(key, trips)) for key, type in kept.items()}
    starts = {key: zeros(b, type) for key, type in types.items()}
    params = {key: fresh("stack", type) for key, type in types.items()}
    rows = {key: fresh("stack", type) for key, type in types.items()}

    def push(inner: Builder, key: Key, value: Atom) -> None:
        nexts[key] = inner.apply("update", params[key], value, counter)

    nexts: dict[Key, Var] = {}
    builder = b.child()
    _pushed(builder, expr.body, writes, made, push)
    results = (*expr.body.body.results, *(nexts[key] for key in types))
    body = Lambda((*expr.body.params, *params.values()), builder.block(results))
    loop = For(expr.count, (*expr.init, *starts.values()), body)
    b.stms.append(Stm((*vars, *rows.values()), loop, b.pos))
    for array in handed:
        rows[_value(array.k)] = b.apply("update", rows[_value(array.k)], vars[array.k], trips)
    return Stacks(writes, rows, made, handed)


def back(
    sweep: Sweep, scope: Scope, stm: Stm, stacks: Stacks, adjoints: Sequence[Atom | None], plan: Plan
) -> dict[int, Var]:
    """Emit the return sweep of a loop; the arrays whose writes it undid, as they were before the loop."""
    expr = stm.expr
    assert isinstance(expr, For)
    arrays = undone(stacks.writes)

    def begin(b: Builder, i: Var, carried: Sequence[Var]) -> tuple[list[Var], Callable[[Scope], Sequence[Atom]]]:
        now = dict(zip(arrays, carried, strict=True))
        start = [
            _brought_back(b, expr.body, stacks, k, i, now.get(k, scope.primal(var))) for k, var in enumerate(stm.vars)
        ]
        return start, lambda child: [child.primal(start[k]) for k in arrays]

    finals = tuple(scope.primal(stm.vars[k]) for k in arrays)

    def recalled(b: Builder, i: Var) -> Mapping[Var, Apply]:
        return _recalled(b, expr.body, stacks, i)

    run = run_back(sweep, scope, stm, adjoints, plan, finals, begin, recalled)
    if plan.wants_notes and not plan.is_limited:
        names = run.reads()
        announce_all(plan, stm.pos, expr.count, [row.type.drop(1) for row in stacks.rows.values() if row.name in names])
    return dict(zip(arrays, run.memory, strict=True))


# -- what is kept -------------------------------------------------------------------------------


def _journal(body: Lambda, k: int) -> list[Write] | None:
    """The writes to a carried array, when undoing them brings it back; None when it has to be kept whole."""
    param = body.params[k + 1]
    found = follow(body.body, body.body.results[k]) if param.type.shape else None
    if found is None or found[1] != param or not found[0]:
        return None
    if is_settled(body, k, found[0]):
        return []
    bound = _bound(body)
    irregular = any(mentions(write.saved, bound) for write in found[0])
    return None if irregular or any(map(_is_large, found[0])) else found[0]


def _is_large(write: Write) -> bool:
    """Does it overwrite so much that the whole array may as well be kept, which needs no undoing?"""
    spans = len(write.place) // 2
    return write.access.op == "update_slice" and not all(isinstance(n, Lit) for n in write.saved.shape[:spans])


def _bound(body: Lambda) -> set[str]:
    return bound_in(body.body) | {param.name for param in body.params}


def _value(k: int) -> Key:
    return ("value", k, 0)


def _made(var: Var) -> Key:
    return ("made", var.name, 0)


def _pushed(
    b: Builder, body: Lambda, writes: Writes, made: Sequence[Var], push: Callable[[Builder, Key, Atom], None]
) -> None:
    """Emit the statements of the body and push what is to be kept: as early as it is known, so that writes to it may
    happen in place.
    """
    for k, found in enumerate(writes):
        if found is None:
            push(b, _value(k), body.params[k + 1])
    for stm in body.body.stms:
        for k, found in enumerate(writes):
            for j, write in enumerate(found or ()):
                if write.stm is stm:
                    push(b, ("old", k, j), write.save(b))
        b.stms.append(stm)
        for var in made:
            if var in stm.vars:
                push(b, _made(var), var)
    for atom in _kept_indices(body, writes):
        push(b, ("index", atom.name, 0), atom)


def _kept_indices(body: Lambda, writes: Writes) -> list[Var]:
    """The indices of writes that cannot be computed again."""
    local = _bound(body) - {body.params[0].name}
    places = [atom for found in writes for write in found or () for atom in write.place]
    return [x for x in places if isinstance(x, Var) and x.name in local and _recipe(body, x) is None]


def _recipe(body: Lambda, atom: Var) -> Lambda | None:
    """How to compute an index from the counter and what is outside the loop; None when it takes more than that."""
    block = slice_for(body.body, (atom,), checks=False)
    carried = {param.name for param in body.params[1:]}
    simple = all(isinstance(stm.expr, Apply) for stm in block.stms)
    return Lambda(body.params[:1], block) if simple and not mentioned(block) & carried else None


# -- bringing it back ---------------------------------------------------------------------------


def _brought_back(b: Builder, body: Lambda, stacks: Stacks, k: int, i: Atom, array: Atom) -> Var:
    """Carried value k at the start of iteration i; `array` is what it was after it, or after the loop."""
    writes = stacks.writes[k]
    if writes is None:
        return b.apply("index", stacks.rows[_value(k)], i)
    if not writes:
        return b.apply("reshape", array, *array.type.shape)  # the same array, by a name of its own
    for j, write in enumerate(writes):
        old = b.apply("index", stacks.rows["old", k, j], i)
        place = [_index(b, body, stacks, atom, i) for atom in write.place]
        array = write.undo(b, array, old, place)
    assert isinstance(array, Var)
    return array


def _recalled(b: Builder, body: Lambda, stacks: Stacks, i: Var) -> dict[Var, Apply]:
    """The variables of iteration i that were kept, or are what the next one started from."""
    found = {var: Apply("index", (stacks.rows[_made(var)], i)) for var in stacks.made}
    for array in stacks.handed:
        after = b.apply("index", stacks.rows[_value(array.k)], one_more(b, i))
        olds = [b.apply("index", stacks.rows[_made(old)], i) for old in array.olds]
        found |= array.values(b, after, olds, lambda write: [_index(b, body, stacks, at, i) for at in write.place])
    return found


def _index(b: Builder, body: Lambda, stacks: Stacks, atom: Atom, i: Atom) -> Atom:
    """An index of a write of iteration i: known outside, kept on a stack, or computed again."""
    if atom == body.params[0]:
        return i
    if not isinstance(atom, Var) or atom.name not in _bound(body):
        return atom
    stack = stacks.rows.get(("index", atom.name, 0))
    if stack is not None:
        return b.apply("index", stack, i)
    recipe = _recipe(body, atom)
    assert recipe is not None
    return b.splice(inline(recipe, (i,)))[0]
