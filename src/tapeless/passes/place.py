"""Where arrays die: the analysis behind updates in place, moved buffers and early release.

In: a function. Out: for each block, the last statement that mentions each array (`last_use`), and
for each lambda the arrays of the scopes around it that it reads (`captured`). The back end asks,
at an `update` of `a`, whether any name that may share memory with `a` is used later; if none is, the
write is done in place. An array used inside a loop body but bound outside lives as long as the
loop, because the next iteration reads it again.

An array whose only use is to be written into a part of another one has that part as its `destination`, one that is
only `joined` to others has a place in the new array: the back end then builds it there. While it is built, what else
was read of that other array must stay: `beside` names the rows of which it is known that they are others. No check may
stand between an array and that use of it: it may be the one which says that the array fits there.
"""

from __future__ import annotations

from ..ir.core import Apply, Block, Expr, For, Function, Hist, Lambda, Map, Reduce, Scan, Scatter, Stm, While
from ..ir.types import Atom, Lit, Var
from ..ir.walk import lambdas, operands
from ..records import dataclass, field
from .cost import has_check


@dataclass(frozen=True, slots=True)
class Join:
    """A `concat`, the name by which it takes an array, and the one write that takes what it makes.

    The write is told where nothing reads the array that is written between the array that is taken and the write.
    """

    stm: Stm
    part: Var
    write: Apply | None


@dataclass(frozen=True, slots=True)
class Uses:
    """Answers by identity of blocks and lambdas, which the analysed function keeps alive."""

    function: Function
    last: dict[int, dict[Var, int]] = field(default_factory=dict[int, dict[Var, int]])
    free: dict[int, frozenset[Var]] = field(default_factory=dict[int, frozenset[Var]])
    looped: set[Var] = field(default_factory=set[Var])
    parts: dict[Var, Apply] = field(default_factory=dict[Var, Apply])
    rows: dict[Var, frozenset[Var]] = field(default_factory=dict[Var, frozenset[Var]])
    joins: dict[Var, Join] = field(default_factory=dict[Var, Join])
    others: list[Block] = field(default_factory=list[Block])

    def learn(self, block: Block) -> None:
        """Answer questions about a block that is not one of the function's, though its statements are."""
        self.others.append(block)
        _block(block, self)

    def last_use(self, block: Block) -> dict[Var, int]:
        """Array -> number of the last statement that mentions it; results count as one past the last."""
        return self.last[id(block)]

    def captured(self, block: Block) -> frozenset[Var]:
        """The arrays that a block mentions and does not bind; parameters of its lambda included."""
        return self.free[id(block)]

    def read_in_loops(self, var: Var) -> bool:
        """Is this array read inside a loop or parallel form that does not bind it?"""
        return var in self.looped

    def destination(self, var: Var) -> Apply | None:
        """The write into a part of an array that is `var`'s only use, when nothing else reads that array since."""
        return self.parts.get(var)

    def beside(self, var: Var) -> frozenset[Var]:
        """The rows of the array of its destination that are others than the one `var` is written to."""
        return self.rows.get(var, frozenset())

    def joined(self, var: Var) -> Join | None:
        """The `concat` that is `var`'s only use, as it is or as rows of another length."""
        return self.joins.get(var)


def analyse(function: Function) -> Uses:
    """The last uses of every array of a function."""
    uses = Uses(function)
    _block(function.body, uses)
    return uses


def _block(block: Block, uses: Uses) -> frozenset[Var]:
    mentions: dict[Var, list[int]] = {}
    bound: dict[Var, int] = {}
    for number, stm in enumerate(block.stms):
        for var in _mentioned(stm.expr, uses):
            mentions.setdefault(var, []).append(number)
        bound.update((var, number) for var in stm.vars)
    for var in _arrays(block.results):
        mentions.setdefault(var, []).append(len(block.stms))
    last = {var: numbers[-1] for var, numbers in mentions.items()}
    uses.last[id(block)] = last
    stops = [number for number, stm in enumerate(block.stms) if has_check((stm,))]
    for var, made in reversed(bound.items()):
        is_used_once = len(mentions.get(var, ())) == 1 and last[var] < len(block.stms)
        if is_used_once and not any(made < number < last[var] for number in stops):
            _find_destination(uses, block, mentions, var, made)
    free = uses.free[id(block)] = frozenset(last.keys() - bound.keys())
    return free


def _find_destination(uses: Uses, block: Block, mentions: dict[Var, list[int]], var: Var, made: int) -> None:
    use = mentions[var][0]
    match block.stms[use].expr:
        case Apply("update" | "update_slice", (Var() as whole, part, *_)) as write if part == var:
            since = [number for number in mentions[whole] if made < number]
            if whole != var and since == [use]:
                uses.parts[var] = write
                uses.rows[var] = _rows_beside(block, write)
        case Apply("concat", args) if args.count(var) == 1:
            write = uses.parts.get(block.stms[use].vars[0])
            uses.joins[var] = Join(block.stms[use], var, _unread(mentions, write, made))
        case Apply("reshape") if (join := uses.joins.get(block.stms[use].vars[0])) is not None:
            uses.joins[var] = Join(join.stm, join.part, _unread(mentions, join.write, made))
        case _:
            pass


def _unread(mentions: dict[Var, list[int]], write: Apply | None, made: int) -> Apply | None:
    """The write, if it is the only statement after this one that mentions the array it writes."""
    whole = write.args[0] if write is not None else None
    assert whole is None or isinstance(whole, Var)
    return write if whole is not None and sum(number > made for number in mentions[whole]) == 1 else None


def _rows_beside(block: Block, write: Apply) -> frozenset[Var]:
    """Row i of an array of which another row is written, i + 1."""
    if write.op != "update":
        return frozenset()
    shifts = {
        (stm.vars[0], of)
        for stm in block.stms
        if isinstance(stm.expr, Apply) and stm.expr.op == "add"
        for of, by in (stm.expr.args, stm.expr.args[::-1])
        if isinstance(by, Lit) and by.value != 0
    }
    return frozenset(
        stm.vars[0]
        for stm in block.stms
        if isinstance(stm.expr, Apply) and stm.expr.op == "index" and stm.expr.args[0] == write.args[0]
        if (write.args[2], stm.expr.args[1]) in shifts
    )


def _mentioned(expr: Expr, uses: Uses) -> set[Var]:
    found = set(_arrays(operands(expr)))
    for lam in lambdas(expr):
        inner = _lambda(lam, uses)
        if isinstance(expr, For | While | Map | Reduce | Scan | Hist | Scatter):
            uses.looped.update(inner)
        found |= inner
    return found


def _lambda(lam: Lambda, uses: Uses) -> frozenset[Var]:
    return _block(lam.body, uses) - set(lam.params)


def _arrays(atoms: tuple[Atom, ...]) -> list[Var]:
    return [atom for atom in atoms if isinstance(atom, Var) and atom.type.shape]
