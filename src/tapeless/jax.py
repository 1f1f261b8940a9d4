"""`tapeless.jax`: derivatives of JAX functions (`interop.jax`). Needs the extra `jax`."""

from __future__ import annotations

from .errors import MissingExtraError

try:
    from .interop.jax import (
        JaxRuleWarning,
        compiled,
        grad,
        hessian,
        jacfwd,
        jacobian,
        jacrev,
        jvp,
        value_and_grad,
        vjp,
    )
except ModuleNotFoundError as missing:
    if missing.name not in ("jax", "jaxlib"):
        raise
    raise MissingExtraError("tapeless.jax needs JAX", fix='pip install "tapeless[jax]"') from missing

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
