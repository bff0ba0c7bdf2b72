"""The phrases for what to use and for what it replaces: where each ends, and whether it means something general."""

from __future__ import annotations

import re
from typing import NamedTuple

from tacit.failures.rules.corrections.context import LOCAL, SOMEWHERE
from tacit.failures.rules.corrections.vocabulary import VERBS, is_tool, words_in
from tacit.text.patterns import lazy_pattern
from tacit.text.prompt_sentences import Sentence

MOST_WORDS = 6
# A dash ends a phrase; a flag of a command does not.
_STOP = lazy_pattern(r"[,;:!?](?=\s|$)|\s-(?!-?\w)|\s\(|[–—()]|\.\.\.")
_CUT = lazy_pattern(
    r"\s(?:for|to|in|on|when|while|whenever|because|since|so|unless|until|if|but|as|where|inside|within|at|by|it'?s|"
    r"it|we|you|i|they|that|which|who|use|instead|please|pls|plz|otherwise|than|thanks|from|is|are|not|per|throughout|"
    r"across|last|this|before|after|everywhere|here|now|always|anymore|directly|btw)(?=\s|$)",
    re.I,
)
_AND = lazy_pattern(r"\s(?:and|or|then)\s+(\S+)", re.I)
# "A instead of B and C instead of D": C belongs to D.
_OTHERWISE = lazy_pattern(r"(?:instead|rather)\b", re.I)
_DANGLING = lazy_pattern(r"\s+(?:and|or|then|but|please|also)\s*$", re.I)
_DOUBT = lazy_pattern(r"(?:if|unless)\b", re.I)
_LOOSE = " \t.,;:!?…*"
# Words that point instead of naming: their meaning ends with the task.
_POINTING = words_in("""
    it its that this them these those one ones a an my your his her their our all every each both just only because
    sure to if not more less too another other same what whatever something anything nothing option options approach
    of instead either some such so very really even when then there here him me you us any-of no none yet much many as
    in on for with at by from is are was be been being like about than or and but
""")
_KNOWN_THE = lazy_pattern(
    r"the (?:\S+ ){1,3}(?:module|library|package|cli|ui|api|tool|command|plugin|client|sdk|app|driver|debugger|linter|"
    r"formatter|framework|script)$",
    re.I,
)


class Operand(NamedTuple):
    """A phrase, and the text that follows it in its clause."""

    text: str
    rest: str
    quoted: bool
    is_code: bool
    """Whether it is in backticks."""
    used: int
    """How many characters of the text it used."""


def clause(text: str) -> str:
    """Return the beginning of a text, up to the end of its clause."""
    stop = _STOP.search(text)
    return text[: stop.start()] if stop else text


def operand(sentence: Sentence, raw: str, *, general: bool = False, names: bool = False) -> Operand | None:
    """Return the thing that a phrase names, or None if it names nothing general.

    With `general`, the sentence states a general rule, so an article does not limit it to one task. With `names`, the
    sentence states a fact, so the phrase may name any place.
    """
    text = clause(raw)
    cut = _CUT.search(text)
    rest = ""
    if cut:
        text, rest = text[: cut.start()], text[cut.start() :].strip()
    joined = _AND.search(text)
    if joined and (joined[1].lower() in VERBS or _OTHERWISE.match(rest)):
        text, rest = text[: joined.start()], text[joined.start() :].strip()
    text = _DANGLING.sub("", text)
    used = len(text.rstrip())
    text = _tight(re.sub(r"^(?:using|use)\s+", "", _tight(text), flags=re.I))
    if text.endswith(("'", '"')) and text.count(text[-1]) == 1:
        text = text[:-1]
    words = text.split()
    if not words or len(words) > MOST_WORDS or not _lasting(text, words, general):
        return None
    if _DOUBT.match(rest) or (not names and not general and SOMEWHERE.match(rest)):
        return None
    bare, said = sentence.bare(text), sentence.said(text)
    if not any(char.isalnum() or char in "?*" for char in bare):
        return None
    return Operand(bare, rest, said != text, "`" in said or ")" in said, used)


def _tight(text: str) -> str:
    """Return a phrase without punctuation around it; a dot that begins a name is kept."""
    tight = text.strip(_LOOSE)
    return f".{tight}" if re.match(r"\s*\.\w", text) and tight[:1].isalpha() else tight


def _lasting(text: str, words: list[str], general: bool) -> bool:
    first = words[0].lower()
    if len(words) == 1 and is_tool(text):
        return True
    if len(words) > 1 and first == "the":
        return general or bool(_KNOWN_THE.match(text)) or is_tool(" ".join(words[1:]))
    if first in ("a", "an") and len(words) > 1:
        return general
    if first in ("line", "step", "option", "approach", "version", "branch") and len(words) == 2:
        return first == "version"
    return first not in _POINTING and first != "the"


def is_local(text: str) -> bool:
    """Return whether a sentence is about one place or one time only."""
    return bool(LOCAL.search(text))
