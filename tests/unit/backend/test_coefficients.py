"""The tables of coefficients are what `tools/minimax.py` makes."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import tapeless.backend.elementary.coefficients as stored

ROOT = Path(__file__).parents[3]


def test_tables_can_be_made_again() -> None:
    command = [sys.executable, str(ROOT / "tools" / "minimax.py"), "SIN", "CBRT"]
    made = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert made.count("Final[Table]") == 2
    text = Path(stored.__file__).read_text()
    assert all(line in text for line in made.splitlines())


def test_parts_of_constants_add_up() -> None:
    for name, value in (("LN2", 0.6931471805599453), ("PI_2", 1.5707963267948966)):
        for parts in getattr(stored, name).values():
            assert abs(sum(reversed(parts)) - value) < 1e-16
            assert all(abs(small) < 1e-6 * abs(large) for large, small in pairwise(parts))
