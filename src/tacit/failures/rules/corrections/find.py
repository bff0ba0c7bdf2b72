"""Find corrections in a prompt: what to do instead of something.

Precision comes before recall: questions, conditions, quotations, reports and one-time requests are not corrections.
Of other languages only standing rules are found, by the words that say so (`other_languages.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tacit.failures.rules.corrections.context import GENERAL, asks
from tacit.failures.rules.corrections.facts import DENIES, facts, names
from tacit.failures.rules.corrections.other_languages import foreign, only_names
from tacit.failures.rules.corrections.phrases import CorrectionMatch, bans, choices, orders, pairs, stops, then_use
from tacit.failures.rules.corrections.standing import replaced, standing
from tacit.failures.rules.corrections.vocabulary import is_code, is_tool, kind_of_pair
from tacit.model.failure import CorrectionType
from tacit.text.patterns import lazy_pattern
from tacit.text.program_prompts import is_by_program, typed_part
from tacit.text.prompt_sentences import Sentence, sentences

# Without one of these words there is no correction; most prompts have none of them.
_HINT = lazy_pattern(
    r"\b(?:use|using|prefere?|don['’]?t|do not|always|never|stop|switch|avoid|no|nope|nah|wrong|incorrect|actually|not|"
    r"instead|renamed|called|named|name|we|i|every|everything|each|all|any|nothing|must|should|before|after|whenever|"
    r"now on|rule|permanently|henceforth|forwards?|future|replace|stick|go|keep|put|store|save|add|when|for|forbidden|"
    r"default|in [a-z]+(?:ish|an|ese|ch)|ahora|agora|siempre|sempre|nunca|immer|ab|ora|altijd|parla|rispondi|scrivi|"
    r"schreibe?|antworte|sprich|rede|habla|escribe|responde|fale|antwoord)\b",
    re.I,
)
_AGREED = lazy_pattern(r",?\s+(?:ok|okay|please|yeah|alright|got it|understood|deal|will you|would you)$", re.I)
_REQUEST = lazy_pattern(
    r"^(?:(?:and|so|but|ok|okay|hey|also|then|btw|no)[\s,]+)*(?:can|could|will|would(?= you please)) (?:you|we) "
    r"(?:(?:please|pls|plz|also|just|make sure|ensure|that|you|we|to)\s+)*",
    re.I,
)
_FOR_GOOD = lazy_pattern(
    r"\b(?:always|never|from now on|going forward|moving forward|every time|each time|everywhere|only use|use only|"
    r"in this (?:project|repo(?:sitory)?|code ?base))\b",
    re.I,
)
_FORBIDS = lazy_pattern(r"(?:we\s+)?(?:don['’]?t|do\s+n['’]t|do\s+not|never|stop|avoid)\b", re.I)


MOST_READ_CHARS = 40_000


class PromptCorrection(NamedTuple):
    """A correction in a prompt: use `corrected` instead of `original`, and the sentence that says so.

    `original` is empty for a rule ("always …"). For a ban alone, `corrected` is the ban itself, and `forbids`
    recognises it. `confidence` says how likely this is meant as a lasting rule: from 0.6 it may interrupt a command,
    below that it only counts when it is repeated.
    """

    type: CorrectionType
    original: str
    corrected: str
    sentence: str
    confidence: float


def corrections_in(prompt: str) -> list[PromptCorrection]:
    """Find the corrections in a prompt; of a very long one only the beginning and the end are what a person wrote."""
    if len(prompt) > MOST_READ_CHARS:
        half = MOST_READ_CHARS // 2
        prompt = f"{prompt[:half]}\n\n{prompt[-half:]}"
    prompt = typed_part(prompt)
    if is_by_program(prompt) or not may_hold(prompt):
        return []
    found: dict[tuple[str, str], PromptCorrection] = {}
    for one in _all(prompt):
        key = (" ".join(one.original.casefold().split()), " ".join(one.corrected.casefold().split()))
        if key not in found or found[key].confidence < one.confidence:
            found[key] = one
    return list(found.values())


def may_hold(text: str) -> bool:
    """Return whether a text has a word without which there is no rule in it."""
    return not text.isascii() or bool(_HINT.search(text))


def forbids(corrected: str) -> bool:
    """Return whether a correction is only a ban, without a replacement."""
    return bool(_FORBIDS.match(corrected))


def _all(prompt: str) -> Iterator[PromptCorrection]:
    denied, waiting = False, list[tuple[CorrectionMatch, Sentence]]()
    own = list(sentences(prompt))
    for sentence, after in zip(own, [*(one.text for one in own[1:]), ""], strict=False):
        if waiting and (better := list(_completed(waiting, sentence))):
            yield from better
            denied, waiting = False, []
            continue
        yield from (_weighed(one, before) for one, before in waiting)
        if not may_hold(sentence.text):
            denied, waiting = False, []
            continue
        said = _said(sentence, after, denied=denied)
        waiting = [(one, sentence) for one in said if one.waits]
        yield from (_weighed(one, sentence) for one in said if not one.waits)
        denied = bool(DENIES.fullmatch(sentence.text))
    yield from (_weighed(one, before) for one, before in waiting)


def _completed(waiting: Sequence[tuple[CorrectionMatch, Sentence]], sentence: Sentence) -> Iterator[PromptCorrection]:
    """Give what was forbidden in one sentence with what the next one says to use instead; nothing if it does not."""
    instead = then_use(sentence)
    for one, before in waiting:
        whole = sentence._replace(shown=f"{before.shown} {sentence.shown}")
        if one.original and instead is not None:
            kind = kind_of_pair(one.original, instead.text)
            yield _weighed(one._replace(type=kind, corrected=instead.text, sure=0.85), whole)
        elif not one.original and only_names(sentence):
            gap = " " if before.shown.isascii() or before.shown[-1:] in ".!" else ""
            said = f"{before.shown}{gap}{sentence.text}"
            yield _weighed(one._replace(corrected=said), whole._replace(shown=f"{before.shown}{gap}{sentence.shown}"))


def _said(sentence: Sentence, after: str, *, denied: bool) -> list[CorrectionMatch]:
    """Find the corrections of one sentence; of overlapping ones, the one that says more."""
    text = sentence.text
    if sentence.asks:
        agreed = _AGREED.search(text)
        if agreed is None:
            return _requested(sentence)
        sentence = sentence._replace(text=text[: agreed.start()])
    if asks(sentence.text):
        return _requested(sentence)
    taken: list[CorrectionMatch] = []
    for form in (pairs, bans, names, lambda s: facts(s, denied=denied), stops, orders, choices, replaced):
        for one in form(sentence):
            if not any(one.start < other.end and other.start < one.end for other in taken):
                taken.append(one)
    # What is said in general holds for the sentence as a whole; the other forms say more.
    taken = taken or list(standing(sentence, after)) or list(foreign(sentence))
    return sorted(taken, key=lambda one: one.start)


def _requested(sentence: Sentence) -> list[CorrectionMatch]:
    """Find the rule of a polite question: "can you please use tabs from now on"."""
    order = _REQUEST.sub("", sentence.text)
    if order == sentence.text or not _FOR_GOOD.search(order):
        return []
    wanted = sentence._replace(text=order, asks=False)
    return [one for form in (pairs, bans, orders) for one in form(wanted)] or list(standing(wanted))


def _weighed(one: CorrectionMatch, sentence: Sentence) -> PromptCorrection:
    sure = one.sure
    if GENERAL.search(sentence.text):
        sure += 0.1
    if one.original and all(is_tool(side) or is_code(side) for side in (one.original, one.corrected)):
        sure += 0.05
    if one.type == "other":
        sure -= 0.25
    return PromptCorrection(one.type, one.original, one.corrected, sentence.shown, round(min(0.95, sure), 2))
