"""Ctrl-C ends compiled code within a second: long loops of every kind ask now and then."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import os, signal, threading, time
import numpy as np
import tapeless as tp

@tp.jit
def f(n):
{body}

f(1)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    f(1 << 60)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - start < 2.0)
"""

LOOPS = {
    "for": """
    x = 0.5
    for i in range(n):
        x = np.sin(x)
    return x""",
    "while": """
    i = 0
    while i != n:
        i = i ^ 2 if i < n - 5 else n
        i = i if n < 2 else i & 15
    return i""",
    "nested": """
    x = 0.5
    for i in range(n):
        for j in range(100):
            x = np.sin(x)
    return x""",
    "reduce": """
    s = 0
    for i in range(n):
        s ^= i * i
    return s""",
    "lanes that never end": """
    s = 0
    for i in range(1000):
        j = i
        while j != -1 and n > 1:
            j ^= 2
        s += j
    return s""",
}


@pytest.mark.parametrize("body", LOOPS.values(), ids=LOOPS)
def test_control_c_ends_a_long_loop(body: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(body=body))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() == "interrupted True", done.stderr
