"""The tests of the repository as judges of a mistake planted in a rule (`mutate_rules`): what the laws cannot see.

`watched()` runs the tests about derivatives once, on the right rules: for each what it costs, and which lines of
`ad/` it runs through. `fails(mutant, tests)` runs those that go through the changed statement, cheap ones first, in a
process that imports the changed file. They hold costs, counts, plans, patterns and words to what is promised.

    python tools/mutant_tests.py watch OUTPUT       the processes that these start
    python tools/mutant_tests.py judge MODULE SECONDS TEST ...      (the changed source comes from standard input)
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tapeless.testing.mutant_judge import AD, Changed
from tapeless.testing.rule_mutants import Mutant

ROOT = Path(__file__).parents[1]
ABOUT = ("tests/unit/ad", "tests/derivatives", "tests/reversible/test_gradients.py", "tests/reversible/test_planner.py",
         "tests/unit/eliminate/test_collapse.py")  # fmt: skip
IGNORED = ("test_rule_mutants.py", "test_mutants.py", "test_directed.py", "test_jvp_random.py")
SLOW = 3.0  # seconds, watched, beyond which a test is left out
EACH = 8.0  # seconds, watched, of the parameters of one test function for one mutant
PATIENCE = 30  # seconds of processor time for a verdict, beyond twice what the tests cost, watched


@dataclass(frozen=True, slots=True)
class Test:
    """A test by its name for pytest, what it costs, and the lines of `ad/` that it runs through."""

    name: str
    seconds: float
    reaches: frozenset[tuple[str, int]]


def watched() -> list[Test]:
    """All tests about derivatives, cheap ones first."""
    with tempfile.NamedTemporaryFile("r", suffix=".json") as output:
        _started("watch", output.name, check=True)
        found = json.load(output)
    tests = [Test(name, seconds, frozenset((m, n) for m, n in lines)) for name, (seconds, lines) in found.items()]
    return sorted((test for test in tests if test.seconds < SLOW), key=lambda test: test.seconds)


def fails(mutant: Mutant, tests: Sequence[Test]) -> bool:
    """Does a test fail with the mistake planted, or lose its way?"""
    chosen = _chosen(mutant, tests)
    limit = ceil(PATIENCE + 2 * sum(test.seconds for test in chosen))
    names = [test.name for test in chosen]
    return bool(chosen) and _started("judge", mutant.module, str(limit), *names, source=mutant.source) != 0


def _chosen(mutant: Mutant, tests: Sequence[Test]) -> list[Test]:
    """Of each test function that reaches the changed statement what `EACH` allows and the dearest, cheap ones first."""
    lines = {(mutant.module, line) for line in mutant.lines or ()}
    functions: dict[str, list[Test]] = {}
    for test in tests:
        if not lines or not lines.isdisjoint(test.reaches):
            functions.setdefault(test.name.split("[")[0], []).append(test)
    some = [test for each in functions.values() for test in {*_cheap(each), each[-1]}]
    return sorted(some, key=lambda test: test.seconds)


def _cheap(tests: Sequence[Test]) -> list[Test]:
    """The first of some tests, as long as they take no longer than `EACH` together."""
    spent = accumulate(test.seconds for test in tests)
    return [test for test, seconds in zip(tests, spent, strict=True) if seconds <= EACH]


def _started(*words: str, source: str = "", check: bool = False) -> int:
    """This file as a process of its own, with a cache of its own; its exit status."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"TAPELESS_CACHE_DIR": cache}
        command = [sys.executable, __file__, *words]
        return subprocess.run(
            command, cwd=ROOT, env=environment, input=source, text=True,
            stdout=subprocess.DEVNULL, stderr=None if check else subprocess.DEVNULL, check=check,
        ).returncode  # fmt: skip


class _Watch:
    """Notes the lines of `ad/` that each test runs through."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[float, list[tuple[str, int]]]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        lines: set[tuple[str, int]] = set()
        folder = str(AD) + os.sep

        def called(frame: FrameType, _event: str, _arg: object) -> Any:
            return line if frame.f_code.co_filename.startswith(folder) else None

        def line(frame: FrameType, _event: str, _arg: object) -> Any:
            lines.add((Path(frame.f_code.co_filename).stem, frame.f_lineno))
            return line

        start = time.process_time()
        sys.settrace(called)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            if lines:
                self.found[item.nodeid] = (time.process_time() - start, sorted(lines))


def _watch(output: str) -> int:
    watch = _Watch()
    status = pytest.main(["-p", "no:cacheprovider", *(f"--ignore-glob=*{x}" for x in IGNORED), *ABOUT], [watch])
    Path(output).write_text(json.dumps(watch.found))
    return int(status)


def _judge(module: str, limit: int, tests: Sequence[str]) -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    for name in [name for name in sys.modules if name.startswith("tapeless")]:
        del sys.modules[name]
    sys.meta_path.insert(0, Changed(Mutant(module, 0, None, "", sys.stdin.read())))
    return int(pytest.main(["-x", "-p", "no:cacheprovider", *tests]))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["watch", output]:
            sys.exit(_watch(output))
        case ["judge", module, limit, *tests]:
            sys.exit(_judge(module, int(limit), tests))
        case _:
            sys.exit(__doc__)
