"""Vertical fusion: a `Map` whose elements are read at the consumer's own index goes into the consumer's body.

Each element is still computed once. When others need the array too, and the consumer is a `Map`, the two become one
`Map` that yields both. A `Map` that feeds several histograms goes into each of them, when it is cheap: keys and values
need not be stored then. The producer runs as late as the consumer; that must not carry a check past another one, nor a
read past a write to the same array, which is to be done in place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from ..ir.core import Apply, Block, Expr, For, Hist, If, Lambda, Map, Reduce, Scan, Scatter, Stm, While
from ..ir.types import Atom, Var
from ..ir.walk import lambdas, map_lambdas, operands, refresh, statements, substitute_lambda
from ..records import dataclass
from .cost import block_cost, exceptions, has_check
from .guards import may_wait
from .rewrite import name_of
from .uses import Mentions, mentioned, use_counts
from .views import same

Consumer = Map | Reduce | Scan | Hist | Scatter
# What a producer may cost that is computed again for each of several histograms.
REPEATED = 30.0


def vertical(stms: list[Stm], results: Sequence[Atom]) -> list[Stm]:
    """The statements of a block, producers fused into their consumers."""
    uses, mentions = use_counts(Block(tuple(stms), tuple(results))), Mentions()
    number = 0
    while number < len(stms):
        partner = _partner(stms, number, uses, mentions)
        if partner is None:
            number += 1
        else:
            names = {var.name for var in stms[partner].vars}
            uses.subtract(read.array for read in reads((stms[number],), names) if read is not None)
            keep = {name for name in names if uses[name] > 0}
            if keep and isinstance(stms[number].expr, Hist):
                stms[number] = fused(_again(stms[partner]), stms[number], keep)
            else:
                stms[number] = fused(stms[partner], stms[number], keep)
                del stms[partner]
                number -= 1
    return stms


def _partner(stms: list[Stm], number: int, uses: Counter[str], mentions: Mentions) -> int | None:
    """The nearest producer before a consumer that can be fused into it."""
    consumer = stms[number]
    if not isinstance(consumer.expr, Map | Reduce | Scan | Hist | Scatter):
        return None
    used = mentions(consumer)
    for candidate in range(number - 1, -1, -1):
        producer = stms[candidate]
        if isinstance(producer.expr, Map) and any(var.name in used for var in producer.vars):
            names = {var.name for var in producer.vars}
            if not _reads_its_own(producer.expr, consumer, names):
                continue
            if not is_movable(stms, candidate, number, names, mentions):
                continue
            alone = sum(uses[name] for name in names) == sum(1 for _ in reads((consumer,), names))
            if alone or isinstance(consumer.expr, Map) or _feeds_histograms(stms, candidate, names, uses):
                return candidate
    return None


def _reads_its_own(producer: Map, consumer: Stm, names: set[str]) -> bool:
    """Does the consumer read the producer's elements at its own index only?"""
    expr = consumer.expr
    if not isinstance(expr, Map | Reduce | Scan | Hist | Scatter) or not same(producer.size, expr.size):
        return False
    counter = expr.body.params[0].name
    return all(read is not None and name_of(read.indices[0]) == counter for read in reads((consumer,), names))


def _feeds_histograms(stms: Sequence[Stm], candidate: int, names: set[str], uses: Counter[str]) -> bool:
    """Is this a cheap producer which only histograms of this block read, each at its own index?"""
    producer = stms[candidate]
    assert isinstance(producer.expr, Map)
    if block_cost(producer.expr.body.body) > REPEATED or has_check((producer,)):
        return False
    consumers = [stm for stm in stms[candidate + 1 :] if mentioned(stm) & names]
    found = sum(1 for _ in reads(consumers, names))
    own = all(isinstance(stm.expr, Hist) and _reads_its_own(producer.expr, stm, names) for stm in consumers)
    return own and found == sum(uses[name] for name in names)


def _again(producer: Stm) -> Stm:
    """A copy with names of its own."""
    assert isinstance(producer.expr, Map)
    return Stm(producer.vars, Map(producer.expr.size, refresh(producer.expr.body)), producer.pos)


def is_movable(
    stms: Sequence[Stm], candidate: int, number: int, names: set[str], mentions: Callable[[Stm], set[str]] = mentioned
) -> bool:
    """May statement `candidate`, which binds `names`, run as late as statement `number`?"""
    free = mentions(stms[candidate])
    checks = has_check((stms[candidate],))
    for stm in stms[candidate + 1 : number]:
        if not names.isdisjoint(mentions(stm)) or (checks and has_check((stm,))):
            return False
    # Iterations of the two will alternate: the first check to fail must not become one of another kind.
    if checks and len(exceptions((stms[candidate], stms[number]))) > 1 and has_check((stms[number],)):
        return False
    if checks and not may_wait(stms[candidate], stms[candidate + 1 : number], stms[number]):
        return False
    return not any(name_of(x) in free for stm in stms[candidate + 1 : number + 1] for x in overwritten(stm.expr))


def overwritten(expr: Expr) -> tuple[Atom, ...]:
    """The arrays that an expression may change in place."""
    match expr:
        case Apply("update" | "accumulate" | "update_slice", args):
            return args[:1]
        case For(_, init) | While(init):
            return init
        case Hist(dest=dest):
            return dest
        case Scatter(dest=dest):
            return (dest,)
        case If(_, then, orelse):
            return tuple(x for arm in (then, orelse) for s in statements(arm) for x in overwritten(s.expr))
        case _:
            return ()


def fused(producer: Stm, consumer: Stm, keep: set[str]) -> Stm:
    """One statement; of a map and a map, one that also yields those results of the producer which are to be kept."""
    assert isinstance(producer.expr, Map)
    assert isinstance(consumer.expr, Map | Reduce | Scan | Hist | Scatter)
    counter = consumer.expr.body.params[0]
    made = substitute_lambda(producer.expr.body, {producer.expr.body.params[0]: counter}).body
    values = {var.name: x for var, x in zip(producer.vars, made.results, strict=True)}
    take = _Take(values)
    body = take.lam(consumer.expr.body)
    body = substitute_lambda(body, take.subst)
    joined = Block((*made.stms, *body.body.stms), body.body.results)
    if isinstance(consumer.expr, Map):
        kept = [(var, x) for var, x in zip(producer.vars, made.results, strict=True) if var.name in keep]
        joined = Block(joined.stms, (*(x for _, x in kept), *joined.results))
        vars = (*(var for var, _ in kept), *consumer.vars)
        return Stm(vars, Map(consumer.expr.size, Lambda((counter,), joined)), consumer.pos)
    old = consumer.expr.body
    new = map_lambdas(consumer.expr, lambda lam: Lambda((counter,), joined) if lam is old else lam)
    return Stm(consumer.vars, new, consumer.pos)


class _Take:
    """Replaces `index(array, i, ...)` by what the array holds at i."""

    def __init__(self, values: dict[str, Atom]) -> None:
        self.values = values
        self.subst: dict[Var, Atom] = {}

    def lam(self, lam: Lambda) -> Lambda:
        stms: list[Stm] = []
        for stm in lam.body.stms:
            expr = stm.expr
            if isinstance(expr, Apply) and expr.op == "index" and name_of(expr.args[0]) in self.values:
                value, rest = self.values[name_of(expr.args[0])], expr.args[2:]
                if not rest:
                    self.subst[stm.vars[0]] = value
                    continue
                expr = Apply("index", (value, *rest))
            stms.append(Stm(stm.vars, map_lambdas(expr, self.lam), stm.pos))
        return Lambda(lam.params, Block(tuple(stms), lam.body.results))


# -- reads ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Read:
    """`index(array, *indices)` somewhere; `depth` counts the loops around it."""

    array: str
    indices: tuple[Atom, ...]
    depth: int


def reads(stms: Sequence[Stm], names: set[str], depth: int = 0) -> Iterator[Read | None]:
    """All uses of some arrays; None for a use that is not a read of an element or row."""
    for stm in stms:
        expr = stm.expr
        if type(expr) is Apply:
            args = expr.args
            if expr.op == "index" and name_of(args[0]) in names:
                yield Read(name_of(args[0]), args[1:], depth)
            elif any(type(atom) is Var and atom.name in names for atom in args):
                yield None
            continue
        if any(name_of(atom) in names for atom in operands(expr)):
            yield None
        for lam in lambdas(expr):
            yield from reads(lam.body.stms, names, depth + (0 if isinstance(expr, If) else 1))
            if any(name_of(atom) in names for atom in lam.body.results):
                yield None
