"""Everything outside the language is refused at the user's line, with a code, a reason and a remedy."""

import inspect

import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.errors import RefusedError
from tapeless.front.capture import lower, specialise

from . import refused_programs
from .refused_programs import CASES


def refusal(function, args):
    with pytest.raises(RefusedError) as caught:
        lower(function, specialise(function, args, {}).specs)
    return caught.value


def marked_lines(function):
    """The lines with the comment `# here`, in the program or in the helpers it calls."""
    names = {function.__name__, *function.__code__.co_names}
    found = []
    for name in names:
        helper = getattr(refused_programs, name, None)
        if inspect.isfunction(helper):
            lines, first = inspect.getsourcelines(helper)
            found += [first + k for k, line in enumerate(lines) if line.rstrip().endswith("# here")]
    return found


@pytest.mark.parametrize(("function", "args", "code", "words"), CASES, ids=[case[0].__name__ for case in CASES])
def test_refused(function, args, code, words):
    error = refusal(function, args)
    message = str(error)
    assert error.code == code, message
    for word in words:
        assert word in message
    assert len(message.splitlines()) <= 12
    lines = marked_lines(function)
    if lines:
        assert error.place is not None
        assert error.place.line in lines, message
        assert "^" in message


def test_there_are_enough_programs():
    assert len({case[0] for case in CASES}) >= 60
