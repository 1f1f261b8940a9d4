"""Parallelise: loops whose iterations do not depend on one another become `Map`, `Reduce` and `Hist`.

Loops are looked at from the inside out. Each carried value of a loop is classified:

* an integer that grows by an invariant step has a closed form (`induction`);
* an array touched at one place per iteration is a map over these places (`localise`);
* a scalar that is only accumulated into is a reduction, so is the smallest value and its index (`reductions`);
* an array that is only combined into at computed indices is a histogram (`hists`);
* a value that does not depend on earlier iterations is that of the last one.

When all of them are one of these, the loop becomes parallel operators (`emit_parallel`). When some are not, the loop
stays, but independent work worth it is split off. A note at the user's line says what happened and why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeVar

from ..ir.core import Apply, Block, For, Function, If, Lambda, Pos, Stm
from ..ir.types import I64, Atom, Lit, Type, Var, i64
from ..ir.walk import fresh, refresh, statements
from ..records import dataclass, field, replace
from . import dce, induction
from .affine import Affine, emit_form, variable
from .algebra import neutral_literal
from .cost import block_cost, cost_of, has_check
from .emit_parallel import Loop, Plan, emit
from .hists import deposits
from .hoist_checks import lift_checks
from .invariants import lift_scalars
from .localise import localised, without_read
from .notes import Notes
from .places import Found, NotLocal, Query, find_place
from .ranges import Walk
from .reductions import accumulation, choice
from .rewrite import Rewriter, name_of
from .summed import decided, is_summed
from .uses import bound_names, mentioned, reached, sites, slice_for, use_counts
from .views import is_small

ROUNDS = 3
# Splitting a loop in two pays when the parallel part does at least this much per iteration.
SPLIT_COST = 40.0
# A row of at most this many elements may be copied to write one of them.
SMALL_ROW = 16


def run(function: Function, notes: Notes) -> Function:
    """The function with its parallel loops made parallel operators.

    A scratch array that is found to be overwritten is no longer carried, which may free the loop around: another round.
    """
    for _ in range(ROUNDS):
        before = _round(function, notes)
        function = dce.run(before, notes)
        if _carried(function) == _carried(before):
            break
    return function


def _round(function: Function, notes: Notes) -> Function:
    walk = Walk(lambda r, stm: _Parallelise(walk, r, notes).statement(stm))
    return walk.function(function)


def _carried(function: Function) -> int:
    """How many values all loops carry together."""
    return sum(len(stm.vars) for stm in statements(function.body) if isinstance(stm.expr, For))


@dataclass(slots=True)
class _Parallelise:
    walk: Walk
    r: Rewriter
    notes: Notes
    reason: tuple[str, Pos | None] = field(default=("", None))

    def statement(self, stm: Stm) -> bool:
        """Deal with a loop; other forms are left to the simplifier."""
        if not isinstance(stm.expr, For):
            return False
        count = self.r.atom(stm.expr.count)
        if isinstance(count, Lit) and count.value <= 1:
            return False
        new = self.r.rebuild(stm.expr)
        assert isinstance(new, For)
        self.r.pos = stm.pos
        new, finals = induction.close(self.r, new)
        self.r.replace([stm.vars[k] for k in finals], list(finals.values()))
        vars = [var for k, var in enumerate(stm.vars) if k not in finals]
        self._loop(Loop(new.count, new.init, new.body, tuple(vars), stm.pos))
        return True

    def _loop(self, loop: Loop) -> None:
        body = slice_for(loop.body.body, loop.body.body.results, checks=True)
        inside = bound_names(body) | {param.name for param in loop.body.params}
        body = lift_scalars(self.r, body, inside)
        lifted = lift_checks(self.walk, For(loop.count, loop.init, Lambda(loop.body.params, body)), inside)
        assert isinstance(lifted, For)
        self.r.pos = loop.pos
        loop = replace(loop, body=lifted.body)
        loop, stores = self._promote(loop)
        self._convert(loop)
        for array, element, indices, var in stores:
            self.r.replace((var,), (self.r.apply("update", array, self.r.atom(element), *indices),))

    def _promote(self, loop: Loop) -> tuple[Loop, list[tuple[Atom, Var, list[Atom], Var]]]:
        """Carry an element instead of its array, when only this element is touched and it is known to be in range."""
        stores: list[tuple[Atom, Var, list[Atom], Var]] = []
        for k, param in enumerate(loop.params):
            found = self._find(loop, loop.body.body, k)
            if found is None or found.place.moving or found.place.dims < param.type.rank:
                continue
            indices = [emit_form(form, self.r.apply) for form in found.place.forms]
            if not all(self.walk.facts.within(i, n) for i, n in zip(indices, param.type.shape, strict=True)):
                continue
            body = localised(loop.body.body, param, found, (), self.r.defs)
            element, var = fresh(param.name, Type(param.type.dtype)), fresh("t", Type(param.type.dtype))
            body = without_read(body, param, element)
            stores.append((loop.init[k], var, indices, loop.vars[k]))
            start = self.r.apply("index", loop.init[k], *indices)
            lam = Lambda(_with(loop.body.params, k + 1, element), body)
            loop = Loop(loop.count, _with(loop.init, k, start), lam, _with(loop.vars, k, var), loop.pos)
        return loop, stores

    def _convert(self, loop: Loop) -> None:
        plan = self._plan(loop, range(len(loop.params)))
        if not plan.rest and self._is_independent(loop, plan):
            if plan.kinds or has_check(plan.block.stms):
                self.notes.add(loop.pos, "loop", plan.summary, "iterations are independent")
            emit(self.walk, loop, plan)
            return
        if self._split(loop, plan) or self._decide(loop, plan):
            return
        self.notes.add(loop.pos, "loop", "loop", self._why())
        self.r.emit(loop.vars, For(loop.count, loop.init, loop.body))

    def _is_independent(self, loop: Loop, plan: Plan) -> bool:
        """Does nothing look at a value carried from an earlier iteration? The classification implies it; this asks."""
        extra = [stm for found in plan.hists.values() for deposit in found for stm in deposit.extra]
        results = tuple(atom for k in plan.kinds for atom in plan.needs(k))
        body = Function("body", (), Block((*plan.block.stms, *extra), results))
        needed = dce.run(body, self.notes).body
        replaced = {*plan.places, *plan.reduces}
        carried = {param.name for k, param in enumerate(loop.params) if k not in replaced}
        if not mentioned(needed) & carried:
            return True
        self._because("a value of an earlier iteration is used", None)
        return False

    def _why(self) -> str:
        text, pos = self.reason
        return f"{text}, line {pos.line}" if pos else text

    # -- classification -----------------------------------------------------------------------

    def _plan(self, loop: Loop, wanted: Sequence[int]) -> Plan:
        """What becomes of each carried value among `wanted`; `rest` lists those that need the loop."""
        plan = Plan(loop.body.body)
        for k in wanted:
            self._localise(loop, plan, k)
        plan.block = slice_for(plan.block, plan.block.results, checks=True)
        self._scalars(loop, plan, wanted)
        return plan

    def _find(self, loop: Loop, block: Block, k: int) -> Found | None:
        """Where the body touches the array, if in one place."""
        param = loop.params[k]
        if not param.type.shape or param.type != loop.init[k].type:
            return None
        bound = bound_names(block) | {p.name for p in loop.body.params}
        disjoint = partial(self._are_disjoint, loop, bound)
        try:
            return find_place(Query(block, block.results[k], param, loop.counter, bound, self.r.defs, disjoint))
        except NotLocal as refusal:
            self._because(f"{_base(param)}: {refusal.reason}", refusal.stm)
            return None

    def _are_disjoint(self, loop: Loop, bound: set[str], write: Sequence[Atom], read: Sequence[Atom]) -> bool:
        """Is what one iteration writes never what any iteration reads? One index that differs is enough."""
        facts, twin = self.walk.facts, fresh("i", Type(I64))
        with facts.scope():
            facts.counter(loop.counter, loop.count)
            facts.counter(twin, loop.count)
            for w, g in zip(write, read, strict=False):
                place, other = facts.form(w), facts.form(g)
                if any(name in bound and name != loop.counter.name for name in other.terms):
                    continue
                step = other.coefficient(loop.counter.name)
                distance = place.plus(other.without(loop.counter.name).plus(variable(twin.name), step), -1)
                if facts.proves(distance.shifted(-1)) or facts.proves(distance.times(-1).shifted(-1)):
                    return True
        return False

    def _localise(self, loop: Loop, plan: Plan, k: int) -> None:
        param, block = loop.params[k], plan.block
        found = self._find(loop, block, k)
        if found is None:
            return
        problem, columns = self._problem(loop, param, found)
        if problem:
            self._because(f"{_base(param)}: {problem}", None)
            return
        plan.block = localised(block, param, found, columns, self.r.defs)
        plan.places[k] = found.place
        plan.columns[k] = columns

    def _problem(self, loop: Loop, param: Var, found: Found) -> tuple[str, tuple[int, ...]]:
        """Why the place cannot be mapped over, or nothing; and the columns to which it is restricted."""
        if not found.place.moving:
            return "the same place is touched in every iteration", ()
        if not found.first.certain and not self._in_range(loop, found.place.forms, param.type.shape):
            return "it is not certain that every element is in range", ()
        row = param.type.drop(found.place.dims)
        if not found.is_single or is_small(row, SMALL_ROW):
            return "", ()
        columns = found.columns if row.rank == 1 else ()
        unsure = [i64(c) for c in columns if not found.starts_with_write(c)]
        if not columns or not all(self.walk.facts.within(c, row.shape[0]) for c in unsure):
            return "only parts of its rows are written", ()
        return "", columns

    def _in_range(self, loop: Loop, forms: Sequence[Affine], shape: Sequence[Atom]) -> bool:
        """May the place be touched in every iteration, also where a branch would not have done so?"""
        facts = self.walk.facts
        with facts.scope():
            facts.counter(loop.counter, loop.count)
            return all(
                facts.proves(form) and facts.proves(facts.form(size).plus(form, -1).shifted(-1))
                for form, size in zip(forms, shape, strict=False)
            )

    def _scalars(self, loop: Loop, plan: Plan, wanted: Sequence[int]) -> None:
        """Classify what is not a map. The block is final by now."""
        block, where, uses = plan.block, sites(plan.block), use_counts(plan.block)
        left = [k for k in wanted if k not in plan.places]
        for k in left:
            if k in plan.kinds:
                continue
            param, result = loop.params[k], block.results[k]
            if param.type != loop.init[k].type:
                self._because(f"{_base(param)}: its size changes", None)
            elif uses[param.name] == 0:
                plan.last.append(k)
            elif param.type.shape:
                found = deposits(param, result, where, uses)
                if found:
                    plan.hists[k] = found
                elif is_summed(param, result, where, uses):
                    plan.reduces[k] = "add"
            elif op := accumulation(param, result, block, where, uses):
                if op == "mul" and param.type.dtype.is_float and loop.init[k] != neutral_literal(op, param.type.dtype):
                    # The factors alone may overflow, and then not even a start of 0 would make 0 of them.
                    self._because(f"{_base(param)}: a product is computed from its start on", None)
                else:
                    plan.reduces[k] = op
            elif (chosen := choice(k, loop.params, block, where)) and not any(m in plan.kinds for m in chosen.members):
                plan.choices.append(chosen)
            elif not self.reason[0]:  # a long body is gone over once, not for each of what it carries
                self._because(_recurrence(param, result, block), None)
        self._settle(loop, plan, wanted)

    def _settle(self, loop: Loop, plan: Plan, wanted: Sequence[int]) -> None:
        """What depends on a value that needs the loop needs the loop too.

        So do sums of arrays beside a map, which would keep the array of each iteration.
        """
        if plan.places or plan.hists:
            plan.reduces = {k: op for k, op in plan.reduces.items() if not loop.params[k].type.shape}
        plan.rest = [k for k in wanted if k not in plan.kinds]
        while plan.rest:
            depends = reached(plan.block, [loop.params[k].name for k in plan.rest])
            hit = [
                k for k in plan.kinds if any(isinstance(x, Var) and x.name in depends for x in plan.needs(k))
            ]  # fmt: skip
            if not hit:
                break
            plan.rest += [k for j in hit for k in plan.drop(j)]

    def _because(self, reason: str, stm: Stm | None) -> None:
        if not self.reason[0]:
            self.reason = (reason, stm.pos if stm else None)

    def _decide(self, loop: Loop, plan: Plan) -> bool:
        """Ask a question that has one answer for all iterations before the loop, where that makes sums of arrays."""
        inside = bound_names(loop.body.body) | {param.name for param in loop.body.params}
        for k in plan.rest:
            if not loop.params[k].type.shape:
                continue
            condition = decided(loop.params[k], loop.body.body.results[k], loop.body.body, inside)
            if condition is not None and name_of(condition) not in self.r.held:
                versions: list[Block] = []
                for _ in range(2):
                    vars = tuple(fresh(var.name, var.type) for var in loop.vars)
                    made = Stm(vars, For(loop.count, loop.init, refresh(loop.body)), loop.pos)
                    versions.append(Block((made,), vars))
                self.r.statement(Stm(loop.vars, If(condition, *versions), loop.pos))
                return True
        return False

    # -- splitting ----------------------------------------------------------------------------

    def _split(self, loop: Loop, plan: Plan) -> bool:
        """Run what needs the loop first, with all checks; then what is independent, in parallel, when that pays."""
        free, body = self._free(loop, plan), loop.body.body
        held = [k for k in range(len(loop.params)) if k not in free]
        serial = slice_for(body, [body.results[k] for k in held], checks=True)
        if not free or mentioned(serial) & {loop.params[k].name for k in free}:
            return False
        parallel = slice_for(body, [body.results[k] for k in free], checks=False)
        cost = block_cost(parallel)
        made = {var.name for stm in statements(serial) for var in stm.vars}
        if cost < SPLIT_COST or cost_of(parallel, made) > cost / 2:
            return False
        cut = refresh(Lambda((loop.counter, *(loop.params[k] for k in free)), parallel))
        for stm in statements(cut.body):
            self.r.defs.update({var.name: stm.expr for var in stm.vars})
        part = Loop(loop.count, _pick(loop.init, free), cut, _pick(loop.vars, free), loop.pos)
        split = self._plan(part, range(len(free)))
        if split.rest or not self._is_independent(part, split):
            return False
        lam = Lambda((loop.counter, *(loop.params[k] for k in held)), serial)
        self.r.emit(_pick(loop.vars, held), For(loop.count, _pick(loop.init, held), lam))
        emit(self.walk, part, split)
        self.notes.add(loop.pos, "loop", f"loop and {split.summary}", f"split; {self._why()}")
        return True

    def _free(self, loop: Loop, plan: Plan) -> list[int]:
        """The positions that can leave the loop together.

        The plan sees the body over places. When an array needs the loop after all, so does what reads it in the body.
        """
        free, body = [k for k in sorted(plan.kinds) if k not in plan.last], loop.body.body
        seen = {k: mentioned(slice_for(body, (body.results[k],), checks=False)) for k in free}
        while True:
            held = {param.name for k, param in enumerate(loop.params) if k not in free}
            kept = [k for k in free if not seen[k] & held]
            if kept == free:
                return free
            free = kept


T = TypeVar("T")


def _pick(items: Sequence[T], wanted: Sequence[int]) -> tuple[T, ...]:
    return tuple(items[k] for k in wanted)


def _with(items: Sequence[T], k: int, item: T) -> tuple[T, ...]:
    return (*items[:k], item, *items[k + 1 :])


def _base(var: Var) -> str:
    return var.name.split(".")[0]


def _recurrence(param: Var, result: Atom, block: Block) -> str:
    """Why a carried scalar is not an accumulation."""
    degrees: dict[str, int] = {param.name: 1}
    for stm in block.stms:
        degrees.update((var.name, _degree(stm, degrees)) for var in stm.vars)
    if param.type.dtype.is_float and degrees.get(name_of(result)) == 1:
        return f"{_base(param)}: a linear recurrence on its previous value, a scan candidate"
    return f"{_base(param)}: the next value depends on the previous one"


def _degree(stm: Stm, degrees: Mapping[str, int]) -> int:
    """The degree of a result as a polynomial of the variable that has degree 1; any function else has degree 2."""
    if not isinstance(stm.expr, Apply):
        return 2 if any(map(degrees.get, mentioned(stm))) else 0
    args = [degrees.get(name_of(arg), 0) for arg in stm.expr.args]
    match stm.expr.op, args:
        case (("add" | "sub"), [x, y]):
            return max(x, y)
        case "mul", [x, y]:
            return x + y
        case "div", [x, 0]:
            return x
        case "fma", [x, y, z]:
            return max(x + y, z)
        case "neg", [x]:
            return x
        case _:
            return 2 if any(args) else 0
