"""The report of the doctor is complete, and honest about problems."""

from __future__ import annotations

import json

import pytest

from tapeless.config import config
from tapeless.runtime import doctor, layout


def test_facts_are_json_and_name_everything(tmp_path):
    with config(cache=True, cache_dir=str(tmp_path / "cache"), check="bounds,nan"):
        facts = json.loads(json.dumps(doctor.facts()))
    assert facts["problems"] == []
    assert facts["options"]["check"] == "bounds,nan"
    assert facts["cache"]["folder"] == str(tmp_path / "cache")
    assert set(facts["versions"]) == {"tapeless", "numpy", "llvmlite", "platformdirs"}


def test_problems_are_told(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(layout, "_disagreements", lambda _: ["flags"])
    layout.offsets.cache_clear()
    with config(cache_dir=str(tmp_path / "file")):
        found = doctor.problems()
    monkeypatch.undo()
    layout.offsets.cache_clear()
    assert any("unknown object layout (flags)" in problem for problem in found)
    assert any("cannot use" in problem for problem in found)


@pytest.mark.parametrize("name", ["ob_type", "array_rank", "array_flags", "array_handler", "descr_number"])
def test_another_layout_would_be_noticed(name):
    right = layout.offsets()
    assert layout._disagreements(right) == []
    assert layout._disagreements({**right, name: right[name] - 4})
