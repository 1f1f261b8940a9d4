"""The state of this installation, for `tapeless doctor` and for bug reports."""

from __future__ import annotations

import math
import os
import platform
import time
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Any


def diagnose() -> dict[str, Any]:
    """Versions, processor, threads, cache, and whether a small function compiles and runs."""
    from ..backend.target import host
    from ..config import config
    from ..ir.types import DType
    from ..runtime import cache
    from ..runtime.doctor import problems

    facts: dict[str, Any] = {"python": platform.python_version(), "system": platform.platform()}
    for package in ("tapeless", "numpy", "llvmlite"):
        facts[package] = _version(package)
    target = host()
    facts["processor"] = target.cpu
    facts["vector lanes"] = f"{target.lanes((DType.F64,))} of float64, {target.lanes((DType.F32,))} of float32"
    facts["cores"] = os.cpu_count() or 1
    facts["threads used"] = config.threads
    facts |= {f"cache {key}": value for key, value in asdict(cache.info()).items()}
    facts["problems"] = "; ".join(problems()) or "none"
    facts["self-test"], facts["first call"] = _self_test()
    return facts


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _self_test() -> tuple[str, str]:
    """Compile a function that uses a loop, a branch and an elementary function; compare with Python."""
    import numpy as np

    from ..api import jit

    x = np.linspace(0.0, 1.0, 101)
    begin = time.perf_counter()
    try:
        value = jit(_sample)(x)
    except Exception as error:
        return f"failed: {error}", "-"
    seconds = time.perf_counter() - begin
    good = abs(value - _sample(x)) < 1e-12
    return "passed" if good else "failed: wrong value", f"{seconds * 1e3:.0f} ms"


def _sample(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.5:
            total += math.sin(x[i])
    return total
