"""Branches: both arms are executed on copies of the state, then the states are merged.

    c, s -> (then | else) -> if c { results of then } { results of else }

Only what differs between the arms, and is used afterwards, becomes a result of the `If`. An arm that returns, breaks,
continues or raises does not reach the merging point; what it leaves behind is the flags that say so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager

from ..ir.build import Builder
from ..ir.core import Apply, Block, Check, Stm
from ..ir.types import BOOL, Atom, Lit, Type, Var, boolean
from ..ir.walk import lambdas
from ..records import dataclass
from .context import Context
from .frame import BROKEN, CONTINUED, CONTROL, VALUE, End
from .merge import Meeting, Place, Side
from .shapes import Anything, Array, Shape, build, filling, flatten, leaves
from .sizes import Sizes
from .values import Cell, Value


class PathEndsError(Exception):
    """Unwinds the execution of a path that raised an exception on every run."""


@dataclass(slots=True)
class Arm:
    """A block that was executed: what it emitted and the state it left."""

    b: Builder
    sizes: Sizes
    side: Side

    @property
    def bound(self) -> set[Var]:
        return {var for stm in self.b.stms for var in stm.vars}


def execute(c: Context, b: Builder, sizes: Sizes, action: Callable[[], Value]) -> Arm:
    """Run `action` in the block `b` on a copy of the state; its value is left under the name VALUE."""
    saved = c.b, c.sizes, c.frame.names, c.store, c.end
    frame, depth = c.frame, len(c.frames)
    c.b, c.sizes, c.frame.names, c.store, c.end = b, sizes, dict(saved[2]), dict(saved[3]), End.OPEN
    try:
        frame.names[VALUE] = action()
    except PathEndsError:
        c.end = End.STOPPED
    finally:
        del c.frames[depth:]
        arm = Arm(b, sizes, Side(frame.names, c.store, c.end, frame.loop_live))
        c.b, c.sizes, frame.names, c.store, c.end = saved
    return arm


@contextmanager
def within(c: Context, arm: Arm) -> Generator[None, None, None]:
    """Go back to the end of an executed block, to emit what it hands over."""
    saved = c.b, c.sizes, c.store
    c.b, c.sizes, c.store = arm.b, arm.sizes, arm.side.store
    try:
        yield
    finally:
        c.b, c.sizes, c.store = saved


def run_arm(c: Context, action: Callable[[], Value]) -> Arm:
    """Run `action` in a new block inside the current one."""
    return execute(c, c.b.child(), c.sizes.child(), action)


def branch(
    c: Context, cond: Atom, then: Callable[[], Value], orelse: Callable[[], Value], live: Collection[str]
) -> Value:
    """Execute both arms and merge; `live` are the names used afterwards. The merged value of the arms."""
    return join(c, cond, [run_arm(c, then), run_arm(c, orelse)], live)


def join(c: Context, cond: Atom, arms: list[Arm], live: Collection[str]) -> Value:
    """Merge two executed arms: emit the `If`, make the merged state the current one."""
    ends = [arm.side.end for arm in arms]
    if ends == [End.STOPPED, End.STOPPED]:
        _emit(c, cond, arms, [(), ()])
        raise PathEndsError
    names = CONTROL | frozenset[str](live if End.OPEN in ends else ())
    if any(arm.side.names.get(name) is not False for arm in arms for name in (BROKEN, CONTINUED)):
        names |= c.frame.loop_live
    meeting = Meeting(c, arms[0].side, arms[1].side, arms[0].bound | arms[1].bound)
    shapes = meeting.places(sorted(names))  # in an order that other processes find, too: the cache knows texts
    atoms = _cross(c, cond, arms, meeting, shapes)
    _adopt(c, shapes, atoms, meeting, names)
    c.end = End.OPEN if End.OPEN in ends else End.LEFT
    return c.frame.names.get(VALUE)


def _cross(c: Context, cond: Atom, arms: list[Arm], meeting: Meeting, shapes: dict[Place, Shape]) -> list[Atom]:
    """Emit the `If`; the atoms of the merged state in the order of `flatten`."""
    types = {leaf.group: meeting.type(leaf.group) for leaf in leaves(shapes.values()) if isinstance(leaf, Array)}
    local = arms[0].bound | arms[1].bound
    columns: list[list[Atom]] = []
    for arm in arms:
        with within(c, arm):
            done: set[int] = set()
            fill = filling(lambda: c.b, types, local)
            columns.append(
                [a for place, shape in shapes.items() for a in flatten(c, at(arm.side, place), shape, done, fill)]
            )
    pairs = list(zip(*columns, strict=True))
    plain = [_without_if(c, cond, x, y, local) for x, y in pairs]
    kept = [pair for pair, atom in zip(pairs, plain, strict=True) if atom is None]
    vars = iter(_emit(c, cond, arms, [tuple(x for x, _ in kept), tuple(y for _, y in kept)]))
    return [next(vars) if atom is None else atom for atom in plain]


def at(side: Side, place: Place) -> Value:
    """The value at a place at the end of a path; gone paths give nothing for ordinary names."""
    if isinstance(place, str):
        return Anything() if side.lost(place) else side.value(place)
    return Anything() if side.end is End.STOPPED and not isinstance(place, Cell) else side.store[place]


def _without_if(c: Context, cond: Atom, x: Atom, y: Atom, local: set[Var]) -> Atom | None:
    """The merged atom where no result of the `If` is needed."""
    if x == y and x not in local:
        return x
    if x == boolean(True) and y == boolean(False):
        return cond
    if x == boolean(False) and y == boolean(True):
        return c.b.apply("not", cond)
    return None


def _emit(c: Context, cond: Atom, arms: list[Arm], results: list[tuple[Atom, ...]]) -> tuple[Var, ...]:
    if not results[0] and not any(_has_effect(arm.b.stms) for arm in arms):
        return ()

    def body(arm: Arm, atoms: tuple[Atom, ...]) -> Callable[[Builder], tuple[Atom, ...]]:
        def emit(b: Builder) -> tuple[Atom, ...]:
            b.splice(Block(tuple(arm.b.stms), ()))
            return atoms

        return emit

    vars = c.b.if_(cond, body(arms[0], results[0]), body(arms[1], results[1]))
    for var in vars:
        for size in var.type.shape:
            c.sizes.at_least_constant(size, 0)
    return vars


def _has_effect(stms: Collection[Stm]) -> bool:
    """Does a block contain a check?"""
    return any(
        isinstance(stm.expr, Check) or any(_has_effect(lam.body.stms) for lam in lambdas(stm.expr)) for stm in stms
    )


def _adopt(c: Context, shapes: dict[Place, Shape], atoms: list[Atom], meeting: Meeting, names: Collection[str]) -> None:
    """Make the merged state the current one."""
    types: dict[int, Type] = {}
    for leaf, atom in zip(leaves(shapes.values()), atoms, strict=True):
        if isinstance(leaf, Array):
            types[leaf.group] = atom.type
    c.frame.names = {}
    rebuild(c, shapes, atoms, meeting.cells(types, names))


def rebuild(c: Context, shapes: dict[Place, Shape], atoms: Collection[Atom], cells: dict[int, Cell]) -> None:
    """Bind all places to the values that the atoms carry."""
    supply, done = iter(atoms), set[int]()
    for place, shape in shapes.items():
        value = build(c, shape, supply, cells, done)
        if isinstance(place, str):
            c.frame.names[place] = value
        else:
            c.store[place] = value


def is_pure(c: Context, arm: Arm) -> bool:
    """Did a block leave the state alone and emit only scalar operations that can always be executed?"""
    names, before = arm.side.names, c.frame.names
    return (
        arm.side.end is End.OPEN
        and all(names[n] is before.get(n) for n in names if n != VALUE)
        and all(arm.side.store[ref] is contents for ref, contents in c.store.items())
        and all(
            isinstance(stm.expr, Apply) and stm.expr.op != "index" and not stm.vars[0].type.is_array
            for stm in arm.b.stms
        )
    )


def flag(value: Value) -> bool | Atom:
    """A control flag as a constant or an atom."""
    if isinstance(value, bool):
        return value
    atom: Atom = value.atom
    assert atom.type.dtype is BOOL
    return bool(atom.value) if isinstance(atom, Lit) else atom
