"""Specialisation, captured names, donated parameters and the structure of results."""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.errors import AnnotationError, ArgumentError, CallError, NoSourceError
from tapeless.front import annotations as types
from tapeless.front.capture import lower, specialise
from tapeless.front.tree import Leaf, Node, OutArgument, OutLeaf, OutNode, OutStatic, Static, assemble, flatten
from tapeless.ir.core import Check, For, While
from tapeless.ir.types import BOOL, F32, F64, I64, Lit
from tapeless.ir.walk import statements

Pair = namedtuple("Pair", "a b")
FACTOR = 2.0
SIZES = 3
TABLE = np.arange(3.0)


@dataclass(frozen=True)
class Model:
    weights: np.ndarray
    bias: float


def lowered(function, *args, **options):
    return lower(function, specialise(function, args, {}, **options).specs)


def test_leaves_and_specs_of_arguments():
    model = Model(np.ones((3, 1)), 2.0)
    spec, leaves = flatten({"m": model, "p": Pair(1, True), "s": "mode"})
    assert [type(leaf) for leaf in leaves] == [np.ndarray, float, int, bool]
    assert spec == Node(
        dict,
        ("m", "p", "s"),
        (
            Node(Model, ("weights", "bias"), (Leaf(F64, "array", (None, 1)), Leaf(F64, "python"))),
            Node(Pair, ("a", "b"), (Leaf(I64, "python"), Leaf(BOOL, "python"))),
            Static("mode"),
        ),
    )
    assert hash(spec) == hash(flatten({"m": model, "p": Pair(5, False), "s": "mode"})[0])


def test_sizes_of_one_and_fixed_sizes_are_part_of_the_spec():
    x = np.zeros((1, 4), dtype=np.float32)
    assert flatten(x)[0] == Leaf(F32, "array", (1, None))
    assert flatten(x, fixed=True)[0] == Leaf(F32, "array", (1, 4))
    assert flatten(np.float32(1))[0] == Leaf(F32, "numpy")


@pytest.mark.parametrize("value", [1 + 2j, np.zeros(3, dtype=complex), np.array(["a"]), 2**70, np.zeros(2, np.uint8)])
def test_arguments_that_cannot_be_passed(value):
    with pytest.raises(ArgumentError):
        flatten(value)


def test_containers_are_put_together_again():
    for value in [(1, 2), [1, 2], {"a": 1}, Pair(1, 2)]:
        spec, leaves = flatten(value)
        assert assemble(spec.kind, spec.keys, leaves) == value


def test_annotations_fix_types_and_sizes():
    def f(x: types.f64[:, 3]):
        return x

    assert specialise(f, (np.zeros((5, 3)),), {}).specs[0][1] == Leaf(F64, "array", (None, 3))
    for wrong in (np.zeros((5, 4)), np.zeros(3), np.zeros((5, 3), dtype=np.float32), 1.0):
        with pytest.raises(AnnotationError, match="x must be"):
            specialise(f, (wrong,), {})


def test_annotations_show_and_check_themselves():
    assert repr(types.f64[:, 3]) == "tp.f64[:, 3]"
    assert repr(types.boolean) == "tp.boolean"
    with pytest.raises(AnnotationError, match="is not a size"):
        types.f64["n"]


def test_wrong_calls_are_reported_before_compiling():
    with pytest.raises(CallError, match="missing"):
        specialise(lambda x, y: x + y, (1,), {})


def test_functions_without_source():
    with pytest.raises(NoSourceError):
        lowered(eval("lambda x: x + 1"), 1.0)


def test_captured_numbers_and_arrays_are_hidden_parameters():
    def f(x):
        return x * FACTOR + TABLE

    result = lowered(f, 2.0)
    assert [entry.label for entry in result.captured] == ["FACTOR", "TABLE"]
    assert [param.type.rank for param in result.function.params] == [0, 0, 1]
    assert result.hidden_leaves()[0] == 2.0
    assert result.still_holds()


def test_code_holds_while_captured_names_keep_their_types(monkeypatch):
    def f(x):
        return x * FACTOR

    result = lowered(f, 2.0)
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    assert result.still_holds()
    assert result.hidden_leaves() == [3.0]
    monkeypatch.setitem(globals(), "FACTOR", 3)
    assert not result.still_holds()


def test_captured_functions_are_guarded():
    scale = [lambda x: x + 1]
    helper = scale[0]

    def f(x):
        return helper(x)

    result = lowered(f, 2.0)
    assert result.still_holds()
    helper = lambda x: x + 2  # noqa: E731
    assert not result.still_holds()


def test_integers_that_must_be_static_are_pinned(monkeypatch):
    def g(m):
        t = (m, m, m)
        return [t[k].sum() for k in range(SIZES)]

    pinned = lowered(g, np.ones((2, 4)))
    assert pinned.still_holds()
    monkeypatch.setitem(globals(), "SIZES", 2)
    assert not pinned.still_holds()


def test_written_parameters_are_donated():
    def f(x, y):
        y[0] = x[0]
        return y

    result = lowered(f, np.ones(3), np.ones(3))
    assert result.function.donated == ((1, 0),)
    assert result.out == OutArgument(1)


def test_reading_does_not_donate():
    assert lowered(lambda x: x[1:] * 2, np.ones(3)).function.donated == ()


def test_structure_of_results():
    def f(x, n):
        return {"a": x[0], "n": n + 1}, [x * 2], None, "text"

    out = lowered(f, np.ones(3), 2).out
    first, second, third, fourth = out.parts
    assert isinstance(out, OutNode)
    assert out.kind is tuple
    assert [leaf.flavour for leaf in first.parts] == ["numpy", "python"]
    assert second.parts == (OutLeaf(2, "array"),)
    assert (third, fourth) == (OutStatic(None), OutStatic("text"))


def test_the_same_array_twice_is_one_result():
    def f(x):
        y = x * 2
        return y, y

    out = lowered(f, np.ones(3)).out
    assert out.parts[0] == out.parts[1]


def test_static_shapes_make_literal_sizes():
    result = lowered(lambda x: x + 1, np.ones((2, 3)), static_shapes=True)
    assert result.function.params[0].type.shape == (Lit(2, I64), Lit(3, I64))


def forms(function, *args):
    return [type(stm.expr) for stm in statements(lowered(function, *args).function.body)]


def checks(function, *args):
    body = lowered(function, *args).function.body
    return [stm.expr.kind for stm in statements(body) if isinstance(stm.expr, Check)]


def test_loops_without_exits_are_counted():
    def f(x):
        s = 0.0
        for v in x:
            if v > 0:
                continue
            s += v
        return s

    assert For in forms(f, np.ones(3))
    assert While not in forms(f, np.ones(3))


def test_loops_with_exits_are_conditional():
    def f(x):
        for i in range(len(x)):
            if x[i] > 0:
                return i
        return -1

    assert While in forms(f, np.ones(3))


def test_indices_in_range_need_no_check():
    def f(x):
        n = len(x)
        y = np.zeros(n)
        for i in range(1, n - 1):
            y[i] = x[i - 1] + x[i + 1]
        for i in range(n - 1, -1, -1):
            for j in range(i, n):
                y[i] += x[j]
        for i in range(n):
            y[i] = x[(i + 1) % n]
        return y

    assert "bounds" not in checks(f, np.ones(4))


def test_unknown_indices_are_checked():
    assert checks(lambda x, i: x[i], np.ones(3), 1) == ["bounds"]


def test_statements_carry_the_users_positions():
    def f(x):
        y = x + 1
        return y * 2

    body = lowered(f, 1.0).function.body
    first = f.__code__.co_firstlineno
    assert [stm.pos.line - first for stm in body.stms] == [1, 2]
    assert body.stms[0].pos.col == 12
