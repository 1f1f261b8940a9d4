"""`tapeless check module:function`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tapeless.cli import main
from tapeless.testing.mutants import record_mutants


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / f"{tmp_path.name}.py"
    source = f'def energy(x, k):\n    """{path.name}"""\n    return 0.5 * k * np.sum(np.sin(x) ** 2)\n'
    path.write_text(f"import numpy as np\n\n\n{source}")
    return path


def test_right_derivatives(module: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", f"{module}:energy", "--types", "f64[:], float", "--order", "2"]) == 0
    assert capsys.readouterr().out == "the derivatives are right\n"


def test_a_wrong_rule_is_an_error_at_its_line(module: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = next(m for m in record_mutants() if m.right.name == "sin" and "negated" in m.change)
    with wrong.planted():
        assert main(["check", f"{module}:energy", "--types", "f64[:], float"]) == 1
    text = capsys.readouterr().err
    assert f"{module}:6" in text
    assert "np.sin(x)" in text


def test_missing_types_are_a_misuse(module: Path) -> None:
    assert main(["check", f"{module}:energy"]) == 2
