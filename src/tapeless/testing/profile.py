"""What kind of random programs is wanted: sizes, types, and how often each production is drawn.

`GENERAL` programs are for the compiler: all types alike, empty and long arrays, NaN and ties among the arguments,
a few programs that fail. `SMOOTH` ones are for derivatives: mostly floats, short loops (60-digit arithmetic runs
them a dozen times), arguments of random digits so that no kink is hit, and more of what is hard to reverse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..ir.types import F32, F64, DType
from ..records import replace


@dataclass(frozen=True, slots=True)
class Profile:
    """Choices of the generator.

    `size` bounds the number of outermost productions, `work` the iterations of a nest, `elements` those of an array;
    `lengths` are (length, weight) of symbolic sizes; `types` weigh a float, i64, i32 and bool; `ties`, `wild` and
    `faults` are shares of programs; `features` multiply the weights of productions by name.
    """

    size: tuple[int, int]
    lengths: tuple[tuple[int, float], ...]
    types: tuple[float, float, float, float]
    floats: tuple[tuple[tuple[DType, ...], float], ...]
    work: int
    elements: int
    ties: float
    wild: float
    faults: float
    features: Mapping[str, float] = field(default_factory=dict[str, float])


# Empty, one, below, at and above the width of vectors.
GENERAL = Profile(
    size=(4, 12),
    lengths=((0, 1), (1, 1.5), (2, 2), (3, 2), (5, 3), (8, 2), (9, 2), (17, 2.5), (33, 1.5), (70, 0.7)),
    types=(6, 2, 1, 1),
    floats=(((F64,), 7), ((F64, F32), 2), ((F32,), 1)),
    work=1500,
    elements=200,
    ties=0.3,
    wild=0.06,
    faults=0.08,
)

SMOOTH = Profile(
    size=(2, 8),
    lengths=((0, 0.5), (1, 1), (2, 2), (3, 4), (4, 3), (5, 2), (7, 1), (9, 0.7)),
    types=(12, 2, 0.4, 1),
    floats=(((F64,), 8), ((F64, F32), 1.5), ((F32,), 0.5)),
    work=200,
    elements=60,
    ties=0.0,
    wild=0.0,
    faults=0.0,
    features={
        "bits": 0.0,  # opaque: its derivative is refused
        "integer": 0.3, "mixing": 0.4, "logic": 0.5, "classification": 0.2, "rounding": 0.5, "truth": 0.4,
        "precision": 0.5, "search_loop": 0.4, "elementary": 1.3, "elementary_of_two": 1.3,
        "for": 1.6, "while": 1.4, "if": 1.4, "scan": 1.5, "hist": 1.5, "scatter": 1.5, "scratch_loop": 1.5,
        "fill_loop": 1.3, "fill_matrix": 1.3, "tally_loop": 1.3, "exchange_loop": 1.3,
    },
)  # fmt: skip

# For coarsening: loops that may be long, branches and sums, and little of what no closed form goes through.
COARSE = replace(
    SMOOTH,
    size=(1, 5),
    work=400,
    floats=(((F64,), 9), ((F64, F32), 0.7), ((F32,), 0.3)),
    features={
        **SMOOTH.features, "hist": 0.2, "scatter": 0.2, "scan": 0.5, "scratch_loop": 0.3, "fill_matrix": 0.3,
        "tally_loop": 0.3, "exchange_loop": 0.3, "move_loop": 0.2, "stride_loop": 0.4, "search_loop": 0.2,
        "if": 1.8, "sum_loop": 2.0, "triangle": 0.5, "product": 0.5, "layer_loop": 0.0,
    },
)  # fmt: skip
