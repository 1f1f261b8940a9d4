"""Sums and products over a counter that need no loop.

    sum of c0 + c1 i + ... + c4 i^4         Faulhaber's polynomials in n                             rule Faulhaber
    sum of c q^i                            a geometric series                                       rule geometric
    product of the same a                   a^n                                                      rule product

A term of a sum is taken apart into parts c i^k q^i, whose coefficients do not depend on the index.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ..ir.core import Reduce
from ..ir.types import F64, I64, DType
from ..passes.sums import operators
from .checks import needed
from .graph import Graph, Node, reachable, substituted
from .powers import power
from .read import Reader, UnreadableError
from .recurrences import Closed, conjunction, trusted
from .series import ratio_power, series

HIGHEST = 4
LONGEST = 1 << 17  # up to where i^3 with small coefficients is exact as an integer
# The exponent of the index and the base of its power (None: 1), with their coefficient.
Parts: TypeAlias = "dict[tuple[int, Node | None], Node]"


def close_sum(expr: Reduce) -> Closed:
    """The closed form of a sum or product over a counter; raises `UnreadableError` where none is known."""
    g = Graph()
    reader = Reader(g)
    index = g.symbol(expr.body.params[0])
    reader.bind(expr.body.params, [index])
    kinds = operators(expr)
    if kinds is None or any(x.type.shape for x in expr.neutral) or not {"add", "mul"} >= set(kinds):
        raise UnreadableError("it is not a sum")
    values = reader.block(expr.body.body)
    count = g.atom(expr.size)
    last = g.apply("sub", count, g.const(1, I64))

    def ends(node: Node) -> tuple[Node, Node]:
        first, last_ = (substituted(g, node, {index.number: at}) for at in (g.const(0, I64), last))
        return first, last_

    same, tests = needed(g, reader.conditions, index.mask, ends)
    results: list[Node] = []
    for kind, start, value in zip(kinds, map(reader.atom, expr.neutral), values, strict=True):
        made = _product(g, value, count) if kind == "mul" else _sum(g, index, value, count, tests)
        end = g.apply(kind, start, made)
        if kind == "mul" and end.dtype.is_float:
            tests += trusted(g, made, [made], [])
        results.append(end)
    return Closed(g, count, tuple(results), conjunction(g, tests), tuple(same), ())


def _product(g: Graph, factor: Node, count: Node) -> Node:
    if factor.mask:
        raise UnreadableError("factors of a product differ")
    g.fire("product")
    return ratio_power(g, factor, count) if factor.dtype.is_float else power(g, count, 1, {(0, 0): factor})[0, 0]


def _sum(g: Graph, index: Node, value: Node, count: Node, tests: list[Node]) -> Node:
    parts = _Parts(g, index)
    found = parts.of(value)
    if found is None:
        raise UnreadableError("a term is no polynomial in the index")
    dtype = value.dtype
    terms = [
        _geometric(g, count, coefficient, base) if base is not None and not k else
        _faulhaber(g, count, k, coefficient) if base is None else _refuse()
        for (k, base), coefficient in found.items()
    ]  # fmt: skip
    total = g.total(terms, dtype)
    if dtype.is_float:
        tests += trusted(g, total, terms, [])
    if parts.widened:
        tests.append(g.apply("lt", count, g.const(LONGEST, I64)))
    return total


def _refuse() -> Node:
    raise UnreadableError("a term is the product of a power and a polynomial")


def _faulhaber(g: Graph, count: Node, k: int, coefficient: Node) -> Node:
    """The sum of coefficient * i^k over i < n."""
    g.fire("Faulhaber")
    dtype = coefficient.dtype
    if not dtype.is_float:
        return g.mul(coefficient, _whole(g, count, k, dtype))
    n = g.apply("convert", count, attrs=(dtype,))
    one = g.const(1, dtype)
    less = g.apply("sub", n, one)
    pairs = g.mul(g.mul(n, less), g.const(0.5, dtype))
    odd = g.add(n, less)
    match k:
        case 0:
            total = n
        case 1:
            total = pairs
        case 2:
            total = g.apply("div", g.mul(pairs, odd), g.const(3, dtype))
        case 3:
            total = g.mul(pairs, pairs)
        case _:
            inner = g.apply("sub", g.mul(g.const(6, dtype), pairs), one)
            total = g.apply("div", g.mul(g.mul(pairs, odd), inner), g.const(15, dtype))
    return g.mul(coefficient, total)


def _whole(g: Graph, count: Node, k: int, dtype: DType) -> Node:
    """The sum of i^k over i < n in integers that wrap around: halving is exact where the even factor is halved."""
    n = count if dtype is I64 else g.apply("convert", count, attrs=(dtype,))
    if k == 0:
        return n
    if k > 1 or dtype is not I64:
        raise UnreadableError("a polynomial in integers is of a higher degree")
    one = g.const(1, I64)
    less = g.apply("sub", n, one)
    odd = g.apply("eq", g.apply("and", n, one), one)
    left, right = g.apply("select", odd, less, n), g.apply("select", odd, n, less)
    return g.mul(g.apply("shr", left, one), right)


def _geometric(g: Graph, count: Node, coefficient: Node, base: Node) -> Node:
    """coefficient * (1 + q + ... + q^(n-1))."""
    g.fire("geometric")
    return g.mul(coefficient, series(g, base, count))


# -- parts ------------------------------------------------------------------------------------------


class _Parts:
    """Terms as sums of c i^k q^i. `widened` when a polynomial in integers became a float."""

    def __init__(self, graph: Graph, index: Node) -> None:
        self.g, self.index = graph, index
        self.widened = False
        self._found: dict[int, Parts | None] = {}

    def of(self, node: Node) -> Parts | None:
        for below in reachable([node], self._found):
            self._found[below.number] = self._parts(below)
        return self._found[node.number]

    def _parts(self, node: Node) -> Parts | None:
        if not node.mask & self.index.mask:
            return {(0, None): node}
        if node is self.index:
            return {(1, None): self.g.const(1, I64)}
        rule = _RULES.get(node.op)
        below = [self._found[arg.number] for arg in node.args]
        if rule is None or any(parts is None for parts in below):
            return None
        found = rule(self, node, *below)
        return found if found is None or all(k <= HIGHEST for k, _ in found) else None


Make: TypeAlias = "Callable[..., Parts | None]"


def _plus(p: _Parts, node: Node, x: Parts, y: Parts) -> Parts:
    found = dict(x)
    for key, coefficient in y.items():
        if key in found:
            found[key] = p.g.apply(node.op, found[key], coefficient)
        else:
            found[key] = coefficient if node.op == "add" else p.g.apply("neg", coefficient)
    return found


def _times(p: _Parts, _node: Node, x: Parts, y: Parts) -> Parts:
    found: Parts = {}
    for (k, base), left in x.items():
        for (m, other), right in y.items():
            both = base if other is None else other if base is None else p.g.mul(base, other)
            product = p.g.mul(left, right)
            found[k + m, both] = p.g.add(found[k + m, both], product) if (k + m, both) in found else product
    return found


def _minus(p: _Parts, _node: Node, x: Parts) -> Parts:
    return {key: p.g.apply("neg", coefficient) for key, coefficient in x.items()}


def _over(p: _Parts, node: Node, x: Parts, y: Parts) -> Parts | None:
    if len(y) != 1 or not node.dtype.is_float:
        return None
    (((k, base), divisor),) = y.items()
    if k:
        return None
    if base is not None:
        inverse = p.g.apply("div", p.g.const(1, base.dtype), base)
        x = _times(p, node, x, {(0, inverse): p.g.const(1, base.dtype)})
    return {key: p.g.apply("div", coefficient, divisor) for key, coefficient in x.items()}


def _widened(p: _Parts, node: Node, x: Parts) -> Parts | None:
    """An integer as a float: exact where the integers are small, which is tested."""
    if node.dtype is not F64 or node.args[0].dtype is not I64 or any(k > 3 for k, _ in x):
        return None
    if any(c.value is None or abs(c.value) > 1024 for c in x.values()):
        return None
    p.widened = p.widened or any(k > 1 for k, _ in x)
    return {key: p.g.apply("convert", coefficient, attrs=(F64,)) for key, coefficient in x.items()}


def _raised(p: _Parts, _node: Node, x: Parts, y: Parts) -> Parts | None:
    """q^(a i + b) is q^b (q^a)^i."""
    if set(x) != {(0, None)} or not set(y) <= {(0, None), (1, None)} or (1, None) not in y:
        return None
    base = p.g.apply("pow", x[0, None], y[1, None])
    scale = p.g.apply("pow", x[0, None], y[0, None]) if (0, None) in y else p.g.const(1, base.dtype)
    return {(0, base): scale}


_RULES: dict[str, Make] = {
    "add": _plus, "sub": _plus, "mul": _times, "neg": _minus, "div": _over, "convert": _widened, "pow": _raised,
}  # fmt: skip
