"""The two sweeps over one block.

`Sweep.run(block)` emits the forward sweep, statement by statement. Each statement's rule emits its primal (with what
its return sweep will want, such as the checkpoints of a loop) and returns a `Back`: a function that, given the scope
of the return sweep, emits the adjoint statements. Running these in reverse order is the return sweep.

When the return sweep enters an inner block it first runs the forward sweep of that block again (`inner`): nothing but
the inputs of the block and the checkpoints of its loops crosses from one sweep to the other, so there is no tape.
What the second run computes in vain is dead code, and goes away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from ..ir.build import Builder
from ..ir.core import Apply, Block, Check, Lambda, Stm
from ..ir.types import Atom, Var
from ..ir.walk import fresh, inline, statements, substitute
from ..records import dataclass, field
from .activity import varied
from .adjoints import Scope
from .asked import asked
from .choices import masked
from .masks import TAME, suspects, unbounded
from .planner import Plan
from .roots import flat, may_vanish, steep
from .segments import Accumulated, Collapse, Segment, dot
from .values import rerun, returning

Back: TypeAlias = Callable[[Scope], None]
Rule: TypeAlias = "Callable[[Sweep, Stm], Back]"
NOTHING: Mapping[Var, Apply] = MappingProxyType({})
Pull: TypeAlias = Callable[[Builder, Sequence[Atom | None]], tuple[Atom | None, ...]]


@dataclass(slots=True)
class Sweep:
    """The forward sweep of one block into `b`.

    `varied`, `masked`, `unbounded`, `flat` and `steep` know the block's variables (`activity`, `masks`, `roots`),
    `bound` are those that it binds; `plan` says what its loops may keep; `held` are checks that are not made again
    here, and those of the blocks around; `asked` knows branches that are read only in part (`asked`); `recalled` are
    variables that are not computed, but read from what was kept.
    """

    b: Builder
    rules: Mapping[type, Rule]
    varied: set[str]
    masked: set[str]
    unbounded: set[str]
    flat: set[str]
    steep: set[str]
    bound: set[str]
    plan: Plan = field(default_factory=Plan)
    held: tuple[Stm, ...] = ()
    asked: Mapping[str, Var] = field(default_factory=dict[str, Var])
    recalled: Mapping[str, Apply] = field(default_factory=dict[str, Apply])

    @property
    def before(self) -> tuple[Stm, ...]:
        """What was executed so far, with what is known to hold here."""
        return (*self.held, *self.b.stms)

    def run(self, block: Block) -> list[Back]:
        """Emit the forward sweep; what the return sweep has to do, in program order."""
        self.plan = self.plan.shared(block)
        self.asked = asked(block)
        collapse = self.plan.collapse
        if collapse is None:
            return [self._statement(stm) for stm in block.stms]
        # Where a zero must win over an infinity, each statement sees to it.
        apart = {var.name for stm in statements(block) if self.is_delicate(stm) for var in stm.vars}
        found = collapse.parts(block, self.varied, apart)
        return [self._statement(part) if isinstance(part, Stm) else self._segment(part, collapse) for part in found]

    def _statement(self, stm: Stm) -> Back:
        start = len(self.b.stms)
        with self.b.at(stm.pos):
            back = _placed(self.rules[type(stm.expr)](self, stm), stm)
        for var in stm.vars:
            if var.name in self.recalled:
                self._recall(var, start)
        return back

    def _recall(self, var: Var, start: int) -> None:
        """Read a variable from what was kept; what computes it after statement `start` binds another name, in vain."""
        stms = self.b.stms
        stms[start:] = [
            Stm(tuple(fresh(x.name, x.type) if x == var else x for x in stm.vars), stm.expr, stm.pos)
            for stm in stms[start:]
        ]
        stms.insert(start, Stm((var,), self.recalled[var.name], stms[start].pos))

    def _segment(self, segment: Segment, collapse: Collapse) -> Back:
        """Back through a segment by what collapses it, or one statement after another."""
        stms = segment.block.stms
        if segment.whole and (accumulated := collapse.jacobian(segment)) is not None:
            return self._whole(segment, accumulated)
        one_by_one = [self._statement(stm) for stm in stms]

        def back(scope: Scope) -> None:
            inner = scope.b.child()
            seeds = [scope.adjoints.get(x.name) for x in segment.block.results if isinstance(x, Var)]
            found = collapse.pull(inner, segment, seeds)
            if found is None:
                back_through(one_by_one, scope)
                return
            scope.b.stms += [Stm(stm.vars, stm.expr, returning(stm.pos)) for stm in inner.stms]
            for x, x_adj in zip(segment.inputs, found, strict=True):
                scope.add(x, x_adj)

        return (lambda scope: back_through(one_by_one, scope)) if segment.whole else back

    def _whole(self, segment: Segment, found: Accumulated) -> Back:
        """Back through a segment whose Jacobian is there."""
        self.b.stms += found.stms

        def back(scope: Scope) -> None:
            seeds = [scope.take(x) for x in segment.block.results if isinstance(x, Var)]
            for k, x in enumerate(segment.inputs):
                scope.add(x, dot(scope.b, [(found.entries.get((r, k)), seed) for r, seed in enumerate(seeds)]))

        return back

    def emit(self, stm: Stm) -> None:
        """The statement as it is."""
        self.b.stms.append(stm)

    def is_varied(self, atom: Atom) -> bool:
        return isinstance(atom, Var) and atom.name in self.varied

    def adopt(self, stm: Stm) -> Stm:
        """Know the variables of a statement that stands for one of the program."""
        alone = Block((stm,), ())
        self.bound |= bound_in(alone)
        self.varied |= varied(alone, self.varied)
        self.masked |= masked(Block((stm,), stm.vars), self.masked) & bound_in(alone)
        self.unbounded |= unbounded(alone, self.unbounded)
        self.flat |= flat(alone, self.flat)
        self.steep |= steep(alone, {var.name for var in stm.vars} & self.steep, self.flat, self.masked)
        return stm

    def varies(self, stm: Stm) -> bool:
        """Is there something to differentiate in this statement?"""
        return any(var.name in self.varied for var in stm.vars)

    def needs_guard(self, stm: Stm) -> bool:
        """May an adjoint that was masked to zero meet a partial of this operation that is infinite?"""
        expr = stm.expr
        assert isinstance(expr, Apply)
        singular = expr.op not in TAME or any(isinstance(x, Var) and x.name in self.unbounded for x in expr.args)
        return singular and stm.vars[0].name in self.masked

    def is_delicate(self, stm: Stm) -> bool:
        """May a zero have to win over an infinity in the return sweep of this statement, or inside it?"""
        if any(var.name in self.steep for var in stm.vars):
            return True
        return isinstance(stm.expr, Apply) and stm.vars[0].type.dtype.is_float and self.needs_guard(stm)

    def may_meet_infinity(self, stm: Stm, k: int) -> bool:
        """May an infinite adjoint meet a partial by operand k of this operation that is zero?"""
        expr = stm.expr
        assert isinstance(expr, Apply)
        return stm.vars[0].name in self.steep and may_vanish(expr.op, k)

    def inner(
        self,
        scope: Scope,
        b: Builder,
        lam: Lambda,
        args: Sequence[Atom],
        outer: Sequence[Var | None],
        plan: Plan | None = None,
        recalled: Mapping[Var, Apply] = NOTHING,
    ) -> tuple[Sweep, Block]:
        """A copy of an inner block applied to `args`, and the sweep that will run it again in the return sweep.

        `outer` says for each result of the block which variable it goes to; None where its adjoint may be masked
        anyway. The plan is that of this block unless another is given. `recalled` are variables of the block, each with
        what it is instead of being computed.
        """
        count = len(lam.body.results)
        every = Lambda(lam.params, Block(lam.body.stms, (*lam.body.results, *recalled)))
        copy = substitute(inline(every, tuple(args)), scope.restorations())
        first, again = Block(copy.stms, copy.results[:count]), copy.results[count:]
        block = rerun(first)
        given = [(param.name, arg.name) for param, arg in zip(lam.params, args, strict=True) if isinstance(arg, Var)]
        names = {arg for param, arg in given if param in self.varied}
        endless = {arg for param, arg in given if param in self.unbounded}
        level = flat(block, self.flat | {arg for param, arg in given if param in self.flat})
        choices = masked(block, _going_to(self.masked, outer, block, unknown=True))
        sweep = Sweep(
            b,
            self.rules,
            varied(block, self.varied | names),
            choices,
            unbounded(block, self.unbounded | endless),
            level,
            steep(block, _going_to(self.steep, outer, block, unknown=bool(self.steep)), level, choices),
            bound_in(block),
            plan or self.plan,
            tuple(stm for stm in (*self.before, *first.stms) if isinstance(stm.expr, Check)),
            recalled={x.name: kept for x, kept in zip(again, recalled.values(), strict=True) if isinstance(x, Var)},
        )
        return sweep, block


def pulled(
    b: Builder,
    rules: Mapping[type, Rule],
    block: Block,
    wrt: Sequence[Var],
    plan: Plan | None = None,
    chosen: Iterable[str] = (),
) -> Pull:
    """Emit the forward sweep of a block; what emits return sweeps wherever its variables are in scope.

    `chosen` are the results whose adjoints may be masked.
    """
    names = {var.name for var in wrt}
    level, choices = flat(block), masked(block, chosen)
    sweep = Sweep(
        b, rules, varied(block, names), choices, unbounded(block, suspects(block)), level,
        steep(block, (), level, choices), set(), plan or Plan(),
    )  # fmt: skip
    backs = sweep.run(block)

    def pull(b: Builder, seeds: Sequence[Atom | None]) -> tuple[Atom | None, ...]:
        scope = Scope(b, sweep.varied, set())
        for result, seed in zip(block.results, seeds, strict=True):
            scope.add(result, seed)
        back_through(backs, scope)
        return tuple(scope.adjoints.get(var.name) for var in wrt)

    return pull


def back_through(backs: Sequence[Back], scope: Scope) -> None:
    """The return sweep."""
    for back in reversed(backs):
        back(scope)


def nothing(_scope: Scope) -> None:
    """The return sweep of a statement without derivative."""


def bound_in(block: Block) -> set[str]:
    """The names that the statements of a block bind, not looking into inner blocks."""
    return {var.name for stm in block.stms for var in stm.vars}


def _going_to(names: set[str], outer: Sequence[Var | None], block: Block, *, unknown: bool) -> set[str]:
    """The results of a block that go to one of the named variables; also those without a variable if `unknown`."""
    return {
        result.name for var, result in zip(outer, block.results, strict=True)
        if isinstance(result, Var) and (unknown if var is None else var.name in names)
    }  # fmt: skip


def _placed(back: Back, stm: Stm) -> Back:
    """The adjoint statements stand at the source position of the statement."""
    if back is nothing:
        return back

    def run(scope: Scope) -> Any:
        with scope.b.at(returning(stm.pos)):
            back(scope)

    return run
