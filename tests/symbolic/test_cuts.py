"""Runs cut into pieces: as the paper does, and where that is cheapest."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

import tapeless.ops
from tapeless.ad.functions import vjp_function
from tapeless.ad.planner import Plan
from tapeless.ad.segments import Segment, parts
from tapeless.eliminate import cuts, paper
from tapeless.eliminate.collapse import Collapser
from tapeless.eliminate.paper import Paper, size_of
from tapeless.ir.core import Function, If
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.types import Var
from tapeless.passes.notes import Notes

assert tapeless.ops  # registers the operations


def chain(length, reads=()):
    """A run of products; the values whose numbers are in `reads` are read again at the end."""
    lines = ["  v0: f64 = sin x"]
    lines += [f"  v{k}: f64 = mul v{k - 1} x" for k in range(1, length)]
    lines += [f"  w{k}: f64 = mul v{n} {'x' if k == 0 else f'w{k - 1}'}" for k, n in enumerate(reads)]
    last = f"w{len(reads) - 1}" if reads else f"v{length - 1}"
    text = "\n".join(["def f(x: f64) {", *lines, f"  y: f64 = mul {last} v{length - 1}", "  return y", "}"])
    return parse_function(text)


def segments_of(function: Function) -> list[Segment]:
    names = {var.name for stm in function.body.stms for var in stm.vars} | {"x"}
    found = Paper().parts(function.body, names)
    assert all(isinstance(part, Segment) for part in found)
    return [part for part in found if isinstance(part, Segment)]


def test_a_small_run_is_one_segment():
    (segment,) = segments_of(chain(20))
    assert segment.whole
    assert [x.name for x in segment.inputs] == ["x"]
    assert len(segment.block.results) == 1


def test_a_large_run_is_cut_at_the_value_that_is_read_most():
    function = chain(60, reads=(17, 17, 17, 17))
    first, *rest = segments_of(function)
    assert first.block.stms[-1].vars[0].name == "v17"
    assert all(size_of(part.block.stms) <= paper.LIMIT for part in (first, *rest))
    tiled = [stm for part in (first, *rest) for stm in part.block.stms]
    assert tiled == list(function.body.stms)


BRANCH = """
def f(x: f64, y: f64) {
  a: f64 = mul x y
  c: bool = gt a 0.5
  b: f64 = if c {
    p: f64 = sin a
    return p
  } else {
    q: f64 = mul a x
    return q
  }
  d: f64 = mul b a
  return d
}
"""


def test_a_small_branch_is_part_of_a_segment():
    function = parse_function(BRANCH)
    (segment,) = Paper().parts(function.body, {"x", "y", "a", "b", "d", "p", "q"})
    assert isinstance(segment, Segment)
    assert any(isinstance(stm.expr, If) for stm in segment.block.stms)
    found = Paper().jacobian(segment)
    assert found is not None
    names = tuple(found.entries[0, k] for k in range(2))
    entries = Function("entries", function.params, type(function.body)(found.stms, names))
    np.testing.assert_allclose(evaluate(entries, [0.9, 0.8]), [*_slope(0.9, 0.8)], rtol=1e-14)
    np.testing.assert_allclose(evaluate(entries, [0.9, 0.2]), [3 * 0.81 * 0.04, 2 * 0.9**3 * 0.2], rtol=1e-14)


def _slope(x, y):
    a = x * y
    return tuple((np.cos(a) * a + np.sin(a)) * d for d in (y, x))


def names_of(segments):
    return [[stm.vars[0].name for stm in segment.block.stms] for segment in segments]


@pytest.mark.parametrize(("length", "pieces"), [(paper.LIMIT - 1, 1), (paper.LIMIT, 2)])
def test_a_run_as_long_as_the_limit_is_one_segment(length, pieces):
    """One operation more is at the end of the run."""
    assert len(segments_of(chain(length))) == pieces


def test_of_values_read_as_often_the_middle_one_cuts():
    """Halves as large as can be; what is left of one is put together with its neighbour."""
    first, second = segments_of(chain(80))
    assert len(first.block.stms) == len(second.block.stms) + 1 == 41
    assert [len(segment.block.stms) for segment in segments_of(chain(120))] == [31, 30, 31, 29]


def test_the_last_value_of_a_run_is_no_place_to_cut():
    function = chain(60, reads=(59, 59, 59, 59))
    assert [stm for part in segments_of(function) for stm in part.block.stms] == list(function.body.stms)


def branches(before, inside, after):
    """A run, a branch with so many operations in one arm, and another run."""
    lines = [f"  a{k}: f64 = mul {f'a{k - 1}' if k else 'x'} x" for k in range(before)]
    arm = [f"    p{k}: f64 = mul {f'p{k - 1}' if k else 'x'} x" for k in range(inside)]
    lines += ["  b: f64 = if c {", *arm, f"    return p{inside - 1}", "  } else {", "    return x", "  }"]
    lines += [f"  d{k}: f64 = mul {f'd{k - 1}' if k else 'b'} x" for k in range(after)]
    results = ["b", *([f"a{before - 1}"] if before else []), *([f"d{after - 1}"] if after else [])]
    return parse_function("\n".join(["def f(x: f64, c: bool) {", *lines, f"  return {' '.join(results)}", "}"]))


@pytest.mark.parametrize(
    ("sizes", "parts_found"),
    [
        ((5, 5, 5), [11]),
        ((20, 10, 20), [41]),
        ((20, 11, 20), [21, 20]),
        ((25, 26, 24), [25, 25]),
        ((25, 26, 25), [25, 1, 25]),
        ((20, 60, 20), [20, 1, 20]),
        ((0, 60, 20), [1, 20]),
        ((20, 60, 0), [20, 1]),
        ((5, 10, 50), [6, 50]),
    ],
)
def test_small_neighbours_are_put_together(sizes, parts_found):
    """Sizes count what is inside of branches, statements do not."""
    function = branches(*sizes)
    found = segments_of(function)
    assert [len(part.block.stms) for part in found] == parts_found
    assert [stm for part in found for stm in part.block.stms] == list(function.body.stms)


def test_what_does_not_vary_belongs_if_it_is_made_of_the_segment():
    function = parse_function(BRANCH.replace("  d:", "  e: f64 = exp z\n  d:").replace("y: f64)", "y: f64, z: f64)"))
    varied = {"x", "y", "a", "b", "d", "p", "q"}
    found = Paper().parts(function.body, varied)
    assert [type(part).__name__ for part in found] == ["Stm", "Segment"]
    assert names_of(found[1:]) == [["a", "c", "b", "d"]]


def test_what_is_apart_is_in_no_segment():
    function = parse_function(BRANCH)
    varied = {"x", "y", "a", "b", "d", "p", "q"}
    assert not any(isinstance(part, Segment) for part in Paper().parts(function.body, varied, frozenset({"q"})))


ARRAYS = """
def f(x: f64, v: f64[3]) {
  a: f64 = mul x x
  b: f64 = sin a
  w: f64[3] = update v b 0
  d: f64 = index w 1
  e: f64 = mul b a
  g: f64 = mul e d
  h: f64 = mul g g
  return h
}
"""


def test_arrays_are_in_no_segment():
    function = parse_function(ARRAYS)
    found = Paper().parts(function.body, {"x", "v", "a", "b", "w", "d", "e", "g", "h"})
    assert all("w" not in names and "d" not in names for names in names_of(p for p in found if isinstance(p, Segment)))
    assert any(isinstance(part, Segment) for part in found)


def test_a_segment_is_noted_if_there_is_anyone_to_read_it():
    (segment,) = segments_of(chain(20))
    notes = Notes()
    assert Paper().jacobian(segment) is not None
    assert Paper(notes).jacobian(segment) is not None
    assert len(notes) == 1
    assert Paper(notes).jacobian(segment, 0) is None


# -- long runs --------------------------------------------------------------------------------------


def test_long_runs_are_cut_and_right():
    function = chain(900, reads=(3, 500, 850))
    names = {var.name for stm in function.body.stms for var in stm.vars} | {"x"}
    (segment,) = (part for part in parts(function.body, names) if isinstance(part, Segment))
    pieces = cuts.cut(segment, lambda piece: len(piece.block.stms))
    assert len(pieces) > 1
    assert [stm for piece in pieces for stm in piece.block.stms] == list(function.body.stms)
    for piece in pieces:
        made = {var.name for stm in piece.block.stms for var in stm.vars}
        assert not made & {x.name for x in piece.inputs}
    plain, counted = (vjp_function(function, [0], Plan(collapse=way)) for way in (None, Collapser()))
    np.testing.assert_allclose(evaluate(counted, [0.999, 1.0]), evaluate(plain, [0.999, 1.0]), rtol=1e-11)


def the_segment(function):
    names = {var.name for stm in function.body.stms for var in stm.vars} | {"x"}
    (segment,) = (part for part in parts(function.body, names) if isinstance(part, Segment))
    return segment


def test_short_runs_stay_whole():
    segment = the_segment(chain(cuts.LONG - 1))
    assert len(segment.block.stms) == cuts.LONG
    assert cuts.cut(segment, lambda _: 1) == (segment,)


def test_what_crosses_a_place_is_made_before_it_and_read_behind_it():
    segment = the_segment(chain(30, reads=(5, 9, 20, 12)))
    stms = segment.block.stms
    reads = [{x.name for x in stm.expr.args if isinstance(x, Var)} for stm in stms] + [{stms[-1].vars[0].name}]
    expected = [
        sum(any(stm.vars[0].name in names for names in reads[place:]) for stm in stms[:place])
        for place in range(len(stms) + 1)
    ]
    assert cuts._Run(segment).widths()[: len(expected)] == expected


def test_pieces_have_the_inputs_of_the_whole():
    segment = the_segment(chain(900))
    for piece in cuts.cut(segment, lambda piece: len(piece.block.stms)):
        assert "x" in [var.name for var in piece.inputs]


@pytest.mark.parametrize("prime", [101, 53, 37, 29, 23])
def test_the_cheapest_way_to_cut_is_found(monkeypatch, prime):
    monkeypatch.setattr(cuts, "LONG", 10)
    monkeypatch.setattr(cuts, "STRIDE", 6)
    function = chain(40, reads=(5, 9, 30, 12))
    names = {var.name for stm in function.body.stms for var in stm.vars} | {"x"}
    (segment,) = (part for part in parts(function.body, names) if isinstance(part, Segment))
    run = cuts._Run(segment)
    count = len(segment.block.stms)

    def price(piece):
        return (7 * len(piece.block.stms) + 13 * len(piece.inputs) ** 2) % prime

    places = run.narrow()
    ways = [
        [0, *inner, count]
        for size in range(len(places) + 1)
        for inner in combinations(places, size)
        if all(all_places_between(places, i, j) <= cuts.REACH for i, j in pairwise([0, *inner, count]))
    ]
    best = min(sum(price(run.piece(i, j)) for i, j in pairwise(way)) for way in ways)
    assert sum(map(price, cuts.cut(segment, price))) == best


def all_places_between(places, first, end):
    return sum(first < place < end for place in places)
