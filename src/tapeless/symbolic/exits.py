"""Loops with conditions: how often they run, found without running them.

A loop goes on while all of some comparisons hold; one may count (k < n), one may compare an affine function of a
float x = a x + b with a bound, in the condition or in front of a break. With a >= 0 the values x_k = x* + a^k (x_0 -
x*) go in one direction, so that they cross the bound once, and a logarithm says where (rule exit). The values before
and after the crossing are computed, and must lie on their sides of the bound by more than rounding could have moved
them: else the loop runs, as for every other way in which the guess may be wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import While
from ..ir.types import BOOL, F64, I64
from ..records import dataclass
from .affine import Form, Forms
from .checks import needed
from .graph import Graph, Node, substituted
from .read import Reader, UnreadableError
from .recurrences import Closed, System, Unknown, affine, conjunction, solve, split, step_of

_NEGATED = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
_FOREVER = 1 << 62


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison that holds as long as the loop goes on; `breaks` when it stands in the body, before a break."""

    op: str
    left: Node
    right: Node
    breaks: bool


@dataclass(frozen=True, slots=True)
class Steps:
    """A loop as it is read: what goes on from one iteration to the next, and what leaves by a break.

    `flag` is the place of the carried value that says that there was a break, None without one.
    """

    symbols: tuple[Node, ...]
    starts: tuple[Node, ...]
    nexts: tuple[Node, ...]
    leaving: tuple[Node, ...]
    tests: tuple[Test, ...]
    flag: int | None


def close_while(loop: While) -> Closed:
    """The closed form of a loop with a condition; raises `UnreadableError` where none is known."""
    g = Graph()
    reader = Reader(g)
    steps = _read(g, reader, loop)
    others = [k for k in range(len(steps.symbols)) if k != steps.flag]
    varying = sum(symbol.mask for symbol in steps.symbols)
    same, more = needed(g, reader.conditions, varying)
    forms = Forms(g, varying)
    unknowns = [
        Unknown(steps.symbols[k], steps.starts[k], affine(forms, steps.nexts[k], steps.symbols[k])) for k in others
    ]
    systems = split(unknowns)
    solver = _Solver(g, forms, systems)
    most, crossing = solver.bounds(steps.tests)
    g.fire("F4")
    g.fire("C5")
    if crossing is None:
        count, tests = most, list[Node]()
        ends, valid = solve(g, systems, count)
        broke = g.const(False, BOOL)
    else:
        count, before, ends, tests = solver.crossed(crossing, most)
        valid = before
        broke = g.apply("ne", count, most) if crossing.breaks else g.const(False, BOOL)
    valid = conjunction(g, [*([] if valid is None else [valid]), *tests, *more])
    results = tuple(
        broke if k == steps.flag else _left(g, forms, ends, broke, steps.symbols[k], steps.leaving[k])
        for k in range(len(steps.symbols))
    )
    entered = _entered(g, steps)
    return Closed(g, count, results, valid, tuple(same), tuple(systems), entered)


# -- reading ----------------------------------------------------------------------------------------


def _read(g: Graph, reader: Reader, loop: While) -> Steps:
    symbols = tuple(g.symbol(param) for param in loop.body.params)
    reader.bind(loop.cond.params, symbols)
    (goes_on,) = reader.block(loop.cond.body)
    if reader.conditions:
        raise UnreadableError("the condition is checked")
    reader.bind(loop.body.params, symbols)
    results = reader.block(loop.body.body)
    starts = tuple(map(reader.atom, loop.init))
    conjuncts = list(_parts(goes_on, "and"))
    flag = next((k for k, start in enumerate(starts) if _is_flag(symbols[k], start, conjuncts)), None)
    tests: list[Test] = []
    for node in conjuncts:
        if flag is None or not (node.op == "not" and node.args[0] is symbols[flag]):
            tests.append(_comparison(node, negated=False, breaks=False))
    nexts, leaving = results, list(symbols)
    if flag is not None:
        stops = results[flag]
        tests += [_comparison(node, negated=True, breaks=True) for node in _parts(stops, "or")]
        pairs = [
            (node.args[2], node.args[1]) if node.op == "select" and node.args[0] is stops else (node, node)
            for node in results
        ]
        g.fire("F2")
        nexts, leaving = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        used = (*(nexts[k] for k in range(len(symbols)) if k != flag), *(t.left for t in tests))
        if any(node.mask & symbols[flag].mask for node in used):
            raise UnreadableError("an iteration reads whether there was a break")
    return Steps(symbols, starts, tuple(nexts), tuple(leaving), tuple(tests), flag)


def _is_flag(symbol: Node, start: Node, conjuncts: Sequence[Node]) -> bool:
    return start.value is False and any(node.op == "not" and node.args[0] is symbol for node in conjuncts)


def _parts(node: Node, op: str) -> Sequence[Node]:
    """The operands of nested conjunctions or disjunctions."""
    if node.op != op:
        return [node]
    return [part for arg in node.args for part in _parts(arg, op)]


def _comparison(node: Node, *, negated: bool, breaks: bool) -> Test:
    while node.op == "not":
        node, negated = node.args[0], not negated
    if node.op not in _NEGATED:
        raise UnreadableError("the loop does not end by a comparison")
    op = _NEGATED[node.op] if negated else node.op
    return Test(op, node.args[0], node.args[1], breaks)


def _entered(g: Graph, steps: Steps) -> Node:
    """Does the loop run its body at all? The comparisons of its condition, at the start."""
    at = dict(zip((symbol.number for symbol in steps.symbols), steps.starts, strict=True))
    found = g.const(True, BOOL)
    for test in steps.tests:
        if not test.breaks:
            sides = [substituted(g, side, at) for side in (test.left, test.right)]
            holds = g.apply(test.op, *sides)
            found = holds if found.op == "const" else g.apply("and", found, holds)
    return found


def _left(g: Graph, forms: Forms, ends: dict[int, Node], broke: Node, symbol: Node, leaving: Node) -> Node:
    """What a carried value is behind the loop: what a break leaves, or what the last iteration left."""
    end = ends[symbol.mask]
    if leaving is symbol:
        g.fire("F5")
        return end
    form = affine(forms, leaving, symbol)
    return g.apply("select", broke, _at(g, form, ends, symbol), end)


def _at(g: Graph, form: Form, values: dict[int, Node], symbol: Node) -> Node:
    if symbol.dtype is BOOL:  # one that the loop hands on, or another that is known
        ((key, known),) = form.items()
        return values.get(key, known)
    terms = [coefficient if key == 0 else g.mul(coefficient, values[key]) for key, coefficient in form.items()]
    return g.total(terms, symbol.dtype)


# -- solving ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Crossing:
    """A float unknown that crosses a bound: goes on while left `op` right, both affine in it."""

    op: str
    left: Form
    right: Form
    unknown: Unknown
    breaks: bool


class _Solver:
    def __init__(self, graph: Graph, forms: Forms, systems: Sequence[System]) -> None:
        self.g, self.forms, self.systems = graph, forms, systems
        self.unknowns = {unknown.symbol.mask: unknown for system in systems for unknown in system.unknowns}

    def bounds(self, tests: Sequence[Test]) -> tuple[Node, _Crossing | None]:
        """How often the loop runs at most, by counting; and the bound that a float crosses, if there is one."""
        most: Node | None = None
        crossing: _Crossing | None = None
        for test in tests:
            if test.left.dtype is I64 and not test.breaks:
                runs = self._counted(test)
                most = runs if most is None else self.g.apply("min", most, runs)
            elif test.left.dtype.is_float and crossing is None:
                crossing = self._crossing(test)
            else:
                raise UnreadableError("the loop ends by more than a count and a bound")
        if most is None and crossing is None:
            raise UnreadableError("the loop does not end by a comparison")
        return self.g.const(_FOREVER, I64) if most is None else most, crossing

    def _counted(self, test: Test) -> Node:
        """How often k < n holds for a k that grows by one, or n < k for one that falls."""
        for op, k, n in ((test.op, test.left, test.right), (_MIRRORED[test.op], test.right, test.left)):
            unknown = self.unknowns.get(k.mask) if k.op == "symbol" else None
            if unknown is None or n.mask & self.forms.varying or unknown.form.get(k.mask, k).value != 1:
                continue
            step = unknown.form[0].value if set(unknown.form) == {0, k.mask} else None
            if op in ("lt", "le") and step == 1:
                runs = self.g.apply("sub", n, unknown.start)
            elif op in ("gt", "ge") and step == -1:
                runs = self.g.apply("sub", unknown.start, n)
            else:
                continue
            if op in ("le", "ge"):
                runs = self.g.add(runs, self.g.const(1, I64))
            return self.g.apply("max", runs, self.g.const(0, I64))
        raise UnreadableError("what it counts does not go up or down by one")

    def _crossing(self, test: Test) -> _Crossing:
        left, right = self.forms.of(test.left), self.forms.of(test.right)
        if left is None or right is None:
            raise UnreadableError("the loop ends by something that is not affine in what it carries")
        keys = {key for key in (*left, *right) if key}
        system = next((s for s in self.systems if {u.symbol.mask for u in s.unknowns} >= keys), None)
        if len(keys) != 1 or system is None or len(system.unknowns) != 1:
            raise UnreadableError("the loop ends by something that depends on several values")
        return _Crossing(test.op, left, right, system.unknowns[0], test.breaks)

    def crossed(self, c: _Crossing, most: Node) -> tuple[Node, Node | None, dict[int, Node], list[Node]]:
        """How often the loop runs, where the closed form before the last iteration holds, the ends, and more tests."""
        g, unknown = self.g, c.unknown
        key, dtype = unknown.symbol.mask, unknown.symbol.dtype
        g.fire("exit")
        step = step_of(g, unknown)
        count = self._guess(c, most, step)
        earlier = g.apply("max", g.apply("sub", count, g.const(1, I64)), g.const(1, I64))
        before, valid = solve(g, self.systems, earlier)
        ends = {symbol: _at(g, other.form, before, other.symbol) for symbol, other in self.unknowns.items()}
        # Where the loop ends by its count alone, it need not have crossed the bound.
        ended = g.apply("or", g.apply("eq", count, most), self._beyond(c, _NEGATED[c.op], ends[key], count))
        tests = [
            g.apply("ge", step, g.const(-1, dtype)),
            self._beyond(c, c.op, unknown.start, count),
            self._beyond(c, c.op, before[key], count),
            ended,
        ]
        return count, valid, ends, tests

    def _guess(self, c: _Crossing, most: Node, step: Node) -> Node:
        """The first k with x_k beyond the bound: a^k = (bound - x*) / (x_0 - x*), or most where there is none."""
        g, unknown = self.g, c.unknown
        key, dtype = unknown.symbol.mask, unknown.symbol.dtype
        nothing = g.const(0, dtype)
        slope = g.apply("sub", c.left.get(key, nothing), c.right.get(key, nothing))
        rest = g.apply("sub", c.right.get(0, nothing), c.left.get(0, nothing))
        bound, start, offset = g.apply("div", rest, slope), unknown.start, unknown.form.get(0, nothing)
        fixed = g.apply("div", offset, g.apply("neg", step))
        left = g.apply("div", g.apply("sub", bound, fixed), g.apply("sub", start, fixed))
        geometric = g.apply("div", g.apply("log", left), g.apply("log1p", step))
        arithmetic = g.apply("div", g.apply("sub", bound, start), offset)
        turns = g.apply("ceil", g.apply("select", g.apply("eq", step, nothing), arithmetic, geometric))
        wide = turns if dtype is F64 else g.apply("convert", turns, attrs=(F64,))
        limit = g.apply("convert", most, attrs=(F64,))
        within = g.apply("and", g.apply("gt", wide, g.const(0.0, F64)), g.apply("lt", wide, limit))
        return g.apply("select", within, g.apply("convert", wide, attrs=(I64,)), most)

    def _beyond(self, c: _Crossing, op: str, value: Node, count: Node) -> Node:
        """Does left `op` right hold at a value, by more than rounding may have moved both?"""
        g, dtype, key = self.g, value.dtype, c.unknown.symbol.mask
        sides = [[(x if k == 0 else g.mul(x, value)) for k, x in side.items()] for side in (c.left, c.right)]
        left, right = (g.total(side, dtype) for side in sides)
        sizes = [g.apply("abs", term) for side in sides for term in side]
        # The value is a sum of terms that are not larger than the start and the value together.
        start = g.apply("abs", c.unknown.start)
        sizes += [g.mul(g.apply("abs", side[key]), start) for side in (c.left, c.right) if key in side]
        unit = 2.0**-45 if dtype is F64 else 2.0**-16
        steps = g.add(g.apply("convert", count, attrs=(dtype,)), g.const(16.0, dtype))
        margin = g.mul(g.mul(steps, g.const(unit, dtype)), g.total(sizes, dtype))
        gap = g.apply("sub", left, right) if op in ("gt", "ge") else g.apply("sub", right, left)
        return g.apply("gt", gap, margin)
