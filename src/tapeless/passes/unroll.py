"""Unroll: a loop or parallel operator of small literal size becomes straight-line code.

A nest is unrolled as a whole: its trip counts are literals, or become literals once the counters around them are
(`for c in range(r)`), and nothing inside must stay a loop but a few sums. It may leave `OPERATIONS`, or
`OPERATIONS_WITH_ARRAYS` when it hands on a small array, whose elements then become scalars (`scalarise`). What depends
on counters and literals only is folded and counts nothing; a scalar operation counts its cost, as elementary functions
are inlined. All nests of a function together may add `GROWTH`, which bounds the time that LLVM takes (about 40 us for
each instruction). Outside every loop a parallel operator is better off as a loop of vectors, unless it is very short;
and so is a row that is written at a computed place (`in_memory`).

`run_before_derivatives` leaves the smallest or largest of many as it is, and its body: the rule of that reduction (or
of those prefixes) is one for all elements that tie, and looks at the body once.
"""

from __future__ import annotations

from ..ir.core import Apply, Block, Check, Expr, For, Function, If, Map, Reduce, Scan, Stm
from ..ir.op import lookup
from ..ir.types import Atom, Lit, Type
from ..ir.walk import lambdas, statements
from ..records import dataclass, field
from . import dce
from .control import forms
from .cost import ARRAY_OPS
from .notes import Notes
from .rewrite import Rewriter, name_of
from .simplify import RULES
from .small_arrays import is_small_array
from .sums import operators
from .views import element_count

TRIPS = 16
OPERATIONS = 200
OPERATIONS_WITH_ARRAYS = 800
GROWTH = 2000
OUTERMOST_TRIPS = 8
# Rows of so many elements are worth a vector.
ROW = 8
# So many copies of a loop may stay, each counted as so many operations.
FEW = 4
LOOP = 10

Range = tuple[int, int]


def run(function: Function, notes: Notes) -> Function:
    """The function with its small loops unrolled."""
    return _run(function, _Unroller(notes, in_memory(function.body)))


def run_before_derivatives(function: Function, notes: Notes) -> Function:
    """As `run`, but reductions and prefixes by `min` and `max` stay."""
    return _run(function, _Unroller(notes, in_memory(function.body), keeps_extremes=True))


def _run(function: Function, unroller: _Unroller) -> Function:
    control = forms(unroller.expands)

    def form(r: Rewriter, stm: Stm) -> bool:
        if unroller.keeps(stm):
            stays, unroller.stays = unroller.stays, True
            if not control(r, stm):
                r.emit(stm.vars, r.rebuild(stm.expr))
            unroller.stays = stays
            return True
        if unroller.inside or not unroller.accepts(r, stm.expr):
            return control(r, stm)
        unroller.inside = True
        dealt_with = control(r, stm)
        unroller.inside = False
        return dealt_with

    return dce.run(Rewriter(RULES, form).function(function), unroller.notes)


@dataclass(slots=True)
class _Unroller:
    """Decides nest by nest: the walk may be `inside` a nest that is being unrolled, or one that `stays`.

    The arrays named in `memory` cannot become scalars.
    """

    notes: Notes
    memory: frozenset[str]
    keeps_extremes: bool = False
    inside: bool = False
    stays: bool = False
    added: int = 0

    def keeps(self, stm: Stm) -> bool:
        """Is this a form to be left alone with all that is inside it?"""
        if self.inside:
            return False
        match stm.expr:
            case Reduce() | Scan():
                return self.keeps_extremes and _is_extreme(stm.expr)
            case Map():
                return any(var.name in self.memory and (element_count(var.type) or 0) >= ROW for var in stm.vars)
            case _:
                return False

    def accepts(self, r: Rewriter, expr: Expr) -> bool:
        """Is this the outermost form of a nest to unroll?"""
        if self.stays:
            return False
        match expr:
            case For(count):
                longest = TRIPS
            case Map(count) | Reduce(count) | Scan(count):
                longest = TRIPS if r.depth else OUTERMOST_TRIPS
            case _:
                return False
        trips = r.atom(count)
        if not isinstance(trips, Lit) or not 1 < trips.value <= longest:
            return False
        size = _Unrolled(r, self.keeps_extremes).form(expr)
        limit = OPERATIONS_WITH_ARRAYS if _hands_on_arrays(expr) else OPERATIONS
        if size is None or size > limit or self.added + size > GROWTH:
            return False
        self.added += size
        return True

    def expands(self, r: Rewriter, expr: Expr, trips: int) -> bool:
        """Is this form unrolled? Called for each form of a nest, with its own position."""
        if self.keeps_extremes and isinstance(expr, Reduce | Scan) and _is_extreme(expr):
            return False
        if self.inside and 1 < trips <= TRIPS:
            self.notes.add(r.pos, "loop", f"unrolled {trips} times", "its body is small")
            return True
        return trips == 1


def _is_extreme(expr: Reduce | Scan) -> bool:
    """Is one of the accumulators the smallest or largest of floats?"""
    names = operators(expr) or ()
    return any(name in ("min", "max") and x.type.dtype.is_float for name, x in zip(names, expr.neutral, strict=False))


def in_memory(block: Block) -> frozenset[str]:
    """The arrays that are written at places which the program finds out, with what is written and other versions."""
    found: set[str] = set()
    computed = {var for stm in statements(block) if _finds_out(stm.expr) for var in stm.vars}
    handed_on: list[Stm] = []
    for stm in statements(block):
        match stm.expr:
            case Apply("update" | "accumulate", (array, value, *at)) if any(i in computed for i in at):
                found.update(name_of(atom) for atom in (array, value, *stm.vars) if atom.type.shape)
            case If() | Reduce():
                handed_on.append(stm)
            case _:
                pass
    for stm in reversed(handed_on):
        for versions in _versions(stm):
            if any(name_of(atom) in found for atom in versions):
                found.update(map(name_of, versions))
    return frozenset(found)


def _versions(stm: Stm) -> list[tuple[Atom, ...]]:
    """For each array that a branch or a reduction makes, what it is inside."""
    match stm.expr:
        case If(_, then, orelse):
            groups = zip(stm.vars, then.results, orelse.results, strict=True)
        case Reduce(_, op, _, body):
            groups = zip(stm.vars, op.body.results, body.body.results, strict=True)
        case _:
            return []
    return [versions for versions in groups if versions[0].type.shape]


def _finds_out(expr: Expr) -> bool:
    match expr:
        case Apply(op):
            return op not in ("add", "sub", "mul")
        case Map() | Check():
            return False
        case _:
            return True


def _hands_on_arrays(expr: Expr) -> bool:
    """Does it carry or make an array that is small enough to become scalars?"""
    match expr:
        case For(_, init):
            types = [atom.type for atom in init]
        case Reduce(_, _, neutral):
            types = [atom.type for atom in neutral]
        case Map(size, body):
            types = [atom.type.stacked(size) for atom in body.body.results]
        case Scan(size, _, neutral):
            types = [atom.type.stacked(size) for atom in neutral]
        case _:
            types = list[Type]()
    return any(is_small_array(type) for type in types)


@dataclass(slots=True)
class _Unrolled:
    """What is left of a form when it is unrolled with everything inside it.

    `known` holds the scalars that will be literals, with their range where it is known; there will be `copies` of it.
    """

    r: Rewriter
    keeps_extremes: bool = False
    copies: int = 1
    known: dict[str, Range | None] = field(default_factory=dict[str, "Range | None"])

    def form(self, expr: Expr) -> int | None:
        """The number of operations; None when something must stay a loop."""
        match expr:
            case For(count) | Map(count) | Reduce(count) | Scan(count):
                trips = self._range(count)
                if self.keeps_extremes and isinstance(expr, Reduce | Scan) and _is_extreme(expr):
                    inside = self._inside(expr)
                    return None if inside is None else inside + LOOP
                if trips is None and isinstance(expr, Reduce):
                    return self._kept(expr)
                if trips is None or trips[1] > TRIPS:
                    return None
                most = max(trips[1], 0)
                counter = lambdas(expr)[-1].params[0]
                self.known[counter.name] = (0, max(most - 1, 0))
            case If():
                most = 1
            case _:
                return None
        self.copies *= most
        total = self._inside(expr)
        self.copies //= max(most, 1)
        return None if total is None else total * most

    def _inside(self, expr: Expr) -> int | None:
        sizes = [self._block(lam.body) for lam in lambdas(expr)]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    def _kept(self, expr: Reduce) -> int | None:
        """A sum over an unknown number may stay, a few times: its copies read the same elements and become one."""
        innermost = not any(lambdas(stm.expr) for stm in expr.body.body.stms)
        size = self._inside(expr) if innermost and self.copies <= FEW else None
        return None if size is None else size + LOOP

    def _block(self, block: Block) -> int | None:
        total = 0
        for stm in block.stms:
            match stm.expr:
                case Apply():
                    size = self._operation(stm, stm.expr)
                case Check(_, args):
                    size = 0 if all(self._is_known(arg) for arg in args) else 1
                case _:
                    size = self.form(stm.expr)
            if size is None:
                return None
            total += size
        return total

    def _operation(self, stm: Stm, expr: Apply) -> int:
        if not stm.vars[0].type.shape and all(self._is_known(arg) for arg in expr.args):
            self.known[stm.vars[0].name] = self._range_of_operation(expr)
            return 0
        return 1 if expr.op in ARRAY_OPS else int(lookup(expr.op).cost)

    def _is_known(self, atom: Atom) -> bool:
        atom = self.r.atom(atom)
        return isinstance(atom, Lit) or atom.name in self.known

    def _range(self, atom: Atom) -> Range | None:
        atom = self.r.atom(atom)
        if isinstance(atom, Lit):
            return (int(atom.value), int(atom.value)) if atom.dtype.is_int else None
        return self.known.get(name_of(atom))

    def _range_of_operation(self, expr: Apply) -> Range | None:
        ranges = [self._range(arg) for arg in expr.args]
        match expr.op, ranges:
            case "add", [(a, b), (c, d)]:
                return a + c, b + d
            case "sub", [(a, b), (c, d)]:
                return a - d, b - c
            case "mul", [(a, b), (c, d)]:
                products = (a * c, a * d, b * c, b * d)
                return min(products), max(products)
            case "min", [(a, b), (c, d)]:
                return min(a, c), min(b, d)
            case "max", [(a, b), (c, d)]:
                return max(a, c), max(b, d)
            case _:
                return None
