"""The reduction of a huge angle, after Payne and Hanek: one scalar function in integers of 192 bits.

x = m 2^e with an integer m of 53 bits. In units of a full turn, x is m times 2^(e-2) 2/pi, and whole turns do not count:
so only the fraction of 2^(e-2) 2/pi matters, of which 192 bits leave more than 70 correct bits even for
the float that lies closest to a multiple of pi/2. The result is the quadrant and the rest as a pair.
"""

from __future__ import annotations

from ...ir.types import F64, I64
from ..text import Module, Writer
from .coefficients import PI_2, TWO_OVER_PI_BITS
from .double import Pair, constant_pair, multiply
from .lanes import Lanes

_SYMBOL = "tp.reduce_far"
_RESULT = "{ i64, double, double }"
_TABLE = "tp.two_over_pi"
_BITS = 192
_LOADED = _BITS + 64
_TURN = f"i{_BITS}"
# Zeros before the first bit of 2/pi, for the smallest exponents.
_LEADING_BYTES = 16


def call_reduction(x: Lanes) -> tuple[Lanes, Lanes, Lanes]:
    """For a scalar x >= 2 (or inf, NaN): q, and the high and low part of x - q pi/2."""
    w = x.writer
    w.module.declare(_TABLE, _table_definition())
    w.module.require(_SYMBOL, lambda: _definition(w.module))
    found = w.op(f"call {_RESULT} @{_SYMBOL}(double {x.text})")
    q, hi, lo = (w.op(f"extractvalue {_RESULT} {found}, {k}") for k in range(3))
    return Lanes(w, I64, 1, q), Lanes(w, F64, 1, hi), Lanes(w, F64, 1, lo)


def _definition(module: Module) -> str:
    w = Writer(module)
    x = Lanes(w, F64, 1, "%x")
    turns = _turns(x)
    # Adding half a quadrant makes it the nearest one; it is the top two bits.
    rounded = w.op(f"add {_TURN} {turns}, {1 << (_BITS - 3)}")
    quadrant = w.op(f"lshr {_TURN} {rounded}, {_BITS - 2}")
    whole = w.op(f"shl {_TURN} {quadrant}, {_BITS - 2}")
    fraction = _fraction_of_quadrant(w, w.op(f"sub {_TURN} {turns}, {whole}"))
    r = multiply(fraction, constant_pair(x, PI_2[F64]))
    found = w.op(f"insertvalue {_RESULT} poison, i64 {w.op(f'trunc {_TURN} {quadrant} to i64')}, 0")
    for k, part in ((1, r.hi), (2, r.lo)):
        found = w.op(f"insertvalue {_RESULT} {found}, double {part.text}, {k}")
    head = f"define internal {_RESULT} @{_SYMBOL}(double %x) noinline cold nounwind willreturn nosync memory(none) {{"
    return "\n".join([head, *w.lines, f"  ret {_RESULT} {found}", "}"])


def _turns(x: Lanes) -> str:
    """x / (2 pi) modulo 1, in units of 2^-192."""
    w, bits = x.writer, x.bits()
    mantissa = (bits & ((1 << 52) - 1)) | (1 << 52)
    exponent = (bits >> 52) - (1023 + 52)
    lowest = (TWO_OVER_PI_BITS.bit_length() - _BITS + 2) - exponent
    place = w.op(f"getelementptr i8, ptr @{_TABLE}, i64 {(lowest >> 3).text}")
    loaded = w.op(f"load i{_LOADED}, ptr {place}, align 1")
    offset = w.op(f"zext i64 {(lowest & 7).text} to i{_LOADED}")
    window = w.op(f"trunc i{_LOADED} {w.op(f'lshr i{_LOADED} {loaded}, {offset}')} to {_TURN}")
    factor = w.op(f"zext i64 {mantissa.text} to {_TURN}")
    return w.op(f"mul {_TURN} {window}, {factor}")


def _fraction_of_quadrant(w: Writer, difference: str) -> Pair:
    """A signed number in units of 2^-190 quadrants as a pair: 106 bits from the leading one on."""
    for name in ("abs", "ctlz"):
        w.module.declare(f"llvm.{name}.{_TURN}", f"declare {_TURN} @llvm.{name}.{_TURN}({_TURN}, i1)")
    size = w.op(f"call {_TURN} @llvm.abs.{_TURN}({_TURN} {difference}, i1 false)")
    zeros = w.op(f"call {_TURN} @llvm.ctlz.{_TURN}({_TURN} {size}, i1 false)")
    # No float is a multiple of pi/2, so fewer than 128 zeros lead; for inf and NaN the mask keeps the shift defined.
    count = w.op(f"and {_TURN} {zeros}, 127")
    aligned = w.op(f"shl {_TURN} {size}, {count}")
    unit = ((Lanes(w, I64, 1, w.op(f"trunc {_TURN} {count} to i64")) ^ -1) + (1023 + 3)) << 52
    negative = w.op(f"icmp slt {_TURN} {difference}, 0")
    sign = Lanes(w, I64, 1, w.op(f"zext i1 {negative} to i64")) << 63
    signed_unit = (unit | sign).bits()
    lead, rest = _field(w, aligned, 53), _field(w, aligned, 106)
    return Pair(lead * 2.0**-53 * signed_unit, rest * 2.0**-106 * signed_unit)


def _field(w: Writer, aligned: str, end: int) -> Lanes:
    """The 53 bits that end `end` bits below the top, as a float."""
    bits = w.op(f"trunc {_TURN} {w.op(f'lshr {_TURN} {aligned}, {_BITS - end}')} to i64")
    return (Lanes(w, I64, 1, bits) & ((1 << 53) - 1)).convert(F64)


def _table_definition() -> str:
    """2/pi as a little-endian integer."""
    size = TWO_OVER_PI_BITS.bit_length() // 8 + _LEADING_BYTES
    text = "".join(f"\\{byte:02X}" for byte in TWO_OVER_PI_BITS.to_bytes(size, "little"))
    return f'@{_TABLE} = internal constant [{size} x i8] c"{text}"'
