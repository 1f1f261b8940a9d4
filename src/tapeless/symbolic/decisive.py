"""Values that decide something: what a comparison, a condition, a check or a place in an array is computed from.

They are computed as they are written, to the last bit. The return sweep of a loop may compute a condition again that
the loop has decided before, or read at a place whose bounds were checked then: both must come out the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from ..ir.core import Apply, Block, Check, Custom, Expr, For, If, Lambda, Stm, While
from ..ir.types import Atom, Var
from ..ir.walk import lambdas, operands, statements


def decisive(block: Block) -> set[str]:
    """The names of floats from which other things than floats are computed, anywhere in a block."""
    made_of: dict[str, list[Atom]] = defaultdict(list[Atom])
    todo: list[Atom] = []
    for stm in statements(block):
        _flow(stm, made_of)
        todo += _deciding(stm)
    found: set[str] = set()
    while todo:
        atom = todo.pop()
        if isinstance(atom, Var) and atom.name not in found:
            found.add(atom.name)
            todo += made_of[atom.name]
    return found


def _deciding(stm: Stm) -> Sequence[Atom]:
    """What is read by a statement that does not give floats."""
    expr = stm.expr
    if isinstance(expr, Check):
        return expr.args
    if isinstance(expr, While):
        return expr.cond.body.results
    if isinstance(expr, Apply) and not stm.vars[0].type.dtype.is_float:
        return expr.args
    return [atom for atom in operands(expr) if not atom.type.dtype.is_float]


def _flow(stm: Stm, made_of: dict[str, list[Atom]]) -> None:
    """What each variable that a statement binds, outside and inside, is made of."""

    def made(vars: Iterable[Var], atoms: Iterable[Atom]) -> None:
        for var, atom in zip(vars, atoms, strict=False):
            made_of[var.name].append(atom)

    expr = stm.expr
    match expr:
        case Apply(_, args):
            made_of[stm.vars[0].name] += args
        case If(_, then, orelse):
            made(stm.vars, then.results)
            made(stm.vars, orelse.results)
        case For(_, init, body):
            for atoms in (init, body.body.results):
                made(stm.vars, atoms)
                made(body.params[1:], atoms)
        case While(init, cond, body):
            for atoms in (init, body.body.results):
                for vars in (stm.vars, cond.params, body.params):
                    made(vars, atoms)
        case Check():
            pass
        case _:
            _all_from_all(stm.vars, expr, made_of)


def _all_from_all(vars: Sequence[Var], expr: Expr, made_of: dict[str, list[Atom]]) -> None:
    """Operators over elements, and calls with rules of their own: everything may come from everything."""
    inner: Sequence[Lambda] = lambdas(expr)
    atoms = [*operands(expr), *(result for lam in inner for result in lam.body.results)]
    bound = [param for lam in inner for param in lam.params] if isinstance(expr, Custom) or len(inner) > 1 else []
    for var in (*vars, *bound):
        made_of[var.name] += atoms
