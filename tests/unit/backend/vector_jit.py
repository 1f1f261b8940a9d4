"""Runs one scalar operation over NumPy arrays, in lanes of a chosen width, through LLVM."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache

import llvmlite.binding as llvm
import numpy as np

from tapeless.backend.scalar import emit_op
from tapeless.backend.text import Module, Writer, llvm_type, memory_type
from tapeless.ir.types import BOOL, DType

DTYPES = {"bool": np.bool_, "i32": np.int32, "i64": np.int64, "f32": np.float32, "f64": np.float64}


def apply(
    op: str,
    *arrays: np.ndarray,
    width: int,
    result: DType | None = None,
    attrs: tuple[object, ...] = (),
    literals: tuple[str, ...] = (),
) -> np.ndarray:
    """The operation element by element, `literals` being its last operands; arrays are padded to whole vectors."""
    dtypes = tuple(DType(next(k for k, v in DTYPES.items() if array.dtype == v)) for array in arrays)
    result = result or dtypes[-1]
    n = len(arrays[0])
    padded = -(-max(n, 1) // width) * width
    inputs = [np.ascontiguousarray(np.resize(array, padded)) for array in arrays]
    out = np.zeros(padded, DTYPES[result.value])
    kernel = compiled(op, attrs, dtypes, result, width, literals)
    kernel(out.ctypes.data, *(array.ctypes.data for array in inputs), padded)
    return out[:n]


@cache
def compiled(
    op: str,
    attrs: tuple[object, ...],
    dtypes: tuple[DType, ...],
    result: DType,
    width: int,
    literals: tuple[str, ...] = (),
):
    """A native function (out, in0, in1, ..., n)."""
    text = kernel_text(op, attrs, dtypes, result, width, literals)
    address = load(text)
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (1 + len(dtypes)), ctypes.c_int64)(address)


def kernel_text(
    op: str,
    attrs: tuple[object, ...],
    dtypes: Sequence[DType],
    result: DType,
    width: int,
    literals: Sequence[str] = (),
) -> str:
    module = Module()
    w = Writer(module)
    w.line("br label %loop")
    w.label("loop")
    w.line("%i = phi i64 [ 0, %0 ], [ %next, %end ]")
    operands = [_load(w, f"%in{k}", dtype, width) for k, dtype in enumerate(dtypes)]
    types = [*dtypes, *([dtypes[-1]] * len(literals))]
    value = emit_op(w, op, attrs, types, result, width, [*operands, *literals])
    memory = memory_type(result, width)
    if result is BOOL:
        value = w.op(f"zext {llvm_type(BOOL, width)} {value} to {memory}")
    place = w.op(f"getelementptr {memory_type(result)}, ptr %out, i64 %i")
    w.line(f"store {memory} {value}, ptr {place}, align {result.itemsize}")
    w.line("br label %end")
    w.label("end")
    w.line(f"%next = add i64 %i, {width}")
    w.line("%more = icmp slt i64 %next, %n")
    w.line("br i1 %more, label %loop, label %exit")
    w.label("exit")
    params = "".join(f", ptr noalias %in{k}" for k in range(len(dtypes)))
    body = "\n".join(w.lines)
    return f"{module}\ndefine void @kernel(ptr noalias %out{params}, i64 %n) {{\n{body}\n  ret void\n}}\n"


def _load(w: Writer, base: str, dtype: DType, width: int) -> str:
    place = w.op(f"getelementptr {memory_type(dtype)}, ptr {base}, i64 %i")
    value = w.op(f"load {memory_type(dtype, width)}, ptr {place}, align {dtype.itemsize}")
    if dtype is BOOL:
        value = w.op(f"trunc {memory_type(dtype, width)} {value} to {llvm_type(dtype, width)}")
    return value


@cache
def target_machine() -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    features = llvm.get_host_cpu_features().flatten()
    cpu = llvm.get_host_cpu_name()
    # The large code model, the default for a JIT, takes two instructions for each constant.
    return target.create_target_machine(cpu=cpu, features=features, opt=2, codemodel="small", reloc="pic")


def optimised(text: str) -> llvm.ModuleRef:
    """The module after the short pass list the back end uses."""
    module = llvm.parse_assembly(text)
    module.verify()
    builder = llvm.create_pass_builder(target_machine(), llvm.create_pipeline_tuning_options(speed_level=2))
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.add_new_gvn_pass()
    passes.add_dead_code_elimination_pass()
    passes.run(module, builder)
    return module


_jit: list[object] = []


def load(text: str) -> int:
    """The address of `kernel`."""
    if not _jit:
        _jit.append(llvm.create_lljit_compiler(target_machine(), use_jit_link=False))
    library = llvm.JITLibraryBuilder()
    library.add_ir(str(optimised(text))).export_symbol("kernel").add_current_process()
    tracker = library.link(_jit[0], f"library{len(_jit)}")
    _jit.append(tracker)
    return tracker["kernel"]
