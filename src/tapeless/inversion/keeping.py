"""Where a program must keep something, so that it can be run backwards: tried out by solving it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.build import Builder
from ..ir.core import Block
from ..ir.types import I64, Atom, Type, Var
from ..ir.walk import fresh
from ..passes.notes import Notes
from .inverse import inverse_block
from .recording import replayed
from .sites import Site, layout, needed_sites
from .solving import CannotInvert, Stuck


def sites_to_keep(
    block: Block, inputs: Sequence[Var], lasts: Mapping[int, Atom], lost: Sequence[Var] = (), notes: Notes | None = None
) -> list[Site] | None:
    """The sites of a block that let `inverse_block` find its inputs; None where nothing helps that can be kept.

    What can be kept is kept rather than that places are assumed to be apart.
    """

    def attempt(sites: Sequence[Site], may_assume: bool) -> tuple[bool, Stuck]:
        kept = kept_arrays(block, sites)
        ends = {len(block.results) + k: array.type.shape[0] for k, array in enumerate(kept.values())}
        whole, results = replayed(block, sites, kept), {**lasts, **ends}
        try:
            inverse_block(Builder(), whole, inputs, results, lost, notes, may_assume=may_assume)
        except CannotInvert as problem:
            return False, problem.stuck
        return True, set()

    found = needed_sites(block, lambda sites: attempt(sites, False))
    return needed_sites(block, lambda sites: attempt(sites, True)) if found is None else found


def kept_arrays(block: Block, sites: Sequence[Site]) -> dict[str, Var]:
    """Variables for what is kept at the sites, of lengths of their own."""
    types = {site.name: layout(block, site).type for site in sites}
    return {name: fresh("kept", type.stacked(fresh("n", Type(I64)))) for name, type in types.items()}
