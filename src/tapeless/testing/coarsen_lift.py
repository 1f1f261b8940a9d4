"""Constants as parameters: nothing is folded in such a program; its forms agree in all digits of long numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..ir.core import Apply, Block, Expr, For, Function, If, Lambda, Stm, While
from ..ir.numbers import NUMPY_TYPES
from ..ir.types import Atom, Lit, Type, Var
from ..ir.walk import canonical, fresh, rebuild

# Operations that are exact on short constants, such as 0.5 and 3. Arrays that replicate them may be neutral elements.
# Products are not: what a loop multiplies by becomes a power.
_EXACT = frozenset({
    "add", "sub", "neg", "abs", "min", "max", "fmin", "fmax", "select", "convert",
    "replicate", "lt", "le", "gt", "ge", "eq", "ne",
})  # fmt: skip
_SHORT = 1024


def lifted(function: Function, args: Sequence[Any]) -> tuple[Function, list[Any]]:
    """The program with a parameter for each float that is not short, or is given to a function; its arguments."""
    params: dict[Lit, Var] = {}

    def lift(atom: Atom) -> Atom:
        if not isinstance(atom, Lit) or not atom.type.dtype.is_float:
            return atom
        return params.setdefault(atom, fresh("c", Type(atom.type.dtype)))

    def lift_long(atom: Atom) -> Atom:
        is_short = isinstance(atom, Lit) and atom.type.dtype.is_float and (float(atom.value) * _SHORT).is_integer()
        return atom if is_short else lift(atom)

    def expression(expr: Expr) -> Expr:
        match expr:
            case Apply(op):
                return rebuild(expr, lift_long if op in _EXACT else lift, within)
            case For() | While() | If():
                return rebuild(expr, lift_long, within)
            case _:  # neutral elements stay what they are
                return rebuild(expr, lambda atom: atom, within)

    def within(lam: Lambda) -> Lambda:
        return Lambda(lam.params, block(lam.body))

    def block(old: Block) -> Block:
        stms = tuple(Stm(stm.vars, expression(stm.expr), stm.pos) for stm in old.stms)
        return Block(stms, tuple(map(lift_long, old.results)))

    body = block(function.body)
    values = [NUMPY_TYPES[lit.type.dtype](lit.value) for lit in params]
    return canonical(Function(function.name, (*function.params, *params.values()), body)), [*args, *values]
