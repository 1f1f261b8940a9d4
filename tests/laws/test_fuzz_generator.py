"""Laws of the program generator: well-typed, the same everywhere, sane, and over the whole language."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from tapeless.ir.check import check
from tapeless.ir.core import Function, While
from tapeless.ir.op import all_ops
from tapeless.ir.text import print_function
from tapeless.ir.walk import statements
from tapeless.testing import coverage, random_program
from tapeless.testing.compare import difference, reference, tolerance
from tapeless.testing.jitter import jitter

SEEDS = range(300)


@pytest.fixture(scope="module")
def corpus() -> list[Function]:
    return [random_program(seed)[0] for seed in SEEDS]


def test_every_program_is_well_typed(corpus: list[Function]) -> None:
    for function in corpus:
        check(function)


@pytest.mark.parametrize(
    ("construct", "share"),
    [
        ("loops", 0.6), ("nested loops", 0.3), ("if", 0.4), ("parallel operators", 0.6), ("updates in loops", 0.4),
        ("run-time trip counts", 0.5), ("nested parallel operators", 0.3), ("several accumulators", 0.15),
        ("operators with free variables", 0.08), ("negative steps", 0.08), ("donated", 0.1), ("checks", 0.5),
        ("map", 0.5), ("reduce", 0.3), ("scan", 0.1), ("hist", 0.1), ("scatter", 0.1), ("while", 0.2),
        ("f64", 0.7), ("f32", 0.2), ("i64", 0.9), ("i32", 0.3), ("bool", 0.7), ("literal sizes", 0.2),
    ],
)  # fmt: skip
def test_the_corpus_covers(corpus: list[Function], construct: str, share: float) -> None:
    found = coverage(corpus)
    assert found.shares.get(construct, 0.0) >= share, str(found)


def test_the_corpus_covers_every_operation(corpus: list[Function]) -> None:
    # The derivative of stop_gradient is not that of what it computes: the laws of derivatives would not hold. `scale`
    # is made by reverse mode only, and meets the laws in derivatives of derivatives, `basis` by Jacobians.
    assert {op.name for op in all_ops()} - {"stop_gradient", "scale", "basis"} <= set(coverage(corpus).operations)


def test_empty_and_single_element_arguments_occur() -> None:
    lengths = {np.shape(random_program(seed)[1][0])[0] for seed in range(100)}
    assert {0, 1} <= lengths


def test_most_programs_succeed_and_a_few_fail_as_planned() -> None:
    faults = [reference(*random_program(seed)).fault for seed in range(200)]
    assert 2 <= sum(map(bool, faults)) <= 20


def test_what_the_generator_believes_of_values_is_true() -> None:
    faults = [reference(*random_program(seed, audit=True)).fault for seed in range(150)]
    assert "OverflowError" not in faults


def test_disturbed_rounding_hardly_ever_changes_a_result() -> None:
    moved = 0
    for seed in range(80):
        function, args = random_program(seed)
        expected, disturbed = reference(function, args), reference(jitter(function, 1), args)
        moved += bool(difference(expected, disturbed, tolerance(function)))
    assert moved <= 2


def test_features_bias_the_productions() -> None:
    functions = [random_program(seed, features={"while": 0.0, "search_loop": 0.0})[0] for seed in range(40)]
    assert not any(isinstance(stm.expr, While) for f in functions for stm in statements(f.body))


def test_a_seed_gives_the_same_program_in_another_process() -> None:
    script = (
        "from tapeless.testing import random_program; from tapeless.ir.text import print_function;"
        "print(print_function(random_program(17)[0]))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    other = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert other.stdout.strip() == print_function(random_program(17)[0]).strip()
