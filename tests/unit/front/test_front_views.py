"""Views: composition, contiguity, reading and writing."""

import numpy as np
import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.front import views
from tapeless.front.sizes import Sizes
from tapeless.front.suggest import suggestion
from tapeless.front.values import ArrayRef, At, Cell, Span
from tapeless.ir.build import Builder
from tapeless.ir.core import Function
from tapeless.ir.eval import evaluate
from tapeless.ir.types import F64, Type, i64
from tapeless.ir.walk import fresh

BASE = np.arange(24.0).reshape(2, 3, 4)


def span(start, size, step=1):
    return Span(i64(start), i64(size), i64(step))


def whole():
    return ArrayRef(Cell(Type(F64, tuple(map(i64, BASE.shape)))))


def select(array, *parts, axes):
    return views.selected(Builder(), Sizes(), array, parts, axes)


# name, the view, the same in NumPy
VIEWS = [
    ("slice", lambda v: select(v, span(0, 2), span(1, 2), span(3, 2, -2), axes=(0, 1, 2)), np.s_[:, 1:, 3::-2]),
    ("row", lambda v: select(v, At(i64(1)), At(i64(2)), span(0, 4), axes=(2,)), np.s_[1, 2]),
    ("column", lambda v: select(v, span(0, 2), At(i64(1)), span(0, 4), axes=(0, 2)), np.s_[:, 1]),
    ("element", lambda v: select(v, At(i64(1)), At(i64(1)), At(i64(3)), axes=()), np.s_[1, 1, 3]),
    (
        "new axes",
        lambda v: select(v, At(i64(0)), span(0, 3), span(0, 4), axes=(None, 1, None, 2)),
        np.s_[0, None, :, None],
    ),
]


@pytest.mark.parametrize(("make", "where"), [v[1:] for v in VIEWS], ids=[v[0] for v in VIEWS])
def test_reading_and_writing_a_view(make, where):
    view = make(whole())
    base = fresh("a", view.cell.type)
    b = Builder()
    read = views.read(b, base, view.view)
    doubled = b.apply("reshape", read, *read.type.shape) if read.type.is_array else b.apply("mul", read, read)
    written = views.write(b, base, view.view, doubled)
    got, after = evaluate(Function("f", (base,), b.block((read, written))), [BASE])
    np.testing.assert_array_equal(got, BASE[where])
    expected = BASE.copy()
    expected[where] = expected[where] if read.type.is_array else expected[where] ** 2
    np.testing.assert_array_equal(after, expected)


def test_views_of_views_are_one_selection():
    outer = select(whole(), span(0, 2), span(2, 3, -1), span(0, 2, 2), axes=(0, 1, 2))
    inner = select(outer, At(i64(1)), span(1, 2), span(0, 2), axes=(1, 2))
    assert len(inner.view) == 1
    base = fresh("a", inner.cell.type)
    b = Builder()
    value = views.read(b, base, inner.view)
    (got,) = evaluate(Function("f", (base,), b.block((value,))), [BASE])
    np.testing.assert_array_equal(got, BASE[:, ::-1, ::2][1, 1:])


def test_transposing_twice_gives_the_whole():
    there = views.transposed(whole(), (2, 0, 1))
    assert views.shape(there) == (i64(4), i64(2), i64(3))
    assert views.transposed(there, (1, 2, 0)).view == ()


def test_writing_through_a_reshape():
    view = views.reshaped(whole(), (i64(6), i64(4)))
    row = select(view, At(i64(5)), span(0, 4), axes=(1,))
    base = fresh("a", row.cell.type)
    b = Builder()
    new = b.apply("replicate", b.apply("index", base, i64(0), i64(0), i64(1)), i64(4))
    (after,) = evaluate(Function("f", (base,), b.block((views.write(b, base, row.view, new),))), [BASE])
    expected = BASE.copy()
    expected.reshape(6, 4)[5] = 1.0
    np.testing.assert_array_equal(after, expected)


def test_contiguous_pieces():
    assert views.is_contiguous(whole())
    assert views.is_contiguous(select(whole(), At(i64(1)), span(1, 2), span(0, 4), axes=(1, 2)))
    assert not views.is_contiguous(select(whole(), span(0, 2), At(i64(1)), span(0, 4), axes=(0, 2)))
    assert not views.is_contiguous(views.transposed(whole(), (1, 0, 2)))


def test_spelling_suggestions():
    assert suggestion("sinn", ["sin", "sign", "cos"]) == "; did you mean 'sin'?"
    assert suggestion("axs", ["axis", "keepdims"]) == "; did you mean 'axis'?"
    assert suggestion("lenght", ["length"]) == "; did you mean 'length'?"
    assert suggestion("ab", ["xy"]) == ""
    assert suggestion("name", ["name"]) == ""
