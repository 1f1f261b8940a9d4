"""Loops that keep derivatives instead of states.

Where the body of a loop is straight-line code of few numbers, the forward sweep can accumulate its Jacobian beside its
values and keep the entries. The return sweep then multiplies with them, and runs nothing again:

    forward:  for i < n:  y = body(i, y);  J[i] = d y / d (y, x, a[k])       what stands for a number is not kept
    return:   for i = n-1 ... 0:  y_adj, x_adj += J[i]' y_adj;  a_adj[k] += ...

x are numbers from outside, a[k] elements of arrays from outside at places that the counter determines. It is done
where it is counted to be cheaper: what is not run again, against what is kept more (`worth`). The entries come from a
`Collapse`. Where a zero has to win over an infinity, statements see to it one by one, and this is not done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.core import Apply, Block, For, Lambda, Stm
from ..ir.types import I64, Atom, Type, Var, i64
from ..ir.walk import free_vars, fresh, inline, statements
from ..passes.cost import block_cost
from ..passes.uses import mentioned, slice_for
from ..records import dataclass
from .adjoints import LoopScope, Scope, base_name
from .choice import KEPT
from .iteration import run_carried
from .planner import Plan
from .segments import Accumulated, Segment, dot
from .sweep import Back, Sweep, bound_in
from .values import zeros


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a loop with its Jacobian: `carried` and `inputs` are the variables to differentiate by, those of the
    loop and those from outside; `reads` says which elements of arrays some of the latter are."""

    carried: tuple[int, ...]
    inputs: tuple[Var, ...]
    reads: Mapping[Var, tuple[Var, Lambda]]
    found: Accumulated
    kept: tuple[tuple[int, int], ...]


def accumulated(sweep: Sweep, stm: Stm) -> Body | None:
    """The body with its Jacobian, where keeping that is cheaper than keeping states."""
    expr, collapse = stm.expr, sweep.plan.collapse
    assert isinstance(expr, For)
    if (
        collapse is None
        or not collapse.chooses
        or sweep.plan.is_limited
        or any(param.type.shape for param in expr.body.params)
    ):
        return None
    if any(sweep.is_delicate(inner) for inner in statements(expr.body.body)):
        return None
    carried = tuple(k for k, var in enumerate(stm.vars) if var.name in sweep.varied)
    reads = _reads(sweep, expr.body)
    if reads is None:
        return None
    outside = [x for x in _numbers(sweep, expr.body) if x not in reads]
    inputs = (*(expr.body.params[k + 1] for k in carried), *outside, *reads)
    block = Block(expr.body.body.stms, tuple(expr.body.body.results[k] for k in carried))
    found = collapse.jacobian(Segment(block, inputs), _most(expr.body))
    if found is None:
        return None
    inside = bound_in(Block(found.stms, ())) | {param.name for param in expr.body.params}
    kept = tuple(at for at, entry in found.entries.items() if isinstance(entry, Var) and entry.name in inside)
    if not _worth(expr, found, kept, reads):
        return None
    collapse.taken.append("slopes")
    return Body(carried, inputs, reads, found, kept)


def back_of(sweep: Sweep, stm: Stm, body: Body) -> Back:
    """Emit the loop with its stacks; how to go back through it."""
    expr, b = stm.expr, sweep.b
    assert isinstance(expr, For)
    types = [Type(body.found.entries[at].type.dtype, (expr.count,)) for at in body.kept]
    params, stacks = ([fresh("slope", type) for type in types] for _ in range(2))
    starts = [zeros(b, type) for type in types]
    inner = b.child()
    inner.stms += body.found.stms
    counter = expr.body.params[0]
    rows = [
        inner.apply("update", param, body.found.entries[at], counter)
        for param, at in zip(params, body.kept, strict=True)
    ]
    lam = Lambda((*expr.body.params, *params), inner.block((*expr.body.body.results, *rows)))
    b.stms.append(Stm((*stm.vars, *stacks), For(expr.count, (*expr.init, *starts), lam), stm.pos))
    _announce(sweep.plan, stm, body)

    def back(scope: Scope) -> None:
        adjoints = [scope.take(stm.vars[k]) for k in body.carried]
        if any(adjoint is not None for adjoint in adjoints):
            _run_back(sweep, scope, stm, body, dict(zip(body.kept, stacks, strict=True)), adjoints)

    return back


def _run_back(
    sweep: Sweep,
    scope: Scope,
    stm: Stm,
    body: Body,
    stacks: Mapping[tuple[int, int], Var],
    adjoints: Sequence[Atom | None],
) -> None:
    """The loop of the return sweep."""
    expr = stm.expr
    assert isinstance(expr, For)
    vars = [stm.vars[k] for k in body.carried]
    turn, seeds = fresh("turn", Type(I64)), [fresh(f"{base_name(var)}_adj", var.type) for var in vars]
    b = scope.b.child()
    i = b.apply("sub", b.apply("sub", expr.count, i64(1)), turn, hint="i")
    child = LoopScope(b, sweep.varied, set(), scope)
    rows = {at: b.apply("index", stack, i) for at, stack in stacks.items()}
    results: list[Atom] = []
    for k, x in enumerate(body.inputs):
        entries = {at: rows.get(at, entry) for at, entry in body.found.entries.items()}
        x_adj = dot(b, [(entries.get((r, k)), seed) for r, seed in enumerate(seeds)])
        if k < len(vars):
            results.append(zeros(b, x.type) if x_adj is None else x_adj)
        elif x in body.reads:
            array, place = body.reads[x]
            child.add(array, x_adj, *b.splice(inline(place, (i,))))
        else:
            child.add(x, x_adj)
    results += [child.adjoints[var.name] for var in child.carried]
    params = (turn, *seeds, *child.carried.values())
    initial = [zeros(scope.b, var.type) if x is None else x for var, x in zip(vars, adjoints, strict=True)]
    loop = run_carried(scope, child, expr.count, params, initial, b.block(results))
    for k, final in zip(body.carried, loop.vars, strict=False):
        scope.add(expr.init[k], final)


# -- what a body reads ------------------------------------------------------------------------------


def _reads(sweep: Sweep, body: Lambda) -> dict[Var, tuple[Var, Lambda]] | None:
    """The elements that a body reads of arrays from outside that vary, with how to find their places from the counter.

    None where arrays are read in another way.
    """
    found: dict[Var, tuple[Var, Lambda]] = {}
    others: set[str] = set()
    for stm in body.body.stms:
        match stm.expr:
            case Apply("index", (Var() as array, *place)) if sweep.is_varied(array) and not stm.vars[0].type.shape:
                recipe = slice_for(body.body, place, checks=False)
                known = mentioned(recipe).isdisjoint(param.name for param in body.params[1:])
                if not known or any(not isinstance(s.expr, Apply) for s in recipe.stms):
                    return None
                found[stm.vars[0]] = (array, Lambda(body.params[:1], recipe))
            case _:
                others |= mentioned(stm)
    arrays = {array.name for array, _ in found.values()}
    touched = {x.name for x in _varied(sweep, body) if x.type.shape}
    return found if touched <= arrays and arrays.isdisjoint(others) else None


def _numbers(sweep: Sweep, body: Lambda) -> list[Var]:
    """The numbers from outside that vary and are read."""
    return [x for x in _varied(sweep, body) if not x.type.shape]


def _varied(sweep: Sweep, body: Lambda) -> list[Var]:
    """What varies of what is read from outside."""
    return [x for x in free_vars(body) if sweep.is_varied(x)]


# -- what it costs ----------------------------------------------------------------------------------


def _most(body: Lambda) -> int:
    """More entries are not worth it in any case: the whole body run again, and gone back through, costs less."""
    operands = sum(len(stm.expr.args) for stm in statements(body.body) if isinstance(stm.expr, Apply))
    return int(block_cost(body.body) + operands) // KEPT + len(body.params) - 1


def _worth(
    expr: For, found: Accumulated, kept: Sequence[tuple[int, int]], reads: Mapping[Var, tuple[Var, Lambda]]
) -> bool:
    """Is it cheaper to keep the entries than to keep the states, run the body again and go back through it?

    The places of what is read in arrays are found again in either way.
    """
    again = slice_for(Block(found.stms, ()), found.slopes, checks=False)
    names = mentioned(again)
    states = sum(param.name in names for param in expr.body.params[1:])
    if states == 0:
        return False
    bound = bound_in(again) - {name for _, place in reads.values() for name in bound_in(place.body)}
    own = tuple(stm for stm in expr.body.body.stms if any(var.name in bound for var in stm.vars))
    rerun = block_cost(Block(own, ()))
    with_states = rerun + found.plain + KEPT * states
    return found.products + len(found.entries) + KEPT * len(kept) < with_states


def _announce(plan: Plan, stm: Stm, body: Body) -> None:
    size = sum(body.found.entries[at].type.dtype.itemsize for at in body.kept)
    plan.note(
        stm.pos,
        f"keeps {size} bytes of every iteration: {len(body.kept)} entries of its Jacobian",
        f"accumulated by {body.found.products} multiplications; no iteration runs again",
        back=0,
    )
