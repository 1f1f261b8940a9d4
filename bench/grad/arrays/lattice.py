"""The nineteen directions of the D3Q19 lattice: rest, six faces, twelve edges; opposite ones are neighbours."""

from __future__ import annotations

_FACES = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
_EDGES = ((1, 1, 0), (1, -1, 0), (1, 0, 1), (1, 0, -1), (0, 1, 1), (0, 1, -1))
DIRECTIONS = ((0, 0, 0), *((s * x, s * y, s * z) for x, y, z in _FACES + _EDGES for s in (1, -1)))
OPPOSITE = (0, *(q + 1 if q % 2 else q - 1 for q in range(1, 19)))
WEIGHTS = (1 / 3,) + (1 / 18,) * 6 + (1 / 36,) * 12
OMEGA = 1.95
LID = (0.005, 0.002, 0.0)
