"""Which command worked after one that failed, with the same aim: the same again, its fix, or nearly the same."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tacit.failures.rules.causes import Cause, cause_of
from tacit.failures.rules.command_kinds import hides_failure
from tacit.failures.rules.fixes import asks_for_help, fix_in
from tacit.failures.rules.line_parts import LinePart, meant_parts
from tacit.model.payload import KeptTurn
from tacit.shell.programs.printing import PRINTING
from tacit.text.patterns import lazy_pattern

_ALIKE = 0.5
# Commands that look around: what they print is all there is to them, and the next one like it is another question.
LOOKING = PRINTING | frozenset({
    "awk", "env", "date", "set", "shopt", "export", "unset", "trap", "mktemp", "source", ".", "read", "local", "wait",
    "tee", "xargs", "eval", "exit", "return", "break", "continue", "fold", "rev", "seq", "curl", "wget", "identify",
    "kill", "pkill", "lsof", "history", "hostname",
    "for", "while", "if", "do", "done", "then", "fi", "else", "case", "esac", "function", "command",
})  # fmt: skip

# Of a database only the names of its tables and columns are asked for.
_SHOWS_TABLES = lazy_pattern(
    r"\\d[a-z+]*\b|\.(?:schema|tables)\b|\b(?:show (?:tables|columns)|describe |pragma table_info)|information_schema",
    re.I,
)


def worked_next(failed: KeptTurn, later: Iterable[KeptTurn]) -> KeptTurn | None:
    """Return the first of the later turns whose command worked and has the aim of one that failed."""
    line, words = spaced(failed.command), set(failed.command.split())
    candidates = [one for one in later if _has_worked(one) and not words.isdisjoint(_names(one.command))]
    cause = cause_of(failed.command, failed.error, failed.exit_code) if candidates else None
    for one in candidates:
        if spaced(one.command) == line:
            return one
        if cause is not None and (
            fix_in(cause, failed.command, one.command)
            or any(_is_alike(cause, part) for part in meant_parts(one.command))
        ):
            return one
    return None


def _has_worked(turn: KeptTurn) -> bool:
    """Return whether a command worked: its own exit code says so, not that of what it is piped into."""
    if not turn.ok or not turn.command or turn.error or "failed" in turn.result:
        return False
    return bool(turn.result) or not hides_failure(turn.command)


def spaced(command: str) -> str:
    """Return a command with one space between its words."""
    return " ".join(command.split())


def _names(command: str) -> set[str]:
    """Return the words of a command, and the names of programs that it gives with their folder."""
    words = command.split()
    return {*words, *(word.rpartition("/")[2] for word in words)}


def _is_alike(cause: Cause, worked: LinePart) -> bool:
    failed = cause.part
    same = (failed.name, failed.subcommand, failed.host) == (worked.name, worked.subcommand, worked.host)
    if (
        not same
        or asks_for_help(worked)
        or (_SHOWS_TABLES.search(worked.text) and not _SHOWS_TABLES.search(failed.text))
    ):
        return False
    if cause.kind == "program":
        return True  # it was not found, and now it was, whatever it was told to do
    if failed.name in LOOKING:
        return False
    # Options change how it is done, names what it is done to.
    one, other = (
        {word.shown for word in part.command.args if not word.shown.startswith("-")} for part in (failed, worked)
    )
    return one == other or len(one & other) / len(one | other) >= _ALIKE
