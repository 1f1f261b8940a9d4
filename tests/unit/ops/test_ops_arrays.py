"""The array operations against plain NumPy, their refusals, and the completeness matrix."""

import numpy as np
import pytest

import tapeless.ops
from tapeless.errors import IRError
from tapeless.ir.build import Builder, build
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers import NUMPY_TYPES
from tapeless.ir.op import Domain, all_ops, lookup
from tapeless.ir.types import BOOL, F32, F64, I64, Type, Var, f64, i64
from tapeless.ops.samples import cases
from tapeless.ops.table import holes, matrix
from tapeless.records import replace


def _write(a, place, value):
    a = a.copy()
    a[place] = value
    return a


# The programs of `samples`, written in NumPy.
EXPECTED = {
    "index": lambda a: a[2, 1],
    "slice": lambda a: a[5::-2, 1:3],
    "update": lambda a, v: _write(a, 2, v),
    "update_slice": lambda a, v: _write(a, np.s_[6:1:-2], v),
    "accumulate": lambda a, v: _write(a, (3, 0), a[3, 0] + v),
    "transpose": lambda a: np.einsum("ijk->kij", a),
    "reshape": lambda a: a.reshape(3, 4),
    "replicate": lambda v: np.tile(v, (3, 2, 1)),
    "concat": lambda a, b, c: np.hstack([a, b, c]),
    "stack": lambda a, b, c: np.vstack([a, b, c]),
    "iota": lambda: np.arange(5),
    "argsort": lambda a: np.argsort(a, axis=1, kind="stable"),
}

ARRAY = [op for op in all_ops() if op.arity is None]


def test_every_array_operation_has_an_expectation():
    assert {op.name for op in ARRAY} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_against_numpy(name):
    rng = np.random.default_rng(5)
    for case in cases(lookup(name)):
        args = case.arguments(rng)
        kept = [np.array(arg) for arg in args]
        (found,) = evaluate(case.function, args)
        np.testing.assert_array_equal(found, EXPECTED[name](*args))
        assert found.dtype == NUMPY_TYPES[case.function.result_types[0].dtype]
        for before, after in zip(kept, args, strict=True):
            np.testing.assert_array_equal(before, after)


def _run(op, array, *literals, value=None, attrs=()):
    """The operation on one array (and a value) with literal integers."""
    params = [Var("a", Type(F64, tuple(map(i64, array.shape))))]
    if value is not None:
        params.append(Var("v", Type(F64, tuple(map(i64, np.shape(value))))))
    function = build("f", params, lambda b: (b.apply(op, *params, *map(i64, literals), attrs=attrs),))
    return evaluate(function, [array] if value is None else [array, value])[0]


A = np.arange(6.0)


@pytest.mark.parametrize(
    ("triple", "expected"),
    [((4, 0, 1), []), ((0, 0, -1), []), ((5, 6, -1), A[::-1]), ((6, 0, 1), []), ((2, 3, 0), [2.0] * 3)],
)
def test_slices_at_the_edges(triple, expected):
    np.testing.assert_array_equal(_run("slice", A, *triple), expected)


@pytest.mark.parametrize(
    ("op", "literals", "value"),
    [
        ("index", (6,), None),
        ("index", (-1,), None),
        ("slice", (4, 3, 1), None),
        ("slice", (1, 3, -1), None),
        ("slice", (0, -1, 1), None),
        ("update", (6,), 1.0),
        ("accumulate", (-1,), 1.0),
        ("update_slice", (5, 1), np.ones(2)),
        ("reshape", (4, 2), None),
        ("replicate", (-1,), None),
        ("concat", (7,), None),
    ],
)
def test_what_is_out_of_range_is_a_bug_of_the_compiler(op, literals, value):
    with pytest.raises(IRError):
        _run(op, A, *literals, value=value, attrs=(0,) if op == "concat" else ())


def test_empty_arrays():
    empty = np.empty((0, 3))
    assert _run("transpose", empty, attrs=(1, 0)).shape == (3, 0)
    assert _run("reshape", empty, 5, 0).shape == (5, 0)
    assert _run("concat", empty, 0, attrs=(0,)).shape == (0, 3)
    assert _run("argsort", empty).shape == (0, 3)


N = Var("n", Type(I64))
X = Var("x", Type(F64, (N,)))
M = Var("m", Type(F64, (N, i64(3))))


@pytest.mark.parametrize(
    ("op", "args", "attrs"),
    [
        ("add", (f64(1.0), i64(1)), ()),
        ("add", (f64(1.0),), ()),
        ("add", (X, X), ()),
        ("div", (i64(1), i64(2)), ()),
        ("and", (f64(1.0), f64(1.0)), ()),
        ("sin", (f64(1.0),), (F64,)),
        ("select", (f64(1.0), f64(1.0), f64(1.0)), ()),
        ("convert", (f64(1.0),), ()),
        ("convert", (X,), (F32,)),
        ("bitcast", (f64(1.0),), (F32,)),
        ("index", (X,), ()),
        ("index", (X, i64(0), i64(0)), ()),
        ("index", (X, f64(0.0)), ()),
        ("slice", (X, i64(0), i64(1)), ()),
        ("update", (X, X, i64(0)), ()),
        ("update", (M, f64(1.0), i64(0)), ()),
        ("update_slice", (M, X, i64(0), i64(1)), ()),
        ("accumulate", (Var("b", Type(BOOL, (N,))), Var("c", Type(BOOL)), i64(0)), ()),
        ("transpose", (M,), (0, 0)),
        ("transpose", (M,), (0,)),
        ("reshape", (X,), ()),
        ("replicate", (f64(1.0), f64(2.0)), ()),
        ("concat", (X, M, N), (0,)),
        ("concat", (X, X, N), (1,)),
        ("stack", (X, M), ()),
        ("stack", (), ()),
        ("iota", (f64(1.0),), ()),
        ("argsort", (f64(1.0),), ()),
    ],
)
def test_type_rules_refuse(op, args, attrs):
    with pytest.raises(IRError, match=f"{op} takes"):
        Builder().apply(op, *args, attrs=attrs)


def test_sizes_of_results_are_the_operands():
    b = Builder()
    k = Var("k", Type(I64))
    assert b.apply("slice", M, i64(0), k, i64(1)).type == Type(F64, (k, i64(3)))
    assert b.apply("transpose", M, attrs=(1, 0)).type == Type(F64, (i64(3), N))
    assert b.apply("replicate", X, k, i64(2)).type == Type(F64, (k, i64(2), N))
    assert b.apply("concat", M, M, k, attrs=(0,)).type == Type(F64, (k, i64(3)))
    assert b.apply("stack", X, X).type == Type(F64, (i64(2), N))


def test_the_table_is_complete():
    assert holes() == ()
    rows = matrix()
    assert len(rows) == len(all_ops()) == 83
    assert all(row.meaning and row.lowering and row.tested for row in rows)


@pytest.mark.parametrize(
    ("name", "change", "hole"),
    [
        ("sin", {"lowering": ""}, "no lowering"),
        ("sin", {"doc": ""}, "no documentation"),
        ("add", {"partials": ()}, "0 partials for 2 operands"),
        ("abs", {"domain": Domain(smooth=False)}, "no convention"),
        ("exp", {"meaning": lambda n, x: n.no_such_function(x)}, "the meaning fails"),
        ("exp", {"meaning": lambda _, x: float(x)}, "is not f32"),
        ("iota", {"name": "unknown_array_operation"}, "no test program"),
    ],
)
def test_a_hole_is_found(name, change, hole):
    broken = replace(lookup(name), **change)
    if "meaning" in change:
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(tapeless.ir.op._REGISTRY, name, broken)
            assert any(hole in found for found in holes((broken,)))
    else:
        assert any(hole in found for found in holes((broken,)))
