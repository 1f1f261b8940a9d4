"""XLA's entry into a kernel: a handler of its foreign function interface, written in LLVM.

    ptr handler(ptr frame)      null, or an error

XLA asks a handler for its version through an extension of the frame, and calls it at several stages, of which only
execution does anything here: the data of the buffers goes into the kernel's slots. The kernel writes arrays into the
result buffers itself, which it gets as further parameters; numbers are stored here. All sizes are known, so nothing is
checked at run time. XLA takes the memory of each result from the system anew, and the first touch of its pages may cost
several times what the kernel does: large results ask for huge pages. Offsets are those of the C interface
(`xla/ffi/api/c_api.h`), whose version is read from the header that JAX ships.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import llvmlite.binding

from ...backend import cpu
from ...backend.jaxlib.library import jax
from ...ir.core import Function
from ...ir.types import DType, Lit, Type
from ...ir.walk import fresh
from ...runtime.symbols import outside

llvm: Any = llvmlite.binding  # it has no types

_LLVM = {DType.BOOL: "i8", DType.I32: "i32", DType.I64: "i64", DType.F32: "i32", DType.F64: "i64"}
# Byte offsets in the call frame: extension, interface, stage, argument buffers, result buffers.
_EXTENSION, _API, _STAGE, _ARGS, _RETS = 8, 16, 32, 72, 112
_EXECUTE = 3
# In a buffer: its data. In the table of the interface: the function that makes errors.
_DATA, _MAKE_ERROR = 24, 48
# Results of so many bytes lie on huge pages where the system has them.
_LARGE = 1 << 22
_PAGE = 1 << 12
_MADV_HUGEPAGE = 14

_FRAME = """
@message = private constant [{length} x i8] c"{message}\\00"

declare i64 @kernel(ptr, ptr, ptr)
declare i32 @madvise(ptr, i64, i32)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)

define ptr @handler(ptr %frame) {{
entry:
  %extension.at = getelementptr i8, ptr %frame, i64 {extension}
  %extension = load ptr, ptr %extension.at
  %extended = icmp ne ptr %extension, null
  br i1 %extended, label %asked, label %staged
asked:
  %kind.at = getelementptr i8, ptr %extension, i64 8
  %kind = load i32, ptr %kind.at
  %metadata = icmp eq i32 %kind, 1
  br i1 %metadata, label %describe, label %staged
describe:
  %description.at = getelementptr i8, ptr %extension, i64 24
  %description = load ptr, ptr %description.at
  %major = getelementptr i8, ptr %description, i64 24
  store i32 {major}, ptr %major
  %minor = getelementptr i8, ptr %description, i64 28
  store i32 {minor}, ptr %minor
  %traits = getelementptr i8, ptr %description, i64 32
  store i32 0, ptr %traits
  ret ptr null
staged:
  %stage.at = getelementptr i8, ptr %frame, i64 {stage}
  %stage = load i32, ptr %stage.at
  %executed = icmp eq i32 %stage, {execute}
  br i1 %executed, label %execute, label %nothing
nothing:
  ret ptr null
execute:
  %slots = alloca i64, i64 {slots}
  %found = alloca i64, i64 {found}
  %fault = alloca [2 x i64]
  %args.at = getelementptr i8, ptr %frame, i64 {args}
  %args = load ptr, ptr %args.at
  %rets.at = getelementptr i8, ptr %frame, i64 {rets}
  %rets = load ptr, ptr %rets.at
{reads}
  %code = call i64 @kernel(ptr %slots, ptr %found, ptr %fault)
  %failed = icmp ne i64 %code, 0
  br i1 %failed, label %fail, label %answer
answer:
{writes}
  ret ptr null
fail:
  %request = alloca [4 x i64]
  store i64 28, ptr %request
  %request.extension = getelementptr i64, ptr %request, i64 1
  store i64 0, ptr %request.extension
  %request.message = getelementptr i64, ptr %request, i64 2
  store ptr @message, ptr %request.message
  %request.code = getelementptr i64, ptr %request, i64 3
  store i64 9, ptr %request.code
  %api.at = getelementptr i8, ptr %frame, i64 {api}
  %api = load ptr, ptr %api.at
  %make.at = getelementptr i8, ptr %api, i64 {make}
  %make = load ptr, ptr %make.at
  %error = call ptr %make(ptr %request)
  ret ptr %error
}}
"""

_MESSAGE = "Tapeless: a check of compiled code failed, or there was no memory"


def with_rooms(function: Function) -> Function:
    """The function with a parameter more for each array it returns, in whose memory that is written."""
    arrays = [(k, type) for k, type in enumerate(function.result_types) if type.is_array]
    rooms = tuple(fresh("room", type) for _, type in arrays)
    count = len(function.params)
    donated = tuple((count + n, k) for n, (k, _) in enumerate(arrays))
    return Function(function.name, (*function.params, *rooms), function.body, donated)


def handler_text(function: Function) -> str:
    """The handler of a function with rooms for its results, whose sizes are literals."""
    rooms = dict(function.donated)
    reads, slots = _reads([param.type for param in function.params], rooms)
    writes, found = _writes(function.result_types)
    major, minor = _version()
    return _FRAME.format(
        message=_MESSAGE, length=len(_MESSAGE) + 1, extension=_EXTENSION, stage=_STAGE, execute=_EXECUTE, api=_API,
        args=_ARGS, rets=_RETS, make=_MAKE_ERROR, major=major, minor=minor, reads=reads, writes=writes,
        slots=max(1, slots), found=max(1, found),
    )  # fmt: skip


def link(function: Function, kernel: cpu.Loaded) -> tuple[int, Any]:
    """The address of the handler that calls a kernel, and what keeps its code alive."""
    machine = _machine()
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    with llvm.create_context() as context, llvm.parse_assembly(handler_text(function), context) as module:
        module.verify()
        passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1)))
        code = machine.emit_object(module)
    library = llvm.JITLibraryBuilder().add_object_img(code)
    library.import_symbol("kernel", kernel.address)
    library.import_symbol("madvise", outside()["madvise"])
    library.export_symbol("handler")
    tracker = library.link(_jit(), f"handler-{kernel.address}")
    return tracker["handler"], tracker


def _reads(types: Sequence[Type], rooms: Mapping[int, int]) -> tuple[str, int]:
    """Code that fills the kernel's slots from the buffers, and how many slots there are."""
    lines: list[str] = []
    slot = 0
    for k, type in enumerate(types):
        lines += _buffer("rets", rooms[k], f"in.{k}") if k in rooms else _buffer("args", k, f"in.{k}")
        lines.append(f"  %in.{k}.slot = getelementptr i64, ptr %slots, i64 {slot}")
        if type.is_array:
            lines.append(f"  store ptr %in.{k}, ptr %in.{k}.slot")
            lines += _huge_pages(f"%in.{k}", type) if k in rooms else []
            for d, size in enumerate(_sizes(type)):
                lines.append(f"  %in.{k}.size.{d} = getelementptr i64, ptr %slots, i64 {slot + 1 + d}")
                lines.append(f"  store i64 {size}, ptr %in.{k}.size.{d}")
        else:
            lines += _scalar_in(f"%in.{k}", _LLVM[type.dtype])
        slot += 1 + type.rank
    return "\n".join(lines), slot


def _huge_pages(data: str, type: Type) -> list[str]:
    """Code that asks for huge pages under a large array; a refusal changes nothing."""
    bytes = prod(_sizes(type)) * type.dtype.itemsize
    if bytes < _LARGE or sys.platform != "linux":
        return []
    return [
        f"  {data}.last = getelementptr i8, ptr {data}, i64 {_PAGE - 1}",
        f"  {data}.page = call ptr @llvm.ptrmask.p0.i64(ptr {data}.last, i64 {-_PAGE})",
        f"  {data}.refused = call i32 @madvise(ptr {data}.page, i64 {bytes - _PAGE}, i32 {_MADV_HUGEPAGE})",
    ]


def _scalar_in(data: str, bits: str) -> list[str]:
    lines = [f"  {data}.value = load {bits}, ptr {data}"]
    wide = f"{data}.value"
    if bits != "i64":
        wide = f"{data}.wide"
        lines.append(f"  {wide} = sext {bits} {data}.value to i64")
    return [*lines, f"  store i64 {wide}, ptr {data}.slot"]


def _writes(types: Sequence[Type]) -> tuple[str, int]:
    """Code that stores the numbers among the kernel's results, and how many slots these have."""
    lines: list[str] = []
    slot = 0
    for k, type in enumerate(types):
        if not type.is_array:
            bits = _LLVM[type.dtype]
            lines += _buffer("rets", k, f"out.{k}")
            lines.append(f"  %out.{k}.slot = getelementptr i64, ptr %found, i64 {slot}")
            lines.append(f"  %out.{k}.value = load {bits}, ptr %out.{k}.slot")
            lines.append(f"  store {bits} %out.{k}.value, ptr %out.{k}")
        slot += 1 + type.rank
    return "\n".join(lines), slot


def _buffer(side: str, k: int, name: str) -> list[str]:
    """Code that loads the data of the k-th buffer."""
    return [
        f"  %{name}.at = getelementptr ptr, ptr %{side}, i64 {k}",
        f"  %{name}.buffer = load ptr, ptr %{name}.at",
        f"  %{name}.data = getelementptr i8, ptr %{name}.buffer, i64 {_DATA}",
        f"  %{name} = load ptr, ptr %{name}.data",
    ]


def _sizes(type: Type) -> list[int]:
    return [int(size.value) for size in type.shape if isinstance(size, Lit)]


@cache
def _version() -> tuple[int, int]:
    """The version of the interface, from JAX's header."""
    text = (Path(jax.ffi.include_dir()) / "xla/ffi/api/c_api.h").read_text()
    found = [re.search(rf"#define XLA_FFI_API_{part} (\d+)", text) for part in ("MAJOR", "MINOR")]
    assert all(found)
    return tuple(int(match[1]) for match in found if match)  # type: ignore[return-value]  # there are two


@cache
def _machine() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(opt=1, reloc="pic", codemodel="jitdefault")


@cache
def _jit() -> Any:
    return llvm.create_lljit_compiler(_machine())
