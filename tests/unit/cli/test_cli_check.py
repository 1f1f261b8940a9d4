"""`tapeless check module:function`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tapeless.cli import main
from tapeless.testing.mutants import record_mutants


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / f"{tmp_path.name}.py"  # modules are known by name, so each test has its own
    path.write_text("import numpy as np\n\n\ndef energy(x, k):\n    return 0.5 * k * np.sum(np.sin(x) ** 2)\n")
    return path


def test_right_derivatives(module: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", f"{module}:energy", "--types", "f64[:], float", "--order", "2"]) == 0
    assert capsys.readouterr().out == "the derivatives are right\n"


def test_a_wrong_rule_is_an_error_at_its_line(module: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = next(m for m in record_mutants() if m.right.name == "sin" and "negated" in m.change)
    with wrong.planted():
        assert main(["check", f"{module}:energy", "--types", "f64[:], float"]) == 1
    assert f"{module}:5" in capsys.readouterr().err


def test_missing_types_are_a_misuse(module: Path) -> None:
    assert main(["check", f"{module}:energy"]) == 2
