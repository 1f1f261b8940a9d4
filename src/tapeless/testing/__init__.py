"""Random programs over the whole language, and judges that check every part of the compiler on them.

function, args = random_program(seed)         a typed program and arguments, the same everywhere
judge(function, args, compiler=native_code)   checker, text, every pass and machine code against the interpreter
shrink(function, args, fails)                 a small program that still fails
coverage(functions)                           what a corpus contains
python -m tapeless.testing.fuzz -n 500        all of that, in worker processes
"""

from .coverage import Coverage, coverage
from .generate import TABLE, random_program
from .shrink import describe, shrink
from .verify import Verdict, judge, native_code

__all__ = ["Coverage", "TABLE", "Verdict", "coverage", "describe", "judge", "native_code", "random_program", "shrink"]
