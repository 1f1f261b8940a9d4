"""Fuse: producers move into their consumers, so that intermediate arrays are never written.

Four kinds, tried in this order in every block, outermost blocks first:

* by index (here): a producer that costs next to nothing is computed again wherever an element of it is read, `a[e]`; so
  is any producer of which a single element is read, once;
* vertical (`fuse_vertical`): a producer read at the consumer's own index becomes part of the consumer's body;
* crosswise (`fuse_crosswise`): a matrix that is made by rows and read by columns is made where it is read;
* horizontal (`fuse_horizontal`): independent operators of one size that read the same array become one.

Work is never repeated unless it is cheap, and a check never moves to where it would not have run.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Apply, Block, Check, Custom, Function, Lambda, Map, Stm
from ..ir.op import lookup
from ..ir.types import Atom, Var
from ..ir.walk import inline, map_lambdas, substitute
from . import dce
from .cost import has_check
from .fuse_crosswise import crosswise
from .fuse_horizontal import horizontal
from .fuse_vertical import Read, overwritten, reads, vertical
from .notes import Notes
from .rewrite import name_of
from .uses import Mentions, mentioned

# What may be computed again for every read, instead of being stored: a load and two or three operations.
CHEAP = 6.0


def run(function: Function, notes: Notes) -> Function:
    """The function with its producers fused into their consumers."""
    body = _fuse(function.body)
    return dce.run(Function(function.name, function.params, body, function.donated), notes)


def _fuse(block: Block) -> Block:
    stms, results = _by_index(list(block.stms), block.results)
    stms = horizontal(crosswise(vertical(stms, results), results))
    return Block(tuple(_inside(stm) for stm in stms), results)


def _inside(stm: Stm) -> Stm:
    if isinstance(stm.expr, Apply | Check):
        return stm
    return Stm(stm.vars, map_lambdas(stm.expr, lambda lam: Lambda(lam.params, _fuse(lam.body))), stm.pos)


def _by_index(stms: list[Stm], results: tuple[Atom, ...]) -> tuple[list[Stm], tuple[Atom, ...]]:
    """Compute cheap or singly read elements where they are read."""
    returned = {name_of(atom) for atom in results} | _told(stms)
    mentions = Mentions()
    producers: dict[str, tuple[Map, int]] = {}
    costs: dict[str, float] = {}
    for number, stm in enumerate(stms):
        if not isinstance(stm.expr, Map) or has_check((stm,)) or any(var.name in returned for var in stm.vars):
            continue
        names = {var.name for var in stm.vars}
        found = list(reads([later for later in stms[number + 1 :] if not names.isdisjoint(mentions(later))], names))
        if not found or None in found or _is_overtaken(stm, stms[number + 1 :]):
            continue
        cost = _cheap_cost(stm.expr, costs)
        if cost is not None or [read.depth for read in found if isinstance(read, Read)] == [0]:
            producers |= {var.name: (stm.expr, k) for k, var in enumerate(stm.vars)}
            costs |= {var.name: cost or 2 * CHEAP for var in stm.vars}
    if not producers:
        return stms, results
    inlining = _Inline(producers)
    block = substitute(Block(tuple(inlining.stms(stms)), results), inlining.subst)
    return list(block.stms), block.results


def _told(stms: Sequence[Stm]) -> set[str]:
    """What inverses are told of (`ir.core.Custom`): it must stay what it is."""
    return {name for stm in stms if isinstance(stm.expr, Custom) and not stm.vars for name in mentioned(stm)}


def _is_overtaken(producer: Stm, later: Sequence[Stm]) -> bool:
    """Is an array that the producer reads written later on? Then its old elements may be gone."""
    free = mentioned(producer)
    return any(name_of(x) in free for stm in later for x in overwritten(stm.expr))


def _cheap_cost(producer: Map, costs: dict[str, float]) -> float | None:
    """The cost of computing one element, reads of cheap producers included; None when it is not cheap."""
    total, loads = 0.0, 0
    loaded: set[str] = set()
    for stm in producer.body.body.stms:
        expr = stm.expr
        if not isinstance(expr, Apply) or stm.vars[0].type.shape:
            return None
        total += costs.get(name_of(expr.args[0]), lookup(expr.op).cost) if expr.op == "index" else lookup(expr.op).cost
        if expr.op == "index":
            loads += 1
            loaded.add(stm.vars[0].name)
            if any(name_of(arg) in loaded for arg in expr.args[1:]):
                return None  # a load through another one
        elif any(name_of(arg) in loaded for arg in expr.args) and stm.vars[0].type.dtype.is_int:
            loaded.add(stm.vars[0].name)
    return total if loads <= 1 and total <= CHEAP else None


class _Inline:
    """Replaces reads of producers by their bodies."""

    def __init__(self, producers: dict[str, tuple[Map, int]]) -> None:
        self.producers = producers
        self.subst: dict[Var, Atom] = {}

    def stms(self, stms: Sequence[Stm]) -> list[Stm]:
        out: list[Stm] = []
        for stm in stms:
            self._statement(stm, out)
        return out

    def _statement(self, stm: Stm, out: list[Stm]) -> None:
        expr = stm.expr
        if isinstance(expr, Apply) and expr.op == "index" and name_of(expr.args[0]) in self.producers:
            producer, k = self.producers[name_of(expr.args[0])]
            block = inline(producer.body, (self.atom(expr.args[1]),))
            for inner in block.stms:
                self._statement(inner, out)
            result = self.atom(block.results[k])
            rest = [self.atom(i) for i in expr.args[2:]]
            if rest:
                self._statement(Stm(stm.vars, Apply("index", (result, *rest)), stm.pos), out)
            else:
                self.subst[stm.vars[0]] = result
            return
        out.append(Stm(stm.vars, map_lambdas(expr, self._lam), stm.pos))

    def _lam(self, lam: Lambda) -> Lambda:
        return Lambda(lam.params, Block(tuple(self.stms(lam.body.stms)), lam.body.results))

    def atom(self, atom: Atom) -> Atom:
        """What stands for an atom now; values that were replaced before are resolved, so that one step is enough."""
        return self.subst.get(atom, atom) if isinstance(atom, Var) else atom
