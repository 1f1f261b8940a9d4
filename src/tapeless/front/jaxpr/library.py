"""JAX as untyped modules: its own annotations leave much unknown."""

from __future__ import annotations

from importlib import import_module
from typing import Any

jax: Any = import_module("jax")
jax_core: Any = import_module("jax.extend.core")
