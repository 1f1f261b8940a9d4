"""What is done to a program before it is solved: as before it is differentiated, but that loops stay what they are.

A loop that has a closed form is undone iteration by iteration all the same; its closed form could not be.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Block, Function
from ..ir.types import Var
from ..ir.walk import free_vars
from ..passes import fuse, hoist, parallelise, scalarise, simplify, unroll, whole
from ..passes.notes import Notes

STEPS = (
    simplify.run, parallelise.run, simplify.run, whole.run, hoist.run_before_derivatives, fuse.run,
    unroll.run_before_derivatives, scalarise.run, simplify.run,
)  # fmt: skip


def prepared(block: Block, kept: Sequence[Var], notes: Notes) -> tuple[Block, Block]:
    """A block, some of whose free variables are to be found, in the form that tells most; and nearly as it was.

    Guards around parallel loops may hide what the loops that they came from tell.
    """
    free = free_vars(block) | dict.fromkeys(kept)
    sizes = {size for var in free for size in var.type.shape}
    function = Function("block", tuple(var for var in free if var not in sizes), block)
    first = function = STEPS[0](function, notes)
    for step in STEPS[1:]:
        function = step(function, notes)
    return function.body, first.body
