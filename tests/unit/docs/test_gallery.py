"""The examples of the gallery run, check their own results, and are short."""

import runpy
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "gallery"
EXAMPLES = sorted(path for path in FOLDER.glob("*.py") if path.name != "picture.py")


def test_there_are_thirteen():
    assert len(EXAMPLES) == 13


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, tmp_path, monkeypatch, capsys):
    assert len(path.read_text().splitlines()) < 60
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(FOLDER))
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out
    sys.modules.pop("picture", None)
