"""From a lowered function to a callable: passes, checks, cache, machine code, entry point.

`compile_function` runs every stage that follows the front end and keeps what each one made, so that a user
can look at it. The key of the cache is the text of the optimised program with its positions, the machine, and
the version of LLVM; `runtime.cache` adds the compiler's own sources.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

import numpy as np

from .config import Settings
from .front.capture import Lowered
from .front.tree import (
    Node,
    Out,
    OutArgument,
    OutLeaf,
    OutNode,
    OutStatic,
    Spec,
    as_flavour,
    assemble,
    out_leaves,
    spec_leaves,
    unflatten,
)
from .guards import guarded
from .ir.core import Function
from .ir.eval import evaluate
from .ir.text import print_function
from .ir.types import DType, Type, Var
from .ir.walk import canonical, statements
from .passes.notes import Notes
from .records import dataclass, field
from .runtime import cache, signature
from .runtime.call import MISS, PLAIN, bind, call_prepared
from .runtime.faults import Site, raiser

# What the builtin answered and the leaves of the arguments, to the answer of the call; None where that is the same.
Whole: TypeAlias = Callable[[Any, Sequence[Any]], Any] | None


@dataclass(slots=True)
class Compiled:
    """One specialisation, ready to be called.

    `call` takes the leaves of the arguments and of what was captured. `direct` takes the arguments' leaves only and
    answers at once or with `MISS`. `seconds` is the CPU time of each step of making it.
    """

    lowered: Lowered
    function: Function
    notes: Notes
    call: Callable[..., Any]
    direct: Callable[..., Any] | None = None
    machine_notes: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    from_cache: bool = False
    calls: int = 0


def compile_function(
    lowered: Lowered,
    specs: Sequence[Spec],
    settings: Settings,
    scope: Mapping[str, Any],
    seconds: dict[str, float] | None = None,
) -> Compiled:
    """Machine code (or the interpreter, in mode `interpret`) for a lowered function.

    `specs` are those of the arguments, `scope` is where the user's own exception classes are found by name, `seconds`
    what was spent before.
    """
    # The passes take a while to import: only who compiles pays for them.
    from .passes import checks, reciprocals
    from .passes.pipeline import optimise
    from .symbolic import stages

    notes, seconds = lowered.notes, dict[str, float]() if seconds is None else seconds
    function = checks.run(lowered.function, settings.check)
    if settings.mode == "interpret":
        return Compiled(lowered, function, notes, _interpreted(lowered, function))
    before = {"factor": stages.run} if settings.coarsen else {}
    function = optimise(function, notes=notes, check=settings.debug, seconds=seconds, before=before)
    function = canonical(reciprocals.run(function, notes) if settings.fastmath else function)
    loaded, from_cache = _machine_code(function, seconds)
    plan = _signature(specs, lowered, function)
    sites = [Site.decode(site, function.name) for site in loaded.meta["sites"]]
    builtin = bind(plan, loaded.address, raiser(sites, scope), loaded)
    whole = _whole(lowered.out, plan.outputs)
    return Compiled(
        lowered,
        function,
        notes,
        _entry(whole, plan, builtin),
        _direct(lowered, whole, builtin),
        [(line, text) for line, text in loaded.meta["notes"]],
        seconds,
        from_cache,
    )


def llvm_text(function: Function) -> str:
    """The LLVM text of an optimised function."""
    from .backend import cpu

    return cpu.optimise(cpu.emit(function))


def assembly_text(function: Function) -> str:
    """The machine's instructions for an optimised function."""
    from .backend import cpu

    return cpu.assembly(cpu.emit(function))


def _machine_code(function: Function, seconds: dict[str, float]) -> tuple[Any, bool]:
    """The linked kernel, and whether its code came from the cache."""
    # llvmlite takes a while to import: only who compiles pays for it.
    import llvmlite

    from .backend import cpu
    from .backend.target import host

    target = host()
    files = sorted({stm.pos.file for stm in statements(function.body) if stm.pos})
    text = print_function(function, positions=True)
    key = cache.key("kernel", text, *files, target.triple, target.cpu, target.features, llvmlite.__version__)
    stored = cache.get(key)
    if stored is not None:
        artefact = cpu.Artefact(stored.payload, stored.meta)
    else:
        artefact = cpu.compile(function, seconds=seconds)
        cache.put(key, artefact.code, artefact.meta)
    start = time.thread_time()
    loaded = cpu.load(artefact)
    seconds["link"] = time.thread_time() - start
    return loaded, stored is not None


# -- entry points -----------------------------------------------------------------------------------

_PYTHON_KINDS: dict[DType, signature.Kind] = {DType.BOOL: "bool", DType.I64: "int", DType.F64: "float"}


def _signature(specs: Sequence[Spec], lowered: Lowered, function: Function) -> signature.Signature:
    """What the entry point checks and makes."""
    taken = (*specs, *(entry.spec for entry in lowered.captured))
    python_params = [leaf.flavour == "python" for spec in taken for leaf in spec_leaves(spec)]
    donors = {result: param for param, result in function.donated}
    shapes = [[s.name if isinstance(s, Var) else int(s.value) for s in p.type.shape] for p in function.params]
    params = tuple(
        signature.Param(_kind(param.type, python), param.type.dtype.value, dims, index in donors.values())
        for index, (param, python, dims) in enumerate(
            zip(function.params, python_params, signature.dims(shapes), strict=True)
        )
    )
    python = {leaf.index for leaf in out_leaves(lowered.out) if leaf.flavour == "python"}
    results = tuple(
        signature.Result(_kind(type, index in python), type.dtype.value, type.rank, donors.get(index))
        for index, type in enumerate(function.result_types)
    )
    return signature.Signature(params, results, _outputs(lowered.out, results))


def _kind(type: Type, python: bool) -> signature.Kind:
    if type.is_array:
        return "array"
    return _PYTHON_KINDS[type.dtype] if python else "scalar"


def _outputs(out: Out, results: Sequence[signature.Result]) -> tuple[int, ...]:
    """What the builtin returns: the answer itself when it is flat, else all results, to be put together."""
    if not _is_flat(out):
        return tuple(index for index, result in enumerate(results) if result.donor is None)
    parts = out.parts if isinstance(out, OutNode) else (out,)
    return tuple(_output(part) for part in parts if not isinstance(part, OutStatic))


def _output(part: Out) -> int:
    assert isinstance(part, OutLeaf | OutArgument)
    return part.index if isinstance(part, OutLeaf) else ~part.index


def _is_flat(out: Out) -> bool:
    """Is the answer a number, an array, None, or a plain tuple of at least two of the first kinds?"""
    if isinstance(out, OutNode):
        leaves = all(isinstance(part, OutLeaf | OutArgument) for part in out.parts)
        return out.kind is tuple and len(out.parts) > 1 and leaves
    return not isinstance(out, OutStatic) or out.value is None


def _entry(whole: Whole, plan: signature.Signature, builtin: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the leaves that returns the answer, or `PLAIN` when only plain Python is right."""

    def call(*leaves: Any) -> Any:
        answer: Any = builtin(*leaves)
        if answer is MISS:
            answer = PLAIN if any(map(_is_cell, leaves)) else call_prepared(plan, builtin, leaves)
        return answer if answer is PLAIN or whole is None else whole(answer, leaves)

    return call


def _whole(out: Out, outputs: Sequence[int]) -> Whole:
    """What puts an answer together that is not flat, from the `outputs` that the builtin returns."""
    if _is_flat(out):
        return None
    make = _maker(out, {index: k for k, index in enumerate(outputs)})
    return (lambda answer, leaves: make((answer,), leaves)) if len(outputs) == 1 else make


def _maker(out: Out, place: Mapping[int, int]) -> Callable[[Any, Sequence[Any]], Any]:
    match out:
        case OutLeaf(index):
            k = place[index]
            return lambda made, _leaves: made[k]
        case OutArgument(index):
            return lambda _made, leaves: leaves[index]
        case OutStatic(value):
            return lambda _made, _leaves: value
        case OutNode(kind, keys, parts):
            makers = [_maker(part, place) for part in parts]
            return lambda made, leaves: assemble(kind, keys, [make(made, leaves) for make in makers])


def _is_cell(leaf: Any) -> bool:
    """Is this an array without dimensions? To the compiler it is a number, but plain Python may write into it."""
    return isinstance(leaf, np.ndarray) and not leaf.ndim


def _direct(lowered: Lowered, whole: Whole, builtin: Callable[..., Any]) -> Callable[..., Any] | None:
    """The shortest way to the answer: the builtin, with the captured values as they are now behind the arguments."""
    captured = lowered.captured
    if any(isinstance(entry.spec, Node) for entry in captured):
        return None

    def answered(*leaves: Any) -> Any:
        answer = builtin(*leaves)
        return answer if answer is MISS or whole is None else whole(answer, leaves)

    take = builtin if whole is None else answered
    return guarded(take, captured) if captured else take


def _interpreted(lowered: Lowered, function: Function) -> Callable[..., Any]:
    """A function of the leaves that runs the reference interpreter."""
    donors = dict(function.donated)
    python = {leaf.index for leaf in out_leaves(lowered.out) if leaf.flavour == "python"}

    def call(*leaves: Any) -> Any:
        results = evaluate(function, [deepcopy(leaf) for leaf in leaves])
        for param, result in donors.items():
            leaves[param][...] = results[result]
        made = [as_flavour(value, "python" if k in python else "numpy") for k, value in enumerate(results)]
        return unflatten(lowered.out, made, leaves)

    return call
