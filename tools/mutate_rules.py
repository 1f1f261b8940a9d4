"""Plant mistakes in the derivative rules, one at a time, and see whether the laws catch each.

    python tools/mutate_rules.py [FILE ...] [--jobs 2] [--programs 120] [--sample K --seed S] [--list]

The files of `src/tapeless/ad` are changed in their syntax trees: operations exchanged, operands swapped, signs and
indices off by one, contributions dropped, conditions negated. Each mutant lives in a forked process that imports the
changed module and judges random programs, and programs at kinks whose derivative is a convention. A survivor is printed
with its line: either the change means nothing, or the laws have a hole. Exit status 1 when there are survivors.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import importlib.abc
import importlib.machinery
import os
import random
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from tapeless.ir.core import Function
from tapeless.testing import derivative_law, random_program
from tapeless.testing.conventions import CONVENTIONS
from tapeless.testing.dice import Dice
from tapeless.testing.profile import SMOOTH

AD = Path(derivative_law.__file__).parents[1] / "ad"
NOT_RULES = {"__init__", "prepare"}
EXCHANGED = {"add": "sub", "sub": "add", "mul": "add", "div": "mul", "min": "max", "max": "min", "eq": "ne", "ne": "eq",
             "lt": "le", "le": "lt", "gt": "ge", "ge": "gt", "and": "or", "or": "and", "accumulate": "update",
             "update": "accumulate"}  # fmt: skip
COMMUTE = {"add", "mul", "and", "or", "xor", "eq", "ne", "min", "max"}
COMPARED = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
            ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}  # fmt: skip
SECONDS = 60


@dataclass(frozen=True)
class Mutant:
    """A changed source of one module."""

    module: str
    line: int
    change: str
    source: str

    def __str__(self) -> str:
        return f"{self.module}.py:{self.line}: {self.change}"


# -- making mutants -----------------------------------------------------------------------------------


def mutants(path: Path) -> Iterator[Mutant]:
    """Every single change of a file."""
    tree = ast.parse(path.read_text())
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.expr | ast.stmt)]
    for number, node in enumerate(nodes):
        for change in range(len(list(_changes(copy.deepcopy(node))))):
            twin = copy.deepcopy(tree)
            target = [n for n in ast.walk(twin) if isinstance(n, ast.expr | ast.stmt)][number]
            for k, words in enumerate(_changes(target)):
                if k == change:  # the generator has applied change k, and is left there
                    shown = ast.unparse(node).splitlines()[0][:90]
                    yield Mutant(
                        path.stem, node.lineno, f"{words}: {shown}", ast.unparse(ast.fix_missing_locations(twin))
                    )
                    break


def _changes(node: ast.AST) -> Iterator[str]:
    """Apply each change to the node in place, one after another, undoing it when asked for the next."""
    match node:
        case ast.Call(func=ast.Attribute(attr="apply" | "reduce" | "scan" | "hist"), args=args):
            for k, arg in enumerate(args):
                if isinstance(arg, ast.Constant) and arg.value in EXCHANGED:
                    args[k] = ast.Constant(EXCHANGED[arg.value])
                    yield f"{arg.value} -> {EXCHANGED[arg.value]}"
                    args[k] = arg
            if len(args) == 3 and isinstance(args[0], ast.Constant) and args[0].value not in COMMUTE:
                args[1], args[2] = args[2], args[1]
                yield "operands swapped"
                args[1], args[2] = args[2], args[1]
            if len(args) == 4 and isinstance(args[0], ast.Constant) and args[0].value == "select":
                args[2], args[3] = args[3], args[2]
                yield "arms swapped"
                args[2], args[3] = args[3], args[2]
        case ast.Call(func=ast.Name(id="i64" | "Lit"), args=[ast.Constant() as number, *_]):
            number.value, before = number.value + 1, number.value
            yield f"{before} -> {number.value}"
            number.value = before
        case ast.Subscript(slice=ast.Slice(lower=ast.Constant() as number) | (ast.Constant(value=int()) as number)):
            if isinstance(number.value, int):
                number.value += 1
                yield "index off by one"
                number.value -= 1
        case ast.If(test=test) | ast.IfExp(test=test):
            node.test = ast.UnaryOp(ast.Not(), test)
            yield "condition negated"
            node.test = test
        case ast.Compare(ops=[op]) if type(op) in COMPARED:
            node.ops = [COMPARED[type(op)]()]
            yield "comparison changed"
            node.ops = [op]
        case ast.BoolOp(values=[first, *rest]):
            node.values = [first, first]
            yield "second operand dropped"
            node.values = rest if len(rest) > 1 else [rest[0], rest[0]]
            yield "first operand dropped"
        case ast.BinOp(op=ast.Add() | ast.Sub() as op):
            node.op = ast.Sub() if isinstance(op, ast.Add) else ast.Add()
            yield "sign changed"
            node.op = op
        case ast.Expr(value=ast.Call() as call):
            node.value = ast.Constant(None)
            yield "statement dropped"
            node.value = call


# -- judging them ---------------------------------------------------------------------------------------


class Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds one module with its changed source."""

    def __init__(self, mutant: Mutant) -> None:
        self.name, self.source = f"tapeless.ad.{mutant.module}", mutant.source

    def find_spec(self, name: str, _path: object, _target: object = None) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.ModuleSpec(name, self) if name == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.source, self.name, "exec"), module.__dict__)


class NoMachine:
    """Stands for the machine: long numbers say enough about a rule."""

    def judge(self, derived: object, exact: object) -> None:
        pass


def corpus(count: int) -> list[derivative_law.Point]:
    """Points at which the unchanged rules are right, with the oracle's answers."""
    points: list[derivative_law.Point] = []
    for seed in range(count):
        function, args = random_program(seed, profile=SMOOTH)
        if seed % 2:
            function = derivative_law.prepare(function, derivative_law.Notes())
        try:
            point = derivative_law.Point(Function("f", function.params, function.body), args, Dice(seed))
            if point.worth_it and all(law(copy.copy(point), NoMachine()) for law in derivative_law.MODES.values()):
                points.append(point)
        except derivative_law.Found:
            continue
    return points


def survives(points: list[derivative_law.Point]) -> bool:
    """Is the derivative of every program right, under the rules as they are imported now?"""
    law = importlib.import_module("tapeless.testing.derivative_law")
    conventions = importlib.import_module("tapeless.testing.conventions")
    try:
        if any(conventions.broken(case) for case in conventions.CONVENTIONS):
            return False
        for point in points:
            for judge in law.MODES.values():
                judge(point, NoMachine())
    except Exception:
        return False
    return True


def started(mutant: Mutant, points: list[derivative_law.Point]) -> int:
    """The process that judges a mutant; its exit status is 0 when the mutant survives."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        stale = [n for n in sys.modules if n.startswith("tapeless.ad")]
        for name in [*stale, "tapeless.testing.derivative_law", "tapeless.testing.conventions"]:
            sys.modules.pop(name, None)
        sys.meta_path.insert(0, Changed(mutant))
        code = 1
        try:
            code = 0 if survives(points) else 1
        finally:
            os._exit(code)
    return child


def _ended(running: dict[int, Mutant]) -> list[Mutant]:
    """Wait for one process; its mutant, if it survived."""
    child, status = os.wait()
    mutant = running.pop(child)
    if status:
        return []
    print(f"survived {mutant}", flush=True)
    return [mutant]


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", nargs="*", help="names of modules of tapeless.ad; all by default")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--programs", type=int, default=120, help="random programs in the corpus")
    parser.add_argument("--sample", type=int, default=0, help="try only so many mutants, drawn at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--list", action="store_true", help="print the mutants and stop")
    options = parser.parse_args()
    paths = [path for path in sorted(AD.glob("*.py")) if path.stem not in NOT_RULES]
    found = [m for path in paths if not options.files or path.stem in options.files for m in mutants(path)]
    if options.sample:
        found = random.Random(options.seed).sample(found, min(options.sample, len(found)))
    if options.list:
        print("\n".join(map(str, found)))
        return 0
    return _try_all(found, options)


def _try_all(found: list[Mutant], options: argparse.Namespace) -> int:
    start = time.monotonic()
    points = corpus(options.programs)
    print(f"{len(found)} mutants, {len(points)} random programs, {len(CONVENTIONS)} at kinks", flush=True)
    survivors, running = list[Mutant](), dict[int, Mutant]()
    for mutant in found:
        running[started(mutant, points)] = mutant
        if len(running) == options.jobs:
            survivors += _ended(running)
    while running:
        survivors += _ended(running)
    share = 100 * (1 - len(survivors) / max(1, len(found)))
    print(f"{len(found) - len(survivors)} of {len(found)} caught ({share:.1f} %) in {time.monotonic() - start:.0f} s")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
