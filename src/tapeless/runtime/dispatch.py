"""The builtin that a call of a compiled function enters: it tries the ways into code, and falls back to Python.

A function has one after its first call, for the settings in force then (`backend/native/dispatch.ll`).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

from .builtin import Definition, new_builtin
from .host import dispatch_address

_METH_FASTCALL, _METH_KEYWORDS = 0x80, 0x2

_definition = Definition(
    b"compiled", b"Calls compiled code for the arguments it fits, else what finds or makes such code.",
    _METH_FASTCALL | _METH_KEYWORDS, dispatch_address,
)  # fmt: skip


def dispatch(settings: object, ways: Sequence[Callable[..., Any]], fallback: Callable[..., Any]) -> Callable[..., Any]:
    """Under `settings` the first of the ways that does not miss, else `fallback`."""
    table = struct.pack(f"={3 + len(ways)}q", id(settings), id(fallback), len(ways), *map(id, ways))
    return new_builtin(_definition, table, (settings, fallback, tuple(ways)))
