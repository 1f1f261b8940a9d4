"""Products of matrices and vectors, in the order that takes the fewest operations.

    (A B) v = A (B v)        v (A B) = (v A) B        A v, written twice, is computed once

A matrix that is a product, and that only one product with a vector reads, is never made: m n l operations become
m l + l n, as often as there are factors. Matrices may be read by rows or by columns. What is shared before the
derivative is shared by it: the adjoints of both uses of X v are added up, and go through the transposed X once. So the
gradient of (X2 v)' X1 X2 v by v is X2' (X1 + X1') X2 v in four products with vectors.

Both sides are sums of the same terms a[i, k] b[k, j] v[j]; each rounds with an error of at most (l + n) units of the
sum of their magnitudes. It is done to what is differentiated only: a value rounds as it is written.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Block, Check, For, Function, If, Lambda, Map, Reduce, Stm, While
from ..ir.types import Atom, Lit, Var, zero
from ..ir.walk import map_lambdas, substitute
from ..passes.equal_sizes import equal_sizes
from ..passes.notes import Notes
from ..passes.products import Product, product
from ..passes.sums import operators
from ..passes.uses import use_counts
from ..records import dataclass, replace
from .rules import fired


def run(function: Function, notes: Notes) -> Function:
    """The same function, its products in a better order."""
    body = _block(function.body, notes, ())
    return function if body is function.body else Function(function.name, function.params, body, function.donated)


@dataclass(frozen=True, slots=True)
class _Applied:
    """A matrix times a vector: element i is the sum over `length` of matrix[i, k] vector[k], or of matrix[k, i].

    It need not be the whole matrix: only what has the same sizes is the same product.
    """

    matrix: Var
    turned: bool
    vector: Var
    rows: Atom
    length: Atom


def _block(block: Block, notes: Notes, before: tuple[Stm, ...]) -> Block:
    """A block, what holds `before` it given; what it checks itself holds if it goes on."""
    checks = (*before, *(stm for stm in block.stms if isinstance(stm.expr, Check)))
    chains, stms, same = _Chains(block, equal_sizes(checks)), list[Stm](), dict[Var, Var]()
    for stm in block.stms:
        found = _applied(stm.expr) if isinstance(stm.expr, Map) else None
        if found is not None:
            found = replace(found, vector=same.get(found.vector, found.vector))
            there = chains.known.get(chains.key(found))
            if there is not None:
                fired["shared"] += 1
                same[stm.vars[0]] = there
            else:
                stms += chains.applied(stm, found, notes)
                chains.known[chains.key(found)] = stm.vars[0]
        elif isinstance(stm.expr, For | While | If):
            inner = map_lambdas(stm.expr, lambda lam: Lambda(lam.params, _block(lam.body, notes, checks)))
            stms.append(stm if inner == stm.expr else Stm(stm.vars, inner, stm.pos))
        else:
            stms.append(stm)
    new = tuple(stms)
    return block if new == block.stms else substitute(Block(new, block.results), same)


class _Chains:
    """The products of a block: matrices that one product with a vector reads, and vectors that are there."""

    def __init__(self, block: Block, equal: Sequence[set[Atom]]) -> None:
        uses = use_counts(block)
        self.sizes = {size: next(iter(group)) for group in equal for size in group}
        self.matrices: dict[str, Product] = {}
        for stm in block.stms:
            if isinstance(stm.expr, Map) and len(stm.vars) == 1 and uses[stm.vars[0].name] == 1:
                found = product(stm.expr)
                if found is not None and not found.guarded and len(found.left.at) == len(found.right.at) == 2:
                    self.matrices[stm.vars[0].name] = found
        self.known: dict[_Applied, Var] = {}

    def key(self, found: _Applied) -> _Applied:
        """The product with one name for each size."""
        rows, length = (self.sizes.get(size, size) for size in (found.rows, found.length))
        return replace(found, rows=rows, length=length)

    def applied(self, stm: Stm, found: _Applied, notes: Notes) -> list[Stm]:
        """The statements of a product with a vector; the statement itself where its matrix is not a product."""
        if found.matrix.name not in self.matrices:
            return [stm]
        notes.add(stm.pos, "product", "factor by factor", "the product of the matrices is read by nothing else")
        b = Builder(stm.pos)
        last = self._through(b, found)
        assert b.stms[-1].vars == (last,)
        b.stms[-1] = Stm(stm.vars, b.stms[-1].expr, stm.pos)
        self.known = {key: stm.vars[0] if var == last else var for key, var in self.known.items()}
        return b.stms

    def _through(self, b: Builder, found: _Applied) -> Var:
        """A product with a vector, factor by factor."""
        whole = self.matrices.get(found.matrix.name)
        if whole is None:
            self.known[self.key(found)] = made = _emitted(b, found)
            return made
        fired["chain"] += 1
        first, second = (whole.left, whole.right) if found.turned else (whole.right, whole.left)
        inner = _Applied(first.array, first.moving == 0, found.vector, whole.length, found.length)
        vector = self.known.get(self.key(inner))
        fired["shared"] += vector is not None
        vector = vector or self._through(b, inner)
        # The last one is always made: it takes the name of the whole.
        return self._through(b, _Applied(second.array, second.moving == 1, vector, found.rows, whole.length))


def _emitted(b: Builder, found: _Applied) -> Var:
    def element(b: Builder, i: Var) -> tuple[Atom, ...]:
        def term(b: Builder, k: Var) -> tuple[Atom, ...]:
            at = (k, i) if found.turned else (i, k)
            return (b.apply("mul", b.apply("index", found.matrix, *at), b.apply("index", found.vector, k)),)

        return b.reduce(found.length, "add", (zero(found.vector.type.dtype),), term)

    return b.map_(found.rows, element)[0]


def _applied(expr: Map) -> _Applied | None:
    """The product with a vector that a map is, if it is nothing else."""
    match expr.body.body:
        case Block((Stm((total,), Reduce() as sum_),), (result,)) if total == result and operators(sum_) == ["add"]:
            pass
        case _:
            return None
    i, k = expr.body.params[0], sum_.body.params[0]
    start, stms = sum_.neutral[0], sum_.body.body.stms
    if not isinstance(start, Lit) or start.value or len(stms) != 3 or sum_.body.body.results != stms[2].vars:
        return None
    reads = {stm.vars[0]: stm.expr for stm in stms[:2]}
    match stms[2].expr:
        case Apply("mul", (Var() as x, Var() as y)) if {x, y} == set(reads):
            pass
        case _:
            return None
    for one, other in ((x, y), (y, x)):
        match reads[one], reads[other]:
            case Apply("index", (Var() as matrix, *at)), Apply("index", (Var() as vector, place)) if place == k:
                if at in ([i, k], [k, i]):
                    return _Applied(matrix, at == [k, i], vector, expr.size, sum_.size)
            case _:
                pass
    return None
