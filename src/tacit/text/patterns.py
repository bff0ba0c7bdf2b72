"""Regular expressions that are compiled when first used, because a cold start uses only a few of those it imports."""

from __future__ import annotations

import re
from typing import Any, cast

_METHODS = ("fullmatch", "match", "search", "sub", "subn", "split", "findall", "finditer", "pattern", "flags", "groups")


class _Uncompiled:
    """Replaces a compiled pattern until it is used."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self._source, self._flags)
        # From now on these attributes are found on the instance, and __getattr__ is not called again.
        self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
        return self.__dict__[name]


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that compiles itself when first used."""
    return cast("re.Pattern[str]", _Uncompiled(source, flags))
