"""Find standing rules: sentences about the way of working that hold beyond the task at hand.

A marker says that it lasts ("from now on", "no longer", "every commit"), or the form does ("we don't do …", "I prefer
…", "use uv"). What is about the product, about one place, or about this moment is part of the task.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.failures.rules.corrections.context import LOCAL, leads
from tacit.failures.rules.corrections.operands import clause
from tacit.failures.rules.corrections.phrases import CorrectionMatch
from tacit.failures.rules.corrections.topics import (
    LASTING_TOOLS,
    is_about_code,
    is_about_product,
    is_about_work,
    names_tool,
)
from tacit.failures.rules.corrections.vocabulary import VERBS, kind_of_order, words_in
from tacit.text.patterns import lazy_pattern
from tacit.text.prompt_sentences import Sentence

MOST_WORDS = 32
_MOST_ENDED = 16
_FIRST_WORDS = 8
_LEAST_WORDS = 3
_NOW = lazy_pattern(
    r"\b(?:yet|now(?! on)|right now|currently|today|tonight|this (?:time|round|pass|session|week|sprint|pr|one|"
    r"change|task|"
    r"step|phase|file|page)|for the (?:moment|time being)|for now|meanwhile|temporar\w+|at (?:this|the) (?:point|"
    r"moment)|"
    r"in the meantime|first|next step|previous|above|below|again|wip|prototype|poc|the (?:last|next|current|"
    r"other) \w+)\b",
    re.I,
)
_WORK_UNIT = r"(?:change|commit|push|merge|pr|pull request|feature|edit|release|deploy|session|function|file|fix)"
_LASTING = (
    r"(?:from now on(?:wards?)?|from here on(?: out)?|from this point (?:on|forward)|going forwards?|moving forwards?|"
    r"henceforth|(?:each|every) (?:single )?time|at all times|as a (?:general )?rule|permanently|no matter what|"
    rf"for (?:each|every|any) (?:\w+ )?{_WORK_UNIT}s?(?: (?:that )?you (?:make|do|write|touch|change|create|add|"
    rf"modify)\w*)?|"
    rf"(?:after|before) (?:each|every|any) (?:\w+ )?{_WORK_UNIT})"
)
# At the beginning of a sentence they say when a rule holds; elsewhere they often belong to what is built.
_AT_FIRST = (
    r"(?:in (?:the )?future|by default|in general|whenever you [\w ]{2,30}|"
    r"when (?:you )?(?:commit|push|deploy|releas|merg|test)\w*)"
)
_MARKED_FIRST = lazy_pattern(rf"^(?P<lead>.{{0,60}}?)\b(?P<mark>{_LASTING})[\s,.:;-]+(?P<order>\S.*)$", re.I)
_OPENED = lazy_pattern(
    rf"^(?P<lead>(?:(?:and|but|also|so|please|ok|btw)[\s,]+)*)(?P<mark>{_AT_FIRST})[\s,:;-]+(?P<order>\S.*)$", re.I
)
_MARKED_LAST = lazy_pattern(rf"^(?P<order>.*?\S)[\s,]+(?P<mark>{_LASTING})(?P<rest>\b.*)$", re.I)
_POLITE = lazy_pattern(
    r"^(?:(?:can|could|would|will) (?:you|we) (?:please |pls |also |always )*|(?:please|pls|plz|just|also|and|ok|"
    r"okay|so|"
    r"then|but|hey|yes|nope|well)[\s,]+|no[,.!]\s*)+",
    re.I,
)
_SUBJECT = lazy_pattern(
    r"^(?:you|we|i|let'?s|lets|agents?|claude|everyone)\s+(?:(?:should|must|shall|can|will|would|want to|need to|"
    r"have to|"
    r"ought to|always|only|never|are going to)\s+){0,2}",
    re.I,
)
_NO = lazy_pattern(r"^(?:don['’]?t|do not|never|no|avoid|stop|not)\s+", re.I)
_ADVERB = lazy_pattern(r"^(?:always|only|just|also|please|directly|simply|really|actually|ever)\s+", re.I)
_VERB_LAST = lazy_pattern(r"^(?P<verb>[a-z-]{2,20}) (?:always|only ever)\b", re.I)
# A norm: every, no or any of something should, must or has to be a certain way.
_ALL = r"(?:every(?:thing)?|all|any(?:thing)?|each|no|nothing|none of|only)"
_MODAL = r"(?:should(?:n['’]?t)?|must(?:n['’]?t)?|needs? (?:to|an?)|has to|have to|shall|may|can(?:not|['’]t)?)"
_NORM = lazy_pattern(
    rf"^(?:(?:also|and|but|so|there (?:must|should) be)\s+)*(?:{_ALL} (?!idea|thoughts?|chance|"
    rf"way\b)(?:(?!\S*\.\.)[\w*./'’-]+,? ){{1,9}}?{_MODAL}\b|{_ALL} {_MODAL}\b|"
    rf"(?!it\b|this\b|that\b|these\b|those\b|they\b|the\b)[\w*./ '’-]{{2,60}}?\b(?:should|must|shall|can|may)\s+"
    rf"(?:never|always|not ever|only ever)\b|there (?:must|should) (?:never )?be no\b|"
    rf"[\w*./ '’-]{{2,60}}? (?:is|are) (?:strictly |always |never )?(?:forbidden|prohibited|banned|off limits|"
    rf"not allowed)"
    rf"\b).*$",
    re.I,
)
_ENDED = lazy_pattern(
    r"^(?:(?:fyi|also|and|btw|but|so|note that|ok|no)[\s,]+)*(?:(?:i|we)(?:['’]m| am|['’]re| are|['’]ve| have)? (?:"
    r"no longer (?:use|using|support|want|run|maintain|deploy|ship|publish|do)\b|"
    r"(?:do not|don['’]?t|won['’]?t) (?!need|think|see|know|get|have)\w+ (?!that|this|it\b|those|these|the\b|"
    r"them).{2,60}\bany ?more\b|"
    r"(?:stopped|quit|dropped) (?:using|supporting)|"
    r"(?:switched|moved|migrated) (?:over )?(?:from \S+ )?to (?!the\b|a\b|an\b|another|my\b|your\b|branch|\S*/)\S+)|"
    r"no longer (?:use|using|support|need)\b)",
    re.I,
)
_PREFERS = lazy_pattern(
    r"^(?:(?:and|but|also|so|btw|personally|generally|in general)[\s,]+)*(?P<who>i|we)(?:['’]d| would)?"
    r"(?: really| strongly| much| generally| usually| always)?\s+(?P<how>prefer|hate|dislike|favou?r|"
    r"(?:do not|don['’]?t) (?:like|want|do|allow|use|write|commit|push|deploy|merge|mock|ship|support|accept|tolerate)|"
    r"want you to (?:always|never))\b(?P<what>.+)$",
    re.I,
)
_POINTS = lazy_pattern(
    r"^\s*(?:it|this|that|these|those|the|them|a|an|my|your|option|to see|when it|if|how|what|not|neither|"
    r"(?:first|second|third|latter|former|other)\b|\d)\b",
    re.I,
)
# People who say what they do themselves do not give an order.
_OWN = lazy_pattern(r"\b(?:myself|personally|but whatever|anyway)\b", re.I)
_INSTEAD = lazy_pattern(r"\b(?:instead of|rather than|just because)\b", re.I)
_QUANTIFIED = lazy_pattern(r"\b(?:any|every|all|always|never|ever|only|at all|anywhere|everywhere|whatsoever)\b", re.I)
_WE = lazy_pattern(
    r"\b(?P<who>we|our team|this (?:project|repo|codebase|team))\s+(?P<how>(?:do not|don['’]?t|never|always|only|"
    r"usually|generally|typically|normally|strictly|exclusively)\s+(?P<verb>[a-z-]{2,20})|uses?|(?:are|['’]re) using|"
    r"(?:have |['’]ve )?(?:switched|moved|migrated) to|follow|deploy|squash|pin|target|support|write|name|prefix|keep|"
    r"put|store|run|test|format|commit|merge|release|publish|build|log|document|version)s?\b(?P<what>.+)$",
    re.I,
)
_HERE = lazy_pattern(
    r"\b(?:everywhere|always|never|(?:in|for|throughout|across|with) (?:this|our|the) (?:repo(?:sitory)?|project|"
    r"code ?base|monorepo|team|org|company|workspace)|in general|by default|only|exclusively|entirely)\b",
    re.I,
)
_MORE_VERBS = words_in("""
    open close start begin end split divide sync list show spawn work stay report notify post present provide propose
    group sort limit describe summarise summarize number label order rely target write-up start-with continue go do be
""")
# Verbs of a state or of this moment, which say nothing about how the work is done.
_STATES = words_in("have need know see want care think mean get got find feel mind understand remember agree")
_USE = lazy_pattern(
    r"^(?:use|stick (?:to|with)|switch to|go with)\s+(?:the\s+|"
    r"only\s+)*(?P<tool>[\w.+-]+)(?P<rest>(?:\s+[\w.+-]+){0,6})$",
    re.I,
)
_AS = lazy_pattern(
    r"(?:\s+(?:as|for)\s+(?:the\s+|our\s+|all\s+|your\s+)?[\w -]{3,40}|\s+(?:run\s+)?(?:commands?|scripts?|cli|"
    r"targets?)|"
    r"\s+(?:please|here|everywhere|always|only|exclusively)){0,2}$",
    re.I,
)
# What agents do to people, and what a branch is spared of: forbidden once, forbidden always.
_BAN = lazy_pattern(
    r"^(?:(?:please|and|also|but|again|ok|no)[\s,]+)*(?:(?:make sure|ensure)(?: that)? (?:you|to|we)\s+)?"
    r"(?P<no>don['’]?t|do not|never|not|stop|avoid)\s+(?:ever\s+|actually\s+|just\s+)?(?P<what>.+)$",
    re.I,
)
_AT_PEOPLE = lazy_pattern(
    r"^(?:giv(?:e|ing)|tell(?:ing)?|instruct(?:ing)?|show(?:ing)?|send(?:ing)?|ask(?:ing)?|call(?:ing)?|"
    r"explain(?:ing)?|"
    r"apologi[sz](?:e|ing)|thank(?:ing)?|lectur(?:e|ing)|remind(?:ing)?) (?:me|to me|for|everything)\b",
    re.I,
)
_TO_MAIN = lazy_pattern(
    r"^(?:commit|push|merge|work|develop|force.?push)\w*\b.{0,30}\b(?:to|on|into|in) (?:the )?(?:main|master|"
    r"production|prod|develop)"
    r"\b",
    re.I,
)
_REASON = lazy_pattern(
    r"\b(?:because|since|as it|otherwise|it (?:builds?|runs?|deploys?|happens?|breaks?|is done) (?:in|on|by|via)|"
    r"(?:ci|the pipeline|github actions?) (?:does|builds?|runs?|handles?|takes care))\b",
    re.I,
)
_RULES_FILE = lazy_pattern(
    r"\b(?:claude|agents?|gemini|copilot-instructions|cursorrules|memory|rules)\.?(?:md|mdc|file)?\b(?: file)?"
    r"(?: (?:to|that|so that|saying|you|we)|\s?:)+\s+(?P<order>(?:always|never|don['’]?t|do not)\b.{6,})$",
    re.I,
)
_ANYWHERE = lazy_pattern(
    r"\b(?:anywhere|everywhere|whatsoever|under any circumstances?|at any time|in any \w+)\b", re.I
)
_NO_POINT = lazy_pattern(r"^there(?:['’]s| is) no (?:point|need|use)(?: in)? [a-z]+ing\b", re.I)
# In these words an order lasts, whatever its verb.
_ORDERED = lazy_pattern(r"^(?:always|never(?: ever)?) [a-z]{2,}\b.{2,}", re.I)
_ONLY = lazy_pattern(r"\b(?:(?:use|using) only|only (?:use|using|ever use)) (?P<what>.{2,60})", re.I)
_REPLACE = lazy_pattern(
    r"^(?:please\s+)?replace\s+(?P<y>\S+(?: \S+)?)\s+(?:with|by)\s+(?P<x>\S+(?: \S+)??)\s+(?P<where>everywhere|"
    r"(?:in|across|throughout) (?:this|the whole|the entire|our) \w+)",
    re.I,
)


def standing(sentence: Sentence, after: str = "") -> Iterator[CorrectionMatch]:
    """Find the standing rule of a sentence; `after` is the sentence that follows, which may give the reason."""
    text = sentence.text
    if not _LEAST_WORDS - 1 <= len(text.split()) <= MOST_WORDS:
        return
    found = _for_rules_file(text) or _marked(sentence) or ("" if is_about_product(text) else _stated(sentence, after))
    if found:
        said = sentence.said(found).strip(" .,;:!-")
        start = max(0, text.find(found))
        yield CorrectionMatch(kind_of_order(said), "", said, start, start + len(found), 0.8)


def _for_rules_file(text: str) -> str:
    """Return an order that is to be written into the file in which an agent keeps its rules."""
    found = _RULES_FILE.search(text)
    return text[found.start("order") :] if found else ""


def _marked(sentence: Sentence) -> str:
    """Return an order with a marker that says how long it holds; the marker may stand before it or after it."""
    text = sentence.text
    first, last = _MARKED_FIRST.match(text) or _OPENED.match(text), _MARKED_LAST.match(text)
    if first and _leads(first["lead"]) and is_order(first["order"]):
        return text[first.start("mark") :]
    if last and not _NOW.search(last["order"]) and is_order(last["order"]):
        return _POLITE.sub("", text)
    return ""


def _stated(sentence: Sentence, after: str) -> str:
    text = _POLITE.sub("", sentence.text)
    if sentence.asks or _NOW.search(text) or LOCAL.search(text):
        return ""
    about = is_about_work(text)
    if _ENDED.match(text) and len(text.partition(" (")[0].split()) <= _MOST_ENDED:
        return text
    if about and (_NORM.match(text) or _ORDERED.match(text)):
        return text
    if (
        (only := _ONLY.search(text))
        and (names_tool(only["what"]) or "cli" in only["what"].lower().split())
        and len(text.split()) <= _MOST_ENDED
    ):
        return text
    if about and (late := _VERB_LAST.match(text)) and late["verb"].lower() in VERBS:
        return text
    if found := _PREFERS.match(text):
        return text if _is_preference(found) else ""
    if found := _WE.search(text):
        return text[found.start() :] if leads(text, found.start()) and _is_custom(found) else ""
    if (found := _USE.match(text)) and found["tool"].lower() in LASTING_TOOLS and _AS.fullmatch(found["rest"]):
        return text
    if found := _BAN.match(text):
        what = found["what"]
        if _INSTEAD.search(what):
            return ""
        lasting = _REASON.search(what) or _REASON.match(after.strip()) or _ANYWHERE.search(what)
        return text if _AT_PEOPLE.match(what) or _TO_MAIN.match(what) or (about and lasting) else ""
    if about and _NO_POINT.match(text):
        return text
    return ""


def _names_program(text: str) -> bool:
    return names_tool(text) or "cli" in text.lower().split()


def is_order(text: str) -> bool:
    """Return whether a clause tells somebody what to do, or what not to do."""
    text = _SUBJECT.sub("", _POLITE.sub("", text.strip()))
    text = _ADVERB.sub("", text)
    if _NO.match(text):
        return True
    verb = text.split(" ", 1)[0].lower().strip(",.")
    return verb in VERBS or verb in _MORE_VERBS


def _leads(lead: str) -> bool:
    return len(lead.split()) <= 8 and not re.search(r"\b(?:if|so|will|does|would|i)\b", lead, re.I)


def _is_preference(found: re.Match[str]) -> bool:
    """Return whether a wish is about the way of working, and names what it is about."""
    what, how = clause(found["what"]), found["how"].lower()
    if _OWN.search(found[0]) or _POINTS.match(what) or not (is_about_work(what) or is_about_code(what)):
        return False
    near = " ".join(what.split()[:_FIRST_WORDS])
    if how.endswith((" like", " want")) or (how.startswith("do") and found["who"].lower() == "i"):
        return bool(_QUANTIFIED.search(near))
    return True


def _is_custom(found: re.Match[str]) -> bool:
    """Return whether a sentence about us says how we work."""
    verb, what = (found["verb"] or "").lower(), found["what"]
    if verb in _STATES or not (is_about_work(found[0]) or is_about_code(what)):
        return False
    if found["verb"]:
        return True
    first = what.strip().split(" ", 1)[0].lower().strip(",.")
    return bool(_HERE.search(found[0])) or (first in LASTING_TOOLS and found["how"].lower() in ("use", "uses", "run"))


def replaced(sentence: Sentence) -> Iterator[CorrectionMatch]:
    """Find what is to be replaced by something else in all of a project."""
    if found := _REPLACE.match(sentence.text):
        x, y = sentence.bare(found["x"]), sentence.bare(found["y"])
        yield CorrectionMatch("tool-preference", y, x, 0, len(sentence.text), 0.8)
