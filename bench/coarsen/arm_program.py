"""The kinematics of an arm with six joints (UR5): where its hand is, how it is turned, how far it is from a target.

Plain NumPy; symbolic engines run it with another library under the name `np`.
"""

from __future__ import annotations

import numpy as np

# What is measured, and of which function it is the derivative.
KERNELS = {"position Jacobian": "position", "pose Jacobian": "pose", "cost gradient": "cost", "cost Hessian": "cost"}


def _joint(frame, angle, offset, link, twist):
    """The frame after a joint: three axes and the origin, each a list of three numbers."""
    x, y, z, origin = frame
    c, s = np.cos(angle), np.sin(angle)
    along = [c * a + s * b for a, b in zip(x, y)]  # noqa: B905 - engines read it too
    across = [c * b - s * a for a, b in zip(x, y)]  # noqa: B905
    if offset != 0.0:
        origin = [o + offset * a for o, a in zip(origin, z)]  # noqa: B905
    if link != 0.0:
        origin = [o + link * a for o, a in zip(origin, along)]  # noqa: B905
    if twist == 0:
        return along, across, z, origin
    if twist == 1:
        return along, z, [-a for a in across], origin
    return along, [-a for a in z], across, origin


def _frame(q1, q2, q3, q4, q5, q6):
    # The first joint turns about the axis of the world, whose frame is known: nothing is multiplied by 0 or 1.
    c, s = np.cos(q1), np.sin(q1)
    frame = [c, s, 0.0], [0.0, 0.0, 1.0], [s, -c, 0.0], [0.0, 0.0, 0.089159]
    frame = _joint(frame, q2, 0.0, -0.425, 0)
    frame = _joint(frame, q3, 0.0, -0.39225, 0)
    frame = _joint(frame, q4, 0.10915, 0.0, 1)
    frame = _joint(frame, q5, 0.09465, 0.0, -1)
    return _joint(frame, q6, 0.0823, 0.0, 0)


def position(q1, q2, q3, q4, q5, q6):
    return tuple(_frame(q1, q2, q3, q4, q5, q6)[3])


def pose(q1, q2, q3, q4, q5, q6):
    x, y, z, origin = _frame(q1, q2, q3, q4, q5, q6)
    return (*x, *y, *z, *origin)


def cost(q1, q2, q3, q4, q5, q6):
    """The squared distance from the target."""
    x, y, z = _frame(q1, q2, q3, q4, q5, q6)[3]
    return (x - 0.3) ** 2 + (y + 0.2) ** 2 + (z - 0.5) ** 2
