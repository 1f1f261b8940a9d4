"""Kernels written by hand, compiled for the tests of the runtime."""

from __future__ import annotations

from functools import cache

import llvmlite.binding as llvm

from tapeless.backend import native
from tapeless.runtime.call import bind
from tapeless.runtime.signature import Signature

HEADER = """
declare ptr @tp_alloc(i64)
declare void @tp_free(ptr)
declare void @tp_parallel(ptr, ptr, i64)
declare i64 @tp_threads()
declare i64 @tp_poll()
declare i64 @usleep(i32)
"""


@cache
def _jit() -> llvm.LLJIT:
    native.symbols()
    return llvm.create_lljit_compiler()


_count = iter(range(10**9))


def link(text: str, name: str = "kernel") -> tuple[int, object]:
    """The address of a function of `text`, and what owns its code."""
    library = llvm.JITLibraryBuilder().add_ir(HEADER + text).add_current_process().export_symbol(name)
    for symbol, address in native.symbols().items():
        library.import_symbol(symbol, address)
    tracker = library.link(_jit(), f"test-{next(_count)}")
    return tracker[name], tracker


def raise_code(code: int, a: int, b: int) -> None:
    raise RuntimeError(f"fault {code} {a} {b}")


def builtin(signature: Signature, text: str):
    """The builtin of the hand-written kernel `@kernel` in `text`."""
    address, owner = link(text)
    return bind(signature, address, raise_code, owner)


# def axpy(x: f64[n], a: float) -> f64[n]: a * x, fresh
SCALE = """
define i64 @kernel(ptr %args, ptr %results, ptr %fault) {
entry:
  %x = load ptr, ptr %args
  %n_field = getelementptr i64, ptr %args, i64 1
  %n = load i64, ptr %n_field
  %a_field = getelementptr i64, ptr %args, i64 2
  %a = load double, ptr %a_field
  %bytes = mul i64 %n, 8
  %y = call ptr @tp_alloc(i64 %bytes)
  store ptr %y, ptr %results
  %m_field = getelementptr i64, ptr %results, i64 1
  store i64 %n, ptr %m_field
  br label %check
check:
  %i = phi i64 [ 0, %entry ], [ %i_next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %x_place = getelementptr double, ptr %x, i64 %i
  %value = load double, ptr %x_place
  %scaled = fmul double %value, %a
  %y_place = getelementptr double, ptr %y, i64 %i
  store double %scaled, ptr %y_place
  %i_next = add i64 %i, 1
  br label %check
done:
  ret i64 0
}
"""

# def add_into(y: f64[n] written, x: f64[n]): y += x, in place; the donated result is y
ADD_INTO = """
define i64 @kernel(ptr %args, ptr %results, ptr %fault) {
entry:
  %y = load ptr, ptr %args
  %n_field = getelementptr i64, ptr %args, i64 1
  %n = load i64, ptr %n_field
  %x_field = getelementptr i64, ptr %args, i64 2
  %x = load ptr, ptr %x_field
  store ptr %y, ptr %results
  %m_field = getelementptr i64, ptr %results, i64 1
  store i64 %n, ptr %m_field
  br label %check
check:
  %i = phi i64 [ 0, %entry ], [ %i_next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %x_place = getelementptr double, ptr %x, i64 %i
  %y_place = getelementptr double, ptr %y, i64 %i
  %a = load double, ptr %x_place
  %b = load double, ptr %y_place
  %sum = fadd double %a, %b
  store double %sum, ptr %y_place
  %i_next = add i64 %i, 1
  br label %check
done:
  ret i64 0
}
"""


# Copies argument slots to result slots: echoes scalars.
def echo(slots: int) -> str:
    lines = ["define i64 @kernel(ptr %args, ptr %results, ptr %fault) {"]
    for k in range(slots):
        lines += [
            f"  %a{k} = getelementptr i64, ptr %args, i64 {k}",
            f"  %v{k} = load i64, ptr %a{k}",
            f"  %r{k} = getelementptr i64, ptr %results, i64 {k}",
            f"  store i64 %v{k}, ptr %r{k}",
        ]
    return "\n".join([*lines, "  ret i64 0", "}"])


# def fail(code: int): returns the code with the details 11 and -3
FAIL = """
define i64 @kernel(ptr %args, ptr %results, ptr %fault) {
  %code = load i64, ptr %args
  store i64 11, ptr %fault
  %second = getelementptr i64, ptr %fault, i64 1
  store i64 -3, ptr %second
  store i64 0, ptr %results
  ret i64 %code
}
"""

# def nap(microseconds: int) -> int
NAP = """
define i64 @kernel(ptr %args, ptr %results, ptr %fault) {
  %time = load i64, ptr %args
  %short = trunc i64 %time to i32
  %done = call i64 @usleep(i32 %short)
  store i64 %time, ptr %results
  ret i64 0
}
"""

# def forever(): polls until told to stop, on one thread
FOREVER = """
define i64 @kernel(ptr %args, ptr %results, ptr %fault) {
entry:
  br label %poll
poll:
  %stop = call i64 @tp_poll()
  %go_on = icmp eq i64 %stop, 0
  br i1 %go_on, label %poll, label %done
done:
  ret i64 -1
}
"""

# def forever(): the same in a parallel region; the fault word is shared
FOREVER_PARALLEL = """
define i64 @kernel(ptr %args, ptr %results, ptr %fault) {
  call void @tp_parallel(ptr @body, ptr %fault, i64 4)
  ret i64 -1
}
define internal void @body(ptr %fault, i64 %first, i64 %last) {
entry:
  br label %poll
poll:
  %stop = call i64 @tp_poll()
  %go_on = icmp eq i64 %stop, 0
  br i1 %go_on, label %poll, label %done
done:
  ret void
}
"""

# def squares(n: int) -> i64[n]: computed by a parallel region of n blocks
SQUARES = """
define i64 @kernel(ptr %args, ptr %results, ptr %fault) {
  %n = load i64, ptr %args
  %bytes = mul i64 %n, 8
  %y = call ptr @tp_alloc(i64 %bytes)
  store ptr %y, ptr %results
  %m_field = getelementptr i64, ptr %results, i64 1
  store i64 %n, ptr %m_field
  call void @tp_parallel(ptr @body, ptr %y, i64 %n)
  ret i64 0
}
define internal void @body(ptr %y, i64 %first, i64 %last) {
entry:
  br label %check
check:
  %i = phi i64 [ %first, %entry ], [ %i_next, %work ]
  %more = icmp slt i64 %i, %last
  br i1 %more, label %work, label %done
work:
  %place = getelementptr i64, ptr %y, i64 %i
  %square = mul i64 %i, %i
  store i64 %square, ptr %place
  %i_next = add i64 %i, 1
  br label %check
done:
  ret void
}
"""
