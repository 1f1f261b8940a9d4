"""Checks of indices that may count from the end: `i < n` as unsigned numbers first, the rest is rare.

The front end writes `a[i]` as `w = select(i < 0, i + n, i)` with a check that 0 <= w < n. In scalar code one comparison
then decides: an i in [0, n) is w itself. Only for any other i is n added and looked at again, off the path. In: a
function. Out: for such a check (by identity) the index as the user wrote it; `emit` writes it.
"""

from __future__ import annotations

from ..ir.core import Apply, Block, Check, Function, Stm
from ..ir.types import I64, Atom, Var, i64
from ..ir.walk import lambdas
from .emitter import Emitter
from .values import Scalar


def find(function: Function) -> dict[int, Atom]:
    """The indices before wrapping, of the checks in the block where the wrapping is done."""
    found: dict[int, Atom] = {}
    _block(function.body, {}, found)
    return found


def _block(block: Block, outer: dict[Var, Apply], found: dict[int, Atom]) -> None:
    made = dict(outer)
    wrapped: dict[Var, tuple[Atom, Atom]] = {}
    for stm in block.stms:
        match stm.expr:
            case Apply("select", (Var() as test, Var() as shifted, raw)):
                size = _size(made, test, shifted, raw)
                if size is not None:
                    wrapped[stm.vars[0]] = raw, size
            case Check("bounds", (Var() as index, size)) if index in wrapped and wrapped[index][1] == size:
                found[id(stm.expr)] = wrapped[index][0]
            case _:
                pass
        if isinstance(stm.expr, Apply):
            made[stm.vars[0]] = stm.expr
        for lam in lambdas(stm.expr):
            _block(lam.body, made, found)


def _size(made: dict[Var, Apply], test: Var, shifted: Var, raw: Atom) -> Atom | None:
    """The n of `select(raw < 0, raw + n, raw)`."""
    condition, sum = made.get(test), made.get(shifted)
    if condition != Apply("lt", (raw, i64(0))) or sum is None or sum.op != "add" or raw not in sum.args:
        return None
    return sum.args[1] if sum.args[0] == raw else sum.args[0]


def emit(e: Emitter, stm: Stm, raw: Scalar) -> None:
    """Check an index in scalar code, and bind it."""
    assert isinstance(stm.expr, Check)
    index, size = stm.expr.args
    assert isinstance(index, Var)
    n = e.scalar(size).text
    rare, bad, good = (e.w.new_label(hint) for hint in ("rare", "bad", "good"))
    local, _ = e.variable(I64)
    e.write(local, raw)
    e.branch(e.w.op(f"icmp ult i64 {raw.text}, {n}"), good, rare, likely=True)
    e.w.label(rare)
    with e.w.region():
        shifted = e.w.op(f"add i64 {raw.text}, {n}")
        e.write(local, Scalar(I64, shifted))
        e.branch(e.w.op(f"icmp ult i64 {shifted}, {n}"), good, bad)
        e.w.label(bad)
        wrapped = e.w.op(f"select i1 {e.w.op(f'icmp slt i64 {raw.text}, 0')}, i64 {shifted}, i64 {raw.text}")
        e.fail(str(e.kernel.site(stm) + 1), [wrapped, n])
    e.w.label(good)
    e.bind(index, e.read(local, I64))
