"""How a session ended: of the last answer that says something, the sentence that does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tacit.model.payload import KeptTurn
from tacit.sessions.rules.own_words import shortened, telling_words
from tacit.text.patterns import lazy_pattern

_LEAST_CHARS, _MOST_CHARS = 12, 200
_ENOUGH_WORDS = 2
"""A sentence with fewer words that say something is told only if its answer has no better one."""
_FENCED = lazy_pattern(r"(?s)```.*?(?:```|\Z)")
# Headings, rows of tables, rulers, and items of a list of tasks, of which one says nothing of the others; and what
# begins an item, which is a sentence of its own.
_NO_SENTENCE = lazy_pattern(r"\s*(?:#|\||[\W_]*$|[-*+•]\s+\[[ xX]\]\s)")
_ITEM = lazy_pattern(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
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


def outcome_of(turns: Sequence[tuple[KeptTurn, str]]) -> str:
    """Return a sentence of the last answer that says something, as the agent put it; empty if none does.

    One that only announces something is told if no other since the last work says more.
    """
    announced = ""
    for turn, text in reversed(turns):
        if turn.command or turn.paths:
            if announced:
                break
        elif turn.role == "assistant" and (told := _telling_sentence(text)):
            if not (told.endswith(":") or _INTENDED.fullmatch(told)):
                return shortened(told, _MOST_CHARS)
            announced = announced or told
    return shortened(announced.rstrip(":"), _MOST_CHARS)


def _telling_sentence(text: str) -> str:
    """Return the first sentence that says enough, or else the first that says anything; not what announces a list."""
    long = (one for one in _sentences(text) if len(one) >= _LEAST_CHARS)
    told = [(telling_words(one), one) for one in long if not _POLITE.fullmatch(one.replace("’", "'"))]
    said = [(words, one) for words, one in told if words and not one.endswith(":")] or [one for one in told if one[0]]
    return next((one for words, one in said if words >= _ENOUGH_WORDS), said[0][1] if said else "")


def _sentences(text: str) -> Iterator[str]:
    for block in _blocks(_FENCED.sub("\n\n", text).replace("**", "")):
        yield from filter(None, map(str.strip, _BETWEEN.split(block)))


def _blocks(text: str) -> Iterator[str]:
    """Return paragraphs and items, each on one line."""
    lines: list[str] = []
    for line in (*text.splitlines(), ""):
        item = _ITEM.match(line)
        if item or _NO_SENTENCE.match(line):
            yield " ".join(lines)
            lines = []
        if not _NO_SENTENCE.match(line):
            lines.append(" ".join(line[item.end() if item else 0 :].split()))
    yield " ".join(lines)
