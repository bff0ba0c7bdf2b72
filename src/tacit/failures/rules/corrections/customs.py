"""Forms of sentences that say how the work is done here: norms, customs, preferences, choices of tools, bans."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from tacit.failures.rules.corrections.topics import LASTING_TOOLS, is_about_work, names_tool
from tacit.failures.rules.corrections.vocabulary import VERBS, words_in
from tacit.text.patterns import lazy_pattern

_SHORT = 16
_FIRST_WORDS = 8
# Every, no or any of something should, must or has to be a certain way.
_ALL = r"(?:every(?:thing)?|all|any(?:thing)?|each|no|nothing|none of|only)"
_MODAL = r"(?:should(?:n['’]?t)?|must(?:n['’]?t)?|needs? (?:to|an?)|has to|have to|shall|may|can(?:not|['’]t)?)"
_NORM = lazy_pattern(
    rf"^(?:(?:also|and|but|so|there (?:must|should) be)\s+)*(?:{_ALL} (?!idea|thoughts?|chance|way\b)"
    rf"(?:(?!\S*\.\.)[\w*./'’-]+,? ){{1,9}}?{_MODAL}\b|{_ALL} {_MODAL}\b|"
    rf"(?!it\b|this\b|that\b|these\b|those\b|they\b|the\b)[\w*./ '’-]{{2,60}}?\b(?:should|must|shall|can|may)\s+"
    rf"(?:never|always|not ever|only ever)\b|there (?:must|should) (?:never )?be no\b|"
    rf"[\w*./ '’-]{{2,60}}? (?:is|are) (?:strictly |always |never )?(?:forbidden|prohibited|banned|off limits|"
    rf"not allowed)\b).*$",
    re.I,
)
_WHEN = r"(?:(?:when|if|before|after|for|on)\b[^,]{3,60}(?:, ?| (?=always|never)))?"
_NO_ORDER = r"mind\b|had\b|been\b|have\b|get\b|got\b|seem|know|dealt|\w+ing\b|\w+ed\b"
# With us, or you, as the subject an order lasts, whatever it is about.
_TO_US = lazy_pattern(
    rf"^{_WHEN}(?:(?:we|you)\s+(?:should|must|need to|have to|ought to)|let['’]?s|lets|i want you to|please)\s+"
    rf"(?:always|never(?: ever)?)\s+(?!{_NO_ORDER})[a-z-]{{2,}}\b.{{2,}}$",
    re.I,
)
_ORDERED = lazy_pattern(rf"^{_WHEN}(?:always|never(?: ever)?)\s+(?!{_NO_ORDER})[a-z-]{{2,}}\b.{{2,}}$", re.I)
_VERB_LAST = lazy_pattern(r"^(?P<verb>[a-z-]{2,20}) (?:always|only ever)\b.+$", re.I)
_ENDED = lazy_pattern(
    r"^(?:(?:fyi|also|and|btw|but|so|note that|ok|no)[\s,]+)*(?:(?:i|we)(?:['’]m| am|['’]re| are|['’]ve| have)? (?:"
    r"no longer (?:use|using|support|want|run|maintain|deploy|ship|publish|do)\b|"
    r"(?:do not|don['’]?t|won['’]?t) (?!need|think|see|know|get|have)\w+ (?!that|this|it\b|those|these|the\b|them)"
    r".{2,60}\bany ?more\b|(?:stopped|quit|dropped) (?:using|supporting)|"
    r"(?:switched|moved|migrated) (?:over )?(?:from \S+ )?to (?!the\b|a\b|an\b|another|my\b|your\b|branch|\S*/)\S+)|"
    # That something is not needed is the state of things; with an order beside it, it is the reason for that.
    r"no longer (?:use|using|support|need\b(?=.*\b(?:never|don['’]?t|do not|always|stop|avoid)\b))\b).*$",
    re.I,
)
_PREFERS = lazy_pattern(
    r"^(?:(?:and|but|also|so|btw|generally|in general)[\s,]+)*(?P<who>i|we)(?:['’]d| would)?"
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
_EVER = lazy_pattern(r"\b(?:always|never|ever|at all|anywhere|everywhere|whatsoever)\b", re.I)
_WE = lazy_pattern(
    r"^(?:(?:in this \w+|here|fyi|btw|note that|and|but|because|since|also|remember)[\s,]+)*"
    r"(?P<who>we|our team|this (?:project|repo|codebase|team))\s+(?P<how>(?:do not|don['’]?t|never|always|only|"
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
# Verbs of a state or of this moment, which say nothing about how the work is done.
_STATES = words_in("have need know see want care think mean get got find feel mind understand remember agree")
_DOING = lazy_pattern(
    r"^we(?: are|['’]re) (?:using|doing|following|practi[sc]ing)\s+"
    r"(?P<what>(?!the\b|this|it\b|that|a\b|an\b|some)[\w ./+-]{3,40})$",
    re.I,
)
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
_ONLY = lazy_pattern(r"^.*\b(?:(?:use|using) only|only (?:use|using|ever use)) (?P<what>.{2,60})$", re.I)
_OUR_TOOL = lazy_pattern(
    r"^(?:you|we) (?:have to|must|need to|should) (?:only |always )?use (?:our|the) .{0,40}\b(?:tool|mcp|cli|script|"
    r"skill|"
    r"wrapper|makefile)\b.*$",
    re.I,
)
_BAN = lazy_pattern(
    r"^(?:(?:please|and|also|but|ok)[\s,]+)*(?:(?:make sure|ensure)(?: that)? (?:you|to|we)\s+)?"
    r"(?P<no>don['’]?t|do not|never|not|stop|avoid)\s+(?:ever\s+|actually\s+|just\s+)?(?P<what>.+)$",
    re.I,
)
# What agents do to people, and what a branch is spared of: forbidden once, forbidden always.
_AT_PEOPLE = lazy_pattern(
    r"^(?:giv(?:e|ing)|tell(?:ing)?|instruct(?:ing)?|show(?:ing)?|send(?:ing)?|ask(?:ing)?|call(?:ing)?|"
    r"explain(?:ing)?|"
    r"apologi[sz](?:e|ing)|thank(?:ing)?|lectur(?:e|ing)|remind(?:ing)?) (?:me|to me|for|everything)\b",
    re.I,
)
_TO_MAIN = lazy_pattern(
    r"^(?:commit|push|merge|work|develop|force.?push)\w*\b.{0,30}\b(?:to|on|into|in) (?:the )?"
    r"(?:main|master|production|prod|develop)\b",
    re.I,
)
_REASON = lazy_pattern(
    r"\b(?:because|since|as it|otherwise|it (?:builds?|runs?|deploys?|happens?|breaks?|is done) (?:in|on|by|via)|"
    r"(?:ci|the pipeline|github actions?) (?:does|builds?|runs?|handles?|takes care))\b",
    re.I,
)
_CAREFUL = lazy_pattern(
    r"\bwithout (?:first )?(?:asking|my\b|permission|approval|confirm\w*|telling|checking|explicit|consulting|"
    r"an? \w*review)",
    re.I,
)
_ANYTHING = lazy_pattern(r"^(?:\S+ ){1,4}any(?:thing)?\b", re.I)
_ANYWHERE = lazy_pattern(
    r"\b(?:anywhere|everywhere|whatsoever|under any circumstances?|at any time|in any \w+)\b", re.I
)
_INSTEAD = lazy_pattern(r"\b(?:instead of|rather than|just because)\b", re.I)
_NO_POINT = lazy_pattern(r"^there(?:['’]s| is) no (?:point|need|use)(?: in)? [a-z]+ing\b.*$", re.I)
_PLACED = lazy_pattern(
    r"^(?:put|store|keep|save|place|write|document|log|add|append)\s+(?:all|every|each|any)\s+[\w -]{3,60}?\s"
    r"(?:in|into|under|to|inside|at|as)\s+.*(?:folder|director|file|\.\w{2,5}\b|memory|docs|repo|history|log).*$",
    re.I,
)
_MEANS = lazy_pattern(
    r"^when(?:ever)? i (?:say|mention|write|type|ask(?: you)?(?: for| to| about)?)\b.{3,}\b(?:i mean|you (?:should|"
    r"must|need)|"
    r"please|just|give|run|use|answer|reply|don['’]?t)\b.*$",
    re.I,
)
_FOR = lazy_pattern(
    r"^(?:for|when it comes to|when (?:writing|editing|adding|creating|naming|fixing|testing))\s+(?:all |any |our |"
    r"the )?"
    r"(?P<scope>[\w /-]{3,40}?),?\s+(?:please |always |you should |we )?(?P<order>(?:use|write|keep|prefer|follow|"
    r"stick|run|"
    r"add|avoid|don['’]?t|do not|never|always)\b.+)$",
    re.I,
)
_LANGUAGE = lazy_pattern(
    r"^(?:(?:always|only|just|you (?:should|must|can)|i want you to|let['’]?s)\s+)*(?:speak|answer|reply|respond|"
    r"write|talk|"
    r"think|communicate|chat)(?: to me| with me| everything| all(?: answers)?| (?:and|or) \w+)*(?: only)? in "
    r"(?:english|german|french|spanish|italian|portuguese|polish|russian|chinese|japanese|korean|dutch|turkish|"
    r"ukrainian|swedish|danish|norwegian|finnish|czech|hindi|arabic|hebrew|british english|american english)"
    r"(?: (?:please|only|always|from now on))*$",
    re.I,
)
_I_USE = lazy_pattern(r"^(?:i|we) use (?P<what>\S+(?: \S+){0,2})$", re.I)
# When this task is done, how many of its tests may fail, what was done.
_OF_TASK = lazy_pattern(
    r"\bwhen (?:you['’]?re|you are|it['’]?s|it is) (?:done|ready|finished)|\b(?:tests?|checks?) (?:should|must) "
    r"(?:fail|pass|be green|be passing)\b|\b(?:should|must) (?:never|always|not) have\b|\bonly (?:one|two|three|\d+)\b|"
    r"\bin one (?:file|go|commit|step)\b|\bbroken\b",
    re.I,
)
_KEEP_ON = lazy_pattern(r"^keep [a-z]+ing\b.+\b(?:as|when|whenever|each|every)\b.*$", re.I)


def is_custom(text: str, after: str = "") -> bool:
    """Return whether a sentence says how the work is done; the sentence after it may give the reason."""
    if _OF_TASK.search(text):
        return False
    for form in _FORMS:
        if found := form.pattern.match(text):
            return form.fits(found)
    found = _BAN.match(text)
    return found is not None and _is_ban(found, after)


def _is_about_work(found: re.Match[str]) -> bool:
    return is_about_work(found[0])


def _is_short(found: re.Match[str]) -> bool:
    return len(found[0].partition(" (")[0].split()) <= _SHORT


def _is_ordered(found: re.Match[str]) -> bool:
    words = found[0].lower().split()
    at = next(number for number, word in enumerate(words) if word.startswith(("always", "never")))
    return is_about_work(found[0]) or words[at + 1] in VERBS


def _is_preference(found: re.Match[str]) -> bool:
    """Return whether a wish is about the way of working, and names what it is about."""
    what, how = found["what"], found["how"].lower()
    near = " ".join(what.split()[:_FIRST_WORDS])
    vague = how == "prefer" and what.split()[:1] == ["any"]
    if vague or _OWN.search(found[0]) or _POINTS.match(what) or not is_about_work(near):
        return False
    if how.endswith((" like", " want")) or (how.startswith("do") and found["who"].lower() == "i"):
        return bool(_EVER.search(near))
    return True


def _is_ours(found: re.Match[str]) -> bool:
    """Return whether a sentence about us says how we work."""
    verb, what = (found["verb"] or "").lower(), found["what"]
    if verb in _STATES or not is_about_work(found[0]):
        return False
    if verb:
        return True
    first = what.strip().split(" ", 1)[0].lower().strip(",.")
    return bool(_HERE.search(found[0])) or (first in LASTING_TOOLS and found["how"].lower() in ("use", "uses", "run"))


def _is_general_scope(found: re.Match[str]) -> bool:
    """Return whether an order is for a kind of work: "for tests", not "for the parser test"."""
    last = found["scope"].lower().split()[-1]
    return last == "code" or (last.endswith("s") and is_about_work(found["scope"]))


def _is_lasting_tool(found: re.Match[str]) -> bool:
    return found["tool"].lower() in LASTING_TOOLS and bool(_AS.fullmatch(found["rest"]))


def _is_only_program(found: re.Match[str]) -> bool:
    what = found["what"]
    return _is_short(found) and (names_tool(what) or "cli" in what.lower().split())


def _is_ban(found: re.Match[str], after: str) -> bool:
    """Return whether a ban holds beyond the task: what it forbids is forbidden always, or it gives a general reason."""
    what = found["what"]
    if _INSTEAD.search(what):
        return False
    if _AT_PEOPLE.match(what) or _TO_MAIN.match(what) or _CAREFUL.search(what):
        return True
    reasons = _REASON.search(what) or _REASON.match(after.strip()) or _ANYWHERE.search(what) or _ANYTHING.match(what)
    return bool(reasons) and is_about_work(found[0])


class _Form(NamedTuple):
    pattern: re.Pattern[str]
    fits: Callable[[re.Match[str]], bool]


# The first form that a sentence has decides.
_FORMS = (
    _Form(_ENDED, _is_short), _Form(_TO_US, lambda _found: True), _Form(_ORDERED, _is_ordered),
    _Form(_NORM, _is_about_work), _Form(_PREFERS, _is_preference),
    _Form(_DOING, lambda found: is_about_work(found["what"])), _Form(_OUR_TOOL, _is_short),
    _Form(_LANGUAGE, lambda _found: True), _Form(_WE, _is_ours), _Form(_I_USE, lambda found: names_tool(found["what"])),
    _Form(_USE, _is_lasting_tool), _Form(_PLACED, _is_about_work),
    _Form(_MEANS, lambda _found: True), _Form(_FOR, _is_general_scope),
    _Form(_KEEP_ON, _is_about_work), _Form(_NO_POINT, _is_about_work),
    _Form(_VERB_LAST, lambda found: found["verb"].lower() in VERBS and is_about_work(found[0])),
    _Form(_ONLY, _is_only_program),
)  # fmt: skip
