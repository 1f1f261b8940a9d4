"""Sets of inputs as machine words: bit k of the word of a value says that the value may depend on input k.

A value of any shape has a word (i64) per element; a value without words depends on no input. Sets are united, never
intersected, so everything here may only add bits. `Words` holds the words known so far, and what the analyses say of
the program: `influenced` values change with the inputs, `varied` ones change smoothly and have words; all others
are *fixed*, the same whatever the inputs are, and are computed as the program says.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from ..errors import DerivativeError
from ..ir.build import Builder
from ..ir.types import I64, Atom, Lit, Type, Var
from ..ir.walk import fresh
from ..records import dataclass, field
from .values import elementwise, in_range, retyped, zeros

NOTHING = Lit(0, I64)


@dataclass(slots=True)
class Words:
    """`known` maps names to words. `guarded` makes every access test its indices first: arms that are executed though
    they may not run, and programs whose checks could not be kept, may hold others than the program itself would.
    `lost` is set when a check was left out; `sizes` are names of sizes that an array in scope has."""

    known: dict[str, Atom]
    influenced: AbstractSet[str]
    varied: AbstractSet[str]
    guarded: bool
    lost: bool = False
    sizes: set[str] = field(default_factory=set[str])

    def is_fixed(self, *atoms: Atom) -> bool:
        """Are these the same for all inputs?"""
        return not any(isinstance(atom, Var) and atom.name in self.influenced for atom in atoms)

    def is_varied(self, var: Var) -> bool:
        return var.name in self.varied

    def of(self, atom: Atom) -> Atom | None:
        return self.known.get(atom.name) if isinstance(atom, Var) else None

    def filled(self, b: Builder, atom: Atom) -> Atom:
        """The words of an atom, those of the empty set where it has none."""
        word = self.of(atom)
        return zeros(b, _words(atom.type)) if word is None else word

    def define(self, b: Builder, var: Var, word: Atom | None) -> None:
        if word is not None:
            self.known[var.name] = retyped(b, word, self.type(var))

    def bound(self, var: Var) -> Var:
        """A fresh variable for the words of one."""
        word = fresh(f"{var.name.split('.', maxsplit=1)[0]}_set", self.type(var))
        self.known[var.name] = word
        return word

    def type(self, var: Var) -> Type:
        """The type of the words of a variable."""
        if not self.is_fixed(*var.type.shape):
            raise DerivativeError(
                "the pattern of this Jacobian cannot be found: an array's size depends on the values of the arguments",
                why="a pattern holds for all values of the arguments by which a function is differentiated",
                fix="leave out sparse=True",
            )
        return _words(var.type)

    # -- elements ---------------------------------------------------------------------------------

    def read(self, b: Builder, array: Atom, keys: Sequence[Atom]) -> Atom:
        """The element at these indices; nothing, where they must be tested and are out of range."""
        if not keys:
            return array
        if not self.guarded:
            return b.apply("index", array, *keys)
        type = array.type.drop(len(keys))
        return b.if_(
            in_range(b, keys, array.type.shape),
            lambda b: (b.apply("index", array, *keys),),
            lambda b: (zeros(b, type),),
        )[0]

    def write(self, b: Builder, array: Atom, value: Atom, keys: Sequence[Atom]) -> Atom:
        """The array with another element, or as it is, where the indices must be tested and are out of range."""
        if not self.guarded:
            return b.apply("update", array, value, *keys)
        return b.if_(
            in_range(b, keys, array.type.shape),
            lambda b: (b.apply("update", array, value, *keys),),
            lambda _: (array,),
        )[0]


def union(b: Builder, *words: Atom | None) -> Atom | None:
    """The words of values of one shape, united element by element."""
    present = [word for word in words if word is not None]
    if not present:
        return None
    joined = present[0]
    for word in present[1:]:
        joined = elementwise(b, "or", joined, retyped(b, word, joined.type))
    return joined


def united(b: Builder, word: Atom, dims: int) -> Atom:
    """The union over the leading dimensions."""
    if dims == 0:
        return word
    rest = word.type.drop(1)

    def combine(b: Builder, x: Var, y: Var) -> Sequence[Atom]:
        return (elementwise(b, "or", x, y),)

    neutral = (zeros(b, rest),)
    joined = b.reduce(word.type.shape[0], combine, neutral, lambda b, i: (b.apply("index", word, i),))[0]
    return united(b, joined, dims - 1)


def everything(b: Builder, word: Atom | None) -> Atom | None:
    """The union over all elements."""
    return None if word is None else united(b, word, word.type.rank)


def everywhere(b: Builder, word: Atom | None, type: Type) -> Atom | None:
    """One word for all elements of a value of this type."""
    return b.apply("replicate", word, *type.shape) if word is not None and type.shape else word


def _words(type: Type) -> Type:
    return Type(I64, type.shape)
