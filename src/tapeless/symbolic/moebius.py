"""Loops over x = (a x + b) / (c x + d) (rule Moebius).

Let l be the larger eigenvalue of ((a, b), (c, d)), k the ratio of the smaller one to it, and y the fixed point with c y
+ d = l. Then z = x - y goes to k z / (1 + g z), g = c / l, and 1 / z to (1 / z + g) / k, which is affine: rule C6. So

    x_n = y + k^n z_0 / e_n,   e_j = 1 + g z_0 (1 + k + ... + k^(j-1))

and c x_j + d is l e_{j+1} / e_j. For k >= 0 all e_j lie between 1 and e_n, for k < 0 between 1 and e_1: if both are
positive, there is no pole on the way. Near the fixed point the value and its derivatives keep their digits, as they do
in the loop.
"""

from __future__ import annotations

from ..ir.types import F64
from ..records import dataclass
from .checks import needed
from .graph import Graph, Node, reachable
from .read import Iteration, UnreadableError
from .recurrences import Closed, Told, conjunction, name_of, solve_others
from .series import ratio_power, series

MARGIN = 2.0**10  # what may cancel
APART = 2.0**-20  # of eigenvalues


@dataclass(frozen=True, slots=True)
class Quotient:
    """(a x + b) / (c x + d)."""

    a: Node
    b: Node
    c: Node
    d: Node


def close_quotient(loop: Iteration) -> Closed:
    """The closed form of a counted loop over a quotient of affine functions; raises `UnreadableError`."""
    g = loop.graph
    found: dict[int, tuple[Quotient, Node]] = {}
    for symbol, result in zip(loop.carried, loop.nexts, strict=True):
        if symbol.dtype is F64 and (quotient := _quotient(g, loop.varying, symbol, result)) is not None:
            found[symbol.mask] = quotient
    if not found:
        raise UnreadableError("nothing that it carries is a quotient of affine functions of itself")
    below = {divisor.number for _, divisor in found.values()}
    conditions = [
        c for c in loop.reader.conditions if not (c.kind == "nonzero" and not c.under and c.args[0].number in below)
    ]
    same, tests = needed(g, conditions, loop.varying)
    ends, more, systems = solve_others(loop, sum(found))
    tests += more
    told: list[Told] = []
    for symbol, start in zip(loop.carried, loop.starts, strict=True):
        if symbol.mask in found:
            quotient = found[symbol.mask][0]
            ends[symbol.mask] = _end(g, quotient, start, loop.count, tests)
            told.append(_told(symbol, quotient, start))
    g.fire("Moebius")
    results = tuple(ends[symbol.mask] for symbol in loop.carried)
    return Closed(g, loop.count, results, conjunction(g, tests), tuple(same), systems, None, tuple(told))


def _end(g: Graph, m: Quotient, start: Node, count: Node, tests: list[Node]) -> Node:
    """x after `count` iterations, at least one."""

    def f(op: str, *args: Node) -> Node:
        return g.apply(op, *args)

    one, margin = g.const(1.0, F64), g.const(MARGIN, F64)
    larger, ratio, fixed = _eigenvalues(g, m, tests)
    pole = f("div", m.c, larger)
    apart = f("sub", start, fixed)
    pull = f("mul", pole, apart)
    first, last = f("add", one, pull), f("add", one, f("mul", pull, series(g, ratio, count)))
    rest = f("div", f("mul", ratio_power(g, ratio, count), apart), last)
    end = f("add", fixed, rest)
    low, high = f("min", first, last), f("max", first, last)
    tests += [
        f("gt", f("mul", margin, low), f("max", one, high)),
        f("lt", high, margin),
        _kept(g, larger, [f("mul", m.c, fixed), m.d]),
        _kept(g, end, [fixed, rest]),
    ]
    return end


def _eigenvalues(g: Graph, m: Quotient, tests: list[Node]) -> tuple[Node, Node, Node]:
    """The larger eigenvalue, the ratio of the smaller one to it, and the fixed point of the larger one."""

    def f(op: str, *args: Node) -> Node:
        return g.apply(op, *args)

    zero, half = g.const(0.0, F64), g.const(0.5, F64)
    trace, difference = f("add", m.a, m.d), f("sub", m.a, m.d)
    cross = f("mul", m.b, m.c)
    spread = f("add", f("mul", difference, difference), f("mul", g.const(4.0, F64), cross))
    tests.append(f("gt", spread, f("mul", g.const(APART, F64), f("mul", trace, trace))))
    tests.append(f("gt", f("abs", trace), zero))
    size = f("sqrt", spread)
    root = f("select", f("lt", trace, zero), f("neg", size), size)
    larger = f("mul", half, f("add", trace, root))
    determinant = f("sub", f("mul", m.a, m.d), cross)
    # Of the two forms of a root of a quadratic equation the one in which nothing cancels.
    agrees = f("ge", f("mul", difference, root), zero)
    straight = f("div", f("mul", half, f("add", difference, root)), m.c)
    mirrored = f("div", m.b, f("mul", half, f("sub", root, difference)))
    fixed = f("select", agrees, straight, mirrored)
    return larger, f("div", f("div", determinant, larger), larger), fixed


def _kept(g: Graph, total: Node, terms: list[Node]) -> Node:
    """Has a sum most of the digits of its terms?"""
    sizes = g.total([g.apply("abs", term) for term in terms], F64)
    return g.apply("le", sizes, g.mul(g.const(MARGIN, F64), g.apply("abs", total)))


def _told(symbol: Node, m: Quotient, start: Node) -> Told:
    name = name_of(symbol)
    return Told(
        f"{name} = y + k^N * z / (1 + ({{2}} / l) * z * (1 + k + ... + k^(N-1))), z = {{4}} - y; "
        "l, k * l eigenvalues and y the fixed point of [{0}, {1}; {2}, {3}]",
        rf"{name} = y + \frac{{{{\kappa^{{{{N}}}} z}}}}{{{{1 + \frac{{{{{{2}}}}}}{{{{\lambda}}}} z"
        r" (1 + \kappa + \cdots + \kappa^{{N-1}})}},\ z = {4} - y,\ "
        r"\lambda, \kappa \lambda\text{{ eigenvalues, }}y\text{{ fixed point of }}"
        r"\begin{{pmatrix}} {0} & {1} \\ {2} & {3} \end{{pmatrix}}",
        (m.a, m.b, m.c, m.d, start),
    )


# -- reading ----------------------------------------------------------------------------------------


def _quotient(g: Graph, varying: int, symbol: Node, result: Node) -> tuple[Quotient, Node] | None:
    """The next value as a quotient, and the one divisor in it that depends on the symbol."""
    if result.mask & varying & ~symbol.mask:
        return None
    found: dict[int, Quotient | None] = {}
    divisors: dict[int, Node] = {}
    for node in reachable([result]):
        found[node.number] = _of(g, symbol, node, found)
        if node.op == "div" and node.args[1].mask & symbol.mask:
            divisors[node.args[1].number] = node.args[1]
    whole = found[result.number]
    if whole is None or len(divisors) != 1 or whole.c.value == 0:
        return None
    (divisor,) = divisors.values()
    return whole, divisor


def _of(g: Graph, symbol: Node, node: Node, found: dict[int, Quotient | None]) -> Quotient | None:
    zero, one = g.const(0.0, F64), g.const(1.0, F64)
    if node.dtype is not F64:
        return None
    if not node.mask & symbol.mask:
        return Quotient(zero, node, zero, one)
    if node is symbol:
        return Quotient(one, zero, zero, one)
    below = [found[arg.number] for arg in node.args]
    if any(part is None for part in below):
        return None
    parts = [part for part in below if part is not None]
    match node.op:
        case "neg":
            (x,) = parts
            return Quotient(_product(g, g.const(-1.0, F64), x.a), _product(g, g.const(-1.0, F64), x.b), x.c, x.d)
        case "add" | "sub":
            return _sum(g, node.op, *parts)
        case "mul":
            return _scaled(g, *parts)
        case "div":
            return _divided(g, *parts)
        case _:
            return None


def _sum(g: Graph, op: str, x: Quotient, y: Quotient) -> Quotient | None:
    """Over the same denominator, or with something that does not depend on x."""
    if x.c is y.c and x.d is y.d:
        return Quotient(g.apply(op, x.a, y.a), g.apply(op, x.b, y.b), x.c, x.d)
    if y.a.value == 0 and y.c.value == 0 and y.d.value == 1:
        return Quotient(g.apply(op, x.a, _product(g, y.b, x.c)), g.apply(op, x.b, _product(g, y.b, x.d)), x.c, x.d)
    if x.a.value == 0 and x.c.value == 0 and x.d.value == 1:
        left = _product(g, x.b, y.c), _product(g, x.b, y.d)
        return Quotient(g.apply(op, left[0], y.a), g.apply(op, left[1], y.b), y.c, y.d)
    return None


def _scaled(g: Graph, x: Quotient, y: Quotient) -> Quotient | None:
    for factor, other in ((x, y), (y, x)):
        if factor.a.value == 0 and factor.c.value == 0 and factor.d.value == 1:
            return Quotient(_product(g, factor.b, other.a), _product(g, factor.b, other.b), other.c, other.d)
    return None


def _divided(g: Graph, x: Quotient, y: Quotient) -> Quotient | None:
    if y.a.value == 0 and y.c.value == 0 and y.d.value == 1:
        return Quotient(_over(g, x.a, y.b), _over(g, x.b, y.b), x.c, x.d)
    if x.a.value == 0 and x.c.value == 0 and x.d.value == 1:
        return Quotient(_product(g, x.b, y.c), _product(g, x.b, y.d), y.a, y.b)
    if x.c is y.c and x.d is y.d:
        return Quotient(x.a, x.b, y.a, y.b)
    return None


def _product(g: Graph, x: Node, y: Node) -> Node:
    """x y, without what is multiplied by zero."""
    return x if x.value == 0 else y if y.value == 0 else g.mul(x, y)


def _over(g: Graph, x: Node, y: Node) -> Node:
    return x if x.value == 0 else g.apply("div", x, y)
