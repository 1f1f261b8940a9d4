"""Random programs: what the back end makes of them agrees with the interpreter, however it is told to go about it."""

from __future__ import annotations

import numpy as np
import pytest

from tapeless.backend import cpu
from tapeless.backend.target import Options
from tapeless.testing.compare import difference, outcome, reference, tolerance, unstable
from tapeless.testing.generate import random_program

COUNT = 12  # a quick look; tests/fuzz has the corpus
OPTIONS = {
    "lanes": Options(lanes="always", block=64, threads_from=0),
    "scalar": Options(lanes="never"),
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("seed", range(700, 700 + COUNT))
def test_random_program(seed: int, options: Options) -> None:
    function, args = random_program(seed)
    expected = reference(function, args)

    def compiled() -> list[object]:
        given = [np.array(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
        return cpu.compile_and_run(function, given, 2, options)

    found = outcome(compiled)
    wrong = difference(expected, found, tolerance(function))
    assert not wrong or unstable(function, args, expected, found), wrong
