"""The certificates that are published: each order costs what it says, and none is found to be cheaper."""

from __future__ import annotations

import json

import pytest
from proofs import PROOFS, is_confirmed
from tasks.real import REAL

ROWS = json.loads(PROOFS.read_text())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['name']}, {row['model']}")
def test_no_order_is_cheaper(row) -> None:
    assert is_confirmed(row)


def test_a_wrong_certificate_is_not_confirmed() -> None:
    row = next(row for row in ROWS if row["name"] == "double_pendulum")
    assert not is_confirmed(row | {"cost": row["cost"] - 1})
    assert not is_confirmed(row | {"order": row["order"][:-1]})
    assert not is_confirmed(row | {"order": sorted(row["order"]), "cost": row["forward"]})


def test_there_are_enough() -> None:
    medium = {row["name"] for row in ROWS if 40 <= row["intermediates"] <= 60}
    assert len(medium) >= 5
    assert {"robot_arm_6dof", "human_heart_dipole", "propane_combustion"} <= {row["name"] for row in ROWS}
    assert REAL.keys() & medium
