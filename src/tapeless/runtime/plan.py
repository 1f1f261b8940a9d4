"""A signature as the table of i64 that the native entry point follows (`backend/native/entry.ll`).

In: a signature, the kernel's address, the callable that raises its faults. Out: bytes. The table refers to
types and dtypes that live for ever, and to the callable, which the builtin made from the table keeps alive.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np

from .signature import DTYPES, Param, Result, Signature

# Bits of an array's flags.
_C_CONTIGUOUS, _ALIGNED, _WRITEABLE = 0x1, 0x100, 0x400

# How the entry point reads an argument; a NumPy scalar by its size: eight, four or one byte behind the header.
_READ_ARRAY, _READ_INT, _READ_BOOL = 0, 4, 5
_READ_SCALAR = {8: 1, 4: 2, 1: 3}
_PYTHON_TYPES = {"int": int, "float": float, "bool": bool}

# How the entry point makes the object of a result.
_MAKE = {"float": 1, "int": 2, "bool": 3, "scalar": 4, "array": 5}
_MAKE_DONATED = 0

_HEADER_WORDS = 10


def encode(signature: Signature, kernel: int, on_fault: Callable[[int, int, int], object]) -> bytes:
    """The plan of calls of the kernel at address `kernel`."""
    params = [word for param in signature.params for word in _param(param)]
    results = [word for result in signature.results for word in _result(result)]
    results_at = _HEADER_WORDS + len(params)
    header = [
        kernel,
        len(signature.params),
        sum(1 + len(param.dims) for param in signature.params),
        len(signature.results),
        sum(1 + result.rank for result in signature.results),
        len(signature.outputs),
        any(param.written for param in signature.params),
        id(on_fault),
        results_at,
        results_at + len(results),
    ]
    words = [*header, *params, *results, *signature.outputs]
    return struct.pack(f"={len(words)}q", *words)


def _param(param: Param) -> list[int]:
    dtype = DTYPES[param.dtype]
    if param.kind == "array":
        flags = _C_CONTIGUOUS | _ALIGNED | (_WRITEABLE if param.written else 0)
        how, exact_type = _READ_ARRAY, np.ndarray
    else:
        flags = 0
        how = {"int": _READ_INT, "bool": _READ_BOOL}.get(param.kind, _READ_SCALAR[dtype.itemsize])
        exact_type = _PYTHON_TYPES.get(param.kind, dtype.type)
    rank = len(param.dims)
    return [how, id(exact_type), id(dtype), dtype.num, rank, flags, dtype.itemsize, param.written, *param.dims]


def _result(result: Result) -> list[int]:
    if result.donor is not None:
        return [_MAKE_DONATED, 0, result.rank, result.donor]
    return [_MAKE[result.kind], id(DTYPES[result.dtype]), result.rank, 0]
