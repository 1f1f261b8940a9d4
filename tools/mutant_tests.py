"""The tests of the repository as judges of a mistake planted in a rule (`mutate_rules`): what the laws cannot see.

`watched()` runs the tests about derivatives once, on the right rules: for each what it costs, and which lines of
`ad/` it runs through. `Tests.catch(mutant)` runs those that go through the changed statement in a forked process that
imports the changed file: first those that caught others of its file, then those named for it, then cheap ones. They
hold costs, counts, plans, patterns and words to what is promised.

    python tools/mutant_tests.py OUTPUT PATH ...       the process that watches
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Generator, Iterable, Sequence
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
OURS = (f"{ROOT}/src/", f"{ROOT}/tests/")
BACKWARDS = ("bits", "drift", "fields", "gradients", "kept", "nested", "planner", "regions", "reversible")
ABOUT = ("tests/unit/ad", "tests/derivatives", *(f"tests/reversible/test_{name}.py" for name in BACKWARDS),
         "tests/unit/eliminate/test_collapse.py", "tests/symbolic/test_segments.py")  # fmt: skip
WATCHED = ("ad", "symbolic", "eliminate", "passes")  # folders whose lines are noted
IGNORED = ("test_rule_mutants.py", "test_mutants.py", "test_directed.py", "test_jvp_random.py")
SLOW = 3.0  # seconds, watched, beyond which a test is left out, unless it is named for the file
EACH = 8.0  # seconds, watched, of the parameters of one test function for one mutant
PATIENCE = 30.0  # seconds of processor time for a test, beyond twice what it costs, watched: others had compiled then
FIRST = 12  # of those that caught a mutant of the file, so many go first, the latest before others


@dataclass(frozen=True, slots=True)
class Test:
    """A test by its name for pytest, what it costs, and the lines of `ad/` that it runs through."""

    name: str
    seconds: float
    reaches: frozenset[tuple[str, int]]


def watched(about: Sequence[str] = (), known: Path | None = None) -> Tests:
    """All tests about derivatives, or those of some files.

    `known` is a file with what was watched before, of the same rules: then only the files that were edited since are
    watched, and it is brought up to date.
    """
    found: dict[str, Any] = {}
    paths = _files(about or ABOUT)
    if known and known.exists():
        old = [path for path in paths if path.stat().st_mtime < known.stat().st_mtime]
        names = {str(path.relative_to(ROOT)) for path in old}
        found = {name: test for name, test in json.loads(known.read_text()).items() if name.split("::")[0] in names}
        paths = [path for path in paths if path not in old]
    if paths:
        found |= _watched(paths)
    if known:
        known.write_text(json.dumps(found))
    tests = [Test(name, seconds, frozenset((m, n) for m, n in lines)) for name, (seconds, lines) in found.items()]
    return Tests(sorted(tests, key=lambda test: test.seconds))


def _files(about: Sequence[str]) -> list[Path]:
    """The files of tests, helpers left out."""
    found = [
        path for name in about for path in ([ROOT / name] if name.endswith(".py") else (ROOT / name).glob("test_*.py"))
    ]
    return sorted(path for path in found if path.name not in IGNORED)


def _watched(paths: Sequence[Path]) -> dict[str, Any]:
    with tempfile.NamedTemporaryFile("r", suffix=".json") as output, tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"TAPELESS_CACHE_DIR": cache}
        command = [sys.executable, __file__, output.name, *map(str, paths)]
        subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=True)
        return json.load(output)


class Tests:
    """Tests as judges; they remember which of them caught mutants of which file."""

    def __init__(self, tests: Sequence[Test]) -> None:
        self.tests = tests
        self.caught: defaultdict[str, list[Test]] = defaultdict(list)

    def catch(self, mutant: Mutant, near: bool) -> bool:
        """Does a test fail with the mistake planted, or lose its way?

        `near` takes those that caught others of the file and those that are named for it, otherwise all the rest.
        """
        chosen = _chosen(mutant, self.tests)
        first = [test for test in reversed(self.caught[mutant.module]) if test in chosen][:FIRST]
        named = [test for test in chosen if f"test_{mutant.module}" in test.name and test not in first]
        close = [*first, *named]
        asked = close if near else [test for test in chosen if test not in close]
        caught, name = _failed(mutant, asked) if asked else (False, "")
        for test in asked:
            if test.name == name:
                self.caught[mutant.module] = [*(t for t in self.caught[mutant.module] if t != test), test]
        return caught


def _chosen(mutant: Mutant, tests: Sequence[Test]) -> list[Test]:
    """Of each test function that reaches the changed statement what `EACH` allows and the dearest, cheap ones first."""
    lines = {(_place(mutant.package, mutant.module), line) for line in mutant.lines or ()}
    functions: dict[str, list[Test]] = {}
    for test in tests:
        quick = test.seconds < SLOW or f"test_{mutant.module}" in test.name
        if quick and (not lines or not lines.isdisjoint(test.reaches)):
            functions.setdefault(test.name.split("[")[0], []).append(test)
    some = [test for each in functions.values() for test in {*_cheap(each), each[-1]}]
    return sorted(some, key=lambda test: test.seconds)


def _place(folder: str, module: str) -> str:
    return module if folder == "ad" else f"{folder}.{module}"


def _cheap(tests: Sequence[Test]) -> list[Test]:
    """The first of some tests, as long as they take no longer than `EACH` together."""
    spent = accumulate(test.seconds for test in tests)
    return [test for test, seconds in zip(tests, spent, strict=True) if seconds <= EACH]


def _failed(mutant: Mutant, tests: Sequence[Test]) -> tuple[bool, str]:
    """Does one of the tests fail, in a process with a cache of its own, and which?"""
    with tempfile.TemporaryDirectory() as cache, tempfile.NamedTemporaryFile("r") as output:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.environ |= {"TAPELESS_CACHE_DIR": cache, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
                status = _judged(mutant, tests, Path(output.name))
            finally:
                os._exit(status)
        return os.waitpid(child, 0)[1] != 0, output.read()


def _judged(mutant: Mutant, tests: Sequence[Test], output: Path) -> int:
    """What pytest says of the tests where the changed file is imported; which it runs is written to `output`."""
    os.chdir(ROOT)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    for name in [name for name, module in sys.modules.items() if _is_ours(name, module)]:
        del sys.modules[name]
    sys.meta_path.insert(0, Changed(mutant))
    _allow(PATIENCE)
    return int(pytest.main(["-x", "-p", "no:cacheprovider", *(test.name for test in tests)], [_Hurry(tests, output)]))


def _is_ours(name: str, module: object) -> bool:
    return name.startswith("tapeless") or str(getattr(module, "__file__", None)).startswith(OURS)


def _allow(seconds: float) -> None:
    """So much more processor time for this process."""
    resource.setrlimit(resource.RLIMIT_CPU, (ceil(time.process_time() + seconds), resource.RLIM_INFINITY))


class _Hurry:
    """Limits the processor time of each test."""

    def __init__(self, tests: Iterable[Test], output: Path) -> None:
        self.seconds = {test.name: test.seconds for test in tests}
        self.output = output

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self.output.write_text(item.nodeid)
        _allow(PATIENCE + 2 * self.seconds.get(item.nodeid, 0.0))
        return (yield)


class _Watch:
    """Notes the lines of rules that each test runs through."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[float, list[tuple[str, int]]]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        lines: set[tuple[str, int]] = set()
        folders = tuple(str(AD.parent / name) + os.sep for name in WATCHED)

        def called(frame: FrameType, _event: str, _arg: object) -> Any:
            return line if frame.f_code.co_filename.startswith(folders) else None

        def line(frame: FrameType, _event: str, _arg: object) -> Any:
            path = Path(frame.f_code.co_filename)
            lines.add((_place(path.parent.name, path.stem), frame.f_lineno))
            return line

        start = time.process_time()
        sys.settrace(called)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            if lines:
                self.found[item.nodeid] = (time.process_time() - start, sorted(lines))


def _watch(output: str, paths: Sequence[str]) -> int:
    watch = _Watch()
    status = pytest.main(["-p", "no:cacheprovider", *paths], [watch])
    Path(output).write_text(json.dumps(watch.found))
    return int(status)


if __name__ == "__main__":
    sys.exit(_watch(sys.argv[1], sys.argv[2:]))
