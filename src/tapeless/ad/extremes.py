"""Reverse rule of the smallest or largest of computed values: nearly always one of them alone has it.

    m = reduce min (i) { e(i) }          c = how many e(i) equal m,   k = the sum of the i with e(i) = m

    if c = 1:  e(k)_adj += m_adj         the body runs forward and back once, at the winner
    else:      e(i)_adj += m_adj / c     for all i with e(i) = m: those that tie share equally; NaN equals nothing

So of n values the adjoint of one is computed, not that of n. In the body of a parallel operator, where contributions
to the variables outside are kept apart, the two arms have one contribution to each variable between them: zeros with a
part written at the winner's place, or a whole array. The back end adds that part alone.

Where the body is cheap for all i together, or where such an array would be larger than what the bodies read, every
value gets its share as above without a branch: `e(i)_adj += m_adj / c if e(i) = m else 0`. A short literal number of
values is then written out, so that each contributes to a place of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.core import Map, Reduce, Stm
from ..ir.types import I64, Atom, Lit, Type, Var, i64
from ..ir.walk import fresh
from ..passes.cost import block_cost
from ..passes.sums import sum_operator
from .adjoints import ArmScope, Deposit, Scope, Span, deposited
from .branches import join
from .indexed import KEPT, Body, indexed
from .sweep import Back, Sweep, back_through, bound_in
from .ties import chosen
from .values import is_small, zeros

# A winner is looked for when the bodies of all the others cost so much more than it takes to find it.
DEAR = 100.0
# So many values are written out one by one.
FEW = 16


def extreme_rule(sweep: Sweep, stm: Stm) -> Back:
    """The rule of a reduction by `min` or `max` of scalars that are computed, not just read."""
    expr, out = stm.expr, stm.vars[0]
    assert isinstance(expr, Reduce)
    b, elements = sweep.b, fresh("elements", out.type.stacked(expr.size))

    def read(inner: Builder, i: Var) -> Sequence[Atom]:
        return (inner.apply("index", elements, i),)

    reader = b.lam((Type(I64),), read, hints=("i",))
    sweep.emit(sweep.adopt(Stm((elements,), Map(expr.size, expr.body), stm.pos)))
    sweep.emit(sweep.adopt(Stm(stm.vars, Reduce(expr.size, expr.op, expr.neutral, reader), stm.pos)))

    def back(scope: Scope) -> None:
        adjoint = scope.take(out)
        if adjoint is not None:
            _Extreme(sweep, expr, out, elements, adjoint).pull(scope)

    return back


class _Extreme:
    """A reduction whose `elements` were kept, with the adjoint of what came `out`."""

    def __init__(self, sweep: Sweep, expr: Reduce, out: Var, elements: Var, adjoint: Atom) -> None:
        self.sweep, self.expr, self.out, self.elements, self.adjoint = sweep, expr, out, elements, adjoint

    def pull(self, scope: Scope) -> None:
        """Emit the return sweep."""
        which, count = self._winner(scope.b)
        arms = self._arms(scope, which, count) if self._is_dear() else None
        if arms is None:
            self._shares(scope, count)
            return
        kept = {deposit.var: None for arm in arms for deposit in arm.deposits}
        values = [_whole(arm, list(kept)) for arm in arms]
        alone = scope.b.apply("eq", count, i64(1))
        for var, value in zip(kept, join(scope, alone, arms, values), strict=True):
            scope.add(var, value)

    def _is_dear(self) -> bool:
        size = self.expr.size
        others = int(size.value) - 1 if isinstance(size, Lit) else FEW
        return others * block_cost(self.expr.body.body) > DEAR

    def _winner(self, b: Builder) -> tuple[Atom, Atom]:
        """The sum of the indices of the elements that are the result, and how many there are: of one, its index.

        Both in one number, in its lower and upper half, where there are not too many.
        """
        size, none = self.expr.size, (i64(0), i64(0))
        packed = isinstance(size, Lit) and int(size.value) <= 1 << 15

        def hit(inner: Builder, i: Var) -> Sequence[Atom]:
            equal = inner.apply("eq", inner.apply("index", self.elements, i), self.out)
            found = (inner.apply("add", i, i64(1 << 32)),) if packed else (i, i64(1))
            return [inner.apply("select", equal, x, i64(0)) for x in found]

        if not packed:
            which, count = b.reduce(size, sum_operator(b, [x.type for x in none]), none, hit)
            return which, count
        (both,) = b.reduce(size, "add", none[:1], hit)
        return b.apply("and", both, i64((1 << 32) - 1)), b.apply("lshr", both, i64(32))

    def _arms(self, scope: Scope, which: Atom, count: Atom) -> tuple[ArmScope, ArmScope] | None:
        """The arm of one winner, and that of any other number; None where an arm would make a large array."""
        one = ArmScope(scope.b.child(), set(scope.varied), set(), scope)
        self._at(one, which, self.adjoint, self.out)
        if not all(is_small(x.var.type, KEPT) or _is_row(x, which, self.expr.size) for x in one.deposits):
            return None
        many = ArmScope(scope.b.child(), set(scope.varied), set(), scope)
        self._shares(many, count)
        return one, many

    def _at(self, scope: Scope, i: Atom, seed: Atom, outer: Var | None = None) -> None:
        """The body at i, forward and back, within the scope; `outer` as for `Sweep.inner`."""
        inner, block = self.sweep.inner(scope, scope.b, self.expr.body, (i,), (outer,))
        scope.varied |= inner.varied
        inner.varied = scope.varied  # one set: restored versions of arrays become known to both
        scope.bound |= bound_in(block)
        backs = inner.run(block)
        scope.add(block.results[0], seed)
        back_through(backs, scope)

    def _shares(self, scope: Scope, count: Atom) -> None:
        """Equal shares for all elements that equal the result; the neutral element has it when there are none."""
        b, dtype, neutral, size = scope.b, self.out.type.dtype, self.expr.neutral[0], self.expr.size
        number = b.apply("convert", count, attrs=(dtype,))
        share = b.apply("div", self.adjoint, number)
        if scope.wants(neutral):
            nobody = zeros(b, self.out.type)
            scope.add(neutral, chosen(b, number, nobody, chosen(b, neutral, self.out, self.adjoint)))

        def seed(inner: Builder, i: Atom, _values: Sequence[Atom]) -> list[Atom | None]:
            return [chosen(inner, inner.apply("index", self.elements, i), self.out, share)]

        if isinstance(size, Lit) and int(size.value) <= FEW and not isinstance(scope, ArmScope):
            for i in range(int(size.value)):
                self._at(scope, i64(i), seed(b, i64(i), ())[0] or share)
        else:
            indexed(self.sweep, scope, Body(size, self.expr.body, (None,), seed))


def _is_row(deposit: Deposit, which: Atom, size: Atom) -> bool:
    """Is this to all of the winner's row, where each of `size` values has a row? They all read as much as there is."""
    entries, shape = deposit.entries, deposit.var.type.shape
    if not entries or entries[0] != which or shape[0] != size:
        return False
    spans = zip(entries[1:], shape[1:], strict=False)
    return all(isinstance(x, Span) and (x.size == n or not isinstance(x.size, Lit)) for x, n in spans)


def _whole(arm: ArmScope, vars: Sequence[Var]) -> list[Atom]:
    """What an arm contributes to each of these variables, as a value of its type."""
    values: list[Atom] = []
    for var in vars:
        value: Atom | None = None
        for deposit in arm.deposits:
            if deposit.var == var:
                value = deposited(arm.b, var.type, value, deposit.entries, deposit.value)
        values.append(zeros(arm.b, var.type) if value is None else value)
    arm.deposits.clear()
    return values
