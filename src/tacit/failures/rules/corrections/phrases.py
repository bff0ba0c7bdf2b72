"""The phrases that state a correction, each with the conditions under which it counts as a rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tacit.failures.rules.corrections.context import GENERAL, leads
from tacit.failures.rules.corrections.operands import Operand, is_local, operand
from tacit.failures.rules.corrections.vocabulary import (
    EVERYDAY,
    HABITS,
    VERBS,
    is_case,
    is_tool,
    kind_of_order,
    kind_of_pair,
)
from tacit.model.failure import CorrectionType
from tacit.text.patterns import lazy_pattern
from tacit.text.prompt_sentences import Sentence

_INSTEAD = r"(?:inste?a?d|instaed|intead)"
_OF = rf"(?:{_INSTEAD}\s+of|rath?er\s+th[ae]n|in\s+place\s+of)"
_X = r"(?P<x>(?:(?![,;:!?](?:\s|$))[^()–—]){1,90}?)"
_Y = r"(?P<y>[^\n]{1,120})"
_DONT = r"(?:don['’]?t|do\s+n['’]t|do\s+not)"

_PAIRS = (
    (lazy_pattern(rf"\buse\s+{_X},?\s+{_OF}\s+{_Y}", re.I), 0.8),
    (lazy_pattern(rf"\bprefer(?:e)?\s+(?:to\s+use\s+|using\s+)?{_X},?\s+(?:over|{_OF})\s+{_Y}", re.I), 0.8),
    (lazy_pattern(rf"\b(?:{_INSTEAD}\s+of|rather\s+than)\s+(?P<y>[^,;:]{{1,60}}?),?\s+(?:(?:please|always|just)\s+)?"
                rf"(?:use|prefer)\s+(?P<x>[^\n]{{1,100}})", re.I), 0.8),
    (lazy_pattern(rf"\buse\s+{_X},?\s+(?P<not>not|never)\s+{_Y}", re.I), 0.8),
    (lazy_pattern(r"\bswitch\s+(?:over\s+)?from\s+(?P<y>[^,;:]{1,60}?)\s+to\s+(?P<x>[^\n]{1,60})", re.I), 0.7),
)  # fmt: skip
# What it should be, for names and tools only: "it should be camelCase, not snake_case".
_SHOULD_BE = lazy_pattern(
    rf"^(?:(?:no|nope|again|please|and|but|ok)[\s,]+){{0,2}}(?:[\w-]+\s+){{1,4}}?(?:should|"
    rf"must)\s+be\s+(?:using\s+)?{_X},?"
    rf"\s+(?P<not>not|never)\s+{_Y}",
    re.I,
)
# About one thing that was done, it is a rule only if both are programs.
_DONE_WITH = lazy_pattern(
    rf"\b(?:run|build|test|deploy|lint|format|install|start|check|compile|publish)\s+(?:[\w-]+\s+){{1,3}}?"
    rf"(?:with|using|via|through)\s+{_X},?\s+(?:(?P<not>not|never)(?:\s+with)?|{_OF})\s+{_Y}",
    re.I,
)
_NEXT_PAIR = lazy_pattern(rf"\s*(?:,\s*(?:and\s+)?|\s+and\s+){_X}\s+{_OF}\s+{_Y}", re.I)
_BAN = lazy_pattern(rf"\b(?P<no>(?P<dont>{_DONT})(?:\s+ever)?\s+use|never(?:\s+ever)?\s+use|stop\s+using|"
                  rf"avoid(?:\s+using)?)\s+(?P<y>[^\n]{{1,160}})", re.I)  # fmt: skip
_BAN_RUN = lazy_pattern(
    rf"\b(?P<no>(?P<dont>{_DONT})\s+ever\s+(?:run|call)|never(?:\s+ever)?\s+(?:run|call))\s+(?P<y>[^\n]{{1,160}})", re.I
)
_USE_THEN = lazy_pattern(
    r"(?:^|[\s,;.–—-])(?:(?:and|but|please|instead|always|we|just|rather|you should|only)\s+){0,3}"
    r"(?:use|prefer)\s+(?P<x>[^\n]{1,80})",
    re.I,
)
_ONLY_NAMES = lazy_pattern(
    r"(?:(?:and|but|please|instead|always|just|rather|only)[\s,]+){0,2}"
    r"(?P<x>(?!(?:go|just|make|ok|do|it)\b)[\w.+-]+|[\ue000-\uf8ff])"
    r"(?:,?\s+(?:instead|only|please|always|it is|then|here)){0,2}",
    re.I,
)
_PROGRAM = lazy_pattern(r"\b(?:cli|command.line tool|package manager)$", re.I)
_RUN_THEN = lazy_pattern(r"[,;–—-]\s+(?:(?:but|instead|always|just|rather)\s+)?run\s+(?P<x>[^\n]{1,80})", re.I)
_USE_INSTEAD = lazy_pattern(rf"\b(?:use|prefer)\s+{_X}\s+{_INSTEAD}(?!\s+of)\b", re.I)
_SWITCH_TO = lazy_pattern(r"\bswitch\s+(?:over\s+)?to\s+(?P<x>[^\n]{1,60})", re.I)
_ORDER = lazy_pattern(rf"\b(?:always|never(?:\s+ever)?|{_DONT}\s+ever)\s+(?P<verb>[\w-]{{2,20}})\b", re.I)
_STOP = lazy_pattern(r"\bstop\s+(?P<verb>[\w-]{2,20}ing)\b", re.I)
# A clause of an order ends at a comma only where something new begins; a list goes on. A dash ends it, an option of a
# command does not.
_ENDS = lazy_pattern(
    r"[;:!?](?=\s|$)|\s(?:\(|-(?!-?\w|-\s+-))|[–—()]|"
    r",?\s(?:because|since|otherwise|so that|or else|as it|thanks|please|pls|plz|ok)\b|"
    r",\s*(?:and|but|so|or|it|that|this|these|we|you|i|they|which|as|even|never|always|don'?t|do|use|then|the|not|no|"
    r"there"
    r"|he|she|relative|if|when|just|also|unless)\b|\s(?:and|but)\s(?=(?:" + "|".join(sorted(VERBS)) + r")\b)",
    re.I,
)
_FRAGMENT = lazy_pattern(
    r"^(?:(?:no|nope|please|it'?s|that'?s)[\s,]+){0,2}(?P<x>[^\s,]+(?: [^\s,]+){0,2}),?\s+not\s+(?P<y>[^,]{1,40})$",
    re.I,
)


_TOLD_BEFORE = lazy_pattern(
    r"(?:i(?:'ve| have)? (?:already )?(?:told|asked|said)(?: (?:to )?you)?(?: already| before| twice| again)?|again|"
    r"once more|reminder|remember)[\s:,–—-]+",
    re.I,
)


class CorrectionMatch(NamedTuple):
    """A correction that was found: its position in the sentence, and the confidence of its form."""

    type: CorrectionType
    original: str
    corrected: str
    start: int
    end: int
    sure: float
    waits: bool = False
    """Whether it only says what not to use; the next sentence may then say what to use."""


def pairs(sentence: Sentence) -> Iterator[CorrectionMatch]:
    """Find corrections that name both what to use and what it replaces."""
    text = sentence.text
    for pattern, sure in _PAIRS:
        for found in pattern.finditer(text):
            if not _may(sentence, found.start(), itself=found[0].lower().startswith("prefer")):
                continue
            if (one := _pair(sentence, found, sure)) is not None:
                yield one
                yield from _more_pairs(sentence, one)
    for found in _DONE_WITH.finditer(text):
        done = _pair(sentence, found, 0.75) if _may(sentence, found.start()) else None
        if done is not None and is_tool(done.original) and is_tool(done.corrected):
            yield done
    should = _SHOULD_BE.match(text)
    one = _pair(sentence, should, 0.8) if should and not is_local(text) else None
    if one and (is_case(one.original, one.corrected) or (is_tool(one.original) and is_tool(one.corrected))):
        yield one
    told = _TOLD_BEFORE.match(text)
    if (fragment := _FRAGMENT.match(text[told.end() :] if told else text)) and is_tool(sentence.bare(fragment["x"])):
        one = _pair(sentence, fragment, 0.7)
        if one is not None and is_tool(one.original):
            yield one


def _may(sentence: Sentence, start: int, *, itself: bool = False) -> bool:
    local = is_local(sentence.text) and "next time" not in sentence.text.lower()
    return not local and leads(sentence.text, start, self_too=itself)


def _pair(sentence: Sentence, found: re.Match[str], sure: float) -> CorrectionMatch | None:
    general = bool(GENERAL.search(sentence.text))
    x, y = operand(sentence, found["x"], general=general), operand(sentence, found["y"], general=general)
    if x is None or y is None or x.text.lower() == y.text.lower():
        return None
    if "not" in found.re.groupindex and x.rest and not GENERAL.fullmatch(x.rest) and not is_case(x.text, y.text):
        # "Use X for A, not B" contrasts B with A, unless B can only be the alternative to X.
        return None
    end = found.start("y") + y.used if found.start("y") > found.start("x") else found.start("x") + x.used
    kind = kind_of_pair(y.text, x.text)
    if kind == "other" and x.is_code and y.is_code:
        kind = "code-pattern"
    if kind in ("other", "fact-correction") and not general:
        # Words that are not tools, code or style mostly belong to the task; two plain ones may be tools.
        if not _plain(x.text, y.text) or found.end("y") != len(sentence.text):
            return None
        sure = 0.8
    return CorrectionMatch(kind, y.text, x.text, found.start(), end, sure)


def _plain(*sides: str) -> bool:
    return all(re.fullmatch(r"[a-z][a-z0-9-]{2,30}", side) and side not in EVERYDAY for side in sides)


def _more_pairs(sentence: Sentence, first: CorrectionMatch) -> Iterator[CorrectionMatch]:
    """Find the pairs of a list: "A instead of B and C instead of D"."""
    text = sentence.text
    at = text.lower().find(first.original.lower(), first.start)
    for _ in range(4):
        found = _NEXT_PAIR.match(text, at + len(first.original)) if at >= 0 else None
        one = _pair(sentence, found, first.sure) if found else None
        if one is None:
            return
        yield one
        first, at = one, text.lower().find(one.original.lower(), one.start)


def bans(sentence: Sentence) -> Iterator[CorrectionMatch]:
    """Find bans, with the replacement if the sentence names one."""
    text = sentence.text
    for found in (*_BAN.finditer(text), *_BAN_RUN.finditer(text)):
        lasting = not found["dont"] or found.re is _BAN_RUN
        if (is_local(text) and not lasting) or not leads(text, found.start()):
            continue
        general = lasting or bool(GENERAL.search(text))
        y = operand(sentence, found["y"], general=general)
        if found.re is _BAN_RUN and (y is None or not (is_tool(y.text) or y.is_code)):
            continue  # what is run may be anything; only a command is told apart here
        if y is None or re.match(rf"{_INSTEAD}\b|rather\b|more than|too m", y.rest or y.text, re.I):
            continue
        after = max(0, found["y"].find(y.text))
        then = _USE_THEN.search(found["y"], after)
        then = then or (_RUN_THEN.search(found["y"], after) if found.re is _BAN_RUN else None)
        x = operand(sentence, then["x"], general=True) if then else None
        start = found.start() - 3 if re.search(r"\bwe $", text[: found.start()], re.I) else found.start()
        if x is not None:
            yield CorrectionMatch(kind_of_pair(y.text, x.text), y.text, x.text, start, len(text), 0.85)
        elif found["no"].lower() != "avoid":
            end = start + len(_told(text[start:]))
            said = sentence.said(text[start:end]).strip(" .,!")
            kind = kind_of_order(said, y.text)
            if kind == "workflow-step" and not (general or y.is_code or _PROGRAM.search(y.text)):
                continue
            yield CorrectionMatch(kind, y.text, said, start, end, 0.75, waits=True)


def _told(text: str) -> str:
    """Return an order up to the end of its clause."""
    end = _ENDS.search(text)
    return (text[: end.start()] if end else text).rstrip(" .,!")


def then_use(sentence: Sentence) -> Operand | None:
    """Return what a sentence says to use instead of what the previous sentence banned."""
    text = sentence.text
    if found := _USE_THEN.match(text):
        return operand(sentence, found["x"]) if not is_local(text) else None
    named = _ONLY_NAMES.fullmatch(text) if not sentence.asks else None
    return operand(sentence, named["x"]) if named and is_tool(sentence.bare(named["x"])) else None


def orders(sentence: Sentence) -> Iterator[CorrectionMatch]:
    """Find rules that contain "always" or "never"."""
    text = sentence.text
    for found in _ORDER.finditer(text):
        if found["verb"].lower() not in VERBS or not leads(text, found.start()):
            continue
        told = _told(text[found.start() :])
        words = told.split()
        if not 3 - ("-" in told) <= len(words) <= 16:
            continue
        named = operand(sentence, told[found.end("verb") - found.start() :], general=True)
        uses = found["verb"].lower() == "use"
        if uses and named is None:
            continue
        kind = kind_of_order(told, named.text if named and _about_code(found["verb"]) else "")
        yield CorrectionMatch(kind, "", sentence.said(told), found.start(), found.start() + len(told), 0.8)


def _about_code(verb: str) -> bool:
    return verb.lower() in (
        "use",
        "import",
        "write",
        "swallow",
        "catch",
        "raise",
        "throw",
        "declare",
        "return",
        "define",
    )


def stops(sentence: Sentence) -> Iterator[CorrectionMatch]:
    """Find things that an agent is asked to stop doing."""
    text = sentence.text
    for found in _STOP.finditer(text):
        if found["verb"].lower() not in HABITS or found["verb"].lower() == "using" or not leads(text, found.start()):
            continue
        told = _told(text[found.start() :])
        what = told[len("stop") :].strip()
        rest = what.split()[1:]
        # A clause does not end at a colon.
        broken = text[found.start() + len(told) :].startswith(":")
        if (
            broken
            or not rest
            or len(rest) > 12
            or (len(rest) == 1 and rest[0].lower() in ("it", "that", "this", "them", "so", "there"))
        ):
            continue
        kind = kind_of_order(told, what)
        yield CorrectionMatch(
            kind, sentence.said(what), sentence.said(told), found.start(), found.start() + len(told), 0.75
        )


def choices(sentence: Sentence) -> Iterator[CorrectionMatch]:
    """Find tools to use from now on, where the sentence does not name what they replace."""
    for pattern in (_SWITCH_TO, _USE_INSTEAD):
        for found in pattern.finditer(sentence.text):
            x = operand(sentence, found["x"]) if _may(sentence, found.start()) else None
            if x is not None and is_tool(x.text) and len(x.text.split()) <= 2:
                yield CorrectionMatch("tool-preference", "", x.text, found.start(), found.end(), 0.6)
