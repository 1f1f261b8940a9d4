"""Mistakes planted in the derivative rules: every single change of a file of `ad/`, made in its syntax tree.

`mutants(path)` exchanges operations, swaps operands and arms, shifts signs, indices and constants by one, drops
contributions, negates conditions and weakens them. A mutant is named by its file and the text of the expression that it
changes, with a number where that occurs several times, so that its name outlives lines that move. `mutant_judge` asks
the laws for a verdict on each.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

EXCHANGED = {"add": "sub", "sub": "add", "mul": "add", "div": "mul", "min": "max", "max": "min", "eq": "ne", "ne": "eq",
             "lt": "le", "le": "lt", "gt": "ge", "ge": "gt", "and": "or", "or": "and", "accumulate": "update",
             "update": "accumulate"}  # fmt: skip
COMMUTE = {"add", "mul", "and", "or", "xor", "eq", "ne", "min", "max"}
COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
            ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
            ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed source of one module; `lines` are those of the changed statement, when it stands in a function."""

    module: str
    line: int
    lines: range | None
    change: str
    source: str
    package: str = "ad"  # the folder of the module

    @property
    def name(self) -> str:
        return f"{self.module}: {self.change}"

    def __str__(self) -> str:
        return f"{self.module}.py:{self.line}: {self.change}"


def mutants(path: Path) -> Iterator[Mutant]:
    """Every single change of a file."""
    tree = ast.parse(path.read_text())
    spans = _spans(tree)
    seen: Counter[str] = Counter()
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.expr | ast.stmt)]
    for node in nodes:
        shown = ast.unparse(node).splitlines()[0][:90]
        for words in _changes(node):  # made in the tree, and undone before the next
            change = f"{words}: {shown}"
            seen[change] += 1
            which = f" ({seen[change]})" if seen[change] > 1 else ""
            yield Mutant(path.stem, node.lineno, spans.get(node), change + which, ast.unparse(tree), path.parent.name)


def unchanged(path: Path) -> Mutant:
    """A file as it is, as its parse tree says it: what judges a mutant must be content with this."""
    return Mutant(path.stem, 0, None, "nothing", ast.unparse(ast.parse(path.read_text())), path.parent.name)


def _spans(tree: ast.AST) -> dict[ast.AST, range]:
    """The lines of the innermost statement of a function around each node; of a compound one, those of its head."""
    found: dict[ast.AST, range] = {}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for stm in (stm for function in functions for inner in function.body for stm in ast.walk(inner)):
        if isinstance(stm, ast.stmt):  # outer statements come before those inside them
            head = [stm.test] if isinstance(stm, ast.If | ast.While) else [stm]
            lines = range(stm.lineno, (head[-1].end_lineno or stm.lineno) + 1)
            found |= dict.fromkeys((stm, *(node for part in head for node in ast.walk(part))), lines)
    return found


def _changes(node: ast.AST) -> Iterator[str]:
    """Apply each change to the node in place, one after another, undoing it when asked for the next."""
    match node:
        case ast.Call(func=ast.Attribute(attr="apply" | "reduce" | "scan" | "hist"), args=args):
            yield from _operation(args)
        case ast.Call(
            func=ast.Name(id="i64" | "Lit"), args=[ast.Constant(value=int() | float() as before) as number, *_]
        ):
            number.value = before + 1
            yield f"{before} -> {before + 1}"
            number.value = before
        case (
            ast.Subscript(slice=ast.Slice(lower=ast.Constant(value=int() as index) as number))
            | ast.Subscript(slice=ast.Constant(value=int() as index) as number)
        ):
            number.value = index + 1
            yield "index off by one"
            number.value = index
        case ast.Expr(value=ast.Call() as call):
            node.value = ast.Constant(None)
            yield "statement dropped"
            node.value = call
        case _:
            yield from _logic(node)


def _operation(args: list[ast.expr]) -> Iterator[str]:
    """Another operation, or operands in another order."""
    for k, arg in enumerate(args):
        if isinstance(arg, ast.Constant) and isinstance(arg.value, str) and arg.value in EXCHANGED:
            args[k] = ast.Constant(EXCHANGED[arg.value])
            yield f"{arg.value} -> {EXCHANGED[arg.value]}"
            args[k] = arg
    if len(args) == 3 and isinstance(args[0], ast.Constant) and args[0].value not in COMMUTE:
        args[1], args[2] = args[2], args[1]
        yield "operands swapped"
        args[1], args[2] = args[2], args[1]
    if len(args) == 4 and isinstance(args[0], ast.Constant) and args[0].value == "select":
        args[2], args[3] = args[3], args[2]
        yield "arms swapped"
        args[2], args[3] = args[3], args[2]


def _logic(node: ast.AST) -> Iterator[str]:
    """Conditions and signs."""
    match node:
        case ast.If(test=test) | ast.IfExp(test=test):
            node.test = ast.UnaryOp(ast.Not(), test)
            yield "condition negated"
            node.test = test
        case ast.Compare(ops=[op]) if type(op) in COMPARED:
            node.ops = [COMPARED[type(op)]()]
            yield "comparison changed"
            node.ops = [op]
        case ast.BoolOp(values=[first, *rest]):
            node.values = [first, first]
            yield "second operand dropped"
            node.values = rest if len(rest) > 1 else [rest[0], rest[0]]
            yield "first operand dropped"
            node.values = [first, *rest]
        case ast.BinOp(op=ast.Add() | ast.Sub() as op):
            node.op = ast.Sub() if isinstance(op, ast.Add) else ast.Add()
            yield "sign changed"
            node.op = op
        case _:
            pass
