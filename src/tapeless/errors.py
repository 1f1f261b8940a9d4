"""Every exception of Tapeless, its stable code, and the formatter of source excerpts.

A message has five parts in this order: the code and one sentence saying what happened; the user's
own line with a caret; why it is so; what to do. At most twelve lines. Each class documents itself: its docstring is
its page in the error index (`docs/errors.md`), which is generated from the classes.
Classes also inherit the built-in exception that plain Python would raise for the same mistake.
"""

from __future__ import annotations

import linecache

from .records import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the user's source: one-based line, zero-based columns."""

    file: str
    line: int
    col: int
    end_col: int
    function: str = ""


class TapelessError(Exception):
    """The root of all errors raised by Tapeless."""

    code = "TP000"

    def __init__(self, what: str, *, place: Place | None = None, why: str = "", fix: str = "") -> None:
        self.what, self.place, self.why, self.fix = what, place, why, fix
        super().__init__(self._format())

    def _format(self) -> str:
        lines = [f"[{self.code}] {self.what}"]
        if self.place is not None:
            lines += excerpt(self.place)
        if self.why:
            lines.append(f"  why: {self.why}")
        if self.fix:
            lines.append(f"  fix: {self.fix}")
        return "\n".join(lines)


def excerpt(place: Place) -> list[str]:
    """The user's line with a caret below the offending part."""
    where = f"  at {place.file}:{place.line}" + (f" in {place.function}" if place.function else "")
    text = linecache.getline(place.file, place.line).rstrip("\n")
    if not text:
        return [where]
    indent = len(text) - len(text.lstrip())
    width = max(1, min(place.end_col, len(text)) - place.col)
    number = f"{place.line:>5} | "
    return [where, number + text[indent:], " " * (len(number) + max(0, place.col - indent)) + "^" * width]


class IRError(TapelessError, TypeError):
    """A program in the intermediate language is ill-typed.

    Users meet it only when they build IR by hand; elsewhere it is a bug in Tapeless: please report it.
    """

    code = "TP001"


class RefusedError(TapelessError):
    """The function uses something outside the language that Tapeless compiles.

    All refusals are found when the function is compiled, before any of it runs; each names the line.
    """

    code = "TP100"


class UnsupportedSyntaxError(RefusedError, NotImplementedError):
    """A Python construct that has no meaning in compiled numerical code.

    Examples: `try`, `with`, `class`, `yield`, `async`, `global`, `del`, f-strings that are computed with.
    """

    code = "TP101"


class UnknownNameError(RefusedError, NameError):
    """A name that is bound nowhere: a typing mistake, or a variable that is deleted elsewhere."""

    code = "TP102"


class UnsupportedFunctionError(RefusedError, NotImplementedError):
    """A function, method or attribute of a library that the compiler does not know.

    The list of known names is in the language reference; a spelling suggestion is given when one is near.
    """

    code = "TP103"


class UnsupportedValueError(RefusedError, TypeError):
    """A value of a kind that cannot exist in compiled code: strings computed at run time, sets, complex
    numbers, arrays of objects, generators, instances of arbitrary classes."""

    code = "TP104"


class OperandError(RefusedError, TypeError):
    """An operation that its operands do not allow, such as adding a tuple to an array or `~` of a float."""

    code = "TP105"


class ShapeError(RefusedError, ValueError):
    """Shapes that cannot agree, found while compiling: literal sizes that differ, wrong numbers of dimensions."""

    code = "TP106"


class AliasError(RefusedError, ValueError):
    """Two names may or may not be the same array, depending on run-time values, and one of them is written.

    Plain Python would change the other name's contents on some runs and not on others. Copy the array
    before the branch or loop to say which is meant.
    """

    code = "TP107"


class NotStaticError(RefusedError, TypeError):
    """A value that must be known while compiling depends on run-time data.

    Axes, numbers of dimensions, tuple positions, dictionary keys and dtypes decide the types of results, so they
    must be literals or integers of the module.
    """

    code = "TP108"


class RecursionRefusedError(RefusedError, RecursionError):
    """A function that calls itself, directly or through others. All calls are inlined: use a loop."""

    code = "TP109"


class NoSourceError(RefusedError, OSError):
    """The source text of the function cannot be read, so there is nothing to compile.

    Functions typed into the bare interpreter, made by `exec`, or written in C have no source.
    """

    code = "TP110"


class AnnotationError(RefusedError, TypeError):
    """An argument does not have the type that the function's annotation fixes."""

    code = "TP111"


class TypeConflictError(RefusedError, TypeError):
    """A variable has incompatible types on two paths that meet.

    Compiled variables have one type: the number of dimensions, the kind (number, array, tuple, None)
    and, for arrays, the element type must be the same on every path.
    """

    code = "TP112"


class UnknownAttributeError(RefusedError, AttributeError):
    """An attribute that the object does not have."""

    code = "TP113"


class CallError(RefusedError, TypeError):
    """A call whose arguments do not fit the function's parameters."""

    code = "TP114"


class StaticIndexError(RefusedError, IndexError):
    """An index into a tuple or list, or a number of indices, that is out of range on every run."""

    code = "TP115"


class UnboundNameError(RefusedError, UnboundLocalError):
    """A local variable that is read before anything was assigned to it."""

    code = "TP116"


class ArgumentError(RefusedError, TypeError):
    """An argument of a type that cannot be passed to compiled code.

    Accepted: Python and NumPy numbers, arrays of bool, int32, int64, float32 and float64, and tuples, lists,
    dicts, named tuples and dataclasses of those; other objects are compile-time constants and must be hashable.
    """

    code = "TP117"


class UnpackError(RefusedError, ValueError):
    """An unpacking or a `zip(strict=True)` whose sides have different lengths."""

    code = "TP118"


class StaticKeyError(RefusedError, KeyError):
    """A dictionary key that is not there."""

    code = "TP119"

    def __str__(self) -> str:
        # KeyError prints the repr of its argument, which would hide the lines of the message.
        return str(self.args[0])


class NotCompiledError(TapelessError, RuntimeError):
    """A stage of a function was asked for before there is one: call it first, or pass example arguments."""

    code = "TP200"


class MissingExtraError(TapelessError, ImportError):
    """Something needs a library that is installed on request only; the message names the command."""

    code = "TP201"


class DerivativeError(RefusedError, TypeError):
    """A derivative that does not exist was asked for.

    Integers and booleans have no derivatives, `tp.grad` needs one number to differentiate, and some operations have no
    rule. The message names the argument, the result or the line.
    """

    code = "TP300"


class WrongDerivativeError(TapelessError, AssertionError):
    """A derivative disagrees with the exact difference quotients of the function: `tapeless.testing.check_grads`.

    The message names the first statement whose derivative is wrong. The rules of Tapeless are held to the same laws, so
    that is usually a statement with a rule of your own.
    """

    code = "TP302"


class NotReversibleError(RefusedError, TypeError):
    """A function was to run backwards, and some value that it changes cannot be told from what it leaves behind.

    `x = 2.0` forgets what x was, and `x += x * y` uses what it changes. Changes that can be undone add or subtract
    something that is still known afterwards, negate, exchange, or multiply by a constant that is not zero.
    """

    code = "TP400"
