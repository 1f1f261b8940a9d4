"""What `explain()`, `show("segments")` and `show("latex")` say of a segment, in readable mathematics.

A segment is a loop that has a closed form, straight-line code that is differentiated as a whole, a loop that is
differentiated in another way than by keeping states, or a derivative that was shortened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.core import Block, Stm
from ..ir.types import Var
from ..ir.walk import free_vars, substitute
from ..passes.notes import Note
from ..records import dataclass, replace
from .graph import Graph, Node, reachable, substituted
from .latex import LATEX, TEXT, Style, name_of, name_of_var, text
from .read import Reader, UnreadableError
from .recurrences import Closed, System, Unknown

SUBJECT, STRAIGHT, OPERATIONS = "coarsening", "segment", "operations"
MOST = 4  # results of a segment that are written out
# Rules that only bring expressions into their canonical form are not worth telling.
_QUIET = frozenset({"fold", "order", "neutral", "negation", "phi"})


@dataclass(frozen=True, slots=True)
class Segment(Note):
    """What was replaced: its closed form, the rules that made it, operations before and after.

    It is at the line of its place, and ends at the line `last` where that is another.
    """

    formulas: tuple[str, ...] = ()
    latex: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    title: str = "closed form"
    last: int = 0

    @staticmethod
    def of(stm: Stm, closed: Closed, least: int, before: str, after: str) -> Segment:
        rules = tuple(name for name in closed.graph.used if name not in _QUIET)
        formulas = [_formulas(closed, style) for style in (TEXT, LATEX)]
        why = f"from {least} iterations on; {before} operations became {after}; by {', '.join(rules)}"
        decision = f"closed form {'; '.join(formulas[0])}"
        return Segment(stm.pos, SUBJECT, decision, why, formulas[0], formulas[1], rules, before, after)

    @staticmethod
    def straight(title: str, block: Block, rules: Sequence[str], before: str, after: str) -> Segment:
        """Code without loops that is differentiated as a whole."""
        lines = [stm.pos.line for stm in block.stms if stm.pos]
        formulas, latex = _results(block, TEXT), _results(block, LATEX)
        why = f"{before} became {after}; by {', '.join(rules)}"
        pos = min((stm.pos for stm in block.stms if stm.pos), key=lambda pos: (pos.line, pos.col), default=None)
        last = max(lines, default=0)
        return Segment(pos, STRAIGHT, title, why, formulas, latex, tuple(rules), before, after, title, last)

    @staticmethod
    def loop(stm: Stm, title: str, rule: str, before: float, after: float) -> Segment:
        """A loop that is differentiated in another way than by keeping states."""
        costs = f"{before:.0f} n", f"{after:.0f} n"
        why = f"{costs[0]} operations became {costs[1]}; by {rule}"
        return Segment(stm.pos, STRAIGHT, title, why, (), (), (rule,), *costs, title)

    def lines(self, *, latex: bool = False) -> list[str]:
        """The segment on several lines."""
        return [
            f"{self._where}{self.title}",
            *(f"  {formula}" for formula in (self.latex if latex else self.formulas)),
            f"  rules: {', '.join(self.rules)}",
            f"  operations: {self.before} became {self.after}",
        ]

    @property
    def _where(self) -> str:
        if not self.pos:
            return ""
        return f"lines {self.line}-{self.last}: " if self.last > self.line else f"line {self.line}: "


@dataclass(frozen=True, slots=True)
class Shorter(Note):
    """Straight-line operations of a derivative that became fewer."""

    before: int = 0
    after: int = 0

    @staticmethod
    def of(old: Sequence[Stm], new: Sequence[Stm]) -> Shorter:
        why = "by fingerprint: values are made of other values"
        return Shorter(old[0].pos, OPERATIONS, f"{len(old)} became {len(new)}", why, len(old), len(new))

    def lines(self) -> list[str]:
        """The run on several lines."""
        where = f"line {self.line}: " if self.pos else ""
        return [
            f"{where}straight-line derivative",
            "  rules: fingerprint",
            f"  operations: {self.before} became {self.after}",
        ]


def written(closed: Closed, around: Mapping[str, Stm]) -> Closed:
    """The closed form with the operations before the loop in the place of their results, which have no names."""

    def full(node: Node) -> Node:
        todo = [leaf for leaf in reachable([node]) if leaf.op == "leaf" and _is_nameless(leaf, around)]
        if not todo:
            return node
        for leaf in todo:
            reader.statement(around[leaf.attrs[0].name])
        return full(substituted(closed.graph, node, {leaf.number: reader.atom(leaf.attrs[0]) for leaf in todo}))

    reader = Reader(closed.graph)
    systems = [
        System(
            tuple(
                Unknown(u.symbol, full(u.start), {key: full(coefficient) for key, coefficient in u.form.items()})
                for u in system.unknowns
            )
        )
        for system in closed.systems
    ]
    told = tuple(replace(line, nodes=tuple(map(full, line.nodes))) for line in closed.told)
    return replace(closed, count=full(closed.count), systems=tuple(systems), told=told)


def _is_nameless(leaf: Node, around: Mapping[str, Stm]) -> bool:
    var: Var = leaf.attrs[0]
    return var.name.startswith("t.") and var.name in around


def _results(block: Block, style: Style) -> tuple[str, ...]:
    """The results of a block as expressions of what it reads; none where it does not consist of expressions alone."""
    # What has no name in the source is numbered as it comes.
    nameless = [x for x in (*free_vars(block), *block.results) if isinstance(x, Var) and x.name.startswith("t.")]
    names = {x: Var(f"t.{k}", x.type) for k, x in enumerate(dict.fromkeys(nameless), start=1)}
    reader = Reader(Graph())
    try:
        nodes = reader.block(substitute(block, {x: names[x] for x in free_vars(block) if x in names}))
    except UnreadableError:
        return ()
    labels = [name_of_var(names.get(x, x)) for x in block.results if isinstance(x, Var)]
    shown = [f"{label} = {text(node, style)}" for label, node in zip(labels, nodes, strict=True)]
    return tuple(shown) if len(shown) <= MOST else (*shown[:MOST], f"and {len(shown) - MOST} more")


def _formulas(closed: Closed, style: Style) -> tuple[str, ...]:
    found = [_count(closed, style)]
    found += [_system(closed.graph, system, style) for system in closed.systems]
    for line in closed.told:
        template = line.latex if style is LATEX else line.text
        found.append(template.format(*(_factor(node, style) for node in line.nodes)))
    return tuple(filter(None, found))


def _count(closed: Closed, style: Style) -> str:
    if "exit" in closed.graph.used:
        return "N, the number of iterations, by a logarithm"
    if closed.count.op in ("leaf", "const") and closed.entered is None:
        return ""
    return f"N = {text(closed.count, style)}"


def _system(g: Graph, system: System, style: Style) -> str:
    if len(system.unknowns) == 1:
        return _single(system.unknowns[0], style)
    rows = [_row(g, system, unknown, style) for unknown in system.unknowns]
    names = ", ".join(_name(unknown) for unknown in system.unknowns)
    start = ", ".join(text(unknown.start, style) for unknown in system.unknowns)
    return f"({names}) = the N-th power of [{'; '.join(rows)}] after ({start})"


def _row(g: Graph, system: System, unknown: Unknown, style: Style) -> str:
    terms = [
        g.mul(unknown.form[other.symbol.mask], other.symbol)
        for other in system.unknowns
        if other.symbol.mask in unknown.form
    ]
    if 0 in unknown.form:
        terms.append(unknown.form[0])
    return text(g.total(terms, system.dtype), style)


def _single(unknown: Unknown, style: Style) -> str:
    own, offset = unknown.form.get(unknown.symbol.mask), unknown.form.get(0)
    name, times = _name(unknown), style.times
    start = "" if unknown.start.value == 0 else _factor(unknown.start, style)
    step = "" if offset is None or offset.value == 1 else f"{times}{_factor(offset, style)}"
    if own is None:
        return f"{name} = {text(offset, style)}" if offset is not None else ""
    if own.value == 1:
        # What counts the iterations is not the user's.
        counts = unknown.symbol.dtype.is_int and not start and offset is not None and offset.value == 1
        return "" if offset is None or counts else f"{name} = {' + '.join(filter(None, (start, f'N{step}')))}"
    short = own.op in ("leaf", "symbol", "const")
    ratio = _factor(own, style) if short else "q"
    series = "" if offset is None else f"(1 + {ratio} + ... + {ratio}^{{N-1}}){step}"
    power = start and f"{ratio}^N{times}{start}"
    with_ = "" if short else f", q = {text(own, style)}"
    return f"{name} = {' + '.join(filter(None, (power, series))) or '0'}{with_}"


def _name(unknown: Unknown) -> str:
    return name_of(unknown.symbol)


def _factor(node: Node, style: Style) -> str:
    found = text(node, style)
    return found if node.op in ("leaf", "symbol", "index") or (node.op == "const" and found[0] != "-") else f"({found})"


def segments_text(notes: Sequence[Note], *, latex: bool = False) -> str:
    """What became of a function: closed forms, the reasons of loops that stay, segments, and shorter derivatives."""
    lines: list[str] = []
    for note in notes:
        if isinstance(note, Segment):
            lines += note.lines(latex=latex)
        elif isinstance(note, Shorter):
            lines += note.lines()
        elif note.subject in (SUBJECT, STRAIGHT):
            lines.append(str(note))
    return "\n".join(lines) or "there is nothing that could be made coarser"
