"""Turns of the plane, as three shears: each adds to one coordinate a multiple of the other, so each can be undone."""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from typing import Any

import numpy as np

from ..function import reversible


@reversible
def rotate(x: Any, y: Any, angle: Any) -> Any:
    """Turn a point of the plane by an angle.

    A half turn is taken out where the angle is obtuse: the shears stay small, and rounding with them.

    >>> import numpy as np
    >>> x, y = rotate(1.0, 0.0, 3.0 * np.pi)
    >>> float(round(x, 12)), float(round(y, 12)) + 0.0
    (-1.0, 0.0)
    >>> x, y = (~rotate)(x, y, 3.0 * np.pi)
    >>> float(round(x, 12)), float(round(y, 12)) + 0.0
    (1.0, 0.0)
    """
    cosine, sine = np.cos(angle), np.sin(angle)
    if cosine < 0.0:
        x, y, cosine, sine = -x, -y, -cosine, -sine
    shear = sine / (1.0 + cosine)
    x -= shear * y
    y += sine * x
    x -= shear * y
    return x, y
