"""The cause of a failure: what the error names, and the keys under which a later command meets the same cause."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tacit.failures.rules.blame import blamed, entering
from tacit.failures.rules.cause_keys import key_of, short_key
from tacit.failures.rules.error_patterns import MOST_LINE_CHARS, MOST_LINES, PATTERNS, CauseKind
from tacit.failures.rules.line_parts import LinePart, line_parts, meant_parts
from tacit.failures.rules.needed_words import folded, needed_words
from tacit.failures.rules.telling_lines import is_mute, telling_line, telling_lines, with_file
from tacit.model.failure import Failure
from tacit.shell.programs.printing import PRINTING
from tacit.text.patterns import lazy_pattern

_COLOURS = lazy_pattern(r"\x1b\[[0-9;?]{0,30}[A-Za-z]|\x1b\][^\x07\x1b]{0,1000}\x07|\[\d{1,3}(?:;\d{1,3}){0,8}m")
_MOST_ERROR_CHARS = 80_000
_SHELL = lazy_pattern(r"(?:\S*/)?(?:ba|z|da|fi|k)?sh(?:\.exe)?:(?:\d+:| line \d+:| \d+:)? |\(eval\):\d+: |env: ")
_NO_FILE = lazy_pattern(r"no such file or directory\s*$", re.IGNORECASE)
_AT_LINE = lazy_pattern(r"\S+\.\w{1,5}:\d+(?::\d+)?: \w")
_RULER = lazy_pattern(r"[\W_]*")
# Below it, a traceback of Python shows the code that was run, which may speak of errors.
_FRAME = lazy_pattern(r'\s+File "[^"\n]+", line \d+.*')
_FAILS = lazy_pattern(r"FAIL(?:ED|URE)?\b")
# What such an error names is a word of the line; a name that is not in it belongs to something else.
_SAID_IN_LINE: frozenset[CauseKind] = frozenset({"option", "value", "subcommand", "script", "glob"})


class Cause(NamedTuple):
    """Why a command failed, according to its error."""

    kind: CauseKind
    name: str
    """What the error names: a program, an option, a path, a host; empty where it names nothing."""
    subject: str
    """Place, program and subcommand of the command that failed."""
    line: str
    """The line of the error that says so."""
    key: str
    """Under which the same cause is found again."""
    part: LinePart


def cause_of(line: str, error: str, exit_code: int | None = None) -> Cause | None:
    """Find the cause of a failure in the words of its error; None for a line without a command."""
    parts = meant_parts(line)
    if not parts:
        return None
    lines = clean_lines(error)
    whole = folded("\n".join(lines))
    # What the end of an error says is usually the error; what begins with the name of a program is its own word.
    for pattern in PATTERNS:
        words = needed_words(pattern.source)
        for text in lines if not words or any(map(whole.__contains__, words)) else ():
            found = pattern.pattern.search(text)
            if found is None:
                continue
            groups = found.groupdict()
            name = (groups.get("name") or groups.get("and") or "").strip("\"'`‘’ ")
            if groups.get("letter"):
                name = f"-{groups['letter']}"
            if pattern.kind in _SAID_IN_LINE and name and name not in line:
                continue  # it speaks of something else
            if pattern.kind == "path" and exit_code == 127 and _is_program(name, parts):
                return _cause("program", name, text, blamed(parts, "program", name, text))
            if pattern.kind == "program" and _NO_FILE.search(text) and not _is_program(name, parts):
                continue  # a redirection that finds no folder
            part = blamed(parts, pattern.kind, name, text)
            if pattern.kind == "path":
                part = entering(line, text) or part
                name = _as_said(part, name)
            if pattern.kind == "syntax" and not name and part.runs_file and not _SHELL.match(text):
                continue  # an error in a program of the project, not in the command
            # How a program is called says less than why it says so.
            told = (
                next(telling_lines(lines), text)
                if pattern.kind == "usage" and is_mute(text)
                else with_file(text, lines)
            )
            return _cause(pattern.kind, name, told, part)
    return _other(parts, lines)


def _other(parts: Sequence[LinePart], lines: Sequence[str]) -> Cause:
    """Return a cause that no pattern knows: which command is blamed does not depend on which line says it best."""
    errors = (text for text in lines if "error" in text.lower())
    named = next(errors, "") or next(filter(_FAILS.match, lines), "") or _own_word(parts, lines)
    # What a search prints may speak of anything.
    told = "" if all(part.name in PRINTING for part in parts) else telling_line(lines)
    return _cause("other", "", told or named, blamed(parts, "other", "", named))


def stored_cause(failure: Failure) -> Cause | None:
    """Return the cause of a stored failure, with the command that failed."""
    parts = meant_parts(failure.failing or failure.command)
    if not parts or not failure.cause:
        return None
    # In its line it stands where it ran: behind `npx`, on a host, in another command.
    every = [*line_parts(failure.failing or failure.command), *line_parts(failure.command)]
    same = (one for one in reversed(every) if one.subject[:300] == failure.subject and _is_text(failure, one))
    return Cause(failure.cause, failure.named, failure.subject, failure.line, "", next(same, parts[-1]))  # type: ignore[arg-type]


def _is_text(failure: Failure, part: LinePart) -> bool:
    return not failure.failing or " ".join(part.text.split()) == " ".join(failure.failing.split())


def _own_word(parts: Sequence[LinePart], lines: Sequence[str]) -> str:
    """Return the line in which a program of the command says something, `curl: (60) …`, or one that names a place."""
    names = tuple(f"{part.name}: " for part in parts)
    own = next((text for text in lines if text.startswith(names)), "")
    return own or next(filter(_AT_LINE.match, lines), lines[-1] if lines else "")


def hidden_cause(line: str, output: str) -> Cause | None:
    """Find a failure that the exit code of a line hides: behind a pipe, before `; true`, in a loop.

    Only messages of a shell or of a program of the line count, because other output may be about anything.
    """
    own = own_lines(meant_parts(line), output)
    cause = cause_of(line, "\n".join(own)) if own else None
    return cause if cause is not None and cause.kind not in ("other", "usage", "remote", "value") else None


def own_lines(parts: Iterable[LinePart], output: str) -> list[str]:
    """Return the lines of an output in which a shell, or a program of the line, says something itself."""
    names = {one.name.lower() for one in parts}
    names |= {"fatal"} if "git" in {one.name for one in parts} else set()
    own = []
    for text in clean_lines(output):
        head = text.partition(": ")[0].lower().rsplit("/", 1)[-1]
        if _SHELL.match(text) or head in names:
            own.append(text)
    return own


def clean_lines(error: str) -> list[str]:
    """Return the lines of an error that say something: without colours, rulers, code and the agent's own first line."""
    found = []
    is_code = False
    for line in _COLOURS.sub("", error[-_MOST_ERROR_CHARS:]).splitlines()[-MOST_LINES:]:
        text = " ".join(line.removeprefix("Output: ").split())[:MOST_LINE_CHARS]
        is_said = bool(text) and not _RULER.fullmatch(text) and not (is_code and line[:1].isspace())
        if is_said and not text.startswith(("Exit code", "Command exited with")):
            found.append(text)
        is_code = "File" in line and bool(_FRAME.fullmatch(line))
    return found


def _cause(kind: CauseKind, name: str, text: str, part: LinePart) -> Cause:
    return Cause(kind, name, part.subject, text, short_key(key_of(kind, name, part)), part)


def _as_said(part: LinePart, name: str) -> str:
    """Return a path as the command names it: some programs make it absolute in their errors."""
    words = (word.text for word in part.command.args if word.text)
    return next((word for word in words if name.endswith(f"/{word.removeprefix('./')}")), name)


def _is_program(name: str, parts: Iterable[LinePart]) -> bool:
    return any((one.command.words[0].text or "") == name or one.name == name.rsplit("/", 1)[-1] for one in parts)
