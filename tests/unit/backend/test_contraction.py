"""Of two products in a sum, the one that is ready first is rounded on its own."""

from __future__ import annotations

import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.backend.contraction import rounded_apart
from tapeless.ir.text import parse_function

CASES = {
    "the shorter chain, written first": (
        "u.5: f64 = mul p.1 x.4\n v.6: f64 = mul q.2 x.4\n w.7: f64 = mul v.6 x.4\n r.8: f64 = sub u.5 w.7", {"u.5"}
    ),
    "the shorter chain, written second": (
        "v.6: f64 = mul q.2 x.4\n w.7: f64 = mul v.6 x.4\n u.5: f64 = mul p.1 x.4\n r.8: f64 = add w.7 u.5", {"u.5"}
    ),
    "equal chains: the second, as LLVM would": (
        "u.5: f64 = mul p.1 x.4\n w.7: f64 = mul q.2 x.4\n r.8: f64 = add u.5 w.7", {"w.7"}
    ),
    "one product": ("u.5: f64 = mul p.1 x.4\n r.8: f64 = add u.5 q.2", set[str]()),
    "a product used twice": (
        "u.5: f64 = mul p.1 x.4\n w.7: f64 = mul u.5 x.4\n r.8: f64 = sub u.5 w.7", set[str]()
    ),
}  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), CASES.values(), ids=CASES)
def test_the_product_that_is_ready_first_is_rounded_apart(body: str, expected: set[str]) -> None:
    function = parse_function(f"""
    def f(p.1: f64, q.2: f64, n.3: i64) {{
      y.9: f64 = for n.3 [1.0] (i.0: i64, x.4: f64) {{
        {body}
        return r.8
      }}
      return y.9
    }}
    """)
    assert {var.name for var in rounded_apart(function)} == expected
