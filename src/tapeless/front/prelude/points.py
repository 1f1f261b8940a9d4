"""The distance of two points (`math.dist`) given as arrays."""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

import math
from typing import Any


def distance(p: Any, q: Any) -> Any:
    """The distance, computed in proportion to the largest difference so that no square overflows."""
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    largest = 0.0
    unknown = False
    for i in range(len(p)):
        gap = abs(float(p[i]) - float(q[i]))
        unknown = unknown or math.isnan(gap)
        largest = max(largest, gap)
    if largest == 0.0 or math.isinf(largest) or unknown:
        return math.nan if unknown and not math.isinf(largest) else largest
    total = 0.0
    for i in range(len(p)):
        part = (float(p[i]) - float(q[i])) / largest
        total += part * part
    return largest * math.sqrt(total)
