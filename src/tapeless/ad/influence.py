"""Influence: which values may change at all when the inputs change, by whatever amount.

`influenced(block, names)` are the names of the variables of any type, at any depth of the block, whose value is a
function of the variables `names`: through arithmetic, comparisons, indices, conditions, trip counts and sizes. What is
not in the set is the same for all inputs of the same sizes. Activity (`activity`) asks less, only for what changes
smoothly: an integer made of a float is influenced, and its derivative is zero.

Variables inside an arm are not influenced by the condition: given that the arm runs, they have their values. The
results of the branch are. Loops are walked until nothing is added.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..ir.core import Apply, Block, Check, Custom, Expr, For, Hist, If, Lambda, Map, Reduce, Scan, Scatter, While
from ..ir.types import Atom, Var
from ..ir.walk import free_vars


def influenced(block: Block, names: Iterable[str]) -> set[str]:
    """The names of all variables whose value may depend on those named, which are included."""
    found = set(names)
    _Walk(found).block(block)
    return found


class _Walk:
    """Adds names to `found` until a loop's body adds none."""

    def __init__(self, found: set[str]) -> None:
        self.found = found

    def depends(self, atom: Atom) -> bool:
        return isinstance(atom, Var) and atom.name in self.found

    def mark(self, vars: Iterable[Var], because: Iterable[bool]) -> None:
        self.found.update(var.name for var, depends in zip(vars, because, strict=True) if depends)

    def block(self, block: Block) -> list[bool]:
        """Mark what the statements bind; which of the results are influenced?"""
        for stm in block.stms:
            answers = self.results(stm.expr)
            sized = [any(map(self.depends, var.type.shape)) for var in stm.vars]
            self.mark(stm.vars, [x or y for x, y in zip(answers, sized, strict=True)])
        return [self.depends(atom) for atom in block.results]

    def results(self, expr: Expr) -> Sequence[bool]:
        match expr:
            case Apply(_, args):
                return [any(map(self.depends, args))]
            case Check():
                return ()
            case If(cond, then, orelse):
                arms = zip(self.block(then), self.block(orelse), strict=True)
                return [self.depends(cond) or x or y for x, y in arms]
            case For(count, init, body):
                return self.loop(init, body, body.params[1:], self.depends(count))
            case While(init, cond, body):
                return self.while_(init, cond, body)
            case Map(_, body):
                return self.block(body.body)
            case Reduce(size, op, neutral, body) | Scan(size, op, neutral, body):
                values = [self.depends(size) or x for x in self.block(body.body)]
                return self.combine(op, list(map(self.depends, neutral)), values)
            case Hist(size, op, _, dest, keys, body):
                values = self.block(body.body)
                moved = self.depends(size) or any(values[:keys])
                return self.combine(op, list(map(self.depends, dest)), [moved or x for x in values[keys:]])
            case Scatter(size, dest, _, body):
                values = self.block(body.body)
                return [any(values) or self.depends(size) or self.depends(dest)]
            case Custom(_, body, None):
                return self.block(body.body)
            case Custom(args, body):
                return [any(map(self.depends, (*args, *free_vars(body))))] * len(body.body.results)

    def loop(self, init: Sequence[Atom], body: Lambda, carried: Sequence[Var], all: bool) -> Sequence[bool]:
        depends = [all or self.depends(atom) for atom in init]
        while True:
            self.mark(carried, depends)
            after = [old or new for old, new in zip(depends, self.block(body.body), strict=True)]
            if after == depends:
                return depends
            depends = after

    def while_(self, init: Sequence[Atom], cond: Lambda, body: Lambda) -> Sequence[bool]:
        """Where the condition is influenced, so is everything carried: the number of rounds is."""
        depends = self.loop(init, body, body.params, False)
        if self.condition(cond, depends):
            depends = self.loop(init, body, body.params, True)
            self.condition(cond, depends)
        return depends

    def condition(self, cond: Lambda, depends: Sequence[bool]) -> bool:
        """Is the condition of a loop influenced, where these of its carried values are?"""
        self.mark(cond.params, depends)
        return self.block(cond.body)[0]

    def combine(self, op: Lambda, start: Sequence[bool], values: Sequence[bool]) -> Sequence[bool]:
        """The accumulators of an operator: they start influenced or not, and meet the values."""
        depends = [x or y for x, y in zip(start, values, strict=True)]
        while True:
            self.mark(op.params, [*depends, *depends])
            after = [old or new for old, new in zip(depends, self.block(op.body), strict=True)]
            if after == depends:
                return depends
            depends = after
