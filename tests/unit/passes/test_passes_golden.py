"""The text of programs before and after the pipeline; `--update-golden` writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tapeless.ir.text import parse_function, print_function
from tapeless.ir.walk import canonical
from tapeless.passes import fuse, hoist, parallelise, ranges, simplify
from tapeless.passes.notes import Notes

from .loop_programs import PROGRAMS

GOLDEN = Path(__file__).parents[2] / "golden" / "passes"
CASES = [
    ("simplify", "conditional_sum", (simplify,)),
    ("ranges", "conditional_sum", (simplify, ranges)),
    ("parallelise", "conditional_sum", (simplify, ranges, parallelise, simplify)),
    ("parallelise", "matrix_product", (simplify, ranges, parallelise, simplify)),
    ("parallelise", "time_steps", (simplify, ranges, parallelise, simplify)),
    ("parallelise", "first_smallest", (simplify, ranges, parallelise, simplify)),
    ("parallelise", "bin_maximum", (simplify, ranges, parallelise, simplify)),
    ("parallelise", "row_maybe_absent", (simplify, ranges, parallelise, simplify)),
    ("parallelise", "interior", (simplify, ranges, parallelise, simplify)),
    ("fuse", "scratch_array", (simplify, ranges, parallelise, simplify, fuse, simplify)),
    ("fuse", "histogram", (simplify, ranges, parallelise, simplify, fuse, simplify)),
    ("hoist", "time_steps", (simplify, ranges, parallelise, simplify, hoist, simplify)),
    ("hoist", "counted_bins", (simplify, ranges, parallelise, simplify, hoist, simplify)),
]


@pytest.mark.parametrize(("step", "name", "passes"), CASES, ids=[f"{step}-{name}" for step, name, _ in CASES])
def test_golden_text(step, name, passes, update_golden):
    function = parse_function(PROGRAMS[name])
    for run in passes:
        function = run.run(function, Notes())
    text = print_function(canonical(function))
    path = GOLDEN / f"{step}-{name}.ir"
    if update_golden:
        path.write_text(text)
    assert path.read_text() == text
