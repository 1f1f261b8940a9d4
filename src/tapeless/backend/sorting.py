"""Stable argsort: one function per key type, a merge sort from the bottom up.

`order` starts as 0, 1, ..., n - 1; sorted runs of length 1, 2, 4, ... are merged from one buffer into
the other. The right run's element goes first only when it is strictly less, so equal keys keep
their order; NaN counts as larger than every number, as in NumPy.
"""

from __future__ import annotations

from ..ir.types import DType
from . import access
from .emitter import Emitter
from .text import memory_type
from .values import Array


def call(e: Emitter, keys: Array, order: Array, scratch: Array) -> None:
    """Write into `order` the permutation that sorts the packed row `keys`; `scratch` is as long."""
    name = f"tp.argsort.{keys.dtype.value}"
    e.kernel.module.require(name, lambda: _definition(name, keys.dtype))
    e.kernel.module.declare("llvm.smin.i64", "declare i64 @llvm.smin.i64(i64, i64)")
    e.kernel.module.declare("llvm.memcpy.p0.p0.i64", "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    pointers = [access.pointer(e, array, array.offset.text) for array in (keys, order, scratch)]
    count = keys.dims[0].text
    e.w.line(f"call void @{name}(ptr {pointers[0]}, i64 {count}, ptr {pointers[1]}, ptr {pointers[2]})")


def _definition(name: str, dtype: DType) -> str:
    type = memory_type(dtype)
    if dtype.is_float:
        less = f"""\
  %below = fcmp olt {type} %right_key, %left_key
  %left_nan = fcmp uno {type} %left_key, %left_key
  %right_number = fcmp ord {type} %right_key, %right_key
  %nan_later = and i1 %left_nan, %right_number
  %right_first = or i1 %below, %nan_later"""
    else:
        less = f"  %right_first = icmp slt {type} %right_key, %left_key"
    return _TEMPLATE.replace("NAME", name).replace("TYPE", type).replace("LESS", less)


_TEMPLATE = """\
define internal void @NAME(ptr %keys, i64 %n, ptr %order, ptr %scratch) noinline {
entry:
  %empty = icmp sle i64 %n, 0
  br i1 %empty, label %leave, label %number
number:
  %k = phi i64 [ 0, %entry ], [ %k_next, %number ]
  %k_at = getelementptr i64, ptr %order, i64 %k
  store i64 %k, ptr %k_at
  %k_next = add i64 %k, 1
  %k_more = icmp slt i64 %k_next, %n
  br i1 %k_more, label %number, label %pass
pass:
  %width = phi i64 [ 1, %number ], [ %wider, %pass_end ]
  %from = phi ptr [ %order, %number ], [ %to, %pass_end ]
  %to = phi ptr [ %scratch, %number ], [ %from, %pass_end ]
  %unsorted = icmp slt i64 %width, %n
  br i1 %unsorted, label %run, label %finish
run:
  %low = phi i64 [ 0, %pass ], [ %high, %run_end ]
  %middle_raw = add i64 %low, %width
  %middle = call i64 @llvm.smin.i64(i64 %middle_raw, i64 %n)
  %high_raw = add i64 %middle, %width
  %high = call i64 @llvm.smin.i64(i64 %high_raw, i64 %n)
  br label %merge
merge:
  %left = phi i64 [ %low, %run ], [ %left_next, %take ]
  %right = phi i64 [ %middle, %run ], [ %right_next, %take ]
  %out = phi i64 [ %low, %run ], [ %out_next, %take ]
  %left_on = icmp slt i64 %left, %middle
  %right_on = icmp slt i64 %right, %high
  %both_on = and i1 %left_on, %right_on
  %left_at = getelementptr i64, ptr %from, i64 %left
  %right_at = getelementptr i64, ptr %from, i64 %right
  br i1 %both_on, label %compare, label %single
compare:
  %left_index = load i64, ptr %left_at
  %right_index = load i64, ptr %right_at
  %left_key_at = getelementptr TYPE, ptr %keys, i64 %left_index
  %right_key_at = getelementptr TYPE, ptr %keys, i64 %right_index
  %left_key = load TYPE, ptr %left_key_at
  %right_key = load TYPE, ptr %right_key_at
LESS
  br label %take
single:
  %any = or i1 %left_on, %right_on
  br i1 %any, label %take, label %run_end
take:
  %use_right = phi i1 [ %right_first, %compare ], [ %right_on, %single ]
  %source = select i1 %use_right, ptr %right_at, ptr %left_at
  %chosen = load i64, ptr %source
  %out_at = getelementptr i64, ptr %to, i64 %out
  store i64 %chosen, ptr %out_at
  %right_one = zext i1 %use_right to i64
  %right_next = add i64 %right, %right_one
  %left_one = sub i64 1, %right_one
  %left_next = add i64 %left, %left_one
  %out_next = add i64 %out, 1
  br label %merge
run_end:
  %runs_left = icmp slt i64 %high, %n
  br i1 %runs_left, label %run, label %pass_end
pass_end:
  %wider = shl i64 %width, 1
  br label %pass
finish:
  %in_place = icmp eq ptr %from, %order
  br i1 %in_place, label %leave, label %copy
copy:
  %bytes = shl i64 %n, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %order, ptr %from, i64 %bytes, i1 false)
  br label %leave
leave:
  ret void
}
"""
