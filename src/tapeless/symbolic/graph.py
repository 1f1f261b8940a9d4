"""Expressions as a graph in which equal ones are the same node.

A node is an operation of the table (`ops/`) over nodes, or one of

    leaf    an atom of the program: a variable from outside, scalar or array
    const   a literal
    symbol  something that varies: a value that a loop carries, or an index
    sum     args (size, index, body): the sum of body over index = 0, ..., size - 1
    power   args (count, entries...): an entry of the n-th power of an affine map (`powers`)
    series  args (count, h, count as a float, (1 + h)^count): the sum of powers of 1 + h (`series`)
    blocks  args (count, counter, starts and entries...): what a recurrence whose steps differ leaves (`blocks`)

Nodes are made by `Graph` alone, which applies the canonical rules first and looks the result up, so that common
sub-expressions cost nothing and building is linear in the size of the program. A node is made after its operands:
sorted by number, nodes are in an order in which they can be computed. `mask` has a bit for
each symbol that a node depends on.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any, cast

from ..ir.core import Apply
from ..ir.op import lookup
from ..ir.types import BOOL, Atom, DType, Lit, Type, Var, zero
from ..passes.fold import fold
from ..records import dataclass
from .rules import fired

_COMMUTATIVE = frozenset({"add", "mul", "min", "max", "and", "or", "xor", "eq", "ne"})


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One expression; compared by identity."""

    op: str
    args: tuple[Node, ...]
    attrs: tuple[Any, ...]
    type: Type
    number: int
    mask: int

    @property
    def dtype(self) -> DType:
        return self.type.dtype

    @property
    def value(self) -> bool | int | float | None:
        """That of a constant."""
        return self.attrs[0].value if self.op == "const" else None

    def __repr__(self) -> str:
        inner = [*map(str, self.attrs), *(f"%{arg.number}" for arg in self.args)]
        return f"%{self.number}={self.op}({', '.join(inner)})"


class Graph:
    """The table of nodes of one segment. `used` are the names of the rules that fired, in order."""

    def __init__(self) -> None:
        self._table: dict[tuple[Any, ...], Node] = {}
        self._symbols = 0
        self.used: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._table)

    def fire(self, name: str) -> None:
        """Remember that a rule was applied."""
        fired[name] += 1
        self.used[name] = self.used.get(name, 0) + 1

    # -- leaves -----------------------------------------------------------------------------------

    def atom(self, atom: Atom) -> Node:
        """A variable from outside, or a literal."""
        if isinstance(atom, Lit):
            return self._node("const", (), (atom,), atom.type)
        return self._node("leaf", (), (atom,), atom.type)

    def const(self, value: float, dtype: DType) -> Node:
        if dtype is BOOL:
            return self.atom(Lit(bool(value), BOOL))
        return self.atom(Lit(float(value) if dtype.is_float else int(value), dtype))

    def symbol(self, var: Var) -> Node:
        """A new symbol; `var` gives its type and its name in texts."""
        bit = 1 << self._symbols
        self._symbols += 1
        return self._node("symbol", (), (var,), var.type, bit)

    # -- operations -------------------------------------------------------------------------------

    def apply(self, op: str, *args: Node, attrs: tuple[Any, ...] = ()) -> Node:
        """An operation of the table in canonical form."""
        type = lookup(op).type_rule(cast(Any, args), attrs)
        if args and all(arg.op == "const" for arg in args):
            folded = fold(Apply(op, tuple(arg.attrs[0] for arg in args), attrs), type)
            if folded is not None:
                self.fire("fold")
                return self.atom(folded)
        if op in _COMMUTATIVE and args[0].number > args[1].number:
            self.fire("order")
            args = args[::-1]
        simpler = _CANONICAL[op](self, *args) if op in _CANONICAL else None
        return self._node(op, args, attrs, type) if simpler is None else simpler

    def sum(self, size: Node, index: Node, body: Node) -> Node:
        """The sum of `body` over the symbol `index` below `size`."""
        return self._node("sum", (size, index, body), (), body.type, size.mask | (body.mask & ~index.mask))

    def power(self, args: tuple[Node, ...], attrs: tuple[Any, ...], dtype: DType) -> Node:
        return self._node("power", args, attrs, Type(dtype))

    def series(self, args: tuple[Node, ...], dtype: DType) -> Node:
        return self._node("series", args, (), Type(dtype))

    def blocks(
        self,
        count: Node,
        counter: Node,
        starts: tuple[Node, ...],
        entries: tuple[Node, ...],
        attrs: tuple[Any, ...],
        dtype: DType,
    ) -> Node:
        args = (count, counter, *starts, *entries)
        mask = 0
        for arg in args:
            mask |= arg.mask
        return self._node("blocks", args, attrs, Type(dtype), mask & ~counter.mask)

    def rebuilt(self, node: Node, args: tuple[Node, ...]) -> Node:
        """The node over other operands."""
        if node.op == "sum":
            return self.sum(*args)
        if node.op == "power":
            return self.power(args, node.attrs, node.dtype)
        if node.op == "series":
            return self.series(args, node.dtype)
        if node.op == "blocks":
            size: int = node.attrs[0].size
            return self.blocks(args[0], args[1], args[2 : 2 + size], args[2 + size :], node.attrs, node.dtype)
        return self.apply(node.op, *args, attrs=node.attrs)

    # -- short names ------------------------------------------------------------------------------

    def add(self, x: Node, y: Node) -> Node:
        return self.apply("add", x, y)

    def mul(self, x: Node, y: Node) -> Node:
        return self.apply("mul", x, y)

    def total(self, nodes: Iterable[Node], dtype: DType) -> Node:
        """The sum of some nodes, from the first on."""
        found = list(nodes)
        result = found[0] if found else self.atom(zero(dtype))
        for node in found[1:]:
            result = self.add(result, node)
        return result

    def _node(
        self, op: str, args: tuple[Node, ...], attrs: tuple[Any, ...], type: Type, mask: int | None = None
    ) -> Node:
        key = (op, attrs, *[arg.number for arg in args]) if op != "symbol" else (op, mask)
        found = self._table.get(key)
        if found is None:
            if mask is None:
                mask = 0
                for arg in args:
                    mask |= arg.mask
            found = self._table[key] = Node(op, args, attrs, type, len(self._table), mask)
        return found


def reachable(roots: Iterable[Node], known: Container[int] = ()) -> list[Node]:
    """All nodes below some, themselves included, operands first; not looking below those with `known` numbers."""
    found: dict[int, Node] = {}
    todo = list(roots)
    while todo:
        node = todo.pop()
        if node.number not in found and node.number not in known:
            found[node.number] = node
            todo.extend(node.args)
    return [found[number] for number in sorted(found)]


def substituted(g: Graph, node: Node, at: Mapping[int, Node]) -> Node:
    """The node with others in the place of symbols, by number."""
    found = dict(at)
    for below in reachable([node], found):
        args = tuple(found[arg.number] for arg in below.args)
        same = all(map(_is_same, args, below.args))
        found[below.number] = below if same else g.rebuilt(below, args)
    return found[node.number]


def _is_same(x: Node, y: Node) -> bool:
    return x is y


# -- canonical rules --------------------------------------------------------------------------------


def _is(node: Node, value: float) -> bool:
    return node.op == "const" and node.attrs[0].value == value


def _add(g: Graph, x: Node, y: Node) -> Node | None:
    for one, other in ((x, y), (y, x)):
        if _is(one, 0):
            g.fire("neutral")
            return other
        if other.op == "neg":
            g.fire("negation")
            return g.apply("sub", one, other.args[0])
    return None


def _sub(g: Graph, x: Node, y: Node) -> Node | None:
    if _is(y, 0):
        g.fire("neutral")
        return x
    if y.op == "neg":
        g.fire("negation")
        return g.apply("add", x, y.args[0])
    if _is(x, 0) and y.dtype is not BOOL:
        g.fire("negation")
        return g.apply("neg", y)
    return None


def _mul(g: Graph, x: Node, y: Node) -> Node | None:
    for one, other in ((x, y), (y, x)):
        if _is(one, 1):
            g.fire("neutral")
            return other
        if _is(one, -1):
            g.fire("negation")
            return g.apply("neg", other)
    return None


def _div(g: Graph, x: Node, y: Node) -> Node | None:
    if _is(y, 1):
        g.fire("neutral")
        return x
    return None


def _neg(g: Graph, x: Node) -> Node | None:
    if x.op == "neg":
        g.fire("negation")
        return x.args[0]
    return None


def _not(g: Graph, x: Node) -> Node | None:
    if x.op == "not":
        g.fire("negation")
        return x.args[0]
    return None


def _select(g: Graph, c: Node, x: Node, y: Node) -> Node | None:
    if c.op == "const":
        g.fire("fold")
        return x if c.value else y
    if x is y:
        g.fire("phi")
        return x
    if c.op == "not":
        g.fire("phi")
        return g.apply("select", c.args[0], y, x)
    if x.op == "select" and x.args[0] is c:
        g.fire("phi")
        return g.apply("select", c, x.args[1], y)
    if y.op == "select" and y.args[0] is c:
        g.fire("phi")
        return g.apply("select", c, x, y.args[2])
    return None


_CANONICAL: dict[str, Any] = {
    "add": _add, "sub": _sub, "mul": _mul, "div": _div, "neg": _neg, "not": _not, "select": _select,
}  # fmt: skip
