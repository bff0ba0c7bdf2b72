"""What a rule is: literals that announce a secret, a bounded pattern that takes it, and a check that may say no."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Literal, NamedTuple

Where = Literal["here", "word", "near"]
"""Where a pattern begins: at the anchor, at the start of the word before it, or anywhere in reach of it."""

Check = Callable[["re.Match[str]"], bool]
Cut = Callable[["re.Match[str]"], tuple[int, int]]
REACH = 300
"""How far from its anchor a pattern that begins elsewhere may reach."""


def sure(_found: re.Match[str]) -> bool:
    """Say yes: the pattern alone is proof."""
    return True


def cut_out(found: re.Match[str]) -> tuple[int, int]:
    """Return where the secret of a match lies: its group of that name, else all of it."""
    return found.span("secret" if "secret" in found.re.groupindex else 0)


compiled = cache(re.compile)


class SecretRule(NamedTuple):
    """One kind of secret."""

    kind: str
    anchors: tuple[str, ...]
    """Literals, one of which stands in every match; in small letters when `fold`."""
    pattern: str
    """Compiled when an anchor of it is first met: a command that stores one line should not pay for two hundred."""
    check: Check = sure
    where: Where = "here"
    fold: bool = False
    """Whether capitals and small letters are the same in the anchors."""
    cut: Cut = cut_out
