"""The tower that counts: operations by name, and the bytes that array operations move.

The values are those of the tower it wraps. A read counts the bytes of what is read, a write those
of what is written; moving a whole array (`concat`, `argsort`, ...) counts its operands and its result; a view
(`slice`, `transpose`, `reshape`) counts nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from .numbers import NUMPY, Tower
from .op import Op
from .types import DType

_VIEWS = frozenset({"slice", "transpose", "reshape"})


class CountingTower:
    """Wraps `inner`; `counts`, `bytes_read` and `bytes_written` grow with every evaluation."""

    def __init__(self, inner: Tower = NUMPY) -> None:
        self.inner = inner
        self.counts: Counter[str] = Counter()
        self.bytes_read = 0
        self.bytes_written = 0

    def storage(self, dtype: DType) -> Any:
        return self.inner.storage(dtype)

    def scalar(self, value: Any, dtype: DType) -> Any:
        return self.inner.scalar(value, dtype)

    def operation(self, op: Op) -> Callable[..., Any]:
        compute, name = self.inner.operation(op), op.name

        def counted(*operands: Any) -> Any:
            self.counts[name] += 1
            result = compute(*operands)
            if op.arity is None and name not in _VIEWS:
                self._move(name, operands, result)
            return result

        return counted

    def written(self, arrays: Sequence[Any]) -> None:
        self.bytes_written += sum(map(_bytes, arrays))

    def _move(self, name: str, operands: Sequence[Any], result: Any) -> None:
        match name:
            case "index":
                self.bytes_read += _bytes(result)
            case "update" | "update_slice":
                self.bytes_written += _bytes(operands[1])
            case "accumulate":
                self.bytes_read += _bytes(operands[1])
                self.bytes_written += _bytes(operands[1])
            case "replicate" if isinstance(operands[-1], str):
                pass  # scratch
            case _:
                self.bytes_read += sum(_bytes(x) for x in operands if hasattr(x, "shape") and x.shape)
                self.bytes_written += _bytes(result)


def _bytes(value: Any) -> int:
    """The size of an array or scalar; a number of no fixed size counts as eight bytes."""
    return int(getattr(value, "nbytes", 8))
