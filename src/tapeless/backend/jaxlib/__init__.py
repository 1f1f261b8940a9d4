"""IR -> JAX: `from_ir` gives a function of JAX arrays that runs under `jit`, `vmap`, `grad` and sharding.

Parallel operators become whole-array operations: the body of a map is evaluated once, on values that stand for all its
iterations (`values`). Reading an array at affine places is a slice, a sum of products is a contraction, loops are
`fori_loop` and `while_loop`. Checks are left out: what they guard against is for the front end of JAX to say.
"""

from __future__ import annotations

from .run import from_ir

__all__ = ["from_ir"]
