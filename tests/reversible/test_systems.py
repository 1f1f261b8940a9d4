"""Equations that are read together: each definition once, however often it is used."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from tapeless.errors import NotReversibleError

PROGRAM = """
import numpy as np
import tapeless as tp

@tp.reversible
def lost(x, y):
    a = np.sin(x[0]) + y[0]
{doublings}    y[0] = a
    x[0] = np.sin(x[0])
"""


def test_a_chain_of_doublings_is_refused_at_once(tmp_path):
    """Written out it would be a sum of 2^40 terms (random seed 930002008 did not end)."""
    path = tmp_path / "doublings.py"
    path.write_text(PROGRAM.format(doublings="    a = a + a\n" * 40))
    spec = importlib.util.spec_from_file_location("doublings", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(NotReversibleError, match="what x was"):
        (~module.lost)(np.ones(1), np.ones(1))
