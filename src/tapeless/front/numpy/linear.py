"""Products of arrays: `einsum` and everything that is one.

Every product is a contraction: a label per axis of each operand, labels of the result; labels that the
result lacks are summed over. It becomes maps over the result's labels of reductions over the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters

import numpy as np

from ...errors import ShapeError
from ...ir.build import Builder
from ...ir.types import BOOL, Atom, Lit
from ..context import Context
from ..registry import implements, method
from ..values import Value
from .arguments import array_like, as_numpy, count, one_axis, only_options, pull
from .atoms import ONE, literal, quotient, remainder
from .creation import eye
from .elementwise import apply_ufunc, broadcast, deliver
from .nest import Atoms, Pull, array_of, fold, stretched, whole
from .reductions import sum_type
from .ufuncs import UFUNCS


def contract(c: Context, operands: Sequence[Value], inputs: Sequence[str], output: str) -> Atom:
    """The contraction of operands whose axes are labelled by `inputs`, with the result's axes `output`."""
    values = [array_like(c, x) for x in operands]
    dtype = c.promote(*values)
    pulls = [pull(c, x, dtype) for x in values]
    sizes = _label_sizes(c, pulls, inputs)
    summed = "".join(dict.fromkeys(label for labels in inputs for label in labels if label not in output))
    if max(p.rank for p in pulls) > 1 and not all(isinstance(sizes[label], Lit) for label in summed):
        c.prefer_known()
    add, mul = ("or", "and") if dtype is BOOL else ("add", "mul")

    def term(b: Builder, where: dict[str, Atom]) -> Atom:
        factors = [p.at(b, tuple(where[label] for label in labels)) for p, labels in zip(pulls, inputs, strict=True)]
        total = factors[0]
        for factor in factors[1:]:
            total = b.apply(mul, total, factor)
        return total

    def element(b: Builder, outer: Atoms) -> Atom:
        fixed = dict(zip(output, outer, strict=True))
        space = tuple(sizes[label] for label in summed)

        def summand(b: Builder, inner: Atoms) -> tuple[Atom]:
            return (term(b, fixed | dict(zip(summed, inner, strict=True))),)

        return fold(b, space, add, (literal(0, dtype),), summand)[0]

    return array_of(c.b, tuple(sizes[label] for label in output), element)


def _label_sizes(c: Context, pulls: Sequence[Pull], inputs: Sequence[str]) -> dict[str, Atom]:
    sizes: dict[str, Atom] = {}
    for p, labels in zip(pulls, inputs, strict=True):
        if len(labels) != p.rank:
            c.refuse(f"an operand of {p.rank} dimensions has the labels {labels!r}", error=ShapeError)
        for label, size in zip(labels, p.shape, strict=True):
            sizes[label] = c.equal_sizes(sizes[label], size) if label in sizes else size
    return sizes


@implements(np.einsum)
def einsum(c: Context, subscripts: Value, *operands: Value, out: Value = None, **options: Value) -> Value:
    """A sum of products over labelled axes, from its textual description."""
    only_options(c, "np.einsum", options, "optimize")
    if not isinstance(subscripts, str):
        c.refuse("np.einsum needs its subscripts as a literal string first")
    text = subscripts.replace(" ", "")
    if "." in text:
        c.refuse("np.einsum is compiled without the ellipsis", fix="name every axis by a letter")
    left, arrow, output = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(operands):
        c.refuse(f"np.einsum describes {len(inputs)} operands and is given {len(operands)}", error=ShapeError)
    if not arrow:
        output = "".join(sorted(label for label in set(left) - {","} if left.count(label) == 1))
    if not all(label in left for label in output) or len(set(output)) != len(output):
        c.refuse(f"the result labels {output!r} must be distinct labels of the operands", error=ShapeError)
    return deliver(c, contract(c, operands, inputs, output), out)


@implements(np.matmul)
def matmul(c: Context, x: Value, y: Value, out: Value = None) -> Value:
    """The matrix product; leading axes are broadcast."""
    x, y = array_like(c, x), array_like(c, y)
    m, n = len(c.shape(x)), len(c.shape(y))
    if not m or not n:
        c.refuse("the matrix product needs arrays of at least one dimension", fix="use * for numbers", error=ShapeError)
    left = "k" if m == 1 else "ik"
    right = "k" if n == 1 else "kj"
    output = left.replace("k", "") + right.replace("k", "")
    if m <= 2 and n <= 2:
        return deliver(c, contract(c, (x, y), (left, right), output), out)
    batch = broadcast(c, [c.shape(x)[:-2], c.shape(y)[:-2]])
    labels = ascii_letters.upper()[: len(batch)]
    operands: list[Value] = []
    for value in (x, y):
        p = pull(c, value)
        shape = (*batch, *p.shape[-2:]) if p.rank > 2 else p.shape
        operands.append(c.fresh(whole(c.b, stretched(p, shape))))
    inputs = (labels * (m > 2) + left, labels * (n > 2) + right)
    return deliver(c, contract(c, operands, inputs, labels + output), out)


@implements(np.dot)
@method("dot")
def dot(c: Context, a: Value, b: Value, out: Value = None) -> Value:
    """The sum product over the last axis of a and the last but one of b."""
    a, b = as_numpy(c, a), as_numpy(c, b)
    m, n = len(c.shape(a)), len(c.shape(b))
    if not m or not n:
        return apply_ufunc(c, UFUNCS[np.multiply], (a, b), out)
    left = ascii_letters[1:m] + "a"
    right = "a" if n == 1 else ascii_letters[m : m + n - 2] + "a" + ascii_letters[m + n - 2]
    return deliver(c, contract(c, (a, b), (left, right), left[:-1] + right.replace("a", "")), out)


@implements(np.inner)
def inner(c: Context, a: Value, b: Value) -> Value:
    """The sum product over the last axes."""
    a, b = as_numpy(c, a), as_numpy(c, b)
    m, n = len(c.shape(a)), len(c.shape(b))
    if not m or not n:
        return apply_ufunc(c, UFUNCS[np.multiply], (a, b))
    left, right = ascii_letters[1:m] + "a", ascii_letters[m : m + n - 1] + "a"
    return c.fresh(contract(c, (a, b), (left, right), left[:-1] + right[:-1]))


@implements(np.vdot)
def vdot(c: Context, a: Value, b: Value) -> Value:
    """The sum product of all elements."""
    return c.fresh(contract(c, (_flat(c, a), _flat(c, b)), ("a", "a"), ""))


@implements(np.outer)
def outer(c: Context, a: Value, b: Value, out: Value = None) -> Value:
    """The products of all pairs of elements."""
    return deliver(c, contract(c, (_flat(c, a), _flat(c, b)), ("a", "b"), "ab"), out)


@implements(np.tensordot)
def tensordot(c: Context, a: Value, b: Value, axes: Value = 2) -> Value:
    """The sum product over chosen axes of both."""
    a, b = array_like(c, a), array_like(c, b)
    m, n = len(c.shape(a)), len(c.shape(b))
    pair = c.items(axes)
    if pair is None:
        number = c.need_int(axes, "the number of axes")
        mine, theirs = list(range(m - number, m)), list(range(number))
    else:
        mine, theirs = (_axis_list(c, part, rank) for part, rank in zip(pair, (m, n), strict=True))
    if len(mine) != len(theirs):
        c.refuse("np.tensordot needs as many axes of one operand as of the other", error=ShapeError)
    left, right = list(ascii_letters[:m]), list(ascii_letters[m : m + n])
    for here, there in zip(mine, theirs, strict=True):
        right[there] = left[here]
    output = [x for k, x in enumerate(left) if k not in mine] + [x for k, x in enumerate(right) if k not in theirs]
    return c.fresh(contract(c, (a, b), ("".join(left), "".join(right)), "".join(output)))


def _axis_list(c: Context, part: Value, rank: int) -> list[int]:
    several = c.items(part)
    return [one_axis(c, axis, rank) for axis in (several if several is not None else (part,))]


@implements(np.kron)
def kron(c: Context, a: Value, b: Value) -> Value:
    """The Kronecker product of arrays of one rank."""
    x, y = pull(c, a), pull(c, b)
    dtype = c.promote(array_like(c, a), array_like(c, b))
    if x.rank != y.rank or not x.rank:
        c.refuse("np.kron is compiled for two arrays of one number of dimensions", fix="reshape one of them")
    x, y = x.to(dtype), y.to(dtype)
    shape = tuple(c.sizes.mul(c.b, m, n) for m, n in zip(x.shape, y.shape, strict=True))

    def element(b: Builder, index: Atoms) -> Atom:
        high = tuple(quotient(b, i, n) for i, n in zip(index, y.shape, strict=True))
        low = tuple(remainder(b, i, n) for i, n in zip(index, y.shape, strict=True))
        return b.apply("and" if dtype is BOOL else "mul", x.at(b, high), y.at(b, low))

    return c.fresh(array_of(c.b, shape, element))


@implements(np.trace)
@method("trace")
def trace(c: Context, a: Value, **options: Value) -> Value:
    """The sum of the main diagonal of a matrix."""
    only_options(c, "np.trace", options)
    a = array_like(c, a)
    if len(c.shape(a)) != 2:
        c.refuse("np.trace is compiled for matrices", fix="index the other axes, or use np.einsum")
    p = pull(c, a)
    p = p.to(sum_type(p.dtype))
    size = c.sizes.min(c.b, *p.shape)
    return c.fresh(fold(c.b, (size,), "add", (literal(0, p.dtype),), lambda b, i: (p.at(b, (*i, *i)),))[0])


@implements(np.linalg.matrix_power)
def matrix_power(c: Context, a: Value, n: Value) -> Value:
    """A square matrix multiplied by itself n times, by repeated squaring."""
    times = c.need_int(n, "the power of a matrix")
    matrix = array_like(c, a)
    if len(c.shape(matrix)) != 2:
        c.refuse("a power needs a square matrix", error=ShapeError)
    if not times:
        c.equal_sizes(*c.shape(matrix))
        return eye(c, c.number(c.shape(matrix)[0]), dtype=c.dtype(matrix))
    base = c.call(np.linalg.inv, [matrix]) if times < 0 else matrix
    result = c.fresh(c.read(base))
    for bit in bin(abs(times))[3:]:
        result = matmul(c, result, result)
        if bit == "1":
            result = matmul(c, result, base)
    return result


def _flat(c: Context, value: Value) -> Value:
    atom = whole(c.b, pull(c, value))
    if not atom.type.is_array:
        return c.fresh(c.b.apply("replicate", atom, ONE))
    return c.fresh(c.b.apply("reshape", atom, count(c, atom.type.shape)) if atom.type.rank != 1 else atom)
