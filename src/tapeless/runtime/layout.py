"""Where CPython and NumPy keep the fields that the native entry point reads.

The offsets follow the declarations of `PyObject`, `PyArrayObject_fields` and `PyArray_Descr` in the public
headers. They are not taken on trust: `offsets` compares them with the live objects of this process once
and refuses an unknown layout, because reading a wrong field would be a wrong result.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .symbols import outside


class LayoutError(RuntimeError):
    """This Python or NumPy lays out its objects in a way that Tapeless does not know."""


@cache
def offsets() -> dict[str, int]:
    """Byte offsets of the fields, by the names that the native text uses."""
    # The header ends with the type; free-threaded builds only put more in front of it.
    head = object.__basicsize__
    table = {
        "head": head,
        "ob_type": head - 8,
        "array_data": head,
        "array_rank": head + 8,
        "array_dims": head + 16,
        "array_descr": head + 40,
        "array_flags": head + 48,
        "array_handler": head + 72,
        "descr_order": head + 10,
        "descr_number": head + 12,
    }
    wrong = _disagreements(table)
    if wrong:
        raise LayoutError(f"unknown object layout ({', '.join(wrong)}): CPython or NumPy {np.__version__} has changed")
    return table


def _disagreements(table: dict[str, int]) -> list[str]:
    sample = np.zeros((3, 5), np.float32)[::2]
    swapped, number, integer = np.dtype(">f4"), np.float64(2.5), np.int32(-7)
    base, descr = id(sample), id(swapped)
    expected = {
        "type": _pointer(base + table["ob_type"]) == id(np.ndarray),
        "float": ctypes.c_double.from_address(id(number) + table["head"]).value == 2.5,
        "int32": ctypes.c_int32.from_address(id(integer) + table["head"]).value == -7,
        "data": _pointer(base + table["array_data"]) == sample.__array_interface__["data"][0],
        "rank": ctypes.c_int32.from_address(base + table["array_rank"]).value == 2,
        "descr": _pointer(base + table["array_descr"]) == id(sample.dtype),
        "flags": ctypes.c_int32.from_address(base + table["array_flags"]).value == sample.flags.num,
        "order": ctypes.c_char.from_address(descr + table["descr_order"]).value == swapped.byteorder.encode(),
        "number": ctypes.c_int32.from_address(descr + table["descr_number"]).value == swapped.num,
        "handler": _owns_through_handler(np.zeros(3), table["array_handler"]),
    }
    wrong = [name for name, agrees in expected.items() if not agrees]
    # Followed only when the rest agrees: a wrong pointer would end the process.
    if not wrong and _pointer(_pointer(base + table["array_dims"]) + 8) != 5:
        wrong.append("dims")
    return wrong


def _owns_through_handler(owner: NDArray[Any], offset: int) -> bool:
    """Whether the field of an array that owns its memory holds NumPy's present memory handler."""
    handler: Any = ctypes.PYFUNCTYPE(ctypes.py_object)(outside()["PyDataMem_GetHandler"])()
    return np.ndarray.__basicsize__ >= offset + 8 and _pointer(id(owner) + offset) == id(handler)


def _pointer(address: int) -> int:
    return ctypes.c_uint64.from_address(address).value
