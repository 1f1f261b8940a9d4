"""Values of which a program may use nothing, or only a part: their adjoints hold zeros that nothing can change.

An arm that is not taken and a loop that does not run use nothing of what was computed before them; reading an element
uses nothing of the others. `partly_used(block)` are the names of the float variables all of whose uses in the block, at
any depth, are of these kinds. One use of the whole value, wherever else, gives its adjoint no reason to be zero.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from ..ir.core import Apply, Block, Custom, Expr, For, Hist, If, Map, Reduce, Scan, Scatter, While
from ..ir.types import Atom, Lit, Var
from ..ir.walk import lambdas, operands
from ..records import dataclass, field


def partly_used(block: Block) -> set[str]:
    """The float variables of which every use may be a use of a part, or of nothing."""
    walk = _Walk()
    walk.block(block, 0)
    return {name for name, whole in walk.uses.items() if not whole}


@dataclass(slots=True)
class _Walk:
    """For each variable, whether one of its uses is of the whole.

    `depths` says how many blocks that may not run surround the place where it is bound, `sizes` how often an index
    runs.
    """

    uses: dict[str, bool] = field(default_factory=lambda: defaultdict(bool))
    depths: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    sizes: dict[str, Atom] = field(default_factory=dict[str, Atom])

    def block(self, block: Block, depth: int) -> None:
        for stm in block.stms:
            self.expression(stm.expr, depth)
            self.depths |= dict.fromkeys((var.name for var in stm.vars), depth)
        for result in block.results:
            self.use(result, depth)

    def expression(self, expr: Expr, depth: int) -> None:
        for k, atom in enumerate(operands(expr)):
            self.use(atom, depth, of_part=k == 0 and isinstance(expr, Apply) and _reads_part(expr, self.sizes))
        inner = depth + _may_not_run(expr)
        if (counter := _counter(expr)) is not None:
            self.sizes[counter[0].name] = counter[1]
        for lam in () if isinstance(expr, Custom) else lambdas(expr):
            self.depths |= dict.fromkeys((param.name for param in lam.params), inner)
            self.block(lam.body, inner)

    def use(self, atom: Atom, depth: int, *, of_part: bool = False) -> None:
        if isinstance(atom, Var) and atom.type.dtype.is_float:
            self.uses[atom.name] |= not of_part and depth <= self.depths[atom.name]


def _may_not_run(expr: Expr) -> bool:
    match expr:
        case If() | While():
            return True
        case For(Lit(count)):
            return int(count) <= 0
        case For():
            return True
        case _:
            return False


def _counter(expr: Expr) -> tuple[Var, Atom] | None:
    """The index of a form, and how often it runs."""
    match expr:
        case For(size, _, body) | Map(size, body) | Scatter(size, _, _, body):
            return body.params[0], size
        case Reduce(size, body=body) | Scan(size, body=body) | Hist(size, body=body):
            return body.params[0], size
        case _:
            return None


def _reads_part(expr: Apply, sizes: Mapping[str, Atom]) -> bool:
    """Is this a read that leaves out elements, whatever the indices around it run through?"""
    if expr.op == "slice":
        return True
    return expr.op == "index" and not _runs_through(expr.args[1:], expr.args[0].type.shape, sizes)


def _runs_through(indices: Sequence[Atom], shape: Sequence[Atom], sizes: Mapping[str, Atom]) -> bool:
    """Do the indices, each one of its own, run through their dimensions?"""
    counts = [sizes.get(index.name) if isinstance(index, Var) else None for index in indices]
    return len(set(indices)) == len(indices) and all(map(_same, counts, shape))


def _same(count: Atom | None, size: Atom) -> bool:
    return count is not None and count == size
