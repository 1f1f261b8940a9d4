"""JAX for these tests: double precision, and quick compilation instead of quick code; the published tasks."""

import os
import sys
from pathlib import Path

import pytest

os.environ["XLA_FLAGS"] = " ".join(
    (os.environ.get("XLA_FLAGS", ""), "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")
)

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
sys.path.insert(0, str(Path(__file__).parents[2] / "bench" / "eliminate"))
