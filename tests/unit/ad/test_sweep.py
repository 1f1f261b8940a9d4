"""The sweep over a block: segments whose Jacobian is there, and zeros that win inside of loops."""

from __future__ import annotations

import numpy as np
import pytest

from tapeless.ad.planner import Plan
from tapeless.ad.segments import Accumulated, Segment
from tapeless.eliminate.paper import Paper
from tapeless.ir.core import Block
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.types import f64
from tapeless.passes.notes import Notes

from .vjp_harness import vjp

SQUARE = parse_function("def f(x: f64) {\n y: f64 = sin x\n z: f64 = mul y y\n return z\n}")


class Given(Paper):
    """One segment, `whole` or not, whose derivative is said to be 7, or of which nothing is said."""

    whole, known = True, True

    def noting(self, *_: Notes) -> Given:
        return self

    def parts(self, block: Block, *_: object) -> list[Segment]:
        return [Segment(block, (SQUARE.params[0],), self.whole)]

    def jacobian(self, segment: Segment, *_: object) -> Accumulated | None:
        return Accumulated(segment.block.stms, {(0, 0): f64(7.0)}, (), 0, 2) if self.known else None


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("known", [False, True])
def test_the_jacobian_of_a_whole_segment_is_used(whole: bool, known: bool) -> None:
    collapse = Given()
    collapse.whole, collapse.known = whole, known
    value, slope = evaluate(vjp(SQUARE, Plan(collapse=collapse)), [0.5, 2.0])
    assert value == np.sin(0.5) ** 2
    assert slope == pytest.approx(14.0 if whole and known else 2.0 * np.sin(1.0), rel=1e-14)


LOOP = """
def f(x: f64, w: f64, c: bool) {
  a: f64 = log x
  p: f64, s: f64 = for 3 [a 0.0] (i: i64, q: f64, t: f64) {
    m: f64 = mul q w
    e: f64 = select c m 0.0
    q1: f64 = mul q 0.5
    t1: f64 = add t e
    return q1 t1
  }
  return s
}
"""


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_a_loop_carries_may_be_infinite_where_the_loop_begins() -> None:
    derived = vjp(parse_function(LOOP))
    with np.errstate(divide="ignore", invalid="ignore"):
        _, _, by_w = evaluate(derived, [0.0, 2.0, False, 1.0])
    assert by_w == 0.0
    _, by_x, by_w = evaluate(derived, [3.0, 2.0, True, 1.0])
    assert (by_x, by_w) == pytest.approx((3.5 / 3.0, 1.75 * np.log(3.0)), rel=1e-14)
