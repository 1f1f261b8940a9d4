"""The fuzz runner: crashes and hangs are verdicts, interrupts end in a summary, failures are kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tapeless.testing import fuzz
from tapeless.testing.verify import Verdict
from tapeless.testing.worker import PASSES_ONLY, Worker

ABORT = "import sys, os; sys.stdin.readline(); os.abort()"
HANG = "import sys, time; sys.stdin.readline(); time.sleep(60)"


def test_a_worker_answers_seeds() -> None:
    worker = Worker(PASSES_ONLY)
    assert worker.judge("0").kind in ("ok", "unstable", "wrong")
    worker.stop()


def test_a_crash_is_recorded_and_the_worker_restarted() -> None:
    worker = Worker(program=(sys.executable, "-c", ABORT))
    for _ in range(2):
        verdict = worker.judge("0")
        assert (verdict.kind, verdict.stage) == ("crashed", "process")


def test_a_hang_is_recorded() -> None:
    worker = Worker(program=(sys.executable, "-c", HANG), seconds=0.5)
    verdict = worker.judge("0")
    assert (verdict.kind, verdict.stage) == ("crashed", "time")


def test_the_summary_line_and_the_exit_status(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def judge(_: Worker, request: str) -> Verdict:
        return Verdict("wrong", "pass 0:none", "result 0 differs") if request == "3" else Verdict("ok")

    monkeypatch.setattr(Worker, "judge", judge)
    assert fuzz.main(["-n", "3", "--out", str(tmp_path)]) == 0
    assert fuzz.main(["-n", "5", "--out", str(tmp_path), "--shrink", "0"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "5 programs: 4 ok, 0 unstable, 1 wrong, 0 crashed"
    assert (tmp_path / "seeds.txt").read_text() == "3 wrong pass 0:none\n"


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_in_the_summary_so_far(sent: signal.Signals) -> None:
    ignored_as_in_the_background = 'trap \'\' INT; exec "$0" "$@"'
    command = [sys.executable, "-m", "tapeless.testing.fuzz", "-n", "100000", "--passes-only", "--shrink", "0"]
    process = subprocess.Popen(
        ["bash", "-c", ignored_as_in_the_background, *command],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(1.0)
    for _ in range(3):
        process.send_signal(sent)
    out, _ = process.communicate(timeout=20)
    assert " programs: " in out.splitlines()[-1]


def test_time_ends_in_the_summary_so_far(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz.main(["-n", "100000", "--seconds", "1", "--passes-only"]) == 0
    assert " programs: " in capsys.readouterr().out.splitlines()[-1]
