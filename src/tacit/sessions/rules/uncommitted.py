"""What git listed as changed when it was last asked in a session, as long as that tells how the session ended."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tacit.model.payload import KeptTurn
from tacit.sessions.rules.asked import is_work
from tacit.sessions.rules.commands.commits import commits_in
from tacit.sessions.rules.commands.git_status import is_limited
from tacit.sessions.rules.commands.head_steps import head_steps
from tacit.sessions.rules.commands.shell_changes import written_by
from tacit.sessions.rules.own_words import by_a_person, own_words, telling_words
from tacit.text.patterns import lazy_pattern

Turns = Sequence[tuple[KeptTurn, str]]
_MOST = 5
_MOST_OTHER = 2
_MOST_AFTER = 5
"""If more is done after git was asked, its answer is too old."""
_MOST_BETWEEN = 5
"""Asked again so soon, and with other files in the answer, it was asked of another repository."""
_REVIEW, _REVIEW_CHARS = lazy_pattern(r"\b(?:review|audit)\b", re.I), 200
_BY_PROGRAMS = lazy_pattern(r"(?:\A|/)\.|[.-]lock\b|\block\.|\.jsonl\Z")
# What agents and their recorders write beside the work.
_OF_AGENTS = lazy_pattern(r"(?:\A|/)\.(?:codex|specstory|entire|serena|beads)(?:/|\Z)")
_ASKED_GIT = lazy_pattern(r"\bgit\b[^|;&\n]{0,80}\bstatus\b")
_TAKES_AWAY = lazy_pattern(r"\bgit\b[^|;&\n]{0,80}\b(?:stash|reset|restore|checkout|clean|switch|rm)\b")


def uncommitted(turns: Turns) -> tuple[str, ...]:
    """Return what git listed as changed when it was last asked, if nothing was committed and little done since.

    What was changed before the session began, and not in it, is left out.
    """
    place = _last_answer(turns)
    if place is None or _went_on(turns[place + 1 :]):
        return ()
    if _is_to_review(turns[:place]):
        return ()
    last = turns[place][0].uncommitted or ()
    before = set(_changed_before(turns, turns[place][0]))
    edited = [f"/{path}" for one, _text in turns for path in (written_by(one.command) if one.command else one.paths)]
    # Asked about some files, of which the session changed none, git was asked for another reason.
    limited = is_limited(turns[place][0].command)
    found = [
        one for one in last
        if (one not in before and not limited) or any(path.endswith(f"/{one}") for path in edited)
    ]  # fmt: skip
    # What programs write for themselves says least.
    found.sort(key=lambda path: bool(_BY_PROGRAMS.search(path)))
    other = [] if limited else [one for one in _of_another(turns[:place], last) if one not in before]
    other.sort(key=lambda path: bool(_BY_PROGRAMS.search(path)))
    also = [f"in another repository {', '.join(other[:_MOST_OTHER])}"] if other else []
    return (*found[:_MOST], *(["others"] if len(found) > _MOST else []), *also)


def _is_to_review(earlier: Turns) -> bool:
    """Return whether nothing was done yet but to ask for a review: what git lists then is what is to be reviewed."""
    if any(turn.paths or is_work(turn.command) for turn, _text in earlier):
        return False
    return any(_REVIEW.search(own_words(text)[:_REVIEW_CHARS]) for turn, text in earlier if by_a_person(turn, text))


def listed_on_the_way(turns: Turns) -> tuple[str, ...]:
    """Return what git listed as changed at some time of a session, and not before it: how it ended is not known."""
    kept = [turn for turn, _text in turns]
    last = next((turn for turn in reversed(kept) if turn.uncommitted), None)
    # What is listed before anything was done was changed before.
    if last is None or not any(one.uncommitted is not None or is_work(one.command) for one in kept[: kept.index(last)]):
        return ()
    before = set(_changed_before(turns, last))
    found = [path for path in last.uncommitted or () if path not in before]
    found = [path for path in found if not _OF_AGENTS.search(path)]
    found.sort(key=lambda path: bool(_BY_PROGRAMS.search(path)))
    return (*found[:_MOST], *(["others"] if len(found) > _MOST else []))


def found_changed(turns: Turns) -> tuple[str, ...]:
    """Return what git listed as changed before anything was done in a session: what a review is about."""
    found = sorted(_changed_before(turns), key=lambda path: bool(_BY_PROGRAMS.search(path)))
    return (*found[:_MOST], *(["others"] if len(found) > _MOST else []))


def _last_answer(turns: Turns) -> int | None:
    """Return the place of the last command to which git answered what is changed; None if that is not known."""
    for place in range(len(turns) - 1, -1, -1):
        turn = turns[place][0]
        if turn.ok is not False and (commits_in(turn.command) or _commits(turn.command)):
            return None
        if turn.uncommitted is not None:
            return place
        if _ASKED_GIT.search(turn.command):
            return None
    return None


def _commits(line: str) -> bool:
    """Return whether a line commits, whatever its message: it may be in a file."""
    return "commit" in line and any(step.what in ("commit", "amend") for step in head_steps(line))


def _went_on(later: Turns) -> bool:
    """Return whether so much was done since that the answer is too old, or anything for another request."""
    if sum(is_work(turn.command) for turn, _text in later if turn.command) > _MOST_AFTER:
        return True
    asked = False
    for turn, text in later:
        asked = asked or (by_a_person(turn, text) and telling_words(own_words(text)) > 0)
        if asked and (turn.command or turn.paths):
            return True
    return False


def _of_another(earlier: Turns, last: Sequence[str]) -> tuple[str, ...]:
    """Return what git listed just before if none of it is in its last answer, so that it was of another repository."""
    commands = [turn for turn, _text in earlier if turn.command][-_MOST_BETWEEN:]
    for turn in reversed(commands):
        if commits_in(turn.command) or _TAKES_AWAY.search(turn.command):
            return ()
        if turn.uncommitted:
            return turn.uncommitted if last and not set(last) & set(turn.uncommitted) else ()
    return ()


def _changed_before(turns: Turns, last: KeptTurn | None = None) -> tuple[str, ...]:
    """Return what git listed as changed before anything was done in a session, and before its `last` answer."""
    found: dict[str, None] = {}
    for turn, _text in turns:
        if turn is last or (turn.paths and not turn.command) or (turn.uncommitted is None and is_work(turn.command)):
            break
        # It may be asked of several folders.
        found |= dict.fromkeys(turn.uncommitted or ())
    return tuple(found)
