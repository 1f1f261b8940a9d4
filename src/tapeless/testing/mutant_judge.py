"""Do the laws catch a mistake planted in a rule?

A corpus of cases is run once on the right rules: random programs, those at kinks (`conventions`), those written for a
rule (`directed`), and whatever other programs are given. For each case it is known what it costs and which lines of
`ad/` it runs through. A mutant is then judged, in a forked process that imports the changed file, by the cases that run
through the changed statement, cheap ones first. It survives when all of them are content; when there is none, no law
would notice any change there.
"""

from __future__ import annotations

import copy
import importlib
import importlib.abc
import importlib.machinery
import math
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from ..ir.core import Function
from ..ir.text import parse_function
from ..records import replace
from . import conventions, derivative_law, directed
from .dice import Dice
from .directed_kinds import Case as Promised
from .directed_kinds import Law
from .generate import random_program
from .profile import SMOOTH
from .rule_mutants import Mutant

AD = Path(derivative_law.__file__).parents[1] / "ad"
_FOLDER = str(AD) + os.sep
SECONDS = 5  # of processor time for a case beyond what it costs; a mutant that takes longer has lost its way
IMPORT = 20  # of processor time for importing the rules, where a mutant may lose its way too
ENOUGH = 20  # random programs for one mutant
LAWS = ("derivative_law", "conventions", "directed")
Place = tuple[str, int]  # a file and a line


@dataclass(frozen=True, slots=True)
class Case:
    """Something that a right set of rules does: `holds(laws)` with modules of `LAWS` by name, imported anew."""

    name: str
    holds: Callable[[dict[str, Any]], bool]
    is_random: bool = False
    seconds: float = 0.0
    reaches: frozenset[Place] = frozenset()


class NoMachine:
    """Stands for the machine: long numbers say enough about a rule."""

    def judge(self, derived: object, exact: object) -> None:
        """Content with everything."""


def corpus(programs: int, others: Iterable[Law] = ()) -> list[Case]:
    """The cases, cheap ones first; `programs` of them random."""
    cases = [*_random_cases(range(programs)), *_written_cases((*directed.CASES, *others))]
    laws = {name: importlib.import_module(f"{__package__}.{name}") for name in LAWS}
    return sorted((_measured(case, laws) for case in cases), key=lambda case: case.seconds)


def survivors(mutants: Iterable[Mutant], cases: Sequence[Case], jobs: int) -> Iterator[Mutant]:
    """Judge the mutants in so many processes; those that no case catches."""
    running: dict[int, Mutant] = {}
    for mutant in mutants:
        running[_started(mutant, cases)] = mutant
        if len(running) == jobs:
            yield from _ended(running)
    while running:
        yield from _ended(running)


def reached(mutant: Mutant, cases: Sequence[Case]) -> list[Case]:
    """The cases that run through the changed statement: all that are written, and not too many random ones."""
    lines = {(mutant.module, line) for line in mutant.lines or ()}
    found = [case for case in cases if not lines or not lines.isdisjoint(case.reaches)]
    random = [case for case in found if case.is_random][:ENOUGH]
    return [case for case in found if not case.is_random] + random


# -- cases --------------------------------------------------------------------------------------------


def _random_cases(seeds: range) -> Iterator[Case]:
    for seed in seeds:
        function, args = random_program(seed, profile=SMOOTH)
        if seed % 2:
            function = derivative_law.prepare(function, derivative_law.Notes())
        try:
            point = derivative_law.Point(Function("f", function.params, function.body), args, Dice(seed))
        except derivative_law.Found:
            continue
        if point.worth_it:
            yield Case(f"random {seed}", lambda laws, point=point: _modes_agree(laws, point), is_random=True)


def _modes_agree(laws: dict[str, Any], point: Any, modes: Sequence[str] = tuple(derivative_law.MODES)) -> bool:
    return all(laws["derivative_law"].MODES[mode](copy.copy(point), NoMachine()) for mode in modes)


def _written_cases(cases: Sequence[Promised]) -> Iterator[Case]:
    for k, convention in enumerate(conventions.CONVENTIONS):
        yield Case(
            convention.name, lambda laws, k=k: not laws["conventions"].broken(laws["conventions"].CONVENTIONS[k])
        )
    for k, case in enumerate(cases):
        if isinstance(case, Law) and case.order == 1:
            point = derivative_law.Point(parse_function(case.text), case.args, Dice(0))
            yield Case(case.name, lambda laws, p=point, modes=case.modes: _modes_agree(laws, p, modes))
        else:
            yield Case(case.name, lambda laws, k=k: not laws["directed"].broken(laws["directed"].CASES[k]))


def _measured(case: Case, laws: dict[str, Any]) -> Case:
    """The case with its cost, and the lines it runs through. Raises when the right rules do not pass it."""
    reaches: set[Place] = set()

    def called(frame: FrameType, _event: str, _arg: object) -> Any:
        file = frame.f_code.co_filename
        return line if file.startswith(_FOLDER) else None

    def line(frame: FrameType, _event: str, _arg: object) -> Any:
        reaches.add((Path(frame.f_code.co_filename).stem, frame.f_lineno))
        return line

    start, outer = time.process_time(), sys.gettrace()
    sys.settrace(called)
    try:
        fine = case.holds(laws)
    finally:
        sys.settrace(outer)
    if not fine:
        raise AssertionError(f"{case.name} fails although nothing is changed")
    return replace(case, seconds=time.process_time() - start, reaches=frozenset(reaches))


# -- processes ------------------------------------------------------------------------------------------


class Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds one module with its changed source."""

    def __init__(self, mutant: Mutant) -> None:
        self.name, self.source = f"tapeless.{mutant.package}.{mutant.module}", mutant.source

    def find_spec(self, fullname: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        """The module, if it is the changed one."""
        return importlib.machinery.ModuleSpec(fullname, self) if fullname == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed source; the text is ours, made from a file of this package."""
        exec(compile(self.source, self.name, "exec"), module.__dict__)


def _started(mutant: Mutant, cases: Sequence[Case]) -> int:
    """The process that judges a mutant; its exit status is 0 when the mutant survives."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
            sys.meta_path.insert(0, Changed(mutant))
            _limit(IMPORT)
            laws = _imported_anew()
            code = 0 if all(_content(case, laws) for case in reached(mutant, cases)) else 1
        finally:
            os._exit(code)
    return child


def _content(case: Case, laws: dict[str, Any]) -> bool:
    """Does a case hold, and in time?"""
    _limit(2 * case.seconds + SECONDS)
    return case.holds(laws)


def _limit(seconds: float) -> None:
    """So much more processor time for this process."""
    limit = math.ceil(time.process_time() + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def _imported_anew() -> dict[str, Any]:
    """The laws, bound to the rules as they are found now."""
    package = __package__ or ""
    families = ("tapeless.ad", *(f"{package}.{law}" for law in LAWS))
    for name in [name for name in sys.modules if name.startswith(families)]:
        del sys.modules[name]
    return {name: importlib.import_module(f"{package}.{name}") for name in LAWS}


def _ended(running: dict[int, Mutant]) -> list[Mutant]:
    """Wait for one process; its mutant, if it survived."""
    child, status = os.wait()
    mutant = running.pop(child)
    return [] if status else [mutant]
