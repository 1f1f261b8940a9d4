"""The tasks are a package beside the benchmarks that use them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "bench" / "eliminate"))
