"""Which adjoints may be zero because something else was chosen: those of which every use is such a choice."""

from __future__ import annotations

import pytest

from tapeless.ad.choices import masked
from tapeless.ir.core import Apply, Block, Custom, Lambda, Stm
from tapeless.ir.text import parse_function
from tapeless.ir.types import F64, Type, Var, f64
from tapeless.passes import pipeline

assert pipeline  # registers the operations


def found(body: str, params: str = "x: f64, c: bool", results: tuple[str, ...] = ()) -> set[str]:
    """The names without those that stand for arms."""
    names = masked(parse_function(f"def f({params}) {{\n{body}\n}}").body, results)
    return {name for name in names if name and "@" not in name}


def test_what_goes_to_a_result_is_not_masked() -> None:
    assert found("a: f64 = sin x\n return a") == set()


def test_what_goes_to_a_result_that_may_be_chosen_against_is() -> None:
    assert found("a: f64 = sin x\n return a", results=("a",)) == {"a", "x"}


@pytest.mark.parametrize(
    "choice", ["select c a 1.0", "select c 1.0 a", "min a 1.0", "max 1.0 a", "fmin a 1.0", "fmax a 1.0", "scale a 2.0"]
)
def test_a_choice_masks_what_is_chosen(choice: str) -> None:
    assert found(f"a: f64 = sin x\n b: f64 = {choice}\n return b") == {"a", "x"}


def test_a_masked_product_passes_the_adjoint_to_its_second_operand() -> None:
    assert found("a: f64 = sin x\n b: f64 = scale 2.0 a\n return b") == set()


def test_one_other_use_is_enough() -> None:
    assert found("a: f64 = sin x\n b: f64 = select c a 1.0\n d: f64 = mul b a\n return d") == set()


def test_what_flows_on_into_a_choice_is_masked_and_what_also_flows_elsewhere_is_not() -> None:
    body = "a: f64 = sin x\n b: f64 = cos a\n d: f64 = select c b 1.0\n e: f64 = mul d x\n return e"
    assert found(body) == {"a", "b"}


@pytest.mark.parametrize(
    "use", ["mul a 0.0", "mul 0.0 a", "fma a 0.0 x", "fma 0.0 a x", "copysign x a", "stop_gradient a", "floor a"]
)
def test_a_use_without_an_adjoint_is_none(use: str) -> None:
    body = f"a: f64 = sin x\n b: f64 = select c a 1.0\n d: f64 = {use}\n e: f64 = add b d\n y: f64 = add e x\n return y"
    assert "a" in found(body)


@pytest.mark.parametrize("use", ["mul a 2.0", "mul x a", "fma 2.0 x a", "fma 0.0 x a", "copysign a x", "sub x a"])
def test_every_other_use_is_one(use: str) -> None:
    assert "a" not in found(f"a: f64 = sin x\n b: f64 = select c a 1.0\n d: f64 = {use}\n e: f64 = add b d\n return e")


def test_a_comparison_is_no_use() -> None:
    assert "a" in found("a: f64 = sin x\n t: bool = lt a 2.0\n b: f64 = select t a 1.0\n d: f64 = add b x\n return d")


def test_what_goes_only_to_what_nobody_reads_is_as_good_as_masked() -> None:
    body = "a: f64 = sin x\n b: f64 = select c a 1.0\n d: f64 = cos a\n e: f64 = add b x\n return e"
    assert {"a", "d"} <= found(body)


# -- branches -------------------------------------------------------------------------------------


def test_one_arm_s_use_is_a_choice() -> None:
    body = "a: f64 = sin x\n b: f64 = if c {\n d: f64 = cos a\n return d\n } else {\n return 1.0\n }\n return b"
    assert found(body) == {"a", "x"}


def test_a_use_in_both_arms_is_none() -> None:
    body = "a: f64 = sin x\n b: f64 = if c {\n d: f64 = cos a\n return d\n } else {\n return a\n }\n return b"
    assert found(body) == set()


def test_a_use_in_both_arms_that_one_of_them_chooses_against_is_a_choice() -> None:
    other = "e: f64 = max a 1.0\n return e"
    body = f"a: f64 = sin x\n b: f64 = if c {{\n d: f64 = cos a\n return d\n }} else {{\n {other}\n }}\n return b"
    assert found(body) == {"a", "x"}


def test_two_branches_do_not_make_up_for_each_other() -> None:
    first = "b: f64 = if c {\n return a\n } else {\n return 1.0\n }"
    second = "d: f64 = if c {\n return 1.0\n } else {\n return a\n }"
    assert "a" in found(f"a: f64 = sin x\n {first}\n {second}\n e: f64 = add b d\n return e")


def test_the_branch_decides_whether_its_arms_are_masked() -> None:
    branch = "b: f64 = if c {\n d: f64 = cos x\n return d\n } else {\n e: f64 = sin x\n return e\n }"
    assert found(f"{branch}\n y: f64 = add b x\n return y") == set()
    assert found(f"{branch}\n t: f64 = min b 1.0\n y: f64 = add t x\n return y") == {"b", "d", "e"}


def test_branches_in_branches() -> None:
    inner = "d: f64 = if c {{\n return a\n }} else {{\n return {0}\n }}\n return d"
    for last, expected in (("a", False), ("1.0", True)):
        arms = (inner.format(last), "e: f64 = cos a\n return e")
        body = f"a: f64 = sin x\n b: f64 = if c {{\n {arms[0]}\n }} else {{\n {arms[1]}\n }}\n return b"
        assert ("a" in found(body)) is expected


# -- loops ----------------------------------------------------------------------------------------

LOOP = "t: f64 = for {0} [{1}] (i: i64, p: f64) {{\n {2}\n }}"


def test_what_a_loop_that_may_not_run_reads_is_masked() -> None:
    loop = LOOP.format("n", "0.0", "d: f64 = mul p a\n return d")
    assert found(f"a: f64 = sin x\n {loop}\n y: f64 = add t x\n return y", "x: f64, n: i64") == {"a"}


def test_what_a_loop_that_runs_reads_is_not() -> None:
    loop = LOOP.format("3", "0.0", "d: f64 = mul p a\n return d")
    assert found(f"a: f64 = sin x\n {loop}\n y: f64 = add t x\n return y", "x: f64") == set()
    none = LOOP.format("0", "0.0", "d: f64 = mul p a\n return d")
    assert found(f"a: f64 = sin x\n {none}\n y: f64 = add t x\n return y", "x: f64") == {"a"}


def test_what_a_loop_starts_from_is_used_whether_it_runs_or_not() -> None:
    loop = LOOP.format("n", "a", "d: f64 = cos p\n return d")
    assert found(f"a: f64 = sin x\n {loop}\n return t", "x: f64, n: i64") == set()


def test_what_a_loop_carries_is_masked_where_a_round_may_choose_against_it() -> None:
    loop = LOOP.format("n", "a", "d: f64 = max p 1.0\n return d")
    assert found(f"a: f64 = sin x\n {loop}\n return t", "x: f64, n: i64") == {"a", "x", "t", "d", "p"}


def test_what_a_loop_carries_is_masked_where_the_program_may_choose_against_it() -> None:
    loop = LOOP.format("n", "a", "d: f64 = cos p\n return d")
    body = f"a: f64 = sin x\n {loop}\n b: f64 = select c t 1.0\n return b"
    assert found(body, "x: f64, n: i64, c: bool") == {"a", "x", "t", "d", "p"}


def test_a_while_loop_may_not_run() -> None:
    test, step = "u: bool = lt q 3.0\n return u", "d: f64 = add p a\n return d"
    loop = f"t: f64 = while [0.0] (q: f64) {{\n {test}\n }} (p: f64) {{\n {step}\n }}"
    assert found(f"a: f64 = sin x\n {loop}\n y: f64 = add t x\n return y", "x: f64") == {"a"}


# -- arrays ---------------------------------------------------------------------------------------

ARRAYS = "v: f64[n], w: f64[n, n], n: i64, c: bool"
MAP = "m: f64[n] = map n (i: i64) {{\n {0}\n return e\n }}\n return m"


@pytest.mark.parametrize(
    ("read", "is_part"),
    [
        ("e: f64 = index a i", False),
        ("e: f64 = index a 0", True),
        ("j: i64 = add i 1\n k: i64 = mod j n\n e: f64 = index a k", False),
        ("j: i64 = sub i 1\n k: i64 = mod j n\n e: f64 = index a k", False),
        ("k: i64 = mod i n\n e: f64 = index a k", False),
        ("j: i64 = mul i 2\n k: i64 = mod j n\n e: f64 = index a k", True),
        ("j: i64 = add i i\n k: i64 = mod j n\n e: f64 = index a k", True),
        ("j: i64 = add i 1\n k: i64 = mod j 3\n e: f64 = index a k", True),
        ("j: i64 = add i 1\n e: f64 = index a j", True),
    ],
)
def test_reading_a_part_is_a_choice(read: str, is_part: bool) -> None:
    body = "a: f64[n] = map n (h: i64) {\n r: f64 = index v h\n s: f64 = sin r\n return s\n }\n" + MAP.format(read)
    assert ("a" in found(body, ARRAYS)) is is_part


def test_the_diagonal_is_a_part() -> None:
    assert "w" in found(MAP.format("e: f64 = index w i i"), ARRAYS)


def test_a_map_over_other_sizes_reads_a_part() -> None:
    assert "v" in found("m: f64[3] = map 3 (i: i64) {\n e: f64 = index v i\n return e\n }\n return m", ARRAYS)


def test_a_slice_is_a_part() -> None:
    assert found("a: f64[2] = slice v 0 2 1\n return a", ARRAYS) == {"v"}


def test_what_is_overwritten_is_masked_and_what_is_written_is_not() -> None:
    assert found("e: f64 = sin 1.0\n a: f64[n] = update v e 0\n return a", ARRAYS) == {"v"}


def test_what_a_map_yields_is_masked_with_it() -> None:
    inside = "m: f64[n] = map n (i: i64) {\n r: f64 = index v i\n s: f64 = sin r\n return s\n }"
    assert found(f"{inside}\n return m", ARRAYS) == set()
    assert found(f"{inside}\n y: f64 = index m 0\n return y", ARRAYS) == {"m", "s", "r", "v"}


REDUCE = (
    "t: f64 = reduce n [0.0] (p: f64, q: f64) {{\n {0}\n return o\n }} (i: i64) {{\n e: f64 = index v i\n return e\n }}"
)


def test_a_sum_chooses_nothing_and_a_maximum_does() -> None:
    total = REDUCE.format("o: f64 = add p q")
    assert found(f"{total}\n return t", ARRAYS) == set()
    assert found(f"{total}\n y: f64 = min t 1.0\n return y", ARRAYS) >= {"t", "e", "v"}
    assert found(REDUCE.format("o: f64 = max p q") + "\n return t", ARRAYS) >= {"e", "v", "p", "q"}


def test_what_a_sum_starts_from_is_used() -> None:
    total = REDUCE.format("o: f64 = add p q").replace("[0.0]", "[a]")
    assert found(f"a: f64 = sin 1.0\n {total}\n return t", ARRAYS) == set()


def test_a_loop_that_runs_reads_all_it_counts_through() -> None:
    loop = LOOP.format("3", "0.0", "e: f64 = index a i\n d: f64 = mul p e\n return d")
    assert found(f"{loop}\n return t", "a: f64[3]") == set()
    assert found(f"{loop}\n return t", "a: f64[4]") == {"a"}


def test_what_a_while_loop_starts_from_is_used() -> None:
    test, step = "u: bool = lt q 3.0\n return u", "d: f64 = add p 1.0\n return d"
    loop = f"t: f64 = while [a] (q: f64) {{\n {test}\n }} (p: f64) {{\n {step}\n }}"
    assert found(f"a: f64 = sin x\n {loop}\n return t", "x: f64") == set()


def test_a_histogram_and_a_scatter_choose() -> None:
    count = "h: f64[n] = hist 1 n [z] [b] (p: f64, q: f64) {\n o: f64 = add p q\n return o\n } (i: i64) {\n"
    for text, operator in ((count, {"p", "q", "o", "z"}), ("h: f64[n] = scatter 1 n b (i: i64) {\n", set[str]())):
        body = f"{text} e: f64 = index v i\n s: f64 = sin e\n return i s\n }}\n return h"
        assert found(body, f"z: f64, b: f64[n], {ARRAYS}") == {"b", "e", "s", "v", *operator}


def test_a_function_with_a_rule_uses_its_arguments_and_one_without_as_its_body_does() -> None:
    x, a, y = (Var(name, Type(F64)) for name in ("x", "a", "y"))
    inner, out = Var("inner", Type(F64)), Var("out", Type(F64))
    for op, args, expected in (("sin", (inner,), set[str]()), ("max", (inner, f64(1.0)), {"x", "a", "inner"})):
        body = Lambda((inner,), Block((Stm((out,), Apply(op, args)),), (out,)))
        for forward, names in ((None, expected), (body, set[str]())):
            custom = Stm((y,), Custom((a,), body, forward))
            assert masked(Block((Stm((a,), Apply("sin", (x,))), custom), (y,)), ()) == names
