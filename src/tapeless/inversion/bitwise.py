"""Numbers that change by each other bit by bit: masked exchanges, the rows of Keccak, gates on words of truths.

    t = (a ^ b) & mask                 each bit of (a, b) becomes one of four, which depend on the bit of the mask
    a ^= t
    b ^= t

Where all results are made by `&`, `|`, `^` and `~` alone, each bit of them depends on bits at its place: of n unknown
numbers and of some known ones. All cases are tried. If for each case of the known bits the 2^n cases of the unknown
ones lead to 2^n results, each unknown bit is a function of these. Any function of bits is an exclusive or of products
of them, in one way (Zhegalkin's polynomial), whose coefficients come by summing over all subsets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice

from ..ir.core import Apply
from ..ir.types import BOOL, Atom, DType, Lit, Var
from ..records import dataclass
from .solving import Solving

OPERATIONS = ("and", "or", "xor", "not")
MOST_UNKNOWNS, MOST_KNOWN, MOST_TERMS = 5, 4, 24
MOST_TRIES = 20


@dataclass(frozen=True, slots=True)
class _Formula:
    """A known result as a formula of unknown and known atoms."""

    result: Var
    unknown: tuple[Atom, ...]
    known: tuple[Atom, ...]


def solve_bitwise(s: Solving) -> bool:
    """Learn unknown numbers whose bits follow from those of known results, place by place; were there any?"""
    formulas = list(_formulas(s))
    for some in _squares(formulas):
        unknown = tuple(dict.fromkeys(u for formula in some for u in formula.unknown))
        known = tuple(dict.fromkeys(k for formula in some for k in formula.known))
        if len(known) > MOST_KNOWN:
            continue
        polynomials = _inverse(s, some, unknown, known)
        if polynomials is not None:
            before = s.told
            atoms = [*(s.value(formula.result) for formula in some), *(s.value(k) for k in known)]
            for var, polynomial in zip(unknown, polynomials, strict=True):
                s.learn(var, _emit(s, polynomial, atoms, var.type.dtype))
            if s.told > before:
                return True
    return False


def _formulas(s: Solving) -> Iterator[_Formula]:
    for stm in s.block.stms:
        match stm.expr:
            case Apply(op) if op in OPERATIONS and _is_word(stm.vars[0]) and s.is_known(stm.vars[0]):
                unknown, known = dict[Atom, None](), dict[Atom, None]()
                for arg in stm.expr.args:
                    _leaves(s, arg, unknown, known)
                if 0 < len(unknown) <= MOST_UNKNOWNS:
                    yield _Formula(stm.vars[0], tuple(unknown), tuple(known))
            case _:
                pass


def _is_word(var: Var) -> bool:
    return not var.type.shape and not var.type.dtype.is_float


def _leaves(s: Solving, atom: Atom, unknown: dict[Atom, None], known: dict[Atom, None]) -> None:
    if (args := _made_of(s, atom)) is not None:
        for arg in args:
            _leaves(s, arg, unknown, known)
    elif isinstance(atom, Lit) or s.try_value(atom) is not None:
        known[atom] = None
    else:
        unknown[atom] = None


def _made_of(s: Solving, atom: Atom) -> tuple[Atom, ...] | None:
    """The operands of a number that is made bit by bit, if it is not known or is the complement of something known."""
    if isinstance(atom, Lit):
        return None
    match s.definition(atom):
        case Apply(op, args) if op == "not" or (op in OPERATIONS and s.try_value(atom) is None):
            return args
        case _:
            return None


def _squares(formulas: Sequence[_Formula]) -> Iterator[Sequence[_Formula]]:
    """As many results as unknown numbers, the fewest first."""
    sets = dict.fromkeys(frozenset(formula.unknown) for formula in formulas)
    for unknown in list(sets):
        sets |= dict.fromkeys(unknown | other for other in sets if not unknown.isdisjoint(other))
    for unknown in sorted((u for u in sets if len(u) <= MOST_UNKNOWNS), key=len):
        about = [formula for formula in formulas if unknown.issuperset(formula.unknown)]
        for some in islice(combinations(about, len(unknown)), MOST_TRIES):
            if unknown == frozenset(u for formula in some for u in formula.unknown):
                yield some


# -- cases ------------------------------------------------------------------------------------


def _inverse(
    s: Solving, some: Sequence[_Formula], unknown: Sequence[Atom], known: Sequence[Atom]
) -> list[list[int]] | None:
    """Of each unknown bit its polynomial in the bits of the results and of what is known; None if it has none."""
    n, cases = len(unknown), 1 << (len(unknown) + len(known))
    # Bit c of a column is the value in case c, in which bit k of c is that of the atom k.
    columns = {atom: sum((c >> k & 1) << c for c in range(cases)) for k, atom in enumerate((*unknown, *known))}
    everywhere = (1 << cases) - 1
    results = [_column(s, formula.result, columns, everywhere, top=True) for formula in some]
    tables = [0] * n
    reached = 0
    for c in range(cases):
        there = sum((column >> c & 1) << k for k, column in enumerate(results)) | c >> n << n
        reached |= 1 << there
        for k in range(n):
            tables[k] |= (c >> k & 1) << there
    if reached != everywhere:
        return None
    polynomials = [_polynomial(table, n + len(known)) for table in tables]
    return None if any(len(terms) > MOST_TERMS for terms in polynomials) else polynomials


def _column(s: Solving, atom: Atom, columns: dict[Atom, int], everywhere: int, *, top: bool = False) -> int:
    """The values of a formula in all cases."""
    if not top and atom in columns:
        return columns[atom]
    assert isinstance(atom, Var)
    expr = s.definition(atom)
    assert isinstance(expr, Apply)
    first, *rest = (_column(s, arg, columns, everywhere) for arg in expr.args)
    match expr.op:
        case "not":
            return first ^ everywhere
        case "and":
            return first & rest[0]
        case "or":
            return first | rest[0]
        case _:
            return first ^ rest[0]


def _polynomial(table: int, variables: int) -> list[int]:
    """The products, as sets of variables, of which a function with these values is the exclusive or."""
    for k in range(variables):
        # To each case with bit k the one without is added.
        without = sum(1 << c for c in range(1 << variables) if not c >> k & 1)
        table ^= (table & without) << (1 << k)
    return [c for c in range(1 << variables) if table >> c & 1]


def _emit(s: Solving, polynomial: Sequence[int], atoms: Sequence[Atom], dtype: DType) -> Atom:
    total: Atom = Lit(False, dtype) if dtype is BOOL else Lit(0, dtype)
    ones: Atom = Lit(True, dtype) if dtype is BOOL else Lit(-1, dtype)
    for term in polynomial:
        product = ones
        for k, atom in enumerate(atoms):
            if term >> k & 1:
                product = atom if product is ones else s.b.apply("and", product, atom)
        total = s.b.apply("xor", total, product)
    return total
