"""Reciprocals: divisions by one value share its reciprocal. Only under `fastmath`, since a last bit may change.

A division takes several times as long as a product, and a vector unit does not overlap divisions. `x / d` and `y / d`
in one block become `x * r` and `y * r` with `r = 1 / d`; so does a division in a loop by a value from outside of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from ..ir.build import Builder
from ..ir.core import Apply, Block, Function, If, Lambda, Stm
from ..ir.types import Atom, Lit, Var
from ..ir.walk import lambdas, map_lambdas, statements
from .notes import Notes
from .uses import bound_names


def run(function: Function, _notes: Notes) -> Function:
    """The function with fewer divisions."""
    return Function(function.name, function.params, _block(function.body, {}), function.donated)


def _block(block: Block, known: dict[Var, Atom]) -> Block:
    """`known` are the reciprocals at hand."""
    known = dict(known)
    here = Counter(divisor for stm in block.stms if (divisor := _divisor(stm)) is not None)
    b = Builder()

    def inner(lam: Lambda) -> Lambda:
        return Lambda(lam.params, _block(lam.body, known))

    for stm in block.stms:
        wanted = _from_outside(stm)
        divisor = _divisor(stm)
        if divisor is not None and here[divisor] > 1:
            wanted.add(divisor)
        for divisor in sorted(wanted - known.keys(), key=lambda var: var.name):
            with b.at(stm.pos):
                known[divisor] = b.apply("div", Lit(1.0, divisor.type.dtype), divisor)
        b.stms.append(_changed(stm, known, inner))
    return b.block(block.results)


def _divisor(stm: Stm) -> Var | None:
    match stm.expr:
        case Apply("div", (_, Var() as divisor)):
            return divisor
        case _:
            return None


def _from_outside(stm: Stm) -> set[Var]:
    """By which values of this block the loops of a statement divide. A branch may not run, and is not a loop."""
    if isinstance(stm.expr, Apply | If):
        return set()
    found: set[Var] = set()
    for lam in lambdas(stm.expr):
        inside = bound_names(lam.body) | {param.name for param in lam.params}
        divisors = {d for s in statements(lam.body) if (d := _divisor(s)) is not None}
        found |= {d for d in divisors if d.name not in inside}
    return found


def _changed(stm: Stm, known: dict[Var, Atom], inner: Callable[[Lambda], Lambda]) -> Stm:
    divisor = _divisor(stm)
    if divisor is not None and divisor in known:
        assert isinstance(stm.expr, Apply)
        return Stm(stm.vars, Apply("mul", (stm.expr.args[0], known[divisor])), stm.pos)
    return Stm(stm.vars, map_lambdas(stm.expr, inner), stm.pos)
