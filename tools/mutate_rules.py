"""Plant mistakes in the derivative rules, one at a time, and see whether the laws catch each.

    python tools/mutate_rules.py [FILE ...] [--jobs 2] [--programs 80] [--sample K --seed S] [--list]

A survivor is printed with its line: either the change means nothing, and belongs to `testing/equivalent.py` with the
reason, or the laws have a hole. Exit status 1 when there are survivors that are not listed there.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from tapeless.testing.equivalent import reason
from tapeless.testing.mutant_judge import AD, corpus, reached, survivors
from tapeless.testing.rule_mutants import Mutant, mutants

NOT_RULES = {"__init__", "prepare"}


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", nargs="*", help="names of modules of tapeless.ad; all by default")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--programs", type=int, default=80, help="random programs in the corpus")
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
    cases = corpus(options.programs)
    listed = [mutant for mutant in found if reason(mutant)]
    judged = [mutant for mutant in found if not reason(mutant)]
    print(f"{len(judged)} mutants, {len(listed)} equivalent ones left out, {len(cases)} cases", flush=True)
    left = 0
    for mutant in survivors(judged, cases, options.jobs):
        left += 1
        print(f"survived {mutant} [{len(reached(mutant, cases))} cases reach it]", flush=True)
    share = 100 * (1 - left / max(1, len(judged)))
    print(f"{len(judged) - left} of {len(judged)} caught ({share:.1f} %) in {time.monotonic() - start:.0f} s")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
