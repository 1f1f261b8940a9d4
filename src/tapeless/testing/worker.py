"""A process that judges programs: LLVM can abort, and a wrong program can crash or hang, so others must not die of it.

As a module it reads requests from standard input, one line each: a seed, or a program with arguments (`wire`);
it answers each with one line of JSON. `Worker` is the other end: it starts the process, and starts it again
when it has died.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import IO

from .derivative_law import judge_derivatives
from .generate import random_program
from .profile import GENERAL, SMOOTH
from .verify import Compiler, Verdict, judge, native_code
from .wire import Request, decode

# Compiling takes most of the time: seeds take turns with the variants of compiled code.
TURNS = (("unoptimised", "auto"), ("lanes",), ("auto",), ("lanes",), ("scalar", "auto"), ("lanes",))
# Of derivatives both programs are compiled, so one variant must do.
DERIVATIVE_TURNS = (("auto",), ("auto",), ("lanes",), ("lanes",), ("scalar",), ("unoptimised",))
PASSES_ONLY = "--passes-only"
DERIVATIVES = "--derivatives"
PROGRAM = (sys.executable, "-m", "tapeless.testing.worker")


class Worker:
    """A judge in a process of its own. A crash or a hang is a verdict as well."""

    def __init__(self, *options: str, seconds: float = 60.0, program: Sequence[str] = PROGRAM) -> None:
        """`options` are those of the program; `seconds` is what one answer may take."""
        self._command, self._seconds = [*program, *options], seconds
        self._process: subprocess.Popen[str] | None = None
        self._reader: threading.Thread | None = None
        self._answers: queue.Queue[str] = queue.Queue()

    def judge(self, request: str) -> Verdict:
        """The verdict on a seed or an encoded program."""
        process = self._process or self._start()
        assert process.stdin is not None
        try:
            process.stdin.write(request + "\n")
            process.stdin.flush()
            answer = self._answers.get(timeout=self._seconds)
        except queue.Empty:
            self.stop()
            return Verdict("crashed", "time", f"no answer within {self._seconds:g} s")
        except OSError:
            answer = ""
        if answer:
            return Verdict(**json.loads(answer))
        code = process.wait()
        self.stop()
        return Verdict("crashed", "process", f"the process ended with {code}")

    def interrupt(self) -> None:
        """Let the judgement that another thread waits for end now, as a crash."""
        if process := self._process:
            process.kill()

    def stop(self) -> None:
        """End the process."""
        if self._process is not None and self._reader is not None:
            self._process.kill()
            self._reader.join()
            process, self._process = self._process, None
            with suppress(OSError), process:  # closes the pipes; one may be broken
                pass

    def _start(self) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            self._command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True,
            start_new_session=True,  # Ctrl-C is for the fuzzer, which then stops its workers
        )  # fmt: skip
        self._answers = queue.Queue()
        assert process.stdout is not None
        self._reader = threading.Thread(target=_forward, args=(process.stdout, self._answers), daemon=True)
        self._reader.start()
        self._process = process
        return process


def _forward(lines: IO[str], answers: queue.Queue[str]) -> None:
    for line in lines:
        answers.put(line.strip())
    answers.put("")  # the process has ended


def request(seed: int, order: int) -> Request:
    """The program of a seed: one of the general kind, or one whose derivatives up to `order` are judged."""
    function, args = random_program(seed, profile=SMOOTH if order else GENERAL)
    turns = DERIVATIVE_TURNS if order else TURNS
    return Request(function, args, turns[seed % len(turns)], order, seed)


def serve(*, passes_only: bool, order: int) -> None:
    """Answer requests until the input ends; seeds stand for programs judged up to derivatives of this order."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what anything prints is not an answer
    compiler = None if passes_only else native_code
    for line in sys.stdin:
        wanted = decode(line) if line.startswith("{") else request(int(line), order)
        print(json.dumps(asdict(_judge(wanted, compiler))), file=answers, flush=True)


def _judge(r: Request, compiler: Compiler | None) -> Verdict:
    if r.order == 0:
        return judge(r.function, r.args, compiler=compiler, variants=r.variants)
    # Half of the programs keep the loops that preparing turns into parallel operators; a third also limit memory.
    modes = ("forward", "reverse", "limited") if r.order == 1 and r.seed % 3 == 0 else ("forward", "reverse")
    return judge_derivatives(
        r.function, r.args, order=r.order, seed=r.seed, prepared=r.seed % 2 == 1, modes=modes,
        compiler=compiler, variants=r.variants,
    )  # fmt: skip


if __name__ == "__main__":
    chosen = sys.argv[sys.argv.index(DERIVATIVES) + 1] if DERIVATIVES in sys.argv else "0"
    serve(passes_only=PASSES_ONLY in sys.argv, order=int(chosen))
