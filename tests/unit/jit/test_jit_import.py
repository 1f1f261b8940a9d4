"""Importing the package is cheap: the compiler comes when something is compiled."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys, numpy as np
before = set(sys.modules)
import tapeless as tp
@tp.jit
def double(x):
    return x + x
print(*sorted(set(sys.modules) - before))
assert double(np.ones(2)).sum() == 4.0
"""
HEAVY = (
    "llvmlite",
    "tapeless.front.capture",
    "tapeless.passes",
    "tapeless.backend",
    "tapeless.ops",
    "importlib.metadata",
)


def test_decorating_imports_no_compiler(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(PROGRAM)
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    imported = run.stdout.split()
    assert "tapeless.jitted" in imported
    assert not [name for name in imported if name.startswith(HEAVY)]
