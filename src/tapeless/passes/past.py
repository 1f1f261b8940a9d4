"""Past: what is read past a write at another place is read from the array as it was.

    b = a with v at 0;  map m (i) { b[i + 1] }        becomes        map m (i) { a[i + 1] }

In: arrays that are written at one place and afterwards only read, each time at a place that is known to be another one.
Then the new array need not exist. This pays where the old one is kept and the write would copy it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set

from ..ir.core import Apply, Block, Function, Lambda, Stm
from ..ir.types import Atom, Type, Var
from ..ir.walk import map_lambdas, statements
from .ranges import Walk
from .rewrite import Rewriter
from .uses import name_of, use_counts


def run(function: Function, kept: Set[str]) -> Function:
    """The function with reads of these arrays in the place of reads of what is made of them by one write."""
    writes = {
        stm.vars[0].name: stm.expr
        for stm in statements(function.body)
        if isinstance(stm.expr, Apply) and stm.expr.op == "update" and name_of(stm.expr.args[0]) in kept
    }
    writes = {name: writes[name] for name in writes.keys() & _only_read(function.body)}
    old = {name: writes[name].args[0] for name in _read_elsewhere(function, writes.keys())} if writes else {}
    return Function(function.name, function.params, _past(function.body, old), function.donated) if old else function


def _only_read(block: Block) -> set[str]:
    """Names of which each mention is that of an array whose rows or elements are read."""
    reads = Counter(
        name_of(stm.expr.args[0]) for stm in statements(block) if isinstance(stm.expr, Apply) and stm.expr.op == "index"
    )
    return {name for name, count in use_counts(block).items() if reads[name] == count}


def _read_elsewhere(function: Function, names: Set[str]) -> set[str]:
    """Those of these arrays, made by a write, that are only read at places which are known to be others than its."""
    elsewhere, anywhere = set[str](), set[str]()
    walk = Walk()
    base = walk.r.rules["index"]

    def read(r: Rewriter, e: Apply, type: Type) -> Atom | Apply | None:
        name = name_of(e.args[0])
        if name in names:
            write = r.operation(e.args[0], "update")
            places = zip(e.args[1:], write.args[2:], strict=False) if write else ()
            differ = any(walk.facts.decide("eq", here, there) is False for here, there in places)
            (elsewhere if differ else anywhere).add(name)
        return base(r, e, type)

    walk.r.rules["index"] = read
    walk.function(function)
    return elsewhere - anywhere


def _past(block: Block, old: dict[str, Atom]) -> Block:
    stms: list[Stm] = []
    for stm in block.stms:
        match stm.expr:
            case Apply("index", (Var(name), *at), attrs) if name in old:
                stms.append(Stm(stm.vars, Apply("index", (old[name], *at), attrs), stm.pos))
            case Apply():
                stms.append(stm)
            case _:
                inner = map_lambdas(stm.expr, lambda lam: Lambda(lam.params, _past(lam.body, old)))
                stms.append(Stm(stm.vars, inner, stm.pos))
    return Block(tuple(stms), block.results)
