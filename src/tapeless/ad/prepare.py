"""What is done to a program before it is differentiated.

Loops that are parallel become parallel operators, which need no checkpoints; loops that have a closed form become it,
and have no iterations to keep; an array that is overwritten as a whole is a new one, which need not be restored;
producers are fused into consumers, once checks are out of their way, and small fixed sizes become scalars, which need
no adjoint arrays. The derivative then goes through the whole pipeline.
"""

from __future__ import annotations

from ..config import config
from ..ir.core import Function
from ..passes import fuse, groups, hoist, parallelise, planes, scalarise, simplify, unroll, whole
from ..passes.notes import Notes
from ..symbolic import chains, stages


def _coarsened(function: Function, notes: Notes) -> Function:
    if not config.current.coarsen:
        return function
    return stages.run_before_derivatives(chains.run(function, notes), notes)


STEPS = (
    simplify.run, planes.run, groups.run, parallelise.run, simplify.run, _coarsened, whole.run,
    hoist.run_before_derivatives, fuse.run, unroll.run_before_derivatives, scalarise.run, simplify.run,
)  # fmt: skip


def prepare(function: Function, notes: Notes) -> Function:
    """The same program in the form that is cheapest to differentiate; parameters are not overwritten."""
    for step in STEPS:
        function = step(function, notes)
    return Function(function.name, function.params, function.body)
