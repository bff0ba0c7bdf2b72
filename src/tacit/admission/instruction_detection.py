"""Detect instructions: text that addresses the model that reads it, instead of stating something.

Disguises are decoded. Precision matters as much as recall: a developer's "ignore previous test results" says what to do
with results, and an instruction quoted as test data is not meant for the reader. Instructions that are missed are still
framed as data and never count as evidence; see caveats.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from tacit.admission.instruction_disguises import disguised, folded, may_be_disguised, spelled_out
from tacit.admission.instruction_patterns import ANCHOR_CHARS, GLUED, RULES, InstructionRule
from tacit.text.patterns import lazy_pattern

FAMILIES = {
    "override": "it tells its reader to drop earlier instructions",
    "role": "it gives its reader another role",
    "markup": "it pretends to be a message of a system or developer",
    "exfiltration": "it asks its reader for secrets or prompts",
    "persistence": "it wants to be obeyed in later sessions",
    "permission": "it waives approvals that only a person may give",
    "download": "it makes its reader run something without asking",
}
_BEGINNINGS = lazy_pattern(rf"\b\w{{1,{ANCHOR_CHARS}}}")
_WORDS = frozenset(anchor for rule in RULES for anchor in rule.anchors)
# Chinese and Japanese have no spaces between words, so their anchors are searched one by one.
_SIGNS = tuple(sorted(anchor for anchor in _WORDS if min(anchor) > "\u2e80"))
_LEAD = lazy_pattern(
    r"(?:^|[.!?:;,\n\"'`“”‘’«»()\[\]<>*#\-–—|/=]|\b(?:please|pls|kindly|and|then|now|now on|just|also|so|simply"
    r"|first|instead|always|"
    r"immediately|but|or|you|assistant|agent|model|ai|claude|gpt|chatgpt|copilot|llm|bot|system|user|note|important"
    r"|attention|urgent|"
    r"hereby|henceforth|ok|okay|hi|hello|hey|thanks|sure|task|must now|(?:you|assistants?|agents?|models?|ai|llms?"
    r"|claude|gpt)\W{1,3}"
    r"(?:\w{1,12}\W{1,3}){0,3}(?:must|should|shall|will|can|may|to|need)))\W{0,3}$"
)  # fmt: skip
# A statement may describe what makes a model ignore something.
_CAUSED = lazy_pattern(
    r"\b(?:make|made|let|cause|force|trick|get|got)[sd]?\W{1,3}(?:(?:the|an?|its|our|any)\W)?\w{1,14}\W{0,3}$"
)
_LETTERS = 5
"""This many one-letter words may be a word that was spelled out."""
_PAIRS = 10
"""This many two-character words may be bytes in hexadecimal."""
_BEFORE_CHARS = 80
_SENTENCE_CHARS = 120
_STOP = lazy_pattern(r"\n|[.!?]\s")
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»"}
_QUOTED_CHARS = 300
# A quote after one of these words is mentioned, not given as an instruction.
_TOLD_OF = lazy_pattern(
    r"\b(?:assert\w*|expect\w*|tests?|tested|testing|fixtures?|examples?|samples?|payloads?|detect\w*|block(?:s|ed)?"
    r"|reject\w*|refus\w*|flag(?:s|ged)?|"
    r"inject\w*|attack\w*|jailbreak\w*|phrases?|strings?|patterns?|regex\w*|such as|like|filter\w*|malicious"
    r"|poison\w*|attempt\w*|parametri\w*|"
    r"e\.g|corpus|dataset|literal|scann?\w*|search\w*|grep|rg|contain\w*)\b"
    r"|\w\s?=\s?[\[(]?\s?$|def \w"
)  # fmt: skip


def find_instructions(text: str) -> tuple[str, ...]:
    """Return the families of instructions in a text, in the order of the table; most texts contain none."""
    small = folded(text)
    words = _BEGINNINGS.findall(small)
    # Most texts have none of the words with which instructions begin.
    is_plain = small.isascii() and _WORDS.isdisjoint(words)
    found: set[str] = set() if is_plain else set(_given(small, words, plain=True))
    lengths = list(map(len, words))
    if not found and lengths.count(1) >= _LETTERS:
        whole, parts = spelled_out(small)
        found = {*_given(whole), *(rule.family for one in parts for rule in GLUED if rule.pattern.search(one))}
    if not found and (lengths.count(2) >= _PAIRS or may_be_disguised(text, small)):
        found = next((seen for view in disguised(text, small) if (seen := set(_given(view)))), set())
    return tuple(name for name in FAMILIES if name in found) if found else ()


def _given(small: str, words: Sequence[str] | None = None, *, plain: bool = False) -> Iterator[str]:
    there = _WORDS.intersection(_BEGINNINGS.findall(small) if words is None else words)
    if not small.isascii():
        there = there.union(filter(small.__contains__, _SIGNS))
    if not there:
        return
    for rule in RULES:
        if not there.isdisjoint(rule.anchors) and _stands(small, rule, plain):
            yield rule.family


def _stands(small: str, rule: InstructionRule, plain: bool) -> bool:
    """Return whether a match is an instruction: not quoted, with the beginning and sequel that its rule requires."""
    sequels: Iterator[re.Match[str]] = iter(())
    sequel = None
    if rule.sequel is not None:
        sequels = rule.sequel.finditer(small)
        sequel = next(sequels, None)
        if sequel is None:
            return False
    for found in rule.pattern.finditer(small):
        end = found.end()
        if rule.sequel is not None:
            while sequel is not None and sequel.start() < end - 1:
                sequel = next(sequels, None)
            if sequel is None:
                return False
            if sequel.start() > end + _SENTENCE_CHARS or _STOP.search(small, end, sequel.start()):
                continue
            end = sequel.end()
        if rule.led and not _is_led(small[max(0, found.start() - _BEFORE_CHARS) : found.start()]):
            continue
        if not (plain and _is_told_of(small, found.start(), end)):
            return True
    return False


def _is_led(before: str) -> bool:
    """Return whether an instruction may begin after this text."""
    return bool(_LEAD.search(before)) and not _CAUSED.search(before)


def _is_told_of(small: str, start: int, end: int) -> bool:
    """Return whether a position is in quotes after words that mark an example, test data, or something refused."""
    line = small.rfind("\n", 0, start) + 1
    since = max(line, start - _QUOTED_CHARS)
    for opening, at in _openings(small, since, start + 1):
        closing = _QUOTES[opening]
        if small.find(closing, max(end - 1, at + 1), end + _QUOTED_CHARS) >= 0 and _TOLD_OF.search(small[since:at]):
            return True
    return False


def _openings(small: str, since: int, until: int) -> Iterable[tuple[str, int]]:
    """Return the quotation marks that open before a position, nearest first; apostrophes inside words do not count."""
    for at in range(min(until, len(small)) - 1, since - 1, -1):
        one = small[at]
        if one in _QUOTES and not (at > 0 and small[at - 1].isalnum()):
            yield one, at
