"""Loops that run backwards as long as they come back to where they began.

Let J_i be the Jacobian of iteration i. An error e of the state after it becomes J_i^-1 e of the state before it: what
the program contracts, its inverse amplifies. A rounding error of one part in 10^16 is a wrong state after 37/lambda
iterations of a system that contracts by exp(-lambda) in each, and after as many of one that is chaotic.

So the first state of a loop is compared with what running backwards finds. Unless these agree to within
`near.DRIFT`, what came of it is dropped, and the return sweep runs from states kept on the way (`checkpoints`): those
of the plan, or `ROOM` of them if nothing was to be kept. In a strictly reversible function it is an error.

States on the way are compared too (`witness`): a loop that first expands everything by more than 10^8 and then
contracts it again comes back to its first state however wrong those in between are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.core import For, Lambda
from ..ir.types import F64, Atom, Var, i64
from ..ir.walk import fresh, substitute_lambda
from ..records import replace
from . import checkpoints
from .adjoints import ArmScope, Scope
from .announce import expected_error
from .branches import join
from .near import DRIFT
from .stacks import writes_of
from .uncompute import Returning
from .values import rerun

# How many states are kept of a loop that was to run backwards, and drifts.
ROOM = 64
DRIFTED = "the loop does not come back to its first state: run backwards, it amplifies rounding"

# From the scope of a return sweep to the arrays before the loop.
Otherwise = Callable[[Scope], dict[int, Var]]


def back(loop: Returning, scope: Scope) -> dict[int, Var]:
    """Emit the return sweep of a loop that kept nothing; the carried arrays as they were before it."""
    if loop.plan.strict:
        return _back_or_fail(loop, scope)
    return back_unless_it_drifts(loop, scope, lambda inner: _from_the_first(loop, inner), f"{ROOM} states")


def back_unless_it_drifts(loop: Returning, scope: Scope, otherwise: Otherwise, kept: str) -> dict[int, Var]:
    """The return sweep backwards if that comes back to the first state, else what `otherwise` emits.

    Where nothing is around the loop it runs backwards at once, and what comes of it is dropped if it drifted; elsewhere
    all that it adds to would have to be copied each time: there it is tried before, without adjoints.
    """
    inexact = loop.inexact()
    if inexact is None:
        return _arrays(loop.run(scope, "no float that comes back is read").firsts)
    first, second = (ArmScope(scope.b.child(), scope.varied, set(), scope) for _ in range(2))
    if _is_executed_once(scope) and not inexact.reaches_rounds:
        check = f"{expected_error(loop.loop.count, DRIFT[F64])}, else it runs again from {kept}"
        arm, first.b = first.b, scope.b
        run = loop.run(first, check)
        found, first.b = loop.is_found(scope, run), arm
    else:
        check = f"{expected_error(loop.loop.count, DRIFT[F64])} on trial, else it runs from {kept}"
        found = loop.comes_back(scope)
        run = loop.run(first, check)
    ends = [_arrays(run.firsts), otherwise(second)]
    arrays = list(ends[1])
    made = join(scope, found, (first, second), [[end[k] for k in arrays] for end in ends])
    return dict(zip(arrays, made, strict=True))


def _from_the_first(loop: Returning, scope: Scope) -> dict[int, Var]:
    """Run the loop once more from its first state, and keep some states on the way."""
    expr, b = loop.loop, scope.b
    body = substitute_lambda(expr.body, scope.restorations())
    init: tuple[Atom, ...] = tuple(scope.primal(x) for x in expr.init)
    again = For(expr.count, init, Lambda(body.params, rerun(body.body)))
    finals = [fresh(var.name, var.type) for var in loop.stm.vars]
    room = b.apply("min", i64(ROOM), b.apply("add", expr.count, i64(1)))
    slots = checkpoints.forward(b, finals, again, writes_of(expr), room)
    quiet = replace(loop.plan, backwards=False, notes=None, reruns=None)
    return checkpoints.back(loop.sweep, scope, loop.stm, slots, loop.adjoints, quiet)


def _back_or_fail(loop: Returning, scope: Scope) -> dict[int, Var]:
    """A loop of which nothing may be kept: an error where it does not come back to its first state."""
    inexact = loop.inexact()
    if inexact is None:
        return _arrays(loop.run(scope, "no float that comes back is read").firsts)
    check = f"{expected_error(loop.loop.count, DRIFT[F64])}, else it is an error"
    if inexact.reaches_rounds:
        scope.b.check("assert", loop.comes_back(scope), info=DRIFTED)
        return _arrays(loop.run(scope, check).firsts)
    run = loop.run(scope, check)
    scope.b.check("assert", loop.is_found(scope, run), info=DRIFTED)
    return _arrays(run.firsts)


def _is_executed_once(scope: Scope) -> bool:
    """Is nothing around the return sweep but branches?"""
    if isinstance(scope, ArmScope):
        assert scope.parent is not None
        return _is_executed_once(scope.parent)
    return scope.parent is None


def _arrays(firsts: Sequence[Var]) -> dict[int, Var]:
    return {k: var for k, var in enumerate(firsts) if var.type.shape}
