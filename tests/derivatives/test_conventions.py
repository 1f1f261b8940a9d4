"""Kinks, ties, duplicates: the derivative that `docs/conventions.md` promises, in both modes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tapeless.testing.conventions import CONVENTIONS, Convention, broken


@pytest.mark.parametrize("prepared", [False, True], ids=["as written", "prepared"])
@pytest.mark.parametrize("convention", CONVENTIONS, ids=lambda c: c.name)
def test_the_derivative_is_the_promised_one(convention: Convention, prepared: bool) -> None:
    assert not broken(convention, prepared=prepared)


def test_the_page_lists_every_convention() -> None:
    page = (Path(__file__).parents[2] / "docs" / "conventions.md").read_text()
    assert not [convention.name for convention in CONVENTIONS if f"| {convention.name} |" not in page]
