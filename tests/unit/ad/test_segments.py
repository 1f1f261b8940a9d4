"""Which statements of a block form segments, what segments read and give, and where the other statements go."""

import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.activity import varied
from tapeless.ad.segments import Segment, dot, parts
from tapeless.eliminate.paper import Paper
from tapeless.ir.build import Builder
from tapeless.ir.check import check
from tapeless.ir.core import Block, Check, Function, Stm
from tapeless.ir.text import parse_function
from tapeless.ir.types import F64, Type, Var

# x, y, z and v vary.
PROGRAM = """
def f(x: f64, y: f64, c: f64, z: f32, v: f64[n], k: i64, g: bool) {{
  {}
  return {}
}}
"""
S, T, U = "s: f64 = sin x\n", "t: f64 = mul s y\n", "u: f64 = add t s\n"
MAP = "m: f64[2] = map 2 (i: i64) {{\n e: f64 = cos {0}\n return e\n }}\n"
LOOP = "l: f64 = for 2 [c] (i: i64, p: f64) {\n e: f64 = cos p\n return e\n }\n"


def shown(part: Stm | Segment) -> str:
    """The names that a statement binds; of a segment what it reads, computes and gives."""
    if isinstance(part, Stm):
        return "check" if isinstance(part.expr, Check) else " ".join(var.name for var in part.vars)
    inputs, results = (" ".join(map(str, atoms)) for atoms in (part.inputs, part.block.results))
    return f"[{inputs}: {' '.join(stm.vars[0].name for stm in part.block.stms)} -> {results}]"


def found(body: str, results: str) -> list[str]:
    function = parse_function(PROGRAM.format(body, results))
    check(function)
    ordered = parts(function.body, varied(function.body, ("x", "y", "z", "v")))
    stms = [stm for part in ordered for stm in (part.block.stms if isinstance(part, Segment) else (part,))]
    check(Function("g", function.params, Block(tuple(stms), function.body.results)))
    assert sorted(map(repr, stms)) == sorted(map(repr, function.body.stms))
    return [shown(part) for part in ordered]


@pytest.mark.parametrize(
    ("body", "results", "expected"),
    [
        (S + T + U, "u", ["[x y: s t u -> u]"]),
        (S + T + U, "s u", ["[x y: s t u -> s u]"]),
        (S + T + U, "u c 1.0", ["[x y: s t u -> u]"]),
        (S + T + U + "w: f64 = mul u c\n d: f64 = add w 1.0\n", "d", ["[x y: s t u w d -> d]"]),
        # Too few, in all or between others.
        ("", "x", []),
        (S + T, "t", ["s", "t"]),
        (S + "d: f64 = sin c\n" + T, "t d", ["s", "d", "t"]),
        (S + T + MAP.format("t") + U + "w: f64 = mul u x\n", "w m", ["s", "t", "m", "u", "w"]),
        (S + T + U + MAP.format("t") + "w: f64 = mul u x\n", "w m", ["[x y: s t u -> t u]", "m", "w"]),
        # What it does not read goes before, if that does no harm.
        (S + "d: f64 = sin c\n" + T + U, "u d", ["d", "[x y: s t u -> u]"]),
        (S + "j: i64 = add k 1\n check bounds j 5\n" + T + U, "u j", ["j", "check", "[x y: s t u -> u]"]),
        (S + "a: f64 = index v k\n" + T + "u: f64 = mul t a\n", "u", ["a", "[x y a: s t u -> u]"]),
        (S + T + "r: f64[2] = replicate c 2\n" + U, "u r", ["s", "t", "r", "u"]),
        (S + T + U + MAP.format("c") + "w: f64 = mul u x\n", "w m", ["[x y: s t u -> u]", "m", "w"]),
        (S + T + LOOP + U, "u l", ["s", "t", "l", "u"]),
        # What reads something of it goes behind, if that does no harm.
        (S + "g1: bool = gt s 0.0\n" + T + U, "u g1", ["[x y: s t u -> s u]", "g1"]),
        (S + "h: f64 = floor s\n d: f64 = add h c\n" + T + U, "u d", ["[x y: s t u -> s u]", "h", "d"]),
        (S + "r: f64[2] = replicate s 2\n" + T + U, "u r", ["s", "r", "t", "u"]),
        (S + T + U + "g1: bool = gt s 0.0\n check assert g1\n w: f64 = mul u x\n", "w",
         ["[x y: s t u -> s u]", "g1", "check", "w"]),
        (S + T + U + "h: f64 = floor s\n j: i64 = convert[i64] h\n a: f64 = index v j\n w: f64 = mul a x\n", "u w",
         ["[x y: s t u -> s u]", "h", "j", "a", "w"]),
        # Choices and roots stand between.
        (S + T + U + "m: f64 = min t s\n d: f64 = sin x\n w: f64 = mul m d\n", "u w",
         ["[x y: s t u d -> s t u d]", "m", "w"]),
        (S + T + U + "m: f64 = sqrt t\n w: f64 = mul m x\n", "u w", ["[x y: s t u -> t u]", "m", "w"]),
        (S + T + "m: f64 = select g t s\n w: f64 = mul m x\n d: f64 = sin w\n p: f64 = cos d\n", "p",
         ["s", "t", "m", "[m x: w d p -> p]"]),
        # Numbers of one type.
        (S + "q: f32 = sin z\n" + T + U, "u q", ["s", "q", "t", "u"]),
        (S + T + U + "q: f32 = sin z\n w: f32 = mul q q\n p: f32 = cos w\n", "u p",
         ["[x y: s t u -> u]", "[z: q w p -> p]"]),
    ],
)  # fmt: skip
def test_parts(body: str, results: str, expected: list[str]):
    assert found(body, results) == expected


def test_sums_of_products():
    """What is not there is an exact zero."""
    x, y, z = (Var(name, Type(F64)) for name in "xyz")
    b = Builder()
    assert dot(b, []) is None
    assert dot(b, [(None, x), (x, None), (None, None)]) is None
    assert not b.stms
    dot(b, [(None, x), (x, y), (y, None), (y, z)])
    assert [str(stm.expr.op) for stm in b.stms] == ["mul", "mul", "add"]


def test_results_vary_even_where_segments_decide():
    """Segments may hold what is decided by their values; it has no derivative."""
    function = parse_function(PROGRAM.format(S + "g1: bool = gt s 0.0\n" + T + U, "u g1"))
    (segment,) = Paper().parts(function.body, varied(function.body, ("x", "y")))
    assert shown(segment) == "[x y: s g1 t u -> u]"
