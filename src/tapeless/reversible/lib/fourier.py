"""The discrete Fourier transform in place; its inverse divides by the length, as `np.fft.ifft` does.

A stage takes pairs (a, b) to (a + b, (a - b) w) and stores them so that the next one finds its pairs in the two halves
again: nothing has to be put in order at the end. Both steps are lifted, which makes them reversible one by one: the sum
first, then the difference as the sum less twice b; the rotation by w as shears. Two rotations by half the angle, whose
middle shears are one, keep them small: the tangents are at most 1.
"""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from typing import Any

import numpy as np

from ..function import reversible


@reversible
def fft(re: Any, im: Any) -> None:
    """Transform complex numbers, given by their parts; their number must be a power of two.

    >>> import numpy as np
    >>> re, im = np.array([0.0, 1.0, 0.0, 0.0]), np.zeros(4)
    >>> fft(re, im)
    >>> np.round(re, 12) + 0, np.round(im, 12) + 0
    (array([ 1.,  0., -1.,  0.]), array([ 0., -1.,  0.,  1.]))
    >>> (~fft)(re, im)
    >>> np.round(re, 12) + 0
    array([0., 1., 0., 0.])
    """
    n = len(re)
    if n & (n - 1):
        raise ValueError("the number of points must be a power of two")
    for stage in range(_log2(n)):
        width = 2**stage
        a, c = re.reshape(2, n // (2 * width), width), im.reshape(2, n // (2 * width), width)
        top_re, top_im = a[0] + a[1], c[0] + c[1]
        low_re, low_im = top_re - 2.0 * a[1], top_im - 2.0 * c[1]
        for p in range(n // (2 * width)):
            half = (-np.pi / n) * (p * width)
            sine, shear = np.sin(half), np.tan(half / 2.0)
            for k in range(width):
                low_re[p, k] -= shear * low_im[p, k]
                low_im[p, k] += sine * low_re[p, k]
                low_re[p, k] -= 2.0 * shear * low_im[p, k]
                low_im[p, k] += sine * low_re[p, k]
                low_re[p, k] -= shear * low_im[p, k]
        re[:] = np.stack((top_re, low_re)).transpose(1, 0, 2).reshape(n)
        im[:] = np.stack((top_im, low_im)).transpose(1, 0, 2).reshape(n)


def _log2(n: Any) -> Any:
    count = 0
    while n > 1:
        n //= 2
        count += 1
    return count
