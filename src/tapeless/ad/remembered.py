"""What an iteration computes at a cost that keeping it does not have: sums over many terms.

The return sweep of a loop runs each iteration again. Where that takes an inner product for an element, of a length
that the program decides, the element is kept instead: it is written and read once, whatever the length. With
y = W h of n rows and m columns that is n numbers for n m multiplications. So a loop's body

    ... = map i: { z = sum_k ...; f(z) }      becomes      v = map i: { sum_k ... };  ... = map i: { f(v[i]) }

and v goes onto a stack. Numbers that are only added to the sum belong to it. The return sweep reads v, and its own
sums are computed for nobody: dead code.

Kept is no more than the order of what the loop carries: `v` has no more dimensions than a carried array, and begins
with a dimension of one; single numbers are always kept. Sums that only go into a sum over the iterations are left
alone: the gradient alone does not need them in the forward sweep.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..ir.core import Apply, Block, For, Function, Lambda, Map, Reduce, Stm
from ..ir.types import Atom, Lit, Type, Var
from ..ir.walk import fresh, refresh, statements
from ..passes import dce
from ..passes.cost import has_check
from ..passes.equal_sizes import equal_sizes
from ..passes.notes import Notes
from ..passes.uses import bound_names, slice_for, use_counts
from ..records import dataclass, field

# A sum of fewer terms may be computed again.
MANY = 32


@dataclass(frozen=True, slots=True)
class _Level:
    """A map around what is looked at, and the statements of its body so far."""

    size: Atom
    counter: Var
    stms: list[Stm]


@dataclass(slots=True)
class _Split:
    """The body of a loop, on its way to one whose sums stand in its own block.

    `wanted` are the names of what the loop computes from iteration to iteration, `inside` all names of the body,
    `equal` are sets of sizes that are known to be the same.
    """

    carried: Sequence[Type]
    wanted: set[str]
    inside: set[str]
    equal: Sequence[set[Atom]]
    stms: list[Stm] = field(default_factory=list[Stm])
    kept: list[Var] = field(default_factory=list[Var])

    def body(self, block: Block) -> None:
        """Go through the block of the loop itself."""
        ends = self._ends(block)
        for stm in block.stms:
            self.stms.append(self._map(stm, ()))
            self.kept += [var for var in stm.vars if var.name in ends and self._is_modest(var.type)]

    def _map(self, stm: Stm, levels: tuple[_Level, ...]) -> Stm:
        """The statement, reading what is kept if it is a map that computes it."""
        expr = stm.expr
        if not isinstance(expr, Map) or has_check((stm,)):
            return stm
        level = _Level(expr.size, expr.body.params[0], [])
        self._inner(expr.body.body, (*levels, level))
        body = Lambda(expr.body.params, Block(tuple(level.stms), expr.body.body.results))
        return Stm(stm.vars, Map(expr.size, body), stm.pos)

    def _inner(self, block: Block, levels: tuple[_Level, ...]) -> None:
        ends, stms = self._ends(block), levels[-1].stms
        counters = tuple(level.counter for level in levels)
        for old in block.stms:
            stm = self._map(old, levels)
            stms.append(stm)
            chosen = [x for x in stm.vars if x.name in ends and self._is_modest(_lifted_type(x.type, levels))]
            if chosen:
                arrays = [self._lifted(var, levels) for var in chosen]
                vars = tuple(fresh(x.name, x.type) if x in chosen else x for x in stm.vars)
                stms[-1] = Stm(vars, stm.expr, stm.pos)
                reads = [Apply("index", (array, *counters)) for array in arrays]
                stms += [Stm((var,), read, stm.pos) for var, read in zip(chosen, reads, strict=True)]

    def _lifted(self, var: Var, levels: tuple[_Level, ...]) -> Var:
        """The array of all that `var` becomes in the maps around it, computed before them."""
        last, result = None, var
        for level in reversed(levels):
            stms = level.stms if last is None else [*level.stms, last]
            body = Lambda((level.counter,), slice_for(Block(tuple(stms), ()), (result,), checks=False))
            result = fresh("sums", result.type.stacked(level.size))
            last = Stm((result,), Map(level.size, body), stms[-1].pos)
        assert last is not None
        assert isinstance(last.expr, Map)
        self.stms.append(Stm(last.vars, Map(last.expr.size, refresh(last.expr.body)), last.pos))
        self.kept.append(result)
        return result

    def _ends(self, block: Block) -> set[str]:
        """The sums of many terms, each with what is only added to it."""
        uses = use_counts(block)
        following = {x.name: stm.vars[0].name for stm in block.stms for x in _added(stm)}
        ends = set[str]()
        for stm in block.stms:
            if isinstance(stm.expr, Reduce) and _is_long(stm.expr):
                for name in (var.name for var in stm.vars if var.type.dtype.is_float and var.name in self.wanted):
                    end = name
                    while uses[end] == 1 and end in following:
                        end = following[end]
                    ends.add(end)
        return ends

    def _is_modest(self, type: Type) -> bool:
        """Does it take no more than the order of what the loop carries, in sizes known outside?"""
        if any(isinstance(size, Var) and size.name in self.inside for size in type.shape):
            return False
        most = max((len(x.shape) for x in self.carried), default=0)
        if not type.shape or len(type.shape) > most:
            return not type.shape
        begins = next((group for group in self.equal if type.shape[0] in group), {type.shape[0]})
        return any(size in begins for x in self.carried for size in x.shape)


def split(expr: For, whole: Sequence[int], before: Sequence[Stm]) -> tuple[For, tuple[Var, ...]]:
    """The loop with its costly sums in its own block, and those to keep.

    `whole` are the carried values kept whole; `before` stand the checks that hold here.
    """
    if not any(isinstance(stm.expr, Reduce) and _is_long(stm.expr) for stm in statements(expr.body.body)):
        return expr, ()
    body = expr.body
    lasting = tuple(x for k, x in enumerate(body.body.results) if not _only_adds(body, k))
    live = dce.run(Function("body", body.params, Block(body.body.stms, lasting)), Notes())
    inside = bound_names(body.body) | {param.name for param in body.params}
    found = _Split(
        [expr.init[k].type for k in whole], bound_names(live.body), inside, equal_sizes((*before, *body.body.stms))
    )
    found.body(body.body)
    if not found.kept:
        return expr, ()
    rest = Block(tuple(found.stms), (*body.body.results, *found.kept))
    rest = dce.run(Function("body", body.params, rest), Notes()).body
    return For(expr.count, expr.init, Lambda(body.params, Block(rest.stms, body.body.results))), tuple(found.kept)


def _only_adds(body: Lambda, k: int) -> bool:
    """Is carried value k a number that something is added to, and nothing else reads?"""
    param, result = body.params[k + 1], body.body.results[k]
    sums = [stm.vars[0] for stm in body.body.stms if param in _added(stm)]
    return use_counts(body.body)[param.name] == 1 and sums == [result]


def _added(stm: Stm) -> Iterator[Var]:
    """The numbers that a statement adds up."""
    if isinstance(stm.expr, Apply) and stm.expr.op in ("add", "sub"):
        yield from (x for x in stm.expr.args if isinstance(x, Var) and x.type.dtype.is_float)


def _is_long(expr: Reduce) -> bool:
    return not isinstance(expr.size, Lit) or int(expr.size.value) >= MANY


def _lifted_type(type: Type, levels: Sequence[_Level]) -> Type:
    for level in reversed(levels):
        type = type.stacked(level.size)
    return type
