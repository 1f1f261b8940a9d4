"""A program with its arguments as one line of JSON: between the fuzzer and its workers, and in failure files.

The program is in text form, floats are hexadecimal: nothing is rounded, and nothing is executed on reading.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import ops as _ops  # the parser looks operations up
from ..ir.core import Function
from ..ir.text import parse_function, print_function
from .verify import VARIANTS

assert _ops


@dataclass(frozen=True, slots=True)
class Request:
    """A program to be judged: itself, or its derivatives up to `order`, in directions that `seed` determines."""

    function: Function
    args: list[Any]
    variants: Sequence[str] = VARIANTS
    order: int = 0
    seed: int = 0


def encode(request: Request) -> str:
    """One line that `decode` reads."""
    return json.dumps({
        "program": print_function(request.function),
        "args": [_encode(np.asarray(arg)) for arg in request.args],
        "variants": list(request.variants),
        "order": request.order,
        "seed": request.seed,
    })  # fmt: skip


def decode(line: str) -> Request:
    """The request that a line holds."""
    record = json.loads(line)
    args = [_decode(arg) for arg in record["args"]]
    function = parse_function(record["program"])
    return Request(function, args, record["variants"], record.get("order", 0), record.get("seed", 0))


def _encode(array: Any) -> dict[str, Any]:
    values = [x.hex() if isinstance(x, float) else x for x in array.ravel().tolist()]
    return {"dtype": str(array.dtype), "shape": list(array.shape), "values": values}


def _decode(record: dict[str, Any]) -> Any:
    values = [float.fromhex(x) if isinstance(x, str) else x for x in record["values"]]
    return np.array(values, dtype=np.dtype(record["dtype"])).reshape(record["shape"])[()]
