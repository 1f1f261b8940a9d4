"""Reverse rule of loops.

The forward sweep runs the loop and keeps, for each iteration, what the return sweep needs to start that iteration again: a
carried scalar or array goes onto a stack (an array with one row per iteration), except an array that is only written at a few
places per iteration: there the overwritten places go onto the stack, and the return sweep undoes the writes on its way back
from the final array (`journal`); and where nothing that is read is overwritten, the final array does (`settled`). Stacks that the return sweep does not read are dead code, and go away.

    forward:  for i < n:  stack[i] = y;  y = body(i, y)
    return:   for i = n-1 ... 0:  y = stack[i];  run body(i, y) again;  y_adj, free_adj = back through it

A `while` loop is run once to count its iterations, and then is such a loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..ir.build import Builder
from ..ir.core import Apply, Block, For, Lambda, Stm, While
from ..ir.types import I64, Atom, Type, Var, i64
from ..ir.walk import fresh, inline, refresh
from ..passes.uses import mentioned, slice_for
from .adjoints import LoopScope, Scope, base_name
from .journal import Write, follow
from .settled import is_settled
from .sweep import Back, Sweep, back_through, bound_in, nothing
from .values import is_small, mentions, zeros


def for_rule(sweep: Sweep, stm: Stm) -> Back:
    """The rule of a loop with a trip count."""
    expr = stm.expr
    assert isinstance(expr, For)
    if not sweep.varies(stm):
        sweep.emit(stm)
        return nothing
    loop = _forward(sweep.b, stm, expr)

    def back(scope: Scope) -> None:
        adjoints = [scope.take(var) for var in stm.vars]
        if any(adjoint is not None for adjoint in adjoints):
            _return(sweep, stm, scope, loop, adjoints)

    return back


def while_rule(sweep: Sweep, stm: Stm) -> Back:
    """The rule of a loop with a condition: count its iterations, then run it as a loop with a trip count."""
    expr = stm.expr
    assert isinstance(expr, While)
    if not sweep.varies(stm):
        sweep.emit(stm)
        return nothing
    count = _count(sweep.b, expr)
    body = Lambda((fresh("i", Type(I64)), *expr.body.params), expr.body.body)
    return for_rule(sweep, Stm(stm.vars, For(count, expr.init, body), stm.pos))


def _count(b: Builder, expr: While) -> Var:
    cond, body = refresh(expr.cond), refresh(expr.body)
    old, ignored = fresh("trips", Type(I64)), fresh("trips", Type(I64))
    inner = b.child()
    inner.splice(body.body)
    new = inner.apply("add", old, i64(1))
    loop = While(
        (i64(0), *expr.init),
        Lambda((ignored, *cond.params), cond.body),
        Lambda((old, *body.params), inner.block((new, *body.body.results))),
    )
    return b.bind((Type(I64), *(x.type for x in expr.init)), loop, "trips")[0]


# -- the forward sweep --------------------------------------------------------------------------

# What a stack holds: a carried value by its number, an overwritten place by carried value and write, an index by name.
Key: TypeAlias = tuple[str, int | str, int]


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop with its stacks.

    `writes[k]` are the writes, last first, by which carried array k is brought back: none for one whose final value does.
    """

    expr: For
    trips: Var
    writes: tuple[list[Write] | None, ...]
    stacks: dict[Key, Var]


def _journal(body: Lambda, k: int) -> list[Write] | None:
    """The writes to a carried array, when undoing them brings it back; None when it has to be kept whole."""
    param = body.params[k + 1]
    found = follow(body.body, body.body.results[k]) if param.type.shape else None
    if found is None or found[1] != param or not found[0]:
        return None
    if is_settled(body, k, found[0]):
        return []
    bound = _bound(body)
    irregular = any(mentions(_saved_type(write), bound) for write in found[0])
    return None if irregular or any(map(_is_large, found[0])) else found[0]


def _is_large(write: Write) -> bool:
    """Does it overwrite so much that the whole array may as well be kept, which needs no undoing?"""
    return write.access.op == "update_slice" and not is_small(_saved_type(write))


def _saved_type(write: Write) -> Type:
    access = write.access
    return access.args[1].type if access.op == "update_slice" else write.source.type.drop(len(write.place))


def _bound(body: Lambda) -> set[str]:
    return bound_in(body.body) | {param.name for param in body.params}


def _forward(b: Builder, stm: Stm, expr: For) -> _Loop:
    """Emit the loop with its stacks."""
    trips = b.apply("max", expr.count, i64(0), hint="trips")
    writes = tuple(_journal(expr.body, k) for k in range(len(expr.init)))
    builder, kept = _pushed(b.child(), expr.body, writes)
    starts = {key: zeros(b, value.type.stacked(trips)) for key, value in kept.items()}
    params = {key: fresh("stack", start.type) for key, start in starts.items()}
    counter = expr.body.params[0]
    nexts = [builder.apply("update", params[key], value, counter) for key, value in kept.items()]
    stacks = {key: fresh("stack", start.type) for key, start in starts.items()}
    body = Lambda((*expr.body.params, *params.values()), builder.block((*expr.body.body.results, *nexts)))
    loop = For(expr.count, (*expr.init, *starts.values()), body)
    b.stms.append(Stm((*stm.vars, *stacks.values()), loop, stm.pos))
    return _Loop(expr, trips, writes, stacks)


def _pushed(b: Builder, body: Lambda, writes: Sequence[list[Write] | None]) -> tuple[Builder, dict[Key, Atom]]:
    """The statements of the body with reads of what is about to be overwritten; what is to be kept."""
    kept: dict[Key, Atom] = {("value", k, 0): body.params[k + 1] for k, found in enumerate(writes) if found is None}
    local = _bound(body) - {body.params[0].name}
    for stm in body.body.stms:
        for k, found in enumerate(writes):
            for j, write in enumerate(found or ()):
                if write.stm is stm:
                    kept["old", k, j] = write.save(b)
        b.stms.append(stm)
    for atom in (atom for found in writes for write in found or () for atom in write.place):
        if isinstance(atom, Var) and atom.name in local and _recipe(body, atom) is None:
            kept["index", atom.name, 0] = atom
    return b, kept


def _recipe(body: Lambda, atom: Var) -> Lambda | None:
    """How to compute an index from the counter and what is outside the loop; None when it takes more than that."""
    block = slice_for(body.body, (atom,), checks=False)
    carried = {param.name for param in body.params[1:]}
    simple = all(isinstance(stm.expr, Apply) for stm in block.stms)
    return Lambda(body.params[:1], block) if simple and not mentioned(block) & carried else None


# -- the return sweep ---------------------------------------------------------------------------


def _return(sweep: Sweep, stm: Stm, scope: Scope, loop: _Loop, adjoints: Sequence[Atom | None]) -> None:
    """Emit the loop that runs the iterations back."""
    body, init = loop.expr.body, loop.expr.init
    active = [k for k, var in enumerate(stm.vars) if var.name in sweep.varied]
    undone = [k for k, found in enumerate(loop.writes) if found]
    turn = fresh("turn", Type(I64))
    adj_params = {k: fresh(f"{base_name(stm.vars[k])}_adj", stm.vars[k].type) for k in active}
    arrays = {k: fresh(base_name(stm.vars[k]), stm.vars[k].type) for k in undone}

    b = scope.b.child()
    i = b.apply("sub", b.apply("sub", loop.trips, i64(1)), turn, hint="i")
    start = [_brought_back(b, loop, k, i, arrays.get(k, scope.primal(var))) for k, var in enumerate(stm.vars)]
    inner, block = sweep.inner(scope, b, body, (i, *start), stm.vars)
    child = LoopScope(b, inner.varied, bound_in(block) | {x.name for x in start}, scope)
    backs = inner.run(block)
    for k, param in adj_params.items():
        child.add(block.results[k], param)
    back_through(backs, child)

    results: list[Atom] = []
    for k in active:
        adjoint = child.adjoints.get(start[k].name)
        results.append(zeros(b, start[k].type) if adjoint is None else adjoint)
    results += [child.primal(start[k]) for k in undone]
    results += [child.adjoints[var.name] for var in child.carried]
    initial: list[Atom] = []
    for k in active:
        adjoint = adjoints[k]
        initial.append(zeros(scope.b, stm.vars[k].type) if adjoint is None else adjoint)
    initial += [scope.primal(stm.vars[k]) for k in undone]
    params = (turn, *adj_params.values(), *arrays.values(), *child.carried.values())
    finals = run_carried(scope, child, loop.trips, params, initial, b.block(results))
    for k, final in zip(active, finals, strict=False):
        scope.add(init[k], final)
    for k, final in zip(undone, finals[len(active) :], strict=False):
        if isinstance(source := init[k], Var):
            scope.restore(source, final)


def _brought_back(b: Builder, loop: _Loop, k: int, i: Atom, array: Atom) -> Var:
    """Carried value k at the start of iteration i; `array` is what it was after it, or after the loop."""
    writes = loop.writes[k]
    if writes is None:
        return b.apply("index", loop.stacks["value", k, 0], i)
    if not writes:
        return b.apply("reshape", array, *array.type.shape)  # the same array, by a name of its own
    for j, write in enumerate(writes):
        old = b.apply("index", loop.stacks["old", k, j], i)
        place = [_index(b, loop, atom, i) for atom in write.place]
        array = write.undo(b, array, old, place)
    assert isinstance(array, Var)
    return array


def _index(b: Builder, loop: _Loop, atom: Atom, i: Atom) -> Atom:
    """An index of a write of iteration i: known outside, kept on a stack, or computed again."""
    body = loop.expr.body
    if atom == body.params[0]:
        return i
    if not isinstance(atom, Var) or atom.name not in _bound(body):
        return atom
    stack = loop.stacks.get(("index", atom.name, 0))
    if stack is not None:
        return b.apply("index", stack, i)
    recipe = _recipe(body, atom)
    assert recipe is not None
    return b.splice(inline(recipe, (i,)))[0]


def run_carried(
    scope: Scope, child: LoopScope, trips: Atom, params: Sequence[Var], initial: Sequence[Atom], body: Block
) -> list[Var]:
    """Emit a loop of the return sweep; the adjoints that it carries for the outside are the last of `params`."""
    starts: list[Atom] = []
    for var in child.carried:
        start = None if scope.records(var) else scope.begin(var)
        starts.append(zeros(scope.b, var.type) if start is None else start)
    finals = [fresh(param.name, param.type) for param in params[1:]]
    scope.b.stms.append(Stm(tuple(finals), For(trips, (*initial, *starts), Lambda(tuple(params), body)), scope.b.pos))
    for var, final in zip(child.carried, finals[len(initial) :], strict=True):
        if scope.records(var):
            scope.add(var, final)
        else:
            scope.set(var, final)
    return finals
