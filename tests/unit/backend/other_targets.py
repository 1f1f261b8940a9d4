"""Compiles every elementary function for another processor; run in a process of its own, as LLVM may abort."""

from __future__ import annotations

import sys

import llvmlite.binding as llvm

from tapeless.backend.elementary import FUNCTIONS
from tapeless.backend.elementary.lanes import Lanes
from tapeless.backend.scalar import emit_op
from tapeless.backend.text import Module, Writer
from tapeless.ir.types import F64, I64, DType

BINARY = ("pow", "atan2", "hypot", "floordiv", "mod", "ipow")


def module_text(width: int) -> str:
    """A caller of each function, in f64."""
    module = Module()
    callers = [_caller(module, name, I64 if name == "ipow" else F64, width) for name in FUNCTIONS]
    return f"{module}\n" + "\n".join(callers)


def _caller(module: Module, name: str, dtype: DType, width: int) -> str:
    w = Writer(module)
    names = ["%a", "%b"][: 2 if name in BINARY else 1]
    type_name = Lanes(w, dtype, width, "").type
    result = emit_op(w, name, (), (dtype,) * len(names), dtype, width, names)
    body = "\n".join(w.lines)
    params = ", ".join(f"{type_name} {x}" for x in names)
    return f"define {type_name} @use_{name}({params}) {{\n{body}\n  ret {type_name} {result}\n}}"


def compile_for(triple: str, cpu: str, features: str, width: int) -> int:
    """The length of the machine's code as text."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, features=features, opt=1)
    module = llvm.parse_assembly(module_text(width))
    module.triple, module.data_layout = triple, str(machine.target_data)
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1)))
    return len(machine.emit_assembly(module))


if __name__ == "__main__":
    print(compile_for(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
