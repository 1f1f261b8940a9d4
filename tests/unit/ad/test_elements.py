"""Small arrays taken apart and put together again: each element at its place, nothing done that need not be."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.elements import LIMIT, Input, Side, assembled, inputs_of, reshaped, rows_of, seed_last, together
from tapeless.ir.build import Builder, build
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.types import F64, I64, Atom, Type, Var, f64, i64
from tapeless.ir.walk import fresh

SCALAR = Type(F64)
N = fresh("n", Type(I64))


def array(*sizes: int) -> Type:
    return Type(F64, tuple(map(i64, sizes)))


@pytest.mark.parametrize(
    ("types", "counts"),
    [
        ((SCALAR, array(2, 3)), (1, 6)),
        ((array(LIMIT),), (LIMIT,)),
        ((array(LIMIT + 1),), (1,)),
        ((array(LIMIT + 1), array(4)), (1, 4)),
        ((array(20), array(20)), (1, 1)),
        ((array(LIMIT), array(4)), (1, 1)),
        ((Type(F64, (N,)), array(4)), (1, 4)),
        ((array(0), array(4)), (1, 4)),
    ],
)
def test_arrays_of_few_elements_are_taken_apart(types: Sequence[Type], counts: Sequence[int]):
    inputs = inputs_of(types)
    assert [len(given.vars) for given in inputs] == list(counts)
    for given, type, count in zip(inputs, types, counts, strict=True):
        assert given.type == type
        assert given.is_whole is (type.is_array and count == 1)
        assert all(var.type == (type if count == 1 else SCALAR) for var in given.vars)


def test_elements_are_in_row_major_order():
    type, values = array(2, 3), np.arange(6.0).reshape(2, 3)
    apart, whole, x = inputs_of([type])[0], Input(type, (fresh("w", type),)), fresh("x", type)
    parts = evaluate(build("f", (x,), lambda b: apart.parts(b, x)), [values])
    assert parts == list(range(6))
    assert np.array_equal(evaluate(build("f", apart.vars, lambda b: (apart.value(b),)), parts)[0], values)
    b = Builder()
    assert whole.parts(b, x) == (x,)
    assert whole.value(b) == whole.vars[0]
    assert not b.stms


def test_a_scalar_is_its_own_part():
    given, b, x = inputs_of([SCALAR])[0], Builder(), fresh("x", SCALAR)
    assert given.parts(b, x) == (x,)
    assert given.value(b) == given.vars[0]
    assert together(b, (x,), SCALAR) == x
    assert not b.stms


RESULTS = """
def f(x: f64, y: f64, z: f64[2]) {
  row: f64[2] = stack x y
  other: f64[2] = stack y 1.0
  both: f64[2, 2] = stack row other
  flat: f64[4] = reshape both 4
  partly: f64[2, 2] = stack row z
  return flat x z partly 2.0
}
"""


def test_results_are_found_in_their_elements():
    function = parse_function(RESULTS)
    x, y, z = function.params
    _, _, _, partly, literal = function.body.results
    rows = rows_of(function.body)
    assert [row.atoms for row in rows] == [(x, y, y, f64(1.0)), (x,), (z,), (partly,), (literal,)]
    assert [row.side.inside for row in rows] == [(), (), z.type.shape, partly.type.shape, ()]
    assert [list(row.places) for row in rows] == [[0, 1, 2, 3], [4], [5], [6], [7]]


ROW, COLUMN = (2,), (3, 2)
ENTRIES = np.arange(12.0).reshape(*ROW, *COLUMN) + 1.0


@pytest.mark.parametrize("row_is_whole", [False, True])
@pytest.mark.parametrize("column_is_whole", [False, True])
@pytest.mark.parametrize("missing", [None, 0, 1])
def test_derivatives_of_pieces_are_put_together(row_is_whole: bool, column_is_whole: bool, missing: int | None):
    """Cell (i, j) is the part of the entries for piece i of the row and piece j of the column."""
    row, column = Side(array(*ROW), row_is_whole), Side(array(*COLUMN), column_is_whole)
    rows = [(slice(None),)] if row_is_whole else [(k,) for k in range(2)]
    columns = [(slice(None), slice(None))] if column_is_whole else list(np.ndindex(COLUMN))
    values = [[np.array(ENTRIES[(*i, *j)]) for j in columns] for i in rows]
    expected = ENTRIES.copy()
    params: list[Var] = []
    args: list[Any] = []
    cells: list[list[Atom | None]] = []
    for line, i in zip(values, rows, strict=True):
        cells.append([])
        for k, (value, j) in enumerate(zip(line, columns, strict=True)):
            if k == missing:
                expected[(*i, *j)] = 0.0
                cells[-1].append(None)
                continue
            params.append(fresh("cell", array(*value.shape)))
            args.append(value[()])
            cells[-1].append(params[-1])
    function = build("f", params, lambda b: (assembled(b, F64, row, column, cells),))
    assert np.array_equal(evaluate(function, args)[0], expected)


def test_one_piece_by_one_piece_is_the_cell_itself():
    b, cell = Builder(), fresh("cell", array(2, 3))
    assert assembled(b, F64, Side(array(2), True), Side(array(3), True), [[cell]]) == cell
    assert not b.stms


def test_no_cells_are_zeros():
    b = Builder()
    made = assembled(b, F64, Side(array(2), False), Side(array(3), False), [[None] * 3] * 2)
    assert [stm.expr.op for stm in b.stms] == ["replicate"]  # type: ignore[union-attr]
    assert made.type == array(2, 3)


def test_what_has_its_shape_is_left_alone():
    b, x = Builder(), fresh("x", array(2, 3))
    assert reshaped(b, x, x.type.shape) == x
    assert seed_last(b, x, 0) == x
    assert not b.stms


def test_the_seed_comes_last():
    x = fresh("x", array(2, 3, 4))
    values = np.arange(24.0).reshape(2, 3, 4)
    function = build("f", (x,), lambda b: (seed_last(b, x, 2), reshaped(b, x, (i64(6), i64(4)))))
    turned, flat = evaluate(function, [values])
    assert np.array_equal(turned, np.transpose(values, (2, 0, 1)))
    assert np.array_equal(flat, values.reshape(6, 4))
