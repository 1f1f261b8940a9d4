"""Types in annotations: `x: tp.f64[:, 3]` fixes the element type and, where a number stands, the size."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import AnnotationError, Place
from ..ir.types import BOOL, F32, F64, I32, I64, DType
from ..records import dataclass
from .tree import Leaf, Node, Spec, Static
from .values import is_tuple


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An element type and, once subscripted, the sizes: numbers are fixed, `:` is left to run time."""

    dtype: DType
    dims: tuple[int | None, ...] = ()

    def __getitem__(self, sizes: object) -> ArrayType:
        entries = sizes if is_tuple(sizes) else (sizes,)
        dims: list[int | None] = []
        for entry in entries:
            if entry == slice(None):
                dims.append(None)
            elif isinstance(entry, int) and not isinstance(entry, bool) and entry >= 0:
                dims.append(entry)
            else:
                raise AnnotationError(
                    f"{entry!r} is not a size",
                    why="sizes in annotations are non-negative numbers or ':'",
                    fix="write for instance tp.f64[:, 3]",
                )
        return ArrayType(self.dtype, tuple(dims))

    def __repr__(self) -> str:
        if not self.dims:
            return f"tp.{_NAMES[self.dtype]}"
        return f"tp.{_NAMES[self.dtype]}[{', '.join(':' if n is None else str(n) for n in self.dims)}]"

    def refine(self, name: str, spec: Spec, shape: tuple[int, ...], place: Callable[[], Place]) -> Spec:
        """The spec of an argument with the sizes that the annotation fixes."""
        if not isinstance(spec, Leaf) or len(spec.dims) != len(self.dims) or not self._accepts(spec):
            raise AnnotationError(f"{name} must be {self!r}, but a {_words(spec)} was given", place=place())
        for axis, (need, have) in enumerate(zip(self.dims, shape, strict=True)):
            if need is not None and need != have:
                what = f"{name} must be {self!r}, but its size along axis {axis} is {have}"
                raise AnnotationError(what, place=place())
        return Leaf(
            spec.dtype,
            spec.flavour,
            tuple(a if a is not None else b for a, b in zip(self.dims, spec.dims, strict=True)),
        )

    def _accepts(self, spec: Leaf) -> bool:
        if spec.flavour != "python":
            return spec.dtype is self.dtype
        order = (BOOL, I64, F64)
        kind = 2 if self.dtype.is_float else 1 if self.dtype.is_int else 0
        return order.index(spec.dtype) <= kind


_NAMES = {BOOL: "boolean", I32: "i32", I64: "i64", F32: "f32", F64: "f64"}

boolean = ArrayType(BOOL)
i32 = ArrayType(I32)
i64 = ArrayType(I64)
f32 = ArrayType(F32)
f64 = ArrayType(F64)


def _words(spec: Spec) -> str:
    if isinstance(spec, Node):
        return spec.kind.__name__
    if isinstance(spec, Static):
        return type(spec.value).__name__
    if spec.flavour == "array":
        return f"{len(spec.dims)}-dimensional array of {spec.dtype!r}"
    return f"{spec.dtype!r} number"
