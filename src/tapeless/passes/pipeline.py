"""The order of the passes, and running them.

`optimise` turns what the front end wrote into what the back end reads. Every pass is a function from a function
to a function of the same meaning; `check=True` verifies the types after each (tests and debug mode), `dump` is called
with the name and result of each, `seconds` collects the time of each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping

from .. import ops as _ops  # registers the operations, which the rules look up
from ..ir.check import check as check_types
from ..ir.core import Function
from ..records import dataclass
from . import (
    defer,
    distribute,
    early,
    extract,
    factor,
    filled,
    forget,
    forward,
    fuse,
    gather,
    groups,
    hoist,
    in_stack,
    inplace,
    interchange,
    inward,
    jam,
    parallelise,
    peel,
    planes,
    reached,
    rows,
    scalarise,
    segments,
    simplify,
    snapshot,
    split,
    together,
    undo,
    unroll,
    unswitch,
)
from .notes import Notes

assert _ops

Run = Callable[[Function, Notes], Function]
Dump = Callable[[str, Function], None]


@dataclass(frozen=True, slots=True)
class Pass:
    """A named step of the pipeline."""

    name: str
    run: Run


PIPELINE: tuple[Pass, ...] = (
    Pass("reached", reached.run),
    Pass("forget", forget.run),
    Pass("simplify", simplify.run),
    Pass("undo", undo.run),
    Pass("planes", planes.run),
    Pass("groups", groups.run),
    Pass("parallelise", parallelise.run),
    Pass("simplify", simplify.run),
    Pass("together", together.run),
    Pass("factor", factor.run),
    Pass("fuse", fuse.run),
    Pass("unroll", unroll.run),
    Pass("scalarise", scalarise.run),
    Pass("simplify", simplify.run),
    Pass("gather", gather.run),
    Pass("fuse", fuse.run),
    Pass("defer", defer.run),
    Pass("distribute", distribute.run),
    Pass("inward", inward.run),
    Pass("interchange", interchange.run),
    Pass("extract", extract.run),
    Pass("split", split.run),
    Pass("jam", jam.run),
    Pass("inplace", inplace.run),
    Pass("peel", peel.run),
    Pass("hoist", hoist.run),
    Pass("forward", forward.run),
    Pass("rows", rows.run),
    Pass("segments", segments.run),
    Pass("filled", filled.run),
    Pass("in_stack", in_stack.run),
    Pass("unswitch", unswitch.run),
    Pass("simplify", simplify.run),
    Pass("snapshot", snapshot.run),
    Pass("early", early.run),
)


def optimise(
    function: Function,
    *,
    notes: Notes | None = None,
    check: bool = False,
    dump: Dump | None = None,
    seconds: dict[str, float] | None = None,
    before: Mapping[str, Run] | None = None,
) -> Function:
    """The function after all passes; `before` are further ones from above this folder, each run before one of ours."""
    notes = Notes() if notes is None else notes
    for step in _steps(before or {}):
        start = time.thread_time()
        function = step.run(function, notes)
        if seconds is not None:
            seconds[step.name] = seconds.get(step.name, 0.0) + time.thread_time() - start
        if check:
            check_types(function)
        if dump is not None:
            dump(step.name, function)
    return function


def _steps(before: Mapping[str, Run]) -> Iterator[Pass]:
    for step in PIPELINE:
        if step.name in before:
            name = before[step.name].__module__.rsplit(".", maxsplit=1)[-1]
            yield Pass(name, before[step.name])
        yield step


def prefixes(function: Function) -> Iterator[tuple[str, Function]]:
    """The function after each prefix of the pipeline, with the name of the last pass: the guilty one is found by it."""
    notes = Notes()
    for number, step in enumerate(PIPELINE):
        function = step.run(function, notes)
        yield f"{number}:{step.name}", function
