"""The type codes of the published environment, and its three tables: product, sum and cost of two edges.

Every vertex is taken as a matrix (a vector as a column, a number as 1 x 1). Axes 1 and 2 are those of the target, 3 and
4 those of the source. (1, 3) is a diagonal with values, K(1, 3) one of ones (a Kronecker delta):

    0 none            2..5 (1, 3)  (2, 4)  (1, 4)  (2, 3)      -2..-5 the same with K
    1 dense           6, 7 (1, 3) and (2, 4);  (1, 4) and (2, 3)       -6, -7 the same with K
    -1 copy           8, 9 K(1, 3) and (2, 4);  K(1, 4) and (2, 3)     -8, -9 the K and the values exchanged
    11 opaque copy    10, -10 a multiple of the identity, straight and crossed

These are facts about the original (AlphaGrad, core.py at its last state), irregular entries included: counts agree with
the published ones only with all of them. A kind is the place of a code in CODES.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .tables import FREE

CODES = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10)
KIND = {code: kind for kind, code in enumerate(CODES)}

# Rows: the edge j -> k. Columns: the edge i -> j.
_PRODUCT = """
  0   0   0   0   0   0   0   0   0   0   0   0   0   0   0   0   0   0   0   0   0   0
  0   1   1   1   1   1   1   1   1   1   1   1   1   1   1   1   1   1   1   1   1   1
  0   1   2   1   4   1   2   4   2   5   2   1   2   2   1   4   1   2   4   2   5   4
  0   1   1   3   1   5   3   5   3   4   3   1   3   1   3   1   5   3   5   3   4   5
  0   1   1   4   1   2   4   2   4   3   4   1   4   1   4   1   2   4   2   4   3   2
  0   1   5   1   3   1   5   3   5   2   5   1   5   5   1   3   1   5   3   5   2   3
  0   1   2   3   4   5   6   7   6   7   6   1   6   2   3   4   5   6   7   6   7   7
  0   1   5   4   3   2   7   6   7   6   7   1   7   5   4   3   2   7   6   7   6   6
  0   1   2   3   4   5   6   7   8   7   8   1   8  -2   3  -4   5   8   9   6  -9   9
  0   1   5   4   3   2   7   6   9   6   9   1   9   5  -4   3  -2   9   8   7   6   8
  0   1   2   3   4   5   6   7   8   9  10   1  10  -2  -3  -4  -5  10 -10  -8  -9 -10
  0   1   1   1   1   1   1   1   1   1   1  11  11   1   1   1   1   1   1   1   1   1
  0   1   2   3   4   5   6   7   8   9  10  11  -1  -2  -3  -4  -5  -6  -7  -8  -9 -10
  0   1   2   1   4   1   2   4  -2  -4  -2   1  -2  -2   1  -4   1  -2  -4   2   4  -4
  0   1   1   3   1   5   3   5   3   5  -3   1  -3   1  -3   1  -5  -3  -5  -3  -5  -5
  0   1   4   1   1   2   4   2  -4   2  -4   1  -4   1  -4   1  -2  -4  -2  -4  -2  -2
  0   1   5   1   3   1   5   3  -5  -3  -5   1  -5  -5   1  -3   1  -5  -3   5   3  -3
  0   1   2   3   4   5   6   7   8   9  -6   1  -6  -2  -3  -4  -5  -6  -7  -8  -9  -7
  0   1   5   4   3   2   7   6  -9  -8  -7   1  -7  -5  -4  -3  -2  -7  -6   9   8  -6
  0   1   2   3   4   5   6   7   6   9  -8   1  -8   2  -3   4  -5  -8  -9  -8   7  -9
  0   1   5   4   3   2   7   6   7  -9  -9   1  -9  -5   4  -3   2  -9  -8  -9   6  -8
  0   1   5   4   3   2   7   6  -9  -8 -10   1 -10  -5  -4  -3  -2 -10  10   9   8  10
"""

# Rows: the edge that is there. Columns: the one that is added.
_PLUS = """
  0   1   2   3   4   5   6   7   8   9  10  11  -1  -2  -3  -4  -5  -6  -7  -8  -9 -10
  1   1   1   1   1   1   1   1   1   1   1   1   1   1   1   1   1   1   1   1   1   1
  2   1   2   1   1   1   2   1   2   1   2   1   2   2   1   1   1   2   1   2   1   1
  3   1   1   3   1   1   3   1   3   1   3   1   3   1   3   1   1   3   1   3   1   1
  4   1   1   1   4   1   1   4   1   4   1   1   4   1   1   4   1   1   4   1   4   4
  5   1   1   1   1   5   1   5   1   5   1   1   5   1   1   1   5   1   5   1   5   5
  6   1   2   3   1   1   6   1   6   1   6   1   6   2   3   1   1   6   1   6   1   1
  7   1   1   1   4   5   1   7   1   7   1   1   7   1   1   4   5   1   7   1   7   7
  8   1   2   3   1   1   6   1   8   1   1   1   8  -2   3   1   1   8   1   6   1   1
  9   1   1   1   4   5   1   7   1   9   1   1   9   1   1  -4   5   1   9   1   7   7
 10   1   2   3   1   1   6   1   6   1  10   1  10   2   3   1   1  10   1   6   1   1
 11   1   1   1   1   1   1   1   1   1   1  11  11   1   1   1   1   1   1   1   1   1
 -1   1   2   3   4   5   6   7   8   9  10  11  -1  -2  -3  -4  -5  -6  -7  -8  -9 -10
 -2   1   2   1   1   1   2   1  -2   1   2   1  -2  -2   1   1   1  -2   1   2   1   1
 -3   1   1   3   1   1   3   1   3   1   3   1  -3   1  -3   1   1  -3   1  -3   1   1
 -4   1   1   1   4   1   1   4   1  -4   1   1  -4   1   1  -4   1   1  -4   1   4   4
 -5   1   1   1   1   5   1   5   1   5   1   1  -5   1   1   1  -5   1  -5   1  -5   5
 -6   1   2   3   1   1   6   1   8   1   6   1  -6  -2  -3   1   1  -6   1  -8   1   1
 -7   1   1   1   4   5   1   7   1   9   1   1  -7   1   1  -4  -5   1  -7   1  -9   7
 -8   1   2   3   1   1   6   1   6   1   6   1  -8   2  -3   1   1  -8   1  -8   1   1
 -9   1   1   1   4   5   1   7   1   7   1   1  -9   1   1   4  -5   1  -9   1  -9   7
-10   1   1   1   4   5   1   7   1   7   1   1 -10   1   1   4   5   1   7   1   7 -10
"""

# As _PRODUCT. In octal, from the last bit: axes 1 and 2 of k, of j, of i; no axis: the product is free.
_FLAGS = """
00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
00 77 73 67 73 67 63 63 63 63 63 00 00 73 67 73 67 00 00 63 63 63
00 73 53 63 33 63 43 23 43 23 43 00 00 53 63 33 63 00 00 43 23 23
00 67 63 27 63 47 23 43 23 43 23 00 00 63 27 63 47 00 00 23 43 43
00 67 63 27 63 47 23 43 23 43 23 00 00 63 27 63 47 00 00 23 43 43
00 73 53 63 33 63 43 23 43 23 43 00 00 53 63 33 63 00 00 43 23 23
00 63 43 23 23 43 03 03 03 03 03 00 00 43 23 23 43 00 00 03 03 03
00 63 43 63 23 43 03 03 03 03 03 00 00 43 63 23 43 00 00 03 03 03
00 63 43 23 23 43 03 03 02 02 02 00 00 42 23 22 43 00 00 03 03 02
00 63 43 23 03 43 03 03 03 03 02 00 00 43 22 03 42 00 00 02 02 02
00 63 43 23 23 43 03 03 02 02 00 00 00 42 21 22 41 00 00 01 01 00
00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
00 73 53 63 33 63 43 23 42 22 42 00 00 52 63 32 63 00 00 43 23 22
00 67 63 27 63 47 23 43 23 43 21 00 00 63 25 63 45 00 00 21 41 41
00 67 63 27 63 47 23 43 23 43 22 00 00 63 26 63 46 00 00 22 42 42
00 73 73 63 33 63 43 23 43 23 41 00 00 51 63 31 63 00 00 43 23 21
00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
00 63 43 23 23 43 03 03 03 03 03 00 00 43 21 23 41 00 00 01 01 03
00 63 43 23 03 43 03 03 01 01 03 00 00 41 23 01 43 00 00 03 03 03
00 63 43 23 23 43 03 03 01 01 00 00 00 41 62 21 42 00 00 02 02 00
"""


def _kinds(text: str) -> NDArray[np.int16]:
    return np.array([[KIND[int(code)] for code in line.split()] for line in text.split("\n") if line], np.int16)


def _masks(text: str) -> NDArray[np.int16]:
    masks = np.array([[int(mask, 8) or FREE for mask in line.split()] for line in text.split("\n") if line], np.int16)
    masks[KIND[10], KIND[10]] = 0  # two multiples of the identity: one multiplication
    return masks


PRODUCT = _kinds(_PRODUCT)
PLUS = _kinds(_PLUS)
FLAGS = _masks(_FLAGS)
