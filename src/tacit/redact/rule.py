"""What a rule is: literals that announce a secret, a bounded pattern for it, and a check that may reject a match."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Literal, NamedTuple

Where = Literal["here", "word", "near"]
"""Where a pattern begins: at the anchor, at the start of the word before it, or anywhere within reach of it."""

Check = Callable[["re.Match[str]"], bool]
Cut = Callable[["re.Match[str]"], tuple[int, int]]
REACH = 300
"""How far from its anchor a pattern that begins elsewhere may reach."""


def sure(_found: re.Match[str]) -> bool:
    """Accept every match: the pattern alone is proof."""
    return True


def cut_out(found: re.Match[str]) -> tuple[int, int]:
    """Return where the secret of a match is: its group of that name, else the whole match."""
    return found.span("secret" if "secret" in found.re.groupindex else 0)


compiled = cache(re.compile)


class SecretRule(NamedTuple):
    """One kind of secret."""

    kind: str
    anchors: tuple[str, ...]
    """Literals, one of which occurs in every match; in lower case when `fold`."""
    pattern: str
    """Compiled when one of its anchors is first found: storing one line should not compile two hundred patterns."""
    check: Check = sure
    where: Where = "here"
    fold: bool = False
    """Whether the anchors ignore case."""
    cut: Cut = cut_out
