"""The examples in the library run, and each of its functions is reversible, differentiable and plain Python."""

from __future__ import annotations

import copy
import doctest
import importlib

import numpy as np
import pytest

from tapeless.reversible import Reversible, lib

from .lib_cases import CASES

MODULES = ("bessel", "cumulative", "fourier", "norms", "qr", "rotations", "softmax", "sorting", "sparse", "triangular")
cases = pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(f"tapeless.reversible.lib.{name}")
    functions = [value for value in vars(module).values() if isinstance(value, Reversible)]
    runner = doctest.DocTestRunner()
    for function in functions:
        tests = doctest.DocTestFinder().find(function.python, function.__name__, module=False, globs=vars(module))
        assert [test.examples for test in tests if test.examples]
        for test in tests:
            runner.run(test)
    assert runner.summarize().failed == 0


def test_every_function_has_a_case():
    public = {name for name, value in vars(lib).items() if isinstance(value, Reversible)}
    assert public == {case[0].__name__ for case in CASES}


@cases
def test_without_the_decorator(case):
    function, *args = case
    plain, compiled = copy.deepcopy(args), copy.deepcopy(args)
    expected, found = function.python(*plain), function(*compiled)
    if expected is not None:
        np.testing.assert_allclose(np.array(found, float), np.array(expected, float), rtol=1e-12)
    for a, b in zip(plain, compiled, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-13)


@cases
def test_backwards(case):
    function, *args = case
    function.check_inverse(*args, tolerance=1e-13)


@cases
def test_gradients(case):
    function, *args = case
    if any(np.asarray(x).dtype.kind == "f" for x in args):
        function.check_grad(*args)
