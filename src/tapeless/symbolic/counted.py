"""Counted loops: the first rule that closes one."""

from __future__ import annotations

from functools import partial

from ..ir.core import For
from .moebius import close_quotient
from .monomials import close_monomial
from .read import UnreadableError, read_for
from .recurrences import Closed, close_affine
from .varying import close_varying


def close_for(loop: For, blocks: float) -> Closed:
    """The closed form of a counted loop; raises what the first rule says where there is none.

    Steps that differ are composed in blocks where an iteration then takes no more than the share `blocks` of its time.
    """
    read = read_for(loop)
    reason: UnreadableError | None = None
    for close in (close_affine, close_monomial, close_quotient, partial(close_varying, most=blocks)):
        try:
            return close(read)
        except UnreadableError as error:
            reason = reason or error
            read.graph.used.clear()
    assert reason is not None
    raise reason
