"""What known results tell of the operands: maps, histograms, branches and loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Block, For, Hist, If, Lambda, Map, Scan, Stm
from ..ir.types import BOOL, I64, Atom, Type, Var, i64
from ..ir.walk import fresh, inline, operands, refresh
from ..passes.affine import Affine
from ..passes.uses import slice_for
from .arrays import learn_part
from .conditions import condition_after
from .history import history_of
from .in_order import undo_in_order
from .parts import Told
from .permutation import undo_permutation
from .see_through import seen_through
from .solving import CannotInvert, Rules, Solving, Stuck
from .told import tell_iteration
from .undo import negated

# Choices in arms of choices: so deep they are copied whole.
DEEPEST = 5


def undo_nothing(_s: Solving, _stm: Stm) -> None:
    """The result tells nothing of the operands: they must be known otherwise."""


def undo_map(s: Solving, stm: Stm) -> None:
    """Each result tells of the elements that the body reads at its own index."""
    expr = stm.expr
    assert isinstance(expr, Map)
    results = [s.at_hand(var) for var in stm.vars]
    # One without results is there for what it is told.
    if results and all(result is None for result in results):
        return
    before = s.told
    undo_elements(s, stm, results)
    if s.told == before:
        through = Lambda(expr.body.params, seen_through(s, expr.body.body))
        undo_elements(s, Stm(stm.vars, Map(expr.size, through), stm.pos), results)
    if s.told == before:
        undo_permutation(s, stm)
    if s.told == before:
        undo_in_order(s, stm)


def undo_elements(s: Solving, stm: Stm, results: Sequence[Atom | None]) -> None:
    """What the body of a map tells at every index: of arrays that it reads, and of its other results."""
    expr = stm.expr
    assert isinstance(expr, Map)
    body, counter, b = expr.body.body, fresh("i", Type(I64)), s.b.child()
    inner = Solving(body, b, s.rules, set(), s)
    inner.known[expr.body.params[0].name] = counter
    inner.counters[expr.body.params[0]] = expr.size
    inner.run([None if result is None else b.apply("index", result, counter) for result in results])
    parts = ((array, _for_all(told, expr)) for array, some in inner.learned.items() for told in some)
    found = [(array, told) for array, told in parts if told is not None]
    for var, result, known in zip(stm.vars, body.results, results, strict=True):
        if known is None and isinstance(result, Var) and (value := inner.at_hand(result)) is not None:
            found.append((var, Told((), value)))
    if not found:
        return
    size = s.value(expr.size)
    values = [told.value for _, told in found]
    arrays = s.b.bind([v.type.stacked(size) for v in values], Map(size, Lambda((counter,), b.block(values))))
    for (array, told), part in zip(found, arrays, strict=True):
        if array in stm.vars:
            s.learn(array, part)
        else:
            learn_part(s, array, told.place, part)


def _for_all(told: Told, expr: Map) -> Told | None:
    """What the body tells at a place that moves with its counter, for all of them; None at any other place.

    The dimension of the counter comes first in the value, so it must come before all that are spans already.
    """
    counter = expr.body.params[0].name
    moving = [k for k, part in enumerate(told.place) if isinstance(part, Affine) and part.coefficient(counter)]
    if len(moving) != 1 or any(not isinstance(part, Affine) for part in told.place[: moving[0]]):
        return None
    form = told.place[moving[0]]
    assert isinstance(form, Affine)
    span = (form.without(counter), expr.size, Affine(form.coefficient(counter), {}))
    return Told((*told.place[: moving[0]], span, *told.place[moving[0] + 1 :]), told.value)


def undo_histogram(s: Solving, stm: Stm) -> None:
    """What was added is taken away again, when it can be computed."""
    expr = stm.expr
    assert isinstance(expr, Hist)
    result = s.at_hand(stm.vars[0])
    if result is None or len(stm.vars) > 1 or not adds(expr.op) or s.try_value(expr.dest[0]) is not None:
        return
    b, counter = s.b.child(), fresh("i", Type(I64))
    inner = Solving(expr.body.body, b, s.rules, set(), s)
    inner.known[expr.body.params[0].name] = counter
    inner.counters[expr.body.params[0]] = expr.size
    try:
        *keys, value = [inner.value(x) for x in expr.body.body.results]
    except CannotInvert:
        return
    if s.checks:
        inner.check_again()
    body = Lambda((counter,), b.block((*keys, negated(b, value))))
    less = Hist(s.value(expr.size), refresh(expr.op), expr.neutral, (result,), expr.keys, body)
    s.learn(expr.dest[0], s.b.bind((result.type,), less)[0])


def adds(op: Lambda) -> bool:
    """Is this the addition of two numbers?"""
    match op.body.stms:
        case (Stm((total,), Apply("add", args)),):
            return set(args) == set(op.params) and op.body.results == (total,)
        case _:
            return False


def undo_prefix_sums(s: Solving, stm: Stm) -> None:
    """Each sum less the one before it is what was added; of sums of integers and floats."""
    expr = stm.expr
    assert isinstance(expr, Scan)
    if len(expr.neutral) != 1 or not adds(expr.op):
        return
    (neutral,), sums = expr.neutral, stm.vars[-1]
    result = s.at_hand(sums)
    if result is None or result.type.rank != 1:
        return
    summands = Var(fresh("summands", result.type).name, sums.type)
    size, zero = s.value(expr.size), s.value(neutral)

    def summand(b: Builder, i: Var) -> Sequence[Atom]:
        last = b.apply("index", result, b.apply("max", b.apply("sub", i, i64(1)), i64(0)))
        first = b.apply("eq", i, i64(0))
        return (b.apply("sub", b.apply("index", result, i), b.apply("select", first, zero, last)),)

    undo_elements(s, Stm((summands,), Map(expr.size, expr.body), stm.pos), s.b.map_(size, summand))


def undo_branch(s: Solving, stm: Stm) -> None:
    """The same branch again, where its condition is known or was asserted; both arms must tell the same variables."""
    expr = stm.expr
    assert isinstance(expr, If)
    results = [s.at_hand(var) for var in stm.vars]
    if all(result is None for result in results):
        return
    cond = s.try_value(expr.cond)
    if cond is None:
        cond = condition_after(s, expr, results)
        if cond is None:
            if isinstance(expr.cond, Var):
                s.stuck.add(expr.cond.name)
            return
        s.branches.setdefault(expr.cond, cond)
    arms = [Solving(arm, s.b.child(), s.rules, set(), s) for arm in (expr.then, expr.orelse)]
    for arm, truth in zip(arms, (True, False), strict=True):
        arm.given[expr.cond] = truth
        arm.run(results)
    first, second = (arm.learned for arm in arms)
    common = [
        (x, (one, other)) for x in first for one in first[x] for other in second.get(x, ()) if one.place == other.place
    ]
    if not common:
        return
    blocks = [arm.b.block([told[k].value for _, told in common]) for k, arm in enumerate(arms)]
    found = s.b.bind([told[0].value.type for _, told in common], If(cond, blocks[0], blocks[1]))
    for (x, told), value in zip(common, found, strict=True):
        learn_part(s, x, told[0].place, value)


def undo_choice(s: Solving, stm: Stm) -> None:
    """`select`: the branch that it once was, together with the others on the same condition."""
    match stm.expr:
        case Apply("select", (cond, x, y)) if s.is_known(stm.vars[0]) and None in (s.try_value(x), s.try_value(y)):
            chosen = [(t, t.expr.args) for t in s.block.stms if isinstance(t.expr, Apply) and t.expr.op == "select"]
            group = [(t.vars[0], args) for t, args in chosen if args[0] == cond and s.is_known(t.vars[0])]
            sides = [[args[k] for _, args in group] for k in (1, 2)]
            made = {t.vars[0]: t for t in s.block.stms if isinstance(t.expr, Apply) and not t.vars[0].type.shape}
            # Conditions that were told need not be made.
            made = {x: t for x, t in made.items() if x.type.dtype is not BOOL or not s.is_known(x)}
            common = _behind(made, sides[0]) & _behind(made, sides[1])
            before, vars = s.told, tuple(var for var, _ in group)
            own = {x: t for x, t in made.items() if x not in common}
            open_ones = {x: t for x, t in own.items() if not s.is_known(x)}
            with s.b.at(stm.pos):
                # What is known is read in the arms as it is; together with what it is made of it may tell more.
                _undo_sides(s, vars, cond, sides, open_ones)
                if s.told == before and len(open_ones) < len(own):
                    _undo_sides(s, vars, cond, sides, own)
                if s.told == before and s.depth < DEEPEST:
                    _undo_sides(s, vars, cond, sides, made)
        case _:
            pass


def _undo_sides(
    s: Solving, vars: tuple[Var, ...], cond: Atom, sides: Sequence[Sequence[Atom]], own: Mapping[Var, Stm]
) -> None:
    """A choice as a branch, whose arms make these values by copies of the statements that are their own.

    What both are made of is told outside, once, if it stays there; where an arm tells something that is made of it, as
    the other one does by itself, they have copies of everything. Choices that follow each other would be copied
    again and again, so this is not done any deeper.
    """
    originals: dict[str, str] = {}
    arms = [_arm(own, side, originals) for side in sides]
    undo_branch(s, Stm(vars, If(cond, arms[0], arms[1]), s.b.pos))
    s.stuck |= {originals[name] for name in s.stuck if name in originals}


def _behind(made: Mapping[Var, Stm], atoms: Sequence[Atom]) -> set[Var]:
    """The scalars that these values are made of, themselves included."""
    found: set[Var] = set()
    waiting = [atom for atom in atoms if isinstance(atom, Var)]
    while waiting:
        var = waiting.pop()
        if var not in found and var in made:
            found.add(var)
            waiting += [atom for atom in operands(made[var].expr) if isinstance(atom, Var)]
    return found


def _arm(own: Mapping[Var, Stm], results: Sequence[Atom], originals: dict[str, str]) -> Block:
    """A copy of what is made for one side of a choice, by names that `originals` explains."""
    part = slice_for(Block(tuple(own.values()), ()), results, checks=False)
    copy = inline(Lambda((), part), ())
    originals.update((new.vars[0].name, old.vars[0].name) for new, old in zip(copy.stms, part.stms, strict=True))
    return copy


def undo_loop(s: Solving, stm: Stm) -> None:
    """The loop backwards: the last iteration first, each solved for the values at its start."""
    expr = stm.expr
    assert isinstance(expr, For)
    if all(s.at_hand(var) is None for var in stm.vars):
        return
    # What does not depend on what is sought, such as a counter, is brought to its end first.
    after = {k: value for k, var in enumerate(stm.vars) if (value := s.try_value(var)) is not None}
    count = s.value(expr.count)
    found = backwards(s, expr, count, after)
    if found is None:
        return
    loop, kept = found
    finals = s.b.bind([after[k].type for k in kept], loop)
    for k, final in zip(kept, finals, strict=True):
        s.learn(expr.init[k], final)


def backwards(s: Solving, expr: For, count: Atom, after: dict[int, Atom]) -> tuple[For, list[int]] | None:
    """The loop over the carried values that can be brought back; None when there is none."""
    kept, noted = list(after), dict[int, Atom]()
    while kept:
        b, turn = s.b.child(), fresh("turn", Type(I64))
        lasts = {k: fresh("last", after[k].type) for k in kept}
        i = b.apply("sub", b.apply("sub", count, i64(1)), turn, hint="i")
        known = {k: b.apply("index", history, i) for k, history in noted.items()}
        starts = step_back(s.rules, s, b, expr, i, lasts, known=known)
        missing = [k for k in kept if starts[k] is None]
        if not missing:
            results = [start for k in kept if (start := starts[k]) is not None]
            if s.tells and len(kept) == len(expr.init):
                tell_iteration(s, b, expr, (i, *results), list(lasts.values()))
            body = Lambda((turn, *lasts.values()), b.block(results))
            return For(count, tuple(after[k] for k in kept), body), kept
        found = {k: history for k in missing if (history := history_of(s, expr, k)) is not None}
        kept = [k for k in kept if k not in (found or missing)]
        noted |= found
    return None


def step_back(
    rules: Rules,
    parent: Solving | None,
    b: Builder,
    expr: For,
    i: Atom,
    lasts: Mapping[int, Atom],
    before: Sequence[Stm] = (),
    stuck: Stuck | None = None,
    known: Mapping[int, Atom] | None = None,
) -> list[Atom | None]:
    """The carried values at the start of iteration i, given some at its end; None for those that cannot be told.

    Some may be `known` at its start. Without a parent, `stuck` takes what might be kept so that they could.
    """
    body = expr.body
    inner = Solving(body.body, b, rules, {param.name for param in body.params[1:]}, parent, before)
    inner.known[body.params[0].name] = i
    inner.known.update((body.params[1 + k].name, value) for k, value in (known or {}).items())
    inner.counters[body.params[0]] = expr.count
    inner.run([lasts.get(k) for k in range(len(body.body.results))])
    if stuck is not None:
        stuck |= inner.stuck
    return [inner.known.get(param.name) for param in body.params[1:]]
