"""What a corpus of programs covers: the share of programs that contain each construct.

`print(coverage(functions))` shows the shares; `coverage(functions).shares["nested loops"]` gives one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..ir.core import Apply, Block, Check, Expr, For, Function, Hist, If, Map, Reduce, Scan, Scatter, While
from ..ir.types import Lit, Var
from ..ir.walk import free_vars, lambdas, statements

LOOPS, PARALLEL = (For, While), (Map, Reduce, Scan, Hist, Scatter)
WRITES = ("update", "update_slice", "accumulate")


@dataclass(frozen=True, slots=True)
class Coverage:
    """Shares of programs by construct, and how many statements a program has."""

    programs: int
    statements: float
    shares: dict[str, float]
    operations: dict[str, float]

    def __str__(self) -> str:
        lines = [f"{self.programs} programs, {self.statements:.1f} statements each"]
        lines += [f"  {share:6.1%}  {name}" for name, share in sorted(self.shares.items(), key=lambda x: -x[1])]
        rare = sorted(self.operations.items(), key=lambda x: x[1])[:8]
        lines.append("  rarest operations: " + ", ".join(f"{name} {share:.1%}" for name, share in rare))
        return "\n".join(lines)


def coverage(functions: Iterable[Function]) -> Coverage:
    """Count the constructs of each program once."""
    found: Counter[str] = Counter()
    operations: Counter[str] = Counter()
    programs = total = 0
    for function in functions:
        programs += 1
        total += sum(1 for _ in statements(function.body))
        found.update(constructs(function))
        operations.update({s.expr.op for s in statements(function.body) if isinstance(s.expr, Apply)})
    share = 1 / max(1, programs)
    return Coverage(
        programs,
        total * share,
        {name: count * share for name, count in found.items()},
        {name: count * share for name, count in operations.items()},
    )


def constructs(function: Function) -> set[str]:
    """The names of the constructs that a program contains."""
    found = {name for expr, above in _expressions(function.body, ()) for name in _names(expr, above)}
    for stm in statements(function.body):
        found.update(var.type.dtype.value for var in stm.vars)
    if any(isinstance(size, Lit) for param in function.params for size in param.type.shape):
        found.add("literal sizes")
    if function.donated:
        found.add("donated")
    if len(function.body.results) > 1:
        found.add("several results")
    return found


def _expressions(block: Block, above: tuple[Expr, ...]) -> Iterator[tuple[Expr, tuple[Expr, ...]]]:
    """Every expression with those around it, outermost first."""
    for stm in block.stms:
        yield stm.expr, above
        for lam in lambdas(stm.expr):
            yield from _expressions(lam.body, (*above, stm.expr))


def _names(expr: Expr, above: tuple[Expr, ...]) -> Iterator[str]:
    in_loop = any(isinstance(e, LOOPS) for e in above)
    in_parallel = any(isinstance(e, PARALLEL) for e in above)
    match expr:
        case Apply(op, args):
            if op in WRITES and in_loop:
                yield "updates in loops"
            if op == "slice" and any(isinstance(x, Lit) and x.value == -1 for x in args[3::3]):
                yield "negative steps"
        case For() | While():
            yield "loops"
            yield "for" if isinstance(expr, For) else "while"
            if in_loop:
                yield "nested loops"
            if isinstance(expr, For) and isinstance(expr.count, Var):
                yield "run-time trip counts"
            if in_parallel:
                yield "loops in parallel operators"
        case If():
            yield "if"
            if in_parallel:
                yield "if in parallel operators"
        case Check():
            yield "checks"
        case _:
            yield "parallel operators"
            yield type(expr).__name__.lower()
            if in_parallel:
                yield "nested parallel operators"
            if in_loop:
                yield "parallel operators in loops"
            if isinstance(expr, (Reduce, Scan, Hist)):
                yield from _operator_names(expr)


def _operator_names(expr: Reduce | Scan | Hist) -> Iterator[str]:
    if len(expr.neutral) > 1:
        yield "several accumulators"
    if free_vars(expr.op):
        yield "operators with free variables"
