"""What a plan leaves to each part of a program, and what it writes down."""

import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.planner import LANES, Plan, Rerun, States, plan_for
from tapeless.errors import ArgumentError
from tapeless.ir.core import Block, Pos
from tapeless.ir.text import parse_function
from tapeless.passes.notes import RETURN_SWEEP, Notes
from tapeless.records import replace

LOOP = "l{0}: f64 = for 3 [x] (i{0}: i64, y{0}: f64) {{\n z{0}: f64 = sin y{0}\n return z{0}\n }}\n"
UNTIL = """u: f64 = while [x] (v: f64) {
  c: bool = lt v 1.0
  return c
} (w: f64) {
  r: f64 = add w 1.0
  return r
}
"""
LOOP_IN_A_MAP = "m: f64[2] = map 2 (k: i64) {\n" + LOOP.format(9) + "return l9\n}\n"
FOLD = """{0}: f64{3} = {1} 3 {4}[0.0] {5}(a{0}: f64, b{0}: f64) {{
  {2}
  return c{0}
}} (j{0}: i64) {{
  return {6}x
}}
"""
SUM, OTHER = "c{0}: f64 = add a{0} b{0}", "d{0}: f64 = mul a{0} b{0}\n  c{0}: f64 = add d{0} b{0}"


def fold(name: str, form: str, operator: str) -> str:
    operator = operator.format(name)
    shape = "" if form == "reduce" else "[3]"
    if form == "hist":
        return FOLD.format(name, form, operator, shape, "1 ", "[h] ", f"j{name} ").replace("hist 3 1", "hist 1 3")
    return FOLD.format(name, form, operator, shape, "", "", "")


def block(*statements: str) -> Block:
    text = "def f(x: f64, h: f64[3]) {\n" + "".join(statements) + "return x\n}"
    return parse_function(text).body


LOOPS = {
    "a loop": LOOP.format(0),
    "a loop with a condition": UNTIL,
    "a loop in a map": LOOP_IN_A_MAP,
    **{f"a {form} by another operator": fold("t", form, OTHER) for form in ("reduce", "scan", "hist")},
}
NO_LOOPS = {
    "an operation": "s: f64 = sin x\n",
    **{f"a {form} by addition": fold("t", form, SUM) for form in ("reduce", "scan", "hist")},
}


@pytest.mark.parametrize("text", LOOPS.values(), ids=LOOPS)
def test_loops_share_and_a_loop_around_them_keeps_half(text: str):
    plan, found = Plan(bytes=120), block(text)
    assert plan.shared(found).bytes == 120
    assert plan.halved(found).bytes == 60
    assert plan.shared(block(text, LOOP.format(1), LOOP.format(2))).bytes == 40


@pytest.mark.parametrize("text", NO_LOOPS.values(), ids=NO_LOOPS)
def test_what_holds_no_loop_gets_no_part(text: str):
    plan, found = Plan(bytes=120), block(text)
    assert plan.shared(found) == plan.halved(found) == plan
    assert plan.shared(block(text, LOOP.format(1), LOOP.format(2))).bytes == 60


def test_lanes_share_bytes():
    assert Plan(bytes=640).in_parallel().bytes == 640 // LANES


@pytest.mark.parametrize("plan", [Plan(), Plan(states=7)])
def test_states_are_not_shared(plan: Plan):
    body = block(LOOP.format(0), LOOP.format(1))
    assert plan.shared(body) == plan.halved(body) == plan
    assert plan.in_parallel() == replace(plan, parallel=True)


@pytest.mark.parametrize(("plan", "limited"), [(Plan(), False), (Plan(bytes=0), True), (Plan(states=1), True)])
def test_either_limit_is_one(plan: Plan, limited: bool):
    assert plan.is_limited is limited


HERE = Pos("f.py", 3, 1, 3, 9)
THERE = Pos("f.py", 3, 1, 3, 9, returning=True)


def test_decisions_are_written_down_where_asked_for():
    notes, reruns = Notes(), dict[Pos | None, Rerun]()
    plan = Plan(notes=notes, reruns=reruns)
    plan.note(HERE, "keeps nothing", "3 iterations run again", back=1)
    assert [(note.pos, note.subject, note.decision) for note in notes] == [(THERE, RETURN_SWEEP, "keeps nothing")]
    assert reruns == {THERE: Rerun(back=1, ahead=0)}
    plan.note_counting(HERE)
    assert [(note.pos, note.decision) for note in notes.about("while")] == [(HERE, "runs twice")]
    assert reruns == {THERE: Rerun(back=1, ahead=1)}


@pytest.mark.parametrize("notes", [None, Notes()])
@pytest.mark.parametrize("reruns", [None, {}])
def test_nothing_is_written_where_nobody_asks(notes: Notes | None, reruns: dict[Pos | None, Rerun] | None):
    plan = Plan(notes=notes, reruns=reruns)
    assert plan.wants_notes is (notes is not None or reruns is not None)
    plan.note(HERE, "keeps nothing", "", back=1)
    plan.note_counting(HERE)


def test_amounts_of_memory():
    assert plan_for("1.5KiB") == Plan(bytes=1536)
    assert plan_for("3kb") == Plan(bytes=3000)
    assert plan_for(0) == Plan(bytes=0)
    assert plan_for(None) == Plan()
    assert plan_for(States(1)) == Plan(states=1)


@pytest.mark.parametrize("memory", ["5IB", "much", -1, True, 1.5])
def test_other_amounts_are_refused(memory: object):
    with pytest.raises(ArgumentError, match="no amount of memory"):
        plan_for(memory)


@pytest.mark.parametrize("memory", ["reversible", "strictly reversible"])
@pytest.mark.parametrize("strict", [False, True])
def test_functions_ask_for_their_loops(memory: str, strict: bool):
    """Whoever says that nothing may be kept has the last word; a limit has it before both."""
    inside = Pos("f.py", 3, 1, 3, 9, memory=memory)
    found = Plan(strict=strict).at(inside)
    few = Plan(states=64, backwards=True, strict=strict)
    assert few.at(inside) == replace(few, strict=found.strict)
    assert found == Plan(backwards=True, strict=strict or memory == "strictly reversible")
    for plan in (Plan(bytes=8, strict=strict), Plan(states=2, strict=strict)):
        assert plan.at(inside) == plan
    for pos in (HERE, None):
        assert Plan(strict=strict).at(pos) == Plan(strict=strict)


def test_a_loop_has_at_least_one_state():
    with pytest.raises(ArgumentError, match="0 states"):
        States(0)
