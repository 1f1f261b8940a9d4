"""After a check that two sizes are equal, one name is used for both."""

from __future__ import annotations

import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.ir.check import check
from tapeless.ir.text import parse_function, print_function
from tapeless.passes import simplify
from tapeless.passes.notes import Notes

BODY = """
def f(x.1: f64[n.0], k.2: i64) {{
  m.3: i64 = min k.2 n.0
  p.9: i64 = max m.3 0
  {before}
  check equal {sizes}
  y.4: f64[p.9] = map p.9 (i.5: i64) {{
    v.6: f64 = index x.1 i.5
    w.7: f64 = exp v.6
    return w.7
  }}
  return y.4{also}
}}
"""
BEFORE = "z.8: f64[p.9] = replicate 1.5 p.9"
CASES = {
    "a literal": ("", "2 p.9", "", "map 2 "),
    "the older one": ("", "n.0 p.9", "", "map n."),
    "two that are not computed here": ("", "n.0 k.2", "", "map p."),
    "a type mentions it already": (BEFORE, "2 p.9", " z.8", "map p."),
}


@pytest.mark.parametrize(("before", "sizes", "also", "expected"), CASES.values(), ids=CASES)
def test_sizes(before: str, sizes: str, also: str, expected: str) -> None:
    function = simplify.run(parse_function(BODY.format(before=before, sizes=sizes, also=also)), Notes())
    check(function)
    assert expected in print_function(function)


def test_only_where_the_check_was_made() -> None:
    function = parse_function("""
    def f(k.1: i64, c.2: bool) {
      p.3: i64 = max k.1 0
      a.4: f64 = if c.2 {
        check equal 3 p.3
        x.5: f64 = convert[f64] p.3
        y.6: f64 = exp x.5
        return y.6
      } else {
        return 1.0
      }
      b.7: f64[p.3] = replicate a.4 p.3
      return b.7
    }
    """)
    after = simplify.run(function, Notes())
    check(after)
    assert "replicate a.4 p.3" in print_function(after)
