"""How a session ended, in the agent's words: what its answers to the last requests say came of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from tacit.model.payload import KeptTurn
from tacit.sessions.rules.asked import is_work
from tacit.sessions.rules.check_commands import checks_in
from tacit.sessions.rules.commands.commits import commits_in
from tacit.sessions.rules.commands.shell_changes import written_by
from tacit.sessions.rules.commands.telling_commands import MATTERS_WITHIN, sent_commands
from tacit.sessions.rules.own_words import own_words, shortened, telling_words
from tacit.text.patterns import lazy_pattern

_LEAST_CHARS = 12
_ROOMS = ((260,), (180, 140), (110, 110, 110))
"""How long each answer is, of one, two and three that are told; what was asked needs the rest."""
_ENOUGH_WORDS = 2
"""A sentence with fewer words that say something is told only if its answer has no better one."""
_CHAT_WORDS, _TELLING_WORDS = 3, 6
"""A last answer with fewer words that say something is only polite; one with few is told with the one before it."""
_CLOSING_CHARS = 100
"""How long a last sentence is at most that is told beside the first ones."""
_CHAT_CHARS = 80
_RICH_WORDS, _RICHER = 10, 1.5
"""An earlier answer is told too if it says so much, and so much more than the last one."""
_MOST_REQUESTS = 6
"""How many of the last requests are looked at."""
_FENCED = lazy_pattern(r"(?s)```.*?(?:```|\Z)")
# Headings, rulers, and what is quoted; what begins an item; a row of a table, and what stands below its head.
_NO_SENTENCE = lazy_pattern(r"\s*(?:#|>|[\W_]*$)")
_ITEM = lazy_pattern(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_ROW = lazy_pattern(r"\s*\|(?P<cells>.*)\|\s*")
_BETWEEN = lazy_pattern(r"(?<=[.!?…])\s+(?![a-z])|(?<=[。！？])")
# No text ends with one of these words.
_CUT_OFF = lazy_pattern(
    r".*\s(?:an?|the|is|are|was|of|to|as|by|or|and|if|at|we|my|our|be|with|for|from|that|which|its)", re.S
)
# What is said to be polite, offers, and what stands for a text that is not there: they are about no work.
_POLITE = lazy_pattern(
    r"\[[^\]]*\]|(?:understood|got it|noted|will do|of course|good (?:luck|night))\b.*"
    r"|(?:hi|hey|hello|welcome|thanks|thank you|glad|happy|my pleasure|enjoy)\b[^.,:;]{0,24}[.!]?"
    r"|(?:you're|you are) (?:very |most |quite )?welcome\b.*|no problem\b.*|anytime\b.*|have a (?:great|good|nice)\b.*"
    r"|(?:just |please )?(?:let me know|feel free|tell me|ask me|reach out|(?:please )?(?:don't|do not) hesitate)\b.*"
    r"|(?:how|what) (?:else )?(?:can|may|could|would|should) (?:i|you) (?:help|assist|do for|like)\b.*"
    r"|(?:i'm|i am|i'd be|i would be|i'll be) (?:here|ready|happy|glad|available|delighted)\b.*"
    r"|is there (?:anything|something)\b.*|if you(?:'d| would| ever|'ll)? (?:like|want|need|prefer|have)\b.*"
    r"|just say so\b.*|(?:would|do|did) you (?:like|want) (?:me|to|anything)\b.*|(?:want|shall|should) (?:me|i)\b.*\?"
    r"|what(?:'s| is) (?:next|on your mind)\b.*|(?:i )?hope (?:this|that|it) helps?\b.*",
    re.I | re.S,
)
# What comes next, not what came of it.
_INTENDED = lazy_pattern(
    r"(?:(?:now|first|next|then|ok|okay|great|perfect|good),? )*(?:let me|let's|i'll|i will|i(?:'m| am) going to)\b.*",
    re.I | re.S,
)


class _Answer(NamedTuple):
    """The last answer to a request: its sentences from the first that says something, and how much all of it says."""

    said: Sequence[_Sentence]
    words: int
    closing: str = ""
    """How it closes, which tells what is left, as long as nothing was done after it."""


class _Sentence(NamedTuple):
    """A sentence of an answer, or an item of a list or a row of a table in it."""

    text: str
    is_listed: bool = False


def outcome_of(turns: Sequence[tuple[KeptTurn, str]], share: float = 1.0) -> str:
    """Return what the last answers say came of it, as the agent put it; empty if none says anything.

    The last one is told, with the one before it if it says little, or one that says much more. Where nothing was
    done, two more: they are what came of it. `share` is how much of the usual room there is.
    """
    found, was_done = _answers(turns)
    if len(found) > 1 and found[0].words < _CHAT_WORDS:
        found = found[1:]
    if not found:
        return ""
    last, *rest = found
    if last.words < _TELLING_WORDS:
        others = rest[:1]
    else:
        least = max(_RICH_WORDS, _RICHER * last.words) if was_done else _TELLING_WORDS
        rich = sorted((one for one in reversed(rest) if one.words >= least), key=lambda one: one.words)
        others = rich[-1:] if was_done else rich[-2:]
    told = [*(one for one in reversed(rest) if any(one is other for other in others)), last]
    rooms = _ROOMS[len(told) - 1]
    parts = [_told(one, round(share * room)) for one, room in zip(told, rooms, strict=True)]
    return " ".join([*(f"{one.rstrip('…').rstrip()} …" for one in parts[:-1]), parts[-1]])


def _answers(turns: Sequence[tuple[KeptTurn, str]]) -> tuple[list[_Answer], bool]:
    """Return the last answer to each request since the last work, the last one first, and whether work was done.

    An answer from before it may be about what is no longer so. Where nothing was changed, all of them hold.
    """
    was_done = any(_changes(turn) for turn, _text in turns)
    found: list[_Answer] = []
    is_answered, is_end = False, True
    for turn, text in reversed(turns):
        if turn.command or turn.paths:
            is_end = False
            if was_done and _is_work(turn) and any(one.words for one in found):
                break
        elif turn.role == "user":
            # A few words in answer to thanks are told only if there is nothing else.
            is_chat = is_answered and len(text) < _CHAT_CHARS and not own_words(text)
            if is_chat and len(found) == 1 and found[0].words < _TELLING_WORDS:
                found[0] = found[0]._replace(words=0)
            is_answered = False
        elif turn.role == "assistant" and (answer := _answer(text, is_end=is_end)):
            if not is_answered:
                found.append(answer)
            elif not found[-1].words:
                # What is announced, or cut off, says less than what was said before.
                found[-1] = answer if answer.words else found[-1]
            is_answered = True
        if len(found) > _MOST_REQUESTS:
            break
    return found, was_done


def _is_work(turn: KeptTurn) -> bool:
    """Return whether a turn did work; to check it, to commit it and to send it are none."""
    if not turn.command:
        return turn.ok is not False
    line = turn.command
    return is_work(line) and not (commits_in(line) or checks_in(line) or sent_commands(line))


def _changes(turn: KeptTurn) -> bool:
    """Return whether a turn changed something that stays."""
    if not turn.command:
        return bool(turn.paths) and turn.ok is not False
    line = turn.command
    return turn.ok is not False and bool(MATTERS_WITHIN.search(line) or commits_in(line) or written_by(line))


def _answer(text: str, *, is_end: bool) -> _Answer | None:
    """Return what an answer says; None if it is only polite. What is announced or cut off says nothing."""
    said = _telling(text)
    if not said:
        return None
    says = not (_is_announced(said) or _CUT_OFF.fullmatch(text.strip()))
    return _Answer(said, telling_words(_plain(text)) if says else 0, _closing(text) if is_end else "")


def _is_announced(said: Sequence[_Sentence]) -> bool:
    first = said[0].text
    return bool(_INTENDED.fullmatch(first)) or (first.endswith(":") and not said[1:2])


def _telling(text: str) -> Sequence[_Sentence]:
    """Return the sentences of an answer from the first that says enough on, or else from one that says anything."""
    said = [one for one in _sentences(_plain(text)) if not _is_polite(one)]
    some = None
    for place, one in enumerate(said):
        announces = said[place + 1 : place + 2] and said[place + 1].is_listed and not one.is_listed
        if one.text.endswith("?") or not (announces or telling_words(one.text)):
            continue
        first = _told(_Answer(said[place:], 0), _ROOMS[0][0])
        if len(first) >= _LEAST_CHARS:
            if telling_words(first) >= _ENOUGH_WORDS and (announces or not one.text.endswith(":")):
                return said[place:]
            some = place if some is None else some
    questions = (place for place, one in enumerate(said) if len(one.text) >= _LEAST_CHARS and telling_words(one.text))
    some = next(questions, None) if some is None else some
    return said[some : some + 1] if some is not None else ()


def _told(answer: _Answer, room: int) -> str:
    """Return the sentences that fit, and the closing one; lists by whole items. One at least, or its beginning."""
    said, closing = answer.said, answer.closing
    told, place = "", 0
    while place < len(said):
        items = list(takewhile(lambda one: one.is_listed, said[place + (not said[place].is_listed) :]))
        before = [] if said[place].is_listed else [said[place].text]
        kept = len(closing) + 3 if closing and said[place].text != closing else 0
        part = _fitting(before, items, room - len(told) - kept - 1)
        is_over = part.endswith((":", "?")) or _INTENDED.fullmatch(part)
        if told and (is_over or len(told) + 1 + len(part) > room - kept):
            break
        told = f"{told} {part}".strip()
        place += len(before) + len(items)
        # What comes after a list is about something else.
        if items or len(told) > room:
            break
    told = shortened(told, room).rstrip(":")
    has_room = closing and closing not in told and len(told) + 3 + len(closing) <= room
    return f"{told.rstrip('…').rstrip()} … {closing}" if has_room else told


def _closing(text: str) -> str:
    """Return the last sentence of an answer, if it is short and tells something."""
    said = list(_sentences(_plain(text)))
    place = max((at for at, one in enumerate(said) if not (one.text.endswith("?") or _is_polite(one))), default=0)
    last = said[place]
    # What follows a question is about what might be done.
    if not place or said[place - 1].text.endswith("?") or last.is_listed or _INTENDED.fullmatch(last.text):
        return ""
    return last.text if len(last.text) <= _CLOSING_CHARS and last.text[-1:] != ":" and telling_words(last.text) else ""


def _is_polite(one: _Sentence) -> bool:
    return bool(_POLITE.fullmatch(one.text.replace("’", "'")))


def _fitting(before: Sequence[str], items: Sequence[_Sentence], room: int) -> str:
    """Return a sentence with the items of its list that fit, at least one."""
    if not items:
        return before[0]
    texts = [one.text.rstrip(".;") for one in items]
    most = len(texts)
    while most > 1 and len(" ".join([*before, "; ".join(texts[:most])])) > room:
        most -= 1
    return " ".join([*before, "; ".join(texts[:most])]) + ("; …" if most < len(texts) else "")


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
    for line, after in pairwise([*lines, ""]):
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
