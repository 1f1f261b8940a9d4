"""Expressions as people write them: in one line of text, or in LaTeX.

Names are those of the source. What gets longer than a line is cut off: it is there to be read.
"""

from __future__ import annotations

from ..ir.types import Lit, Var
from ..records import dataclass
from .graph import Node

LONGEST = 160  # characters
MOST = 120  # nodes

# How tightly an operation binds.
_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4
_SIGNS = {"add": "+", "sub": "-"}
_COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "=", "ne": "!="}


@dataclass(frozen=True, slots=True)
class Style:
    """What differs between text and LaTeX."""

    times: str
    fraction: str
    sum: str
    function: str
    choice: str
    left: str = "("
    right: str = ")"


TEXT = Style(" * ", "{0} / {1}", "sum_{0}<{1} {2}", "{0}({1})", "({1} if {0} else {2})")
LATEX = Style(
    " ",
    r"\frac{{{0}}}{{{1}}}",
    r"\sum_{{{0} < {1}}} {2}",
    r"\operatorname{{{0}}}\left({1}\right)",
    r"\begin{{cases}} {1} & {0} \\ {2} & \text{{else}} \end{{cases}}",
    r"\left(",
    r"\right)",
)


def text(node: Node, style: Style = TEXT) -> str:
    """A node as text."""
    found = _Printer(style).of(node, 0)
    return found if len(found) <= LONGEST or style is LATEX else found[: LONGEST - 4] + " ..."


def name_of(node: Node) -> str:
    """The name of a leaf or symbol in the source."""
    return name_of_var(node.attrs[0])


def name_of_var(var: Var) -> str:
    """The name of a variable in the source; what has none there is told apart by its number."""
    name, _, number = var.name.partition(".")
    return f"{name}{number}" if name == "t" else name


class _Printer:
    def __init__(self, style: Style) -> None:
        self.style = style
        # What is shared is written out each time: the tree may be far larger than the graph.
        self.left = MOST

    def of(self, node: Node, around: int) -> str:
        self.left -= 1
        if self.left < 0:
            return "..."
        written, binds = self._written(node)
        return written if binds >= around else f"{self.style.left}{written}{self.style.right}"

    def _written(self, node: Node) -> tuple[str, int]:
        s, args = self.style, node.args
        match node.op:
            case "const":
                lit: Lit = node.attrs[0]
                negative = not isinstance(lit.value, bool) and lit.value < 0
                return (f"{lit.value:g}" if isinstance(lit.value, float) else str(lit.value)), (
                    _SUM if negative else _ATOM
                )
            case "leaf" | "symbol":
                return name_of(node), _ATOM
            case "add" | "sub":
                left, right = self.of(args[0], _SUM), self.of(args[1], _SUM if node.op == "add" else _PRODUCT)
                return f"{left} {_SIGNS[node.op]} {right}", _SUM
            case "mul":
                if args[0] is args[1]:
                    return f"{self.of(args[0], _ATOM)}^2", _POWER
                left, right = args if args[1].op != "const" else args[::-1]
                return f"{self.of(left, _PRODUCT)}{s.times}{self.of(right, _PRODUCT)}", _PRODUCT
            case "div":
                inner = 0 if s is LATEX else _PRODUCT
                return s.fraction.format(
                    self.of(args[0], inner), self.of(args[1], 0 if s is LATEX else _POWER)
                ), _PRODUCT
            case "neg":
                return f"-{self.of(args[0], _PRODUCT)}", _SUM
            case "convert":
                return self._written(args[0])
            case "index":
                return f"{self.of(args[0], _ATOM)}[{', '.join(self.of(arg, 0) for arg in args[1:])}]", _ATOM
            case "sum":
                parts = [self.of(args[1], 0), self.of(args[0], _ATOM), self.of(args[2], _PRODUCT)]
                return s.sum.format(*parts), _PRODUCT
            case "select":
                return s.choice.format(*(self.of(arg, 0) for arg in args)), _ATOM
            case op if op in _COMPARISONS:
                return f"{self.of(args[0], _SUM)} {_COMPARISONS[op]} {self.of(args[1], _SUM)}", 0
            case op:
                return s.function.format(op, ", ".join(self.of(arg, 0) for arg in args)), _ATOM
