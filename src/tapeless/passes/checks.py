"""Run-time checks as the user wants them: `check="bounds,nan"`.

Without `bounds`, index checks are taken out: the user vouches for every index, and a wrong one is undefined behaviour.
With `nan`, every float result of an operation is followed by a check, so that the first NaN is reported at its line.
Other checks (division by zero, sizes, `raise`, `assert`) are the meaning of the program and always stay.
"""

from __future__ import annotations

from ..ir.core import Apply, Block, Check, Function, Lambda, Stm
from ..ir.walk import map_lambdas


def run(function: Function, wanted: frozenset[str]) -> Function:
    """The function with the wanted checks."""
    if wanted == frozenset({"bounds"}):
        return function
    return Function(function.name, function.params, _block(function.body, wanted), function.donated)


def _block(block: Block, wanted: frozenset[str]) -> Block:
    stms: list[Stm] = []
    for stm in block.stms:
        if isinstance(stm.expr, Check) and stm.expr.kind == "bounds" and "bounds" not in wanted:
            continue
        inner = map_lambdas(stm.expr, lambda lam: Lambda(lam.params, _block(lam.body, wanted)))
        stms.append(Stm(stm.vars, inner, stm.pos))
        if "nan" in wanted:
            stms += _nan_checks(stm)
    return Block(tuple(stms), block.results)


def _nan_checks(stm: Stm) -> list[Stm]:
    """Only operations make NaNs; structured forms pass on what their bodies made."""
    if not isinstance(stm.expr, Apply):
        return []
    scalars = [var for var in stm.vars if var.type.dtype.is_float and not var.type.is_array]
    return [Stm((), Check("not_nan", (var,)), stm.pos) for var in scalars]
