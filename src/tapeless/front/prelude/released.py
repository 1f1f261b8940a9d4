"""What is asked of a variable that is handed back (`tp.release`)."""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from typing import Any

import numpy as np


def require_released(variable: Any, value: Any, tolerance: float) -> None:
    """Raise unless the variable is that value."""
    if not np.all(np.abs(variable - value) <= tolerance * np.maximum(1.0, np.abs(value))):
        raise AssertionError("a variable is released that is not what it should be")
