"""Arguments as the entry point wants them: exact types, contiguous, aligned, native arrays.

A copy of an argument is as good as the argument itself as long as the kernel writes into nothing that another
argument sees. `separable` says whether that is so; when it is not, plain Python decides what the program means.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .signature import ANY, DTYPES, Param, same

_SHARING_EFFORT = 10_000


class Plain:
    """The answer when only the plain Python function has the right effect; there is one such object, `PLAIN`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "PLAIN"


PLAIN = Plain()

_PYTHON_TYPES: dict[str, type] = {"int": int, "float": float, "bool": bool}


def taken(param: Param, value: Any) -> Any:
    """The argument as NumPy or Python sees it, its memory shared; `PLAIN` where it means something of its own."""
    match param.kind:
        case "array":
            return _taken_array(param, value)
        case "scalar":
            return _taken_scalar(param, value)
        case "int" | "float" | "bool":
            return _taken_number(param.kind, value)


def separable(params: Sequence[Param], arguments: Sequence[Any]) -> bool:
    """Whether every written array is writeable, has no element twice, and shares none with another argument."""
    arrays = [value if param.kind == "array" else None for param, value in zip(params, arguments, strict=True)]
    for k, param in enumerate(params):
        target = arrays[k]
        if not param.written or target is None:
            continue
        if not target.flags.writeable or _meets_itself(target):
            return False
        if any(other is not None and j != k and _share(target, other) for j, other in enumerate(arrays)):
            return False
    return True


def sizes_agree(params: Sequence[Param], arguments: Sequence[Any]) -> bool:
    """Whether sizes that the program calls by one name are equal; if not, plain Python says what is wrong."""
    slots: list[int] = []
    for param, value in zip(params, arguments, strict=True):
        slots += [0, *(value.shape if param.kind == "array" else ())]
    wanted = [code for param in params for code in (ANY, *param.dims)]
    return all(code >= ANY or size == slots[same(code)] for code, size in zip(wanted, slots, strict=True))


def exact(param: Param, value: Any) -> Any:
    """What was taken in the form that the plan of `param` asks for: for arrays the same memory, or a copy."""
    if param.kind != "array":
        return value
    wanted = DTYPES[param.dtype]
    if value.dtype.isnative and value.flags.c_contiguous and value.flags.aligned:
        # The same memory under the canonical dtype: C has two names for 64-bit integers.
        return value if value.dtype.num == wanted.num else value.view(wanted)
    return np.array(value, dtype=wanted, order="C")


def copy_back(copy: Any, array: Any) -> None:
    """Bring what was written into a copy to the array it was made of."""
    if not np.may_share_memory(copy, array):
        np.copyto(array, copy)


def _taken_array(param: Param, value: Any) -> Any:
    kind = cast("type[object]", type(value))
    if issubclass(kind, np.ndarray):
        if kind not in (np.ndarray, np.memmap):
            return PLAIN  # a subclass may give the operators another meaning
        array = value.view(np.ndarray)
    elif hasattr(value, "__array_interface__"):
        array = np.asarray(value)
    elif hasattr(value, "__dlpack__"):
        array = np.from_dlpack(value)
    else:
        raise TypeError(f"an array expected, {kind.__name__} given")
    if not _same_element(array.dtype, param) or array.ndim != len(param.dims):
        wanted = f"{len(param.dims)} dimensions of {param.dtype}"
        raise TypeError(f"an array of {wanted} expected, {array.ndim} of {array.dtype} given")
    return array


def _taken_scalar(param: Param, value: Any) -> Any:
    found = np.asarray(value)
    if found.shape != () or not _same_element(found.dtype, param):
        raise TypeError(f"a NumPy scalar of {param.dtype} expected, {type(value).__name__} given")
    return DTYPES[param.dtype].type(found[()])


def _taken_number(kind: str, value: Any) -> Any:
    expected = _PYTHON_TYPES[kind]
    if not isinstance(value, expected) or (expected is int and isinstance(value, bool)):
        raise TypeError(f"a Python {kind} expected, {type(value).__name__} given")
    if expected is int and not -(2**63) <= value < 2**63:
        return PLAIN
    return expected(value)


def _same_element(dtype: Any, param: Param) -> bool:
    wanted = DTYPES[param.dtype]
    return (dtype.kind, dtype.itemsize) == (wanted.kind, wanted.itemsize)


def _share(a: NDArray[Any], b: NDArray[Any]) -> bool:
    shares_memory: Any = np.shares_memory  # its stub knows only two values of `max_work`
    try:
        return shares_memory(a, b, max_work=_SHARING_EFFORT)
    except np.exceptions.TooHardError:
        return True


def _meets_itself(array: NDArray[Any]) -> bool:
    """Whether two indices may name the same memory: a stride does not step over what the smaller ones cover."""
    covered = array.itemsize
    for stride, size in sorted((abs(stride), size) for stride, size in zip(array.strides, array.shape, strict=True)):
        if size > 1 and stride < covered:
            return True
        covered += stride * (size - 1)
    return False
