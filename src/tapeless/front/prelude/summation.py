"""The exactly rounded sum of `math.fsum`: a sum is kept as floats that do not overlap (Shewchuk, 1997)."""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from typing import Any

import numpy as np

# Floats that do not overlap share no bit, and a finite float has its bits among these.
_PARTS = 1074 + 1024


def fsum(seq: Any) -> Any:
    """The sum of floats, rounded once."""
    parts = np.zeros(_PARTS)
    used = 0
    special = 0.0
    infinities = 0.0
    for value in np.asarray(seq) * 1.0:
        if not np.isfinite(value):
            special += value
            infinities += value if np.isinf(value) else 0.0
        else:
            used = _grown(parts, used, value)
    if np.isnan(infinities):
        raise ValueError("-inf + inf in fsum")
    return float(special) if special != 0.0 else float(_rounded(parts, used))


def _grown(parts: Any, used: Any, value: Any) -> Any:
    """Add a number to the exact sum that `parts[:used]` is; the new number of parts."""
    kept = 0
    for k in range(used):
        other = parts[k]
        large, small = (value, other) if abs(value) >= abs(other) else (other, value)
        value = large + small
        error = small - (value - large)
        if error != 0.0:
            parts[kept] = error
            kept += 1
    if not np.isfinite(value):
        raise OverflowError("intermediate overflow in fsum")
    parts[kept] = value
    return kept + 1


def _rounded(parts: Any, used: Any) -> Any:
    """The parts added from the largest; a half that the next part decides is rounded its way."""
    total, error = 0.0, 0.0
    while used > 0 and error == 0.0:
        used -= 1
        before = total
        total = before + parts[used]
        error = parts[used] - (total - before)
    if used > 0 and ((error < 0.0 and parts[used - 1] < 0.0) or (error > 0.0 and parts[used - 1] > 0.0)):
        doubled = 2.0 * error
        rounded = total + doubled
        if doubled == rounded - total:
            total = rounded
    return total
