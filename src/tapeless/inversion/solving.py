"""Solving a block for its inputs: which values are known, given what the block became.

A block in A-normal form is a list of equations. Its results are known, and what it reads from outside and does not
change. Going through the statements from the last to the first, each whose result is known tells something of its
operands (`undo`, `undo_forms`): from `y = x + e` and a known e follows `x = y - e`. What is not known but made of known
values is computed again. Values that nothing else depends on, such as an accumulator of the user's that is dropped at
the end, never have to be brought back: that a temporary is uncomputed shows only in that it is not there.

Arrays may be known but for some places (`arrays`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from typing import TypeAlias

from ..ir.build import Atoms, Builder
from ..ir.core import Apply, Block, Check, Custom, Expr, Function, Lambda, Pos, Stm
from ..ir.types import Atom, Lit, Type, Var
from ..ir.walk import free_vars, inline, lambdas, map_lambdas
from ..passes import dce
from ..passes.affine import Affine, form_of
from ..passes.facts import Facts
from ..passes.notes import Notes
from ..records import dataclass
from .apart import Place, Reads, Span, are_apart, learn_of, learn_runs, may_differ, place_of
from .arrays import fill, learn_part
from .cover import element_of_part
from .parts import Gap, Hole, Told

WRONG = "the function never leaves this behind"
ONE_PLACE = "two places that were changed together must differ for this to be undone"


# Names of conditions that nothing tells, and of the first results of loops of which nothing tells how often they run.
Stuck: TypeAlias = "set[str]"


# Two indices that were taken to differ.
Assumed: TypeAlias = "tuple[Affine, Affine]"


class CannotInvert(Exception):
    """Something is not determined by what the program leaves behind; it might be if what is `stuck` were kept."""

    def __init__(self, what: str, pos: Pos | None = None, stuck: Stuck | None = None) -> None:
        super().__init__(what)
        self.what, self.pos, self.stuck = what, pos, stuck or set[str]()


Undo: TypeAlias = "Callable[[Solving, Stm], None]"


@dataclass(frozen=True, slots=True)
class Rules:
    """What each sort of statement tells, and what several tell together when none tells more by itself."""

    each: Mapping[type, Undo]
    together: Callable[[Solving], bool]


class Solving:
    """What is known of the values of one block while it is solved; `b` takes the code that computes them.

    `wanted` are the names from which nothing may be assumed: the inputs to be found. `learned` holds what the block
    tells of variables from outside: of the whole (no indices), or of parts at some indices. `branches` are
    conditions of the program that were told from the results of their branches, `given` those of the arm that this is.
    """

    def __init__(
        self,
        block: Block,
        b: Builder,
        rules: Rules,
        wanted: set[str],
        parent: Solving | None = None,
        before: Sequence[Stm] = (),
        checks: bool = False,
    ) -> None:
        """`before` are statements outside that have been executed, for what they tell of integers.

        With `checks`, what the program checks is checked again, as the results may be anything.
        """
        self.block, self.b, self.rules, self.wanted, self.parent, self.before = block, b, rules, wanted, parent, before
        self.checks = checks or (parent is not None and parent.checks)
        self.made = {var.name: stm for stm in block.stms for var in stm.vars}
        self.known: dict[str, Atom] = {}
        self.holes: dict[str, Hole] = {}
        self.pieces: dict[str, list[tuple[Sequence[Affine | Span], dict[int, Atom]]]] = {}
        self.parts: dict[str, list[Told]] = {}
        self.learned: dict[Var, list[Told]] = {}
        self.counters: dict[Var, Atom] = {}
        self.branches: dict[Atom, Atom] = {}
        self.given: dict[Atom, bool] = {}
        self.told = 0
        # May places be taken to be apart, if that is checked when the inverse runs?
        self.assumes: bool = parent is not None and parent.assumes
        self.assumed: list[Assumed] = [] if parent is None else parent.assumed
        # Is something supposed, here or around?
        self.supposes: bool = parent is not None and parent.supposes
        # Will what is made here be undone in turn?
        self.tells: bool = parent is not None and parent.tells
        # What is computed again, in this block and in those within.
        self.again: list[Stm] = [] if parent is None else parent.again
        self.stuck: Stuck = set() if parent is None else parent.stuck
        self.depth: int = 0 if parent is None else parent.depth + 1
        # What does not change while the block is solved; and what was not known when so much had been learned.
        self._facts: Facts | None = None
        self._definitions: dict[str, Expr] | None = None
        self._unknown: dict[str, int] = {}

    def run(self, results: Sequence[Atom | None]) -> None:
        """Solve the block, given what its results are; None where that is not known."""
        for result, value in zip(self.block.results, results, strict=True):
            if value is not None:
                self.learn(result, value)
        self._settle()
        if self.checks:
            self.check_again()

    def _settle(self) -> None:
        """Let statements tell what they can until nothing more follows."""
        stms = [stm for stm in reversed(self.block.stms) if not isinstance(stm.expr, Check)]
        while sum(map(self._undo, stms)) or self.rules.together(self):
            pass

    def supposing(self, stm: Stm, value: Atom) -> Solving:
        """What is known where a statement is supposed to have this result, whatever it makes: in code apart."""
        rest = Block(tuple(other for other in self.block.stms if other is not stm), self.block.results)
        trial = Solving(rest, self.b.child(), self.rules, self.wanted, self.parent, self.before, self.checks)
        trial.known, trial.holes = dict(self.known), dict(self.holes)
        trial.pieces = {name: [(above, dict(some)) for above, some in all] for name, all in self.pieces.items()}
        trial.parts = {name: list(told) for name, told in self.parts.items()}
        trial.learned = {var: list(told) for var, told in self.learned.items()}
        trial.counters, trial.branches, trial.given = dict(self.counters), dict(self.branches), dict(self.given)
        trial.assumed, trial.again, trial.stuck = [], [], set()
        trial.supposes, trial.known[stm.vars[0].name] = True, value
        trial._settle()
        return trial

    def check_again(self) -> None:
        """Repeat the checks, each right after its operands are known: before anything is accessed by them."""
        for stm in self.block.stms:
            if stm.vars or isinstance(stm.expr, Custom):
                continue
            free = tuple(free_vars(stm.expr))
            with suppress(CannotInvert):
                made = inline(Lambda(free, Block((stm,), ())), tuple(self.value(x) for x in free))
                names = {x.name for x in free_vars(made)}
                places = [k for k, known in enumerate(self.b.stms) if any(var.name in names for var in known.vars)]
                self.b.stms[max(places, default=-1) + 1 : 0] = made.stms
        for cond, told in self.branches.items():
            with suppress(CannotInvert):
                self.b.check("assert", self.b.apply("eq", self.value(cond), told), info=WRONG)

    def _undo(self, stm: Stm) -> bool:
        """Let a statement tell what it can; did it? It may tell more when more is known."""
        before = self.told
        with self.b.at(stm.pos), suppress(CannotInvert):
            self.rules.each[type(stm.expr)](self, stm)
        return self.told > before

    # -- what is known ------------------------------------------------------------------------

    def is_known(self, atom: Atom) -> bool:
        """Is the value at hand, without computing it?"""
        return isinstance(atom, Lit) or self.at_hand(atom) is not None

    def at_hand(self, var: Var) -> Atom | None:
        found = self.known.get(var.name)
        if found is None and self.parent is not None and var.name not in self.made:
            return self.parent.at_hand(var)
        return found

    def value(self, atom: Atom) -> Atom:
        """The value of an atom of the program, computed again where necessary."""
        if isinstance(atom, Lit):
            return atom
        found = self.known.get(atom.name)
        if found is not None:
            return found
        if atom.name in self.made:
            return self._found_again(atom)
        if atom.name in self.wanted:
            raise CannotInvert(f"{_base(atom)} is not known here")
        return atom if self.parent is None else self.parent.value(atom)

    def try_value(self, atom: Atom) -> Atom | None:
        try:
            return self.value(atom)
        except CannotInvert:
            return None

    def type(self, type: Type) -> Type:
        """A type of the program in terms of the inverse."""
        return Type(type.dtype, tuple(self.value(size) for size in type.shape))

    def _found_again(self, var: Var) -> Atom:
        """Compute a value unless that failed before, and nothing was learned since."""
        learned = self._learned_so_far()
        if self._unknown.get(var.name) == learned:
            raise CannotInvert(f"{_base(var)} is not known here")
        try:
            return self._again(var)
        except CannotInvert:
            self._unknown[var.name] = learned
            raise

    def _learned_so_far(self) -> int:
        return self.told + (self.parent._learned_so_far() if self.parent is not None else 0)

    def _again(self, var: Var) -> Atom:
        """Compute a value from its definition: only what this very value takes."""
        stm = self.made[var.name]
        read = self._beside_a_hole(stm)
        if read is None:
            own = [n for n in var.type.shape if n in stm.vars]
            part = dce.run(Function("part", (), without_words(Block((stm,), (*own, var)))), Notes()).body
            *sizes, read = self.computed(part)
            # An array may be asked for before its sizes, which the same statement binds, or after them.
            for size, value in zip(own, sizes, strict=True):
                assert isinstance(size, Var)
                self.known.setdefault(size.name, value)
            if read.type != (type := self.type(var.type)):
                read = self.b.apply("reshape", read, *type.shape)
            self.again.append(Stm((var,), stm.expr, stm.pos))
        self.known[var.name] = read
        return read

    def computed(self, part: Block) -> Atoms:
        """The results of a part of the program, computed again."""
        free = tuple(free_vars(part))
        return self.b.splice(inline(Lambda(free, part), tuple(self._operand(x, part) for x in free)))

    def _operand(self, var: Var, part: Block) -> Atom:
        """A variable that a part of the program reads: an array need be known only where it is read."""
        hole = self.hole(var)
        if hole is not None and all(self._reads_apart(part, var, gap) for gap in hole.gaps):
            return hole.rest
        return self.value(var)

    def _beside_a_hole(self, stm: Stm) -> Atom | None:
        """A part of an array that is known but for another place."""
        match stm.expr:
            case Apply("index" | "slice" as access, (Var() as array, *at)):
                hole = self.hole(array)
                if hole is not None and self.is_beside(hole, self.place(access, at), self.here(at)):
                    return self.b.apply(access, hole.rest, *(self.value(i) for i in at))
                if access == "index":
                    return element_of_part(self, array, self.place(access, at))
            case _:
                pass
        return None

    def parts_of(self, array: Var) -> Sequence[Told]:
        """The parts of an array that were told."""
        found = self.parts.get(array.name)
        return self.parent.parts_of(array) if found is None and self.parent is not None else found or ()

    def hole(self, array: Var) -> Hole | None:
        """What is known of an array that is not known everywhere."""
        if self.at_hand(array) is not None:
            return None
        found = self.holes.get(array.name)
        return self.parent.hole(array) if found is None and self.parent is not None else found

    def is_beside(self, hole: Hole, place: Place, here: Sequence[Atom]) -> bool:
        """Is the array known at this place, whose operands in the inverse are `here`? It may be left to a check."""
        near = [gap for gap in hole.gaps if not are_apart(self.facts(), gap.place, place)]
        may_assume = self.assumes and not self._sweeps(hole.array, place)
        if near and not (may_assume and all(may_differ(gap.place, place) for gap in near)):
            return False
        for gap in near:
            self.check_apart(gap.here, here)
            pairs = zip(gap.place, place, strict=False)
            self.assumed += [(x, y) for x, y in pairs if isinstance(x, Affine) and isinstance(y, Affine) and x != y]
        return True

    def _sweeps(self, array: Var, place: Place) -> bool:
        """Is this another place each time, in what is repeated while the array stays as it is?

        It would come by any gap: `y += x` reads all of x.
        """
        level, bound, repeats = self, set[str](), False
        while level.parent is not None and array.name not in level.holes:
            bound |= {*level.made, *level.wanted, *(counter.name for counter in level.counters)}
            repeats = repeats or bool(level.wanted or level.counters)
            level = level.parent
        return repeats and any(name in bound for part in place if isinstance(part, Affine) for name in part.terms)

    def here(self, operands: Sequence[Atom]) -> Sequence[Atom]:
        """The operands of an access in the inverse, where they may have to be checked."""
        return [self.value(x) for x in operands] if self.assumes else ()

    def check_apart(self, one: Sequence[Atom], other: Sequence[Atom]) -> None:
        """Check that two places are two when the inverse runs."""
        differ = [self.b.apply("ne", x, y) for x, y in zip(one, other, strict=False)]
        self.b.check("assert", reduce(lambda x, y: self.b.apply("or", x, y), differ), info=ONE_PLACE)

    def _reads_apart(self, part: Block, array: Var, gap: Gap) -> bool:
        """Is the array read only beside the gap?"""
        return Reads(self.facts(), self.definitions(), array, gap.place).are_apart(part)

    def facts(self) -> Facts:
        """What is known of integers: the counters around, the sizes of arrays, what was checked."""
        if self._facts is None:
            defs = self.definitions()
            self._facts = Facts(defs, {name: number for number, name in enumerate(defs)})
            levels = self._levels()
            # What was checked before comes first, as counts may be made of counters around; then counters, as guards
            # of other checks may read counts.
            for level in levels:
                learn_of(self._facts, [stm for stm in level.before if isinstance(stm.expr, Check)])
            for level in levels:
                for counter, size in level.counters.items():
                    self._facts.counter(counter, size)
            for level in levels:
                learn_of(self._facts, (*level.before, *level.block.stms))
            for level in levels:
                for size in level.counters.values():
                    learn_runs(self._facts, size)
                for cond, truth in level.given.items():
                    self._facts.assume(cond, truth)
        return self._facts

    def _levels(self) -> list[Solving]:
        """Those around, the outermost first, and this one."""
        return [*([] if self.parent is None else self.parent._levels()), self]

    def extent(self, size: Atom) -> int | None:
        """A size as a number: written so in its type, or checked to be one."""
        if isinstance(size, Lit):
            return int(size.value)
        for stm in (*self.before, *self.block.stms):
            match stm.expr:
                case Check("equal", (Lit(number), other) | (other, Lit(number))) if other == size:
                    return int(number)
                case _:
                    pass
        return None if self.parent is None else self.parent.extent(size)

    def form(self, atom: Atom) -> Affine:
        return form_of(atom, self.definitions())

    def place(self, op: str, operands: Sequence[Atom]) -> Place:
        """The place that an `index` or a `slice` with these operands reads."""
        return place_of(op, operands, self.definitions())

    def statement(self, var: Var) -> Stm | None:
        """The statement that makes a variable, here or around."""
        if var.name in self.made:
            return self.made[var.name]
        return self.parent.statement(var) if self.parent is not None else None

    def definition(self, var: Var) -> Expr | None:
        stm = self.statement(var)
        return None if stm is None else stm.expr

    def definitions(self) -> dict[str, Expr]:
        """Those of the variables here and around."""
        if self._definitions is None:
            outer = dict(self.parent.definitions()) if self.parent is not None else {}
            outer |= {var.name: stm.expr for stm in self.before for var in stm.vars}
            self._definitions = outer | {name: stm.expr for name, stm in self.made.items()}
        return self._definitions

    # -- learning -----------------------------------------------------------------------------

    def learn(self, var: Atom, value: Atom) -> None:
        """The value of a variable; what follows for the array that it was read from."""
        if isinstance(var, Lit) or self.is_known(var) or self._is_given(var):
            return
        self.known[var.name] = value
        self.told += 1
        if var.name not in self.made:
            self.learned[var] = [Told((), value)]
        for name, hole in list(self.holes.items()):
            for gap in hole.gaps:
                if gap.content == var:
                    fill(self, name, gap, value)
        match self.definition(var):
            case Apply("index" | "slice" as access, (Var() as array, *operands)):
                if var.name in self.made or array.name in self.holes:
                    learn_part(self, array, self.place(access, operands), value)
            case _:
                pass

    def _is_given(self, var: Var) -> bool:
        """Does it come from outside, unchanged?"""
        if var.name in self.made or var.name in self.wanted:
            return False
        return self.parent is None or self.parent._is_given(var)


def without_words(block: Block) -> Block:
    """The block without what is only told to inverses: it is not executed."""

    def inner(lam: Lambda) -> Lambda:
        return Lambda(lam.params, without_words(lam.body))

    spoken = [stm for stm in block.stms if stm.vars or not isinstance(stm.expr, Custom)]
    if len(spoken) == len(block.stms) and not any(lambdas(stm.expr) for stm in spoken):
        return block
    return Block(tuple(Stm(stm.vars, map_lambdas(stm.expr, inner), stm.pos) for stm in spoken), block.results)


def _base(var: Var) -> str:
    return var.name.split(".", maxsplit=1)[0]
