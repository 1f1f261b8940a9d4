"""Programs as expressions: a block of scalar operations, branches and sums becomes nodes of a graph.

Run-time checks are collected, with the conditions under which they are made: whoever replaces the block makes them
before anything else. What cannot be read raises `UnreadableError`, and the program stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Apply, Block, Check, For, If, Pos, Reduce, Stm
from ..ir.types import Atom, Var
from ..passes.cost import ARRAY_OPS
from ..passes.sums import operators
from ..records import dataclass, field
from .graph import Graph, Node, reachable


class UnreadableError(Exception):
    """This is not an expression; the message says why."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A check `kind` over `args`, made where all of `under` hold as said."""

    kind: str
    args: tuple[Node, ...]
    info: str
    pos: Pos | None
    under: tuple[tuple[Node, bool], ...]


@dataclass(slots=True)
class Reader:
    """Reads blocks; `names` are the nodes of variables."""

    g: Graph
    names: dict[str, Node] = field(default_factory=dict[str, Node])
    conditions: list[Condition] = field(default_factory=list[Condition])
    under: tuple[tuple[Node, bool], ...] = ()

    def bind(self, vars: Sequence[Var], nodes: Sequence[Node]) -> None:
        self.names.update((var.name, node) for var, node in zip(vars, nodes, strict=True))

    def atom(self, atom: Atom) -> Node:
        """The node of an atom; what is not known comes from outside."""
        if isinstance(atom, Var) and atom.name in self.names:
            return self.names[atom.name]
        return self.g.atom(atom)

    def block(self, block: Block) -> list[Node]:
        """The results of a block."""
        for stm in block.stms:
            self.statement(stm)
        return [self.atom(result) for result in block.results]

    def statement(self, stm: Stm) -> None:
        match stm.expr:
            case Apply(op, args, attrs):
                if op in ARRAY_OPS and not (op == "index" and not stm.vars[0].type.shape):
                    raise UnreadableError(f"`{op}` makes an array")
                self.bind(stm.vars, [self.g.apply(op, *map(self.atom, args), attrs=attrs)])
            case If(cond, then, orelse):
                self.bind(stm.vars, self._branch(self.atom(cond), then, orelse))
            case Reduce():
                self.bind(stm.vars, self._sum(stm.expr))
            case Check(kind, args, info):
                nodes = tuple(map(self.atom, args))
                self.conditions.append(Condition(kind, nodes, info, stm.pos, self.under))
            case expr:
                raise UnreadableError(f"a {type(expr).__name__.lower()} has no closed form")

    def _branch(self, cond: Node, then: Block, orelse: Block) -> list[Node]:
        """Both arms, chosen between result by result: scalar operations are total, so that both may be computed."""
        arms: list[list[Node]] = []
        outside = self.under
        for arm, holds in ((then, True), (orelse, False)):
            self.under = (*outside, (cond, holds))
            arms.append(self.block(arm))
        self.under = outside
        if any(_reads(arm) for arm in (then, orelse)):
            raise UnreadableError("an arm of a branch reads an array")
        if any(x is not y and x.type.shape for x, y in zip(*arms, strict=True)):
            raise UnreadableError("a branch chooses between arrays")
        return [x if x.type.shape else self.g.apply("select", cond, x, y) for x, y in zip(*arms, strict=True)]

    def _sum(self, expr: Reduce) -> list[Node]:
        if operators(expr) != ["add"] or expr.neutral[0].type.shape:
            raise UnreadableError("a reduction is not one sum of numbers")
        index = self.g.symbol(expr.body.params[0])
        self.bind(expr.body.params, [index])
        made = len(self.conditions)
        (body,) = self.block(expr.body.body)
        if len(self.conditions) > made:
            raise UnreadableError("terms of a sum are checked")
        if any(node.op == "index" and not node.mask & index.mask for node in reachable([body])):
            # It would be read before the sum, where there may be nothing to add up and nothing to read.
            raise UnreadableError("a term of a sum reads the same element every time")
        total = self.g.sum(self.atom(expr.size), index, body)
        return [self.g.add(self.atom(expr.neutral[0]), total)]


def _reads(block: Block) -> bool:
    return any(isinstance(stm.expr, Apply) and stm.expr.op == "index" for stm in block.stms)


@dataclass(frozen=True, slots=True)
class Iteration:
    """The body of a counted loop as expressions: what is carried becomes `nexts`, from `starts` on, `count` times."""

    reader: Reader
    count: Node
    counter: Node
    carried: tuple[Node, ...]
    starts: tuple[Node, ...]
    nexts: tuple[Node, ...]

    @property
    def graph(self) -> Graph:
        return self.reader.g

    @property
    def varying(self) -> int:
        """The bits of all symbols: the counter's and those of what is carried."""
        return sum(symbol.mask for symbol in (self.counter, *self.carried))


def read_for(loop: For) -> Iteration:
    """Read a counted loop; raises `UnreadableError` where its body is no expression."""
    g = Graph()
    reader = Reader(g)
    counter, *carried = [g.symbol(param) for param in loop.body.params]
    reader.bind(loop.body.params, [counter, *carried])
    nexts = reader.block(loop.body.body)
    starts = tuple(map(reader.atom, loop.init))
    return Iteration(reader, g.atom(loop.count), counter, tuple(carried), starts, tuple(nexts))
