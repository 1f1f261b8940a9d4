"""The running native runtime as Python sees it: number of threads, memory, forks.

`attach` is called once, by whoever linked the native code, with the addresses of its functions.
"""

from __future__ import annotations

import ctypes
import os
import threading
import warnings
from collections.abc import Callable, Mapping
from functools import cache

from ..config import Settings, config
from ..records import dataclass

_functions: dict[str, Callable[..., None]] = {}
_entry: list[int] = []
_kept: list[object] = []


class LargeMemoryWarning(UserWarning):
    """A call needs more than half of the machine's memory for its arrays."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Blocks of array memory: in use, kept for reuse, how often one was asked for, and what the system may take."""

    live_blocks: int
    live_bytes: int
    cached_blocks: int
    cached_bytes: int
    allocations: int
    lent_bytes: int


def attach(addresses: Mapping[str, int]) -> None:
    """Take over the linked runtime: start it, and keep it right across forks and changes of options."""
    for name in ("tp_trim", "tp_before_fork", "tp_after_fork_in_parent", "tp_after_fork_in_child"):
        _functions[name] = ctypes.CFUNCTYPE(None)(addresses[name])
    for name in ("tp_set_threads", "tp_memory", "tp_set_handler"):
        _functions[name] = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(addresses[name])
    main = threading.main_thread().ident
    ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_int64)(addresses["tp_start"])(main, 1)
    _functions["tp_set_handler"](_handler_capsule(addresses))
    _functions["tp_set_cap"] = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)(addresses["tp_set_cap"])
    _functions["tp_set_alarm"] = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(addresses["tp_set_alarm"])
    warn_beyond(machine_memory() // 2)
    _functions["tp_set_settings"] = ctypes.CFUNCTYPE(None, ctypes.py_object, ctypes.py_object)(
        addresses["tp_set_settings"]
    )
    _entry[:] = [addresses["tp_call"], addresses["tp_dispatch"]]
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=_functions["tp_before_fork"],
            after_in_parent=_functions["tp_after_fork_in_parent"],
            after_in_child=_functions["tp_after_fork_in_child"],
        )
    config.listen(_apply)


def entry_address() -> int:
    """The native function behind every compiled callable."""
    return _entry[0]


def memory() -> Memory:
    """The counters of array memory."""
    counters = (ctypes.c_int64 * 6)()
    _functions["tp_memory"](ctypes.addressof(counters))
    return Memory(*counters)


def trim() -> None:
    """Give memory that is kept for reuse back to the system."""
    _functions["tp_trim"]()


def warn_beyond(limit: int) -> None:
    """Warn on the main thread before its arrays need more bytes than this."""
    _functions["tp_set_alarm"](ctypes.cast(_alarm, ctypes.c_void_p), limit)


def dispatch_address() -> int:
    """The native function that finds the way into compiled code."""
    return _entry[1]


@cache
def machine_memory() -> int:
    """The bytes that this process may hope for."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        with open("/sys/fs/cgroup/memory.max") as limit:
            return min(total, int(limit.read()))
    except (OSError, ValueError):  # not Linux, or no limit
        return total


@ctypes.CFUNCTYPE(None, ctypes.c_int64)
def _alarm(total: int) -> None:
    warnings.warn(
        f"the arrays of this call need {total / 1e9:.2g} GB, more than half of the machine's memory; "
        'where a gradient keeps them for its way back, memory="1GB" limits that: see explain()',
        LargeMemoryWarning,
        stacklevel=2,
    )


def _apply(settings: Settings) -> None:
    _functions["tp_set_settings"](config.block, config.process)
    _functions["tp_set_threads"](settings.threads)
    _functions["tp_set_cap"](settings.buffers, machine_memory() // 4 if settings.buffers else 0)


class _Allocator(ctypes.Structure):
    """`PyDataMem_Handler` of NumPy (NEP 49)."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ctypes.c_void_p),
        ("malloc", ctypes.c_uint64),
        ("calloc", ctypes.c_uint64),
        ("realloc", ctypes.c_uint64),
        ("free", ctypes.c_uint64),
    )


def _handler_capsule(addresses: Mapping[str, int]) -> int:
    functions = (addresses[f"tp_handler_{name}"] for name in ("malloc", "calloc", "realloc", "free"))
    handler = _Allocator(b"tapeless", 1, None, *functions)
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    name = ctypes.c_char_p(b"mem_handler")
    capsule = make(ctypes.addressof(handler), name, None)
    _kept.extend((handler, name, capsule))
    return id(capsule)
