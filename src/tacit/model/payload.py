"""The fields of each kind of record beyond the common ones: one frozen struct per kind."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec


def shaped(value: Any, shape: Any) -> Any:
    """Convert plain values to a type. If they do not match, a ValueError says what is wrong."""
    try:
        return msgspec.convert(value, type=shape)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None


def plain(value: Any) -> Any:
    """Return a value as plain JSON values."""
    return msgspec.to_builtins(value)


def is_struct(value: object) -> bool:
    """Return whether a value is one of the model's structs."""
    return isinstance(value, msgspec.Struct)


class Payload(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The part of a record that is specific to its kind."""


class Said(Payload, frozen=True):
    """What texts of every kind may have: who said it, and the conversation it belongs to."""

    author: str = ""
    thread: str = ""
    """Any text that names the conversation; within it, records are ordered by `at`, then by when they were added."""


class Fact(Said, frozen=True):
    """Something believed to be true; the text is the record's body."""

    valid_from: datetime | None = None
    valid_to: datetime | None = None
    source: str = ""


class Entity(Payload, frozen=True):
    """A thing facts are about; its name is the record's title, its description the body."""

    kind: str
    name: str


class Term(Said, frozen=True, kw_only=True):
    """A word that people use in this scope; the word is the record's title, its definition the record's body."""

    term: str
    category: str = "general"


class Namespace(Payload, frozen=True):
    """A division of a scope; its description is the body of the record."""

    name: str


class KeptTurn(Said, frozen=True):
    """One turn of a conversation: a prompt, an answer, or a command; the searchable text is the record's body.

    Of a command it is kept how it ended and the first line of its error, never its output.
    """

    number: int = 0
    """Its place in its session, from 1; 0 for a turn that was added without a session."""
    role: str = ""
    tool: str = ""
    command: str = ""
    paths: tuple[str, ...] = ()
    ok: bool | None = None
    exit_code: int | None = None
    error: str = ""
    result: str = ""
    """What its output says came of it: `632 passed, 1 failed`, or the number of a pull request, `#53`."""
    uncommitted: tuple[str, ...] | None = None
    """The files that git listed as changed; None if the command did not ask git for them."""
    untracked: int = 0
    """How many of them, the first ones, are new."""
    gone: tuple[str, ...] = ()
    """The files of which git said that they are deleted."""
    logged: tuple[str, ...] = ()
    """The subjects of the commits that git listed, the last commit first."""


class Recap(Said, frozen=True):
    """What happened in one session, in at most 120 words; the text is the record's body."""

    session: str = ""
    agent: str = ""
    asked: tuple[str, ...] = ()
    asked_more: bool = False
    """Whether there were more prompts than those in `asked`."""
    asked_last: bool = False
    """Whether the last of `asked` is the last prompt of the session."""
    asked_since: int = 0
    """How many of the last of `asked` came after all that was done."""
    asked_since_more: bool = False
    """Whether there were more prompts after all that was done than these."""
    asked_answered: bool = True
    """Whether the agent said something after these."""
    given: str = ""
    """What a program asked for, if no person asked for anything."""
    files: tuple[str, ...] = ()
    only_committed: bool = False
    """Whether of `files` it is only known that they were committed: who changed them is not."""
    commands: tuple[str, ...] = ()
    tried: tuple[str, ...] = ()
    """Commands of which nobody knows that they worked, where nothing else is known of a session."""
    commits: tuple[str, ...] = ()
    commit_lines: tuple[int, ...] = ()
    """How many lines each of them adds and takes away; 0 where that is not known."""
    opened: tuple[str, ...] = ()
    """The pull requests and issues that were opened: `issue #53`."""
    failed: tuple[str, ...] = ()
    checks: tuple[tuple[str, str], ...] = ()
    """The checks that were run last, each with `passed`, `failed` or its counts; nothing that a program said."""
    uncommitted: tuple[str, ...] = ()
    """What was not committed when git was asked last."""
    outcome: str = ""
    started_at: datetime | None = None
    """When the session began; the record has the time of its end."""


class Note(Said, frozen=True):
    """A text that is kept unchanged.

    A note with a path is the copy of a topic file, whose text is the field `top` and then the record's body.
    """

    source: str = ""
    path: str = ""
    """Its path in the memory directory; empty for a note without a file."""
    type: str = ""
    description: str = ""
    top: str = ""
    """The front matter exactly as in the file, with its fences."""
