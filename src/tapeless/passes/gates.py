"""Where a linear function can be cut off: values through which passes all that changes with an index.

In: the body of a sum with one result. Out: the scalars in which that result is linear, the last first. If it is not
linear in one of them, then in none before it, so that few have to be looked at closely.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from ..ir.core import Apply, Block, Map, Reduce
from ..ir.types import Atom, Lit, Var
from ..ir.walk import free_vars
from .linear import LINEAR, OTHER, Kinds


def linear_cuts(block: Block, index: Var, inside: Set[str], zeros: Set[Var]) -> Iterator[Var]:
    """The scalars in which the result is linear, the last first; `inside` are the names bound where the index is."""
    kinds = Kinds(index, None, zeros)
    kinds.block(block)
    for var in _gates(block, kinds, inside):
        if Kinds(index, var, zeros).block(block) != [LINEAR]:
            return
        yield var


def _gates(block: Block, kinds: Kinds, inside: Set[str]) -> Iterator[Var]:
    """Floats made by operations, in the block and in the maps and sums inside it whose sizes are known outside.

    Going backwards, `wanted` is what is read, changes with the index and is not made yet.
    """
    wanted = set(_changing(block.results, kinds))
    for stm in reversed(block.stms):
        if wanted.isdisjoint(stm.vars):
            continue
        wanted.difference_update(stm.vars)
        if not wanted:
            match stm.expr:
                case Apply() if not stm.vars[0].type.shape and stm.vars[0].type.dtype.is_float:
                    yield stm.vars[0]
                case Map(size, body) | Reduce(size, body=body) if isinstance(size, Lit) or size.name not in inside:
                    yield from _gates(body.body, kinds, inside)
                case _:
                    pass
        wanted.update(_changing(stm.expr.args if isinstance(stm.expr, Apply) else tuple(free_vars(stm.expr)), kinds))


def _changing(atoms: tuple[Atom, ...], kinds: Kinds) -> Iterator[Atom]:
    return (atom for atom in atoms if kinds.atom(atom) == OTHER)
