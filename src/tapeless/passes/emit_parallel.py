"""From a classified loop to parallel operators.

The body runs once per index, over the initial arrays and with the neutral element for each accumulator. If all results
are of one kind, the body goes into that operator; else one `Map` computes everything and the reductions and
histograms read its arrays (`fuse` then decides what to merge). Results are put together after it:
the places of an array by `update_slice` (nothing, when they are all of it), an accumulator as `initial (+) total`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.core import Block, Expr, Hist, If, Lambda, Map, Pos, Reduce
from ..ir.types import I64, Atom, Lit, Type, Var, i64, zero
from ..ir.walk import fresh, inline, substitute
from ..records import dataclass, field
from .affine import emit_form, form_of
from .algebra import is_value, neutral_literal
from .cost import has_check
from .hists import Deposit
from .places import Place
from .ranges import Walk
from .reductions import Choice
from .rewrite import name_of
from .sums import plus
from .uses import bound_names, slice_for
from .views import same


@dataclass(frozen=True, slots=True)
class Loop:
    """A counted loop and the variables that it binds."""

    count: Atom
    init: tuple[Atom, ...]
    body: Lambda
    vars: tuple[Var, ...]
    pos: Pos | None

    @property
    def counter(self) -> Var:
        return self.body.params[0]

    @property
    def params(self) -> tuple[Var, ...]:
        return self.body.params[1:]


@dataclass(slots=True)
class Plan:
    """What becomes of each carried value, by position; `block` is the body over places instead of arrays.

    `columns` are the elements to which the rows of a place are restricted, none for all of them.
    """

    block: Block
    places: dict[int, Place] = field(default_factory=dict[int, Place])
    columns: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])
    reduces: dict[int, str] = field(default_factory=dict[int, str])
    choices: list[Choice] = field(default_factory=list[Choice])
    hists: dict[int, list[Deposit]] = field(default_factory=dict[int, list[Deposit]])
    last: list[int] = field(default_factory=list[int])
    rest: list[int] = field(default_factory=list[int])

    @property
    def kinds(self) -> set[int]:
        """The positions that do not need the loop."""
        chosen = [k for c in self.choices for k in c.members]
        return {*self.places, *self.reduces, *self.hists, *self.last, *chosen}

    @property
    def summary(self) -> str:
        names = [
            name
            for name, found in (
                ("map", self.places), ("reduce", self.reduces or self.choices), ("hist", self.hists)
            )
            if found
        ]  # fmt: skip
        return " and ".join(names) or "map"

    def needs(self, k: int) -> list[Atom]:
        """The values of the block from which result k is made."""
        if k in self.hists:
            return [atom for d in self.hists[k] for atom in (*d.keys, d.value)]
        for c in self.choices:
            if k in c.members:
                return list(c.values)
        return [self.block.results[k]]

    def drop(self, k: int) -> list[int]:
        """Position k needs the loop after all; so do those chosen together with it."""
        group = next((c for c in self.choices if k in c.members), None)
        if group is not None:
            self.choices.remove(group)
            return list(group.members)
        self.places.pop(k, None)
        self.reduces.pop(k, None)
        self.hists.pop(k, None)
        if k in self.last:
            self.last.remove(k)
        return [k]


def emit(walk: Walk, loop: Loop, plan: Plan) -> None:
    """Emit the operators of a plan without rest, and bind the loop's variables to the results."""
    _Emitter(walk, loop, plan).run()


class _Emitter:
    def __init__(self, walk: Walk, loop: Loop, plan: Plan) -> None:
        self.walk, self.r = walk, walk.r
        self.loop, self.plan = loop, plan
        self.size = self._size()
        self.pairs: dict[int, tuple[Atom, ...]] = {}
        self.zeros: dict[int, Atom] = {}
        self.block = self._independent()

    def _size(self) -> Atom:
        count, facts = self.loop.count, self.walk.facts
        return count if facts.proves(facts.form(count)) else self.r.apply("max", count, i64(0))

    def _independent(self) -> Block:
        """The body over initial arrays and neutral accumulators, and what histograms need at its end."""
        loop, plan = self.loop, self.plan
        subst: dict[Var, Atom] = {loop.params[k]: loop.init[k] for k in plan.places}
        for k in plan.reduces:
            subst[loop.params[k]] = self._nothing(k)
        extra = [stm for found in plan.hists.values() for deposit in found for stm in deposit.extra]
        b = Builder(loop.pos)
        values = self._choice_values(b)
        results = [self._part(k) for k in plan.places]
        results += [plan.block.results[k] for k in plan.reduces] + values
        results += [atom for found in plan.hists.values() for d in found for atom in (*d.keys, d.value)]
        return substitute(Block((*plan.block.stms, *extra, *b.stms), tuple(results)), subst)

    def _part(self, k: int) -> Atom:
        """What the map yields for a place: all of it, or only the part of it that is written in every iteration.

        If the new value is `update_slice(old value, part, ...)`, the parts of all iterations are written at once.
        """
        place, element = self.plan.places[k], self.plan.block.results[k]
        write = self.r.operation(element, "update_slice")
        old = self.r.operation(write.args[0], "index") if write else None
        if self.plan.columns[k] or write is None or old is None or not same(old.args[0], self.loop.params[k]):
            return element
        here = tuple(form_of(atom, self.r.defs) for atom in old.args[1:])
        part, inside = write.args[1], bound_names(self.plan.block) | {self.loop.counter.name}
        outer = [name_of(atom) for atom in (*write.args[2:], *part.type.shape)]
        if here != place.forms or any(name in inside for name in outer):
            return element
        self.pairs[k] = write.args[2:]
        return part

    def _choice_values(self, b: Builder) -> list[Atom]:
        """Keys that can never win (NaN, the neutral one) bring the neutral element with them."""
        values: list[Atom] = []
        for c in self.plan.choices:
            worst = neutral_literal("min" if c.op == "lt" else "max", c.values[0].type.dtype)
            wins = b.apply(c.op, c.values[0], worst)
            values.append(b.apply("select", wins, c.values[0], worst))
            values += [b.apply("select", wins, v, zero(v.type.dtype)) for v in c.values[1:]]
        return values

    # -- operators ----------------------------------------------------------------------------

    def run(self) -> None:
        plan = self.plan
        deposits = [d for found in plan.hists.values() for d in found]
        folds = bool(plan.reduces or plan.choices)
        results, mapped = self.block.results, len(plan.places)
        if folds and not mapped and not deposits:
            self._fold(Lambda((self.loop.counter,), self.block))
        elif len(deposits) == 1 and not mapped and not folds:
            self._hist(next(iter(plan.hists)), deposits[0], Lambda((self.loop.counter,), self.block))
        elif results or has_check(self.block.stms):
            types = [Type(x.type.dtype, (self.size, *x.type.shape)) for x in results]
            arrays = self._bind(types, Map(self.size, Lambda((self.loop.counter,), self.block)))
            self._after_map(arrays)
        self._last()

    def _after_map(self, arrays: Sequence[Var]) -> None:
        plan, queue = self.plan, list(arrays)
        for k, place in plan.places.items():
            self._finish(k, self._store(k, place, queue.pop(0)))
        folded = len(plan.reduces) + sum(len(c.members) for c in plan.choices)
        if folded:
            taken, queue = queue[:folded], queue[folded:]
            self._fold(_reader(taken))
        for k, found in plan.hists.items():
            array = self.loop.init[k]
            for d in found:
                taken, queue = queue[: len(d.keys) + 1], queue[len(d.keys) + 1 :]
                array = self._hist_of(array, d, _reader(taken))
            self._finish(k, array)

    def _fold(self, body: Lambda) -> None:
        """One reduction for all accumulators and choices."""
        plan, loop = self.plan, self.loop
        neutral = [self._neutral(k) for k in plan.reduces]
        for c in plan.choices:
            worst = neutral_literal("min" if c.op == "lt" else "max", c.values[0].type.dtype)
            neutral += [worst, *(zero(v.type.dtype) for v in c.values[1:])]
        op = self._operator([x.type for x in neutral])
        totals = list(self._bind([x.type for x in neutral], Reduce(self.size, op, tuple(neutral), body)))
        for k, name in plan.reduces.items():
            total, start = totals.pop(0), loop.init[k]
            done = start == self._neutral(k) or self._is_zeros(start)
            self._finish(k, total if done else self._combined(name, start, total))
        for c in plan.choices:
            best, totals = totals[: len(c.members)], totals[len(c.members) :]
            wins = self.r.apply(c.op, best[0], loop.init[c.key])
            for k, value in zip(c.members, best, strict=True):
                self._finish(k, self.r.apply("select", wins, value, loop.init[k]))

    def _neutral(self, k: int) -> Atom:
        """A sum that starts at 0.0 may start every partial sum there: no sum of that kind is ever -0.0."""
        start, op = self.loop.init[k], self.plan.reduces[k]
        if op == "add" and isinstance(start, Lit) and is_value(start, 0.0):
            return start
        return self._nothing(k)

    def _nothing(self, k: int) -> Atom:
        """What an iteration starts from: the neutral number, or an array of zeros."""
        type = self.loop.params[k].type
        if not type.shape:
            return neutral_literal(self.plan.reduces[k], type.dtype)
        if k not in self.zeros:
            self.zeros[k] = self.r.apply("replicate", zero(type.dtype), *type.shape)
        return self.zeros[k]

    def _is_zeros(self, start: Atom) -> bool:
        made = self.r.operation(start, "replicate")
        return made is not None and isinstance(made.args[0], Lit) and is_value(made.args[0], 0.0)

    def _combined(self, name: str, start: Atom, total: Atom) -> Atom:
        if not start.type.shape:
            return self.r.apply(name, start, total)
        b = Builder(self.loop.pos)
        return self.r.splice(b.block((plus(b, start, total),)))[0]

    def _operator(self, types: Sequence[Type]) -> Lambda:
        plan, count = self.plan, len(types)

        def combine(b: Builder, *xs: Var) -> list[Atom]:
            olds, news = list(xs[:count]), list(xs[count:])
            results: list[Atom] = []
            for op in plan.reduces.values():
                old, new = olds.pop(0), news.pop(0)
                results.append(plus(b, old, new) if old.type.shape else b.apply(op, old, new))
            for c in plan.choices:
                wins = b.apply(c.op, news[0], olds[0])
                for _ in c.members:
                    results.append(b.apply("select", wins, news.pop(0), olds.pop(0)))
            return results

        return Builder(self.loop.pos).lam((*types, *types), combine)

    def _hist(self, k: int, deposit: Deposit, body: Lambda) -> None:
        self._finish(k, self._hist_of(self.loop.init[k], deposit, body))

    def _hist_of(self, array: Atom, d: Deposit, body: Lambda) -> Var:
        dtype = array.type.dtype
        op = Builder(self.loop.pos).operator(d.op, (Type(dtype),))
        expr = Hist(self.size, op, (neutral_literal(d.op, dtype),), (array,), len(d.keys), body)
        return self._bind([array.type], expr)[0]

    # -- results ------------------------------------------------------------------------------

    def _bind(self, types: Sequence[Type], expr: Expr) -> tuple[Var, ...]:
        return self.r.emit([fresh("t", type) for type in types], expr)

    def _finish(self, k: int, atom: Atom) -> None:
        self.r.replace((self.loop.vars[k],), (atom,))

    def _store(self, k: int, place: Place, part: Var) -> Atom:
        """The array with its touched places replaced by those of `part`."""
        array, facts, columns = self.loop.init[k], self.walk.facts, self.plan.columns[k]
        prefix = [emit_form(form, self.r.apply) for form in place.forms[:-1]]
        safe = all(facts.within(i, n) for i, n in zip(prefix, array.type.shape, strict=False))
        safe = safe and all(facts.within(i64(c), array.type.shape[place.dims]) for c in columns)
        if safe:
            return self._stored(k, prefix, place, part)
        # The loop may not run at all; then an index beside the counter's may be out of range.
        runs = self.r.apply("gt", self.size, i64(0))
        then = self.r.scoped(lambda: (self._stored(k, prefix, place, part),))
        return self._bind([array.type], If(runs, then, Block((), (array,))))[0]

    def _stored(self, k: int, prefix: Sequence[Atom], place: Place, part: Var) -> Atom:
        array, columns, pairs = self.loop.init[k], self.plan.columns[k], self.pairs.get(k, ())
        step = place.forms[-1].coefficient(self.loop.counter.name)
        start = place.forms[-1].without(self.loop.counter.name)
        partial = bool(pairs or columns or start.terms or start.const)
        whole: Atom = part
        if partial or step != 1 or part.type != array.type.drop(len(prefix)):
            row = self.r.apply("index", array, *prefix) if prefix else array
            first = emit_form(start, self.r.apply)
            whole = self._written(row, part, (first, i64(step)), pairs, columns)
        return self.r.apply("update", array, whole, *prefix) if prefix else whole

    def _written(
        self, row: Atom, part: Atom, place: tuple[Atom, ...], pairs: tuple[Atom, ...], columns: tuple[int, ...]
    ) -> Atom:
        """All parts written at once; columns that are not neighbours one after another."""
        if columns == tuple(range(columns[0], columns[0] + len(columns))) if columns else True:
            inner = (i64(columns[0]), i64(1)) if columns else pairs
            return self.r.apply("update_slice", row, part, *place, *inner)
        for number, column in enumerate(columns):
            one = self.r.apply("slice", part, i64(0), self.size, i64(1), i64(number), i64(1), i64(1))
            row = self.r.apply("update_slice", row, one, *place, i64(column), i64(1))
        return row

    def _last(self) -> None:
        """The value of the last iteration, or the initial one when there is none."""
        plan, loop = self.plan, self.loop
        if not plan.last:
            return
        subst = {loop.params[k]: loop.init[k] for k in plan.places}
        wanted = substitute(Block(plan.block.stms, tuple(plan.block.results[k] for k in plan.last)), subst)
        body = Lambda((loop.counter,), slice_for(wanted, wanted.results, checks=False))
        runs = self.r.apply("gt", self.size, i64(0))
        then = self.r.scoped(lambda: self.r.splice(inline(body, (self.r.apply("add", self.size, i64(-1)),))))
        orelse = Block((), tuple(loop.init[k] for k in plan.last))
        self.r.emit([loop.vars[k] for k in plan.last], If(runs, then, orelse))


def _reader(arrays: Sequence[Var]) -> Lambda:
    """The body that reads one element of each array."""

    def read(b: Builder, i: Var) -> list[Var]:
        return [b.apply("index", array, i) for array in arrays]

    return Builder().lam((Type(I64),), read, hints=("i",))
