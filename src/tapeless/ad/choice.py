"""What the derivative of a region costs in each way, counted bottom-up over the tree of regions.

A region is a block, a branch, a loop, or the body of an operator; its parts are regions. For each loop the cheapest of

    states      keep the states, run the iteration again, go back through it
    tangents    carry a tangent for each input along, and keep nothing: for few inputs
    slopes      keep the entries of the body's Jacobian (`accumulated`)

is known once it is known for the loops inside it, so that all of them are chosen by dynamic programming: with n trips,

    back(loop) = n min(KEPT states + again(body) + back(body), push(body, inputs), slopes(body))

An operation counts what its record says, an edge of the linearised graph a product and a sum, what is kept KEPT for
each number, and what does not fit into registers SPILLED. Costs decide, and are never needed to be right.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..ir.build import Builder
from ..ir.core import Apply, Block, For, If, Stm, While
from ..ir.op import lookup
from ..ir.types import Atom, Lit, Var
from ..ir.walk import free_vars, lambdas
from ..passes.cost import block_cost, statement_count, trips
from ..passes.uses import mentioned, slice_for
from ..records import dataclass

# What keeping a number costs, in multiplications: it is written once and read once.
KEPT = 8
REGISTERS = 16
SPILLED = 2  # a number that is carried and has no register, for each iteration
MOST_INPUTS = 6
SURE = 0.75  # what costs of several tangents must be below, since later passes make either cheaper
LARGEST = 600  # statements of a loop that is pushed: more take too long to compile


@dataclass(frozen=True, slots=True)
class Part:
    """Costs of a part: `slopes` once for all vectors, `edges` for each of them; `back` with what is run again inside.

    `needs` are the values that the return sweep reads.
    """

    slopes: float = 0.0
    edges: float = 0.0
    back: float = 0.0
    needs: frozenset[str] = frozenset()

    def push(self, vectors: int) -> float:
        """What tangents in so many directions cost."""
        return self.slopes + vectors * self.edges


@dataclass(frozen=True, slots=True)
class Ways:
    """What one iteration of a loop costs beside its values, by states kept and by tangents carried."""

    states: float
    tangents: float


class Choice:
    """Costs of the regions of a program in which the variables of these names vary."""

    def __init__(self, varied: Iterable[str]) -> None:
        self.varied = varied if isinstance(varied, set) else set(varied)
        self._parts: dict[int, tuple[Stm, Part]] = {}

    def ways(self, stm: Stm) -> Ways:
        """Of a loop, for one iteration; tangents are only of use if its inputs and results that vary are numbers."""
        expr = stm.expr
        assert isinstance(expr, For | While)
        part, inputs = self.block(expr.body.body), self.inputs(stm)
        carried = sum(var.name in self.varied for var in stm.vars)
        return Ways(
            self._again(expr, part) + part.back + _spilled(2 * carried + len(inputs)),
            part.push(len(inputs)) + _spilled(carried * (1 + len(inputs))),
        )

    def is_ahead(self, stm: Stm) -> bool:
        """Is a loop cheaper by tangents than by states?"""
        found = self.inputs(stm)
        numbers = not any(x.type.shape for x in (*found, *stm.vars) if x.name in self.varied)
        if not numbers or not 1 <= len(found) <= MOST_INPUTS or statement_count(Block((stm,), ())) > LARGEST:
            return False
        ways = self.ways(stm)
        return ways.tangents < (1.0 if len(found) == 1 else SURE) * ways.states

    def inputs(self, stm: Stm) -> list[Var]:
        """What varies of what a statement reads."""
        return [x for x in free_vars(stm.expr) if x.name in self.varied]

    def block(self, block: Block) -> Part:
        """The sum over the statements."""
        parts = [self.statement(stm) for stm in block.stms]
        return Part(
            sum(part.slopes for part in parts),
            sum(part.edges for part in parts),
            sum(part.back for part in parts),
            frozenset[str]().union(*(part.needs for part in parts)),
        )

    def statement(self, stm: Stm) -> Part:
        """A statement with everything inside it."""
        found = self._parts.get(id(stm))
        if found is None:
            # The statement is kept with it, so that no other one can have its identity.
            found = self._parts[id(stm)] = (stm, self._statement(stm))
        return found[1]

    def _statement(self, stm: Stm) -> Part:
        expr = stm.expr
        if not any(var.name in self.varied for var in stm.vars):
            return Part()
        if isinstance(expr, Apply):
            return self._operation(stm, expr)
        bodies = [self.block(lam.body) for lam in lambdas(expr)]
        times, needs = trips(expr), frozenset(mentioned(stm))
        slopes, edges = (times * sum(part.slopes for part in bodies), times * sum(part.edges for part in bodies))
        match expr:
            case For() | While():
                ways = self.ways(stm)
                back = min(ways.states, ways.tangents) if self.is_ahead(stm) else ways.states
            case If(_, then, orelse):
                back = max(_rerun(arm, part) + part.back for arm, part in zip((then, orelse), bodies, strict=True))
            case _:
                back = sum(_rerun(lam.body, part) + part.back for lam, part in zip(lambdas(expr), bodies, strict=True))
        return Part(slopes, edges, times * back, needs)

    def _operation(self, stm: Stm, expr: Apply) -> Part:
        partials = lookup(expr.op).partials
        varying = [k for k, arg in enumerate(expr.args) if isinstance(arg, Var) and arg.name in self.varied]
        if isinstance(partials, str):  # it moves values
            return Part(0.0, len(varying), len(varying), frozenset(mentioned(Stm((), Apply(expr.op, expr.args[1:])))))
        b, factors = Builder(), list[Atom]()
        for k in varying:
            factors.append(partials[k](b, expr.args, stm.vars[0]))
        slopes = block_cost(Block(tuple(b.stms), ()))
        edges = sum(1.0 if isinstance(factor, Lit) and abs(factor.value) == 1 else 2.0 for factor in factors)
        needs = mentioned(Block(tuple(b.stms), tuple(factors)))
        return Part(slopes, edges, slopes + edges, frozenset(needs))

    def _again(self, expr: For | While, part: Part) -> float:
        """What of an iteration is kept and run again for the return sweep; a loop with a condition is counted first."""
        body = expr.body
        again = _slice(body.body, part.needs)
        names = mentioned(again)
        carried = body.params if isinstance(expr, While) else body.params[1:]
        states = sum(param.name in names or param.name in part.needs for param in carried)
        return KEPT * states + block_cost(again) + (_counting(expr) if isinstance(expr, While) else 0.0)


def _counting(expr: While) -> float:
    """What an iteration takes that only finds out whether there is another one."""
    asked = mentioned(expr.cond)
    decides = [x for x, param in zip(expr.body.body.results, expr.cond.params, strict=True) if param.name in asked]
    return block_cost(expr.cond.body) + block_cost(slice_for(expr.body.body, decides, checks=False))


def _rerun(block: Block, part: Part) -> float:
    return block_cost(_slice(block, part.needs))


def _slice(block: Block, needs: Iterable[str]) -> Block:
    """What of a block computes what is needed."""
    names = set(needs)
    return slice_for(block, [var for stm in block.stms for var in stm.vars if var.name in names], checks=False)


def _spilled(numbers: int) -> float:
    return SPILLED * max(0, numbers - REGISTERS)
