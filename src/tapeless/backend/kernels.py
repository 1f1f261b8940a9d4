"""From a function to the LLVM module of its kernel.

    define i64 @NAME(ptr %args, ptr %results, ptr %fault)

Slots of 8 bytes hold scalars as bits, and for an array its pointer and sizes. The kernel returns 0 or the
code of a fault, whose two details are written to `%fault`.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.core import Apply, Check, For, Function, Hist, If, Map, Reduce, Scan, Scatter, While
from ..ir.types import BOOL, F32, I32, I64, Lit, Var
from ..ir.walk import free_vars
from ..passes import place
from ..passes.sums import zero_arrays
from ..records import replace
from . import affine, branches, contraction, cost, forms, loops, memory, operations, outer, wrapping
from .emitter import Emitter, Handler
from .frame import Frame, Kernel
from .target import Options, Target
from .text import llvm_type
from .values import Array, Region, Scalar, Value, size

HANDLERS: Mapping[type, Handler] = {
    Apply: operations.emit_apply,
    Check: operations.emit_check,
    If: branches.emit_if,
    For: loops.emit_for,
    While: loops.emit_while,
    Map: forms.emit_map,
    Reduce: forms.emit_reduce,
    Scan: forms.emit_scan,
    Hist: forms.emit_hist,
    Scatter: forms.emit_scatter,
}


def emit(function: Function, target: Target, name: str, options: Options | None = None) -> Kernel:
    """The module of a function's kernel, which is called `name`."""
    kernel = Kernel(
        name,
        function,
        place.analyse(function),
        target,
        options or Options(),
        cost.changing(function),
        contraction.rounded_apart(function),
        wrapping.find(function),
        zero_arrays(function),
        outer.factors(function),
        cost.block_cost(function.body),
    )
    frame = Frame(kernel)
    e = Emitter(kernel, frame, HANDLERS)
    _read_arguments(e, function)
    _offer_room(e, function)
    _write_results(e, function, e.block(function.body))
    e.jump("leave")
    first, second = frame.details
    ending = [
        "  %failed = icmp ne i64 %code, 0",
        "  br i1 %failed, label %explain, label %return",
        "explain:",
        f"  %first = load i64, ptr {first}",
        f"  %second = load i64, ptr {second}",
        "  store i64 %first, ptr %fault",
        "  %second_at = getelementptr i64, ptr %fault, i64 1",
        "  store i64 %second, ptr %second_at",
        "  br label %return",
        "return:",
        "  ret i64 %code",
    ]
    frame.define(name, f"i64 @{name}(ptr %args, ptr %results, ptr %fault)", ending)
    return kernel


# -- arguments ------------------------------------------------------------------------------------


def _read_arguments(e: Emitter, function: Function) -> None:
    donated = {param for param, _ in function.donated}
    slot = 0
    for number, param in enumerate(function.params):
        if not param.type.shape:
            e.bind(param, _from_bits(e, param, slot))
            slot += 1
            continue
        pointer = e.w.op(f"load ptr, ptr {_slot(e, 'args', slot)}", "a")
        dims: list[Scalar] = []
        for k, dim in enumerate(param.type.shape):
            if isinstance(dim, Lit):
                dims.append(size(int(dim.value)))
                continue
            if dim not in e.env:
                text = e.w.op(f"load i64, ptr {_slot(e, 'args', slot + 1 + k)}", "n")
                e.bind(dim, Scalar(I64, text))
            dims.append(e.scalar(dim))
        region = Region("given", writable=number in donated, scope=e.frame.given_scope(param.name))
        e.bind(param, Array(param.type.dtype, region, pointer, size(0), tuple(dims), affine.row_major(e, dims), True))
        slot += 1 + len(dims)


def _offer_room(e: Emitter, function: Function) -> None:
    """A donated parameter that nothing reads is room for its result, which is built there where that can be done."""
    read = free_vars(function.body)
    bound = {var for stm in function.body.stms for var in stm.vars}
    for param, result in function.donated:
        room, value = function.params[param], function.body.results[result]
        if room not in read and isinstance(value, Var) and value in bound:
            e.places.setdefault(value, e.array(room))


def _slot(e: Emitter, base: str, number: int) -> str:
    return f"%{base}" if number == 0 else e.w.op(f"getelementptr i64, ptr %{base}, i64 {number}")


def _from_bits(e: Emitter, param: Var, number: int) -> Scalar:
    dtype, at = param.type.dtype, _slot(e, "args", number)
    if dtype is BOOL:
        bits = e.w.op(f"load i64, ptr {at}")
        return Scalar(dtype, e.w.op(f"icmp ne i64 {bits}, 0"))
    # Little endian: the low bytes come first.
    return Scalar(dtype, e.w.op(f"load {llvm_type(dtype)}, ptr {at}"))


# -- results --------------------------------------------------------------------------------------


def _write_results(e: Emitter, function: Function, values: tuple[Value, ...]) -> None:
    """Results leave in memory of their own; donated parameters are overwritten last."""
    donated = {result: param for param, result in function.donated}
    fresh: list[Value] = []
    claimed: set[Region] = set()
    for number, value in enumerate(values):
        if isinstance(value, Array):
            value = _settle(e, function, value, number in donated, claimed)  # noqa: PLW2901
        fresh.append(value)
    slot = 0
    for number, value in enumerate(fresh):
        if isinstance(value, Scalar):
            _to_bits(e, value, slot)
            slot += 1
            continue
        if number in donated:
            target = e.array(function.params[donated[number]])
            memory.put_all(e, target, value)
            value = replace(value, pointer=target.pointer, region=target.region)  # noqa: PLW2901
        else:
            e.w.line(f"store {{ ptr, i64 }} zeroinitializer, ptr {value.region.owner}")
        e.w.line(f"store ptr {value.pointer}, ptr {_slot(e, 'results', slot)}")
        for k, dim in enumerate(value.dims):
            e.w.line(f"store i64 {dim.text}, ptr {_slot(e, 'results', slot + 1 + k)}")
        slot += 1 + value.rank


def _settle(e: Emitter, function: Function, value: Array, is_donated: bool, claimed: set[Region]) -> Array:
    """A result in memory that may leave: not a parameter's, not one that another result has taken."""
    if is_donated:
        overwritten = [e.array(function.params[param]).region for param, _ in function.donated]
        return memory.duplicate(e, value) if value.region in overwritten and not _is_own(e, function, value) else value
    if memory.is_movable(e, value) and value.region not in claimed:
        claimed.add(value.region)
        return value
    target = memory.in_slot(e, memory.new_slot(e, ("result", len(e.frame.slots))), value.dtype, value.dims)
    memory.copy(e, target, value)
    claimed.add(target.region)
    return target


def _is_own(e: Emitter, function: Function, value: Array) -> bool:
    """Does this result already stand in the parameter that it is written to?"""
    for param, result in function.donated:
        mine = e.array(function.params[param])
        wanted = function.body.results[result]
        if isinstance(wanted, Var) and e.value(wanted) is value:
            return memory.is_same(mine, value)
    return False


def _to_bits(e: Emitter, value: Scalar, number: int) -> None:
    text, type = value.text, llvm_type(value.dtype)
    if value.dtype is BOOL:
        text = e.w.op(f"zext i1 {text} to i64")
    elif value.dtype is I32:
        text = e.w.op(f"sext i32 {text} to i64")
    elif value.dtype is F32:
        text = e.w.op(f"zext i32 {e.w.op(f'bitcast float {text} to i32')} to i64")
    type = type if value.dtype.is_float and value.dtype is not F32 else "i64"
    e.w.line(f"store {type} {text}, ptr {_slot(e, 'results', number)}")
