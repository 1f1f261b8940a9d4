"""Counted loops that are affine in what they carry, with coefficients that change from one iteration to the next.

    x = a x + b[i]             a^n x + sum of a^(n-1-i) b[i]                                        rule C7
    x = a[i] x + b[i]          the maps of all iterations composed                                  rule C8

Both go through all data, and are computed in `blocks`. That takes more operations than the loop, of which fewer wait
for one another: how much the loop waits is counted as the length of the chain from one iteration to the next.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.op import is_known, lookup
from ..ir.types import BOOL
from .affine import Forms
from .blocks import Blocks
from .checks import needed
from .graph import Graph, Node, reachable
from .read import Iteration, UnreadableError
from .recurrences import Closed, System, Told, conjunction, solve, split, unknowns_of

# An operation that waits for the one before takes as long as so many that do not.
LATENCY = 8.0
LANES = 8.0
# Of several unknowns only two steps: products of more matrices cancel where the loop does not.
_WIDTHS = {1: (2, 4, 8), 2: (2,), 3: (2,)}


def close_varying(loop: Iteration, most: float) -> Closed:
    """A counted loop in blocks; raises `UnreadableError` where it is not affine.

    So it does where an iteration would take more than `most` of what it takes.
    """
    g = loop.graph
    same, tests = needed(g, loop.reader.conditions, loop.varying)
    carried = loop.varying & ~loop.counter.mask
    systems = split(unknowns_of(loop, Forms(g, carried)))
    g.fire("F4")
    g.fire("C5")
    ends: dict[int, Node] = {}
    told: list[Told] = []
    before = after = 0.0
    for system in systems:
        if not _changes(loop, system):
            found, valid = solve(g, [system], loop.count)
            ends |= found
            tests += [] if valid is None else [valid]
            continue
        blocks, entries, pace = _blocks(loop, system)
        before, after = max(before, pace[0]), after + pace[1]
        starts = tuple(unknown.start for unknown in system.unknowns)
        for k, unknown in enumerate(system.unknowns):
            ends[unknown.symbol.mask] = g.blocks(loop.count, loop.counter, starts, entries, (blocks, k), system.dtype)
        tests.append(g.blocks(loop.count, loop.counter, starts, entries, (blocks, len(starts)), BOOL))
        g.fire("C7" if blocks.fixed else "C8")
        told.append(_told(loop, system, blocks))
    if after > most * before:
        raise UnreadableError("its iterations depend on one another too little to be composed")
    results = tuple(ends[symbol.mask] for symbol in loop.carried)
    closed = tuple(system for system in systems if not _changes(loop, system))
    pace = before, after
    return Closed(g, loop.count, results, conjunction(g, tests), tuple(same), closed, None, tuple(told), pace)


def _changes(loop: Iteration, system: System) -> bool:
    """Is a coefficient another one in every iteration?"""
    return any(x.mask & loop.counter.mask for unknown in system.unknowns for x in unknown.form.values())


def _blocks(loop: Iteration, system: System) -> tuple[Blocks, tuple[Node, ...], tuple[float, float]]:
    """The blocks of a system that take least, its entries, and what an iteration takes before and after."""
    size = len(system.unknowns)
    if size not in _WIDTHS:
        raise UnreadableError("too many values depend on one another")
    masks = {unknown.symbol.mask: k for k, unknown in enumerate(system.unknowns)} | {0: size}
    entries = {(row, masks[key]): x for row, unknown in enumerate(system.unknowns) for key, x in unknown.form.items()}
    places = tuple(sorted(entries))
    changing = tuple(place for place in places if entries[place].mask & loop.counter.mask)
    nodes = tuple(entries[place] for place in places)
    found = [Blocks(size, places, changing, width) for width in _WIDTHS[size]]
    costs = [_cost_in_blocks(loop, blocks, nodes) for blocks in found]
    best = min(range(len(found)), key=costs.__getitem__)
    nexts = [loop.nexts[loop.carried.index(unknown.symbol)] for unknown in system.unknowns]
    return found[best], nodes, (_cost_of_loop(loop, nexts), costs[best])


def _cost_of_loop(loop: Iteration, nexts: Sequence[Node]) -> float:
    """What an iteration takes: its operations, or what waits for the iteration before."""
    carried = loop.varying & ~loop.counter.mask
    depth: dict[int, int] = {}
    for node in reachable(nexts):
        waits = bool(node.mask & carried) and node.op != "symbol"
        depth[node.number] = waits + max((depth[arg.number] for arg in node.args), default=0)
    chain = max(depth[node.number] for node in nexts)
    return max(LATENCY * chain, _operations(nexts, loop.varying))


def _cost_in_blocks(loop: Iteration, blocks: Blocks, entries: Sequence[Node]) -> float:
    size, width = blocks.size, blocks.width
    step = size + size * size  # products and sums of A x + b, less those with nothing
    pair = 2 * size * size + (0 if blocks.fixed else size * size * (2 * size - 1))
    reads = _operations(entries, loop.counter.mask)
    chain = LATENCY * (1 + size)
    tests = 0.0 if blocks.fixed else (reads + 4 * len(blocks.matrix)) / LANES
    return max(chain, (width - 1) * pair + step + size + width * reads) / width + tests


def _operations(roots: Sequence[Node], varying: int) -> float:
    """What the operations below that are another one in every iteration take."""
    nodes = [node for node in reachable(roots) if node.mask & varying and is_known(node.op)]
    # Elements that stand side by side are read beside the arithmetic.
    return sum(1.0 if node.op == "index" else lookup(node.op).cost for node in nodes)


def _told(loop: Iteration, system: System, blocks: Blocks) -> Told:
    g: Graph = loop.graph
    unknown = system.unknowns[0]
    if blocks.size > 1:
        names = ", ".join(unknown.symbol.attrs[0].name.split(".")[0] for unknown in system.unknowns)
        at_once = f"{blocks.width} maps at once"
        return Told(f"({names}): {at_once}", rf"({names})\text{{{{: {at_once}}}}}", ())
    name = unknown.symbol.attrs[0].name.split(".")[0]
    nothing = g.const(0, system.dtype)
    own, term = unknown.form.get(unknown.symbol.mask, nothing), unknown.form.get(0, nothing)
    i = loop.counter.attrs[0].name.split(".")[0]
    at_once = f", {blocks.width} terms at once"
    if blocks.fixed:
        text = f"{name} = {{0}}^N * {{1}} + sum_{i}<N {{0}}^(N-1-{i}) * {{2}}{at_once}"
        latex = rf"{name} = {{0}}^{{{{N}}}} {{1}} + \sum_{{{{{i} < N}}}} {{0}}^{{{{N-1-{i}}}}} {{2}}"
    else:
        text = f"{name} = {{1}} * prod_{i}<N {{0}} + sum_k<N {{2}} at k * prod_k<{i}<N {{0}}{at_once}"
        latex = (
            rf"{name} = {{1}} \prod_{{{{{i} < N}}}} {{0}}"
            rf" + \sum_{{{{k < N}}}} {{2}}|_{{{{{i} = k}}}} \prod_{{{{k < {i} < N}}}} {{0}}"
        )
    return Told(text, latex, (own, unknown.start, term))
