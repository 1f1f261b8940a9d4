"""Programs written for one rule each: whole Jacobians, users' rules, refusals, activity."""

from __future__ import annotations

import pytest

from tapeless.testing.directed import CASES, Case, broken


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_rules_keep_what_is_said_of_them(case: Case) -> None:
    assert not broken(case)
