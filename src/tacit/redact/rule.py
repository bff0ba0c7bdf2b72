"""A redaction rule: literals that announce a secret, a bounded pattern for it, and a check that may reject a match."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Literal, NamedTuple

Where = Literal["here", "word", "near"]
"""Where a pattern begins: at the anchor, at the start of the word before it, or anywhere near it."""

Check = Callable[["re.Match[str]"], bool]
REACH = 300
"""How far a pattern that does not begin at its anchor may start from it."""


def sure(_found: re.Match[str]) -> bool:
    """Accept every match: the pattern alone is proof."""
    return True


def cut_out(found: re.Match[str]) -> tuple[int, int]:
    """Return the span of the secret in a match: its group of that name, or else the whole match."""
    return found.span("secret" if "secret" in found.re.groupindex else 0)


compiled = cache(re.compile)


class SecretRule(NamedTuple):
    """One kind of secret."""

    id: str
    """The rule's name in reports."""
    why: str
    """Why it takes a text, in a plain sentence about "it"."""
    kind: str
    anchors: tuple[str, ...]
    """Literals of which one occurs in every match; in lower case if `fold` is set."""
    pattern: str
    """Compiled when one of its anchors is first found, so that storing one line does not compile two hundred patterns.
    """
    check: Check = sure
    where: Where = "here"
    fold: bool = False
    """Whether the anchors ignore case."""
    ahead: str = ""
    """In place of anchors, for tokens without a literal: a pattern that begins with one character and is rare."""
    needed: tuple[str, ...] = ()
    """Literals of which one occurs in every match besides an anchor, where anchors are in many texts."""
