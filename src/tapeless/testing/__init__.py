"""Random programs over the whole language, and judges that check every part of the compiler on them.

function, args = random_program(seed)         a typed program and arguments, the same everywhere
judge(function, args, compiler=native_code)   checker, text, every pass and machine code against the interpreter
shrink(function, args, fails)                 a small program that still fails
coverage(functions)                           what a corpus contains
judge_derivatives(function, args)             both modes against 60-digit differences and the dot test
check_grads(f, *args)                         the same for a user's function; names the statement that is wrong
python -m tapeless.testing.fuzz -n 500        all of that, in worker processes
"""

from .coverage import Coverage, coverage
from .derivative_law import judge_derivatives
from .generate import TABLE, random_program
from .gradients import check_grads
from .profile import GENERAL, SMOOTH
from .shrink import describe, shrink
from .verify import Verdict, judge, native_code

__all__ = [
    "Coverage", "GENERAL", "SMOOTH", "TABLE", "Verdict", "check_grads", "coverage", "describe",
    "judge", "judge_derivatives", "native_code", "random_program", "shrink",
]  # fmt: skip
