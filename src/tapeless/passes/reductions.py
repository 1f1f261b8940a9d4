"""Recognising accumulations: carried scalars whose next value is `old (+) something new`, for an associative (+).

If every path from the parameter p to the next value only applies (+) with values that do not depend on p, then the
next value is f(p) = p (+) v, and by associativity v = f(neutral): the contribution of an iteration is its body with p
replaced by the neutral element. Branches that leave p alone contribute the neutral element by themselves, and
inner loops that accumulate are covered by induction.

`if x < best: best = x`, and values chosen along with it (the index of the smallest), are another such operator, on
tuples: the first strictly smaller one wins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ..ir.core import Apply, Block, For, If, Stm, While
from ..ir.types import BOOL, Atom, Var
from ..records import dataclass, field
from .rewrite import name_of
from .uses import reached, use_counts
from .views import same

OPERATORS = frozenset({"add", "mul", "min", "max", "fmin", "fmax", "and", "or", "xor"})
_MIRRORED = {"lt": "gt", "gt": "lt"}

Sites = Mapping[str, tuple[Stm, int]]


def accumulation(param: Var, result: Atom, block: Block, sites: Sites, uses: Counter[str]) -> str | None:
    """The operator by which a loop body accumulates into a carried scalar; None when it does something else."""
    chain = _Chain(param.name, sites, reached(block, (param.name,)), uses)
    if not chain.follow(result) or chain.op is None:
        return None
    # Nobody else may look at a partial sum: the values on the way are used on the way only.
    return chain.op if all(uses[name] == visits for name, visits in chain.visits.items()) else None


@dataclass(slots=True)
class _Chain:
    """Follows a value back to the parameter; `visits` counts the uses met on the way."""

    param: str
    sites: Sites
    depends: set[str]
    uses: Counter[str]
    op: str | None = None
    visits: Counter[str] = field(default_factory=Counter[str])

    def follow(self, atom: Atom) -> bool:
        """Is this value the parameter, combined with others by the operator?"""
        if not isinstance(atom, Var) or atom.name not in self.depends:
            return False
        self.visits[atom.name] += 1
        if atom.name == self.param or self.visits[atom.name] > 1:
            return True
        if atom.name not in self.sites:
            return False
        stm, k = self.sites[atom.name]
        match stm.expr:
            case Apply("select", (_, x, y)):
                return self.follow(x) and self.follow(y)
            case Apply("sub", (x, _)):
                return self._agrees("add") and self.follow(x)
            case Apply(op, (x, y)) if op in OPERATORS and self._agrees(op):
                return self.follow(x if isinstance(x, Var) and x.name in self.depends else y)
            case If(_, then, orelse):
                return self.follow(then.results[k]) and self.follow(orelse.results[k])
            case For(_, init, body):
                return self.follow(init[k]) and self._inner(body.params[k + 1], body.body, k)
            case While(init, cond, body) if not self.uses[cond.params[k].name]:
                return self.follow(init[k]) and self._inner(body.params[k], body.body, k)
            case _:
                return False

    def _agrees(self, op: str) -> bool:
        self.op = self.op or op
        return self.op == op

    def _inner(self, param: Var, body: Block, k: int) -> bool:
        """An inner loop whose own parameter is only accumulated into."""
        inner = _Chain(param.name, self.sites, self.depends, self.uses, self.op)
        holds = inner.follow(body.results[k])
        self.op = inner.op
        self.visits.update(inner.visits)
        return holds


@dataclass(frozen=True, slots=True)
class Choice:
    """Carried values replaced together when a new key is strictly better (`lt` or `gt`) than the best so far."""

    op: str
    key: int
    members: tuple[int, ...]
    values: tuple[Atom, ...]


def choice(key: int, params: Sequence[Var], block: Block, sites: Sites) -> Choice | None:
    """The choice that carried value `key` decides, with the other carried values that follow it."""
    decided = _decision(params[key], block.results[key], sites)
    if decided is None:
        return None
    cond, value = decided
    if value.type.dtype is BOOL:
        return None
    comparison = sites[cond.name][0].expr if isinstance(cond, Var) and cond.name in sites else None
    if not isinstance(comparison, Apply) or comparison.op not in _MIRRORED:
        return None
    x, y = comparison.args
    if same(x, value) and same(y, params[key]):
        op = comparison.op
    elif same(y, value) and same(x, params[key]):
        op = _MIRRORED[comparison.op]
    else:
        return None
    members, values = [key], [value]
    for k, param in enumerate(params):
        follower = _decision(param, block.results[k], sites) if k != key else None
        if follower and same(follower[0], cond):
            members.append(k)
            values.append(follower[1])
    found = Choice(op, key, tuple(members), tuple(values))
    return found if _is_closed(found, params, block) else None


def _decision(param: Var, result: Atom, sites: Sites) -> tuple[Atom, Atom] | None:
    """`select(c, value, param)` or the same as a branch: the condition and the value."""
    if not isinstance(result, Var) or result.name not in sites:
        return None
    stm, k = sites[result.name]
    match stm.expr:
        case Apply("select", (cond, x, y)) if same(y, param):
            return cond, x
        case If(cond, then, orelse) if same(orelse.results[k], param):
            inside = {var.name for s in then.stms for var in s.vars}
            value = then.results[k]
            return None if isinstance(value, Var) and value.name in inside else (cond, value)
        case _:
            return None


def _is_closed(found: Choice, params: Sequence[Var], block: Block) -> bool:
    """Nobody else looks at the best so far, before or after, and the candidates do not depend on it."""
    uses = use_counts(block)
    for k in found.members:
        if uses[params[k].name] != (2 if k == found.key else 1) or uses[name_of(block.results[k])] != 1:
            return False
    depends = reached(block, [params[k].name for k in found.members])
    return not any(isinstance(value, Var) and value.name in depends for value in found.values)
