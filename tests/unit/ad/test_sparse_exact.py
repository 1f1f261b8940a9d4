"""Patterns and compressed sweeps, entry by entry: programs with the inputs that each element may depend on."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.compressed import by_columns, by_rows, pattern_words
from tapeless.ad.planner import Plan
from tapeless.errors import DerivativeError, IRError
from tapeless.ir.build import Builder
from tapeless.ir.check import check
from tapeless.ir.core import Function
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.types import I64, Type
from tapeless.ir.walk import fresh

from .operator_law import lawful_operators
from .sparse_programs import COMBINED, FORMS, OPERATIONS, program

ARGS = (np.array([0.5, 1.5, 2.5, 3.5]), 2.0, np.ones(4), np.array([3, 0, 2, 1]), 2, True, np.ones(3))
PROGRAMS = OPERATIONS | FORMS | COMBINED


def words(text: str, args: Sequence[Any], inputs: int, first: int = 0, count: int = 1) -> list[Any]:
    function = parse_function(text)
    check(function)
    b, start, number = Builder(), fresh("first", Type(I64)), fresh("count", Type(I64))
    found = pattern_words(b, function.body, function.params[:inputs], start, number)
    made = Function("pattern", (*function.params, start, number), b.block(found))
    check(made)
    lawful_operators(made)
    return evaluate(made, [*args, first, count])


def shown(word: int) -> str:
    return "".join(str(bit) for bit in range(5) if word >> bit & 1) or "."


def pattern(text: str) -> str:
    """What the program may depend on, in the words of `sparse_programs`."""
    return "\n".join(" ".join(shown(int(word)) for word in np.ravel(found)) for found in words(program(text), ARGS, 2))


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_element_depends_on_these(name: str):
    text, expected = PROGRAMS[name]
    assert pattern(text) == expected


SIZED = """
  j: i64 = convert[i64] y
  a: f64[j] = map j (i: i64) {
    return y
  }
  d: f64 = index a 0
  return d
"""


def test_a_size_that_the_inputs_choose_is_refused():
    with pytest.raises(DerivativeError, match="size depends on the values"):
        pattern(SIZED)


# -- checks ---------------------------------------------------------------------------------------------

FIXED = "check bounds k {0}\n  a: f64 = index x k\n  return a"


def test_a_check_of_what_is_fixed_is_made():
    assert pattern(FIXED.format(4)) == "2"
    with pytest.raises(IndexError):
        pattern(FIXED.format(1))


UNKNOWN = """
  g: bool = gt y {0}
  {1}
  l: i64 = add k 7
  a: f64 = index x l
  d: f64 = index x 0
  return d
"""


def test_other_checks_are_left_out_and_accesses_tested_where_they_may_rely_on_them():
    """The index is out of range: the condition, which does not hold, kept the program from using it."""
    assert pattern(UNKNOWN.format(9.0, 'check assert g "small"')) == "0"
    with pytest.raises(IRError, match="index at"):
        pattern(UNKNOWN.format(9.0, "j: i64 = convert[i64] y\n  check bounds j 1"))


INSIDE = """
  {0}
  l: i64 = add k 7
  a: f64 = index x l
  d: f64 = index x 0
  return d
"""
BRANCH = "v: i64 = if {0} {{\n check {1}\n return 1\n }} else {{\n return 2\n }}"


@pytest.mark.parametrize("checked", ['assert t "held"', "bounds k 9"])
def test_checks_inside_what_is_left_out(checked: str):
    """A branch on an input that chooses a number has no words; what its checks said is no longer known."""
    unknown = "g: bool = gt y 0.0\n  j: i64 = convert[i64] y\n  " + BRANCH.format("g", checked)
    assert pattern(INSIDE.format(unknown)) == "0"


def test_checks_inside_a_loop_whose_length_is_not_known():
    """Its result depends on everything; what its checks said is no longer known."""
    loop = "w: f64 = for j [y] (i: i64, p: f64) {\n check bounds i 2\n return p\n }"
    assert pattern(INSIDE.format("j: i64 = convert[i64] y\n  " + loop)) == "0"


CHECKING = "= for k [] (i: i64) {{\n check bounds i {0}\n return\n }}"


def test_loops_that_only_check_what_is_fixed_are_kept_while_checks_are():
    assert pattern(CHECKING.format(2) + "\n return y") == "4"
    with pytest.raises(IndexError):
        pattern(CHECKING.format(1) + "\n return y")
    lost = 'g: bool = gt y 0.0\n check assert g "held"\n '
    assert pattern(lost + CHECKING.format(1) + "\n return y") == "4"


def test_statements_that_matter_to_none_are_left_out():
    unused = "g: bool = gt y 0.0\n  " + BRANCH.format("g", "nonneg 1").replace("check nonneg 1\n", "")
    with pytest.raises(IRError, match="index at"):
        pattern(INSIDE.format(unused))


# -- sweeps ---------------------------------------------------------------------------------------------

MANY = """
def f(s: f64, x: f64[n, 3], r: f32, z: f64[m]) {
  a: f64[n] = map n (i: i64) {
    e: f64 = index x i 2
    g: f64 = mul e s
    return g
  }
  h: f32 = mul r r
  b: f64[m] = map m (j: i64) {
    l: f64 = index z j
    o: f64 = mul l l
    return o
  }
  return a h b
}
"""
MANY_ARGS = (2.0, np.arange(1.0, 70.0).reshape(23, 3), np.float32(3.0), np.array([5.0, 7.0]))
INPUTS = 1 + 69 + 1 + 2


def jacobian() -> np.ndarray:
    """Of the program above: 23 + 1 + 2 results by 73 inputs, in their order."""
    s, x, r, z = MANY_ARGS
    dense = np.zeros((26, INPUTS))
    dense[:23, 0] = x[:, 2]
    dense[np.arange(23), 3 + 3 * np.arange(23)] = s
    dense[23, 70] = 2 * r
    dense[[24, 25], [71, 72]] = 2 * z
    return dense


def test_sets_of_more_than_a_word_of_inputs():
    expected = jacobian() != 0
    for first, count in ((0, 2), (1, 1), (0, 1)):
        found = words(MANY, MANY_ARGS, 4, first, count)
        rows = np.concatenate([np.reshape(word, (count, -1)) for word in found], axis=1)
        bits = (rows[:, :, None].astype(np.uint64) >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
        numbers = range(64 * first, min(INPUTS, 64 * (first + count)))
        columns = np.moveaxis(bits, 0, 1).reshape(26, -1)[:, : len(numbers)]
        assert np.array_equal(columns, expected[:, numbers])


def swept(colours: Any, count: int, *, rows: bool) -> np.ndarray:
    function = parse_function(MANY)
    b, number = Builder(), fresh("count", Type(I64))
    given = fresh("colours", Type(I64, (fresh("c", Type(I64)),)))
    if rows:
        found = by_rows(b, function.body, function.params, given, number, Plan())
    else:
        found = by_columns(b, function.body, function.params, given, number)
    made = Function("sweeps", (*function.params, given, number), b.block(found))
    check(made)
    return np.concatenate([np.reshape(x, (count, -1)) for x in evaluate(made, [*MANY_ARGS, colours, count])], axis=1)


@pytest.mark.parametrize("rows", [False, True])
def test_sweeps_along_colours(rows: bool):
    dense = jacobian().T if rows else jacobian()
    colours = np.arange(dense.shape[1]) * 7 % 5
    expected = [dense @ (colours == colour) for colour in range(5)]
    assert np.array_equal(swept(colours, 5, rows=rows), expected)
    with pytest.raises(ValueError, match=str(dense.shape[1])):
        swept(colours[:-1], 5, rows=rows)
