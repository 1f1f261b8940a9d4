"""Importing this module registers every name; nothing else in it is of interest."""

from __future__ import annotations

from . import builtin_names, bulk, choosing, creation, linear, math_names, ordering, rearrange, reductions, shapes
from .preludes import register_preludes
from .ufunc_calls import register_ufuncs

register_ufuncs()
register_preludes()

__all__ = [
    "builtin_names", "bulk", "choosing", "creation", "linear", "math_names", "ordering", "rearrange", "reductions",
    "shapes",
]  # fmt: skip
