"""Reverse mode, without a tape.

`pullback(b, block, wrt)` emits the forward sweep of a block and returns its results with a function that emits return sweeps:
given an adjoint for each result it answers the adjoints of the variables `wrt`. The rules are in the files beside this
one, one construct each; `sweep` explains how they work together (Schenck, Rønning, Henriksen, Oancea: "AD for an Array Language
with Nested Parallelism", SC22).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..ir.build import Atoms, Builder
from ..ir.core import Apply, Block, Check, For, Hist, If, Map, Reduce, Scan, Scatter, Stm, While
from ..ir.types import Atom, Var
from .activity import varied
from .adjoints import Scope
from .branches import if_rule
from .hists import hist_rule, scatter_rule
from .local import apply_rule
from .loops import for_rule, while_rule
from .masks import masked
from .reductions import map_rule, reduce_rule, scan_rule
from .sweep import Back, Rule, Sweep, back_through, nothing

Pull: TypeAlias = Callable[[Builder, Sequence[Atom | None]], tuple[Atom | None, ...]]


def pullback(b: Builder, block: Block, wrt: Sequence[Var]) -> tuple[Atoms, Pull]:
    """Emit the forward sweep; the results, and what emits a return sweep wherever these are in scope."""
    names = {var.name for var in wrt}
    sweep = Sweep(b, RULES, varied(block, names), masked(block, ()))
    backs = sweep.run(block)

    def pull(b: Builder, seeds: Sequence[Atom | None]) -> tuple[Atom | None, ...]:
        scope = Scope(b, sweep.varied, set())
        for result, seed in zip(block.results, seeds, strict=True):
            scope.add(result, seed)
        back_through(backs, scope)
        return tuple(scope.adjoints.get(var.name) for var in wrt)

    return block.results, pull


def _check_rule(sweep: Sweep, stm: Stm) -> Back:
    sweep.emit(stm)
    return nothing


RULES: dict[type, Rule] = {
    Apply: apply_rule,
    Check: _check_rule,
    If: if_rule,
    For: for_rule,
    While: while_rule,
    Map: map_rule,
    Reduce: reduce_rule,
    Scan: scan_rule,
    Hist: hist_rule,
    Scatter: scatter_rule,
}
