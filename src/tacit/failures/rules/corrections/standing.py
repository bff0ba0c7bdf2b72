"""Find standing rules: sentences about the way of working that hold beyond the task at hand.

A marker says that it lasts ("from now on", "every commit"), or its form does (`customs.py`). What is about the product,
about one place, or about this moment is part of the task.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.failures.rules.corrections.context import LOCAL
from tacit.failures.rules.corrections.customs import is_custom
from tacit.failures.rules.corrections.phrases import CorrectionMatch
from tacit.failures.rules.corrections.topics import is_about_product, is_about_work
from tacit.failures.rules.corrections.vocabulary import VERBS, kind_of_order, words_in
from tacit.text.patterns import lazy_pattern
from tacit.text.prompt_sentences import Sentence

MOST_WORDS = 60
_MOST_STATED = 36
_LEAST_WORDS = 2
_MOST_LEAD = 8
_NOW = lazy_pattern(
    r"\b(?:yet|now(?! on)|right now|currently|today|tonight|for the (?:moment|time being)|for now|meanwhile|"
    r"temporar\w+|"
    r"this (?:time|round|pass|session|week|sprint|pr|one|change|task|step|phase|file|page)|in the meantime|next step|"
    r"at (?:this|the) (?:point|moment)|first|previous|above|below|again\b(?! and again)|wip|prototype|poc|"
    r"the (?:last|next|current|other) \w+)\b",
    re.I,
)
# Whatever follows them lasts.
_STRONG = (
    r"(?:from now on(?:wards?)?|from here on(?: out)?|from this point (?:on|forward)|going forwards?|moving forwards?|"
    r"henceforth|(?:for|in) (?:all |any )?(?:the )?future (?:sessions?|conversations?|"
    r"chats?))(?<!before going forward)(?<!before moving forward)"
)
_UNIT = (
    r"(?:change|commit|push|merge|pr|pull request|feature|edit|release|deploy|session|function|file|fix|prompt|"
    r"question|"
    r"message|answer|response|conversation)"
)
_WITH_ORDER = (
    r"(?:(?:each|every) (?:single )?time|at all times|as a (?:general )?rule|permanently|no matter what|"
    rf"for (?:each|every|any) (?:\w+ )?{_UNIT}s?(?: (?:that )?you (?:make|do|write|touch|change|create|add|"
    rf"modify)\w*)?|"
    rf"(?:after|before) (?:each|every|any) (?:\w+ )?{_UNIT})"
)
# At the beginning of a sentence they say when a rule holds; elsewhere they often belong to what is built.
_AT_FIRST = (
    r"(?:in (?:the )?future|next time|by default|in general|whenever (?:you|i) (?!are ready|['’]re ready|want|like|"
    r"have time|get)[\w ]{2,40}|"
    r"when (?:you )?(?:commit|push|deploy|releas|merg|test)\w*)"
)
_LASTS = lazy_pattern(rf"^(?P<lead>.*?)\b{_STRONG}\b(?P<rest>.*)$", re.I)
_ORDER_AFTER = lazy_pattern(rf"^(?P<lead>.{{0,60}}?)\b(?P<mark>{_WITH_ORDER})[\s,.:;-]+(?P<order>\S.*)$", re.I)
_ORDER_BEFORE = lazy_pattern(rf"^(?P<order>.*?\S)[\s,]+(?P<mark>{_WITH_ORDER})(?P<rest>\b.*)$", re.I)
_OPENED = lazy_pattern(
    rf"^(?P<lead>(?:(?:and|but|also|so|please|ok|btw)[\s,]+)*)(?P<mark>{_AT_FIRST})[\s,:;-]+(?P<order>\S.*)$", re.I
)
_POLITE = lazy_pattern(
    r"^(?:(?:can|could|would|will) (?:you|we) (?:please |pls |also |always )*+|no[,.!]\s*|(?:please|pls|plz|just|also|"
    r"and|"
    r"ok|okay|so|then|but|hey|yes|nope|well)[\s,]+)+",
    re.I,
)
_SUBJECT = lazy_pattern(
    r"^(?:you|we|let'?s|lets|i want you to|agents?|claude|everyone)\s+(?:(?:should|must|shall|can|will|would|want to|"
    r"need to|"
    r"have to|ought to|always|only|never|are going to)\s+){0,2}",
    re.I,
)
_NO = lazy_pattern(r"^(?:don['’]?t|do not|never|no|avoid|stop|not)\s+", re.I)
_ADVERB = lazy_pattern(r"^(?:always|only|just|also|please|directly|simply|really|actually|ever)\s+", re.I)
_MORE_VERBS = words_in("""
    open close start begin end split divide sync list show spawn work stay report notify post present provide propose
    group sort limit describe summarise summarize number label order rely target continue go do be append
""")
_TOLD = lazy_pattern(
    r"^i(?:['’]ve| have)?(?: already)? (?:told|asked) you(?: already| before| again)?[\s,:]+(?:to |that )?", re.I
)
_NEVER_AGAIN = lazy_pattern(r"(?<=never)\b(.*?)\bagain\b", re.I)
# Before a marker they make a report, a condition or a question of it.
_DOUBTS = lazy_pattern(r"\b(?:if|so|will it|does|would|whether|might|maybe|says?|said)\b", re.I)
# The file in which an agent keeps its rules.
_RULES_FILE = lazy_pattern(
    r"\b(?:claude|agents?|gemini|copilot-instructions|cursorrules|memory|rules)\.?(?:md|mdc|file)?\b(?: file)?"
    r"(?: (?:to|that|so that|saying|you|we)|\s?:)+\s+(?P<order>(?:always|never|don['’]?t|do not|not)\b.{6,})$",
    re.I,
)
_REPLACE = lazy_pattern(
    r"^(?:please\s+)?replace\s+(?P<y>\S+(?: \S+)?)\s+(?:with|by)\s+(?P<x>\S+(?: \S+)??)\s+(?P<where>everywhere|"
    r"(?:in|across|throughout) (?:this|the whole|the entire|our) \w+)",
    re.I,
)


def standing(sentence: Sentence, after: str = "") -> Iterator[CorrectionMatch]:
    """Find the standing rule of a sentence; `after` is the sentence that follows, which may give the reason."""
    text = sentence.text
    if not _LEAST_WORDS <= len(text.split()) <= MOST_WORDS:
        return
    found = _for_rules_file(text) or _marked(sentence) or _stated(sentence, after)
    if found:
        said = sentence.said(found).strip(" .,;:!-")
        start = max(0, text.find(found))
        yield CorrectionMatch(kind_of_order(said), "", said, start, start + len(found), 0.8)


def _for_rules_file(text: str) -> str:
    found = _RULES_FILE.search(text)
    return text[found.start("order") :] if found else ""


def _marked(sentence: Sentence) -> str:
    """Return a rule with a marker that says how long it holds; the marker may stand before it or after it."""
    text = sentence.text
    if (found := _LASTS.match(text)) and not sentence.asks and not _DOUBTS.search(found["lead"]):
        whole = _POLITE.sub("", text)
        if len(f"{found['lead']} {found['rest']}".split()) <= _LEAST_WORDS:
            return ""
        return whole if is_order(found["lead"] or found["rest"].strip(" ,:;-")) or not is_about_product(text) else ""
    first, last = _ORDER_AFTER.match(text) or _OPENED.match(text), _ORDER_BEFORE.match(text)
    led = first and len(first["lead"].split()) <= _MOST_LEAD and not _DOUBTS.search(first["lead"])
    if first and led and is_order(first["order"]) and not is_about_product(text):
        return text[first.start("mark") :]
    if last and not _NOW.search(last["order"]) and is_order(last["order"]):
        return _POLITE.sub("", text)
    return ""


def _stated(sentence: Sentence, after: str) -> str:
    """Return a sentence whose form says how the work is done here."""
    text = _POLITE.sub("", sentence.text)
    again = _NEVER_AGAIN.sub("", text)
    if sentence.asks or _NOW.search(again) or LOCAL.search(text) or is_about_product(text):
        return ""
    if len(text.split()) > _MOST_STATED:
        return ""
    if (told := _TOLD.match(text)) and is_order(text[told.end() :]) and is_about_work(text):
        # "I told you not to push": what follows "not" alone would say the opposite.
        return text
    return text if is_custom(text, after) else ""


def is_order(text: str) -> bool:
    """Return whether a clause tells somebody what to do, or what not to do."""
    text = _ADVERB.sub("", _SUBJECT.sub("", _POLITE.sub("", text.strip())))
    if _NO.match(text):
        return True
    verb = text.split(" ", 1)[0].lower().strip(",.")
    return verb in VERBS or verb in _MORE_VERBS


def replaced(sentence: Sentence) -> Iterator[CorrectionMatch]:
    """Find what is to be replaced by something else in all of a project."""
    if found := _REPLACE.match(sentence.text):
        x, y = sentence.bare(found["x"]), sentence.bare(found["y"])
        yield CorrectionMatch("tool-preference", y, x, 0, len(sentence.text), 0.8)
