"""Jacobians of blocks: straight-line code by elimination, everything else by sweeps.

The elements of small inputs and results are scalars (`ad.elements`), so that a Jacobian of straight-line code is that
of its linearised graph, accumulated in the order that takes the fewest multiplications. Branches accumulate the
Jacobians of their arms first. Of the derivative of a gradient one triangle is accumulated, and what only the other one
needs is dead code. What is not straight, or would be too long written out, is swept (`ad.direction`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate as accumulated
from itertools import pairwise

from ..ad import planner
from ..ad.compared import cheapest
from ..ad.direction import jacobian_either
from ..ad.elements import Input, Side, assembled
from ..ad.jacobians import Jacobian, jacobian_forward, jacobian_reverse
from ..errors import ArgumentError
from ..ir.build import Builder
from ..ir.core import Block, Pos
from ..ir.types import Atom, Type
from ..passes.notes import Note
from ..records import dataclass
from .emit import accumulate
from .factors import Factor, settled
from .linear import Ends, Linear
from .linearise import linearise
from .methods import How, Plan
from .splits import linear_apart

# So many vertices are looked at, and so many multiplications written out.
MOST = 1000
LONGEST = 3000
SUBJECT = "jacobian"


@dataclass(frozen=True, slots=True)
class Eliminated(Note):
    """What was decided about a Jacobian: its graph with an order, and multiplications inside branches."""

    plan: Plan
    inner: int
    labels: tuple[str, ...]

    @property
    def multiplications(self) -> int:
        """All that are counted."""
        return self.plan.cost + self.inner


def jacobian(b: Builder, block: Block, inputs: Sequence[Input], how: How, memory: planner.Plan) -> Jacobian:
    """The derivative of every result of a block by every input. All are floats."""
    found = planned(block, inputs, how)
    if found is None:
        return _swept(b, block, inputs, how, memory)
    linear, plan = found
    mirrored = how.symmetric and _is_square(linear, inputs)
    if memory.notes is not None:
        memory.notes.put(_note(b.pos, linear, plan, mirrored))
    b.stms.extend(linear.stms)
    entries = accumulate(b, linear, plan.order)
    outputs = [output for row in linear.rows for output in row]

    def cell(place: int, vertex: int) -> Atom | None:
        if mirrored and place < vertex:
            place, vertex = vertex, place
        output = outputs[place]
        found = None if output is None else entries.get((output, vertex))
        return None if found is None else settled(b, found, linear.dtype)

    places = _consecutive(map(len, linear.rows))
    columns = list(zip(inputs, _consecutive(len(given.vars) for given in inputs), strict=True))
    return tuple(
        tuple(
            _entry(b, result.type, given, [[cell(at, k) for k in vertices] for at in row])
            for given, vertices in columns
        )
        for result, row in zip(linear.results, places, strict=True)
    )


def planned(block: Block, inputs: Sequence[Input], how: How) -> tuple[Linear, Plan] | None:
    """The linearised graph of a block and an order; None for code that is swept."""
    vars = [var for given in inputs for var in given.vars]
    # An order that was given is one of the whole; branches choose theirs.
    inside = how if isinstance(how.method, str) else How("auto", how.seconds)

    def arm(b: Builder, linear: Linear) -> tuple[Mapping[Ends, Factor], int]:
        plan = inside.plan(linear.graph)
        return accumulate(b, linear_apart(linear, plan.splits), plan.order), plan.cost

    linear = linearise(block, vars, arm)
    if linear is None or len(linear.graph.shapes) > MOST:
        return None
    plan = how.plan(linear.graph)
    return None if plan.cost + linear.inner > LONGEST else (linear_apart(linear, plan.splits), plan)


def _consecutive(lengths: Iterable[int]) -> list[range]:
    """Ranges of these lengths, one after the other."""
    ends = list(accumulated(lengths, initial=0))
    return [range(start, end) for start, end in pairwise(ends)]


def _is_square(linear: Linear, inputs: Sequence[Input]) -> bool:
    """Is there a result for each input, of as many elements? Then the derivative of a gradient equals its transpose."""
    same = [result.type for result in linear.results] == [given.type for given in inputs]
    return same and [len(row) for row in linear.rows] == [len(given.vars) for given in inputs]


def _entry(b: Builder, row: Type, column: Input, cells: Sequence[Sequence[Atom | None]]) -> Atom:
    """The derivative of one result by one input."""
    return assembled(b, row.dtype, Side(row, is_whole=False), Side(column.type, is_whole=False), cells)


def _swept(b: Builder, block: Block, inputs: Sequence[Input], how: How, memory: planner.Plan) -> Jacobian:
    def build(b: Builder, plan: planner.Plan) -> Sequence[Atom]:
        return [entry for row in _sweeps(b, block, inputs, how, plan) for entry in row]

    entries = iter(b.splice(cheapest(build, memory, b.pos)[0]))
    return tuple(tuple(next(entries) for _ in inputs) for _ in block.results)


def _sweeps(b: Builder, block: Block, inputs: Sequence[Input], how: How, memory: planner.Plan) -> Jacobian:
    match how.method:
        case "auto" if how.symmetric:
            return jacobian_forward(b, block, inputs, memory.collapse)
        case "forward":
            return jacobian_forward(b, block, inputs, memory.collapse)
        case "reverse":
            return jacobian_reverse(b, block, inputs, memory)[1]
        case str():
            return jacobian_either(b, block, inputs, memory)
        case order:
            raise ArgumentError(
                f"method={order} is an order of vertices, and this function has none",
                why="only straight-line code of few numbers is differentiated by eliminating vertices",
                fix='leave the choice to method="auto"',
            )


def _note(pos: Pos | None, linear: Linear, plan: Plan, mirrored: bool) -> Eliminated:
    # What only the other triangle needs is not executed, and not counted out of the cost.
    count = f"for one triangle by less than {plan.cost}" if mirrored else f"by {plan.cost}"
    inside = f", {linear.inner} more inside branches" if linear.inner else ""
    edges = f" and {len(plan.splits)} edges" if plan.splits else ""
    vertices = f"{len(plan.order) - len(plan.splits)} vertices{edges}"
    decision = f"eliminates {vertices} {count} multiplications{inside}, method {plan.method}"
    rules = ", ".join(f"{name} {count}" for name, count in plan.rules.items())
    least = "no order takes fewer" if plan.bound == plan.cost else f"at least {plan.bound}" if plan.bound else ""
    return Eliminated(
        pos, SUBJECT, decision, "; ".join(filter(None, (rules, least))), plan, linear.inner, linear.labels
    )
