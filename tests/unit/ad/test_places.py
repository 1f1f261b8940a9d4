"""Where a contribution of a body that may not run stands in a branch: only where its place may not exist."""

import numpy as np
import pytest

from tapeless.ir.check import check
from tapeless.ir.core import Apply, If
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.types import i64
from tapeless.ir.walk import statements

from .vjp_harness import vjp

# The sum over `size` of what is read at one place, behind some statements.
PROGRAM = """
def f(x: f64[n], y: f64[n, 3], k: i64, l: i64, m: i64, c: i64, g: bool) {{
  {before}
  s: f64 = reduce {size} [0.0] (p: f64, q: f64) {{
    r: f64 = add p q
    return r
  }} (j: i64) {{
    {read}
    v: f64 = sin e
    return v
  }}
  return s
}}
"""
X, Y = "e: f64 = index x {}", "e: f64 = index y {}"
CHECK = "check bounds {} {}\n"
RUN = "= for {0} [] (i: i64) {{\n {1}\n return\n }}\n"
NEST = "= for {0} [] (o: i64) {{\n {1}\n return\n }}\n"
TAKEN = "t: bool = {0}\n = if t {{\n {1}\n return\n }} else {{\n return\n }}\n"


def in_a_map(of: str, inner: str) -> str:
    return f"w: f64[{of}] = map {of} (i: i64) {{\n {inner}\n return 0.0\n }}\n"


def branches(text: str) -> list[str]:
    """The sizes that must be positive for contributions to be made."""
    function = parse_function(text)
    check(function)
    stms = list(statements(vjp(function).body))
    defs = {var: stm.expr for stm in stms for var in stm.vars}
    tests = [defs[stm.expr.cond] for stm in stms if isinstance(stm.expr, If) and stm.vars]
    sizes = [test.args for test in tests if isinstance(test, Apply) and test.op == "gt"]
    assert all(limit == i64(0) for _, limit in sizes)
    return [str(size) for size, _ in sizes]


@pytest.mark.parametrize(
    ("before", "size", "read", "certain"),
    [
        ("", "m", X.format("k"), False),
        ("", "3", X.format("k"), True),
        ("", "0", X.format("k"), True),
        ("", "m", X.format("j"), True),
        (CHECK.format("k", "n"), "m", X.format("k"), True),
        (CHECK.format("l", "n"), "m", X.format("k"), False),
        (CHECK.format("k", "m"), "m", X.format("k"), True),  # m is positive
        (CHECK.format("k", "c"), "m", X.format("k"), False),
        # Both places, or none.
        ("", "m", Y.format("j 2"), True),
        ("", "m", Y.format("j 3"), False),
        ("", "m", Y.format("k 2"), False),
        (CHECK.format("k", "n"), "m", Y.format("k 2"), True),
        (CHECK.format("k", "n"), "m", Y.format("k l"), False),
        (CHECK.format("k", "n") + CHECK.format("l", "3"), "m", Y.format("k l"), True),
        ("", "m", X.format("0"), False),
        (CHECK.format("k", "n"), "m", X.format("0"), True),  # n is positive
        # Checks in loops that have run, or may not have.
        (RUN.format("3", CHECK.format("k", "n")), "m", X.format("k"), True),
        (RUN.format("1", CHECK.format("k", "n")), "m", X.format("k"), True),
        (RUN.format("0", CHECK.format("k", "n")), "m", X.format("k"), False),
        (RUN.format("c", CHECK.format("k", "n")), "m", X.format("k"), False),
        (CHECK.format("l", "c") + RUN.format("c", CHECK.format("k", "n")), "m", X.format("k"), True),
        (in_a_map("3", CHECK.format("k", "n")), "m", X.format("k"), True),
        (in_a_map("n", CHECK.format("k", "n")), "m", X.format("k"), False),
        # All rounds of a counter have passed.
        (RUN.format("3", CHECK.format("i", "n")), "m", X.format("2"), True),
        (RUN.format("3", CHECK.format("i", "n")), "m", X.format("3"), False),
        (RUN.format("3", NEST.format("2", CHECK.format("i", "n"))), "m", X.format("2"), True),
        (RUN.format("3", NEST.format("2", CHECK.format("o", "n"))), "m", X.format("1"), True),
        (RUN.format("3", NEST.format("2", CHECK.format("o", "n"))), "m", X.format("2"), False),
        (RUN.format("3", NEST.format("c", CHECK.format("i", "n"))), "m", X.format("2"), False),
        # Checks in arms that were taken, or may not have been.
        (TAKEN.format("gt 3 2", CHECK.format("k", "n")), "m", X.format("k"), True),
        (TAKEN.format("gt 2 2", CHECK.format("k", "n")), "m", X.format("k"), False),
        (TAKEN.format("gt c 2", CHECK.format("k", "n")), "m", X.format("k"), False),
        (TAKEN.format("gt 3.0 2.0", CHECK.format("k", "n")), "m", X.format("k"), False),
        (TAKEN.format("not g", CHECK.format("k", "n")), "m", X.format("k"), False),
        (CHECK.format("l", "c") + TAKEN.format("gt c 0", CHECK.format("k", "n")), "m", X.format("k"), True),
    ],
)  # fmt: skip
def test_branches(before: str, size: str, read: str, certain: bool):
    found = branches(PROGRAM.format(before=before, size=size, read=read))
    assert found == ([] if certain else ["m"])


# The same inside a map: its counter is within its array, and there is something to count.
INSIDE = """
def f(x: f64[n], y: f64[o], k: i64, m: i64) {{
  {before}
  w: f64[n] = map n (i: i64) {{
    l: i64 = sub {start} 1
    s: f64 = reduce {size} [0.0] (p: f64, q: f64) {{
      r: f64 = add p q
      return r
    }} (j: i64) {{
      e: f64 = index {read}
      v: f64 = sin e
      return v
    }}
    return s
  }}
  return w
}}
"""


@pytest.mark.parametrize(
    ("before", "start", "size", "read", "sizes"),
    [
        ("", "i", "m", "x i", []),
        ("", "i", "m", "y i", ["m"]),
        ("", "i", "n", "y k", ["n"]),  # behind the map; inside it there is an i, so that n is positive
        ("", "i", "m", "y k", ["m"]),
        ("check bounds k o\n", "i", "m", "y k", []),
        ("", "i", "m", "x l", ["m"]),
        ("", "n", "m", "x l", ["n"]),
        ("", "n", "m", "y l", ["m"]),
    ],
)
def test_branches_inside_a_map(before: str, start: str, size: str, read: str, sizes: list[str]):
    assert branches(INSIDE.format(before=before, start=start, size=size, read=read)) == sizes


@pytest.mark.parametrize("size", [0, 1, 2])
def test_what_one_run_contributes(size: int):
    """None reads at no place, one at a place that only exists where it runs."""
    program = parse_function(PROGRAM.format(before="", size="m", read=X.format("k")))
    x, k = np.array([0.3, 0.7, 1.1]), 1 if size else 100
    *_, found, _ = evaluate(vjp(program), [x, np.ones((3, 3)), k, 0, size, 0, True, 1.0])
    np.testing.assert_allclose(found, size * np.cos(x) * (np.arange(3) == 1), rtol=1e-15)


@pytest.mark.parametrize("counter", ["a", "i", "z"])
def test_counters_are_younger_than_their_sizes(counter: str):
    """Backwards through a map of n elements, whatever the names are."""
    text = INSIDE.format(before="", start="n", size="m", read="x h").replace("(i: i64)", f"({counter}: i64)")
    text = text.replace("    s: f64 =", f"    h: i64 = sub l {counter}\n    s: f64 =")
    assert branches(text) == []
