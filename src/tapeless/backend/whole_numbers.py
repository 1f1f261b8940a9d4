"""Products that whole numbers are made of: each is rounded on its own.

A float that is rounded to a whole number jumps by one where the last bit of what it is made of decides. Programs that
add such numbers and take them away again (`reversible.numbers`) need the same number both times, whatever else the code
around computes; so nothing of it is fused here, where fusing depends on what is around.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.core import Apply, Block, Function, Stm
from ..ir.types import Atom, DType, Var
from ..ir.walk import free_vars, lambdas, operands, statements


def products_of_whole_numbers(function: Function) -> set[Var]:
    """The products of floats on the way to a conversion to integers."""
    made = {var: stm for stm in statements(function.body) for var in stm.vars}
    bound = {param: stm for stm in made.values() for lam in lambdas(stm.expr) for param in lam.params}
    found: set[Var] = set()
    seen: set[Var] = set()
    waiting = [atom for stm in statements(function.body) for atom in _rounded(stm)]
    while waiting:
        atom = waiting.pop()
        if not isinstance(atom, Var) or atom in seen or not atom.type.dtype.is_float:
            continue
        seen.add(atom)
        stm = made.get(atom) or bound.get(atom)
        if stm is None:
            continue
        if isinstance(stm.expr, Apply) and stm.expr.op == "mul":
            found.add(atom)
        waiting += operands(stm.expr)
        for lam in lambdas(stm.expr):
            waiting += _floats(lam.body)
    return found


def _rounded(stm: Stm) -> Iterator[Atom]:
    match stm.expr:
        case Apply("convert", (x,), (DType() as dtype,)) if x.type.dtype.is_float and dtype.is_int:
            yield x
        case _:
            pass


def _floats(block: Block) -> Iterator[Atom]:
    """All that a block makes or reads: what of it goes into its results is not asked."""
    yield from free_vars(block)
    for stm in statements(block):
        yield from stm.vars
