"""The list of all nouns with verbs, for doors that offer every verb.

Importing this module imports every package with verbs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tacit.app import nouns
from tacit.app.memory import Memory
from tacit.app.verbs.declare import Verb, verbs_of

NOUNS: tuple[type, ...] = (Memory, *(nouns.noun_class(noun) for noun in nouns.NOUNS if noun != "hooks"))


def every_verb() -> Iterator[Verb[..., Any]]:
    """Return every verb of every noun."""
    for noun in NOUNS:
        yield from verbs_of(noun)
