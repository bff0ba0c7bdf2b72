"""Every noun with verbs, for doors that offer them all. Importing it imports every room."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tacit.app.memory import Memory
from tacit.app.verbs.declare import Verb, verbs_of
from tacit.app.verbs.episodes import Episodes
from tacit.app.verbs.exchange import Exchange
from tacit.app.verbs.failures import FailuresAndCorrections
from tacit.app.verbs.graph import Entities, Namespaces, Relations, Terms
from tacit.app.verbs.lessons import Lessons
from tacit.app.verbs.memdir import Memdir
from tacit.app.verbs.notes import Notes
from tacit.app.verbs.procedures import Procedures
from tacit.app.verbs.sessions import Sessions
from tacit.app.verbs.skills_and_teams import Personas, Skills, Tasks, Teams

NOUNS: tuple[type, ...] = (
    Memory, Entities, Relations, Terms, Namespaces, FailuresAndCorrections, Sessions, Procedures, Episodes, Lessons,
    Notes, Skills, Personas, Teams, Tasks, Memdir, Exchange,
)  # fmt: skip


def every_verb() -> Iterator[Verb[..., Any]]:
    """Give every verb of every noun."""
    for noun in NOUNS:
        yield from verbs_of(noun)
