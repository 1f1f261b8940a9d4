"""What is said about the return sweep of a loop, word by word, and what is told in numbers."""

from collections.abc import Sequence

import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.announce import (
    announce_all,
    announce_backwards,
    announce_irreversible,
    announce_online,
    announce_some,
    expected_error,
)
from tapeless.ad.bennett import best_sectors, calls, places
from tapeless.ad.planner import Plan, Rerun
from tapeless.ad.treeverse import forward_steps
from tapeless.errors import NotReversibleError
from tapeless.ir.core import Pos
from tapeless.ir.types import F32, F64, I64, Atom, Type, Var, i64
from tapeless.passes.notes import Notes

N = Var("n.3", Type(I64))
HERE, THERE = Pos("f.py", 3, 1, 3, 9), Pos("f.py", 3, 1, 3, 9, returning=True)
ROW, PAIR = Type(F64, (N,)), Type(F32, (i64(2), N))
SCALAR, FEW, NONE = Type(F64), Type(F64, (i64(3),)), Type(F64, (i64(0), N))
AGAIN = "with memory=: s states and the fewest repetitions that s allows"


def planned(**limit: int) -> tuple[Plan, Notes, dict[Pos | None, Rerun]]:
    notes, reruns = Notes(), dict[Pos | None, Rerun]()
    return Plan(**limit, notes=notes, reruns=reruns), notes, reruns


@pytest.mark.parametrize(
    ("rows", "count", "decision", "reason"),
    [
        ((), N, "keeps nothing", "trips iterations run again"),
        ((), i64(4), "keeps nothing", "4 iterations run again"),
        ((), i64(-4), "keeps nothing", "0 iterations run again"),
        ((SCALAR, FEW), N, "keeps 32 bytes", "trips * 32 bytes, trips iterations run again"),
        ((SCALAR, FEW), i64(5), "keeps 32 bytes", "160 bytes, 5 iterations run again"),
        ((SCALAR, FEW), i64(-1), "keeps 32 bytes", "0 bytes, 0 iterations run again"),
        ((ROW, SCALAR), N, "keeps 8*n + 8 bytes", "trips * (8*n + 8) bytes, trips iterations run again"),
        ((ROW, PAIR), i64(5), "keeps 16*n bytes", "5 * (16*n) bytes, 5 iterations run again"),
        ((NONE,), N, "keeps 0 bytes", "trips * 0 bytes, trips iterations run again"),
    ],
)
def test_every_iteration(rows: Sequence[Type], count: Atom, decision: str, reason: str):
    plan, notes, reruns = planned()
    announce_all(plan, HERE, count, rows)
    (note,) = notes
    more = (" of every iteration", f"; {AGAIN}") if rows else ("", "")
    assert (note.pos, note.decision, note.reason) == (THERE, decision + more[0], reason + more[1])
    assert reruns == {THERE: Rerun(back=1)}


def some(count: Atom, rows: Sequence[Type], kept: Sequence[Type], **limit: int) -> tuple[str, list[str]]:
    plan, notes, reruns = planned(**limit)
    announce_some(plan, HERE, count, rows, kept)
    (note,) = notes
    assert note.pos == THERE
    assert reruns == {THERE: Rerun(back=None)}
    return note.decision, note.reason.split("; ")


def test_some_iterations_of_an_unknown_number():
    decision, ways = some(N, [SCALAR], [ROW], bytes=640)
    assert decision == "keeps 8 bytes of every iteration within 640 bytes, else s = 640 // (8*n) states of 8*n bytes"
    assert ways == [
        "all: trips * 8 bytes, trips iterations again",
        "binomial: s * (8*n) bytes, r (trips+1) - C(s+r, r-1) again, r the least with C(s+r, s) > trips",
        "Bennett in k parts, trips = k^m: (m (k-1) + 2) * (8*n) bytes, 2 k (2k-1)^(m-1) again",
        "strips: 2 sqrt(trips) * (8*n) bytes, 2 trips again",
        "from the start: 8*n bytes, trips (trips+1) / 2 again",
    ]


@pytest.mark.parametrize(
    ("limit", "states", "slots"),
    [
        ({"states": 5}, [ROW], 5),
        ({"states": 200}, [ROW], 101),
        ({"bytes": 80}, [SCALAR], 10),
        ({"bytes": 3}, [SCALAR], 1),
        ({"bytes": 80}, [NONE], 80),
    ],
)
def test_some_of_a_hundred_iterations(limit: dict[str, int], states: Sequence[Type], slots: int):
    _, ways = some(i64(100), [SCALAR], states, **limit)
    assert ways == [
        "all: 800 bytes, 100 iterations again",
        f"binomial: {slots} states, {forward_steps(101, slots)} again",
        *_by_bennett(slots),
        "strips of 11: 22 states, 200 again",
        "from the start: 1 state, 5050 again",
    ]


def _by_bennett(slots: int) -> list[str]:
    parts = best_sectors(100, slots)
    if parts is None:
        return []
    most, steps = places(100, parts, undo=False), calls(100, parts, undo=False)
    return [f"Bennett in {parts} parts: {most} states, {2 * steps} again"]


def test_the_number_of_states_that_fit_is_unknown_where_their_size_is():
    decision, ways = some(i64(100), [ROW], [ROW], bytes=80)
    assert decision == "keeps 8*n bytes of every iteration within 80 bytes, else s = 80 // (8*n) states of 8*n bytes"
    assert ways == [
        "all: 100 * (8*n) bytes, 100 iterations again",
        "strips of 11: 22 states, 200 again",
        "from the start: 1 state, 5050 again",
    ]


def test_a_limit_in_states_is_said_in_states():
    decision, _ = some(N, [ROW], [SCALAR], states=7)
    assert decision == "keeps 8*n bytes of every iteration within 7 iterations, else 7 states of 8 bytes"


def test_without_a_limit_no_number_of_states_is_known():
    _, ways = some(i64(2), [SCALAR], [SCALAR])
    assert [way.split(":")[0] for way in ways] == ["all", "strips of 2", "from the start"]


def test_states_on_the_way():
    plan, notes, reruns = planned(states=64)
    announce_online(plan, HERE, [FEW], i64(64))
    (note,) = notes
    assert note.decision == "keeps up to 64 states of 24 bytes, placed while it runs"
    assert reruns == {THERE: Rerun(back=None)}


def test_nothing_is_said_where_nobody_asks():
    announce_some(Plan(bytes=8), HERE, i64(2), [SCALAR], [SCALAR])
    notes = Notes()
    announce_some(Plan(bytes=8, notes=notes), HERE, i64(2), [SCALAR], [SCALAR])
    assert len(notes) == 1


def test_backwards():
    plan, notes, reruns = planned()
    announce_backwards(plan, HERE, i64(5), [SCALAR, FEW], "checked")
    (note,) = notes
    assert (note.pos, note.decision) == (THERE, "runs backwards from its last state of 32 bytes")
    assert note.reason == "5 iterations run backwards and again; checked; to keep every state: 160 bytes"
    assert reruns == {THERE: Rerun(back=2)}


def test_backwards_within_a_limit():
    plan, notes, reruns = planned(states=4)
    announce_backwards(plan, HERE, N, [ROW], "checked")
    (note,) = notes
    assert (note.pos, note.decision) == (HERE, "runs backwards from its last state of 8*n bytes")
    assert note.reason == "trips iterations run backwards and again; checked"
    assert reruns == {}
    announce_backwards(Plan(states=4), HERE, N, [ROW], "checked")  # nobody asks


def test_errors_grow_with_the_number_of_iterations():
    unless = "unless differences grow; checked: the first state, and some on the way, are found again to 1e-08"
    assert expected_error(N, 1e-8) == f"error about trips * 1e-16 {unless}"
    assert expected_error(i64(10**6), 1e-8) == f"error about 1e-10 {unless}"
    assert expected_error(i64(0), 1e-8) == f"error about 1e-16 {unless}"


def test_not_backwards():
    plan, notes, _ = planned()
    announce_irreversible(plan, HERE, "y is lost")
    (note,) = notes
    assert (note.pos, note.decision, note.reason) == (HERE, "does not run backwards", "y is lost")
    announce_irreversible(Plan(backwards=True), HERE, "y is lost")  # nobody asks


@pytest.mark.parametrize("pos", [HERE, None])
def test_a_strict_plan_refuses(pos: Pos | None):
    notes = Notes()
    with pytest.raises(NotReversibleError, match="the loop cannot be run backwards: y is lost") as caught:
        announce_irreversible(Plan(backwards=True, strict=True, notes=notes), pos, "y is lost")
    assert (caught.value.place is None) is (pos is None)
    assert len(notes) == 0
