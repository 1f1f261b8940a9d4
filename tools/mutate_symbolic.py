"""Plant mistakes in the rules of coarsening, one at a time, and see whether their tests catch each.

    python tools/mutate_symbolic.py [FILE ...] [--among TEST ...] [--known FILE] [--only TEXT] [--list]

The rules are those of `tapeless.symbolic`, and what chooses and cuts segments in other folders (`CHOOSING`). The tests
that run through the changed line judge a mutant (`mutant_tests`). A survivor is printed with its line: the change means
nothing, and belongs to `testing/equivalent.py` with the reason, or there is a hole. Exit status 1 when there are any.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from mutant_tests import watched

from tapeless.testing.equivalent import reason
from tapeless.testing.mutant_judge import AD
from tapeless.testing.rule_mutants import mutants

# Words for people are held to by reading; how long the search for fewer operations goes on changes no result.
NOT_RULES = {"__init__", "describe", "latex", "rules", "extract"}
CHOOSING = (
    "ad/choice", "ad/ahead", "ad/accumulated", "ad/compared", "eliminate/cuts", "eliminate/paper", "passes/tally",
    "passes/invariants",
)  # fmt: skip
TESTS = (
    "tests/symbolic", "tests/laws/test_segment_counts.py", "tests/unit/ad/test_compared.py",
    "tests/unit/ad/test_segment_rules.py", "tests/unit/eliminate/test_collapse.py",
    "tests/unit/passes/test_invariants.py",
)  # fmt: skip


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", nargs="*", help="names of modules; all rules by default")
    parser.add_argument("--among", nargs="+", default=TESTS, help="files and folders of the tests that judge")
    parser.add_argument("--known", type=Path, help="a file for what tests cost and reach, kept for a later run")
    parser.add_argument("--only", default="", help="mutants whose line of output contains this")
    parser.add_argument("--list", action="store_true", help="print the mutants and stop")
    options = parser.parse_args()
    source = AD.parent
    paths = [path for path in sorted((source / "symbolic").glob("*.py")) if path.stem not in NOT_RULES]
    paths += [source / f"{name}.py" for name in CHOOSING]
    asked = [path for path in paths if not options.files or path.stem in options.files]
    judged = [m for path in asked for m in mutants(path) if options.only in str(m) and not reason(m)]
    if options.list:
        print("\n".join(map(str, judged)))
        return 0
    start, tests, open = time.monotonic(), watched(options.among, options.known), 0
    for mutant in judged:
        if not tests.catch(mutant, near=True) and not tests.catch(mutant, near=False):
            open += 1
            print(f"survived {mutant}", flush=True)
    print(f"{len(judged) - open} of {len(judged)} caught in {time.monotonic() - start:.0f} s")
    return 1 if open else 0


if __name__ == "__main__":
    sys.exit(main())
