"""Forward: what one round of a loop writes and a later one reads stays in a register.

    for n [x] (i, x) { v = f(x[i]);  x[i + 1] = v }

    for n [x, x[0]] (i, x, p) { v = f(p);  x[i + 1] = v;  next p = v }

In a recurrence (Gauss-Seidel, the Thomas algorithm, a running product) each round would otherwise wait until the
store of the round before can be read again. In: a loop whose carried array is updated at one place per round, affine
in the counter. A read of that array at the place where the write was d rounds ago becomes a carried value, for small
d. The values before the first round are read where they are in range; where they are not, no round that runs reads
them (the check in front of such a read fails).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Block, Expr, For, Function, Lambda, Stm
from ..ir.types import Atom, Var, i64, zero
from ..ir.walk import fresh, map_lambdas, statements, substitute
from ..records import dataclass
from .affine import Affine, emit_form, form_of
from .notes import Notes
from .uses import bound_names

FARTHEST = 3


def run(function: Function, _notes: Notes) -> Function:
    """The function with such loops carrying what they wrote."""
    defs = {var.name: stm.expr for stm in statements(function.body) for var in stm.vars}
    return Function(function.name, function.params, _block(function.body, defs), function.donated)


def _block(block: Block, defs: Mapping[str, Expr]) -> Block:
    b = Builder()
    for stm in block.stms:
        expr = map_lambdas(stm.expr, lambda lam: Lambda(lam.params, _block(lam.body, defs)))
        found = _chains(expr, defs) if isinstance(expr, For) else []
        if found:
            assert isinstance(expr, For)
            _carry(b, Stm(stm.vars, expr, stm.pos), expr, found)
        else:
            b.stms.append(Stm(stm.vars, expr, stm.pos))
    return b.block(block.results)


@dataclass(frozen=True, slots=True)
class _Chain:
    """A carried array whose element at `place` is written in each round; `reads` are results with their distance."""

    initial: Atom
    value: Atom
    place: tuple[Affine, ...]
    reads: Mapping[Var, int]


def _chains(loop: For, defs: Mapping[str, Expr]) -> list[_Chain]:
    """The carried arrays of a loop that are read where they were written before."""
    counter, *carried = loop.body.params
    body = loop.body.body
    inside = (bound_names(body) | {param.name for param in loop.body.params}) - {counter.name}
    found: list[_Chain] = []
    for initial, array, result in zip(loop.init, carried, body.results, strict=True):
        write = _write(body, array, result) if array.type.shape else None
        if write is None:
            continue
        place = tuple(form_of(index, defs) for index in write.args[2:])
        if any(inside & form.terms.keys() for form in place):
            continue
        reads = {
            stm.vars[0]: distance
            for stm, read in _reads(body, array)
            if (distance := _distance(place, [form_of(index, defs) for index in read.args[1:]], counter))
        }
        if reads:
            found.append(_Chain(initial, write.args[1], place, reads))
    return found


def _write(body: Block, array: Var, result: Atom) -> Apply | None:
    """The one update of an element of the carried array, when that is all that happens to it."""
    for stm in body.stms:
        match stm.expr:
            case Apply("update", (source, value, *indices)) as write if source == array and stm.vars[0] == result:
                return write if len(indices) == array.type.rank and not value.type.shape else None
            case _:
                pass
    return None


def _reads(body: Block, array: Var) -> Iterator[tuple[Stm, Apply]]:
    """Reads of elements of the array as it was at the start of the round."""
    for stm in statements(body):
        match stm.expr:
            case Apply("index", (source, *_)) as read if source == array and not stm.vars[0].type.shape:
                yield stm, read
            case _:
                pass


def _distance(place: Sequence[Affine], read: Sequence[Affine], counter: Var) -> int | None:
    """How many rounds ago the element that is read was written, when it always was."""
    found: set[int] = set()
    for written, wanted in zip(place, read, strict=True):
        step, ahead = written.coefficient(counter.name), written.plus(wanted, -1)
        if ahead.terms or (step == 0 and ahead.const):
            return None
        if step:
            rounds, rest = divmod(ahead.const, step)
            if rest:
                return None
            found.add(rounds)
    distance = found.pop() if len(found) == 1 else 0
    return distance if 1 <= distance <= FARTHEST else None


def _carry(b: Builder, stm: Stm, loop: For, chains: Sequence[_Chain]) -> None:
    """The loop with the last values of each chain carried along, the latest first."""
    counter, *carried = loop.body.params
    b.pos = stm.pos
    init, params, news = list(loop.init), list(carried), list(loop.body.body.results)
    known: dict[Var, Atom] = {}
    for chain in chains:
        far = max(chain.reads.values())
        names = [fresh("last", chain.value.type) for _ in range(far)]
        init += [_before(b, chain, counter, rounds) for rounds in range(1, far + 1)]
        params += names
        news += [chain.value, *names[:-1]]
        known.update((var, names[distance - 1]) for var, distance in chain.reads.items())
    body = substitute(Block(loop.body.body.stms, tuple(news)), known)
    extra = tuple(fresh("t", param.type) for param in params[len(carried) :])
    expr = For(loop.count, tuple(init), Lambda((counter, *params), body))
    b.stms.append(Stm((*stm.vars, *extra), expr, stm.pos))


def _before(b: Builder, chain: _Chain, counter: Var, rounds: int) -> Atom:
    """The element that would have been written so many rounds before the first, or zero out of range."""
    indices: list[Atom] = []
    for form in chain.place:
        start = form.without(counter.name).shifted(-rounds * form.coefficient(counter.name))
        indices.append(emit_form(start, b.apply))
    inside: Atom | None = None
    for index, size in zip(indices, chain.initial.type.shape, strict=True):
        here = b.apply("and", b.apply("ge", index, i64(0)), b.apply("lt", index, size))
        inside = here if inside is None else b.apply("and", inside, here)
    assert inside is not None
    (value,) = b.if_(
        inside,
        lambda b: (b.apply("index", chain.initial, *indices),),
        lambda _: (zero(chain.initial.type.dtype),),
    )
    return value
