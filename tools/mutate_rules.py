"""Plant mistakes in the derivative rules, one at a time, and see whether the laws catch each.

    python tools/mutate_rules.py [FILE ...] [--jobs 2] [--programs 40] [--sample K --seed S] [--list] [--laws-only]
    python tools/mutate_rules.py FILE --only TEXT --tests-only --among tests/unit/ad/test_FILE.py

The tests of the repository about derivatives (`mutant_tests`) judge as well, those near the file before the laws and
the others after them: they also hold costs, plans and words to what is promised. A survivor is printed with its line:
either the change means nothing, and belongs to `testing/equivalent.py` with the reason, or there is a hole. Exit status
1 when there are survivors that are not listed there.
"""

from __future__ import annotations

import argparse
import random
import runpy
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from mutant_tests import ROOT, Tests, watched

from tapeless.testing.directed_kinds import EVERY_MODE, Law
from tapeless.testing.equivalent import reason
from tapeless.testing.mutant_judge import AD, corpus, reached, survivors
from tapeless.testing.rule_mutants import Mutant, mutants, unchanged

NOT_RULES = {"__init__", "prepare"}
# Programs that tests keep: the file, their dictionary, and those of them without a reverse derivative.
PROGRAMS = (("vjp_loop_programs", "LOOPS", ()), ("jvp_programs", "PROGRAMS", ("growing",)))


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", nargs="*", help="names of modules of tapeless.ad; all by default")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--programs", type=int, default=40, help="random programs in the corpus")
    parser.add_argument("--sample", type=int, default=0, help="try only so many mutants, drawn at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--list", action="store_true", help="print the mutants and stop")
    parser.add_argument("--laws-only", action="store_true", help="leave out the tests")
    parser.add_argument("--only", default="", help="mutants whose line of output contains this")
    parser.add_argument("--among", nargs="+", default=[], help="of the tests, judge by those of these files")
    parser.add_argument("--tests-only", action="store_true", help="leave out the laws")
    parser.add_argument(
        "--known", type=Path, help="a file for what tests cost and reach, from an earlier run and for a later"
    )
    options = parser.parse_args()
    every = [path.stem for path in sorted(AD.glob("*.py")) if path.stem not in NOT_RULES]
    found = [m for file in options.files or every for m in mutants(AD / f"{file}.py") if options.only in str(m)]
    if options.sample:
        found = random.Random(options.seed).sample(found, min(options.sample, len(found)))
    if options.list:
        print("\n".join(map(str, found)))
        return 0
    return _try_all(found, options)


def _try_all(found: list[Mutant], options: argparse.Namespace) -> int:
    start = time.monotonic()
    tests = Tests([]) if options.laws_only else watched(options.among, options.known)
    cases = [] if options.tests_only else corpus(options.programs, _programs_of_tests())
    judged = [mutant for mutant in found if not reason(mutant)]
    print(f"{len(judged)} mutants, {len(found) - len(judged)} equivalent ones left out, {len(cases)} cases,"
          f" {len(tests.tests)} tests, {time.monotonic() - start:.0f} s", flush=True)  # fmt: skip
    open: list[Mutant] = []
    by_tests: list[Mutant] = []
    for mutant in survivors(_let_pass(judged, tests, by_tests), cases, options.jobs):
        if tests.catch(mutant, near=False):
            by_tests.append(mutant)
            continue
        open.append(mutant)
        print(f"survived {mutant} [{len(reached(mutant, cases))} cases reach it]", flush=True)
    _summary(found, by_tests, open)
    share = 100 * (1 - len(open) / max(1, len(judged)))
    print(f"{len(judged) - len(open)} of {len(judged)} caught ({share:.1f} %), {len(by_tests)} of them by tests,"
          f" in {time.monotonic() - start:.0f} s")  # fmt: skip
    return 1 if open else 0


def _let_pass(found: Iterable[Mutant], tests: Tests, by_tests: list[Mutant]) -> Iterator[Mutant]:
    """What the tests that are near let pass; the others are added to `by_tests`."""
    last = ""
    for mutant in found:
        if mutant.module != last:
            last = mutant.module
            print(f"{time.strftime('%H:%M:%S')} {last}", flush=True)
            if tests.catch(unchanged(AD / f"{last}.py"), near=True):
                raise AssertionError(f"tests of {last} fail although nothing is changed")
        if tests.catch(mutant, near=True):
            by_tests.append(mutant)
        else:
            yield mutant


def _summary(found: list[Mutant], by_tests: list[Mutant], open: list[Mutant]) -> None:
    """A line for each file."""
    every = Counter(mutant.module for mutant in found)
    equivalent = Counter(mutant.module for mutant in found if reason(mutant))
    tested, left = Counter(mutant.module for mutant in by_tests), Counter(mutant.module for mutant in open)
    print("file                 mutants  by laws  by tests  equivalent  open")
    for file, count in every.items():
        laws = count - equivalent[file] - tested[file] - left[file]
        print(f"{file:20} {count:7} {laws:8} {tested[file]:9} {equivalent[file]:11} {left[file]:5}")


def _programs_of_tests() -> Iterator[Law]:
    for file, name, only_forward in PROGRAMS:
        found = runpy.run_path(str(ROOT / "tests" / "unit" / "ad" / f"{file}.py"))
        for key, (args, text) in found[name].items():
            yield Law(f"{file}: {key}", text, tuple(args), modes=("forward",) if key in only_forward else EVERY_MODE)


if __name__ == "__main__":
    sys.exit(main())
