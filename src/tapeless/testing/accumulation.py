"""Random straight-line programs: their Jacobians, accumulated in any order, beside differences of 60 digits.

    python -m tapeless.testing.accumulation -n 10000 --seed 0

A program is linearised, and its Jacobian is accumulated in the order of the program, its reverse and random orders; and
once more with edges of the graph eliminated on their own (`eliminate.splits`).
Every entry must be the derivative that `oracle` finds, and the interpreter must execute as many multiplications as the
`work` model counts, beside those of the program and its partial derivatives. It executes fewer only where constants
add up to zero, which is known when they are added up, not to the model; and where there are choices: arms that are not
taken are not executed, and masks that exclude each other leave products out.
"""

from __future__ import annotations

import argparse
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

import numpy as np

from tapeless.eliminate import emit
from tapeless.eliminate.emit import accumulate
from tapeless.eliminate.factors import settled
from tapeless.eliminate.linear import Linear
from tapeless.eliminate.linearise import linearise
from tapeless.eliminate.splits import Split, linear_apart
from tapeless.eliminate.tables import cost
from tapeless.eliminate.work import work
from tapeless.ir.build import Builder
from tapeless.ir.check import check as check_ir
from tapeless.ir.core import Apply, Block, Function, Stm
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers_count import CountingTower
from tapeless.ir.numbers_mp import MpTower
from tapeless.ir.types import F64, Atom, Lit, Type, Var, f64
from tapeless.ir.walk import fresh

from .oracle import Oracle

UNARY = ("neg", "sin", "cos", "exp", "tanh", "atan", "asinh", "erf")
BINARY = ("add", "sub", "mul", "mul", "hypot", "atan2")
TOLERANCE = 1e-12


# -- programs -------------------------------------------------------------------------------------


def program(dice: Random, choices: bool = False) -> tuple[Function, int]:
    """A straight-line program with scalar results, and how many of its parameters are inputs of the Jacobian."""
    wrt = [fresh("x", Type(F64)) for _ in range(dice.randint(1, 4))]
    given = fresh("k", Type(F64))
    b = Builder()
    pool: list[Atom] = [*wrt, given, f64(1.0), f64(0.75)]
    for _ in range(dice.randint(2, 14)):
        # Recent values first, so that graphs are deep.
        x, y = (pool[max(0, len(pool) - 1 - int(dice.expovariate(0.25)))] for _ in range(2))
        kind = dice.random()
        if choices and kind < 0.2:
            pool.append(b.apply("select", b.apply("lt", x, y), dice.choice(pool), dice.choice(pool)))
        elif choices and kind < 0.3:
            pool.append(_branch(b, dice, x, y, pool))
        elif kind < 0.4:
            pool.append(b.apply(dice.choice(UNARY), x))
        elif kind < 0.5:
            pool.append(b.apply("mul", x, f64(dice.choice((-2.0, 0.5, 3.0)))))
        else:
            pool.append(b.apply(dice.choice(BINARY), x, y))
    results = [dice.choice(pool) for _ in range(dice.randint(1, 3))] + [pool[-1], dice.choice(pool[-4:])]
    return Function("random", (*wrt, given), b.block(results)), len(wrt)


def _branch(b: Builder, dice: Random, x: Atom, y: Atom, pool: Sequence[Atom]) -> Var:
    z, w = dice.choice(pool), dice.choice(pool)

    def then(b: Builder) -> tuple[Atom]:
        return (b.apply("mul", b.apply("sin", b.apply("mul", z, y)), w),)

    return b.if_(b.apply("lt", x, y), then, lambda b: (b.apply("tanh", b.apply("mul", x, w)),))[0]


# -- Jacobians ------------------------------------------------------------------------------------


def _arm(b: Builder, linear: Linear) -> Any:
    """How arms accumulate: in reverse."""
    order = linear.graph.intermediates[::-1]
    return accumulate(b, linear, order), cost(work(linear.graph), order)


def _jacobian(function: Function, linear: Linear, order: Sequence[int], columns: int) -> tuple[Function, Function]:
    """The program with its Jacobian row by row, and the program with its partials alone."""
    b = Builder()
    b.stms.extend(linear.stms)
    before = len(b.stms)
    found = accumulate(b, linear, order)
    rows = [output for row in linear.rows for output in row]
    entries = [None if row is None else found.get((row, k)) for row in rows for k in range(columns)]
    results = [f64(0.0) if entry is None else settled(b, entry, F64) for entry in entries]
    whole = Function("jacobian", function.params, b.block(results))
    check_ir(whole)
    return whole, Function("partials", function.params, Block(tuple(b.stms[:before]), ()))


def _multiplications(function: Function, args: Sequence[float]) -> int:
    """Executed, but for those by a constant of the program."""
    tower = CountingTower(MpTower())
    evaluate(function, args, tower)
    return tower.counts["mul"] + tower.counts["scale"] - sum(map(_by_constant, function.body.stms))


def _by_constant(stm: Stm) -> bool:
    expr = stm.expr
    return isinstance(expr, Apply) and expr.op == "mul" and any(isinstance(arg, Lit) for arg in expr.args)


def _expected(function: Function, args: Sequence[float], columns: int) -> Any:
    """By differences of 60-digit numbers; None at a kink."""
    oracle, found = Oracle(function), list[list[float]]()
    for k in range(columns):
        slope = oracle.slope(args, [float(j == k) if j < columns else None for j in range(len(args))])
        if slope.kink or slope.value.fault:
            return None
        found.append([float(x) for x in slope.along])
    return np.array(found).T


@contextmanager
def _watched() -> Generator[list[Any]]:
    """Fills up when constants add up to zero."""
    found: list[Any] = []
    plus = emit.plus

    def watched(*args: Any) -> Any:
        total = plus(*args)
        if total is None:
            found.append(args)
        return total

    emit.plus = watched
    try:
        yield found
    finally:
        emit.plus = plus


def _orders(dice: Random, linear: Linear) -> Iterator[tuple[Linear, Sequence[int]]]:
    vertices = linear.graph.intermediates
    for order in (vertices, vertices[::-1], *(dice.sample(vertices, len(vertices)) for _ in range(3))):
        yield linear, order
    inner = [ends for ends in linear.graph.edges if any(vertex in vertices for vertex in ends)]
    if inner:
        source, target = dice.choice(inner)
        split = Split(source, target) if source in vertices else Split(target, source)
        linear = linear_apart(linear, [split])
        vertices = linear.graph.intermediates
        yield linear, dice.sample(vertices, len(vertices))


# -- the check ------------------------------------------------------------------------------------


def check(seed: int, choices: bool = False) -> bool:
    """Check one random program; False where no derivative can be judged, at a kink."""
    dice = Random(seed)
    function, columns = program(dice, choices)
    args = [dice.uniform(-1.5, 1.5) for _ in function.params]
    linear = linearise(function.body, function.params[:columns], _arm)
    if linear is None:
        raise AssertionError(f"seed {seed}: no straight-line code")
    wanted = _expected(function, args, columns)
    if wanted is None:
        return False
    for graph, order in _orders(dice, linear):
        with _watched() as cancelled:
            whole, partials = _jacobian(function, graph, order, columns)
        found = np.array([float(x) for x in evaluate(whole, args, MpTower())]).reshape(wanted.shape)
        if not np.allclose(found, wanted, rtol=TOLERANCE, atol=TOLERANCE):
            raise AssertionError(f"seed {seed}: order {order} gives {found}, not {wanted}")
        executed = _multiplications(whole, args) - _multiplications(partials, args)
        counted = cost(work(graph.graph), order)
        if executed > counted or (executed < counted and not (cancelled or choices)):
            raise AssertionError(f"seed {seed}: order {order} takes {executed} multiplications, not {counted}")
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description="Check accumulated Jacobians of random programs.")
    parser.add_argument("-n", type=int, default=1000, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first")
    parser.add_argument("--choices", action="store_true", help="programs with branches and selects")
    options = parser.parse_args()
    judged = sum(check(seed, options.choices) for seed in range(options.seed, options.seed + options.n))
    print(f"{options.n} programs, {judged} judged: every order gave the Jacobian for the multiplications counted")


if __name__ == "__main__":
    main()
