"""In the stack: an array of which a loop keeps every state lives in the row where it is kept.

    s = scratch n m;  for n [x s] (i, a, s) { s1 = s with a at i;  b = map ...;  b s1 }

    s = scratch (n + 1) m with x at 0;  for n [s] (i, s) { a = s[i];  b = map ...;  s with b at i + 1 }

So the forward sweep of a derivative keeps its states: each was made beside the stack and copied into it. What a map
makes for one later write is built where it is written (`backend/destinations`), and the next round reads it there. The
last state is the row behind the others. Only arrays that a map makes anew in each round gain by this: one that is
written in place would be copied as before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Block, Check, For, Function, Lambda, Map, Stm
from ..ir.types import Atom, Lit, Type, Var, i64, zero
from ..ir.walk import fresh, map_lambdas, statements, substitute
from ..records import dataclass
from . import dce, past
from .notes import Notes
from .segments import WRITTEN
from .uses import name_of, use_counts


def run(function: Function, notes: Notes) -> Function:
    """The function with states made where they are kept."""
    made = {stm.vars[0].name: stm.expr for stm in statements(function.body) if isinstance(stm.expr, Apply)}
    if not any(expr.attrs == WRITTEN for expr in made.values()):
        return function
    function = past.run(function, _pushed(function.body))
    search = _Search(made, use_counts(function.body), _reads(function.body))
    body = search.block(function.body)
    return dce.run(Function(function.name, function.params, body, function.donated), notes)


def _pushed(block: Block) -> set[str]:
    """The names of the carried arrays that become the row of another one which counts rounds."""
    found = set[str]()
    for loop in statements(block):
        if isinstance(loop.expr, For):
            counter, *carried = loop.expr.body.params
            for stm in loop.expr.body.body.stms:
                match stm.expr:
                    case Apply("update", (_, Var() as state, at)) if at == counter and state in carried:
                        found.add(state.name)
                    case _:
                        pass
    return found


def _reads(block: Block) -> Counter[str]:
    """How often each array is mentioned as that of which a row or an element is read."""
    found = Counter[str]()
    for stm in statements(block):
        match stm.expr:
            case Apply("index", (Var() as base, _, *_)):
                found[base.name] += 1
            case _:
                pass
    return found


@dataclass(frozen=True, slots=True)
class _Kept:
    """The carried array number `state` is kept in the carried one number `stack`, by the statement `push`."""

    state: int
    stack: int
    push: Stm


@dataclass(frozen=True, slots=True)
class _Search:
    made: Mapping[str, Apply]
    uses: Counter[str]
    reads: Counter[str]

    def block(self, block: Block) -> Block:
        stms, results = list(block.stms), block.results
        at = 0
        while at < len(stms):
            stm = stms[at] = self._inside(stms[at])
            if isinstance(stm.expr, For) and (kept := self._kept(stm, stm.expr)):
                b = Builder(stm.pos)
                names = _in_stacks(b, stm, stm.expr, kept)
                rest = substitute(Block(tuple(stms[at + 1 :]), results), names)
                stms[at:], results = [*b.stms, *rest.stms], rest.results
                at += len(b.stms) - 1
            at += 1
        return Block(tuple(stms), results)

    def _inside(self, stm: Stm) -> Stm:
        if isinstance(stm.expr, Apply | Check):
            return stm
        return Stm(stm.vars, map_lambdas(stm.expr, lambda lam: Lambda(lam.params, self.block(lam.body))), stm.pos)

    def _kept(self, stm: Stm, loop: For) -> list[_Kept]:
        """The arrays that a loop keeps round by round, each in one stack."""
        found: dict[int, _Kept] = {}
        for push in loop.body.body.stms:
            match push.expr:
                case Apply("update", (Var() as stack, Var() as state, at)) if at == loop.body.params[0]:
                    carried = loop.body.params[1:]
                    if state in carried and stack in carried:
                        kept = _Kept(carried.index(state), carried.index(stack), push)
                        if kept.state not in found and self._is_kept(stm, loop, kept):
                            found[kept.state] = kept
                case _:
                    pass
        return list(found.values())

    def _is_kept(self, stm: Stm, loop: For, kept: _Kept) -> bool:
        start, stack, result = loop.init[kept.stack], loop.body.params[1 + kept.stack], stm.vars[kept.stack]
        made = self.made.get(start.name) if isinstance(start, Var) else None
        scratch = made is not None and made.attrs == WRITTEN and not made.args[0].type.shape
        pushed = kept.push.vars[0]
        alone = self.uses[stack.name] == self.uses[pushed.name] == 1 and loop.body.body.results[kept.stack] == pushed
        return (
            scratch
            and alone
            and stack.type.shape[0] == loop.count
            and any(isinstance(size, Var) for size in stack.type.shape[1:])
            and self.uses[result.name] == self.reads[result.name]
            and self._is_made_anew(loop.body.body, loop.body.body.results[kept.state])
        )

    def _is_made_anew(self, block: Block, state: Atom) -> bool:
        """Is it what a map of this block makes, or maps and others joined, and used for nothing else?"""
        maker = next((stm for stm in block.stms if state in stm.vars), None)
        if maker is None or self.uses[name_of(state)] != 1:
            return False
        match maker.expr:
            case Map():
                return True
            case Apply("concat", (*parts, _), (0,)):
                return any(self._is_made_anew(block, part) for part in parts)
            case _:
                return False


def _in_stacks(b: Builder, stm: Stm, loop: For, kept: Sequence[_Kept]) -> dict[Var, Atom]:
    """Emit the loop with states in their stacks; what its stacks are called now."""
    rows = i64(int(loop.count.value) + 1) if isinstance(loop.count, Lit) else b.apply("add", loop.count, i64(1))
    gone = {number for k in kept for number in (k.state, k.stack)}
    plain = [number for number in range(len(loop.init)) if number not in gone]
    counter, *carried = loop.body.params
    init = [loop.init[number] for number in plain]
    body = b.child()
    behind = body.apply("add", counter, i64(1))
    stacks, ends = list[Var](), list[Var]()
    for k in kept:
        type = Type(carried[k.stack].type.dtype, (rows, *carried[k.stack].type.shape[1:]))
        scratch = b.apply("replicate", zero(type.dtype), *type.shape, attrs=WRITTEN)
        init.append(b.apply("update", scratch, loop.init[k.state], i64(0)))
        stacks.append(fresh("stack", type))
        ends.append(fresh("stack", type))
        body.stms.append(Stm((carried[k.state],), Apply("index", (stacks[-1], counter)), stm.pos))
    pushes = {k.push.vars[0] for k in kept}
    body.stms += [inner for inner in loop.body.body.stms if pushes.isdisjoint(inner.vars)]
    old = loop.body.body.results
    pushed = [body.apply("update", stack, old[k.state], behind) for k, stack in zip(kept, stacks, strict=True)]
    lam = Lambda(
        (counter, *(carried[number] for number in plain), *stacks),
        body.block([*(old[number] for number in plain), *pushed]),
    )
    vars = (*(stm.vars[number] for number in plain), *ends)
    b.stms.append(Stm(vars, For(loop.count, tuple(init), lam), stm.pos))
    for k, end in zip(kept, ends, strict=True):
        b.stms.append(Stm((stm.vars[k.state],), Apply("index", (end, loop.count)), stm.pos))
    return {stm.vars[k.stack]: end for k, end in zip(kept, ends, strict=True)}
