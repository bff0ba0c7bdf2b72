"""Decide whether a prompt praises or rejects an item that was shown, and which item. In doubt nothing is concluded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from tacit.text.patterns import lazy_pattern
from tacit.text.tokens import telling_tokens

Polarity = Literal["positive", "negative"]
POSITIVE_FROM, NEGATIVE_FROM = 0.75, 0.85
MENTIONED, POINTED_AT, ALONE, AMONG_FEW = 0.95, 0.80, 0.65, 0.80
COOLDOWN = timedelta(seconds=60)
INTERRUPTED_WITHIN = timedelta(seconds=30)
MOST_ITEMS = 5
MEANT_FROM = 0.7
# A hook tells something a moment before or after the host writes the prompt down.
_CLOCKS_APART = timedelta(seconds=10)
INTERRUPTION = "[Request interrupted"
_MOST_BARE = 9
_BARE = lazy_pattern(
    r"(?:(?:no|nope|nah|wrong|incorrect|yes|yep|correct|right|exactly|thanks|thank you|great|perfect|sorry|but|please|"
    r"bad advice|ignore (?:that|this)|(?:that|this|it|the)(?: advice| rule| warning| note| hint| lesson)?"
    r"(?:['’]s| is| was)?(?: just| completely| simply)? (?:wrong|incorrect|not (?:right|true|correct|helpful)|false|"
    r"nonsense|outdated|right|correct|true|helpful|worked|helped)|don['’]?t (?:say|tell me) that|"
    r"stop (?:saying|telling me) that)(?:[\s,.!]+|$))+",
    re.I,
)
_LOOKED_AT = 400
_QUOTED = lazy_pattern(r"```.*?```|`[^`]*`|\"[^\"]*\"|^>.*$", re.DOTALL | re.MULTILINE)
_WORDS = lazy_pattern(r"[a-z']+")

# Each pattern with its confidence; the highest that matches counts.
_FOR = (
    (lazy_pattern(r"\b(?:that|this|it) (?:worked|works|helped|did it|fixed it)\b"), 0.9),
    (lazy_pattern(r"\b(?:perfect|exactly|excellent|brilliant|spot on|well done|nailed it)\b"), 0.85),
    (lazy_pattern(r"\b(?:thanks|thank you|great|awesome|nice|good (?:catch|job|call|idea)|love it)\b"), 0.8),
    (lazy_pattern(r"^(?:yes|yep|correct|right)\b[,.!]"), 0.75),
)
_AGAINST = (
    (lazy_pattern(r"\b(?:that|this|it)(?:'s| is| was)? (?:wrong|incorrect|nonsense|not (?:right|true|what i))"), 0.95),
    (lazy_pattern(r"\b(?:that|this|it) (?:broke|doesn't work|didn't work|made it worse|is useless)\b"), 0.92),
    (lazy_pattern(r"^(?:no|nope|wrong|stop)\b"), 0.88),
    (lazy_pattern(r"\b(?:wtf|terrible|useless|stop (?:doing|using|suggesting)|don't (?:do|use|suggest) that)\b"), 0.9),
)
_NEGATED = lazy_pattern(r"\b(?:not|isn't|wasn't|n't|never|hardly|no longer|less than)\s+(?:\w+\s+){0,2}$")
_SARCASM = lazy_pattern(
    r"\b(?:oh (?:great|wonderful|perfect|nice)|yeah,? right|just (?:great|what i needed)|great,? (?:another|now)"
    r"|(?:nice|great|good) job (?:breaking|deleting|ruining)|thanks (?:a lot )?for (?:breaking|deleting|nothing))\b"
    r"|🙄|/s\b"
)
_SELF = lazy_pattern(
    r"\b(?:my (?:bad|mistake|fault)|i (?:was wrong|messed|broke|made a mistake|misread|typed)|sorry,? i)\b"
)
_TWO_MINDS = lazy_pattern(r"\b(?:but|however|although|except|though|yet)\b")
_POINTS = lazy_pattern(r"^(?:(?:no|nope|yes|yep|ok|okay|well|thanks|great|perfect|wrong)\b[,.!\s]*)?(?:that|this|it)\b")


class ShownItem(NamedTuple):
    """An item that was shown: its id, its words, and the time."""

    id: str
    words: str
    at: datetime


class Sentiment(NamedTuple):
    """The polarity of a text, its confidence, and what makes it doubtful."""

    polarity: Polarity | None
    confidence: float
    hazards: tuple[str, ...] = ()


class FeedbackSignal(NamedTuple):
    """Feedback about an item: polarity, confidence, and how the item was identified."""

    item: str
    polarity: Polarity
    confidence: float
    how: str


class Abstained(NamedTuple):
    """The reason why nothing was concluded."""

    reason: str


def is_telling(text: str) -> bool:
    """Return whether a prompt may contain feedback, by a quick check; most prompts contain none."""
    low = text[:_LOOKED_AT].lower()
    return text.startswith(INTERRUPTION) or any(form.search(low) for form, _sure in (*_FOR, *_AGAINST))


def feel(text: str) -> Sentiment:
    """Return the sentiment of a text without its quotations. Mixed and self-directed texts are marked as doubtful."""
    low = _QUOTED.sub(" ", text[:_LOOKED_AT]).lower().strip()
    for_it, against = _surest(_FOR, low), _surest(_AGAINST, low)
    hazards = []
    if _SARCASM.search(low):
        hazards.append("sarcasm")
    if _SELF.search(low):
        hazards.append("self-directed")
    if (for_it and against) or ((for_it or against) and _TWO_MINDS.search(low)):
        hazards.append("ambiguous")
    if not (for_it or against):
        return Sentiment(None, 0.0, ("out of distribution",) if len(_WORDS.findall(low)) > 0 else ())
    if for_it > against:
        return Sentiment("positive", for_it, tuple(hazards))
    return Sentiment("negative", against, tuple(hazards))


def _surest(forms: Sequence[tuple[re.Pattern[str], float]], text: str) -> float:
    found = (
        sure
        for form, sure in forms
        for match in form.finditer(text)
        if not _NEGATED.search(text[max(0, match.start() - 30) : match.start()])
    )
    return max(found, default=0.0)


def attribute(text: str, items: Sequence[ShownItem]) -> tuple[ShownItem, float, str] | None:
    """Return the item that a text is about, the confidence, and how the item was identified; None if it is unclear."""
    low = text[:_LOOKED_AT].lower()
    said = set(telling_tokens(low))
    near = {item.id: _overlap(said, item.words) for item in items}
    named = [item for item in items if item.id.lower() in low or near[item.id] >= _NAMED]
    if len(named) == 1:
        return named[0], MENTIONED, "mentioned"
    if named or not items:
        return None
    if len(items) == 1:
        points = bool(_POINTS.match(low.strip()))
        return items[0], POINTED_AT if points else ALONE, "pointed at" if points else "the only one"
    likeliest = sorted(items, key=lambda item: -near[item.id])[:2]
    first, second = (near[item.id] for item in likeliest)
    if len(items) <= MOST_ITEMS and first >= _LIKELY and second < first / 2:
        return likeliest[0], AMONG_FEW, "the likeliest of a few"
    return None


_NAMED = 0.6
_LIKELY = 0.3


def _overlap(said: set[str], words: str) -> float:
    own = set(telling_tokens(words.lower()))
    return len(said & own) / len(own) if own else 0.0


def signals(
    text: str, items: Sequence[ShownItem], at: datetime, last: Mapping[str, datetime] | None = None,
    felt: Sentiment | None = None, asked_at: datetime | None = None,
) -> list[FeedbackSignal] | Abstained:  # fmt: skip
    """Return the feedback in a text about shown items, or why nothing is concluded.

    `last` maps an item's id to the time of its last feedback; new feedback within a minute of that time does not count.
    `felt` is a model's judgement of the text; if it is None, rules judge the text. `asked_at` is the time of the prompt
    before this one, if it is known: a no that names nothing is about what was told since then.
    """
    known = last or {}
    fresh = [one for one in items if at - known.get(one.id, datetime.min.replace(tzinfo=at.tzinfo)) >= COOLDOWN]
    if text.startswith(INTERRUPTION):
        cut = [item for item in fresh if timedelta(0) <= at - item.at <= INTERRUPTED_WITHIN]
        if not cut:
            return Abstained("an interruption, but nothing was shown just before")
        return [FeedbackSignal(item.id, "negative", 0.9, "interrupted") for item in cut]
    felt = felt or feel(text)
    if felt.hazards:
        return Abstained(felt.hazards[0])
    floor = POSITIVE_FROM if felt.polarity == "positive" else NEGATIVE_FROM
    if felt.polarity is None or felt.confidence < floor:
        return Abstained("not sure enough")
    meant = attribute(text, items)
    if meant is None and felt.polarity == "negative":
        meant = attribute(text, [item for item in items if _is_told_since(item.at, asked_at)])
    if meant is None:
        return Abstained("ambiguous referent" if items else "nothing was shown")
    item, sure, how = meant
    if item not in fresh:
        return Abstained("cooldown")
    return [FeedbackSignal(item.id, felt.polarity, round(felt.confidence * sure, 3), how)]


def is_meant(text: str, signal: FeedbackSignal, told_at: datetime, asked_at: datetime | None) -> bool:
    """Return whether feedback is certainly about its item: the words name it, or only judge what was told just before.

    `told_at` is when the item was told, `asked_at` the time of the prompt before the one with the feedback. An
    interruption says nothing about an item.
    """
    if signal.confidence < MEANT_FROM or signal.how not in ("mentioned", "pointed at", "the likeliest of a few"):
        return False
    if signal.how == "mentioned":
        return True
    # What says more than that it is wrong may be about the agent's work: "No, it should return 3".
    first_yes = signal.polarity == "positive" and asked_at is None
    return is_bare(text) and (first_yes or _is_told_since(told_at, asked_at))


def is_bare(text: str) -> bool:
    """Return whether a text says yes or no, and nothing else that it could be about."""
    return len(text.split()) <= _MOST_BARE and bool(_BARE.fullmatch(text.strip()))


def _is_told_since(told_at: datetime, asked_at: datetime | None) -> bool:
    return asked_at is not None and told_at >= asked_at - _CLOCKS_APART
