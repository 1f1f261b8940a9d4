"""Loops over x = a x^b: monomials of what they carry (rule C9).

    x_n = a^(1 + b + ... + b^(n-1)) * x_0^(b^n)

Exponents are a power and a `series`. They are never multiplied out, and neither are the powers. For positive a and x_0
and b >= 0 the logarithms of x_k go in one direction, so that nothing on the way is larger or smaller than the start and
the end.

An error of u in a factor is one of b^k u after k more steps, of the loop as of the closed form: the loop is off by (1 +
b + ... + b^(n-1)) u. The exponents have errors of the same kind, which count as often as the logarithms of both factors
are large. Factors between 2^-16 and 2^16 are allowed: logarithms of 11 at most, so that the closed form is off by no
more than 24 times what the loop may be off by.
"""

from __future__ import annotations

from ..ir.types import F64
from ..records import dataclass
from .checks import needed
from .graph import Graph, Node, reachable
from .read import Condition, Iteration, UnreadableError
from .recurrences import Closed, Told, conjunction, name_of, solve_others
from .series import ratio_power, series

LARGEST = 2.0**16  # of both factors of the result
OUTERMOST = 2.0**64  # of the start


@dataclass(frozen=True, slots=True)
class Monomial:
    """factor * x^exponent; no exponent for what does not depend on x."""

    factor: Node
    exponent: Node | None


def close_monomial(loop: Iteration) -> Closed:
    """The closed form of a counted loop over a monomial; raises `UnreadableError`."""
    g = loop.graph
    found = {
        symbol.mask: monomial
        for symbol, result in zip(loop.carried, loop.nexts, strict=True)
        if symbol.dtype is F64 and (monomial := _monomial(g, loop.varying, symbol, result)) is not None
    }
    if not found:
        raise UnreadableError("nothing that it carries is a power of itself")
    own = sum(found)
    conditions = [c for c in loop.reader.conditions if not _holds(c, own)]
    same, tests = needed(g, conditions, loop.varying)
    ends, more, systems = solve_others(loop, own)
    tests += more
    told: list[Told] = []
    for symbol, start in zip(loop.carried, loop.starts, strict=True):
        if symbol.mask in found:
            ends[symbol.mask] = _end(g, found[symbol.mask], start, loop.count, tests)
            told.append(_told(symbol, found[symbol.mask], start))
    g.fire("C9")
    results = tuple(ends[symbol.mask] for symbol in loop.carried)
    return Closed(g, loop.count, results, conjunction(g, tests), tuple(same), systems, None, tuple(told))


def _end(g: Graph, step: Monomial, start: Node, count: Node, tests: list[Node]) -> Node:
    assert step.exponent is not None
    parts = [g.apply("pow", start, ratio_power(g, step.exponent, count))]
    tests.append(g.apply("ge", step.exponent, g.const(0, F64)))
    tests += _between(g, start, OUTERMOST)
    if step.factor.value != 1:
        parts.append(g.apply("pow", step.factor, series(g, step.exponent, count)))
        tests.append(g.apply("gt", step.factor, g.const(0, F64)))
    for part in parts:
        tests += _between(g, part, LARGEST)
    return g.mul(*parts) if len(parts) == 2 else parts[0]


def _between(g: Graph, node: Node, largest: float) -> list[Node]:
    return [
        g.apply("ge", node, g.const(1.0 / largest, F64)),
        g.apply("le", node, g.const(largest, F64)),
    ]


def _holds(condition: Condition, own: int) -> bool:
    """Does a check hold whenever the symbols are positive?"""
    (arg, *others) = condition.args
    return not others and not condition.under and _truth(arg, own) is True


def _truth(node: Node, own: int) -> bool | None:
    """What is known of a condition, with positive symbols."""
    match node.op:
        case "not":
            inner = _truth(node.args[0], own)
            return None if inner is None else not inner
        case "or" | "and":
            known = [_truth(arg, own) for arg in node.args]
            decides = node.op == "or"
            return decides if decides in known else None
        case "convert":
            return _truth(node.args[0], own)
        case "ne" | "lt":
            x, y = node.args
            of_symbol = x.op == "symbol" and bool(x.mask & own) and y.value == 0
            mirrored = node.op == "ne" and y.op == "symbol" and bool(y.mask & own) and x.value == 0
            return (node.op == "ne") if of_symbol or mirrored else None
        case "symbol":
            return True if node.mask & own else None
        case _:
            return None


def _told(symbol: Node, step: Monomial, start: Node) -> Told:
    name = name_of(symbol)
    assert step.exponent is not None
    if step.factor.value == 1:
        return Told(f"{name} = {{0}}^({{1}}^N)", f"{name} = {{0}}^{{{{{{1}}^{{{{N}}}}}}}}", (start, step.exponent))
    return Told(
        f"{name} = {{0}}^(1 + {{2}} + ... + {{2}}^(N-1)) * {{1}}^({{2}}^N)",
        rf"{name} = {{0}}^{{{{1 + {{2}} + \cdots + {{2}}^{{{{N-1}}}}}}}} {{1}}^{{{{{{2}}^{{{{N}}}}}}}}",
        (step.factor, start, step.exponent),
    )


# -- reading ----------------------------------------------------------------------------------------


def _monomial(g: Graph, varying: int, symbol: Node, result: Node) -> Monomial | None:
    """The next value as a monomial of the symbol, with another exponent than 1."""
    if not result.mask & symbol.mask or result.mask & varying & ~symbol.mask:
        return None
    found: dict[int, Monomial | None] = {}
    for node in reachable([result]):
        found[node.number] = _of(g, symbol, node, found)
    whole = found[result.number]
    return None if whole is None or whole.exponent is None or whole.exponent.value == 1 else whole


def _of(g: Graph, symbol: Node, node: Node, found: dict[int, Monomial | None]) -> Monomial | None:
    if not node.mask & symbol.mask:
        return Monomial(node, None) if node.dtype is F64 else None
    if node is symbol:
        return Monomial(g.const(1, F64), g.const(1, F64))
    below = [found[arg.number] for arg in node.args]
    if any(part is None for part in below):
        return None
    first, *others = [part for part in below if part is not None]
    match node.op:
        case "mul":
            return Monomial(g.mul(first.factor, others[0].factor), _plus(g, "add", first, others[0]))
        case "div":
            return Monomial(g.apply("div", first.factor, others[0].factor), _plus(g, "sub", first, others[0]))
        case "sqrt":
            return _raised(g, first, g.const(0.5, F64))
        case "pow" if others[0].exponent is None:
            return _raised(g, first, others[0].factor)
        case _:
            return None


def _plus(g: Graph, op: str, x: Monomial, y: Monomial) -> Node:
    nothing = g.const(0, F64)
    return g.apply(op, x.exponent or nothing, y.exponent or nothing)


def _raised(g: Graph, x: Monomial, exponent: Node) -> Monomial:
    assert x.exponent is not None
    factor = x.factor if x.factor.value == 1 else g.apply("pow", x.factor, exponent)
    return Monomial(factor, g.mul(x.exponent, exponent))
