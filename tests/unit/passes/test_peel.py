"""Peeled loops: which loops are, what the middle looks like, and that nothing changes at any size."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.check import check
from tapeless.ir.core import Function, Map, Pos, Reduce, Stm
from tapeless.ir.text import parse_function, print_function
from tapeless.ir.walk import canonical, statements
from tapeless.passes import fuse, parallelise, peel, ranges, simplify
from tapeless.passes.affine import Affine
from tapeless.passes.edges import Edges, find_edges, obstacles
from tapeless.passes.notes import Notes
from tapeless.passes.pipeline import optimise
from tapeless.testing.compare import difference, reference, tolerance
from tapeless.testing.generate import random_program

from .loop_programs import arguments
from .small_programs import kinds
from .stencils import LEFT_ALONE, PEELED, left_alone, random_stencil, stencil_arguments

GOLDEN = Path(__file__).parents[2] / "golden" / "passes"
SIZES = (0, 1, 2, 3, 4, 5, 17)


def _peeled(function, notes=None):
    function = peel.run(simplify.run(function, Notes()), Notes() if notes is None else notes)
    check(function)
    return function


def _agree(before, after, args, where):
    wrong = difference(reference(before, args), reference(after, args), tolerance(before))
    assert not wrong, f"{where}: {wrong}"


def _middle(function):
    (loop,) = [
        stm.expr
        for stm in statements(function.body)
        if isinstance(stm.expr, Map | Reduce) and "map" not in kinds(stm.expr.body.body)
    ]
    return loop


# -- which loops --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PEELED)
def test_the_middle_has_no_obstacles(name):
    function = parse_function(PEELED[name])
    assert _obstacles(_middle(function), function) > 0
    after = _peeled(function)
    assert "concat" in kinds(after.body) or isinstance(_middle(after), Reduce)
    assert _obstacles(_middle(after), after) == 0
    assert not {"mod", "min", "max", "select", "if", "eq"} & set(kinds(_middle(after).body.body))


def _obstacles(loop, function):
    defs = {var.name: stm.expr for stm in statements(function.body) for var in stm.vars}
    return obstacles(loop.body, defs)


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_loops_that_gain_nothing_stay(name):
    function = simplify.run(parse_function(left_alone(name)), Notes())
    assert Counter(kinds(peel.run(function, Notes()).body)) == Counter(kinds(function.body))


def test_loops_of_few_literal_iterations_stay():
    text = PEELED["periodic"].replace("[n]", "[20]").replace(" n", " 20")
    assert "concat" not in kinds(_peeled(parse_function(text)).body)
    text = PEELED["periodic"].replace("[n]", "[40]").replace(" n", " 40")
    after = _peeled(parse_function(text))
    assert "concat" in kinds(after.body)
    assert "if" not in kinds(after.body)


def test_large_bodies_stay():
    steps = "\n".join(f"z{k + 1}: f64 = add z{k} x" for k in range(peel.STATEMENTS))
    text = PEELED["periodic"].replace("z: f64 = add x y\n    return z", f"z0: f64 = add x y\n{steps}\nreturn z0")
    assert "concat" not in kinds(peel.run(parse_function(text), Notes()).body)


def test_only_the_innermost_loop_is_peeled():
    after = _peeled(parse_function(PEELED["rows"]))
    assert kinds(after.body).count("concat") == 1
    (outer,) = [stm.expr for stm in after.body.stms if isinstance(stm.expr, Map)]
    assert repr(outer.size) == "m"


def test_a_function_without_boundaries_is_not_walked():
    body = "y: f64 = index x i\nz: f64 = max y 0.0\nreturn z"
    function = parse_function(f"def f(x: f64[n]) {{\nr: f64[n] = map n (i: i64) {{\n{body}\n}}\nreturn r\n}}")
    assert peel.run(function, Notes()) is function


def test_a_note_says_what_was_peeled():
    notes = Notes()
    function = parse_function(PEELED["periodic"])
    placed = tuple(Stm(s.vars, s.expr, Pos("f.py", 3, 0, 3, 1)) for s in function.body.stms)
    body = type(function.body)(placed, function.body.results)
    peel.run(Function(function.name, function.params, body), notes)
    (note,) = notes.about("boundary")
    assert (note.line, note.decision) == (3, "first 1 and last 2 iterations are peeled off")
    assert note.reason == "the rest reads neighbours without wrap-around"


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("h: i64 = add i -3\nj: i64 = mod h n", 3, 0),
        ("h: i64 = add i 1\nj: i64 = mod h n", 0, 1),
        ("h: i64 = add i n\ng: i64 = add h -2\nj: i64 = mod g n", 2, 0),
        ("l: i64 = sub n 1\nh: i64 = add i 2\nj: i64 = min h l", 0, 2),
        ("l: i64 = sub n 1\nh: i64 = add i 2\nj: i64 = min l h", 0, 2),
        ("h: i64 = sub i 4\nj: i64 = max h 0", 4, 0),
        ("c: bool = eq i 0", 1, 0),
        ("l: i64 = sub n 1\nc: bool = ne l i", 0, 1),
        ("c: bool = lt i 2", 2, 0),
        ("c: bool = le i 2", 3, 0),
        ("c: bool = gt 2 i", 2, 0),
        ("c: bool = ge i 2", 2, 0),
        ("c: bool = gt i 2", 3, 0),
        ("l: i64 = sub n 2\nc: bool = ge i l", 0, 2),
        ("l: i64 = sub n 2\nc: bool = gt i l", 0, 1),
        ("l: i64 = sub n 2\nc: bool = lt i l", 0, 2),
        ("l: i64 = sub n 2\nc: bool = le i l", 0, 1),
        ("h: i64 = add i 9\nj: i64 = mod h n", 0, 0),
        ("j: i64 = mod i k", 0, 0),
    ],
)
def test_edges(text, low, high):
    function = parse_function(f"def f(x: f64[n], k: i64) {{\n = map n (i: i64) {{\n{text}\nreturn\n}}\nreturn\n}}")
    (loop,) = [stm.expr for stm in function.body.stms]
    defs = {var.name: stm.expr for stm in statements(function.body) for var in stm.vars}
    assert find_edges(loop.body, Affine(0, {"n": 1}), defs) == Edges(low, high)


@pytest.mark.parametrize("name", ["periodic", "clamped_sum"])
def test_golden_text(name, update_golden):
    text = print_function(canonical(simplify.run(_peeled(parse_function(PEELED[name])), Notes())))
    path = GOLDEN / f"peel-{name}.ir"
    if update_golden:
        path.write_text(text)
    assert path.read_text() == text


# -- meaning --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PEELED)
def test_peeled_programs_keep_their_meaning(name):
    function = parse_function(PEELED[name])
    after = _peeled(function)
    for size in SIZES:
        for seed in range(3):
            args = arguments(function, size, seed)
            _agree(function, after, args, f"size {size}")
            _agree(function, optimise(function, check=True), args, f"whole pipeline, size {size}")


@pytest.mark.parametrize("seed", range(60))
def test_random_stencils_keep_their_meaning(seed):
    function = random_stencil(seed)
    check(function)
    peeled, whole = _peeled(function), optimise(function, check=True)
    for n in (*SIZES, 40):
        for m in (n, n - 1, n + 1):
            args = stencil_arguments(max(m, 0), n, seed)
            _agree(function, peeled, args, f"n={n} m={m}")
            _agree(function, whole, args, f"whole pipeline, n={n} m={m}")


def test_most_random_stencils_are_peeled():
    gained = 0
    for seed in range(60):
        notes = Notes()
        _peeled(random_stencil(seed), notes)
        gained += bool(notes.about("boundary"))
    assert gained > 30


@pytest.mark.parametrize("seed", range(3000, 3030))
def test_random_programs_keep_their_meaning(seed):
    function, args = random_program(seed)
    for step in (simplify, parallelise, simplify, fuse, simplify):
        function = step.run(function, Notes())
    after = peel.run(function, Notes())
    check(after)
    _agree(function, after, args, f"seed {seed}")


def test_the_first_fault_stays_the_first():
    """Which of two exceptions comes depends on the order of the iterations."""
    text = """
def f(u: f64[n], at: i64) {
  r: f64[n] = map n (i: i64) {
    h: i64 = add i 1
    j: i64 = mod h n
    x: f64 = index u j
    c: bool = ne i at
    check assert c
    d: bool = ne j 2
    check raise d "RuntimeError: two"
    return x
  }
  return r
}
"""
    function = parse_function(text)
    after = _peeled(function)
    assert "concat" in kinds(after.body)
    faults = set()
    for n in range(1, 6):
        for at in range(-1, n):
            args = [np.ones(n), np.int64(at)]
            expected = reference(function, args)
            faults.add(expected.fault)
            _agree(function, after, args, f"n={n} at={at}")
    assert faults >= {"AssertionError", "RuntimeError"}


def test_remainders_of_known_quotient_become_differences():
    for dividend, divisor, decided in (
        ("add i 0", "n", True),
        ("add i n", "n", True),
        ("sub i n", "n", True),
        ("add i 1", "n", False),
        ("add k 0", "n", False),
        ("add i 0", "k", False),
    ):
        body = f"h: i64 = {dividend}\nj: i64 = mod h {divisor}\ncheck bounds j 3\nreturn"
        loop = f" = for n [] (i: i64) {{\n{body}\n}}"
        function = ranges.run(parse_function(f"def f(x: f64[n], k: i64) {{\n{loop}\nreturn\n}}"), Notes())
        assert ("mod" in kinds(function.body)) != decided, dividend


# -- compiled -------------------------------------------------------------------------------------


def periodic_1d(u):
    n = len(u)
    w = np.empty_like(u)
    for i in range(n):
        w[i] = u[i - 1] - 2.0 * u[i] + u[(i + 1) % n]
    return w


def periodic_2d(u):
    rows, columns = u.shape
    w = np.empty_like(u)
    for i in range(rows):
        for j in range(columns):
            w[i, j] = u[(i - 1) % rows, j] + u[(i + 1) % rows, j] + u[i, (j - 1) % columns] - u[i, (j + 2) % columns]
    return w


def clamped(u):
    n = len(u)
    w = np.empty_like(u)
    total = 0.0
    for i in range(n):
        w[i] = 0.5 * (u[min(i + 1, n - 1)] - u[max(i - 1, 0)])
        total += abs(u[i] - u[i + 1 if i + 1 < n else 0])
    return w, total


def one_sided_at_the_ends(u):
    n = len(u)
    w = np.empty_like(u)
    for i in range(n):
        if i == 0:
            w[i] = u[1] - u[0]
        elif i == n - 1:
            w[i] = u[n - 1] - u[n - 2]
        else:
            w[i] = 0.5 * (u[i + 1] - u[i - 1])
    return w


def rolled(u):
    return np.roll(u, 2) - 3.0 * u + np.roll(u, -1)


@pytest.mark.parametrize("function", [periodic_1d, periodic_2d, clamped, one_sided_at_the_ends, rolled])
def test_compiled_stencils(function):
    compiled = tp.jit(function)
    values = np.random.default_rng(5)
    for n in (*SIZES, 64, 1000):
        u = values.normal(size=(3, n) if function is periodic_2d else n)
        try:
            expected = function(u)
        except IndexError:
            with pytest.raises(IndexError):
                compiled(u)
            continue
        for x, y in zip(*([r] if not isinstance(r, tuple) else r for r in (expected, compiled(u))), strict=True):
            np.testing.assert_allclose(y, x, rtol=1e-13, atol=1e-13)
    assert "peeled off" in compiled.explain()
