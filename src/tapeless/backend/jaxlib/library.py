"""JAX as untyped modules: its own annotations leave much unknown."""

from __future__ import annotations

from importlib import import_module
from typing import Any

jax: Any = import_module("jax")
jnp: Any = import_module("jax.numpy")
lax: Any = import_module("jax.lax")
special: Any = import_module("jax.scipy.special")
