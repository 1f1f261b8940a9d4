"""Reciprocals: divisions by one value share its reciprocal. Only under `fastmath`, since a last bit may change.

A division takes several times as long as a product, and a vector unit does not overlap divisions. `x / d` and `y / d`
in one block become `x * r` and `y * r` with `r = 1 / d`; so does a division in a loop by a value from outside of it.
A division by the root of such a value is a product too, `x / sqrt(d) = x * (sqrt(d) * r)`: derivatives are full of
these. (Where d is 0, `0 * inf` makes NaN of what was infinite.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from ..ir.build import Builder
from ..ir.core import Apply, Block, Function, If, Lambda, Stm
from ..ir.types import Atom, Lit, Var
from ..ir.walk import lambdas, map_lambdas, statements
from .notes import Notes
from .uses import bound_names


def run(function: Function, _notes: Notes) -> Function:
    """The function with fewer divisions."""
    roots = {stm.vars[0]: radicand for stm in statements(function.body) if (radicand := _radicand(stm)) is not None}
    return Function(function.name, function.params, _block(function.body, {}, roots), function.donated)


def _block(block: Block, known: dict[Var, Atom], roots: Mapping[Var, Var]) -> Block:
    """`known` are the reciprocals at hand, `roots` tells what a root is of."""
    known = dict(known)
    here = Counter(divisor for stm in block.stms if (divisor := _divisor(stm)) is not None)
    rooted = {roots[divisor] for divisor in here if divisor in roots} & (here.keys() | known.keys())
    b = Builder()

    def inner(lam: Lambda) -> Lambda:
        return Lambda(lam.params, _block(lam.body, known, roots))

    for stm in block.stms:
        wanted = _from_outside(stm)
        divisor = _divisor(stm)
        radicand = roots.get(divisor) if divisor is not None else None
        radicand = radicand if radicand in rooted else None
        if radicand is not None:
            wanted.add(radicand)
        elif divisor is not None and (here[divisor] > 1 or divisor in rooted):
            wanted.add(divisor)
        with b.at(stm.pos):
            for value in sorted(wanted - known.keys(), key=lambda var: var.name):
                known[value] = b.apply("div", Lit(1.0, value.type.dtype), value)
            if divisor is not None and radicand is not None and divisor not in known:
                known[divisor] = b.apply("mul", divisor, known[radicand])
        b.stms.append(_changed(stm, known, inner))
    return b.block(block.results)


def _divisor(stm: Stm) -> Var | None:
    match stm.expr:
        case Apply("div", (_, Var() as divisor)):
            return divisor
        case _:
            return None


def _radicand(stm: Stm) -> Var | None:
    match stm.expr:
        case Apply("sqrt", (Var() as radicand,)):
            return radicand
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
