"""The law on random Python programs: a result is right, or the program was refused; never wrong."""

import os

import numpy as np
import pytest

from tapeless.errors import AliasError, TypeConflictError

from .random_programs import random_program
from .runner import interpret, outcome, plain

COUNT = int(os.environ.get("TAPELESS_FUZZ_PYTHON", "40"))
SIZE_CHANGES = "changes its size in a loop"


def refused(error):
    """Was the program refused for a reason that the language reference names?"""
    return isinstance(error, AliasError | TypeConflictError) or SIZE_CHANGES in str(error)


def agrees(seed, aliases):
    """Does the lowered program do what plain Python does? None when it was refused."""
    function, args = random_program(seed, aliases)
    kind, value, after = outcome(plain, function, args)
    got_kind, got, got_after = outcome(interpret, function, args)
    if got_kind == "error" and refused(got_after):
        return None
    if kind == "error" or got_kind == "error":
        return kind == got_kind and (issubclass(got, value) or issubclass(value, got))
    pairs = [*zip(got, value, strict=True), *zip(got_after, after, strict=True)]
    return all(np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-9, atol=1e-9) for a, b in pairs)


@pytest.mark.parametrize("aliases", [False, True], ids=["apart", "aliased"])
def test_random_programs(aliases):
    answers = {seed: agrees(seed, aliases) for seed in range(COUNT)}
    assert [seed for seed, answer in answers.items() if answer is False] == []
    assert sum(answer is True for answer in answers.values()) >= COUNT / 3
