"""Arms that can be executed whatever their inputs are, and arms that cannot."""

import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.speculation import is_harmless
from tapeless.ad.words import Words
from tapeless.ir.check import check
from tapeless.ir.text import parse_function

NEW = "v: f64[k] = replicate y k"  # an array of a size that no other has
BRANCH = "r: f64 = if t {{\n {0}\n return y\n }} else {{\n {1}\n return 1.0\n }}"
LOOP = "r: f64 = for k [y] (i: i64, p: f64) {{\n {0}\n return p\n }}"
UNTIL = "r: f64 = while [y] (p: f64) {\n c: bool = lt p 1.0\n return c\n } (q: f64) {\n return q\n }"
MAP = "= map {0} (i: i64) {{\n {1}\n return\n }}"
SCATTER = "r: f64[4] = scatter 1 {0} x (i: i64) {{\n {1}\n return i y\n }}"
SUM = "r: f64 = reduce {0} [0.0] (p: f64, q: f64) {{\n {1}\n return p\n }} (i: i64) {{\n {2}\n return y\n }}"

HARMLESS = (
    "r: f64 = index x 9", "r: f64[4] = update x y 9", "r: i64[4] = argsort x", "r: f64 = sin y", "check nonneg k",
    "r: f64[size] = replicate y size", "r: f64[0] = replicate y 0", "r: i64[size] = iota size",
    BRANCH.format("", ""), LOOP.format(""), MAP.format("size", ""), MAP.format("3", ""), SCATTER.format("size", ""),
    SUM.format("size", "", ""),
)  # fmt: skip
HARMFUL = (
    NEW, "r: f64[size] = slice x 0 size 1", "r: f64[2, 2] = reshape x 2 2", "r: i64[k] = iota k",
    BRANCH.format(NEW, ""), BRANCH.format("", NEW), LOOP.format(NEW), UNTIL,
    MAP.format("k", ""), MAP.format("size", NEW), SCATTER.format("k", ""), SCATTER.format("size", NEW),
    SUM.format("k", "", ""), SUM.format("size", NEW, ""), SUM.format("size", "", NEW),
    "r: f64 = custom [] () {\n return y\n }",
)  # fmt: skip


@pytest.mark.parametrize(("text", "harmless"), [*((x, True) for x in HARMLESS), *((x, False) for x in HARMFUL)])
def test_blocks(text: str, harmless: bool):
    function = parse_function(f"def f(x: f64[4], y: f64, k: i64, t: bool, z: f64[size]) {{\n{text}\nreturn\n}}")
    check(function)
    words = Words({}, set(), set(), guarded=True, sizes={"size"})
    assert is_harmless(words, function.body) is harmless
