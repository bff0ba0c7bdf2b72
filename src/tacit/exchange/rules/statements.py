"""Tell a rule from a fact in a file that was written for agents, and split short texts into statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from tacit.exchange.rules.markdown_blocks import plain_words
from tacit.failures.rules.corrections.find import PromptCorrection, corrections_in, forbids
from tacit.failures.rules.corrections.vocabulary import VERBS, words_in
from tacit.text.patterns import lazy_pattern

# In a file of instructions an order is meant to last; it is still less certain than "always" and "never".
ORDER_CERTAINTY = 0.6
# A rule without an original is the sentence itself; a clause alone may mean something else.
_MOST_OF_IT = 0.6
_MARK = lazy_pattern(
    r"(?:important|note|critical|warning|caution|attention|remember|rule|tip|must|required?)\b\s*[:!—–-]+\s*", re.I
)
_LABEL = lazy_pattern(r"(?:\*\*|__)(?P<label>[^*_\n]{1,60}?)(?::(?:\*\*|__)|(?:\*\*|__)\s*(?::|[—–]|-(?=\s)))\s*(?=\S)")
_END = lazy_pattern(r"[.!?][\"')\]*_]*(?=\s+[A-Z0-9`*_\"(\[])")
_SHORTENED = lazy_pattern(r"(?:\b(?:e\.g|i\.e|vs|etc|approx|resp|cf|fig|no|nr)|^\s*\d{1,3})$", re.I)
_MASKED = lazy_pattern(r"`[^`\n]*`|\([^()\n]*\)|\[[^\]\n]*\]\([^)\n]*\)")
# They say more about the sentence before them.
_DEPENDS = lazy_pattern(
    r"(?:[*_]{2})?(?:it|its|they|them|their|this|these|that|those|he|she|then|also|however|otherwise|but|and|so|instead|"
    r"because|why|reason|rationale|how to apply|example|for example|e\.g\.|such|both|here)\b", re.I
)  # fmt: skip
_INSTEAD = lazy_pattern(r"\binstead[.!]?$", re.I)
_ORDERS = VERBS | words_in("""
    be do start begin end finish ensure favor favour limit group sort order structure organize organise split return
    treat remember require convert apply provide show choose pick only maintain minimize minimise maximize rely let
    configure register extend implement describe specify report stick go match mirror reuse separate isolate squash
""")
# Words that show that the first word is a noun: "test files live in …".
_FINITE = words_in("""
    is are was were live lives go goes use uses has have contain contains run runs listen listens follow follows belong
    belongs must should can will lie lies come comes happen happens
""")
# Somebody or something must: within the first words of a sentence.
_MUST = lazy_pattern(
    r"(?:[\w`'’/.-]+\s+){0,5}?(?:must|should|shall|do not|don['’]t|may not|needs? to|ha(?:s|ve) to)\b|"
    r"(?:never|always|avoid)\b",
    re.I,
)
_POINTS = lazy_pattern(r"(?:see|refer to|read|look at|check)\b[^.]*(?:\.md\b|`[^`]+`|\bdocs?\b|readme)", re.I)
_HOW_TO = lazy_pattern(r"(?:run|use|call|execute|type)\s+`[^`]+`\s+(?:to|for)\b", re.I)
_DESCRIBED = lazy_pattern(r"[^:`]{1,60}:\s*`[^`]+`\.?|`[^`]+`\s*(?:[:—–(-]|$).*", re.S)
_NEGATES = lazy_pattern(
    r"\b(?:never|don['’]?ts?|do not|avoid|not|no|forbidden|prohibited|anti-?patterns?|bad|wrong|disallowed|banned)\b",
    re.I,
)
_LIMITS = lazy_pattern(r"\b(?:when|if|for|in|on|before|after|while|during|unless|except|until|only)\b", re.I)
_LIMITING_HEADING = lazy_pattern(r"(?:when|if|before|after|while|during|unless|only)\b", re.I)


class ProseStatement(NamedTuple):
    """A statement: its words, and the rule that it is, or None for a fact."""

    words: str
    rule: PromptCorrection | None = None


def statement_of(text: str, headings: tuple[str, ...] = (), leads: tuple[str, ...] = ()) -> ProseStatement:
    """Return what a short text states, under its headings and the lines that introduce it.

    What an introduction forbids or limits to a case is kept with the introduction: without it, it would say something
    else.
    """
    label, said = labelled(text)
    said = _MARK.sub("", plain_words(said), count=1) if _MARK.match(plain_words(said)) else plain_words(said)
    above = (*leads, label) if label else leads
    if _negates(headings, above) and not _NEGATES.match(said):
        lead = above[-1] if above and _NEGATES.search(above[-1]) else headings[-1]
        return _ordered(f"{lead}: {said}")
    limited = [lead for lead in above if _LIMITS.search(lead)]
    if headings and _LIMITING_HEADING.match(headings[-1]):
        limited.insert(0, headings[-1])
    words = ": ".join((*_names(headings, above), said))
    if (rule := _rule(said)) is None:
        return ProseStatement(words)
    if limited:
        return _ordered(": ".join((*limited, said)))
    return ProseStatement(words, rule._replace(sentence=words))


def labelled(text: str) -> tuple[str, str]:
    """Return the bold words that a text begins with, like a small heading, and the rest of the text."""
    found = _LABEL.match(text)
    if found is None or _MARK.match(f"{found['label']}:") or _ORDERS & {found["label"].split()[0].lower()}:
        return "", text
    return " ".join(found["label"].split()), text[found.end() :]


def is_rule(text: str) -> bool:
    """Return whether a text is one of the rules that are found in prompts too."""
    return bool(corrections_in(plain_words(text)))


def depends(text: str) -> bool:
    """Return whether a text says more about what stands before it."""
    return bool(_DEPENDS.match(text.strip()) or _INSTEAD.search(text.strip()))


def sentence_ends(text: str) -> Iterator[int]:
    """Return where the statements of a text end; a sentence that depends on the one before it stays with it."""
    masked = _MASKED.sub(lambda found: "x" * len(found[0]), text)
    ends = [end.end() for end in _END.finditer(masked) if not _SHORTENED.search(masked[: end.start()][-12:])]
    for end, after in pairwise((*ends, len(text))):
        if not depends(text[end:after]):
            yield end
    yield len(text)


def _negates(headings: tuple[str, ...], above: tuple[str, ...]) -> bool:
    return any(_NEGATES.search(one) for one in (*above[-1:], *headings[-1:]))


def _names(headings: tuple[str, ...], above: tuple[str, ...]) -> tuple[str, ...]:
    """Return what a statement is about: its heading, unless it says nothing, and what introduces it."""
    telling = [one for one in headings[-1:] if one.lower().strip(" :") not in _GENERAL]
    return tuple(dict.fromkeys((*telling, *above)))


def _ordered(words: str) -> ProseStatement:
    return ProseStatement(words, PromptCorrection("other", "", words, words, ORDER_CERTAINTY))


def _rule(said: str) -> PromptCorrection | None:
    """Return the rule that a sentence is: one that is found in prompts, or an order."""
    found = corrections_in(said)
    if len(found) == 1 and (found[0].original or len(found[0].corrected) >= _MOST_OF_IT * len(found[0].sentence)):
        return found[0]
    if found or _is_order(said):
        return PromptCorrection(found[0].type if found else "other", "", said, said, ORDER_CERTAINTY)
    return None


def _is_order(said: str) -> bool:
    # A line of control characters says nothing.
    if not said.strip() or _DESCRIBED.fullmatch(said) or _HOW_TO.match(said) or _POINTS.match(said):
        return False
    words = [word.strip(",.;:!?\"'()").lower() for word in said.split()[:3]]
    if _MUST.match(said) or forbids(said) or words[0] == "no":
        return True
    return words[0] in _ORDERS and not _FINITE & set(words[1:])


_GENERAL = frozenset({
    "overview", "notes", "note", "important", "general", "rules", "guidelines", "conventions", "misc", "miscellaneous",
    "introduction", "about", "instructions", "observations", "memory", "memories", "key points", "project", "summary",
})  # fmt: skip
