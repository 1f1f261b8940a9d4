"""A block that is executed apart from its surroundings: it may read them, and must leave them as they are."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from ..errors import DerivativeError
from ..ir.build import Builder
from .context import Context
from .values import Ref


@contextmanager
def isolated(
    c: Context,
    b: Builder,
    before: dict[Ref, Any],
    orders: int,
    who: str,
    why: str = "what it takes from outside is a constant of the derivative",
    fix: str = "pass it as an argument, or return the new value",
) -> Generator[None, None, None]:
    """Emit into the block `b`; `who` may not change the arrays and containers that were there `before`.

    `orders` is how often the block will be differentiated; `why` and `fix` go into the message.
    """
    saved = c.b, c.sizes, c.orders
    c.b, c.sizes, c.orders = b, c.sizes.child(), orders
    try:
        yield
    finally:
        c.b, c.sizes, c.orders = saved
    # Parameters that were captured meanwhile must not change either.
    captured = {cell: c.parameters.vars[index] for cell, index in c.parameters.cells.items()}
    if any(c.store[ref] is not contents for ref, contents in (captured | before).items()):
        c.refuse(
            f"{who} writes into an array or container of its surroundings",
            error=DerivativeError,
            why=why,
            fix=fix,
        )
