"""Which part of a line failed, how much a failure matters, and whether a later command is its fix."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from fnmatch import fnmatchcase
from typing import NamedTuple

from tacit.shell.model import Command
from tacit.shell.parse import parse
from tacit.shell.signature import signature_of

# They fail by design: what they find is their answer.
IGNORED = (
    "cargo test*", "npm test*", "npm run test*", "pytest*", "python -m pytest*", "yarn test*", "pnpm test*", "go test*",
    "make test*", "jest*", "vitest*", "tox*", "rspec*", "bundle exec rspec*", "ctest*", "mvn test*", "gradle test*",
    "grep*", "rg*", "ag*", "diff*", "cmp*", "git diff*", "git grep*", "test *", "[*", "which*", "type *", "pgrep*", "false",
    "command -v*", "ls*", "find*", "kill*", "pkill*", "timeout*", "eslint*", "ruff*", "mypy*", "flake8*", "tsc*",
)  # fmt: skip
# They set the scene; what comes after them is what was meant.
_SCENE = frozenset(
    {"cd", "pushd", "popd", "export", "set", "source", ".", "unset", "umask", "mkdir", "echo", "printf", "true"}
)
_MISSING = re.compile(
    r"(?:^|: )(?:line \d+: )?([\w./+-]+): (?:command )?not found|command not found: ([\w./+-]+)", re.M
)
HALF_LIFE_DAYS = 30.0


class Part(NamedTuple):
    """The part of a line that is to blame, as it is written, and its signature."""

    text: str
    signature: str
    whole: bool


class Importance(NamedTuple):
    """How much a failure matters now, and why; each part is in 0..1."""

    total: float
    severity: float
    repetition: float
    recency: float
    corrected: float


def failing_part(line: str, error: str = "") -> Part | None:
    """Find the part of a line that failed: the one the error names, else the last that does not only set the scene."""
    commands = [command for command in parse(line).commands if command.name]
    if not commands:
        return None
    chosen = _named(commands, error) or next(
        (command for command in reversed(commands) if command.name not in _SCENE), commands[-1]
    )
    source = line.encode(errors="replace")[chosen.start : chosen.end].decode(errors="replace").strip()
    return Part(source or line.strip(), signature_of(chosen), len(commands) == 1)


def signatures_in(line: str) -> list[str]:
    """Give the signatures of the commands of a line, those that only set the scene left out."""
    commands = [command for command in parse(line).commands if command.name]
    meant = [command for command in commands if command.name not in _SCENE] or commands
    return list(dict.fromkeys(signature_of(command) for command in meant))


def is_ignored(part: str, more: Iterable[str] = ()) -> bool:
    """Say whether a command fails by design."""
    text = " ".join(part.split())
    return any(fnmatchcase(text, pattern) for pattern in (*IGNORED, *more))


def importance(
    exit_code: int | None, repetitions: int, last_at: datetime | None, *, corrected: bool, now: datetime
) -> Importance:
    """Weigh a failure: 0.3 severity + 0.3 repetition + 0.2 recency + 0.2 corrected, as things stand now."""
    severity = _severity(exit_code)
    repetition = min(max(repetitions, 0) / 10, 1.0)
    age_days = max(0.0, (now - last_at).total_seconds() / 86_400) if last_at else float("inf")
    recency = 0.5 ** min(age_days / HALF_LIFE_DAYS, 1_000)
    total = 0.3 * severity + 0.3 * repetition + 0.2 * recency + 0.2 * corrected
    return Importance(min(total, 1.0), severity, repetition, recency, float(corrected))


def is_fix(failed: str, worked: str) -> bool:
    """Say whether a command that worked is likely what the failed one should have been.

    The same program with other words, or another program with the same words; not the same command again, and not just
    anything that came next.
    """
    before, after = failed.split(), worked.split()
    if not before or not after or before == after:
        return False
    if before[0] == after[0]:
        return _near(before[1:], after[1:])
    # `npm install x` became `bun install x`, `pythn x` became `python x`.
    return before[1:] == after[1:] and (bool(before[1:]) or _spelling(before[0], after[0]))


def _near(before: list[str], after: list[str]) -> bool:
    """Say whether two lists of arguments are of one attempt: much in common, or one word spelt better."""
    if not before or not after:
        return True
    common = len(set(before) & set(after))
    if common >= min(len(before), len(after)) / 2:
        return True
    return len(before) == len(after) and any(_spelling(one, other) for one, other in zip(before, after, strict=True))


def _spelling(one: str, other: str) -> bool:
    """Say whether two words differ as a slip of the hand does."""
    from difflib import SequenceMatcher

    return one != other and len(one) > 2 and SequenceMatcher(None, one, other).ratio() >= 0.75


def _named(commands: list[Command], error: str) -> Command | None:
    """Find the command an error is about: the one that is not there, else the last whose name it begins a line with."""
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
