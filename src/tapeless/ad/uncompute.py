"""Loops that are run backwards: the return sweep keeps nothing, and brings back each state from the one after it.

    forward:  for i < n:  y = body(i, y)
    return:   for i = n-1 ... 0:  y = inverse(i, y);  run body(i, y) again;  y_adj, free_adj = back through it

The memory does not depend on the number of iterations. In floats a state that is brought back differs from what it was
by rounding, as `inversion.undo` says, and what the program does to small differences it does to these: this is for
those who ask for it (`memory="reversible"`, `@tp.reversible`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.build import Builder
from ..ir.core import For, Lambda, Stm
from ..ir.types import Atom, Var
from ..ir.walk import inline, substitute
from ..inversion.inverse import inverse_step
from ..inversion.solving import CannotInvert
from .adjoints import Scope
from .announce import announce_backwards, announce_irreversible
from .iteration import run_back
from .planner import Plan
from .sweep import Sweep


def inverse_of(sweep: Sweep, stm: Stm) -> Lambda | None:
    """One iteration backwards; None when it cannot be found, which is announced."""
    expr = stm.expr
    assert isinstance(expr, For)
    try:
        return inverse_step(expr, sweep.b.stms)
    except CannotInvert as problem:
        announce_irreversible(sweep.plan, stm.pos, problem.what)
        return None


def back(
    sweep: Sweep, scope: Scope, stm: Stm, inverse: Lambda, adjoints: Sequence[Atom | None], plan: Plan
) -> dict[int, Var]:
    """Emit the return sweep of a loop; the carried arrays as they were before it."""
    expr = stm.expr
    assert isinstance(expr, For)

    def begin(b: Builder, i: Var, carried: Sequence[Var]) -> tuple[list[Var], Callable[[Scope], Sequence[Atom]]]:
        block = substitute(inline(inverse, (i, *carried)), scope.restorations())
        start = [_named(b, atom) for atom in b.splice(block)]
        return start, lambda child: [child.primal(x) for x in start]

    finals = tuple(scope.primal(var) for var in stm.vars)
    run = run_back(sweep, scope, stm, adjoints, plan, finals, begin)
    announce_backwards(plan, stm.pos, expr.count, [var.type for var in stm.vars])
    return {k: var for k, var in enumerate(run.memory) if var.type.shape}


def _named(b: Builder, atom: Atom) -> Var:
    """The value by a name of its own, which its adjoint goes by."""
    if atom.type.shape:
        return b.apply("reshape", atom, *atom.type.shape)
    return b.apply("convert", atom, attrs=(atom.type.dtype,))
