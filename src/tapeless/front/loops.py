"""Loops: the body is executed on trial until what it carries around is known.

    for i in ...: body   ->   For over the trip count, carrying what the body changes
    with break or return ->   While, carrying the flags too

Each trial runs the body with new variables for what is believed to be carried, then compares the state at its end with
the state at the entry (`merge`). What turns out to change is carried in the next trial, with the type that holds both;
types only grow, so this ends soon.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager

from ..errors import TypeConflictError
from ..ir.core import Block, For, Lambda, Stm, While
from ..ir.types import BOOL, I64, Atom, Lit, Type, Var, i64
from ..ir.walk import fresh
from ..records import dataclass, field
from .context import Context
from .control import Arm, PathEndsError, at, execute, is_pure, join, rebuild, run_arm, within
from .frame import BROKEN, RESULT, RETURNED, VALUE, End
from .liveness import loop_syntax
from .merge import Meeting, Place, Side, kind, same
from .numpy.nest import recast
from .shapes import (
    Array,
    Fixed,
    Late,
    Number,
    Perhaps,
    Shape,
    Whole,
    filling,
    flatten,
    is_number,
    leaves,
    number_shape,
    widest,
)
from .values import ArrayRef, Cell, Clash, Maybe, Scalar, Undefined, Value

# Types grow along bool < int < float, weak < strong, plain < perhaps: far fewer steps than this.
TRIALS = 30

_CHANGED_SIZE = (
    "an array changes its size in a loop, but an array that a loop carries has one size: "
    "use an array of the largest size and a count, or append to a list"
)


@dataclass(slots=True)
class Carried:
    """What a loop is believed to carry: the shapes of places, and a cell per pair of arrays."""

    shapes: dict[Place, Shape] = field(default_factory=dict["Place", "Shape"])
    cells: dict[int, Cell] = field(default_factory=dict[int, Cell])

    def types(self) -> list[Type]:
        """The types of the carried variables, in the order of `flatten`."""
        return [self._type(leaf) for leaf in leaves(self.shapes.values())]

    def hints(self, names: Mapping[Place, str]) -> list[str]:
        """What to call the carried variables; `names` are those of arrays."""
        found: list[str] = []
        for number, place in enumerate(self.shapes):
            known = len(list(leaves(list(self.shapes.values())[: number + 1])))
            name = place if isinstance(place, str) else names.get(place, "")
            found += [name if name.isidentifier() else "x"] * (known - len(found))
        return found

    def _type(self, leaf: Number | Whole | Array) -> Type:
        match leaf:
            case Number(dtype):
                return Type(dtype)
            case Whole(cell):
                return cell.type
            case Array(group):
                return self.cells[group].type

    def covers(self, other: Carried, known: set[Cell]) -> bool:
        """Is the other belief the same, as far as arrays that exist outside are concerned?"""
        return (
            self.shapes == other.shapes
            and [c.type for c in self.cells.values()] == [c.type for c in other.cells.values()]
            and all(other.cells[g].origins & known <= c.origins for g, c in self.cells.items())
        )


@dataclass(slots=True)
class Trial:
    """One execution of the body: its parameters, what it emitted, where it ended."""

    params: tuple[Var, ...]
    arm: Arm


class Loop:
    """The lowering of one loop whose number of steps is not known."""

    def __init__(self, c: Context, node: ast.For | ast.While, hidden: Sequence[str] = ()) -> None:
        self.c, self.node, self.syntax = c, node, loop_syntax(node)
        self.flags = [RETURNED] * self.syntax.returns + [BROKEN] * self.syntax.breaks
        live = c.frame.live
        self.live = live.head[node] | live.escaping
        self.after = live.after[node] | live.escaping
        self.exposed = live.exposed[node] | live.escaping
        self.entry = Side(dict(c.frame.names), dict(c.store))
        self.counters: frozenset[Var] = frozenset()
        self.names = [
            *sorted(self.live | self.after),
            *hidden,
            *self.flags,
            *([RESULT] if RETURNED in self.flags else []),
        ]

    # -- trials -------------------------------------------------------------------------------

    def settle(self, body: Callable[[], None], *, counted: bool) -> tuple[Carried, Trial]:
        """Execute the body until the belief about what it carries is right."""
        key = self.node, tuple(kind(self.entry.value(name)) for name in self.names)
        carried = self._guess(key)
        new = {name for name in self.exposed if isinstance(self.entry.value(name), Undefined)}
        tentative = new & self.syntax.bound
        for attempt in range(TRIALS):
            trial = self.trial(carried, body, frozenset() if attempt else frozenset(tentative))
            found = self._compare(carried, trial, counted)
            if (attempt or not tentative) and carried.covers(
                found, {cell for cell in self.entry.store if isinstance(cell, Cell)}
            ):
                self._remember(key, carried)
                return carried, trial
            carried = found
        self.c.refuse("the types of the variables of this loop do not settle", error=TypeConflictError)

    def trial(self, carried: Carried, action: Callable[[], Value], tentative: frozenset[str] = frozenset()) -> Trial:
        """Execute `action` at the head of the loop under a belief."""
        c = self.c
        params = self.variables(carried)

        def run() -> Value:
            rebuild(c, carried.shapes, params, carried.cells)
            late = [n for n, s in carried.shapes.items() if isinstance(s, Late) and isinstance(n, str)]
            c.frame.names.update((name, Undefined()) for name in late)
            return action()

        with self._inside(tentative):
            return Trial(params, execute(c, c.b.child(), c.sizes.child(), run))

    def variables(self, carried: Carried) -> tuple[Var, ...]:
        """New variables for what is carried, by the user's names."""
        entry = self.entry.names.items()
        names: dict[Place, str] = {value.cell: name for name, value in entry if isinstance(value, ArrayRef)}
        return tuple(fresh(hint, type) for hint, type in zip(carried.hints(names), carried.types(), strict=True))

    @contextmanager
    def _inside(self, tentative: frozenset[str]) -> Generator[None, None, None]:
        frame = self.c.frame
        outer = frame.loop_live, frame.tentative
        frame.loop_live, frame.tentative = self.live | self.after, frame.tentative | tentative
        self.c.loop_depth += 1
        try:
            yield
        finally:
            frame.loop_live, frame.tentative = outer
            self.c.loop_depth -= 1

    def _guess(self, key: object) -> Carried:
        """Numbers that are assigned and arrays whose items are assigned, so that one trial is often enough.

        A loop inside another is settled once per trial of the outer one: what was found before is tried first.
        """
        if key in self.c.settled:
            shapes, changed = self.c.settled[key]
        else:
            assigned = (name for name in self.names if name in self.syntax.bound)
            numbers = {name: v for name in assigned if is_number(v := self.entry.value(name))}
            shapes, changed = {name: number_shape(v) for name, v in numbers.items()}, self.syntax.changed
        guess = Carried({**shapes, **{flag: Number(BOOL, True) for flag in self.flags}})
        for name in sorted(changed):
            value = self.entry.value(name)
            if isinstance(value, ArrayRef) and isinstance(self.entry.store.get(value.cell), Var):
                guess.shapes[value.cell] = Whole(value.cell)
        return guess

    def _remember(self, key: object, carried: Carried) -> None:
        numbers = {
            p: s for p, s in carried.shapes.items() if not any(isinstance(x, Array | Whole) for x in leaves((s,)))
        }
        names = {n for n in self.names if isinstance(v := self.entry.value(n), ArrayRef) and v.cell in carried.shapes}
        shapes = {p: s for p, s in numbers.items() if isinstance(p, str) and not isinstance(s, Fixed)}
        self.c.settled[key] = shapes, frozenset(names)

    def _compare(self, carried: Carried, trial: Trial, counted: bool) -> Carried:
        """What the state at the end of a trial says about what must be carried."""
        meeting = Meeting(self.c, self.entry, _at_end(trial.arm), self._local(trial))
        whole = {
            leaf.cell: p
            for leaf, p in zip(leaves(carried.shapes.values()), trial.params, strict=True)
            if isinstance(leaf, Whole)
        }
        found: dict[Place, Shape] = {}
        for place, shape in meeting.places(self.names).items():
            old = carried.shapes.get(place)
            if old is None and isinstance(shape, Fixed) and same(shape.value, at(self.entry, place)):
                continue
            if isinstance(shape, Whole) and trial.arm.side.store[shape.cell] is whole.get(shape.cell):
                continue
            late = counted and isinstance(place, str) and self._is_late(place, trial.arm)
            found[place] = widest(old, Late(shape.shape) if late and isinstance(shape, Perhaps) else shape)
        for name in self.flags:
            found[name] = Number(BOOL, True)
        self._drop_local_sizes(found, meeting, trial)
        types = {leaf.group: meeting.type(leaf.group) for leaf in leaves(found.values()) if isinstance(leaf, Array)}
        cells = meeting.cells(types, self.names)
        return Carried(found, {g: self._with_origins(g, cell, carried, trial) for g, cell in cells.items()})

    def _local(self, trial: Trial) -> set[Var]:
        """The variables that exist inside the loop only."""
        return trial.arm.bound | {*trial.params, *self.counters}

    def _with_origins(self, group: int, cell: Cell, carried: Carried, trial: Trial) -> Cell:
        """What an array may be the same as: arrays of this trial, and outside ones that any trial has found."""
        outside = self.entry.store.keys()
        before = carried.cells[group].origins if group in carried.cells else frozenset[Cell]()
        now = {origin for origin in cell.origins if origin in outside or origin in trial.arm.side.store}
        return Cell(cell.type, cell.name, frozenset(now | {origin for origin in before if origin in outside}))

    def _is_late(self, name: str, arm: Arm) -> bool:
        """Is the name new, always set by the body, and never read by it before?"""
        before = isinstance(self.entry.names.get(name, Undefined()), Undefined)
        sure = not isinstance(arm.side.names.get(name, Undefined()), Undefined | Maybe)
        return before and sure and name not in self.exposed

    def _drop_local_sizes(self, found: dict[Place, Shape], meeting: Meeting, trial: Trial) -> None:
        """An array made in the body can be carried only when its size is known outside."""
        local = self._local(trial)
        for place, shape in found.items():
            groups = [leaf.group for leaf in leaves((shape,)) if isinstance(leaf, Array)]
            if any(not local.isdisjoint(meeting.type(g).shape) for g in groups):
                found[place] = Fixed(Clash("its size is computed anew in each step of a loop"))

    # -- emission -----------------------------------------------------------------------------

    def start(self, carried: Carried) -> list[Atom]:
        """The carried values at the entry."""
        c, done = self.c, set[int]()
        types = {group: cell.type for group, cell in carried.cells.items()}
        fill = filling(lambda: c.b, types, ())
        atoms = [a for p, s in carried.shapes.items() for a in flatten(c, at(self.entry, p), s, done, fill)]
        return [_fitted(c, atom, type) for atom, type in zip(atoms, carried.types(), strict=True)]

    def end(self, carried: Carried, trial: Trial) -> list[Atom]:
        """The carried values at the end of the body, emitted there."""
        c, side, done = self.c, _at_end(trial.arm), set[int]()
        with within(c, trial.arm):
            types = {group: cell.type for group, cell in carried.cells.items()}
            fill = filling(lambda: c.b, types, ())
            atoms = [a for p, s in carried.shapes.items() for a in flatten(c, at(side, p), s, done, fill)]
            if side.end is End.STOPPED:
                # The path never gets here; the parameters have the right types.
                return list(trial.params)
            return [_fitted(c, atom, type) for atom, type in zip(atoms, carried.types(), strict=True)]

    def leave(self, carried: Carried, vars: Sequence[Atom], count: Atom) -> None:
        """The state after the loop; names that the body sets exist when it ran at all, `count` times."""
        c = self.c
        rebuild(c, carried.shapes, vars, carried.cells)
        late = [name for name, shape in carried.shapes.items() if isinstance(shape, Late) and isinstance(name, str)]
        if not late or (c.sizes.least(count) or 0) > 0:
            return
        ran = c.b.apply("gt", count, i64(0))
        c.frame.names.update((name, Maybe(c.frame.names[name], ran)) for name in late)


def _at_end(arm: Arm) -> Side:
    """The state at the end of a body, where `continue` leads too."""
    end = End.STOPPED if arm.side.end is End.STOPPED else End.OPEN
    return Side(arm.side.names, arm.side.store, end)


def _fitted(c: Context, atom: Atom, type: Type) -> Atom:
    """An array under the sizes that the loop carries; they must be equal."""
    for have, need in zip(atom.type.shape, type.shape, strict=True):
        if c.sizes.same(have, need):
            continue
        difference = c.sizes.linear(have).plus(c.sizes.linear(need), -1)
        if not difference.terms:
            literal = isinstance(have, Lit) and isinstance(need, Lit)
            c.refuse(
                f"the size of an array changes in this loop {f'from {need} to {have}' if literal else 'in every step'}",
                error=TypeConflictError,
                why="an array that a loop carries has one size",
                fix="use an array of the largest size and a count, or append to a list",
            )
        c.b.check("equal", have, need, info=_CHANGED_SIZE)
    return recast(c.b, atom, type.shape) if type.shape else atom


def counted_loop(c: Context, loop: Loop, count: Atom, body: Callable[[Var], None]) -> None:
    """A `For`: the body takes the counter."""
    counter = fresh("i", Type(I64))
    loop.counters = frozenset((counter,))
    carried, trial = loop.settle(lambda: body(counter), counted=True)
    init = loop.start(carried)
    results = loop.end(carried, trial)
    block = Block(tuple(trial.arm.b.stms), tuple(results))
    vars = loop.variables(carried)
    c.b.stms.append(Stm(vars, For(count, tuple(init), Lambda((counter, *trial.params), block)), c.b.pos))
    loop.leave(carried, vars, count)


def conditional_loop(c: Context, loop: Loop, test: Callable[[], bool | Atom], body: Callable[[], None]) -> None:
    """A `While`; the flags that make it end early are tested before the condition."""
    carried, trial = loop.settle(body, counted=False)
    init = loop.start(carried)
    results = loop.end(carried, trial)
    check = loop.trial(carried, lambda: _go_on(c, loop, test))
    if check.arm.side.end is End.STOPPED:
        raise PathEndsError
    cond = Lambda(check.params, Block(tuple(check.arm.b.stms), (c.atom(check.arm.side.names[VALUE]),)))
    main = Lambda(trial.params, Block(tuple(trial.arm.b.stms), tuple(results)))
    vars = loop.variables(carried)
    c.b.stms.append(Stm(vars, While(tuple(init), cond, main), c.b.pos))
    loop.leave(carried, vars, i64(0))


def _go_on(c: Context, loop: Loop, test: Callable[[], bool | Atom]) -> Value:
    def tested() -> Value:
        truth = test()
        return truth if isinstance(truth, bool) else Scalar(truth, weak=True)

    if not loop.flags:
        return tested()
    stopped = c.atom(c.frame.names[loop.flags[0]])
    for name in loop.flags[1:]:
        stopped = c.b.apply("or", stopped, c.atom(c.frame.names[name]))
    arm = run_arm(c, tested)
    if is_pure(c, arm):
        c.b.stms.extend(arm.b.stms)
        value = arm.side.names[VALUE]
        going = c.b.apply("not", stopped)
        return Scalar(going if value is True else c.b.apply("and", going, c.atom(value)), weak=True)
    return join(c, stopped, [run_arm(c, lambda: False), arm], loop.live)
