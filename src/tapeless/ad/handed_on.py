"""What an iteration makes for the next one is kept already: as the state which that one starts from.

    for i < n:  stack[i] = y;  z = f(y);  y = z + g(z)           return:   y = stack[i];  z = f(y);  ...

The return sweep of iteration i reads y after it in row i + 1 instead of computing it again, if the stack has a row
more, for the state after the loop. Often that is all it reads: in a leapfrog step, of which the state is two fields and
more, the derivative is made of the field before and of the field after.

An array whose last writes concern single elements was another one before them, which the body may have read as well.
What they overwrite is kept, and it is found again by undoing them:

    z = f(y);  v = z[k];  y = z with w at k                       return:   y = stack[i + 1];  z = y with v at k

This is done for arrays that are kept whole anyway, so nothing is kept that was not, but for these elements; and where
it saves work, which a return sweep that is built on trial tells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..ir.build import Builder
from ..ir.core import Apply, For, Lambda, Stm
from ..ir.types import I64, Atom, Lit, Type, Var
from ..ir.walk import fresh
from ..passes.cost import block_cost
from ..passes.uses import bound_names, mentioned
from ..records import dataclass
from .journal import Write
from .sweep import Sweep
from .trial import trial


@dataclass(frozen=True, slots=True)
class HandedOn:
    """The carried array number `k` becomes `result`, by writes, last first, of which each overwrites one of `olds`."""

    k: int
    result: Var
    writes: tuple[Write, ...] = ()
    olds: tuple[Var, ...] = ()

    def values(
        self, b: Builder, after: Atom, olds: Sequence[Atom], place: Callable[[Write], Sequence[Atom]]
    ) -> dict[Var, Apply]:
        """Of the value after the iteration: the result, and what it was before each of the writes."""
        found = {self.result: _renamed(after)}
        for write, old in zip(self.writes, olds, strict=True):
            after = write.undo(b, after, old, place(write))
            found[write.source] = _renamed(after)
        return found


def handed_on(sweep: Sweep, stm: Stm, whole: Sequence[int]) -> tuple[For, tuple[HandedOn, ...]]:
    """The loop, and the arrays that its return sweep is to read as they are after an iteration.

    `whole` are the carried values kept whole. The loop may name what single writes overwrite.
    """
    expr = stm.expr
    assert isinstance(expr, For)
    found = [made for k in whole if (made := _made(expr.body, k)) is not None]
    if sweep.plan.is_limited or not found:
        return expr, ()
    computed = trial(sweep, stm)
    found = [made for made in found if made.k in computed.read]
    afters = {made.k: fresh("after", made.result.type) for made in found}
    read = trial(sweep, stm, lambda b: _on_trial(b, found, afters)).block
    if block_cost(read) >= block_cost(computed.block):
        return expr, ()
    names = mentioned(read)
    return _saving(expr, [made for made in found if afters[made.k].name in names])


def _on_trial(b: Builder, found: Sequence[HandedOn], afters: Mapping[int, Var]) -> dict[Var, Apply]:
    """The values of arrays after an iteration that any may have been."""

    def somewhere(write: Write) -> list[Var]:
        return [fresh("at", Type(I64)) for _ in write.place]

    values: dict[Var, Apply] = {}
    for made in found:
        values |= made.values(b, afters[made.k], [fresh("old", write.saved) for write in made.writes], somewhere)
    return values


def _made(body: Lambda, k: int) -> HandedOn | None:
    """How carried value k becomes an array that an iteration makes, and then writes elements of."""
    array, writes = body.body.results[k], list[Write]()
    if not isinstance(array, Var) or not array.type.shape or array in body.body.results[:k]:
        return None
    makers = {var.name: stm for stm in body.body.stms for var in stm.vars}
    inside = bound_names(body.body) | {param.name for param in body.params[1:]}
    result = array
    while (write := _write(makers.get(array.name), inside)) is not None:
        writes.append(write)
        array = write.source
    return HandedOn(k, result, tuple(writes)) if array.name in makers else None


def _write(stm: Stm | None, inside: set[str]) -> Write | None:
    """The write of an element at a place that is known outside of an iteration, but for its number."""
    match stm:
        case Stm((out,), Apply("update" | "accumulate", (Var() as source, *_)) as access):
            write = Write(stm, source, out, access)
            known = all(isinstance(at, Lit) or at.name not in inside for at in write.place)
            return write if known and not write.saved.shape else None
        case _:
            return None


def _saving(expr: For, found: Sequence[HandedOn]) -> tuple[For, tuple[HandedOn, ...]]:
    """The loop that names what the writes overwrite."""
    b, olds = Builder(), dict[Var, Var]()
    writes = {write.out: write for made in found for write in made.writes}
    for stm in expr.body.body.stms:
        write = writes.get(stm.vars[0]) if stm.vars else None
        if write is not None:
            olds[write.out] = write.save(b)
        b.stms.append(stm)
    body = Lambda(expr.body.params, b.block(expr.body.body.results))
    named = [HandedOn(x.k, x.result, x.writes, tuple(olds[write.out] for write in x.writes)) for x in found]
    return For(expr.count, expr.init, body), tuple(named)


def _renamed(array: Atom) -> Apply:
    return Apply("reshape", (array, *array.type.shape))
