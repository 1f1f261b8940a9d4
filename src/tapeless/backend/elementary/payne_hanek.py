"""The reduction of one huge angle, after Payne and Hanek: x = q pi/2 + r in integers of 64 bits.

x = m 2^e with an integer m of 53 bits. In units of a full turn, x is m times 2^(e-2) 2/pi, and whole turns do not
count: so only the fraction of 2^(e-2) 2/pi matters, of which 192 bits leave more than 70 correct bits even for
the float that lies closest to a multiple of pi/2.
"""

from __future__ import annotations

from ...ir.types import F64, I64
from ..text import Module, Writer
from .coefficients import PI_2, TWO_OVER_PI_BITS
from .definition import RARE
from .double import Pair, constant_pair, multiply, ordered_sum
from .lanes import Lanes

_SYMBOL = "tp.reduce_far"
_RESULT = "{ i64, double, double }"
_TABLE = "tp.two_over_pi"
# Zeros before the first bit of 2/pi, for the smallest exponents.
_LEADING_BYTES = 16

# Three words of 64 bits, the most significant first.
Words = tuple[Lanes, Lanes, Lanes]


def call_reduction(x: Lanes) -> tuple[Lanes, Pair]:
    """q and r for a scalar f64 x >= 2; anything for inf and NaN."""
    w = x.writer
    w.module.declare(_TABLE, _table_definition())
    w.module.require(_SYMBOL, lambda: _definition(w.module))
    found = w.op(f"call {_RESULT} @{_SYMBOL}(double {x.text})")
    q, hi, lo = (w.op(f"extractvalue {_RESULT} {found}, {k}") for k in range(3))
    return Lanes(w, I64, 1, q), Pair(Lanes(w, F64, 1, hi), Lanes(w, F64, 1, lo))


def _definition(module: Module) -> str:
    w = Writer(module)
    x = Lanes(w, F64, 1, "%x")
    turns = _turns(x)
    # Adding half a quadrant makes it the nearest one; it is the top two bits.
    quadrant = (turns[0] + (1 << 61)) >> 62
    fraction = _fraction((turns[0] - (quadrant << 62), turns[1], turns[2]))
    r = multiply(fraction, constant_pair(x, PI_2[F64]))
    found = w.op(f"insertvalue {_RESULT} poison, i64 {quadrant.text}, 0")
    for k, part in ((1, r.hi), (2, r.lo)):
        found = w.op(f"insertvalue {_RESULT} {found}, double {part.text}, {k}")
    head = f"define internal {_RESULT} @{_SYMBOL}(double %x) {RARE} nounwind willreturn nosync memory(none) {{"
    return "\n".join([head, *w.lines, f"  ret {_RESULT} {found}", "}"])


def _turns(x: Lanes) -> Words:
    """x / (2 pi) modulo 1, in units of 2^-192."""
    bits = x.bits()
    mantissa = (bits & ((1 << 52) - 1)) | (1 << 52)
    exponent = (bits >> 52) - (1023 + 52)
    high, middle, low = _window((TWO_OVER_PI_BITS.bit_length() - 192 + 2) - exponent)
    low_carry, low_word = _wide_product(low, mantissa)
    middle_carry, middle_word = _wide_product(middle, mantissa)
    second = middle_word + low_carry
    carry = second.below_unsigned(middle_word).convert(I64)
    return high * mantissa + middle_carry + carry, second, low_word


def _window(lowest: Lanes) -> Words:
    """192 bits of the table from the bit `lowest` on: bytes are addressed, the rest of the shift is within words."""
    w = lowest.writer
    place = w.op(f"getelementptr i8, ptr @{_TABLE}, i64 {(lowest >> 3).text}")
    words: list[Lanes] = []
    for k in range(4):
        address = w.op(f"getelementptr i8, ptr {place}, i64 {8 * k}")
        words.append(Lanes(w, I64, 1, w.op(f"load i64, ptr {address}, align 1")))
    shift = lowest & 7
    low, middle, high = (words[k + 1].intrinsic("fshr", words[k], shift) for k in range(3))
    return high, middle, low


def _wide_product(a: Lanes, b: Lanes) -> tuple[Lanes, Lanes]:
    """The upper and lower word of an unsigned product."""
    w = a.writer
    wide = [w.op(f"zext i64 {x.text} to i128") for x in (a, b)]
    product = w.op(f"mul i128 {wide[0]}, {wide[1]}")
    upper = w.op(f"trunc i128 {w.op(f'lshr i128 {product}, 64')} to i64")
    return Lanes(w, I64, 1, upper), Lanes(w, I64, 1, w.op(f"trunc i128 {product} to i64"))


def _fraction(words: Words) -> Pair:
    """A signed number of 192 bits in units of 2^-190 as a pair.

    Inverting all bits of a negative one gives its size but for one unit. Half words are exact as floats and
    are added from the largest down, so leading zeros cost no accuracy.
    """
    negative = words[0].arithmetic_shift(63)
    unit = 2.0**2
    total, rest = words[0].convert(F64).constant(0.0), None
    for word in words:
        size = word ^ negative
        for half in (size >> 32, size & 0xFFFFFFFF):
            unit *= 2.0**-32
            added = ordered_sum(total, half.convert(F64) * unit)
            total, rest = added.hi, added.lo if rest is None else rest + added.lo
    assert rest is not None
    sign = negative << 63
    return Pair((total.bits() ^ sign).bits(), (rest.bits() ^ sign).bits())


def _table_definition() -> str:
    """2/pi as a little-endian integer."""
    size = TWO_OVER_PI_BITS.bit_length() // 8 + _LEADING_BYTES
    text = "".join(f"\\{byte:02X}" for byte in TWO_OVER_PI_BITS.to_bytes(size, "little"))
    return f'@{_TABLE} = internal constant [{size} x i8] c"{text}"'
