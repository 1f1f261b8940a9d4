"""Loops with a condition that only add something up: their return sweep runs in the order of the program.

    while c(i):  total += f(i, a);  i = g(i)        return:  while c(i):  a_adj += total_adj * df/da(i, a);  i = g(i)

The adjoint of a sum is the same in all iterations, so these may be run back in any order. In their own order nothing of
them must be kept: the loop runs again from its start, and need not be counted before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ..ir.core import Apply, Block, If, Lambda, Stm, While
from ..ir.types import Atom, Var, i64
from ..ir.walk import fresh, lambdas, operands, refresh, statements
from ..records import dataclass, field
from .adjoints import LoopScope, Scope, base_name
from .iteration import carried_starts, hand_over
from .sweep import Back, Sweep, back_through
from .values import zeros


def in_order(sweep: Sweep, stm: Stm) -> Back | None:
    """The rule of a loop that only adds up floats beside other scalars; None for any other."""
    expr = stm.expr
    assert isinstance(expr, While)
    active = [k for k, var in enumerate(stm.vars) if var.name in sweep.varied]
    if any(var.type.shape for var in stm.vars) or not _only_adds(expr, active):
        return None
    sweep.emit(stm)
    sweep.plan.note(stm.pos, "keeps nothing", "runs again in its own order: it only adds up", back=1)

    def back(scope: Scope) -> None:
        adjoints = {k: adjoint for k in active if (adjoint := scope.take(stm.vars[k])) is not None}
        if adjoints:
            _again(sweep, scope, stm, adjoints)
            for k, adjoint in adjoints.items():
                scope.add(expr.init[k], adjoint)

    return back


def _again(sweep: Sweep, scope: Scope, stm: Stm, adjoints: dict[int, Atom]) -> None:
    """Emit the loop once more, which adds to the adjoints of what it reads."""
    expr = stm.expr
    assert isinstance(expr, While)
    rest = [k for k, var in enumerate(stm.vars) if var.name not in sweep.varied]
    b = scope.b.child()
    params = {k: fresh(base_name(stm.vars[k]), stm.vars[k].type) for k in rest}
    start = [params.get(k) or zeros(b, var.type) for k, var in enumerate(stm.vars)]
    body = Lambda((fresh("i", i64(0).type), *expr.body.params), expr.body.body)
    inner, block = sweep.inner(scope, b, body, (i64(0), *start), stm.vars)
    inner.bound |= {x.name for x in params.values()}
    child = LoopScope(b, inner.varied, inner.bound, scope)
    backs = inner.run(block)
    for k, adjoint in adjoints.items():
        child.add(block.results[k], adjoint)
    back_through(backs, child)
    results = [*(block.results[k] for k in rest), *(child.adjoints[var.name] for var in child.carried)]
    initial = (*(expr.init[k] for k in rest), *carried_starts(scope, child))
    turn = Lambda((*params.values(), *child.carried.values()), b.block(results))
    unread = [fresh(param.name, param.type) for param in child.carried.values()]
    kept = [expr.cond.params[k] for k in rest]
    goes_on = refresh(Lambda((*kept, *unread), expr.cond.body), scope.restorations())
    finals = tuple(fresh(param.name, param.type) for param in turn.params)
    scope.b.stms.append(Stm(finals, While(initial, goes_on, turn), scope.b.pos))
    hand_over(scope, child, finals[len(rest) :])


def _only_adds(expr: While, active: Sequence[int]) -> bool:
    """Does each of these carried values only have something added, which reads none of them, and decide nothing?"""
    body, params = expr.body, expr.body.params
    conditions = set(_mentions(expr.cond.body))
    if any(expr.cond.params[k] in conditions for k in active):
        return False
    uses = Counter(_mentions(body.body))
    chains = _Chains({var: stm for stm in statements(body.body) for var in stm.vars})
    if not all(chains.leads_to(params[k], body.body.results[k]) for k in active):
        return False
    return all(uses[var] == count for var, count in chains.uses.items())


@dataclass(slots=True)
class _Chains:
    """Partial sums, and how often each is used on the way from one to the next: whatever else uses one reads it."""

    made: Mapping[Var, Stm]
    uses: Counter[Var] = field(default_factory=Counter[Var])
    starts: dict[Var, Var] = field(default_factory=dict[Var, Var])

    def leads_to(self, start: Var, result: Atom) -> bool:
        """Is this the start and something added to it?"""
        if not isinstance(result, Var):
            return False
        self.uses[result] += 1
        if result == start or result in self.starts:
            return self.starts.setdefault(result, start) == start
        self.starts[result] = start
        stm = self.made.get(result)
        match stm and stm.expr:
            case Apply("add", (x, y)):
                return self._either(start, x, y)
            case Apply("sub", (x, _)):
                return self.leads_to(start, x)
            case If(_, then, orelse) if stm is not None:
                number = stm.vars.index(result)
                return all(self.leads_to(start, arm.results[number]) for arm in (then, orelse))
            case _:
                return False

    def _either(self, start: Var, x: Atom, y: Atom) -> bool:
        """Is one of two terms a partial sum? That the other reads none, is told by the number of uses."""
        for term in (x, y):
            before = self.uses.copy(), dict(self.starts)
            if self.leads_to(start, term):
                return True
            self.uses, self.starts = before
        return False


def _mentions(block: Block) -> Iterator[Var]:
    """Every use of a variable, as often as it is used."""
    yield from (atom for atom in block.results if isinstance(atom, Var))
    for stm in block.stms:
        yield from (atom for atom in operands(stm.expr) if isinstance(atom, Var))
        for lam in lambdas(stm.expr):
            yield from _mentions(lam.body)
