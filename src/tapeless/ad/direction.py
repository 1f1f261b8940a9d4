"""The direction of a dense Jacobian: by columns where there are at most as many inputs as results, else by rows.

Where both numbers follow from the types, one program is made. Where they are known only when the program runs, both
are, and a branch chooses.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ..ir.build import Atoms, Builder
from ..ir.core import Block
from ..ir.types import Atom, Lit, i64
from .elements import Input
from .jacobians import Jacobian, jacobian_forward, jacobian_reverse
from .planner import Plan


def jacobian_either(b: Builder, block: Block, inputs: Sequence[Input], plan: Plan) -> Jacobian:
    """The derivative of every result of a block by every input, in the direction that needs fewer sweeps."""

    def forward(b: Builder) -> Jacobian:
        return jacobian_forward(b, block, inputs, plan.collapse)

    def reverse(b: Builder) -> Jacobian:
        return jacobian_reverse(b, block, inputs, plan)[1]

    given, results = [each.type.shape for each in inputs], [atom.type.shape for atom in block.results]
    tall = _is_tall(given, results)
    bound = {var for stm in block.stms for var in stm.vars}
    if tall is None and any(size in bound for shape in results for size in shape):
        # Sizes that the block computes are not known before it runs.
        tall = True
    if tall is not None:
        return forward(b) if tall else reverse(b)
    fits = b.apply("le", _total(b, given), _total(b, results))
    entries = iter(b.if_(fits, lambda b: _flat(forward(b)), lambda b: _flat(reverse(b))))
    return tuple(tuple(next(entries) for _ in inputs) for _ in results)


def _is_tall(inputs: Sequence[Atoms], results: Sequence[Atoms]) -> bool | None:
    """Are there at most as many inputs as results? None where that depends on sizes known only at run time."""
    if len(inputs) == len(results) == 1:
        left, right = list(inputs[0]), list(results[0])
        for size in inputs[0]:
            if size in right:
                left.remove(size)
                right.remove(size)
        inputs, results = [tuple(left)], [tuple(right)]
    if any(not isinstance(size, Lit) for shape in (*inputs, *results) for size in shape):
        return None
    return sum(map(_count, inputs)) <= sum(map(_count, results))


def _count(shape: Atoms) -> int:
    return prod(int(size.value) for size in shape if isinstance(size, Lit))


def _total(b: Builder, shapes: Sequence[Atoms]) -> Atom:
    total: Atom = i64(0)
    for shape in shapes:
        count: Atom = i64(1)
        for size in shape:
            count = b.apply("mul", count, size)
        total = b.apply("add", total, count)
    return total


def _flat(jacobian: Jacobian) -> Atoms:
    return tuple(entry for row in jacobian for entry in row)
