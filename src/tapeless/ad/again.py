"""Reverse rule of a block that is to run again (`tp.checkpoint`).

The forward sweep runs it as it is: its loops keep nothing. The return sweep first runs its forward sweep, and then goes
back through it. So nothing lives in between but what the block reads, and of an array that it hands on with some
places written (`journal`), what stood there.
"""

from __future__ import annotations

from ..ir.core import Lambda, Stm
from .adjoints import Scope
from .journal import journal
from .sweep import Back, Sweep, back_through, bound_in
from .values import retyped


def again_rule(sweep: Sweep, stm: Stm, body: Lambda) -> Back:
    """The rule of a block without parameters, whose results are bound by `stm`."""
    restores = journal(sweep.b, stm)
    sweep.emit(stm)

    def back(scope: Scope) -> None:
        if restores is not None:
            restores(scope)
        adjoints = [scope.take(var) for var in stm.vars]
        if all(adjoint is None for adjoint in adjoints):
            return
        sweep.plan.note(stm.pos, "keeps nothing", "tp.checkpoint: the function runs again", back=1)
        inner, block = sweep.inner(scope, scope.b, body, (), stm.vars)
        scope.varied |= inner.varied
        inner.varied = scope.varied  # one set: restored versions of arrays become known to both
        scope.bound |= bound_in(block)
        backs = inner.run(block)
        for result, adjoint in zip(block.results, adjoints, strict=True):
            scope.add(result, None if adjoint is None else retyped(scope.b, adjoint, result.type))
        back_through(backs, scope)

    return back
