"""The checker accepts the well-formed programs and refuses each kind of mistake, naming the statement."""

import numpy as np
import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.errors import IRError
from tapeless.ir.build import build
from tapeless.ir.check import check
from tapeless.ir.core import Apply, Block, Function, Lambda, Map, Pos, Stm
from tapeless.ir.text import parse_function
from tapeless.ir.types import F32, F64, I32, I64, Lit, Type, Var, f64, i64

from .ir_programs import FORMS


@pytest.mark.parametrize("name", FORMS)
def test_well_formed(name):
    check(parse_function(FORMS[name]))


# Each entry: the body of `def f(c: bool, x: f64[n], y: f64[m], k: i64)`, and what is wrong with it.
MISTAKES = {
    "bound twice": ("a: i64 = add k 1\n a: i64 = add k 2", "a is bound twice"),
    "parameter bound again": ("k: i64 = add n 1", "k is bound twice"),
    "bound twice in two arms": (
        "r: i64 = if c {\n a: i64 = add k 1\n return a\n } else {\n a: i64 = add k 2\n return a\n }", "a is bound twice"
    ),
    "wrong result type": ("a: f64 = add k 1", r"bound variables are \(f64\), not \(i64\)"),
    "operands of two types": ("a: f64 = add 1.0 k", "add takes 2 scalars of one type"),
    "too many operands": ("a: i64 = add k 1 2", "add takes 2 operands"),
    "unknown operation": ("a: i64 = frobnicate k", "no operation 'frobnicate'"),
    "no operands": ("a: i64 = neg", "neg takes 1 operands"),
    "two variables for one value": ("a: i64, b: i64 = add k 1", "bound variables"),
    "size of another array": ("a: f64[m] = slice x 0 n 1", r"f64\[m\]\), not \(f64\[n\]"),
    "negative size": ("a: f64[-1] = slice x 0 -1 1", "is negative"),
    "size that is no integer": ("a: f64 = neg 1.0\n b: f64[a] = replicate 1.0 k", "bound variables|not an i64"),
    "unknown check": ("check happiness c", "no check 'happiness'"),
    "check of the wrong type": ("check bounds k 1.0", "check bounds of"),
    "check with missing operand": ("check bounds k", "check bounds of"),
    "condition that is no bool": ("r: i64 = if k {\n return k\n } else {\n return k\n }", "the condition is a bool"),
    "arms of two types": ("r: i64 = if c {\n return k\n } else {\n return 1.0\n }", "an arm"),
    "arms of two sizes": ("r: f64[n] = if c {\n return x\n } else {\n return y\n }", "an arm"),
    "arm with too few results": ("r: i64, s: i64 = if c {\n return k\n } else {\n return k k\n }", "an arm"),
    "loop whose body changes type": (
        "r: i64 = for n [k] (i: i64, a: i64) {\n b: f64 = convert[f64] a\n return b\n }", "results of the body"
    ),
    "loop whose body changes size": (
        "r: f64[n] = for k [x] (i: i64, a: f64[n]) {\n return y\n }", "results of the body"
    ),
    "loop with a wrong initial value": ("r: f64 = for n [k] (i: i64, a: f64) {\n return a\n }", "initial values"),
    "loop with a wrong counter": ("r: i64 = for n [k] (i: i32, a: i64) {\n return a\n }", "counters"),
    "loop with a float count": ("r: i64 = for 3.0 [k] (i: i64, a: i64) {\n return a\n }", "trip count is an i64"),
    "loop that binds another type": ("r: f64 = for n [k] (i: i64, a: i64) {\n return a\n }", "bound variables"),
    "while without a bool": (
        "r: i64 = while [k] (a: i64) {\n return a\n } (b: i64) {\n return b\n }", "results of the condition"
    ),
    "map without its dimension": ("r: i64 = map n (i: i64) {\n return i\n }", "bound variables"),
    "map of another size": ("r: i64[m] = map n (i: i64) {\n return i\n }", "bound variables"),
    "map with two indices": ("r: i64[n] = map n (i: i64, j: i64) {\n return i\n }", "parameters"),
    "reduce whose operator is unary": (
        "r: i64 = reduce n [0] (a: i64) {\n return a\n } (i: i64) {\n return i\n }", "parameters"
    ),
    "reduce of another type": (
        "r: f64 = reduce n [0.0] (a: f64, b: f64) {\n return a\n } (i: i64) {\n return i\n }", "results of the body"
    ),
    "reduce of nothing": ("= reduce n [] () {\n return\n } (i: i64) {\n return\n }", "nothing is combined"),
    "scan that is not stacked": (
        "r: i64 = scan n [0] (a: i64, b: i64) {\n return a\n } (i: i64) {\n return i\n }", "bound variables"
    ),
    "hist with an array as neutral": (
        "r: f64[n] = hist 1 m [x] [x] (a: f64, b: f64) {\n return a\n } (i: i64) {\n return i 1.0\n }", "neutral"
    ),
    "hist with too many keys": (
        "r: f64[n] = hist 2 m [0.0] [x] (a: f64, b: f64) {\n return a\n } (i: i64) {\n return i i 1.0\n }",
        "keys do not fit",
    ),
    "hist without a value": (
        "r: f64[n] = hist 1 m [0.0] [x] (a: f64, b: f64) {\n return a\n } (i: i64) {\n return i\n }",
        "results of the body",
    ),
    "hist over two shapes": (
        "r: f64[n], s: f64[m] = hist 1 k [0.0 0.0] [x y] (a: f64, b: f64, d: f64, e: f64) {\n return a b\n }"
        " (i: i64) {\n return i 1.0 1.0\n }", "differ in shape"
    ),
    "scatter of another type": (
        "r: f64[n] = scatter 1 m x (i: i64) {\n return i i\n }", "results of the body"
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake):
    body, message = MISTAKES[mistake]
    function = parse_function(f"def f(c: bool, x: f64[n], y: f64[m], k: i64) {{\n {body}\n return\n}}")
    with pytest.raises(IRError, match=message) as caught:
        check(function)
    assert "f: " in str(caught.value)


X, N = Var("x", Type(F64)), Var("n", Type(I64))


def _function(*stms, results=(), params=(X,), donated=()):
    return Function("f", params, Block(stms, results), donated)


def _neg(name, operand):
    return Stm((Var(name, operand.type),), Apply("neg", (operand,)))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (_function(_neg("a", Var("b", Type(F64)))), "b is not in scope"),
        (_function(_neg("a", Var("a", Type(F64)))), "a is not in scope"),
        (_function(_neg("a", Var("x", Type(F32)))), "x is bound as f64, used as f32"),
        (_function(results=(Var("b", Type(F64)),)), "b is not in scope"),
        (_function(_neg("a b", X)), "'a b' is not a name"),
        (_function(_neg("a", Lit(1, F64))), "1 is not a literal of type f64"),
        (_function(_neg("a", Lit(np.float64(1.0), F64))), "not a literal of type f64"),
        (_function(_neg("a", Lit(2**31, I32))), "not a literal of type i32"),
        (_function(_neg("a", Lit(True, I64))), "not a literal of type i64"),
        (_function(params=(X, X)), "x is bound twice"),
        (_function(params=(Var("a", Type(F64, (N,))), N)), "n is bound twice"),
        (_function(params=(Var("a", Type(F64, (X,))),)), "not an i64"),
        (_function(results=(X,), donated=((0, 0),)), "cannot hold"),
        (_function(donated=((0, 0),)), "does not exist"),
    ],
)
def test_mistakes_that_have_no_text(function, message):
    with pytest.raises(IRError, match=message):
        check(function)


def test_donated_pairs():
    a, b = Var("a", Type(F64, (N,))), Var("b", Type(F64, (N,)))
    check(_function(params=(a, b), results=(b, a), donated=((0, 0), (1, 1))))
    with pytest.raises(IRError, match="donated twice"):
        check(_function(params=(a, b), results=(b, a), donated=((0, 0), (0, 1))))
    with pytest.raises(IRError, match="takes over two"):
        check(_function(params=(a, b), results=(b, a), donated=((0, 0), (1, 0))))


def test_a_size_computed_inside_does_not_escape():
    inner = Var("k", Type(I64))
    row = Var("row", Type(I64, (inner,)))
    body = Block((Stm((inner,), Apply("add", (N, i64(1)))), Stm((row,), Apply("iota", (inner,)))), (row,))
    out = Var("out", Type(I64, (N, inner)))
    x = Var("x", Type(F64, (N,)))
    i = Var("i", Type(I64))
    function = _function(Stm((out,), Map(N, Lambda((i,), body))), params=(x,), results=(out,))
    with pytest.raises(IRError, match="k is not in scope"):
        check(function)


def test_the_error_names_the_statement_and_the_users_line():
    stm = Stm((Var("a", Type(F32)),), Apply("neg", (X,)), Pos("model.py", 12, 4, 12, 9))
    with pytest.raises(IRError, match=r"in: a: f32 = neg x\n  at model.py:12"):
        check(_function(stm))


def test_builder_makes_well_formed_programs():
    x = Var("x", Type(F64, (N, i64(3))))

    def body(b):
        rows = b.map_(N, lambda b, i: b.map_(i64(3), lambda b, j: (b.apply("exp", b.apply("index", x, i, j)),)))
        sums = b.map_(
            N,
            lambda b, i: b.reduce(i64(3), "add", (f64(0.0),), lambda b, j: (b.apply("index", rows[0], i, j),)),
        )
        return (*rows, *sums)

    check(build("softmax_parts", (x,), body))
