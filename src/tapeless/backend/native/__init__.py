"""The native runtime: memory, threads, interrupts and the entry point from Python, written in LLVM.

In: the text of the `.ll` files beside this one, with the few numbers that depend on the machine filled in.
Out: the addresses of the `tp_*` functions, linked once per process and never unloaded, since worker threads
and the memory of results outlive every kernel. Kernels bind these addresses by name.

Linux on x86-64 and AArch64 has threads; other POSIX systems run every parallel region on its caller's thread;
there is no Windows port yet.
"""

from __future__ import annotations

import platform
import sys
import threading
from collections.abc import Sequence
from importlib.resources import files
from string import Template
from typing import Any

import llvmlite
import llvmlite.binding

from ...config import config
from ...runtime import cache, host
from ...runtime.layout import offsets
from ...runtime.symbols import outside

llvm: Any = llvmlite.binding  # it has no types

EXPORTS = (
    "tp_alloc",
    "tp_free",
    "tp_trim",
    "tp_memory",
    "tp_set_cap",
    "tp_set_alarm",
    "tp_hold",
    "tp_release",
    "tp_record",
    "tp_stopped",
    "tp_failed",
    "tp_handler_malloc",
    "tp_handler_calloc",
    "tp_handler_realloc",
    "tp_handler_free",
    "tp_parallel",
    "tp_threads",
    "tp_set_threads",
    "tp_start",
    "tp_before_fork",
    "tp_after_fork_in_parent",
    "tp_after_fork_in_child",
    "tp_poll",
    "tp_set_handler",
    "tp_call",
    "tp_dispatch",
    "tp_set_settings",
)

# What a spinning processor executes, and its argument.
_PAUSES = {
    "x86_64": ("llvm.x86.sse2.pause", ""),
    "aarch64": ("llvm.aarch64.hint", "i32 1"),
    "arm64": ("llvm.aarch64.hint", "i32 1"),
}

_lock = threading.Lock()
_addresses: dict[str, int] = {}


def symbols() -> dict[str, int]:
    """The addresses of the `tp_*` functions by name; the first call links and starts the runtime."""
    with _lock:
        if not _addresses:
            exported = _link(_objects())
            host.attach(exported)
            _addresses.update(exported)
    return _addresses


def runtime_modules() -> tuple[str, str]:
    """The runtime as LLVM text for this machine: what loops of kernels call, and all the rest."""
    return (files(__name__) / "kernels.ll").read_text(), _rest()


def _rest() -> str:
    threads = "threads.ll" if _futex() is not None else "threads_serial.ll"
    names = ("memory.ll", threads, "process.ll", "entry.ll", "dispatch.ll", "arguments.ll", "results.ll")
    parts = [(files(__name__) / name).read_text() for name in names]
    return Template("\n".join(parts)).substitute(_machine(), **offsets())


def _machine() -> dict[str, str | int]:
    linux = sys.platform == "linux"
    pause, argument = _PAUSES.get(platform.machine(), ("llvm.sideeffect", ""))
    return {
        "futex": _futex() or 0,
        "monotonic": 1 if linux else 6,
        "spins": 2000,
        "relax": f"call void @{pause}({argument})",
        # MADV_HUGEPAGE; a refusal changes nothing.
        "huge_pages": "%refused = call i32 @madvise(ptr %block, i64 %bytes, i32 14)" if linux else "",
        # MADV_FREE, since Linux 4.5.
        "offer_pages": "%refused = call i32 @madvise(ptr %first, i64 %whole, i32 8)\n  %taken = icmp eq i32 %refused, 0"
        if linux
        else "%taken = icmp ne i64 0, 0",
        "declarations": f"declare void @{pause}({argument.removesuffix(' 1')})\ndeclare i32 @madvise(ptr, i64, i32)",
    }


def _futex() -> int | None:
    """The number of the system call, where there is one."""
    if sys.platform != "linux":
        return None
    return {"x86_64": 202, "aarch64": 98}.get(platform.machine())


def _objects() -> list[bytes]:
    """The runtime as object files, from the cache or compiled."""
    # Better code costs 50 ms more: worth it for an object that is kept.
    hot, rest = runtime_modules()
    return [_object(hot, 1), _object(rest, 1 if config.cache else 0)]


def _object(text: str, effort: int) -> bytes:
    features = llvm.get_host_cpu_features().flatten()
    key = cache.key("native", text, llvmlite.__version__, llvm.get_host_cpu_name(), features)
    stored = cache.get(key)
    if stored is not None:
        return stored.payload
    payload = _compile(text, features, effort)
    cache.put(key, payload, {"kind": "native"})
    return payload


def _compile(text: str, features: str, effort: int) -> bytes:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=effort, reloc="pic", codemodel="jitdefault"
    )
    # Hand-written code needs little: to inline the field accessors and to clean up after that.
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    # Closed here, not by the garbage collector, which might end the context first.
    with llvm.create_context() as context, llvm.parse_assembly(text, context) as module:
        module.verify()
        passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=0)))
        return machine.emit_object(module)


def _link(objects: Sequence[bytes]) -> dict[str, int]:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    jit = llvm.create_lljit_compiler()
    library = llvm.JITLibraryBuilder()
    for payload in objects:
        library.add_object_img(payload)
    for name, address in outside().items():
        library.import_symbol(name, address)
    for name in EXPORTS:
        library.export_symbol(name)
    tracker = library.link(jit, "tapeless-runtime")
    addresses = {name: tracker[name] for name in EXPORTS}
    # Workers run this code until the process ends: it must survive the interpreter.
    tracker.detach()
    jit.detach()
    return addresses
