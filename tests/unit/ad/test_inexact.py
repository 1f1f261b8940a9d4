"""What numbers that come back only to within rounding reach: values, places and numbers of rounds, exactly."""

from __future__ import annotations

import pytest

from tapeless.ad.inexact import Inexact, inexact_backwards, inexact_in
from tapeless.ir.core import Lambda
from tapeless.ir.text import parse_function

# An iteration i of a loop that carries a float x, an integer k, an array a and a table t that stays as it is.
HEAD = "def body(i: i64, x: f64, k: i64, a: f64[n], t: f64[n]) {\n"
J = "j: i64 = convert[i64] x\n"
C = "c: bool = gt x 0.0\n"
E = "e: bool = gt k 2\n"
V = "{ v: f64 = index t i\n return v }"
G = "{ v: f64 = index t g\n return v }"
K = "{ v: f64 = index t k\n return v }"


def body(text: str, results: str = "y k a t") -> Lambda:
    """An iteration that runs `text`; x changes."""
    found = parse_function(f"{HEAD}y: f64 = mul x 0.5\n{text}\nreturn {results}\n}}")
    return Lambda(found.params, found.body)


def names(found: Inexact) -> set[str]:
    return found.names - {"x", "y"}


VALUES = {
    "a float that changes": ("", "y k a t", ""),
    "integers that change": ("w: i64 = add k 1", "y w a t", ""),
    "what is made of it": (f"{J}w: i64 = mul j 2\nz: i64 = mul k 2", "y k a t", "j w"),
    "an integer that is changed by it": (f"{J}w: i64 = add k j", "y w a t", "j w k"),
    "an array with it in a place": (
        "b: f64[n] = update a x i\nu: f64 = index a i\nv: f64 = index t i", "y k b t", "b a u"),
    "what a branch makes": (f"{C}w: i64, z: i64 = if c {{ return 1 2 }} else {{ return k 3 }}", "y k a t", "c w z"),
    "one result of a branch": (f"{E}w: f64, z: i64 = if e {{ return x 2 }} else {{ return 1.0 k }}", "y k a t", "w"),
    "the other arm": (f"{E}w: f64, z: i64 = if e {{ return 1.0 2 }} else {{ return x k }}", "y k a t", "w"),
    "a loop": ("w: f64, z: i64 = for 3 [x k] (m: i64, p: f64, q: i64) { s: f64 = mul p 2.0\n return s q }",
               "y k a t", "w p s"),
    "from one value of a loop to the next": (
        "w: f64, z: f64, u: f64 = for k [x 0.0 0.0] (m: i64, p: f64, q: f64, r: f64) { return p p q }",
        "y k a t", "w z u p q r"),
    "all of a loop whose rounds nobody knows": (
        f"{J}w: i64 = for j [0] (m: i64, p: i64) {{ s: i64 = add p 1\n return s }}", "y k a t", "j w p s"),
    "a while loop": ("w: i64, z: f64 = while [0 x] (p: i64, q: f64) { d: bool = lt p 5\n return d }"
                     " (p2: i64, q2: f64) { s: i64 = add p2 1\n return s q2 }", "y k a t", "z q q2"),
    "a map": ("w: f64[3], z: i64[3] = map 3 (m: i64) { s: f64 = index a m\n return s m }", "y k a t", ""),
    "a map of what is inexact": ("w: f64[3], z: f64[3] = map 3 (m: i64) { s: f64 = mul x 2.0\n return s 1.0 }",
                                 "y k a t", "w z s"),
    "a map of a table": ("w: f64[n] = map n (m: i64) { u: f64 = index t m\n s: f64 = mul x u\n return s }",
                         "y k a t", "w s"),
    "a sum": ("w: f64 = reduce 3 [0.0] (p: f64, q: f64) { s: f64 = add p q\n return s } (m: i64) { u: f64 = mul x x\n"
              " return u }", "y k a t", "w p q s u"),
    "an exact sum": ("w: f64 = reduce n [0.0] (p: f64, q: f64) { s: f64 = add p q\n return s } (m: i64) {"
                     " u: f64 = index t m\n return u }", "y k a t", ""),
}  # fmt: skip


@pytest.mark.parametrize(("text", "results", "expected"), VALUES.values(), ids=VALUES)
def test_what_is_inexact(text: str, results: str, expected: str) -> None:
    found = inexact_in(body(text, results))
    assert names(found) == set(expected.split())
    assert not found.reaches_place


SUMMED = ("w: f64 = reduce 3 [0.0] (p: f64, q: f64) { h: i64 = convert[i64] p\n s: f64 = index t h\n return s }"
          " (m: i64) { u: f64 = mul SOURCE 2.0\n return u }")  # fmt: skip
GUARDED = f"{C}r: f64 = if c {{ LOOP\n return w }} else {{ return x }}"
INNER = "w: f64 = for COUNT [0.0] (m: i64, p: f64) { v: f64 = index t PLACE\n return v }"
WHILE = ("w: i64 = while [START] (p: i64) { d: bool = lt p 5\n return d } (q: i64) { v: f64 = index t PLACE\n"
         " s: i64 = add q 1\n return s }")  # fmt: skip
PLACES = {
    "a counter": ("v: f64 = index t i", False),
    "an exact integer": ("v: f64 = index t k", False),
    "an inexact integer": (f"{J}v: f64 = index t j", True),
    "in another dimension": (f"{J}b: f64[n] = update a x j", True),
    "a written number": ("b: f64[n] = update a x k", False),
    "added": (f"{J}b: f64[n] = accumulate a x j", True),
    "a slice": (f"{J}b: f64[2] = slice t j 2 1", True),
    "its length": (f"{J}b: f64[j] = slice t 0 j 1", True),
    "several places": (f"{J}r: f64[2] = slice t 0 2 1\nb: f64[n] = update_slice a r j 1", True),
    "several exact places": ("r: f64[2] = slice a 0 2 1\nb: f64[n] = update_slice a r k 1", False),
    "a number of repetitions": (f"{J}b: f64[j] = replicate 1.0 j", True),
    "a repeated number": ("b: f64[3] = replicate x 3", False),
    "a number of counters": (f"{J}b: i64[j] = iota j", True),
    "a shape": (f"{J}b: f64[j] = reshape t j", True),
    "the length of a chain": (f"{J}b: f64[j] = concat[0] t t j", True),
    "a check of it": (f"{J}check bounds j n", True),
    "a check of others": ("check bounds k n", False),
    "a check that fails nobody": ("check not_nan x", False),
    "a check that is guarded": (f"{C}v: f64 = if c {{ check bounds i n\n return x }} else {{ return x }}", True),
    "guarded": (f"{C}v: f64 = if c {K} else {{ return x }}", True),
    "guarded in the other arm": (f"{C}v: f64 = if c {{ return x }} else {K}", True),
    "guarded exactly": (f"{E}v: f64 = if e {K} else {{ return x }}", False),
    "a guarded counter": (f"{C}v: f64 = if c {V} else {{ return x }}", False),
    "beside a guarded counter": (f"g: i64 = add i 1\n{C}v: f64 = if c {G} else {{ return x }}", False),
    "beside an exact integer": (f"g: i64 = add k 1\n{C}v: f64 = if c {G} else {{ return x }}", True),
    "a rest of a counter": (f"g: i64 = mod i 3\n{C}v: f64 = if c {G} else {{ return x }}", True),
    "doubly guarded": (
        f"{C}{E}v: f64 = if c {{ r: f64 = if e {K} else {{ return x }}\n return r }} else {{ return x }}", True),
    "in an arm": (f"{E}{J}v: f64 = if e {{ u: f64 = index t j\n return u }} else {{ return x }}", True),
    "in a loop": (INNER.replace("COUNT", "3").replace("PLACE", "m"), False),
    "in a loop, inexact": (J + INNER.replace("COUNT", "3").replace("PLACE", "j"), True),
    "in a loop of unknown length": (J + INNER.replace("COUNT", "j").replace("PLACE", "k"), True),
    "in a loop of known length": (INNER.replace("COUNT", "k").replace("PLACE", "k"), False),
    "in a guarded loop": (
        GUARDED.replace("LOOP", INNER.replace("COUNT", "3").replace("PLACE", "k")), True),
    "the counter of a guarded loop": (
        GUARDED.replace("LOOP", INNER.replace("COUNT", "3").replace("PLACE", "m")), False),
    "what a guarded loop carries": (
        GUARDED.replace("LOOP", WHILE.replace("START", "0").replace("PLACE", "q")).replace("r: f64", "r: i64"), True),
    "in a while loop": (WHILE.replace("START", "0").replace("PLACE", "q"), False),
    "in a while loop that may not end": (J + WHILE.replace("START", "j").replace("PLACE", "k"), True),
    "the size of a map": (f"{J}w: i64[j] = map j (m: i64) {{ return m }}", True),
    "in a map": (f"{J}w: f64[3] = map 3 (m: i64) {{ s: f64 = index t j\n return s }}", True),
    "in a guarded map": (
        f"{C}r: f64[2] = if c {{ w: f64[2] = map 2 (m: i64) {{ s: f64 = index t k\n return s }}\n return w }}"
        " else { q: f64[2] = replicate x 2\n return q }", True),
    "where a sum is made": (SUMMED.replace("SOURCE", "x"), True),
    "where an exact sum is made": (SUMMED.replace("SOURCE", "2.0"), False),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), PLACES.values(), ids=PLACES)
def test_places(text: str, expected: bool) -> None:
    assert inexact_in(body(text)).reaches_place == expected


CONDITION = ("w: i64, z: f64 = while [START 0.0] (p: i64, r: f64) { d: bool = lt PART\n return d } (q: i64, u: f64) {"
             " s: i64 = add q 1\n return s MADE }")  # fmt: skip
FINDS = "w: i64 = while [0] (p: i64) { h: f64 = index t PLACE\n d: bool = lt h 1.0\n return d } (q: i64) { return q }"
ROUNDS = {
    "as written": ("w: f64 = for 3 [x] (m: i64, p: f64) { return p }", False),
    "as many as it says": (f"{J}w: f64 = for j [0.0] (m: i64, p: f64) {{ return p }}", True),
    "within": (
        f"{J}w: f64 = for 3 [0.0] (m: i64, p: f64) {{ z: f64 = for j [p] (l: i64, q: f64) {{ return q }}\n return z }}",
        True),
    "until something exact": (CONDITION.replace("START", "0").replace("PART", "p 5").replace("MADE", "x"), False),
    "from an inexact start": (J + CONDITION.replace("START", "j").replace("PART", "p 5").replace("MADE", "u"), True),
    "until what comes of it": (CONDITION.replace("START", "0").replace("PART", "r 5.0").replace("MADE", "x"), True),
    "until what does not": (CONDITION.replace("START", "0").replace("PART", "r 5.0").replace("MADE", "1.0"), False),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), ROUNDS.values(), ids=ROUNDS)
def test_rounds(text: str, expected: bool) -> None:
    assert inexact_in(body(text)).reaches_rounds == expected


def test_conditions_read_places_too() -> None:
    assert not inexact_in(body(FINDS.replace("PLACE", "k"))).reaches_place
    assert inexact_in(body(J + FINDS.replace("PLACE", "j"))).reaches_place
    guarded = f"{C}r: i64 = if c {{ {FINDS.replace('PLACE', 'k')}\n return w }} else {{ return 0 }}"
    assert inexact_in(body(guarded)).reaches_place


def test_all_of_an_endless_loop_is_unknown() -> None:
    found = inexact_in(body(J + WHILE.replace("START", "j").replace("PLACE", "i")))
    assert {"w", "p", "q", "s"} <= found.names


def test_an_iteration_backwards() -> None:
    """It is told what of the state is inexact, and all of the state is opaque."""
    carried = (True, False, False, False)
    assert inexact_backwards(body(f"{J}v: f64 = index t j"), carried).reaches_place
    assert not inexact_backwards(body("v: f64 = index t k"), carried).reaches_place
    assert inexact_backwards(body("v: f64 = index t k"), (False, True, False, False)).reaches_place
    assert not inexact_backwards(body(f"{J}v: f64 = index t j"), (False, False, True, True)).reaches_place
    for place in ("k", "j"):
        text = f"{J}{C}v: f64 = if c {K.replace('k', place)} else {{ return x }}"
        assert inexact_backwards(body(text), carried).reaches_place
    for start, part in (("j", "p 5"), ("0", "r 5.0")):
        text = J + CONDITION.replace("START", start).replace("PART", part).replace("MADE", "x")
        assert inexact_backwards(body(text), carried).reaches_rounds
    carried_float = f"g: i64 = convert[i64] x\n{E}v: f64 = if e {K.replace('k', 'g')} else {{ return 0.0 }}"
    assert inexact_backwards(body(carried_float), (False, True, False, False)).reaches_place


def test_all_that_is_carried_may_be_out_of_range_backwards() -> None:
    """The first one is a place here, and the second decides whether it is read."""
    text = f"def back(i: i64, k: i64, x: f64, t: f64[n]) {{\n{C}v: f64 = if c {K} else {{ return x }}\nreturn k v t\n}}"
    found = parse_function(text)
    assert inexact_backwards(Lambda(found.params, found.body), (False, True, False)).reaches_place
