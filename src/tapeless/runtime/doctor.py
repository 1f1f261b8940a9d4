"""What would keep compiled code from running, or from running well, on this machine."""

from __future__ import annotations

import sys

from . import cache, layout


def problems() -> list[str]:
    """The problems found, in words; none on a healthy machine."""
    found: list[str] = []
    try:
        layout.offsets()
    except layout.LayoutError as reason:
        found.append(str(reason))
    refusal = cache.refusal()
    if refusal:
        found.append(refusal)
    if sys.platform != "linux":
        found.append("parallel regions run on one thread: the thread pool is for Linux so far")
    return found
