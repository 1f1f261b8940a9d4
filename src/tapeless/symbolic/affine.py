"""Which nodes are affine in given symbols, and with which coefficients.

The form of a node is a node for each symbol that it depends on, and one for the rest under the key 0; what is not there
is zero. A sum over an index of something affine is affine, with sums as coefficients (rule `linear`): data that a loop
reads again and again are added up once.
"""

from __future__ import annotations

from typing import TypeAlias

from ..ir.types import BOOL
from .graph import Graph, Node, reachable

# By the bit of the symbol.
Form: TypeAlias = dict[int, Node]


class Forms:
    """The forms of nodes of a graph in the symbols whose bits are in `varying`.

    `aliases` are nodes that count as symbols themselves: the counter of a loop as a float.
    """

    def __init__(self, graph: Graph, varying: int, aliases: dict[int, int] | None = None) -> None:
        self.g, self.varying = graph, varying
        self.aliases = aliases or {}
        self._found: dict[int, Form | None] = {}

    def of(self, node: Node) -> Form | None:
        """The form of a node, or None where it is not affine."""
        if node.number not in self._found:
            for below in reachable([node], self._found):
                self._found[below.number] = self._form(below)
        return self._found[node.number]

    def _form(self, node: Node) -> Form | None:
        if node.number in self.aliases:
            return {self.aliases[node.number]: self.g.const(1, node.dtype)}
        if not node.mask & self.varying:
            return {0: node}
        if node.op == "symbol":
            return {node.mask: self.g.const(1, node.dtype)}
        rule = None if node.dtype is BOOL else _RULES.get(node.op)  # truth values are not added up
        return None if rule is None else rule(self, node)

    def known(self, node: Node) -> Form | None:
        return self._found[node.number]


def _plus(f: Forms, node: Node) -> Form | None:
    x, y = map(f.known, node.args)
    if x is None or y is None:
        return None
    form = dict(x)
    for key, coefficient in y.items():
        if key in form:
            form[key] = f.g.apply(node.op, form[key], coefficient)
        else:
            form[key] = coefficient if node.op == "add" else f.g.apply("neg", coefficient)
    return form


def _minus(f: Forms, node: Node) -> Form | None:
    x = f.known(node.args[0])
    return None if x is None else {key: f.g.apply("neg", coefficient) for key, coefficient in x.items()}


def _times(f: Forms, node: Node) -> Form | None:
    for factor, other in (node.args, node.args[::-1]):
        form = f.known(other)
        if not factor.mask & f.varying and factor.number not in f.aliases and form is not None:
            return {key: f.g.mul(factor, coefficient) for key, coefficient in form.items()}
    return None


def _over(f: Forms, node: Node) -> Form | None:
    x, y = node.args
    form = f.known(x)
    if y.mask & f.varying or form is None or not node.dtype.is_float:
        return None
    return {key: f.g.apply("div", coefficient, y) for key, coefficient in form.items()}


def _choice(f: Forms, node: Node) -> Form | None:
    cond, x, y = node.args
    left, right = f.known(x), f.known(y)
    if cond.mask & f.varying or left is None or right is None:
        return None
    nothing = f.g.const(0, node.dtype)
    f.g.fire("F2")
    keys = dict.fromkeys((*left, *right))
    return {key: f.g.apply("select", cond, left.get(key, nothing), right.get(key, nothing)) for key in keys}


def _sum(f: Forms, node: Node) -> Form | None:
    size, index, body = node.args
    form = f.known(body)
    if size.mask & f.varying or form is None:
        return None
    f.g.fire("linear")
    return {key: f.g.sum(size, index, coefficient) for key, coefficient in form.items()}


_RULES = {"add": _plus, "sub": _plus, "neg": _minus, "mul": _times, "div": _over, "select": _choice, "sum": _sum}
