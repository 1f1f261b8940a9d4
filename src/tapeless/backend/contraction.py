"""Which of two products a fused multiply-add takes up.

In `a*b - c*d` one product is fused with the subtraction, the other is rounded on its own, first. The one that is ready
earlier must be the one rounded apart, else it waits for nothing while the chain of the loop gets longer: with u = p*x
known early, `u - (q*x)*y` takes a multiplication less from x to the result when `(q*x)*y` is fused. LLVM takes
the first product, whichever it is; it fuses only what we mark, so the other one is left without the mark.

In: a function. Out: the products to be rounded on their own. When each becomes ready is counted in cycles from the
start of the innermost loop around it; only products used once matter, since LLVM computes the others apart anyway.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..ir.core import Apply, Block, Function, If
from ..ir.op import lookup
from ..ir.types import Var
from ..ir.walk import lambdas, operands
from .whole_numbers import products_of_whole_numbers

# Cycles until the result is there, on the machines at hand; anything else by its cost.
_LATENCY = {"add": 3.0, "sub": 3.0, "mul": 3.0, "fma": 4.0, "div": 13.0, "sqrt": 20.0, "index": 5.0}
_FORM = 50.0


def rounded_apart(function: Function) -> frozenset[Var]:
    """The products that are not to be fused with the sum they are part of."""
    uses = Counter(_mentions(function.body))
    found: set[Var] = set()
    _block(function.body, {}, uses, found)
    return frozenset(found | products_of_whole_numbers(function))


def _mentions(block: Block) -> Iterator[Var]:
    """Every use of a variable, as often as it is used."""
    yield from (atom for atom in block.results if isinstance(atom, Var))
    for stm in block.stms:
        yield from (atom for atom in operands(stm.expr) if isinstance(atom, Var))
        for lam in lambdas(stm.expr):
            yield from _mentions(lam.body)


def _block(block: Block, ready: dict[Var, float], uses: Counter[Var], found: set[Var]) -> None:
    """Choose in a block; `ready` is when each value of the same loop is known, other values are known at the start."""
    products: dict[Var, float] = {}
    for stm in block.stms:
        expr = stm.expr
        start = max((ready.get(atom, 0.0) for atom in operands(expr) if isinstance(atom, Var)), default=0.0)
        match expr:
            case Apply("add" | "sub", (Var() as a, Var() as b)) if a in products and b in products:
                found.add(a if products[a] < products[b] else b)
            case Apply("mul") if stm.vars[0].type.dtype.is_float and uses[stm.vars[0]] == 1:
                products[stm.vars[0]] = start
            case If(_, then, orelse):
                _block(then, dict(ready), uses, found)
                _block(orelse, dict(ready), uses, found)
            case _:
                for lam in lambdas(expr):
                    _block(lam.body, {}, uses, found)
        cycles = _LATENCY.get(expr.op, lookup(expr.op).cost) if isinstance(expr, Apply) else _FORM
        ready.update((var, start + cycles) for var in stm.vars)
