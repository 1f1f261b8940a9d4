"""Scalars that act through one value only: a Jacobian takes the derivative by that value, and then theirs.

    x = p - c        where p and c are read nowhere else:  dy/dp = dy/dx,  dy/dc = -dy/dx

One direction through the program serves all of them. The value may be merged again with others; what comes out are the
block without the statements that merge, the scalars that it starts from, and the factors in between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from ..ir.build import Builder, is_literal
from ..ir.core import Apply, Block, Stm
from ..ir.op import lookup
from ..ir.types import Atom, Var
from ..ir.walk import fresh, lambdas, operands, statements, subst_atom, substitute
from ..records import dataclass
from .jvp_tangents import MaybeAtoms
from .values import times


@dataclass(frozen=True, slots=True)
class Merged:
    """`block` depends on `vars`; `factors` says for each scalar given the value it acts through, and its partial."""

    block: Block
    vars: tuple[Var, ...]
    factors: Mapping[Var, tuple[Var, Atom]]

    def column(self, b: Builder, columns: Mapping[Var, MaybeAtoms], var: Var) -> MaybeAtoms:
        """The derivative of the results by a scalar, from those by `vars`."""
        if var not in self.factors:
            return columns[var]
        through, partial = self.factors[var]
        column = self.column(b, columns, through)
        if is_literal(partial, 0.0):
            return (None,) * len(column)
        return tuple(None if x_dot is None else times(b, partial, x_dot) for x_dot in column)


def merge(b: Builder, block: Block, vars: Sequence[Var]) -> Merged:
    """Emit the statements in which scalars merge that are read nowhere else."""
    reads = _reads(block)
    bound = {var for stm in block.stms for var in stm.vars}
    # What is active by its name in the block, and under the name that it was emitted with.
    active: dict[Atom, Var] = {var: var for var in vars}
    factors: dict[Var, tuple[Var, Atom]] = {}
    renamed: dict[Var, Atom] = {}
    kept: list[Stm] = []
    for stm in block.stms:
        merging = [arg for arg in operands(stm.expr) if arg in active and reads[arg] == 1]
        if len(merging) < 2 or not _merges(stm, {*bound, *active}.difference(merging)):
            kept.append(stm)
            continue
        (var,), sources = stm.vars, [active.pop(arg) for arg in merging]
        active[var] = renamed[var] = fresh(var.name, var.type)
        for source, partial in zip(sources, _emit(b, stm, renamed, sources), strict=True):
            factors[source] = active[var], partial
    return Merged(substitute(Block(tuple(kept), block.results), renamed), tuple(active.values()), factors)


def _reads(block: Block) -> Counter[Atom]:
    """How often each atom is read, at any depth."""
    reads: Counter[Atom] = Counter(block.results)
    for stm in statements(block):
        reads.update(operands(stm.expr))
        for lam in lambdas(stm.expr):
            reads.update(lam.body.results)
    return reads


def _merges(stm: Stm, others: AbstractSet[Atom]) -> bool:
    """Is this a scalar operation with partials whose operands are none of the others?"""
    expr = stm.expr
    if not isinstance(expr, Apply) or isinstance(lookup(expr.op).partials, str):
        return False
    return stm.vars[0].type.dtype.is_float and others.isdisjoint(expr.args)


def _emit(b: Builder, stm: Stm, renamed: Mapping[Var, Atom], sources: Sequence[Var]) -> list[Atom]:
    """Emit a merging statement under its new names; the partials by the sources."""
    expr = stm.expr
    assert isinstance(expr, Apply)
    args = tuple(subst_atom(arg, renamed) for arg in expr.args)
    out = subst_atom(stm.vars[0], renamed)
    assert isinstance(out, Var)
    b.stms.append(Stm((out,), Apply(expr.op, args, expr.attrs), stm.pos))
    partials = lookup(expr.op).partials
    return [partials[args.index(source)](b, args, out) for source in sources if not isinstance(partials, str)]
