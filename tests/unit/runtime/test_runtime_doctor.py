"""The doctor finds what is wrong, and only that."""

from __future__ import annotations

import pytest

from tapeless.config import config
from tapeless.runtime import doctor, layout


def test_a_healthy_machine_has_no_problems(tmp_path):
    with config(cache_dir=str(tmp_path / "cache")):
        assert doctor.problems() == []


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
