"""The `for` and `while` statements: which form of loop each becomes."""

from __future__ import annotations

import ast
from collections.abc import Collection, Generator
from contextlib import contextmanager

from ..errors import AliasError, NotStaticError, TypeConflictError, UnsupportedSyntaxError
from ..ir.types import I64, Atom, i64
from .context import Context, statement
from .control import branch, flag, run_arm
from .frame import BROKEN, CONTINUED, RESULT, RETURNED, End
from .grown import IrregularError, Regular, with_room
from .iteration import Listed, Steps, iterate, unrolled
from .liveness import loop_syntax, walrus_names
from .loops import Loop, conditional_loop, counted_loop
from .merge import array_refs
from .nested import nest
from .statements import run_block, stay
from .targets import assign
from .values import Clash, ListRef, Undefined, Value

UNROLL_LIMIT = 64
COUNTER = "<counter>"
# After how many steps arrays that a loop exchanges are tried to be at their places again.
EXCHANGES = (2, 3)


@statement(ast.For)
def for_(c: Context, node: ast.For) -> None:
    iterable = c.eval(node.iter)
    nested = nest(c, node, iterable)
    if nested is not None:
        for_(c, nested)
        return
    # The loop itself holds what it goes over, also after its name is bound to something else.
    outer, c.roots = c.roots, (*c.roots, *(ref.cell for ref in array_refs(iterable, c.store)))
    try:
        _go_over(c, node, iterable)
    finally:
        c.roots = outer


def _go_over(c: Context, node: ast.For, iterable: Value) -> None:
    steps = iterate(c, iterable)
    if isinstance(steps, Listed):
        _unroll(c, node, steps)
        return
    point = c.mark()
    try:
        _loop_over(c, node, steps)
    except AliasError as refusal:
        c.go_back(point)
        _loop_in_turns(c, node, steps, refusal)
    except (NotStaticError, TypeConflictError):
        # The body may need each value of the counter while compiling, to index a tuple or to build a list.
        c.go_back(point)
        listed, appended = unrolled(c, iterable), _appended_lists(c, node)
        if listed is not None and listed.length <= UNROLL_LIMIT and _unrolled_well(c, node, listed, appended):
            return
        if not appended:
            raise
        _loop_with_room(c, node, steps, appended)


def _unrolled_well(c: Context, node: ast.For, listed: Listed, appended: Collection[ListRef]) -> bool:
    """Unroll a loop, unless the lengths of lists then depend on run-time values."""
    point = c.mark()
    try:
        _unroll(c, node, listed)
    except NotStaticError:
        if not appended:
            raise
        c.go_back(point)
        c.end = End.OPEN
        return False
    if any(isinstance(c.store[ref], Clash) for ref in appended):
        c.go_back(point)
        c.end = End.OPEN
        return False
    return True


def _appended_lists(c: Context, node: ast.For) -> dict[ListRef, int]:
    """The lists that a loop appends to, and how often in a step at most."""
    found: dict[ListRef, int] = {}
    for name, times in loop_syntax(node).appends:
        value = c.frame.names.get(name)
        if isinstance(value, ListRef):
            found[value] = found.get(value, 0) + times
    return found


def _loop_with_room(c: Context, node: ast.For, steps: Steps, appended: dict[ListRef, int]) -> None:
    """A loop that appends to lists: as often in every step if that is so, else with a count that it carries."""
    point = c.mark()
    try:
        with_room(c, appended, steps.count, lambda: _loop_over(c, node, steps, Regular(c, appended, steps.count)))
    except IrregularError:
        c.go_back(point)
        with_room(c, appended, steps.count, lambda: _loop_over(c, node, steps))


def _loop_over(c: Context, node: ast.For, steps: Steps, growth: Regular | None = None) -> None:
    syntax = loop_syntax(node)
    if syntax.breaks or syntax.returns:
        if growth:
            raise IrregularError
        _leaving_loop(c, node, steps)
        return
    if growth:
        growth.begin()

    def body(counter: Atom) -> None:
        c.sizes.below(counter, *steps.limits)
        if growth:
            growth.begin_step(counter)
        _step(c, node, steps.at(counter))
        if growth:
            growth.end_step(counter)

    counted_loop(c, Loop(c, node), steps.count, body)
    if growth:
        growth.end()
    run_block(c, node.orelse)


def _loop_in_turns(c: Context, node: ast.For, steps: Steps, refusal: AliasError) -> None:
    """A loop that exchanges the arrays under its names (`u, v = v, u`), so that each is the same one again after a few
    steps: so many steps at a time, then the rest."""
    syntax = loop_syntax(node)
    if syntax.breaks or syntax.returns:
        raise refusal
    point = c.mark()
    for period in EXCHANGES:
        try:
            _several_at_a_time(c, node, steps, period)
        except AliasError:
            c.go_back(point)
        else:
            run_block(c, node.orelse)
            return
    raise refusal


def _several_at_a_time(c: Context, node: ast.For, steps: Steps, period: int) -> None:
    turns = c.sizes.apply(c.b, "floordiv", steps.count, i64(period))
    c.sizes.at_least_constant(turns, 0)

    def step(turn: Atom, k: int) -> None:
        index = c.b.apply("add", c.b.apply("mul", turn, i64(period)), i64(k))
        c.sizes.below(index, *steps.limits)
        _step(c, node, steps.at(index))
        c.frame.names[CONTINUED] = False
        c.end = End.OPEN

    def rest(k: int) -> None:
        if k < period - 1:
            more = c.b.apply("gt", c.b.apply("mod", steps.count, i64(period)), i64(k))
            live = c.frame.live.after[node] | c.frame.live.escaping
            branch(c, more, lambda: (step(turns, k), rest(k + 1)), lambda: None, live)

    def several(turn: Atom) -> None:
        for k in range(period):
            step(turn, k)

    counted_loop(c, Loop(c, node), turns, several)
    with loop_names(c, node):
        rest(0)


def _leaving_loop(c: Context, node: ast.For, steps: Steps) -> None:
    """A loop over a sequence that may end early: a while loop with a counter."""
    outer = c.frame.names.get(COUNTER)
    c.frame.names[COUNTER] = 0

    def counter() -> Atom:
        return c.atom(c.frame.names[COUNTER], I64)

    def body() -> None:
        k = counter()
        c.sizes.below(k, *steps.limits)
        _step(c, node, steps.at(k))
        c.frame.names[COUNTER] = c.number(c.sizes.add(c.b, k, i64(1)))

    conditional_loop(c, Loop(c, node, (COUNTER,)), lambda: c.b.apply("lt", counter(), steps.count), body)
    c.frame.names[COUNTER] = outer
    _after(c, node, endless=False)


def _step(c: Context, node: ast.For | ast.While, item: Value = None) -> None:
    """One step: bind the target, execute the body."""
    c.frame.names.update({RETURNED: False, BROKEN: False, CONTINUED: False, RESULT: Undefined()})
    for room in c.rooms:
        room.used = 0 if room.depth == c.loop_depth else room.used
    if isinstance(node, ast.For):
        assign(c, node.target, item)
    run_block(c, node.body)


def _after(c: Context, node: ast.For | ast.While, *, endless: bool) -> None:
    """Take down the flags of the loop, execute its `else`."""
    names = c.frame.names
    syntax = loop_syntax(node)
    broken = flag(names[BROKEN]) if syntax.breaks else False
    names.update({BROKEN: False, CONTINUED: False})
    if not syntax.returns:
        names[RETURNED] = False
    if endless and not syntax.breaks:
        if not syntax.returns:
            c.refuse("this loop never ends", error=UnsupportedSyntaxError, fix="add a condition, a break or a return")
        names[RETURNED] = True
        c.end = End.LEFT
        return
    if node.orelse:
        _run_else(c, node, broken)


def _run_else(c: Context, node: ast.For | ast.While, broken: bool | Atom) -> None:
    live = c.frame.live.after[node] | c.frame.live.escaping
    left = flag(c.frame.names[RETURNED])
    if isinstance(broken, bool) and left is False:
        if not broken:
            run_block(c, node.orelse)
        return
    skip = [f for f in (broken, left) if not isinstance(f, bool)]
    total = skip[0] if len(skip) == 1 else c.b.apply("or", *skip)
    branch(c, total, lambda: None, lambda: stay(c, node.orelse), live)


# -- while ----------------------------------------------------------------------------------------


@statement(ast.While)
def while_(c: Context, node: ast.While) -> None:
    if walrus_names(node.test) or _changes_state(c, node.test):
        _while_with_effects(c, node)
        return
    conditional_loop(c, Loop(c, node), lambda: c.truth(c.eval(node.test)), lambda: _step(c, node))
    endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
    _after(c, node, endless=endless)


def _changes_state(c: Context, test: ast.expr) -> bool:
    """Does a condition write into arrays or other objects, through the functions it calls?"""
    if not any(isinstance(node, ast.Call) for node in ast.walk(test)):
        return False
    arm = run_arm(c, lambda: c.eval(test))
    return any(arm.side.store[ref] is not contents for ref, contents in c.store.items())


def _while_with_effects(c: Context, node: ast.While) -> None:
    """`while test: body` as `while True: if not test: break; body`, for tests that bind names or write."""
    if node.orelse:
        c.refuse(
            "`else` of a while loop whose condition binds a name or writes into an array", error=UnsupportedSyntaxError
        )
    stop = ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], [])
    loop = ast.While(ast.Constant(True), [stop, *node.body], [])
    for new in ast.walk(loop):
        if not hasattr(new, "lineno"):
            ast.copy_location(new, node.test)
    ast.copy_location(loop, node)
    live = c.frame.live
    for table in (live.after, live.end, live.head, live.exposed):
        table[loop] = table[node] | walrus_names(node.test)
    while_(c, loop)


# -- unrolling ------------------------------------------------------------------------------------


def _unroll(c: Context, node: ast.For, listed: Listed) -> None:
    """Execute the body once per element, one after another."""
    with loop_names(c, node):
        _unroll_from(c, node, listed, 0)
    if c.end is End.LEFT and c.frame.names[RETURNED] is True:
        return
    c.end = End.OPEN
    _after(c, node, endless=False)


@contextmanager
def loop_names(c: Context, node: ast.For) -> Generator[None, None, None]:
    """Keep the names used where `break` and `continue` of a loop go, for steps executed outside of a `Loop`."""
    frame, live = c.frame, c.frame.live
    outer, frame.loop_live = frame.loop_live, live.head[node] | live.after[node] | live.escaping
    c.loop_depth += 1
    try:
        yield
    finally:
        frame.loop_live = outer
        c.loop_depth -= 1


def _unroll_from(c: Context, node: ast.For, listed: Listed, k: int) -> None:
    c.frame.names.update({RETURNED: False, BROKEN: False})
    if k == listed.length:
        return
    _step(c, node, listed.at(k))
    names = c.frame.names
    names[CONTINUED] = False
    left = [flag(names[name]) for name in (RETURNED, BROKEN)]
    if True in left:
        return
    c.end = End.OPEN
    dynamic = [f for f in left if not isinstance(f, bool)]
    if not dynamic:
        _unroll_from(c, node, listed, k + 1)
        return
    total = dynamic[0] if len(dynamic) == 1 else c.b.apply("or", *dynamic)
    branch(c, total, lambda: _stop(c), lambda: _unroll_from(c, node, listed, k + 1), c.frame.loop_live)


def _stop(c: Context) -> None:
    c.end = End.LEFT
