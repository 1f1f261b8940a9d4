"""`tapeless.jax`: exact derivatives of JAX functions, found here, run by JAX.

A function is traced to a jaxpr, converted to IR, differentiated, and converted back into a JAX function with
JAX's own result structure: it runs under `jit`, `vmap`, `grad` again and on sharded arrays.
"""

from __future__ import annotations

from .native import compiled
from .program import JaxRuleWarning
from .verbs import grad, hessian, jacfwd, jacobian, jacrev, jvp, value_and_grad, vjp

__all__ = [
    "JaxRuleWarning",
    "compiled",
    "grad",
    "hessian",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "value_and_grad",
    "vjp",
]
