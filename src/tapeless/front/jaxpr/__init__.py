"""jaxpr -> IR: `to_ir` converts a program that JAX traced; one file per family of primitives.

What goes in is a closed jaxpr (`jax.make_jaxpr(f)(*args)`), what comes out is a function over the same values with
literal sizes. JAX itself is not imported here: a jaxpr is data.
"""

from __future__ import annotations

from . import contraction, control, elementwise, indexing, linear, movement, ordering, prefixes, reductions, windows
from .convert import Conversion, Options, to_ir
from .types import is_representable, type_of

__all__ = ["Conversion", "Options", "is_representable", "to_ir", "type_of"]

# Importing a family registers its rules.
FAMILIES = (
    elementwise, movement, reductions, prefixes, indexing, contraction, windows, ordering, linear, control,
)  # fmt: skip
