"""How a session ended, in the agent's words: what its last answers say came of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from tacit.model.payload import KeptTurn
from tacit.sessions.rules.asked import is_work
from tacit.sessions.rules.own_words import own_words, shortened, telling_words
from tacit.sessions.rules.shell_changes import written_by
from tacit.text.patterns import lazy_pattern

_LEAST_CHARS, _MOST_CHARS = 12, 200
_MOST_TOGETHER = 300
"""How long two or three answers are together."""
_MOST_ANSWERED = 2
_SHORT_CHARS = 70
"""A sentence so short is told with what follows it."""
_ENOUGH_WORDS = 2
"""A sentence with fewer words that say something is told only if its answer has no better one."""
_TELLING_WORDS = 6
"""An answer with fewer is not told if one before it has as many and nothing was done between."""
_REQUEST_WORDS = 4
_RICHER = 1.5
"""An earlier answer is told too if it says so much more than the last one."""
_MOST_ANSWERS = 12
_FENCED = lazy_pattern(r"(?s)```.*?(?:```|\Z)")
# Headings and rulers; what begins an item; a row of a table, and what stands below its head.
_NO_SENTENCE = lazy_pattern(r"\s*(?:#|[\W_]*$)")
_ITEM = lazy_pattern(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_ROW = lazy_pattern(r"\s*\|(?P<cells>.*)\|\s*")
_BETWEEN = lazy_pattern(r"(?<=[.!?…])\s+(?![a-z])|(?<=[。！？])")
# What is said to be polite, offers, and what stands for a text that is not there: they are about no work.
_POLITE = lazy_pattern(
    r"\[[^\]]*\]|(?:understood|got it|noted|will do|of course|good luck)\b.*"
    r"|(?:hi|hey|hello|welcome|thanks|thank you|glad|happy|my pleasure|enjoy)\b[^.,:;]{0,24}[.!]?"
    r"|(?:you're|you are) (?:very |most |quite )?welcome\b.*|no problem\b.*|anytime\b.*|have a (?:great|good|nice)\b.*"
    r"|(?:just |please )?(?:let me know|feel free|tell me|ask me|reach out|(?:please )?(?:don't|do not) hesitate)\b.*"
    r"|(?:how|what) (?:else )?(?:can|may|could|would|should) (?:i|you) (?:help|assist|do for|like)\b.*"
    r"|(?:i'm|i am|i'd be|i would be|i'll be) (?:here|ready|happy|glad|available|delighted)\b.*"
    r"|is there (?:anything|something)\b.*|if you(?:'d| would| ever|'ll)? (?:like|want|need|prefer|have)\b.*"
    r"|(?:would|do|did) you (?:like|want) (?:me|to|anything)\b.*|(?:want|shall|should) (?:me|i)\b.*\?"
    r"|what(?:'s| is) (?:next|on your mind)\b.*|(?:i )?hope (?:this|that|it) helps?\b.*",
    re.I | re.S,
)
# What comes next, not what came of it.
_INTENDED = lazy_pattern(
    r"(?:(?:now|first|next|then|ok|okay|great|perfect|good),? )*(?:let me|let's|i'll|i will|i(?:'m| am) going to)\b.*",
    re.I | re.S,
)


class _Ending(NamedTuple):
    """What an answer says came of it, how much the answer says, and how much was asked and done after it."""

    text: str
    words: int
    done_after: int


class _Sentence(NamedTuple):
    """A sentence of an answer, or an item of a list or a row of a table in it."""

    text: str
    is_listed: bool = False


def outcome_of(turns: Sequence[tuple[KeptTurn, str]]) -> str:
    """Return what the last answers say came of it, as the agent put it; empty if none says anything.

    Those since the last change of a file count; of a session without one all do: they are what came of it.
    """
    found = _endings(turns)
    if not found:
        return ""
    # What is only polite, or announces something, says less than what was said just before.
    lately = [one for one in found if one.done_after == found[0].done_after]
    last = next((one for one in lately if one.words >= _TELLING_WORDS), max(lately, key=lambda one: one.words))
    earlier = [one for one in found[found.index(last) + 1 :] if one.words >= _TELLING_WORDS]
    if any(map(_changes, turns)):
        told = sorted((one for one in earlier if one.words >= _RICHER * last.words), key=lambda one: one.words)[-1:]
    else:
        # Where nothing was changed, each question had an answer.
        told = sorted(earlier, key=lambda one: one.words)[-_MOST_ANSWERED:]
    if not told:
        return shortened(last.text.rstrip(":"), _MOST_CHARS)
    most = _MOST_TOGETHER // (len(told) + 1)
    in_order = [*reversed([one for one in earlier if one in told]), last]
    return " … ".join(shortened(one.text, most).rstrip("…:") for one in in_order)


def _changes(turn_and_text: tuple[KeptTurn, str]) -> bool:
    """Return whether a turn certainly wrote a file."""
    turn, _text = turn_and_text
    return bool(written_by(turn.command) if turn.command else turn.paths)


def _endings(turns: Sequence[tuple[KeptTurn, str]]) -> list[_Ending]:
    """Return what the answers since the last change say, the last one first."""
    found: list[_Ending] = []
    done = 0
    for turn, text in reversed(turns):
        if turn.role == "assistant" and not turn.command and (ending := _ending(text)):
            is_announced = ending.endswith(":") or bool(_INTENDED.fullmatch(ending))
            found.append(_Ending(ending, 0 if is_announced else telling_words(_plain(text)), done))
        if len(found) == _MOST_ANSWERS or (found and _changes((turn, text))):
            break
        is_request = turn.role == "user" and telling_words(own_words(text)) >= _REQUEST_WORDS
        done += is_request or (bool(turn.command) and is_work(turn.command))
    return found


def _ending(text: str) -> str:
    """Return the first sentence that says enough, with what it announces; or else one that says anything."""
    said = [one for one in _sentences(_plain(text)) if not _POLITE.fullmatch(one.text.replace("’", "'"))]
    some = ""
    for place, one in enumerate(said):
        announces = place + 1 < len(said) and said[place + 1].is_listed and not one.is_listed
        if one.text.endswith("?") or not (announces or telling_words(one.text)):
            continue
        told = _with_next(said, place)
        if len(told) >= _LEAST_CHARS and telling_words(told) >= _ENOUGH_WORDS and not told.endswith(":"):
            return told
        some = some or (told if len(told) >= _LEAST_CHARS else "")
    questions = (one.text for one in said if len(one.text) >= _LEAST_CHARS and telling_words(one.text))
    return some or next(questions, "")


def _with_next(said: Sequence[_Sentence], place: int) -> str:
    """Return a sentence with the list that it announces, or a short one with the next."""
    first = said[place]
    if not (first.is_listed or first.text.endswith(":") or len(first.text) < _SHORT_CHARS):
        return first.text
    after = said[place + 1 :]
    listed = [one.text.rstrip(".;") for one in takewhile(lambda one: one.is_listed, after)]
    if listed:
        return (
            f"{first.text.rstrip('.;')}; {'; '.join(listed)}"
            if first.is_listed
            else f"{first.text} {'; '.join(listed)}"
        )
    is_more = bool(after) and not first.is_listed and not first.text.endswith(":")
    if not is_more or after[0].text.endswith((":", "?")) or telling_words(after[0].text) < _ENOUGH_WORDS:
        return first.text
    both = f"{first.text} {after[0].text}"
    return both if len(both) <= _MOST_CHARS and not _INTENDED.fullmatch(after[0].text) else first.text


def _plain(text: str) -> str:
    return _FENCED.sub("\n\n", text).replace("**", "")


def _sentences(text: str) -> Iterator[_Sentence]:
    for block, is_listed in _blocks(text.splitlines()):
        if is_listed:
            # What an item goes on to say is told less.
            yield _Sentence(_BETWEEN.split(block, 1)[0], is_listed)
        else:
            yield from (_Sentence(one) for part in _BETWEEN.split(block) if (one := part.strip()))


def _blocks(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Return paragraphs, and items and rows as listed, each on one line."""
    words: list[str] = []
    is_listed = False
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        item, row, is_nothing = _ITEM.match(line), _ROW.fullmatch(line), bool(_NO_SENTENCE.match(line))
        if words and (item or row or is_nothing):
            yield " ".join(words), is_listed
            words, is_listed = [], False
        if row and not is_nothing:
            # The head of a table says nothing of what came of it.
            if not (_ROW.fullmatch(after) and _NO_SENTENCE.match(after)):
                first, *others = [cell.strip() for cell in row["cells"].split("|") if cell.strip()]
                yield (f"{first}: {', '.join(others)}" if others else first), True
        elif not is_nothing:
            is_listed = is_listed or item is not None
            words += line[item.end() if item else 0 :].split()
    if words:
        yield " ".join(words), is_listed
