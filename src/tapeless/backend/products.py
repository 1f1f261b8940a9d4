"""Matrix products in maps outside any parallel region: one call for the rows of a block (`product_text`).

What is a product (`passes/products.py`), and a large one, is computed by a function that packs both matrices.
A guarded product is computed by the map itself after all, should some of its sums turn out not to be numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.core import Map
from ..ir.types import I64, Lit
from ..passes.products import Factor, Product, is_large, product
from . import access, affine, memory, product_text
from .emitter import Emitter
from .values import Array, Scalar, size

ROWS = product_text.ROWS


def find(e: Emitter, expr: Map, targets: Sequence[Array]) -> Product | None:
    """The product that a map is, when it can be written into its target row by row."""
    (target,) = targets if len(targets) == 1 else (None,)
    if target is None or target.adds or target.replaces or target.rank != 2 or target.strides[1].literal != 1:
        return None
    if e.kernel.options.lanes == "never":
        return None
    found = product(expr)
    return found if found is not None and _is_large(found) else None


def _is_large(found: Product) -> bool:
    """Products of unknown sizes are told apart by `jam`, which leaves only large ones as they are."""
    known = [int(n.value) for n in found.sizes if isinstance(n, Lit)]
    return not known or (len(known) == len(found.sizes) and is_large(*known))


def emit(e: Emitter, found: Product, target: Array, span: tuple[str, str], plain: Callable[[], int]) -> int:
    """The rows of a span; `plain` writes them in the usual way. Returns the number of lanes."""
    width = e.kernel.target.lanes([target.dtype])
    shape = product_text.Shape(target.dtype, width, 8 if e.kernel.target.vector_bytes == 64 else 4)
    product_text.define(e.kernel.module, shape)
    first, count = span[0], e.w.op(f"sub i64 {span[1]}, {span[0]}")
    buffer = memory.allocate(e, target.dtype, (size(shape.buffer),))
    left, right = _strided(e, found.left, first), _strided(e, found.right, "0")
    into = access.pointer(e, target, affine.offset_at(e, target, (Scalar(I64, first), size(0))).text)
    sizes = (count, e.scalar(found.columns).text, e.scalar(found.length).text)
    operands = (f"ptr {into}, i64 {target.strides[0].text}", left, right, *(f"i64 {n}" for n in sizes))
    failed = e.w.op(f"call i1 @{shape.name}({', '.join(operands)}, ptr {buffer.pointer})")
    if found.guarded:
        again, done = e.w.new_label("again"), e.w.new_label("done")
        e.branch(failed, again, done, likely=False)
        e.w.label(again)
        with e.w.region():
            plain()
        e.jump(done)
        e.w.label(done)
    return width


def _strided(e: Emitter, factor: Factor, first: str) -> str:
    """The address of a factor where it begins, and its strides across and along the sum."""
    array = e.array(factor.array)
    zero = size(0)
    at = [zero if number in (factor.moving, factor.summed) else e.scalar(atom) for number, atom in enumerate(factor.at)]
    at[factor.moving] = Scalar(I64, first)
    start = access.pointer(e, array, affine.offset_at(e, array, at).text)
    return f"ptr {start}, i64 {array.strides[factor.moving].text}, i64 {array.strides[factor.summed].text}"
