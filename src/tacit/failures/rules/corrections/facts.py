"""Corrections of facts ("no, the port is 8443") and of names ("X was renamed to Y")."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.failures.rules.corrections.operands import operand
from tacit.failures.rules.corrections.phrases import CorrectionMatch
from tacit.failures.rules.corrections.vocabulary import is_exact, is_value
from tacit.model.failure import CorrectionType
from tacit.text.patterns import lazy_pattern
from tacit.text.prompt_sentences import Sentence

_NO = (
    r"(?:no(?! (?:longer|more|need)\b)|nope|nah|wrong|incorrect|actually|not quite|not right|you(?:'re| are) wrong|"
    r"you got (?:that|it) wrong|"
    r"that(?:'?s| is) (?:wrong|incorrect|not (?:right|correct|true)))"
)
DENIES = lazy_pattern(rf"(?:{_NO}\b[\s,;:!–—-]*+){{1,4}}", re.I)
_FACT = lazy_pattern(
    r"(?:(?:and|but|please|sorry|because|so|since|well)[\s,]+)?"
    r"(?P<subject>it|that|this|they|we|there|(?:the|our|my)?\s?[^\s,;:]{1,40}(?:\s[^\s,;:]{1,30}){0,4}?)"
    r"(?:['’]s|['’]re|\s+(?:is|are|was|were|lives?|runs?|listens?|uses?|has|have|comes?|goes|belongs?|expects?|takes?|"
    r"should be|starts?|ends?|points?|sits?))"
    r"(?:\s+(?:called|named|spelled|spelt|written|located|set))?(?:\s+(?:in|on|at|from|to|under|with))?\s+"
    r"(?P<x>[^,;–—]{1,60}?)(?:,?\s+(?:and\s+)?not\s+(?:(?:in|on|at|from|to|under|with)\s+)?(?P<y>[^,;–—]{1,60}))?$",
    re.I,
)
_NAMES = lazy_pattern(r"\b(?:called|named)\b", re.I)
_ONE = lazy_pattern(r"\b(?:the|this|that|my|your)\s+$", re.I)
# The past, or a passing state, is not a correction.
_PASSING = lazy_pattern(r"\b(?:was|were|from|first|second|third|last|already|now|today|still)\b", re.I)
_TOLD = lazy_pattern(r"\b(?:if|says?|said|whether|maybe)\b", re.I)
_PLAIN = lazy_pattern(
    r"(?:not|still|just|already|also|only|because|probably|maybe|really|so|too|very|been|being|going)\b", re.I
)
_RENAMED = lazy_pattern(
    r"(?P<y>[^,;:]{1,60}?)\s+(?:was|were|is|are|has been|have been|got|gets)\s+(?:now\s+|just\s+)?renamed\s+"
    r"(?:from\s+(?P<from>[^,;:]{1,40}?)\s+)?(?:to|as)\s+(?P<x>[^\n]{1,60})",
    re.I,
)
_WE_RENAMED = lazy_pattern(
    r"\b(?:we|i)(?:['’]ve| have)?(?: just| now| recently)?\s+renamed\s+(?P<y>[^,;:]{1,60}?)\s+(?:to|as)\s+"
    r"(?P<x>[^\n]{1,60})",
    re.I,
)
_CALLED = lazy_pattern(
    r"(?P<y>[^,;:]{1,60}?)\s+(?:is|are)\s+(?:now\s+called\s+(?P<x>\S+)|called\s+(?P<x2>\S+)\s+now\b(?!\s+and\b))"
    r"(?:,?\s+not\s+(?P<z>\S+))?",
    re.I,
)
_NAMED = lazy_pattern(
    r"\b(?:(?:it|this|that|they)(?:['’]s|\s+is|['’]re|\s+are)\s+(?:called|named)|call\s+(?:it|them|this)|"
    r"(?<![\w-])(?!the\b|this\b|that\b)[\w-]{2,30}\s+should\s+be\s+(?:called|named)|name\s+(?:it|them|the\s+\S+|"
    r"\S+)(?:\s+in)?)\s+(?P<x>\S+?),?\s+"
    r"(?:and\s+)?(?:not|instead\s+of)\s+(?P<y>\S+)",
    re.I,
)
_OPENING = lazy_pattern(
    r"^(?:(?:fyi|btw|by the way|note(?: that)?|also|and|but|so|no|ok|hey|actually|remember(?: that)?|"
    r"please note(?: that)?|heads up|the|our|package|function|class|module|variable|method|file)[\s,:]+)+",
    re.I,
)  # fmt: skip
# The kind of thing after a quoted name is not part of the name.
_CLOSING = lazy_pattern(
    r"^([\ue000-\uf8ff]) (?:class|function|package|module|variable|method|file|type|field|column|flag)$"
)
# Words after "called" when a function is run, not named.
_NO_NAME = lazy_pattern(
    r"(?:twice|once|again|from|by|when|before|after|on|in|with|first|only|every|each|at|for|to|the|a|an|if|as|out|off|"
    r"back|upon|during|and|or|it|that|this|something|\w+ly|multiple|many|several|up|into|via|inside|too|\d+)$",
    re.I,
)


def facts(sentence: Sentence, *, denied: bool) -> Iterator[CorrectionMatch]:
    """Find corrections of facts after a denial. `denied` means that the previous sentence was a denial."""
    text = sentence.text
    no = DENIES.match(text)
    start = no.end() if no else 0
    found = _FACT.match(text, start) if no or denied else None
    if not found or _PLAIN.match(found["x"]):
        return
    x = operand(sentence, found["x"], names=True)
    if x is None or len(x.text.split()) > 5:
        return
    if found["y"]:
        y = operand(sentence, found["y"], names=True)
        if y is not None and (x.quoted or y.quoted or is_value(x.text) or is_value(y.text)):
            kind: CorrectionType = "naming" if _NAMES.search(found[0]) else "fact-correction"
            yield CorrectionMatch(kind, y.text, x.text, found.start(), len(text), 0.85)
    elif (x.quoted or is_exact(x.text)) and not x.rest and not _PASSING.search(found[0]):
        whole = sentence.said(text[found.start("subject") :]).strip(" .,!")
        short = found["subject"].lower() in ("it", "that", "this", "they", "there")
        yield CorrectionMatch("fact-correction", "", x.text if short else whole, found.start(), len(text), 0.7)


def names(sentence: Sentence) -> Iterator[CorrectionMatch]:
    """Find renamed things."""
    text = sentence.text
    for pattern in (_RENAMED, _WE_RENAMED):
        if (found := pattern.search(text)) and _plain_statement(text, found):
            old = found.groupdict().get("from") or found["y"]
            yield from _named(sentence, old, found["x"].split()[0], found)
    if (found := _CALLED.search(text)) and _plain_statement(text, found):
        yield from _named(sentence, found["z"] or found["y"], found["x"] or found["x2"], found)
    if (found := _NAMED.search(text)) and not _ONE.search(text[: found.start()]) and not _TOLD.search(text):
        yield from _named(sentence, found["y"], found["x"], found)


def _plain_statement(text: str, found: re.Match[str]) -> bool:
    return not re.search(
        r"\b(?:if|unless|whether|says?|said|when|why|maybe|should|once|until|after)\b", text[: found.end()], re.I
    )


def _named(sentence: Sentence, old: str, new: str, found: re.Match[str]) -> Iterator[CorrectionMatch]:
    loose = " .,;:!?"
    was = _CLOSING.sub(r"\1", _OPENING.sub("", old.strip()).strip(loose))
    name = new.strip(loose)
    if not was or not name or len(was.split()) > 4 or _NO_NAME.match(name) or _NO_NAME.match(was):
        return
    if re.match(r"(?:it|this|that|they|he|she|which)$", was, re.I):
        return
    yield CorrectionMatch("naming", sentence.bare(was), sentence.bare(name), found.start(), found.end(), 0.85)
