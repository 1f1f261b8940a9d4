"""Straight-line code with fewer operations: every value is computed in the cheapest way from others that are there.

Values are compared by fingerprints, up to their sign. All pairs are tried: where the sum, difference or product of two
values is a third one, that is another way to compute it. Of the ways, those are taken that need the fewest operations
in all (`extract`). So the derivative of x = r cos(a) by a is found to be -y, whoever made it.

A way is only taken if it rounds no worse: products may stand for anything, sums only for sums of operands that are as
large. It must depend on the same inputs, and on the same quotients, roots and other functions that may be infinite
(`dependence`). Values that decide something stay as they are written (`decisive`).

Bodies of loops and operators and both arms of branches have runs of their own. What is saved there is saved in every
iteration, so that shorter runs are looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from ..config import config
from ..ir.core import Apply, Block, Custom, For, Function, Lambda, Stm, While
from ..ir.op import lookup
from ..ir.types import Var
from ..ir.walk import free_vars, lambdas, map_lambdas
from ..passes import simplify
from ..passes.invariants import lifted
from ..passes.notes import Notes
from ..records import dataclass, replace
from .decisive import decisive
from .describe import Shorter
from .egraph import bindings
from .extract import cheapest
from .factor import factored
from .gate import same_values
from .rules import fired
from .runs import is_plain, negations, runs
from .table import Table

FEWEST, FEWEST_INSIDE, MOST = 24, 10, 900  # statements of a run
ROUNDS = 2
MOST_SATURATED, ROUNDS_SATURATED = 400, 4
LESS, MUCH = 0.98, 0.75  # for less the code stays as it is; for so much it is gone over again
DEAREST = 4.0
_ROOTS = frozenset({"sqrt", "cbrt", "pow", "asin", "acos", "acosh", "hypot"})


def shortened(block: Block, notes: Notes, *, is_primal: bool = False) -> Block:
    """A block of a derivative with fewer operations.

    One that is yet to be differentiated stays as it is inside of loops, and if it has roots: their slopes at 0 are told
    from the squares that are written under them.
    """
    if config.current.egglog:
        bindings()  # who asks for egglog is told at once where it is missing
    plain = [stm.expr.op for stm in block.stms if is_plain(stm) and isinstance(stm.expr, Apply)]
    if is_primal and (len(plain) < FEWEST or not _ROOTS.isdisjoint(plain)):
        return block
    if len(plain) < FEWEST and not any(map(_is_worth_looking_into, block.stms)):
        return block
    free = free_vars(block)
    sizes = {size for var in free for size in var.type.shape}
    params = tuple(var for var in free if var not in sizes)
    # What two bodies compute that is the same in all iterations is computed once, and told from what is not.
    whole = block if is_primal else lifted(block)
    simple = simplify.run(Function("block", params, whole), Notes()).body
    short = _Shortener(notes, decisive(simple), not is_primal).block(simple, FEWEST)
    return block if short is simple else short


def run(function: Function, notes: Notes) -> Function:
    """The same function with fewer operations."""
    body = _Shortener(notes, decisive(function.body), True).block(function.body, FEWEST)
    return function if body is function.body else Function(function.name, function.params, body, function.donated)


def _is_worth_looking_into(stm: Stm) -> bool:
    """Has it a body with enough operations?"""
    if type(stm.expr) is Apply:
        return False
    bodies = [lam.body for lam in lambdas(stm.expr)]
    return any(sum(map(is_plain, body.stms)) >= FEWEST_INSIDE for body in bodies) or any(
        _is_worth_looking_into(inner) for body in bodies for inner in body.stms
    )


@dataclass(frozen=True, slots=True)
class _Shortener:
    """`fixed` are values that are computed as they are written; `inside` says whether bodies are looked into."""

    notes: Notes
    fixed: AbstractSet[str]
    inside: bool

    def block(self, block: Block, fewest: int, *, in_turn: bool = False) -> Block:
        """The block; the same object where nothing became shorter. `in_turn`: is it run over and over by a loop?"""
        made: list[Stm] = []
        changed = False
        opposite = negations(block)
        for run, outputs in runs(block, self.fixed):
            is_run = fewest <= len(run.stms) <= MOST
            # Bodies, and what is differentiated afterwards, are gone over once: few gain more.
            rounds = ROUNDS if self.inside and fewest == FEWEST else 1
            # Iterations of a loop wait for one another: factored sums are fewer operations, but in longer chains.
            factors = 0 if in_turn else 2 * rounds
            short = self._shorter(run.stms, outputs, opposite, rounds, factors) if is_run else None
            inner = [[self._looked_into(stm) for stm in stms] for stms in (run.before, run.after)]
            changed |= short is not None or any(map(_differ, (*inner[0], *inner[1]), (*run.before, *run.after)))
            made += [*inner[0], *(short or run.stms), *inner[1]]
        return Block(tuple(made), block.results) if changed else block

    def _looked_into(self, stm: Stm) -> Stm:
        if not self.inside or isinstance(stm.expr, Custom) or not _is_worth_looking_into(stm):
            return stm
        in_turn = isinstance(stm.expr, For | While)
        expr = map_lambdas(stm.expr, lambda lam: self._lambda(lam, in_turn))
        return stm if expr == stm.expr else replace(stm, expr=expr)

    def _lambda(self, lam: Lambda, in_turn: bool) -> Lambda:
        body = self.block(lam.body, FEWEST_INSIDE, in_turn=in_turn)
        return lam if body is lam.body else Lambda(lam.params, body)

    def _shorter(
        self, stms: Sequence[Stm], outputs: Sequence[Var], opposite: Mapping[str, str], rounds: int, factors: int
    ) -> Sequence[Stm] | None:
        """Statements that compute the same with fewer operations; None where there are none."""
        new: Sequence[Stm] = stms
        for _ in range(rounds):
            again = _round(new, outputs, opposite)
            before, after = _cost(new), _cost(again)
            if after > (LESS * before if new is stms else before - 1.0):
                break
            new = again
            if after > MUCH * before:
                break
        new = _factored(new, outputs, opposite, factors)
        if config.current.egglog and len(new) <= MOST_SATURATED:
            new = _saturated(new, outputs, opposite)
        if new is stms or not same_values(stms, new, outputs, opposite):
            return None
        fired["fingerprint"] += 1
        self.notes.put(Shorter.of(stms, new))
        return new


def _round(
    stms: Sequence[Stm], outputs: Sequence[Var], opposite: Mapping[str, str], *, saturating: bool = False
) -> Sequence[Stm]:
    table = Table(stms, opposite)
    table.relate()
    if saturating:
        table.saturate()
    if not table.has_choice():
        return stms
    classes = table.classes
    needed = dict.fromkeys(table.of[var.name][0] for var in outputs)
    return table.emit(cheapest(classes.ways, classes.places, tuple(needed)), outputs, stms[0].pos)


def _factored(stms: Sequence[Stm], outputs: Sequence[Var], opposite: Mapping[str, str], rounds: int) -> Sequence[Stm]:
    """The same with common factors taken out of sums, as long as that alone makes it shorter."""
    for _ in range(rounds):
        sums = factored(stms, outputs)
        if _cost(sums) > LESS * _cost(stms):
            break
        fired["factor"] += 1
        stms = _round(sums, outputs, opposite)
    return stms


def _saturated(stms: Sequence[Stm], outputs: Sequence[Var], opposite: Mapping[str, str]) -> Sequence[Stm]:
    """The same after equality saturation, as long as that makes it shorter."""
    for _ in range(ROUNDS_SATURATED):
        again = _round(stms, outputs, opposite, saturating=True)
        if _cost(again) >= _cost(stms):
            break
        fired["egglog"] += 1
        stms = _factored(again, outputs, opposite, 1)
    return stms


def _cost(stms: Sequence[Stm]) -> float:
    """What operations cost; elementary functions, which are never fewer, hide nothing."""
    return sum(min(DEAREST, lookup(stm.expr.op).cost) for stm in stms if isinstance(stm.expr, Apply))


def _differ(new: Stm, old: Stm) -> bool:
    return new is not old
