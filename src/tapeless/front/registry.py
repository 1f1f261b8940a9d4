"""Which Python objects the front end knows, and how it lowers a call of each.

An implementation takes the context and the values of the arguments, by Python's own calling rules, and
returns a value:

    @implements(np.sum)
    def sum_(c, a, axis=None, keepdims=False): ...

    @method("sum")                    # x.sum(...)
    @attribute("T")                   # x.T
    replace_by(np.linalg.solve, solve)   # inline our own Python function instead

Objects are found by identity; methods of ufuncs (`np.add.at`) by the ufunc and their name.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, TypeAlias, TypeVar

import numpy as np

Implementation: TypeAlias = Callable[..., Any]
F = TypeVar("F", bound=Implementation)

_functions: dict[object, tuple[object, Implementation]] = {}
_replacements: dict[object, tuple[object, FunctionType]] = {}
_methods: dict[str, Implementation] = {}
_attributes: dict[str, Implementation] = {}
_later: list[Callable[[], object]] = []
_completing = threading.RLock()


def implements(*objects: object) -> Callable[[F], F]:
    """Register the implementation of a call of these objects."""

    def add(function: F) -> F:
        for obj in objects:
            _functions[_key(obj)] = (obj, function)
        return function

    return add


def method(*names: str) -> Callable[[F], F]:
    """Register the implementation of methods of arrays; the array comes first."""

    def add(function: F) -> F:
        _methods.update(dict.fromkeys(names, function))
        return function

    return add


def attribute(*names: str) -> Callable[[F], F]:
    """Register the implementation of attributes of arrays."""

    def add(function: F) -> F:
        _attributes.update(dict.fromkeys(names, function))
        return function

    return add


def replace_by(obj: object, function: FunctionType) -> None:
    """Let calls of `obj` be calls of a Python function of ours, compiled like the user's."""
    _replacements[_key(obj)] = (obj, function)


def at_first_lookup(register: Callable[[], object]) -> Callable[[], object]:
    """Have this called before anything is looked up, so that implementations need not be imported before."""
    _later.append(register)
    return register


def find(obj: object) -> Implementation | None:
    """The implementation of a call of `obj`."""
    _complete()
    entry = _functions.get(_key(obj))
    return entry[1] if entry else None


def replacement(obj: object) -> FunctionType | None:
    _complete()
    entry = _replacements.get(_key(obj))
    return entry[1] if entry else None


def is_known(obj: object) -> bool:
    _complete()
    key = _key(obj)
    return key in _functions or key in _replacements


def find_method(name: str) -> Implementation | None:
    return _methods.get(name)


def find_attribute(name: str) -> Implementation | None:
    return _attributes.get(name)


def method_names() -> Iterable[str]:
    return (*_methods, *_attributes)


def objects() -> list[object]:
    """Every known object."""
    _complete()
    return [obj for obj, _ in (*_functions.values(), *_replacements.values())]


def names() -> list[str]:
    """Every known object by its dotted name, then the methods and attributes of arrays."""
    functions = {_dotted(obj) for obj in objects()}
    return sorted(functions) + sorted(f"ndarray.{name}" for name in method_names())


def _complete() -> None:
    """Whoever comes while another thread registers waits for it."""
    with _completing:
        while _later:
            _later.pop()()


def _key(obj: object) -> object:
    owner = getattr(obj, "__self__", None)
    if isinstance(owner, np.ufunc):
        return id(owner), getattr(obj, "__name__", "")
    return id(obj)


def _dotted(obj: object) -> str:
    owner = getattr(obj, "__self__", None)
    name = str(getattr(obj, "__name__", obj))
    if isinstance(owner, np.ufunc):
        return f"numpy.{owner.__name__}.{name}"
    module = getattr(obj, "__module__", None) or ("numpy" if isinstance(obj, np.ufunc) else "builtins")
    return name if module == "builtins" else f"{module}.{name}"
