"""Builtin functions of Python whose code is native and whose `self` is a table that the code follows."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any


class Definition:
    """What all builtins of one kind share; they differ in their tables only."""

    def __init__(self, name: bytes, doc: bytes, flags: int, address: Callable[[], int]) -> None:
        self._made: _MethodDef | None = None
        self._make = lambda: _MethodDef(name, address(), flags, doc)

    @property
    def address(self) -> int:
        if self._made is None:
            self._made = self._make()
        return ctypes.addressof(self._made)


def new_builtin(definition: Definition, table: bytes, keep: object) -> Callable[..., Any]:
    """A builtin with this table; `keep` lives as long as it does."""
    # The third argument is kept by the builtin for as long as it lives; CPython does not look into it.
    return _new(definition.address, table, keep)


class _MethodDef(ctypes.Structure):
    """CPython's `PyMethodDef`."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_new: Any = ctypes.pythonapi.PyCFunction_NewEx
_new.restype = ctypes.py_object
_new.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
