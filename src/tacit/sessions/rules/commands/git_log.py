"""Which commits git lists, by what it printed, and what that says of a session."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile

from tacit.model.payload import KeptTurn
from tacit.text.patterns import lazy_pattern

_READ = 20_000
_MOST, _LINE_CHARS = 10, 1_000
_COMPARED_CHARS = 40
"""How much of a subject is compared: what is longer is cut by some."""
_LEAST_BEFORE = 3
"""How many commits an earlier list needs, so that what is not in it is perhaps new."""
_ASKS = lazy_pattern(r"\bgit\b[^|;&\n]{0,80}\blog\b")
_SHOWS = lazy_pattern(r"\bgit show\b(?: +(?:-[\w=-]+|HEAD(?![\w~^:])))*\s*(?:$|[|;&\n])")
_LISTED = lazy_pattern(
    r"(?m)^[*|/\\ ]{0,8}[0-9a-f]{7,40} (?:\([^)\n]{1,200}\) )?(?P<short>\S[^\n]{3,})$"
    r"|^commit [0-9a-f]{40}[^\n]*\n(?:[A-Z]\w+: [^\n]*\n){2,4}\n    (?P<long>[^\n]{4,})$"
)
# Asked for the last commits of the branch where the session works, in the folder that it enters, if any.
_LAST = lazy_pattern(
    r"(?:cd (?P<folder>[^;&|\n]+)&& *)?(?:[^|\n]{0,300}(?:&&|;) *)?"
    r"git log(?P<how>(?: +-[\w=-]+| +\d+)*)\s*(?:$|[|;&\n]).*",
    re.S,
)
_OTHERS = lazy_pattern(r"--(?:all|author|grep|reverse|merges|since|after|until|before|branches|remotes|skip)|-[SG]")
_BRINGS = lazy_pattern(
    r"\bgit\b[^|;&\n]{0,80}\b(?:pull|merge|rebase|checkout|switch|reset|fetch|cherry-pick|worktree)\b"
)


def logged(command: str, output: str) -> tuple[str, ...]:
    """Return the subjects of the commits that git lists, the last one first; empty if it was not asked for them."""
    is_list = " log" in command and _ASKS.search(command)
    if not is_list and not (" show" in command and _SHOWS.search(command)):
        return ()
    listed = _LISTED.finditer(output[:_READ])
    # What follows the commit that was to be shown is what it changed.
    found = (one["short"] or one["long"] for one in (listed if is_list else islice(listed, 1)))
    # The whole lines: a secret is recognised before they are cut.
    return tuple(dict.fromkeys(one.strip()[:_LINE_CHARS] for one in found))[:_MOST]


def first_listed(commands: Sequence[KeptTurn]) -> dict[str, int]:
    """Return where git listed each commit first, by what is compared of its subject."""
    found: dict[str, int] = {}
    for place, turn in enumerate(commands):
        for one in turn.logged:
            found.setdefault(compared(one), place)
    return found


def newest_before(commands: Sequence[KeptTurn], certain: Sequence[KeptTurn]) -> Iterator[str]:
    """Return the newest commit that git listed before each of certain commands, empty if another one came after it."""
    asked = {turn.number for turn in certain}
    listed = ""
    for turn in commands:
        if turn.number in asked:
            yield listed
        found = _asks_for_last(turn)
        if found and not found["folder"] and "commit" not in turn.command:
            listed = turn.logged[0]
        elif "commit" in turn.command or _BRINGS.search(turn.command):
            listed = ""


def compared(subject: str) -> str:
    """Return the part of a subject that is compared."""
    return subject[:_COMPARED_CHARS]


def new_in_log(commands: Sequence[KeptTurn]) -> list[str]:
    """Return the commits that git listed last and not before, if none of them came from elsewhere."""
    asked = [(number, found) for number, turn in enumerate(commands) if (found := _asks_for_last(turn))]
    if len(asked) < 2:
        return []
    (first, known), (last, listed) = asked[0], asked[-1]
    is_same = known["folder"] == listed["folder"] and len(commands[first].logged) >= _LEAST_BEFORE
    # Where nothing is in both, they are of two repositories.
    is_same = is_same and any(_lists(commands[first].logged, one) for one in commands[last].logged)
    if not is_same or any(_BRINGS.search(turn.command) for turn in commands[first : last + 1]):
        return []
    return list(takewhile(lambda one: not _lists(commands[first].logged, one), commands[last].logged))


def since_own(commands: Sequence[KeptTurn], made: Sequence[str]) -> list[str]:
    """Return the commits that git listed above the last one that the session made, if none came from elsewhere."""
    subject = made[-1][:_COMPARED_CHARS]
    own = max((place for place, turn in enumerate(commands) if subject in turn.command), default=len(commands))
    later = commands[own:]
    asked = [turn for turn in later if _asks_for_last(turn) and _lists(turn.logged, subject)]
    if not asked or any(_BRINGS.search(turn.command) for turn in later):
        return []
    above = takewhile(lambda one: one[:_COMPARED_CHARS] != subject, asked[-1].logged)
    return [one for one in above if not _lists(made, one)]


def _asks_for_last(turn: KeptTurn) -> re.Match[str] | None:
    asked = _LAST.fullmatch(turn.command) if turn.logged else None
    return asked if asked and not _OTHERS.search(asked["how"]) else None


def _lists(listed: Sequence[str], subject: str) -> bool:
    return any(compared(one) == compared(subject) for one in listed)
