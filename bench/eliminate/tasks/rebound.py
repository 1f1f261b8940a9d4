"""Functions of a module again, with other libraries under their names: `np` as jax.numpy, say."""

from types import FunctionType, ModuleType
from typing import Any


def rebound(module: ModuleType, **names: Any) -> dict[str, Any]:
    """What the module defines, its functions and those they call bound to these names where they read globals."""
    namespace: dict[str, Any] = dict(vars(module))
    for name, value in vars(module).items():
        if isinstance(value, FunctionType):
            namespace[name] = FunctionType(value.__code__, namespace, name, value.__defaults__)
    namespace.update(names)
    return namespace
