"""Calls that make, reshape, rearrange and multiply arrays."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .numpy_data import BOOLS, CUBE, INT_MATRIX, INTS, MATRIX, ONE, SINGLE, SMALL, SPD, SQUARE, VECTOR, Case, case


def array_cases() -> Iterator[Case]:
    """All of them."""
    yield from (*_shapes(), *_arranging(), *_creation(), *_products())


def _shapes() -> Iterator[Case]:
    yield from (case(f, MATRIX) for f in (np.transpose, np.ravel, np.flip, np.flipud, np.fliplr, np.copy, np.squeeze))
    yield from (case(np.transpose, CUBE, p) for p in ((1, 0, 2), (2, 0, 1), (0, 2, 1)))
    yield from (case("transpose", CUBE, *p) for p in ((), (1, 0, 2), ((2, 0, 1),)))
    for name in ("T", "mT", "shape", "ndim", "size", "flatten", "ravel", "copy", "squeeze"):
        yield case(name, CUBE)
    yield from (case(f, CUBE) for f in (np.matrix_transpose, np.shape, np.ndim, np.size))
    yield case(np.size, CUBE, 1)
    yield from (case(name, SMALL) for name in ("itemsize", "nbytes"))
    yield case(np.swapaxes, CUBE, 0, -1)
    yield case("swapaxes", CUBE, 0, -1)
    yield from (case(np.moveaxis, CUBE, s, d) for s, d in ((0, 2), (-1, 0), ((0, 1), (1, 2))))
    yield from (case(np.reshape, CUBE, s) for s in ((4, 6), (-1,), (2, -1), -1, (3, -1, 2), (24, 1)))
    yield from (case("reshape", CUBE, *s) for s in ((4, 6), ((6, 4),), (-1, 3), (-1,)))
    yield case(np.reshape, ONE, ())
    yield case(np.ravel, 2.5)
    yield from (case(np.expand_dims, MATRIX, axis) for axis in (0, 1, -1, (0, 2)))
    yield from (case(np.squeeze, CUBE[:1, :, :1], axis) for axis in (None, 0, 2, (0, 2)))
    yield from (case(np.flip, CUBE, axis) for axis in (0, 1, (0, 2)))


def _arranging() -> Iterator[Case]:
    yield case(np.broadcast_to, VECTOR, (3, 5))
    yield case(np.broadcast_to, 2.5, (2, 3))
    yield case(np.broadcast_arrays, VECTOR, MATRIX[:, :1], 1.0)
    yield from (case(f, x) for f in (np.atleast_1d, np.atleast_2d) for x in (2.5, VECTOR, MATRIX))
    yield case(np.atleast_1d, 2.5, VECTOR)
    yield from (case(np.concatenate, (MATRIX, MATRIX + 1), axis=axis) for axis in (0, 1, None))
    yield case(np.concatenate, (INTS, VECTOR, SMALL))
    yield from (case(np.stack, (MATRIX, MATRIX + 1), axis=axis) for axis in (0, 1, 2, -1))
    yield case(np.stack, (INTS, VECTOR))
    yield from (case(f, (VECTOR, VECTOR + 1)) for f in (np.vstack, np.hstack, np.column_stack))
    yield from (case(f, (MATRIX, MATRIX + 1)) for f in (np.vstack, np.hstack, np.column_stack))
    yield from (case(np.dstack, (a, a + 1)) for a in (VECTOR, MATRIX, CUBE))
    yield case("item", ONE)
    yield case("item", MATRIX, 1, 2)
    yield case(np.append, VECTOR, 3)
    yield case(np.append, MATRIX, MATRIX, axis=0)
    yield from (case(np.roll, VECTOR, k) for k in (0, 1, -2, 7))
    yield from (case(np.roll, MATRIX, k, axis) for k, axis in ((1, 0), (-1, 1), (2, None), ((1, 2), (0, 1))))
    yield from (case(np.repeat, MATRIX, 2, axis) for axis in (None, 0, 1))
    yield case("repeat", VECTOR, 3)
    yield from (case(np.tile, MATRIX, reps) for reps in (2, (2, 1), (2, 1, 3)))
    for mode in ("constant", "edge", "wrap", "reflect", "symmetric"):
        yield case(np.pad, VECTOR, (2, 3), mode=mode)
        yield case(np.pad, MATRIX, ((1, 2), (0, 3)), mode=mode)
        yield case(np.pad, MATRIX, 1, mode=mode)
    yield case(np.pad, INTS, 1, constant_values=9)
    for i, axis in (([0, 2, -1], 0), ([[1, 0]], 1), ([5, 11], None)):
        yield case(np.take, MATRIX, np.array(i), axis)
    yield case(np.take, VECTOR, 2)
    yield case("take", VECTOR, INTS[:2] - 1)
    yield case(np.take_along_axis, MATRIX, np.argsort(MATRIX, 1), 1)
    yield case(np.take_along_axis, MATRIX, np.argmax(MATRIX, 1)[:, None], 1)
    yield from (case(f, SQUARE, k) for f in (np.tril, np.triu) for k in (0, 1, -2))
    yield from (case(np.diag, a, k) for a in (VECTOR, MATRIX) for k in (0, 1, -2))
    yield case(np.diagonal, MATRIX)
    yield case("diagonal", MATRIX)
    yield from (case(np.meshgrid, VECTOR, INTS, indexing=i) for i in ("xy", "ij"))


def _creation() -> Iterator[Case]:
    for f in (np.zeros, np.ones):
        yield from (case(f, s) for s in (3, (2, 3), np.int64(4)))
        yield case(f, 2, dtype=np.int32)
        yield case(f, 2, dtype=bool)
    yield case(np.full, (2, 3), 7)
    yield case(np.full, 2, 1.5, dtype=np.float32)
    for f in (np.zeros_like, np.ones_like):
        yield from (case(f, a) for a in (MATRIX, INTS, SINGLE, BOOLS, 2.5))
        yield case(f, MATRIX, dtype=int)
    yield case(np.full_like, INTS, 4)
    yield from (case(np.eye, *a) for a in ((3,), (3, 4), (3, 4, 1), (np.int64(2),)))
    yield case(np.eye, 3, dtype=int)
    yield case(np.identity, 3)
    for bounds in ((5,), (2, 9), (2, 9, 3), (9, 2, -2), (0.0, 1.0, 0.25), (np.int64(4),), (0,)):
        yield case(np.arange, *bounds)
    yield case(np.arange, 3, dtype=np.float32)
    yield case(np.arange, np.int64(2), np.int64(11), np.int64(3))
    yield from (case(np.linspace, *a) for a in ((0.0, 1.0, 5), (2, 7), (3.0, 1.0, 1), (1.0, 2.0, 0)))
    yield case(np.linspace, 0.0, 1.0, 4, endpoint=False)
    yield case(np.logspace, 0.0, 2.0, 5)
    for f in (np.array, np.asarray, np.ascontiguousarray, np.asanyarray):
        yield case(f, VECTOR)
        yield case(f, [1, 2.5, 3])
    yield case(np.array, [[1, 2], [3, 4]], dtype=np.float32)
    yield case(np.asarray, INTS, dtype=float)
    yield from (case(np.astype, VECTOR, t) for t in (np.int64, np.int32, np.float32, bool))
    yield from (case("astype", VECTOR, t) for t in (int, "float32", np.dtype("int32")))
    for t in (np.float64, np.float32, np.int64, np.int32, np.bool_):
        yield from (case(t, x) for x in (2, 2.75, np.float64(-3.5), np.int32(7), True))
    yield case(np.float32, VECTOR)


def _products() -> Iterator[Case]:
    turned = MATRIX.T.copy()
    yield from (case(np.dot, x, y) for x, y in ((VECTOR, VECTOR), (MATRIX, turned), (MATRIX, MATRIX[0]), (2, VECTOR)))
    yield from (case(np.dot, x, y) for x, y in ((CUBE, MATRIX[0]), (CUBE, turned), (INTS, SMALL), (BOOLS, BOOLS)))
    yield from (case(np.matmul, x, y) for x, y in ((VECTOR, VECTOR), (MATRIX, turned), (MATRIX[0], turned)))
    yield case(np.matmul, CUBE, np.swapaxes(CUBE, 1, 2).copy())
    yield case(np.matmul, CUBE, MATRIX.T.copy())
    yield case("dot", MATRIX, MATRIX[0])
    yield from (case(f, x, y) for f in (np.inner, np.outer) for x, y in ((VECTOR, INTS), (VECTOR, VECTOR)))
    yield case(np.inner, MATRIX, MATRIX)
    yield case(np.vdot, MATRIX, MATRIX)
    yield from (case(np.tensordot, CUBE, MATRIX, axes) for axes in (2, ((1, 2), (0, 1)), ((2,), (1,)), 0))
    for text, operands in (
        ("ij,jk->ik", (MATRIX, MATRIX.T.copy())), ("ij,jk", (MATRIX, MATRIX.T.copy())), ("ij->ji", (MATRIX,)),
        ("ii->i", (SQUARE,)), ("ii", (SQUARE,)), ("i,i->", (VECTOR, INTS)), ("ijk,jk->i", (CUBE, MATRIX)),
        ("i,j,k->kij", (VECTOR[:2], INTS[:3], VECTOR)), ("ij->", (MATRIX,)), ("ba", (MATRIX,)),
    ):  # fmt: skip
        yield case(np.einsum, text, *operands)
    yield from (case(np.kron, x, y) for x, y in ((VECTOR, INTS), (MATRIX, INT_MATRIX)))
    yield case(np.trace, MATRIX)
    yield case("trace", SQUARE)
    yield case(np.cross, MATRIX[:, :3], MATRIX[:, 1:])
    yield case(np.linalg.cross, MATRIX[0, :3], MATRIX[1, :3])
    yield from (case(np.linalg.norm, VECTOR, o) for o in (None, 1, 2, 3, np.inf, -np.inf, 0))
    yield from (case(np.linalg.norm, MATRIX, o) for o in (None, "fro", 1, -1, np.inf, -np.inf))
    yield from (case(np.linalg.norm, CUBE, axis=k) for k in (0, -1, (1, 2)))
    yield case(np.linalg.norm, MATRIX, axis=1, keepdims=True)
    for n in (1, 2, 3, 4):
        a = SQUARE[:n, :n].copy()
        yield case(np.linalg.solve, a, VECTOR[:n].copy())
        yield case(np.linalg.solve, a, MATRIX.T[:n].copy())
        yield from (case(f, a) for f in (np.linalg.inv, np.linalg.det))
        yield case(np.linalg.cholesky, SPD[:n, :n].copy())
    yield case(np.linalg.solve, np.array([[0.0, 2.0], [1.0, 0.0]]), np.array([4.0, 6.0]))
    yield case(np.linalg.inv, np.array([[0, 2], [1, 0]]))
    yield case(np.linalg.det, np.zeros((4, 4)))
    yield case(np.linalg.slogdet, SQUARE)
    yield from (case(np.linalg.matrix_power, SQUARE, n) for n in (0, 1, 2, 5, -2))
