"""A program with its arguments as one line of JSON: between the fuzzer and its workers, and in failure files.

The program is in text form, floats are hexadecimal: nothing is rounded, and nothing is executed on reading.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import ops as _ops  # the parser looks operations up
from ..ir.core import Function
from ..ir.text import parse_function, print_function
from .verify import VARIANTS

assert _ops


def encode(function: Function, args: Sequence[Any], variants: Sequence[str] = VARIANTS) -> str:
    """One line that `decode` reads; `variants` of compiled code are to be judged."""
    values = [_encode(np.asarray(arg)) for arg in args]
    return json.dumps({"program": print_function(function), "args": values, "variants": list(variants)})


def decode(line: str) -> tuple[Function, list[Any], list[str]]:
    """The program, its arguments, the variants of compiled code."""
    record = json.loads(line)
    return parse_function(record["program"]), [_decode(arg) for arg in record["args"]], record["variants"]


def _encode(array: Any) -> dict[str, Any]:
    values = [x.hex() if isinstance(x, float) else x for x in array.ravel().tolist()]
    return {"dtype": str(array.dtype), "shape": list(array.shape), "values": values}


def _decode(record: dict[str, Any]) -> Any:
    values = [float.fromhex(x) if isinstance(x, str) else x for x in record["values"]]
    return np.array(values, dtype=np.dtype(record["dtype"])).reshape(record["shape"])[()]
