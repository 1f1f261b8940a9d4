"""Functions that run backwards: `@tp.reversible`.

The module can be called: it is the decorator of the same name, so that `tp.reversible` and `tapeless.reversible.lib`
both are what they say.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from .function import Reversible as Reversible
from .function import reversible as _decorate
from .inverse import Inverse as Inverse


class _Decorator(ModuleType):
    __doc__ = _decorate.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _decorate(*args, **kwargs)


sys.modules[__name__].__class__ = _Decorator
