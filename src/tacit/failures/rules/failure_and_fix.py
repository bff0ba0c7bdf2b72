"""Decide which part of a command line failed, how much a failure matters, and whether a later command is its fix."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from fnmatch import fnmatchcase
from typing import NamedTuple

from tacit.shell.command import Command
from tacit.shell.parse import parse
from tacit.shell.signature import signature_of
from tacit.text.decay import age_days, decay
from tacit.text.patterns import lazy_pattern

# Their failing is an answer (a test failed, nothing was found). Whole words; a star stands for the rest of one.
IGNORED = (
    "cargo test", "npm test*", "npm t", "npm run test*", "npm run lint*", "pytest", "python -m pytest",
    "python3 -m pytest", "python -m unittest", "python3 -m unittest", "yarn test*", "pnpm test*", "bun test", "go test",
    "go vet", "make test*", "make check", "make lint", "jest", "vitest", "npx jest", "npx vitest", "tox", "nox",
    "rspec", "bundle exec rspec", "ctest", "mvn test", "gradle test", "./gradlew test", "dotnet test", "grep", "egrep",
    "fgrep", "rg", "ag", "ack", "diff", "cmp", "git diff", "git grep", "git merge-base --is-ancestor", "test", "[",
    "[[", "which", "type", "pgrep", "false", "command -v", "ls", "find", "kill", "pkill", "killall", "eslint",
    "npx eslint", "ruff", "mypy", "flake8", "pylint", "tsc", "npx tsc", "cargo clippy", "shellcheck", "timeout",
)  # fmt: skip
# Preparation; the command meant comes after them.
_SCENE = frozenset(
    {"cd", "pushd", "popd", "export", "set", "source", ".", "unset", "umask", "mkdir", "echo", "printf", "true"}
)
_MISSING = lazy_pattern(
    r"(?:^|: )(?:line \d+: )?([\w./+-]+): (?:command )?not found|command not found: ([\w./+-]+)", re.M
)
# A signature is a record's key, and keys are short.
KEY_CHARS = 900
# They start another program.
_STARTERS = frozenset({
    "sudo", "doas", "npx", "bunx", "pnpm", "yarn", "npm", "uv", "poetry", "pipenv", "pdm", "hatch", "rye", "bundle",
    "python", "python3", "env", "nix", "mise", "conda", "xvfb-run", "corepack",
})  # fmt: skip
_MOST_STARTING = 3
_ASKED = lazy_pattern(r"usage|missing|requir|specif|expect|upstream|argument|must |which ", re.IGNORECASE)
_VERB = lazy_pattern(r"[a-z][a-z-]+")
_PARTS = lazy_pattern(r"[\W_]+")
_DIGITS = lazy_pattern(r"\d+")
_SET = lazy_pattern(r"[A-Za-z_]\w*=(?!=)")


class FailingPart(NamedTuple):
    """The part of a command line that failed, as it was written, and its signature."""

    text: str
    signature: str
    whole: bool


class FailureImportance(NamedTuple):
    """The current importance of a failure, and the parts it is made of; each is from 0 to 1."""

    total: float
    severity: float
    repetition: float
    recency: float
    corrected: float


def failing_part(line: str, error: str = "") -> FailingPart | None:
    """Find the part of a command line that failed: the one the error names, else the last that is not preparation."""
    script = parse(line)
    commands = [command for command in script.commands if command.name]
    if not commands:
        return FailingPart(line.strip(), _unread(line), whole=True) if script.doubts and line.strip() else None
    chosen = _named(commands, error) or next(
        (command for command in reversed(commands) if command.name not in _SCENE), commands[-1]
    )
    source = line.encode(errors="replace")[chosen.start : chosen.end].decode(errors="replace").strip()
    return FailingPart(source or line.strip(), signature_of(chosen), len(commands) == 1)


def signatures_in(line: str) -> list[str]:
    """Return the signatures of the commands in a line, without those that only prepare (`cd`, `export`)."""
    script = parse(line)
    commands = [command for command in script.commands if command.name]
    if not commands and script.doubts and line.strip():
        return [_unread(line)]
    meant = [command for command in commands if command.name not in _SCENE] or commands
    return list(dict.fromkeys(signature_of(command) for command in meant))


def _unread(line: str) -> str:
    """Return the signature of a line that cannot be parsed: only an identical line has the same."""
    import hashlib

    return f"<unread> {hashlib.sha256(line.strip().encode(errors='replace')).hexdigest()[:32]}"


def is_ignored(part: str, more: Iterable[str] = ()) -> bool:
    """Return whether a command fails to give an answer, as `grep` does. `more` are shell patterns from the settings."""
    text = " ".join(part.split())
    return any(fnmatchcase(text, form) for one in IGNORED for form in _forms(one)) or any(
        fnmatchcase(text, pattern) for pattern in more
    )


def _forms(words: str) -> tuple[str, str]:
    """Return the patterns for these words, alone or with more after them: `ls`, but not `lsof`."""
    literal = words.replace("[", "[[]")
    return literal, f"{literal} *"


def holds_words(words: list[str], part: list[str]) -> bool:
    """Return whether a command contains these words, whole and next to each other."""
    count = len(part)
    return bool(part) and any(words[at : at + count] == part for at in range(len(words) - count + 1))


def importance(
    exit_code: int | None, repetitions: int, last_at: datetime | None, *, corrected: bool, now: datetime
) -> FailureImportance:
    """Compute the importance of a failure: 0.3 severity + 0.3 repetition + 0.2 recency + 0.2 corrected."""
    severity = _severity(exit_code)
    repetition = min(max(repetitions, 0) / 10, 1.0)
    recency = decay(age_days(last_at, now) if last_at else float("inf"))
    total = 0.3 * severity + 0.3 * repetition + 0.2 * recency + 0.2 * corrected
    return FailureImportance(min(total, 1.0), severity, repetition, recency, float(corrected))


def is_fix(failed: str, worked: str, error: str = "") -> bool:
    """Return whether a command that worked is probably the corrected form of the one that failed.

    It may correct a spelling, change flags, add what was missing, or use another program for the same purpose. A
    command with another target or file, or one that only came next, is not a fix.
    """
    before, after = failed.split(), worked.split()
    if not before or not after or before == after:
        return False
    if before[0] == after[0]:
        return _one_attempt(before[1:], after[1:], error)
    if after[-len(before) :] == before:
        # `sudo apt install x`, `uv run alembic upgrade head`.
        return after[0] in _STARTERS and len(after) - len(before) <= _MOST_STARTING
    if before[1:] != after[1:]:
        return False
    # `pythn x.py` became `python x.py`; `npm install x` became `bun install x`, but `cat x` did not become `rm x`.
    missing = _MISSING.search(error) is not None
    return missing or _spelling(before[0], after[0]) or (len(before) > 2 and bool(_VERB.fullmatch(before[1])))


def _one_attempt(before: list[str], after: list[str], error: str) -> bool:
    """Return whether two argument lists are the same attempt, apart from flags, typing errors and missing words."""
    old, new = ([word for word in words if not _is_flag(word)] for words in (before, after))
    if not old:
        # `make` and then `make clean` are two things; `ls` and `ls -a` one.
        return not new and before != after
    if len(new) > len(old):
        # `git push` became `git push -u origin main`, since it asked for more.
        return new[: len(old)] == old and _ASKED.search(error) is not None
    differing = [(one, other) for one, other in zip(old, new, strict=False) if one != other]
    return len(new) == len(old) and len(differing) <= 1 and all(_slip(one, other) for one, other in differing)


def _is_flag(word: str) -> bool:
    return word.startswith("-") or bool(_SET.match(word))


def _slip(one: str, other: str) -> bool:
    """Return whether one word corrects the other: a fixed spelling, or a more exact form (`x` and `x==1.2`)."""
    short, long = sorted((one, other), key=len)
    exact = len(short) > 2 and long.startswith(short) and not long[len(short)].isalnum()
    return exact or _spelling(one, other)


def _spelling(one: str, other: str) -> bool:
    """Return whether two words differ by a typing error, and not by a number or a letter that names another thing."""
    from difflib import SequenceMatcher

    parts, others = (_PARTS.split(word) for word in (one, other))
    if len(parts) != len(others):
        return False
    differing = [(a, b) for a, b in zip(parts, others, strict=True) if a != b]
    return len(differing) == 1 and all(
        min(len(a), len(b)) > 2
        # `v1` and `v2`, `start` and `restart`, `install` and `uninstall` are different things.
        and _DIGITS.sub("", a) != _DIGITS.sub("", b)
        and not a.endswith(b)
        and not b.endswith(a)
        and (sorted(a) == sorted(b) or SequenceMatcher(None, a, b).ratio() >= 0.75)
        for a, b in differing
    )


def _named(commands: list[Command], error: str) -> Command | None:
    """Find the command an error is about: one that was not found, else one whose name begins a line of it."""
    missing = _MISSING.search(error)
    if missing:
        name = (missing[1] or missing[2]).rsplit("/", 1)[-1]
        if found := next((command for command in commands if command.name == name), None):
            return found
    heads = {line.split(":")[0].split(" ")[0].lower().strip("[]") for line in error.splitlines()[:20] if line.strip()}
    return next((one for one in commands if (one.name or "").lower() in heads and one.name not in _SCENE), None)


def _severity(exit_code: int | None) -> float:
    match exit_code:
        case None:
            return 0.3
        case 0:
            return 0.0
        case 1:
            return 0.3
        case 2:
            return 0.4
        case code if code < 0:
            return 1.0
        case code if code >= 128:
            return 0.8
        case 126 | 127:
            return 0.6
    return 0.5
