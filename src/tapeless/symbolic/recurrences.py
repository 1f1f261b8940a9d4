"""Loops that have a closed form: carried values that are affine in those of the iteration before.

    x = a x + b                      a power of one map                                     rule C6
    x = A x + b                      several unknowns at once, also Fibonacci's and sums    rule coupled
    x = a x + b i                    the counter is one more unknown                        rule counter

a, A and b do not change from one iteration to the next; they may be sums over data (rule linear). Powers of matrices
are by squaring (`powers`), those of one number as in `series`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.types import BOOL, F32, F64, I64, DType, Type, Var, zero
from ..ir.walk import fresh
from ..records import dataclass
from .affine import Form, Forms
from .checks import needed
from .graph import Graph, Node
from .powers import Place, power
from .read import Condition, Iteration, UnreadableError
from .series import ratio_power, series

MOST = 4  # unknowns of one system: a step takes the cube of that
_COUNTED = (F64, F32, I64)


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that changes from one iteration to the next: its symbol, its start, and its form in the symbols."""

    symbol: Node
    start: Node
    form: Form


@dataclass(frozen=True, slots=True)
class System:
    """Unknowns of one type that depend on one another, and the place of each by the bit of its symbol."""

    unknowns: tuple[Unknown, ...]

    @property
    def dtype(self) -> DType:
        return self.unknowns[0].symbol.dtype

    @property
    def steps(self) -> bool:
        """Is an unknown written as itself plus a step?"""
        return self.dtype.is_float and any(_is_step(unknown.form.get(unknown.symbol.mask)) for unknown in self.unknowns)

    def entries(self, g: Graph) -> dict[Place, Node]:
        """The entries of A and b; of A - I where it goes by steps."""
        places = {unknown.symbol.mask: k for k, unknown in enumerate(self.unknowns)} | {0: len(self.unknowns)}
        found: dict[Place, Node] = {}
        for row, unknown in enumerate(self.unknowns):
            for key, coefficient in unknown.form.items():
                found[row, places[key]] = coefficient
            if self.steps:
                step = step_of(g, unknown)
                found[row, row] = step
                if step.value == 0:
                    del found[row, row]
        return found


def _is_step(coefficient: Node | None) -> bool:
    """Is it written as 1 + h or 1 - h?"""
    if coefficient is None or coefficient.op not in ("add", "sub"):
        return False
    first, second = coefficient.args
    return first.value == 1 or (coefficient.op == "add" and second.value == 1)


def step_of(g: Graph, unknown: Unknown) -> Node:
    """The coefficient of an unknown in itself, less one: h as it is written."""
    one = g.const(1, unknown.symbol.dtype)
    coefficient = unknown.form.get(unknown.symbol.mask, g.const(0, unknown.symbol.dtype))
    if not _is_step(coefficient):
        return g.apply("sub", coefficient, one)
    first, second = coefficient.args
    if coefficient.op == "sub":
        return g.apply("neg", second)
    return second if first.value == 1 else first


@dataclass(frozen=True, slots=True)
class Told:
    """A formula in text and in LaTeX, with places {0}, {1}, ... for nodes."""

    text: str
    latex: str
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Closed:
    """What a loop leaves: the values it carries, as expressions that hold where `valid` does (None: everywhere).

    `count` is how often it runs; `conditions` are the checks of an iteration, the same in each. Where there is more to
    find out than to compare `count` with a number, `entered` says whether it runs at all: else nothing may be read.
    `told` says in words what `systems` do not say. Where the iterations stay, but depend on one another less, `pace` is
    what one takes before and after.
    """

    graph: Graph
    count: Node
    results: tuple[Node, ...]
    valid: Node | None
    conditions: tuple[Condition, ...]
    systems: tuple[System, ...]
    entered: Node | None = None
    told: tuple[Told, ...] = ()
    pace: tuple[float, float] | None = None


def close_affine(loop: Iteration) -> Closed:
    """The closed form of a counted loop whose steps are all the same affine map; raises `UnreadableError`."""
    g = loop.graph
    same, tests = needed(g, loop.reader.conditions, loop.varying)
    ticks, aliases = _counters(g, loop.counter)
    unknowns = unknowns_of(loop, Forms(g, loop.varying, aliases))
    keys = {key for unknown in unknowns for key in unknown.form}
    ticking = [tick for tick in ticks if tick.symbol.mask in keys]
    if ticking:
        g.fire("counter")
    systems = split([*unknowns, *ticking])
    g.fire("F4")
    g.fire("C5")
    ends, valid = solve(g, systems, loop.count)
    valid = conjunction(g, [*([] if valid is None else [valid]), *tests])
    found = tuple(ends[symbol.mask] for symbol in loop.carried)
    return Closed(g, loop.count, found, valid, tuple(same), tuple(systems))


def unknowns_of(loop: Iteration, forms: Forms) -> list[Unknown]:
    """What the loop carries, each with its form."""
    return [
        Unknown(symbol, start, affine(forms, result, symbol))
        for symbol, start, result in zip(loop.carried, loop.starts, loop.nexts, strict=True)
    ]


def solve_others(loop: Iteration, own: int) -> tuple[dict[int, Node], list[Node], tuple[System, ...]]:
    """What a loop carries beside the symbols with the bits `own`: affine, and without reading those."""
    g = loop.graph
    forms = Forms(g, loop.varying)
    unknowns = [
        Unknown(symbol, start, affine(forms, result, symbol))
        for symbol, start, result in zip(loop.carried, loop.starts, loop.nexts, strict=True)
        if not symbol.mask & own
    ]
    if any(key & (own | loop.counter.mask) for unknown in unknowns for key in unknown.form):
        raise UnreadableError("what it carries depends on something that is not affine")
    systems = split(unknowns)
    ends, valid = solve(g, systems, loop.count)
    return ends, [] if valid is None else [valid], tuple(systems)


def solve(g: Graph, systems: Sequence[System], count: Node) -> tuple[dict[int, Node], Node | None]:
    """The unknowns after `count` iterations, at least one, by the bits of their symbols; and where that holds."""
    ends: dict[int, Node] = {}
    tests: list[Node] = []
    for system in systems:
        if (end := _arithmetic(g, system, count)) is not None:
            ends[system.unknowns[0].symbol.mask] = end
            continue
        size = len(system.unknowns)
        g.fire("C6" if size == 1 else "coupled")
        alone = size == 1 and system.dtype.is_float
        after = {} if alone else power(g, count, size, system.entries(g), steps=system.steps)
        starts = [unknown.start for unknown in system.unknowns]
        for row, unknown in enumerate(system.unknowns):
            terms = _terms_of_one(g, unknown, count) if alone else _terms(g, system, after, row)
            end = g.total(terms, system.dtype)
            ends[unknown.symbol.mask] = end
            if system.dtype.is_float and not _is_counter(unknown):
                tests += trusted(g, end, terms, starts)
    return ends, conjunction(g, tests)


def _terms(g: Graph, system: System, after: Mapping[Place, Node], row: int) -> list[Node]:
    """What the end of an unknown is the sum of."""
    size, starts = len(system.unknowns), [unknown.start for unknown in system.unknowns]
    terms = [g.mul(after[row, k], start) for k, start in enumerate(starts) if (row, k) in after and start.value != 0]
    if system.steps:
        g.fire("steps")
        terms += [starts[row]] if starts[row].value != 0 else []
    return [*terms, after[row, size]] if (row, size) in after else terms


def _terms_of_one(g: Graph, unknown: Unknown, count: Node) -> list[Node]:
    """Those of a float that depends on itself alone."""
    own, offset = unknown.form.get(unknown.symbol.mask), unknown.form.get(0)
    if own is None:
        return [] if offset is None else [offset]
    step = None
    if _is_step(own):
        g.fire("steps")
        step = step_of(g, unknown)
    terms = [] if unknown.start.value == 0 else [g.mul(ratio_power(g, own, count, step), unknown.start)]
    return terms if offset is None else [*terms, g.mul(offset, series(g, own, count, step))]


def conjunction(g: Graph, tests: Sequence[Node]) -> Node | None:
    """All of some conditions; None for none."""
    valid: Node | None = None
    for test in tests:
        valid = test if valid is None else g.apply("and", valid, test)
    return valid


def _arithmetic(g: Graph, system: System, count: Node) -> Node | None:
    """x + n b for what grows by the same b every time. Nothing to test: that is rounded less often than the loop."""
    (unknown, *others) = system.unknowns
    form = unknown.form
    own = form.get(unknown.symbol.mask)
    if others or own is None or own.value != 1:
        return None
    g.fire("arithmetic")
    if 0 not in form:
        return unknown.start
    times = count if system.dtype is I64 else g.apply("convert", count, attrs=(system.dtype,))
    return g.add(unknown.start, g.mul(times, form[0]))


def trusted(g: Graph, end: Node, terms: Sequence[Node], starts: Sequence[Node]) -> list[Node]:
    """Is the closed form as good as the loop? Nearly nothing cancels, nothing was lost below, and nothing overflows.

    Neither do derivatives: they are larger than the terms by about the number of iterations.
    """
    dtype = end.dtype
    if any(end is start for start in starts):
        return []
    tiny = g.const(2.0**-960 if dtype is F64 else 2.0**-90, dtype)
    scale = g.total([g.apply("abs", term) for term in terms], dtype)
    needed = g.add(scale, g.mul(tiny, g.total([g.apply("abs", start) for start in starts], dtype)))
    enough = g.mul(g.const(1024.0, dtype), g.apply("abs", end))
    largest = g.const(2.0**900 if dtype is F64 else 2.0**90, dtype)
    return [g.apply("lt", scale, largest), g.apply("le", needed, enough)]


def split(unknowns: Sequence[Unknown]) -> list[System]:
    """Unknowns that do not depend on one another in separate systems."""
    groups: list[tuple[int, list[Unknown]]] = []
    for unknown in unknowns:
        mask, members = unknown.symbol.mask, [unknown]
        for key in unknown.form:
            mask |= key
        apart: list[tuple[int, list[Unknown]]] = []
        for other, theirs in groups:
            if other & mask:
                mask, members = mask | other, [*theirs, *members]
            else:
                apart.append((other, theirs))
        groups = [*apart, (mask, members)]
    if any(len(members) > MOST for _, members in groups):
        raise UnreadableError(f"more than {MOST} values depend on one another")
    return [System(tuple(members)) for _, members in groups]


def affine(forms: Forms, result: Node, symbol: Node) -> Form:
    form = forms.of(result)
    if form is None or (symbol.dtype is BOOL and set(form) != {symbol.mask}):
        raise UnreadableError(f"{name_of(symbol)} is not affine in what the iteration before left")
    return form


def _counters(g: Graph, counter: Node) -> tuple[list[Unknown], dict[int, int]]:
    """The counter as unknowns of the number types: it starts at 0 and grows by 1."""
    ticks: list[Unknown] = []
    aliases: dict[int, int] = {}
    for dtype in _COUNTED:
        node = counter if dtype is I64 else g.apply("convert", counter, attrs=(dtype,))
        symbol = counter if dtype is I64 else g.symbol(fresh("i", Type(dtype)))
        aliases[node.number] = symbol.mask
        one = g.const(1, dtype)
        ticks.append(Unknown(symbol, g.atom(zero(dtype)), {symbol.mask: one, 0: one}))
    return ticks, aliases


def _is_counter(unknown: Unknown) -> bool:
    """Whole numbers are exact, or of a size that a loop never counts to."""
    return unknown.start.value == 0 and all(coefficient.value == 1 for coefficient in unknown.form.values())


def name_of(symbol: Node) -> str:
    """The name in the source."""
    var: Var = symbol.attrs[0]
    return var.name.split(".", maxsplit=1)[0]
