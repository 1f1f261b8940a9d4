"""Programs with small loops and small arrays, and what the tests of `unroll` and `scalarise` ask of a pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.ir.check import check
from tapeless.ir.core import Apply, Block, Function, Lambda, Pos, Stm
from tapeless.ir.text import parse_function
from tapeless.ir.types import Var
from tapeless.ir.walk import map_lambdas, statements
from tapeless.passes.notes import Notes
from tapeless.testing.compare import difference, reference, tolerance

# Rotations of a 2x2 frame, three of them for each row of angles, as the robot arm has it.
ARM = """
def arm(angle: f64[n, 3]) {
  tool: f64[n, 2] = map n (b: i64) {
    frame: f64[2, 2] = map 2 (r: i64) {
      row: f64[2] = map 2 (c: i64) {
        same: bool = eq r c
        one: f64 = convert[f64] same
        return one
      }
      return row
    }
    last: f64[2, 2] = for 3 [frame] (j: i64, f: f64[2, 2]) {
      check bounds j 3
      t: f64 = index angle b j
      cos: f64 = cos t
      sin: f64 = sin t
      g: f64[2, 2] = for 2 [f] (k: i64, h: f64[2, 2]) {
        x: f64 = index h k 0
        y: f64 = index h k 1
        cx: f64 = mul cos x
        sy: f64 = mul sin y
        u: f64 = add cx sy
        p: f64[2, 2] = update h u k 0
        cy: f64 = mul cos y
        sx: f64 = mul sin x
        v: f64 = sub cy sx
        q: f64[2, 2] = update p v k 1
        return q
      }
      return g
    }
    zero: f64[2] = replicate 0.0 2
    end: f64[2] = for 2 [zero] (k2: i64, z: f64[2]) {
      w: f64 = index last k2 0
      zz: f64[2] = update z w k2
      return zz
    }
    return end
  }
  return tool
}
"""


def optimised(function: Function | str, args: Sequence[Any], *passes: Any, notes: Notes | None = None) -> Function:
    """The function after some passes, each of which must keep its types and its meaning."""
    function = parse_function(function) if isinstance(function, str) else function
    check(function)
    notes = Notes() if notes is None else notes
    expected = reference(function, args)
    for step in passes:
        function = step.run(function, notes)
        check(function)
        detail = difference(expected, reference(function, args), tolerance(function))
        assert not detail, detail
    return function


def kinds(block: Block) -> list[str]:
    """The operations and forms of a block, those inside included, in order."""
    exprs = [stm.expr for stm in statements(block)]
    return [expr.op if isinstance(expr, Apply) else type(expr).__name__.lower() for expr in exprs]


def with_lines(function: Function) -> Function:
    """The function with the line of the printed text as the position of each statement."""
    lines = count(1)

    def place(block: Block) -> Block:
        return Block(tuple(stamp(stm) for stm in block.stms), block.results)

    def stamp(stm: Stm) -> Stm:
        line = next(lines)
        expr = map_lambdas(stm.expr, lambda lam: Lambda(lam.params, place(lam.body)))
        return Stm(stm.vars, expr, Pos("program.py", line, 0, line, 1))

    return Function(function.name, function.params, place(function.body), function.donated)


def arrays(block: Block) -> Iterator[Var]:
    """The arrays that are bound in a block."""
    return (var for stm in statements(block) for var in stm.vars if var.type.shape)
