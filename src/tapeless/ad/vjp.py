"""Reverse mode, without a tape.

`pullback(b, block, wrt)` emits the forward sweep of a block and returns its results with a function that emits return
sweeps: given an adjoint for each result it answers the adjoints of the variables `wrt`. The rules are in the files
beside this one, one construct each; `sweep` explains how they work together (Schenck, Rønning, Henriksen, Oancea: "AD
for an Array Language with Nested Parallelism", SC22).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Atoms, Builder
from ..ir.core import Apply, Block, Check, Custom, For, Hist, If, Map, Reduce, Scan, Scatter, Stm, While
from ..ir.types import Var
from .branches import if_rule
from .custom import custom_rule
from .hists import hist_rule, scatter_rule
from .local import apply_rule
from .loops import for_rule, while_rule
from .planner import Plan
from .reductions import map_rule, reduce_rule, scan_rule
from .sweep import Back, Pull, Rule, Sweep, nothing, pulled


def pullback(b: Builder, block: Block, wrt: Sequence[Var], plan: Plan | None = None) -> tuple[Atoms, Pull]:
    """Emit the forward sweep; the results, and what emits a return sweep wherever these are in scope.

    `plan` limits what loops keep from the one for the other.
    """
    return block.results, pulled(b, RULES, block, wrt, plan)


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
    Custom: custom_rule,
}
