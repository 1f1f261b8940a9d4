"""Straight-line runs of sums and products to try rewrites on."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tapeless.ir.build import Builder
from tapeless.ir.check import check
from tapeless.ir.core import Apply, Block, Function, Stm
from tapeless.ir.eval import evaluate
from tapeless.ir.types import F64, Lit, Type, Var
from tapeless.ir.walk import fresh

from .helpers import MP

FLOAT = Type(F64)


def inputs(count: int) -> tuple[Var, ...]:
    return tuple(fresh("x", FLOAT) for _ in range(count))


def random_run(seed: int, length: int, params: Sequence[Var]) -> tuple[list[Stm], list[Var]]:
    """Sums, differences and products, more of the latter; and the values that nobody reads, with some others."""
    dice, b = Random(seed), Builder()
    atoms = [*params, Lit(0.5, F64), Lit(-3.0, F64)]
    for _ in range(length):
        op = dice.choice(["add", "sub", "mul", "mul", "mul", "neg"])
        args = [atoms[-1 - min(int(dice.expovariate(0.15)), len(atoms) - 1)] for _ in range(1 if op == "neg" else 2)]
        atoms.append(b.apply(op, *args))
    read = {arg for stm in b.stms if isinstance(stm.expr, Apply) for arg in stm.expr.args}
    made = [stm.vars[0] for stm in b.stms]
    return b.stms, [var for var in made if var not in read or dice.random() < 0.1]


def program(stms: Sequence[Stm], params: Sequence[Var], outputs: Sequence[Var]) -> Function:
    function = Function("run", tuple(params), Block(tuple(stms), tuple(outputs)))
    check(function)
    return function


def results(stms: Sequence[Stm], params: Sequence[Var], outputs: Sequence[Var], point: Sequence[float]) -> list:
    """In numbers of 60 digits."""
    return evaluate(program(stms, params, outputs), list(point), MP)


def count(stms: Sequence[Stm], op: str) -> int:
    return sum(isinstance(stm.expr, Apply) and stm.expr.op == op for stm in stms)
