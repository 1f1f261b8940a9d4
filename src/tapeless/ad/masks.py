"""Infinite partials: what may be infinite though the inputs of a program are not, and what flows where.

`unbounded(block, names)` are the names of the float variables, at any depth, that may be infinite. Where a partial that
is singular or made of these meets an adjoint that may have been masked (`choices`), the return sweep tests for the zero
first: the rest of the program may have had an infinite partial (the root of zero in the arm not taken), and zero times
infinity is not a number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ..ir.core import Apply, Block, Check, Custom, For, Hist, If, Map, Reduce, Scan, Scatter, Stm, While
from ..ir.types import Atom, Var
from ..ir.walk import free_vars, lambdas, statements

# Operations whose value and partials are finite where their operands are.
TAME = frozenset({
    "add", "sub", "mul", "scale", "neg", "abs", "min", "max", "fmin", "fmax", "fma", "copysign", "select", "convert",
    "sin", "cos", "tanh", "atan", "asinh", "hypot", "erf", "erfc", "sign", "floor", "ceil", "trunc", "rint",
    "stop_gradient", "basis", "index", "slice", "update", "update_slice", "accumulate", "transpose", "reshape",
    "replicate", "concat", "stack",
})  # fmt: skip


def _sources(block: Block) -> Mapping[str, Sequence[str]]:
    """The float values that each variable of a block is made of."""
    sources: dict[str, list[str]] = defaultdict(list)
    for stm in statements(block):
        for out, operands in edges(stm):
            sources[out] += operands
    return sources


def unbounded(block: Block, names: Iterable[str]) -> set[str]:
    """What is made by a singular operation inside the block, or of the named variables."""
    targets: dict[str, list[str]] = defaultdict(list)
    roots = set(names)
    for stm in statements(block):
        for out, operands in edges(stm):
            for operand in operands:
                targets[operand].append(out)
        if isinstance(stm.expr, Apply) and stm.expr.op not in TAME:
            roots.add(stm.vars[0].name)
    return reached(roots, targets)


def suspects(block: Block) -> set[str]:
    """The float inputs of a block that expects some of its numbers not to be finite: it tests what is made of them."""
    tested = {name for stm in statements(block) for name in _tested(stm)}
    if not tested:
        return set()
    inputs = {var.name for var in free_vars(block) if var.type.dtype.is_float}
    return inputs if reached(tested, _sources(block)) & inputs else set()


def _tested(stm: Stm) -> list[str]:
    """What a statement asks whether it is a finite number, or a number."""
    match stm.expr:
        case Apply("isnan" | "isinf" | "isfinite", args):
            return floats(args)
        case Apply("ne" | "eq", (x, y)) if x == y:
            return floats((x,))
        case _:
            return []


def reached(roots: Iterable[str], edges: Mapping[str, Sequence[str]]) -> set[str]:
    """The names that can be reached from some of them along edges."""
    found: set[str] = set()
    work = list(roots)
    while work:
        name = work.pop()
        if name not in found:
            found.add(name)
            work += edges.get(name, ())
    return found


def floats(atoms: Iterable[Atom]) -> list[str]:
    """The names of the float variables among some atoms."""
    return [atom.name for atom in atoms if isinstance(atom, Var) and atom.type.dtype.is_float]


def edges(stm: Stm) -> list[tuple[str, list[str]]]:
    """For each variable that a statement binds, the float values it is made of.

    What a loop carries is one with what comes out of it: a result of its body goes to either.
    """
    expr = stm.expr
    match expr:
        case Apply(_, args):
            return [(stm.vars[0].name, floats(args))]
        case Check():
            return []
        case If(_, then, orelse):
            return _linked(stm.vars, (then.results, orelse.results))
        case For(_, init, body):
            return _linked((*stm.vars, *body.params[1:]), [2 * x for x in (init, body.body.results, stm.vars)])
        case While(init, _, body):
            return _linked((*stm.vars, *body.params), [2 * x for x in (init, body.body.results, stm.vars)])
        case Map(_, body):
            return _linked(stm.vars, (body.body.results,))
        case Reduce() | Scan() | Hist() | Scatter():
            inside = [r for lam in lambdas(expr) for r in lam.body.results]
            start = (expr.dest,) if isinstance(expr, Scatter) else expr.dest if isinstance(expr, Hist) else expr.neutral
            operands = floats((*inside, *start))
            operators = expr.op.params if isinstance(expr, Reduce | Scan | Hist) else ()
            return [(var.name, operands) for var in (*stm.vars, *operators)]
        case Custom(_, body, None):
            return _linked(stm.vars, (body.body.results,))
        case Custom(args):
            return [(var.name, floats(args)) for var in stm.vars]


def _linked(vars: Sequence[Var], groups: Sequence[Sequence[Atom]]) -> list[tuple[str, list[str]]]:
    return [(var.name, floats(group[k] for group in groups)) for k, var in enumerate(vars)]
