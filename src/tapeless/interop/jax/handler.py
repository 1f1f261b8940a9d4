"""XLA's entry into a kernel: a handler of its foreign function interface, written in LLVM.

    ptr handler(ptr frame)      null, or an error

XLA asks a handler for its version through an extension of the frame, and calls it at several stages, of which only
execution does anything here: the data of the argument buffers goes into the kernel's slots, the kernel's results are
copied into the result buffers and given back. All sizes are known, so nothing is checked at run time. Offsets are those
of the C interface (`xla/ffi/api/c_api.h`), whose version is read from the header that JAX ships.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import llvmlite.binding

from ...backend import cpu, native
from ...backend.jaxlib.library import jax
from ...ir.core import Function
from ...ir.types import DType, Lit, Type

llvm: Any = llvmlite.binding  # it has no types

_LLVM = {DType.BOOL: "i8", DType.I32: "i32", DType.I64: "i64", DType.F32: "i32", DType.F64: "i64"}
# Byte offsets in the call frame: extension, interface, stage, argument buffers, result buffers.
_EXTENSION, _API, _STAGE, _ARGS, _RETS = 8, 16, 32, 72, 112
_EXECUTE = 3
# In a buffer: its data. In the table of the interface: the function that makes errors.
_DATA, _MAKE_ERROR = 24, 48

_FRAME = """
@message = private constant [{length} x i8] c"{message}\\00"

declare i64 @kernel(ptr, ptr, ptr)
declare void @tp_free(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

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


def handler_text(function: Function) -> str:
    """The handler of a function whose sizes are literals."""
    reads, slots = _reads([param.type for param in function.params])
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
    library.import_symbol("tp_free", native.symbols()["tp_free"])
    library.export_symbol("handler")
    tracker = library.link(_jit(), f"handler-{kernel.address}")
    return tracker["handler"], tracker


def _reads(types: Sequence[Type]) -> tuple[str, int]:
    """Code that fills the kernel's slots from the argument buffers, and how many slots there are."""
    lines: list[str] = []
    slot = 0
    for k, type in enumerate(types):
        lines += _buffer("args", k)
        lines.append(f"  %args.slot.{k} = getelementptr i64, ptr %slots, i64 {slot}")
        if type.is_array:
            lines.append(f"  store ptr %args.data.{k}, ptr %args.slot.{k}")
            for d, size in enumerate(_sizes(type)):
                lines.append(f"  %args.size.{k}.{d} = getelementptr i64, ptr %slots, i64 {slot + 1 + d}")
                lines.append(f"  store i64 {size}, ptr %args.size.{k}.{d}")
        else:
            lines += _scalar_in(k, _LLVM[type.dtype])
        slot += 1 + type.rank
    return "\n".join(lines), slot


def _scalar_in(k: int, bits: str) -> list[str]:
    lines = [f"  %args.value.{k} = load {bits}, ptr %args.data.{k}"]
    wide = f"%args.value.{k}"
    if bits != "i64":
        wide = f"%args.wide.{k}"
        lines.append(f"  {wide} = sext {bits} %args.value.{k} to i64")
    return [*lines, f"  store i64 {wide}, ptr %args.slot.{k}"]


def _writes(types: Sequence[Type]) -> tuple[str, int]:
    """Code that copies the kernel's results into the result buffers, and how many slots there are."""
    lines: list[str] = []
    slot = 0
    for k, type in enumerate(types):
        lines += _buffer("rets", k)
        lines.append(f"  %rets.slot.{k} = getelementptr i64, ptr %found, i64 {slot}")
        if type.is_array:
            size = prod(_sizes(type)) * type.dtype.itemsize
            lines.append(f"  %rets.made.{k} = load ptr, ptr %rets.slot.{k}")
            lines.append(
                f"  call void @llvm.memcpy.p0.p0.i64(ptr %rets.data.{k}, ptr %rets.made.{k}, i64 {size}, i1 false)"
            )
            lines.append(f"  call void @tp_free(ptr %rets.made.{k})")
        else:
            bits = _LLVM[type.dtype]
            lines.append(f"  %rets.value.{k} = load {bits}, ptr %rets.slot.{k}")
            lines.append(f"  store {bits} %rets.value.{k}, ptr %rets.data.{k}")
        slot += 1 + type.rank
    return "\n".join(lines), slot


def _buffer(side: str, k: int) -> list[str]:
    """Code that loads the data of the k-th buffer."""
    return [
        f"  %{side}.at.{k} = getelementptr ptr, ptr %{side}, i64 {k}",
        f"  %{side}.buffer.{k} = load ptr, ptr %{side}.at.{k}",
        f"  %{side}.data.at.{k} = getelementptr i8, ptr %{side}.buffer.{k}, i64 {_DATA}",
        f"  %{side}.data.{k} = load ptr, ptr %{side}.data.at.{k}",
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
