"""The law: deleting the decorator changes no result: value, dtype, shape, exception, and what is written into arguments."""

from . import programs_classics, programs_language, programs_traps
import pytest
from .runner import assert_law

CASES = [*programs_classics.CASES, *programs_language.CASES, *programs_traps.CASES]


@pytest.mark.parametrize(("function", "args"), CASES, ids=[f"{k}-{case[0].__name__}" for k, case in enumerate(CASES)])
def test_law(run, function, args):
    assert_law(run, function, args)


MIXED = [*programs_classics.MIXED, *programs_language.MIXED]


@pytest.mark.parametrize(("function", "args"), MIXED, ids=[f"{k}-{case[0].__name__}" for k, case in enumerate(MIXED)])
def test_law_up_to_the_kind_of_scalar(run, function, args):
    assert_law(run, function, args, mixed=True)


def test_the_corpus_is_large_enough():
    assert len({function for function, _ in CASES}) >= 80
