"""A compilation that fails leaves nothing that the garbage collector could end in the wrong order."""

import subprocess
import sys

# The exception holds the frames that hold the module, and itself: only the collector frees them.
PROGRAM = """
import gc
from tapeless.backend import cpu

INVALID = "define i64 @f() {\\n  %x = add i64 %y, 1\\n  %y = add i64 1, 1\\n  ret i64 %x\\n}"
for _ in range(50):
    try:
        cpu.optimise(INVALID)
    except RuntimeError as error:
        error.cycle = error
    gc.collect()
print("alive")
"""


def test_a_failed_compilation_is_collected_safely() -> None:
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert run.stdout == "alive\n", run.stderr
