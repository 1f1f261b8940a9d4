"""The coarsening pass: loops that have a closed form are replaced by it.

    many = count >= least                     where the closed form takes fewer operations, by counting
    ends, good = if many { checks; closed form; is it as good as the loop? } else { nothing, False }
    x = if good { ends } else { the loop }

The loop stays for the few inputs for which the closed form would overflow, cancel, or decide an exit by rounding. It is
bound to names by which it is known here: it is not looked at again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ..ir.build import Builder
from ..ir.core import Apply, Block, For, Function, Hist, If, Lambda, Map, Reduce, Scan, Scatter, Stm, While
from ..ir.types import BOOL, Atom, boolean, i64
from ..ir.walk import fresh, map_lambdas
from ..passes.cost import ARRAY_OPS, block_cost, stm_cost
from ..passes.notes import Notes
from ..records import replace
from .blocks import BLOCKS
from .counted import close_for
from .describe import SUBJECT, Segment, written
from .exits import close_while
from .gate import objection
from .powers import POWER
from .read import UnreadableError
from .recurrences import Closed
from .sums import close_sum
from .write import Writer

Loop: TypeAlias = For | While | Reduce
_PARALLEL = (Map, Reduce, Scan, Hist, Scatter)
# The first part of the names of what a loop leaves that stands in for its closed form.
PLAIN = "plain"
_OURS = (f"{PLAIN}.", f"{POWER}.", f"{BLOCKS}.")
FEWEST = 4  # iterations
FEWEST_IN_BLOCKS = 128
LANES = 8
MOST = 1 << 16  # iterations from which on it must pay
_COUNTS = (0, 1, 2, 3, 7, 12)  # to try


# Steps are composed in blocks where an iteration takes at most this share of its time; of a loop that is going to be
# differentiated less, since its return sweep has more to compute and waits no longer.
_BLOCKS, _BLOCKS_BEFORE_DERIVATIVES = 0.75, 0.45


def run(function: Function, notes: Notes) -> Function:
    """The same function, with closed forms in the place of loops."""
    return _run(function, notes, _BLOCKS)


def run_before_derivatives(function: Function, notes: Notes) -> Function:
    """The same, for a function that is going to be differentiated.

    Of loops that are to run backwards (`Pos.memory`) only those are replaced that have no loop around: the inverse of
    an iteration with a closed form could not be found. Their steps are not composed in blocks, which would be kept.
    """
    return _run(function, notes, _BLOCKS_BEFORE_DERIVATIVES, undone=True)


def _run(function: Function, notes: Notes, blocks: float, *, undone: bool = False) -> Function:
    body = _Coarsener(notes, blocks, undone).block(function.body)
    return function if body is function.body else replace(function, body=body)


class _Coarsener:
    def __init__(self, notes: Notes, blocks: float, undone: bool) -> None:
        self.notes, self.blocks, self.undone = notes, blocks, undone
        self.depth = 0  # of loops around
        # The scalar operations around, by the names they bind: the gate tries loops on what these give.
        self.around: dict[str, Stm] = {}
        # Is this inside a parallel operator? Its iterations run side by side; to compose steps as well gains nothing.
        self.side_by_side = False

    def block(self, block: Block) -> Block:
        """The block; the same object when nothing in it changed."""
        made: list[Stm] = []
        for stm in block.stms:
            made += self.statement(stm)
            if isinstance(stm.expr, Apply) and stm.expr.op not in ARRAY_OPS:
                self.around[stm.vars[0].name] = stm
        same = len(made) == len(block.stms) and all(map(_is, made, block.stms))
        return block if same else Block(tuple(made), block.results)

    def statement(self, stm: Stm) -> Sequence[Stm]:
        expr = stm.expr
        backwards = self.undone and stm.pos is not None and bool(stm.pos.memory)
        stays = backwards and self.depth > 0
        if isinstance(expr, For | While | Reduce) and not stays and _is_candidate(stm):
            try:
                return self.closed(stm, expr, _closed(expr, 0.0 if self.side_by_side or backwards else self.blocks))
            except UnreadableError as reason:
                if not isinstance(expr, Reduce):
                    self.refused(stm, str(reason))
        outside, self.side_by_side = self.side_by_side, self.side_by_side or isinstance(expr, _PARALLEL)
        self.depth += isinstance(expr, For | While)
        inner = map_lambdas(expr, self.lam)
        self.depth -= isinstance(expr, For | While)
        self.side_by_side = outside
        return [stm if inner == expr else replace(stm, expr=inner)]

    def refused(self, stm: Stm, reason: str) -> None:
        # The derivative has more loops at the line; what became of the user's own is what counts.
        if not any(note.pos == stm.pos for note in self.notes.about(SUBJECT)):
            self.notes.add(stm.pos, SUBJECT, "the loop stays", reason)

    def lam(self, lam: Lambda) -> Lambda:
        body = self.block(lam.body)
        return lam if body is lam.body else Lambda(lam.params, body)

    def closed(self, stm: Stm, loop: Loop, closed: Closed) -> Sequence[Stm]:
        """The statements in the place of a loop; raises where that does not pay, or does not agree."""
        trial = _Replacement(stm, loop, closed, 2)
        # The terms of a sum are computed side by side.
        body = max(1.0, block_cost(loop.body.body)) / (LANES if isinstance(loop, Reduce) else 1)
        least, before, after = _pays_from(trial.arm, body, closed.pace)
        if least > (MOST if closed.count.value is None else closed.count.value):
            raise UnreadableError("its closed form takes as many operations")
        if reason := objection([stm], trial.stms, stm.vars, trial.good, _COUNTS, self.around):
            raise UnreadableError(reason)
        self.notes.put(Segment.of(stm, written(closed, self.around), least, before, after))
        return _Replacement(stm, loop, closed, least).stms


class _Replacement:
    """The closed form of a loop that is used from `least` iterations on: at least 2."""

    def __init__(self, stm: Stm, loop: Loop, closed: Closed, least: int) -> None:
        b, writer = Builder(stm.pos), Writer()
        if closed.entered is not None:
            (entered,) = writer.write(b, [closed.entered])
        else:
            (count,) = writer.write(b, [closed.count])
            entered = b.apply("ge", count, i64(least))
        nothing = Block((), (*_before(loop), boolean(False)))
        # Its loops are not the user's: they have few iterations, and keep a state of each.
        inner = Builder(stm.pos and replace(stm.pos, memory=""))
        self.arm = _arm(inner, writer, closed, least, nothing)
        *ends, self.good = b.if_blocks(entered, self.arm, nothing)
        old = tuple(fresh(PLAIN, var.type) for var in stm.vars)
        stays = Block((Stm(old, loop, stm.pos),), old)
        b.stms.append(Stm(stm.vars, If(self.good, Block((), tuple(ends)), stays), stm.pos))
        self.stms = b.stms


def _arm(b: Builder, writer: Writer, closed: Closed, least: int, nothing: Block) -> Block:
    """The closed form: what the loop leaves, and whether that may be used."""
    g = closed.graph
    good = g.const(True, BOOL) if closed.valid is None else closed.valid
    writer.checks(b, closed.conditions)
    if closed.entered is None:
        return b.block(writer.write(b, [*closed.results, good]))
    # How often it runs took some operations to find out; of a short loop that is all.
    (count,) = writer.write(b, [closed.count])
    inner = b.child()
    many = inner.block(writer.write(inner, [*closed.results, good]))
    return b.block(b.if_blocks(b.apply("ge", count, i64(least)), many, nothing))


def _pays_from(arm: Block, body: float, pace: tuple[float, float] | None) -> tuple[int, str, str]:
    """From which number of iterations on the closed form takes fewer operations; operations before and after."""
    if pace is not None:
        return FEWEST_IN_BLOCKS, f"{pace[0]:.0f} n, waits counted,", f"{pace[1]:.0f} n"
    once, steps = _cost(arm)
    least = FEWEST
    while least < 2 * MOST and least * body < once + steps * least.bit_length():
        least *= 2
    return least, f"{body:.0f} n", f"{once:.0f} + {steps:.0f} log2 n"


def _cost(block: Block) -> tuple[float, float]:
    """What a closed form takes at most: once, and for each bit of the number of iterations."""
    once = steps = 0.0
    for stm in block.stms:
        match stm.expr:
            case For(_, _, body) | While(_, _, body):
                steps += block_cost(body.body)
            case If(_, then, orelse):
                arms = [_cost(arm) for arm in (then, orelse)]
                once, steps = once + 1 + max(arm[0] for arm in arms), steps + max(arm[1] for arm in arms)
            case _:
                once += stm_cost(stm)
    return once, steps


def _closed(loop: Loop, blocks: float) -> Closed:
    match loop:
        case For():
            return close_for(loop, blocks)
        case While():
            return close_while(loop)
        case Reduce():
            return close_sum(loop)


def _before(loop: Loop) -> Sequence[Atom]:
    """What a loop that does not run leaves."""
    return loop.neutral if isinstance(loop, Reduce) else loop.init


def _is_candidate(stm: Stm) -> bool:
    if not stm.vars or any(var.type.shape for var in stm.vars) or stm.vars[0].name.startswith(_OURS):
        return False
    return not (stm.pos and stm.pos.returning)


def _is(x: object, y: object) -> bool:
    return x is y
