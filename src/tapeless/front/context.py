"""The state of an abstract execution, and what library functions may ask of it.

A `Context` holds the builder of the current block, the store (contents of mutable objects), the stack of
frames and the facts about sizes. Library functions (`front/numpy`) see the first half of its methods; the
handlers of syntax (`expressions`, `statements`, ...) register themselves in `EXPRESSIONS` and `STATEMENTS` and
reach one another through `eval` and `run`, so that no module needs to import another.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar

from ..errors import AliasError, NotStaticError, Place, RefusedError, ShapeError, UnsupportedValueError
from ..ir.build import Builder
from ..ir.core import Pos
from ..ir.types import BOOL, F64, I64, Atom, DType, Lit, Var, i64
from ..records import dataclass
from . import promote, views
from .frame import End, Frame
from .numpy.atoms import convert, literal
from .shared_sizes import KnownSizesWanted
from .sizes import Sizes
from .values import (
    ArrayRef,
    Cell,
    Clash,
    Closure,
    DictRef,
    Grown,
    ListRef,
    ObjectRef,
    Once,
    RangeValue,
    Ref,
    Room,
    Scalar,
    Stale,
    Value,
    Zipped,
    is_tuple,
)

Handler = Callable[["Context", Any], Value]
H = TypeVar("H", bound=Handler)

EXPRESSIONS: dict[type[ast.AST], Handler] = {}
STATEMENTS: dict[type[ast.AST], Handler] = {}


def expression(*kinds: type[ast.expr]) -> Callable[[H], H]:
    """Register the handler of kinds of expressions: from the context and the node to the value."""

    def add(handler: H) -> H:
        EXPRESSIONS.update(dict.fromkeys(kinds, handler))
        return handler

    return add


def statement(*kinds: type[ast.stmt]) -> Callable[[H], H]:
    """Register the handler of kinds of statements."""

    def add(handler: H) -> H:
        STATEMENTS.update(dict.fromkeys(kinds, handler))
        return handler

    return add


@dataclass(frozen=True, slots=True)
class Mark:
    """The state at a point of a block."""

    statements: int
    sizes: Sizes
    names: dict[str, Value]
    store: dict[Ref, Any]


class Context:
    """One lowering of one function."""

    def __init__(self, call: Callable[[Context, Value, Sequence[Value], dict[str, Value]], Value]) -> None:
        self.b: Builder = Builder()
        self.sizes: Sizes = Sizes()
        self.store: dict[Ref, Any] = {}
        self.frames: list[Frame] = []
        self.end: End = End.OPEN
        self.roots: tuple[Cell, ...] = ()
        self.external: set[Ref] = set()
        # The dataclass instances among the arguments, in order: their numbers may be assigned, and are written back.
        self.objects: tuple[ObjectRef, ...] = ()
        self.pins: dict[Var, Callable[[], int]] = {}
        self.parameters: Any = None
        # How often what is executed now will be differentiated.
        self.orders = 0
        self.inverting = False  # will it be run backwards?
        self.asks = False  # may the sizes of arguments be asked for?
        # What the functions that are executed now say that their loops keep for return sweeps.
        self.memory = ""
        # Arrays that are written where nothing is undone, and parts of containers (owner, key).
        self.loose: set[Any] = set()
        # What loops were found to carry, by their syntax and the types of the names they use.
        self.settled: dict[Any, Any] = {}
        self.recursions = 0
        self.loop_depth = 0
        self.rooms: list[Room] = []
        self._call = call

    # -- for library functions: values --------------------------------------------------------

    def is_array(self, value: Value) -> bool:
        return isinstance(value, ArrayRef)

    def is_scalar(self, value: Value) -> bool:
        """A number, static or dynamic."""
        return isinstance(value, Scalar | bool | int | float)

    def is_weak(self, value: Value) -> bool:
        """A Python number."""
        return value.weak if isinstance(value, Scalar) else isinstance(value, bool | int | float)

    def dtype(self, value: Value) -> DType:
        """The element type of a number or array; Python numbers are i64, f64 or bool."""
        match value:
            case Scalar() | ArrayRef():
                return value.dtype
            case bool():
                return BOOL
            case int():
                return I64
            case float():
                return F64
            case _:
                self.refuse(f"a number or an array is needed here, not {describe(value)}")

    def promote(self, *values: Value) -> DType:
        """The common element type, by the rules of NumPy 2."""
        strong = [self.dtype(v) for v in values if not self.is_weak(v)]
        weak = [self.dtype(v) for v in values if self.is_weak(v)]
        return promote.promote(strong, weak)

    def atom(self, value: Value, dtype: DType | None = None) -> Atom:
        """A number as an atom, converted to `dtype` when given."""
        match value:
            case Scalar(atom):
                return atom if dtype is None else convert(self.b, atom, dtype)
            case bool() | int() | float():
                if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63 and not (dtype and dtype.is_float):
                    self.refuse(f"the integer {value} does not fit in 64 bits", fix="use a float")
                return literal(value, dtype or self.dtype(value))
            case _:
                self.refuse(f"a single number is needed here, not {describe(value)}")

    def fresh(self, atom: Atom, weak: bool = False, shares: ArrayRef | None = None) -> Value:
        """The value of an atom: an array with memory of its own, or a number.

        `shares` names an array whose memory NumPy's result may share, depending on run-time strides.
        """
        if atom.type.is_array:
            origins = frozenset((shares.cell, *shares.cell.origins)) if shares else frozenset[Cell]()
            cell = Cell(atom.type, origins=origins)
            self.store[cell] = atom
            return ArrayRef(cell)
        if weak and isinstance(atom, Lit):
            return atom.value
        return Scalar(atom, weak)

    def rank(self, value: Value) -> int:
        return len(self.shape(value)) if isinstance(value, ArrayRef) else 0

    def shape(self, value: Value) -> tuple[Atom, ...]:
        """The sizes of the dimensions; empty for a number."""
        return views.shape(value) if isinstance(value, ArrayRef) else ()

    def read(self, value: Value) -> Var:
        """The current contents of an array."""
        if not isinstance(value, ArrayRef):
            self.refuse(f"an array is needed here, not {describe(value)}")
        return views.read(self.b, self.contents(value.cell), value.view)

    def write(self, target: Value, contents: Atom) -> None:
        """Replace all elements of an array (or of the part that a view shows)."""
        if not isinstance(target, ArrayRef):
            self.refuse(f"an array is needed here, not {describe(target)}")
        new = views.write(self.b, self.contents(target.cell), target.view, contents)
        self.update(target.cell, new)

    def static_int(self, value: Value) -> int | None:
        """The integer when it is known now."""
        match value:
            case bool() | int():
                return int(value)
            case Scalar(Lit(number, dtype)) if not dtype.is_float:
                return int(number)
            case _:
                return None

    def pinned_int(self, value: Value) -> int | None:
        """The integer when it is known now, or is a captured constant that the code may be specialised for."""
        match value:
            case Scalar(Var() as var) if var in self.pins:
                return self.pins[var]()
            case _:
                return self.static_int(value)

    def need_int(self, value: Value, what: str) -> int:
        """The integer, which must be known now: an axis, a number of dimensions."""
        number = self.pinned_int(value)
        if number is None:
            self.refuse(
                f"{what} must be known while compiling",
                error=NotStaticError,
                why="it decides the types of what follows, and types cannot depend on run-time values",
                fix="write a literal, or use a module-level constant",
            )
        return number

    def items(self, value: Value) -> tuple[Value, ...] | None:
        """The elements of a tuple or list, or None for anything else."""
        if is_tuple(value):
            return value
        return self.held(value) if isinstance(value, ListRef) else None

    def held(self, ref: ListRef | DictRef | ObjectRef) -> Any:
        """The contents of a list (a tuple), a dict or an object (dicts)."""
        contents = self.store[ref]
        if isinstance(contents, Grown):
            self.refuse(
                "this needs a list whose length is known while compiling",
                error=NotStaticError,
                fix="make an array of the list: np.array(...)",
            )
        if isinstance(contents, Clash):
            self.refuse(
                f"{describe(ref)} changes its length or its kind of elements on some paths only",
                error=NotStaticError,
                why=contents.reason,
                fix="use an array of the largest size and a count",
            )
        return contents

    def grown(self, value: Value) -> Grown | None:
        """The contents of a list whose length is known only at run time, or None for anything else."""
        contents = self.store.get(value) if isinstance(value, ListRef) else None
        return contents if isinstance(contents, Grown) else None

    def new_list(self, items: Sequence[Value] | Grown) -> ListRef:
        ref = ListRef()
        self.store[ref] = items if isinstance(items, Grown) else tuple(items)
        return ref

    def put(self, ref: ListRef | DictRef | ObjectRef, contents: Any) -> None:
        """Change a list, dict or object; those of the caller's are out of reach."""
        if ref in self.external and not (ref in self.objects and self._only_numbers_differ(self.held(ref), contents)):
            self.refuse(
                f"{describe(ref)} that was passed in cannot be changed",
                why="compiled code takes it apart when it is called and does not put it together again: only numbers "
                "in fields of dataclasses that are arguments can be assigned",
                fix="make a new one and return it",
            )
        self.store[ref] = contents

    def _only_numbers_differ(self, old: dict[Any, Value], new: dict[Any, Value]) -> bool:
        changed = [name for name in new if new[name] is not old.get(name)]
        return all(name in old and self.is_scalar(old[name]) and self.is_scalar(new[name]) for name in changed)

    def new_object(self, ref: DictRef | ObjectRef, contents: dict[Any, Value]) -> Value:
        """A dict or an instance of a dataclass."""
        self.store[ref] = contents
        return ref

    def call(self, function: Value, args: Sequence[Value], kwargs: dict[str, Value] | None = None) -> Value:
        """Call any function value: the user's, a library's, a lambda."""
        return self._call(self, function, args, kwargs or {})

    def equal_sizes(self, m: Atom, n: Atom) -> Atom:
        """Demand that two sizes agree; the atom to use for both afterwards."""
        if self.sizes.same(m, n):
            return self.sizes.canonical(m)
        if isinstance(m, Lit) and isinstance(n, Lit):
            self.refuse(f"the sizes {m} and {n} do not agree", error=ShapeError)
        if isinstance(m, Lit) or isinstance(n, Lit):
            self.prefer_known()
        self.b.check("equal", m, n)
        return self.sizes.unify(m, n)

    def prefer_known(self) -> None:
        """A size that is known only at run time would be better known, if it is small."""
        if self.asks:
            raise KnownSizesWanted

    @contextmanager
    def inside(self, b: Builder) -> Generator[None, None, None]:
        """Emit into the block `b` of a parallel operator; arrays from outside must not be written there."""
        outer, sizes, before = self.b, self.sizes, dict(self.store)
        self.b, self.sizes = b, sizes.child()
        try:
            yield
        finally:
            self.b, self.sizes = outer, sizes
        if any(self.store[ref] is not contents for ref, contents in before.items()):
            self.refuse(
                "the function given to a parallel operator writes into an array of its surroundings",
                why="its calls may run at the same time and in any order",
                fix="return the value instead, or use a for loop",
            )

    # -- refusals and positions ---------------------------------------------------------------

    def refuse(
        self, what: str, *, why: str = "", fix: str = "", error: type[RefusedError] = UnsupportedValueError
    ) -> NoReturn:
        """Raise a located error: what happened, why it is so, what to do."""
        raise error(what, place=self.place(), why=why, fix=fix)

    def place(self) -> Place | None:
        """The user's source position of what is being lowered."""
        pos = self.b.pos
        if pos is None:
            return None
        frame = next((f for f in reversed(self.frames) if not f.function.internal), None)
        end = pos.end_col if pos.end_line == pos.line else 1 << 16
        return Place(pos.file, pos.line, pos.col, end, frame.function.name if frame else "")

    def position(self, node: ast.AST) -> Pos | None:
        """The source position of a node; inside our own library functions, that of the user's call."""
        return self.position_in(self.frame.function, node)

    def position_in(self, function: Closure, node: ast.AST) -> Pos | None:
        """The source position of a node of a function."""
        if function.internal:
            return self.b.pos
        return Pos(
            function.file,
            node.lineno,  # type: ignore[attr-defined]
            node.col_offset,  # type: ignore[attr-defined]
            node.end_lineno,  # type: ignore[attr-defined]
            node.end_col_offset,  # type: ignore[attr-defined]
            memory=self.memory,
        )

    # -- for handlers of syntax ---------------------------------------------------------------

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def eval(self, node: ast.expr) -> Value:
        """The value of an expression."""
        handler = EXPRESSIONS[type(node)]
        saved, self.b.pos = self.b.pos, self.position(node)
        builder = self.b
        value = handler(self, node)
        builder.pos = saved
        return value

    def run(self, node: ast.stmt) -> None:
        """Execute a statement."""
        self.b.pos = self.position(node)
        STATEMENTS[type(node)](self, node)

    def mark(self) -> Mark:
        """A point to go back to, when what is tried next does not work."""
        return Mark(len(self.b.stms), self.sizes.child(), dict(self.frame.names), dict(self.store))

    def go_back(self, mark: Mark) -> None:
        """Forget everything since the mark was set in this block."""
        del self.b.stms[mark.statements :]
        self.sizes, self.frame.names = mark.sizes, mark.names
        self.store.clear()
        self.store.update(mark.store)

    def contents(self, cell: Cell) -> Var:
        """The current variable of a whole array."""
        contents = self.store[cell]
        if isinstance(contents, Stale):
            name = next((c.name for c in (cell, *cell.origins) if c.name), "x")
            self.refuse(
                "it depends on run-time values whether this array was changed under another name",
                error=AliasError,
                why=contents.reason,
                fix=f"copy the array before the branch or loop where the names part: `{name} = {name}.copy()`",
            )
        return contents

    def update(self, cell: Cell, contents: Atom) -> None:
        """Give an array new contents; arrays that may be the same one become unknown."""
        mine = {cell, *cell.origins}
        for other in self.store:
            if isinstance(other, Cell) and other is not cell and not mine.isdisjoint((other, *other.origins)):
                line = f" in line {self.b.pos.line}" if self.b.pos else ""
                self.store[other] = Stale(f"{cell.name or 'an array'} was written{line} and may be the same array")
        self.store[cell] = contents

    def number(self, atom: Atom, weak: bool = True) -> Value:
        """An integer atom as a Python number."""
        return self.fresh(atom, weak)

    def truth(self, value: Value) -> bool | Atom:
        """The truth of a value: known now, or a bool atom."""
        match value:
            case Scalar(Lit(number)):
                return bool(number)
            case Scalar(atom):
                return convert(self.b, atom, BOOL)
            case ArrayRef():
                return self._array_truth(value)
            case ListRef() if found := self.grown(value):
                return self.b.apply("ne", self.atom(found.length), i64(0))
            case ListRef() | DictRef():
                return bool(self.held(value))
            case ObjectRef(cls):
                return self._object_truth(value, cls)
            case _:
                return bool(value)

    def _object_truth(self, value: ObjectRef, cls: type) -> bool | Atom:
        method = getattr(cls, "__bool__", None) or getattr(cls, "__len__", None)
        return True if method is None else self.truth(self.call(method, (value,)))

    def _array_truth(self, value: ArrayRef) -> Atom:
        shape = self.shape(value)
        if all(isinstance(n, Lit) and n.value == 1 for n in shape):
            element = self.b.apply("index", self.read(value), *(i64(0) for _ in shape))
            return convert(self.b, element, BOOL)
        self.refuse(
            "the truth value of an array is ambiguous",
            why="NumPy raises ValueError for arrays of more than one element",
            fix="use np.any(...) or np.all(...)",
            error=ShapeError,
        )


def describe(value: Value) -> str:
    """A kind of value in words, for messages."""
    match value:
        case Scalar(weak=weak):
            python = {BOOL: "bool", I64: "int", F64: "float"}.get(value.dtype, "")
            return f"a Python {python}" if weak else f"a NumPy {value.dtype!r} scalar"
        case ArrayRef(cell):
            return f"a {len(views.shape(value))}-dimensional array of {cell.type.dtype!r}"
        case ListRef():
            return "a list"
        case Grown():
            return "a list of run-time length"
        case DictRef():
            return "a dict"
        case ObjectRef(cls):
            return f"an instance of {cls.__name__}"
        case RangeValue():
            return "a range"
        case Once():
            return "an iterator"
        case Zipped(kind):
            return f"{kind.split()[0]}(...)"
        case None:
            return "None"
        case str():
            return f"the string {value!r}"
        case _ if is_tuple(value):
            return f"a tuple of {len(value)}"
        case _ if callable(value) and hasattr(value, "__name__"):
            return f"the function {value.__name__}"
        case _:
            return f"a {type(value).__name__}"
