"""A recap in words, at most 120 of them: what does not fit is told shorter, or else left out."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.model.payload import Recap
from tacit.sessions.rules.commands.commits import committed
from tacit.sessions.rules.commands.telling_commands import OUTWARD
from tacit.sessions.rules.own_words import telling_words

MOST_WORDS = 120
GUARDED = "The guard stopped"
"""How it is told that the guard stopped something."""
_MOST_COMMITS = 4
_TITLE_WORDS = 2
_FEW_FILES = 3
_PARTS = 3
"""How many parts of a long path are told."""


def recap_text(recap: Recap) -> str:
    """Return a recap in words, at most 120 of them: what does not fit is told shorter, or else left out."""
    checks = [f"{one}." for one in recap.failed if not one.startswith(GUARDED)]
    # What an agent says of it comes after what it could not do.
    guarded = [f"{one}." for one in recap.failed if one.startswith(GUARDED)]
    ran = [f"{how} {', '.join(f'`{one}`' for one in those)}." for how, those in _ran(recap) if those]
    opened = [f"Opened {and_list(recap.opened)}."] if recap.opened else []
    asked_first = recap.asked[: len(recap.asked) - recap.asked_since]
    said = f"The agent said{' afterwards' if guarded else ''}: {recap.outcome}" if recap.outcome else ""
    named = [_end_of(path) for path in recap.files]
    files = (6, _lengths("Changed", named))
    if recap.only_committed:
        # What commits are about, their subjects say; and which files they have is known of some.
        files = (10, _lengths("The commits include", named)[-2 if len(named) > _FEW_FILES else 0 :])
    ends = [(2, _then_asked(recap)), (3, [said])]
    # Each in several lengths, in the order in which it is told, and by how much it is missed if there is no room.
    # What came of it says more than what failed on the way.
    parts = [
        (2, [_asked(recap, asked_first[:most]) for most in range(len(asked_first), 0, -1)] or _given(recap)),
        *([] if recap.only_committed else [files]),
        (4, [committed(recap.commits, most, recap.commit_lines) for most in range(_MOST_COMMITS, 0, -1)]),
        *([files] if recap.only_committed else []),
        (5, _lengths("Not committed at the last git status:", recap.uncommitted)),
        *((9 if is_mended(one) else 7, [one]) for one in checks),
        (0 if _left(recap) else 8, ran), (0, opened), (1, guarded),
        *(ends if recap.asked_answered else reversed(ends)),
    ]  # fmt: skip
    told: dict[int, str] = {}
    words = 0
    for place in sorted(range(len(parts)), key=lambda place: parts[place][0]):
        fits = (one for one in parts[place][1] if one and words + len(one.split()) <= MOST_WORDS)
        if part := next(fits, ""):
            words += len(part.split())
            told[place] = part
    return "\n".join(told[place] for place in sorted(told))


def is_mended(line: str) -> bool:
    """Return whether a line of a recap tells what failed on the way and worked in the end: what is missed least."""
    return "` failed" in line and ("` worked" in line or ", and worked " in line)


def _ran(recap: Recap) -> tuple[tuple[str, Sequence[str]], ...]:
    return ("Ran", recap.commands), ("Tried", recap.tried)


def recap_title(recap: Recap) -> str:
    """Return what a session was about in one line: what was asked first, or else what was committed first; or empty."""
    # A short request says little without the others.
    telling = (one for one in recap.asked if telling_words(one) >= _TITLE_WORDS)
    return next(telling, next(iter(recap.asked), "")) or recap.given or next(iter(recap.commits), "")


def _lengths(what: str, names: Sequence[str]) -> list[str]:
    """Return a sentence about all names, and shorter ones about the first of them."""
    shorter = [f"{what} {', '.join(names[:most])} and others." for most in (3, 1) if most < len(names)]
    return [f"{what} {and_list(names)}.", *shorter] if names else []


def _end_of(path: str) -> str:
    """Return a path outside the session's folder by its end, if it is long."""
    parts = path.split("/")
    return "/".join(("…", *parts[-_PARTS:])) if path.startswith("/") and len(parts) > _PARTS + 2 else path


def _left(recap: Recap) -> bool:
    """Return whether something left the machine."""
    return bool(recap.commands and OUTWARD.match(recap.commands[-1]))


def _asked(recap: Recap, prompts: Sequence[str]) -> str:
    """Return in words what was asked before the last work: all of it, or the first prompts."""
    is_all = len(prompts) + recap.asked_since == len(recap.asked)
    *others, last = prompts
    is_last = is_all and recap.asked_last and recap.asked_more and not recap.asked_since
    said = [*others, f"and last: {last}" if is_last else last]
    return f"Asked{_among(is_all and not recap.asked_more)}: {'; '.join(said)}{_stop(last)}"


def _then_asked(recap: Recap) -> list[str]:
    """Return in words what was asked after the last work: all of it, or the last prompts."""
    since = [recap.asked[-most:] for most in range(recap.asked_since, 0, -1)]
    all_told = 0 if recap.asked_since_more else recap.asked_since
    return [
        f"Then asked{_among(len(prompts) == all_told)}: {'; '.join(prompts)}{_stop(prompts[-1])}" for prompts in since
    ]


def _among(is_all: bool) -> str:
    return "" if is_all else ", among other things"


def _given(recap: Recap) -> list[str]:
    return [f"A program asked: {recap.given}{_stop(recap.given)}"] if recap.given else []


def _stop(text: str) -> str:
    return "" if text.endswith(("…", "?", "!", "。")) else "."


def and_list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
