"""The addresses of everything outside that native code calls: the C library, CPython, NumPy.

They are bound by name when an object is linked and never written into code, so that objects can be
cached on disk and used by another process.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

_SYSTEM = (
    "posix_memalign",
    "free",
    "pthread_self",
    "sched_yield",
    "nanosleep",
    "clock_gettime",
    "madvise",
    "memcpy",
    "memset",
)
_SYSTEM_LINUX = (
    "pthread_create",
    "pthread_detach",
    "pthread_sigmask",
    "sigfillset",
    "pthread_key_create",
    "pthread_setspecific",
    "pthread_getspecific",
    "syscall",
)
_PYTHON = (
    "PyGILState_Ensure",
    "PyGILState_Release",
    "PyErr_CheckSignals",
    "PyErr_Occurred",
    "PyBytes_AsString",
    "Py_IncRef",
    "Py_DecRef",
    "PyFloat_FromDouble",
    "PyLong_FromLongLong",
    "PyLong_AsLongLongAndOverflow",
    "PyTuple_New",
    "PyTuple_SetItem",
    "PyObject_CallFunction",
    "PyObject_Vectorcall",
    "PyContextVar_Get",
    "PyEval_SaveThread",
    "PyEval_RestoreThread",
)
# Positions in NumPy's table of C functions, fixed by its binary interface.
_NUMPY_TYPE = 2
_NUMPY = {"PyArray_Scalar": 60, "PyArray_NewFromDescr": 94, "PyDataMem_GetHandler": 305}


class Miss:
    """The answer of an entry point whose plan does not fit the arguments; there is one such object, `MISS`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "MISS"


MISS = Miss()


@cache
def outside() -> dict[str, int]:
    """Address by name of every function and object that the native runtime refers to."""
    system = ctypes.CDLL(None)
    names = _SYSTEM + (_SYSTEM_LINUX if sys.platform == "linux" else ())
    found = {name: _address(getattr(system, name)) for name in names}
    found |= {name: _address(getattr(ctypes.pythonapi, name)) for name in _PYTHON}
    found |= _numpy_functions()
    objects = {"miss": MISS, "none": None, "true": True, "false": False, "ndarray_type": np.ndarray}
    found |= {f"tp_{name}": id(value) for name, value in objects.items()}
    return found


def _numpy_functions() -> dict[str, int]:
    capsule = import_module("numpy._core._multiarray_umath")._ARRAY_API
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    table = ctypes.cast(get(capsule, None), ctypes.POINTER(ctypes.c_uint64))
    if table[_NUMPY_TYPE] != id(np.ndarray):
        raise RuntimeError("NumPy's table of C functions is not where it should be")
    return {name: table[position] for name, position in _NUMPY.items()}


def _address(function: Any) -> int:
    address = ctypes.cast(function, ctypes.c_void_p).value
    if not address:
        raise RuntimeError("a system function has no address")
    return address
