"""One program against everything: checker, text form, each pass, compiled code.

`judge(function, args)` runs the stages in order and stops at the first that disagrees with the interpreter.
The stage names the guilty one: `pass 3:fuse` means that the program was right before that pass.
"""

from __future__ import annotations

import copy
import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ir.check import check
from ..ir.core import Function
from ..ir.text import parse_function, print_function
from ..passes.notes import Notes
from ..passes.pipeline import PIPELINE, Pass
from ..records import replace
from .compare import Outcome, difference, outcome, reference, same_bits, tolerance, unstable

Call = Callable[[list[Any], int], Sequence[Any]]  # from arguments and the number of threads to results
Compiler = Callable[[Function, str], Call]  # for one of the variants

# How machine code is made. Of programs that no pass has touched; with vectors where they pay, wherever they are
# possible, and nowhere. Blocks are so small that two threads have something to share.
VARIANTS = ("unoptimised", "auto", "lanes", "scalar")
PASSES = "passes"  # the stage of all passes at once
Stage = tuple[str, Callable[[], Outcome]]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`kind` is ok, unstable or wrong; `stage` and `detail` say where and how."""

    kind: str
    stage: str = ""
    detail: str = ""


class Disagreement(Exception):
    """A stage broke a rule other than that its results are right."""


def judge(
    function: Function,
    args: Sequence[Any],
    *,
    compiler: Compiler | None = None,
    variants: Sequence[str] = VARIANTS,
    each_pass: bool = True,
) -> Verdict:
    """Check one program. Without a `compiler` compiled code is left out.

    Without `each_pass` only what all passes together give is compared; when that is wrong, the guilty one is named.
    """
    try:
        check(function)
        expected = reference(function, args)
    except Exception as error:
        return Verdict("wrong", "generate", _words(error))
    for stage, run in _stages(function, args, compiler, variants, each_pass=each_pass):
        try:
            found = run()
        except Exception as error:
            blamed = judge(function, args) if stage == PASSES else Verdict("ok")
            return blamed if blamed.kind == "wrong" else Verdict("wrong", stage, _words(error))
        detail = difference(expected, found, tolerance(function))
        if detail:
            if stage == PASSES:
                return judge(function, args)
            kind = "unstable" if unstable(function, args, expected, found) else "wrong"
            return Verdict(kind, stage, detail)
    return Verdict("ok")


def native_code(function: Function, variant: str) -> Call:
    """The usual compiler: the CPU back end. The call works on the given arrays, and must leak nothing.

    Only "auto" is the machine code that users get. The other variants are ours up to LLVM's last step, which is the
    quick one for them: it is half of a random program's time, and is tried enough by the first.
    """
    from ..backend import cpu, native
    from ..backend.target import Options
    from ..runtime import host

    small = Options(block=1, threads_from=0)
    options = {
        "unoptimised": Options(level=0),
        "auto": small,
        "lanes": replace(small, lanes="always", level=0),
        "scalar": replace(small, lanes="never", level=0),
    }
    loaded = cpu.load(cpu.compile(function, options=options[variant]))
    set_threads = ctypes.CFUNCTYPE(None, ctypes.c_int64)(native.symbols()["tp_set_threads"])

    def call(args: list[Any], threads: int) -> Sequence[Any]:
        set_threads(threads)
        before = host.memory().live_blocks
        results = cpu.run(loaded, function, args, copy=False)
        leaked = host.memory().live_blocks - before
        if leaked:
            raise Disagreement(f"{leaked} blocks of memory were not given back")
        return results

    return call


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _stages(
    function: Function, args: Sequence[Any], compiler: Compiler | None, variants: Sequence[str], *, each_pass: bool
) -> Iterator[Stage]:
    """Each stage as a name and a function that gives its outcome."""
    yield "text", lambda: _printed(function, args)
    program = _Pipeline(function)
    if each_pass:
        for number, step in enumerate(PIPELINE):
            yield f"pass {number}:{step.name}", lambda step=step: program.advance(args, step)
    else:
        yield PASSES, lambda: program.advance(args, *PIPELINE)
    if compiler is not None:
        for variant in variants:
            source = function if variant == "unoptimised" else program.current
            yield f"compiled {variant}", lambda f=source, v=variant: _run_compiled(compiler(f, v), f, args)


class _Pipeline:
    """A program on its way through the passes."""

    def __init__(self, function: Function) -> None:
        self.current, self.notes = function, Notes()

    def advance(self, args: Sequence[Any], *steps: Pass) -> Outcome:
        for step in steps:
            self.current = step.run(self.current, self.notes)
        check(self.current)
        return reference(self.current, args)


def _printed(function: Function, args: Sequence[Any]) -> Outcome:
    again = parse_function(print_function(function))
    if again != function:
        raise Disagreement("parse(print(f)) differs from f")
    return reference(again, args)


def _run_compiled(call: Call, function: Function, args: Sequence[Any]) -> Outcome:
    """With one thread and with two: the same bits."""
    single, double = _run(call, function, args, 1), _run(call, function, args, 2)
    if not same_bits(single, double):
        raise Disagreement("results for one and for two threads differ in their bits")
    return single


def _run(call: Call, function: Function, args: Sequence[Any], threads: int) -> Outcome:
    """Compiled code on copies of the arguments; those it may not write must stay as they are."""
    given: list[Any] = copy.deepcopy(list(args))
    found = outcome(lambda: call(given, threads))
    writable = {param for param, _ in function.donated}
    for k, (before, after) in enumerate(zip(args, given, strict=True)):
        if k not in writable and not np.array_equal(before, after, equal_nan=np.asarray(before).dtype.kind == "f"):
            raise Disagreement(f"argument {k} was overwritten")
    return found
