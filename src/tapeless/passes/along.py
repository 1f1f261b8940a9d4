"""Along: what only checks is done by the loop that reads the same arrays after it.

    map n (i) { k = key[i]; check 0 <= k < m }        for n y (i, y) { k = key[i]; check 0 <= k < m; y with ... at k }
    for n y (i, y) { k = key[i]; y with ... at k }

The return sweep of a derivative does not check again what the forward sweep has checked; where nothing else is left of
the forward sweep, that would be a pass of its own over the indices. In the loop it costs the comparisons alone. Each
round checks before it reads, and nothing in between may read at places that are computed.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Apply, Block, For, Lambda, Map, Stm
from ..ir.types import Atom, Var
from ..ir.walk import statements, subst_atom, substitute, substitute_lambda
from .cost import has_check
from .fuse_vertical import is_movable
from .rewrite import name_of
from .views import same


def only_checks(stm: Stm) -> bool:
    """A map without results: it is there for its checks."""
    return isinstance(stm.expr, Map) and not stm.vars


def partner(stms: Sequence[Stm]) -> int | None:
    """The map that only checks and can be done along with the last statement, a loop which reads all that it reads."""
    loop = stms[-1]
    if not isinstance(loop.expr, For) or has_check((loop,)):
        return None
    for candidate in range(len(stms) - 2, -1, -1):
        stm = stms[candidate]
        if only_checks(stm) and isinstance(stm.expr, Map) and same(stm.expr.size, loop.expr.count):
            shared = _arrays_read(stm) <= _arrays_read(loop)
            return candidate if shared and is_movable(stms, candidate, len(stms) - 1, set()) else None
    return None


def _arrays_read(stm: Stm) -> set[str]:
    inner = (s.expr for s in statements(Block((stm,), ())))
    return {name_of(expr.args[0]) for expr in inner if isinstance(expr, Apply) and expr.op == "index"}


def along(checks: Stm, loop: Stm) -> Stm:
    """The loop, each round of which checks first."""
    assert isinstance(checks.expr, Map)
    assert isinstance(loop.expr, For)
    body = loop.expr.body
    first = substitute_lambda(checks.expr.body, {checks.expr.body.params[0]: body.params[0]}).body
    joined = without_repetition(Block(first.stms + body.body.stms, body.body.results))
    return Stm(loop.vars, For(loop.expr.count, loop.expr.init, Lambda(body.params, joined)), loop.pos)


def without_repetition(block: Block) -> Block:
    """A block none of whose own operations is done twice."""
    known: dict[tuple[object, ...], Var] = {}
    equal: dict[Var, Atom] = {}
    kept: list[Stm] = []
    for stm in block.stms:
        if isinstance(stm.expr, Apply):
            key = stm.expr.op, stm.expr.attrs, tuple(subst_atom(x, equal) for x in stm.expr.args)
            if key in known:
                equal[stm.vars[0]] = known[key]
                continue
            known[key] = stm.vars[0]
        kept.append(stm)
    return substitute(Block(tuple(kept), block.results), equal)
