"""The runtime's LLVM text is well formed for every machine it has a variant for."""

from __future__ import annotations

import platform
import sys

import llvmlite.binding as llvm
import pytest

from tapeless.backend import native
from tapeless.runtime.symbols import outside


@pytest.mark.parametrize(
    ("system", "machine"), [("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64"), ("linux", "riscv64")]
)
def test_text_is_well_formed_and_complete(monkeypatch, system, machine):
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    defined, needed = set(), set()
    for text in native.runtime_modules():
        module = llvm.parse_assembly(text, llvm.create_context())
        module.verify()
        for function in module.functions:
            (needed if function.is_declaration else defined).add(function.name)
        needed |= {value.name for value in module.global_variables if value.is_declaration}
    assert set(native.EXPORTS) <= defined
    assert {name for name in needed - defined if not name.startswith("llvm.")} <= set(outside())
