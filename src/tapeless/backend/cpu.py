"""The CPU back end: LLVM text to machine code, linked into this process.

`compile` gives an artefact: an object file, and what is needed to use it without the program (the name
of the kernel, its check sites, notes). `load` links an artefact; the runtime's functions are bound by
name. `compile_and_run` does everything at once on NumPy arguments, for tests.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from ..ir.core import Function, Pos
from ..ir.types import DType, Type
from ..records import dataclass, field
from ..runtime.faults import Site, fault
from . import kernels, native
from .frame import LOOPS, Kernel
from .target import Options, host, llvm

_IMPORTS = ("tp_hold", "tp_release", "tp_parallel", "tp_stopped", "tp_record", "tp_failed", "tp_poll")


@dataclass(frozen=True, slots=True)
class Artefact:
    """Machine code and its description, both ready to be stored."""

    code: bytes
    meta: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A linked kernel; the code stays while this object does."""

    address: int
    meta: dict[str, Any]
    tracker: Any = field(repr=False)


def emit(function: Function, *, name: str = "kernel", options: Options | None = None) -> str:
    """The LLVM text of a function's kernel, before optimisation."""
    return kernels.emit(function, host(), name, options).text()


def compile(
    function: Function,
    *,
    name: str = "kernel",
    options: Options | None = None,
    seconds: dict[str, float] | None = None,
) -> Artefact:
    """Machine code for this machine; `seconds` collects the CPU time of each step."""
    seconds = {} if seconds is None else seconds
    start = time.thread_time()
    kernel = kernels.emit(function, host(), name, options)
    seconds["LLVM text"] = (emitted := time.thread_time()) - start
    with _optimised(kernel.text()) as module:
        seconds["LLVM passes"] = (optimised := time.thread_time()) - emitted
        code = _machine((options or Options()).level).emit_object(module)
    seconds["machine code"] = time.thread_time() - optimised
    return Artefact(code, _meta(kernel, name))


def optimise(text: str) -> str:
    """LLVM text after our passes."""
    with _optimised(text) as module:
        return str(module)


def assembly(text: str) -> str:
    """The instructions of the machine for LLVM text."""
    with _optimised(text) as module:
        return _machine(_LEVEL).emit_assembly(module)


def load(artefact: Artefact) -> Loaded:
    """Link an artefact into this process."""
    name = str(artefact.meta["name"])
    addresses = native.symbols()
    library = llvm.JITLibraryBuilder().add_object_img(artefact.code)
    for symbol in _IMPORTS:
        library.import_symbol(symbol, addresses[symbol])
    library.export_symbol(name)
    tracker = library.link(_jit(), _fresh_library())
    return Loaded(tracker[name], artefact.meta, tracker)


def _meta(kernel: Kernel, name: str) -> dict[str, Any]:
    sites = [[check.kind, check.info, _position(pos)] for _, check, pos in kernel.sites.values()]
    notes = [[pos.line if pos else 0, text] for pos, text in kernel.notes]
    return {"name": name, "sites": sites, "notes": notes}


def _position(pos: Pos | None) -> list[Any] | None:
    return [pos.file, pos.line, pos.col, pos.end_line, pos.end_col] if pos else None


# -- LLVM -------------------------------------------------------------------------------------------


_LEVEL = Options().level


@cache
def _machine(level: int) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = host()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        # Constants and calls are addressed from where the code is: what is linked lies together.
        cpu=target.cpu,
        features=target.features,
        opt=level,
        reloc="pic",
        codemodel="small",
    )


@cache
def _jit() -> Any:
    # The newer linker puts the sections of an object side by side, as small code asks, and refuses what is too far.
    return llvm.create_lljit_compiler(_machine(_LEVEL), use_jit_link=True)


_libraries = iter(range(1 << 62))


def _fresh_library() -> str:
    return f"tapeless-{next(_libraries)}"


@contextmanager
def _optimised(text: str) -> Generator[Any]:
    """The module of this text after our passes.

    It is closed at once, whatever happens: were it left to the garbage collector together with its context, as when an
    exception holds on to both, the context might go first.
    """
    with llvm.create_context() as context, llvm.parse_assembly(text, context) as module:
        module.triple, module.data_layout = host().triple, str(_machine(_LEVEL).target_data)
        module.verify()
        passes = _passes()
        passes.inline.run(module, _builder())
        loops = text.partition("\n")[0].removeprefix(LOOPS).split()
        for name in loops:
            passes.loops.run(module.get_function(name), _builder())
        passes.tidy.run(module, _builder())
        yield module


def _builder() -> Any:
    """What one run needs: a run leaves callbacks behind that point to what is gone by the next one."""
    options = llvm.create_pipeline_tuning_options(speed_level=1)
    options.loop_vectorization = options.slp_vectorization = options.loop_interleaving = False
    return llvm.create_pass_builder(_machine(_LEVEL), options)


@dataclass(frozen=True, slots=True)
class _Passes:
    """What is run in this order: on the module, on its functions with loops, on the module."""

    inline: Any
    loops: Any
    tidy: Any


@cache
def _passes() -> _Passes:
    """Made once: llvmlite never gives the memory of function passes back, and lets one thread at a time run them."""
    inline = llvm.create_new_module_pass_manager()
    inline.add_always_inliner_pass()
    return _Passes(inline, _for_loops(), _tidy())


def _for_loops() -> Any:
    """Inner loops gain from being unrolled; those around a loop of few rounds when that one is gone: hence twice."""
    passes = llvm.create_new_function_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    passes.add_loop_rotate_pass()
    passes.add_loop_unroll_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.add_loop_unroll_pass()
    return passes


def _tidy() -> Any:
    """Our own code says everything once, and loops over elements are vectors: little is left to do."""
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    passes.add_loop_rotate_pass()
    passes.add_simplify_cfg_pass()
    return passes


# -- running ------------------------------------------------------------------------------------------

_NUMPY = {DType.BOOL: np.bool_, DType.I32: np.int32, DType.I64: np.int64, DType.F32: np.float32, DType.F64: np.float64}


def compile_and_run(
    function: Function, args: Sequence[Any], threads: int | None = None, options: Options | None = None
) -> list[Any]:
    """The results of a function for NumPy arguments; donated ones are left as they are."""
    if threads is not None:
        ctypes.CFUNCTYPE(None, ctypes.c_int64)(native.symbols()["tp_set_threads"])(threads)
    return run(load(compile(function, options=options)), function, args)


def run(loaded: Loaded, function: Function, args: Sequence[Any], *, copy: bool = True) -> list[Any]:
    """Call a kernel through its slots; without `copy` on the caller's own (contiguous) arrays."""
    kept: list[Any] = []
    slots: list[int] = []
    for param, arg in zip(function.params, args, strict=True):
        slots += _argument(param.type, arg, kept, copy)
    results = (ctypes.c_int64 * max(1, sum(1 + type.rank for type in function.result_types)))()
    details = (ctypes.c_int64 * 2)()
    given = (ctypes.c_int64 * max(1, len(slots)))(*slots)
    kernel = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 3)(loaded.address)
    code = kernel(ctypes.addressof(given), ctypes.addressof(results), ctypes.addressof(details))
    if code:
        sites = [Site.decode(site, function.name) for site in loaded.meta["sites"]]
        raise fault(sites, code, details[0], details[1])
    return _results(function, results)


def _argument(type: Type, arg: Any, kept: list[Any], copy: bool) -> list[int]:
    dtype = _NUMPY[type.dtype]
    if type.shape:
        array = np.array(arg, dtype=dtype, order="C", copy=copy or None)
        kept.append(array)
        return [array.ctypes.data, *array.shape]
    scalar = np.asarray(arg, dtype=dtype)
    if type.dtype is DType.BOOL:
        return [int(scalar)]
    return [int(scalar.view({4: np.int32, 8: np.int64}[scalar.itemsize]))]


def _results(function: Function, slots: Any) -> list[Any]:
    donated = {result for _, result in function.donated}
    found: list[Any] = []
    at = 0
    for number, type in enumerate(function.result_types):
        dtype = np.dtype(_NUMPY[type.dtype])
        if not type.shape:
            raw = bytes(ctypes.c_int64(slots[at]))[: dtype.itemsize]
            found.append(np.frombuffer(raw, dtype=dtype)[0])
            at += 1
            continue
        pointer, shape = slots[at] & (1 << 64) - 1, tuple(slots[at + 1 : at + 1 + type.rank])
        at += 1 + type.rank
        count = int(np.prod(shape, dtype=np.int64))
        raw = ctypes.string_at(pointer, count * dtype.itemsize)
        found.append(np.frombuffer(raw, dtype=dtype).reshape(shape).copy())
        if number not in donated:
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(native.symbols()["tp_free"])(pointer)
    return found
