"""Functions of whole numbers from `math`, in 64 bits: what does not fit raises `OverflowError`."""

# Values here are Python integers, as in the code of users.
# pyright: basic

from __future__ import annotations

import math
from typing import Any

_LARGEST = (1 << 63) - 1


def factorial(n: Any) -> Any:
    """1 * 2 * ... * n."""
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    if n > 20:
        raise OverflowError("the factorial does not fit in 64 bits")
    product = 1
    for k in range(2, n + 1):
        product *= k
    return product


def comb(n: Any, k: Any) -> Any:
    """In how many ways k of n things can be chosen."""
    if n < 0 or k < 0:
        raise ValueError("n and k must be non-negative integers")
    product = 1
    if k > n:
        product = 0
    for i in range(1, min(k, n - k) + 1):
        # Each product of i consecutive factors is divisible by i!, but it may not fit before the division.
        factor = n - i + 1
        common = math.gcd(product, i)
        if product // common > _LARGEST // (factor // (i // common)):
            raise OverflowError("the binomial coefficient does not fit in 64 bits")
        product = product // common * (factor // (i // common))
    return product


def perm(n: Any, k: Any = None) -> Any:
    """In how many ways k of n things can be arranged."""
    count = n if k is None else k
    if n < 0 or count < 0:
        raise ValueError("n and k must be non-negative integers")
    product = 1
    if count > n:
        product = 0
    for i in range(min(count, n)):
        if product > _LARGEST // (n - i):
            raise OverflowError("the number of permutations does not fit in 64 bits")
        product *= n - i
    return product


def isqrt(n: Any) -> Any:
    """The largest whole number whose square is at most n."""
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    # Rounded to a float, the square root may be one off; 3037000499 is the largest in 64 bits.
    root = min(int(math.sqrt(n)), 3037000499)
    return root - 1 if root * root > n else root + 1 if root < 3037000499 and (root + 1) ** 2 <= n else root
