"""What may run though nobody asked for it: nothing whose size is a size only where somebody did."""

import numpy as np
import pytest

from tapeless.ir.core import Block, Function
from tapeless.ir.text import parse_function
from tapeless.passes.harmless import are_harmless
from tapeless.passes.ranges import Walk
from tapeless.testing.verify import judge

HARMFUL = {
    "map": """made: f64[fewer] = map fewer (k: i64) {
      return 0.5
    }""",
    "scan": """made: f64[fewer] = scan fewer [0.0] (a: f64, b: f64) {
      c: f64 = add a b
      return c
    } (k: i64) {
      return 0.5
    }""",
    "replicate": "made: f64[fewer] = replicate 0.5 fewer",
    "replicate in a loop": """made: f64[n] = map n (k: i64) {
      row: f64[fewer] = replicate 0.5 fewer
      return 0.5
    }""",
    "iota": "made: i64[fewer] = iota fewer",
    "reshape": "made: f64[1, 2] = reshape x 1 2",
    "reshape to another multiple": "made: f64[twice, 2] = reshape y twice 2",
}
HARMLESS = {
    "map": HARMFUL["map"].replace("fewer", "n"),
    "scan": HARMFUL["scan"].replace("fewer", "n"),
    "replicate": "made: f64[n, 3] = replicate 0.5 n 3",
    "replicate where there are rows": """made: f64[n] = map n (k: i64) {
      less: i64 = sub n 1
      row: f64[less] = replicate 0.5 less
      return 0.5
    }""",
    "iota": "made: i64[n] = iota n",
    "reshape": "made: f64[twice] = reshape y twice",
    "reshape to rows": "made: f64[1, n] = reshape x 1 n",
}

# The map makes an array of -1 where x has one element; then the loop does not run.
NOT_RUN = """
def program(x: f64[n]) {
  none: i64 = mod n n
  fewer: i64 = sub n 2
  one: f64 = index x none
  last: f64[n] = for none [x] (i: i64, u: f64[n]) {
    made: f64[fewer] = map fewer (k: i64) {
      low: f64 = min one 2.0
      return low
    }
    new: f64[n] = update_slice u made 0 1
    return new
  }
  return last
}
"""


def _is_harmless(text: str) -> bool:
    program = f"""
  def program(x: f64[n], y: f64[n, 2]) {{
    fewer: i64 = sub n 2
    twice: i64 = mul n 2
    {text}
    return x
  }}
  """
    function = parse_function(program)
    walk = Walk()
    walk.function(Function(function.name, function.params, Block((), ())))
    return are_harmless(walk, function.body.stms)


@pytest.mark.parametrize("text", HARMFUL.values(), ids=HARMFUL)
def test_harmful(text: str) -> None:
    assert not _is_harmless(text)


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_harmless(text: str) -> None:
    assert _is_harmless(text)


@pytest.mark.parametrize("size", [1, 3])
def test_a_loop_that_does_not_run_makes_nothing(size: int) -> None:
    verdict = judge(parse_function(NOT_RUN), [np.ones(size)])
    assert verdict.kind == "ok", verdict
