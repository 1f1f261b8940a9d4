"""Arrays that a loop writes once and for all: their final values hold all that an iteration read."""

import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.stacks import writes_of
from tapeless.ir.check import check
from tapeless.ir.core import For
from tapeless.ir.text import parse_function

LOOP = """
def f(x: f64[n], m: i64, key: i64[n]) {{
  {1} = for m [{2}] (i: i64, {3}) {{
    j: i64 = add i 1
    j2: i64 = add i 2
    r: f64 = index a {0}
    v: f64 = sin r
    {4}
  }}
  return y
}}
"""
ALONE = ("y: f64[n]", "x", "a: f64[n]")
FIRST = ("y: f64[n], o: f64", "x 1.0", "a: f64[n], s: f64")
LAST = ("o: f64, y: f64[n]", "1.0 x", "s: f64, a: f64[n]")
WRITE = "a1: f64[n] = update a v {0}\n"
PRODUCT = "s1: f64 = mul s v\n"


@pytest.mark.parametrize(
    ("read", "carried", "body", "settled"),
    [
        ("i", ALONE, WRITE.format("j") + "return a1", True),
        ("j2", ALONE, WRITE.format("j") + "return a1", False),
        ("j", ALONE, WRITE.format("j") + "return a1", False),
        ("i", FIRST, WRITE.format("j") + PRODUCT + "return a1 s1", True),
        ("j2", FIRST, WRITE.format("j") + PRODUCT + "return a1 s1", False),
        ("i", LAST, WRITE.format("j") + PRODUCT + "return s1 a1", True),
        ("j2", LAST, WRITE.format("j") + PRODUCT + "return s1 a1", False),
        ("i", ALONE, WRITE.format("0") + "return a1", False),
        ("i", ALONE, "k: i64 = index key i\n" + WRITE.format("k") + "return a1", False),
        ("i", ALONE, WRITE.format("j") + "a2: f64[n] = update a1 v 0\n return a2", False),
        ("i", FIRST, WRITE.format("j") + "s1: f64 = index a1 j2\n return a1 s1", False),
        ("i", FIRST, WRITE.format("j") + "s1: f64 = reduce n [s] (p: f64, q: f64) {\n t: f64 = add p q\n return t\n } "
         "(l: i64) {\n e: f64 = index a l\n return e\n }\n return a1 s1", False),
        ("i", ALONE, "c: bool = gt v 0.0\n a1: f64[n] = if c {\n a2: f64[n] = update a v j\n return a2\n } else {\n "
         "return a\n }\n return a1", False),
    ],
)  # fmt: skip
def test_arrays_that_are_settled(read: str, carried: tuple[str, str, str], body: str, settled: bool):
    function = parse_function(LOOP.format(read, *carried, body))
    check(function)
    (stm,) = function.body.stms
    assert isinstance(stm.expr, For)
    writes = writes_of(stm.expr)[0 if carried is not LAST else 1]
    assert (writes == []) is settled
