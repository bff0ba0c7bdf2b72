"""Decide from the words before an order whether it is a rule for the agent or about something else."""

from __future__ import annotations

import re

from tacit.text.patterns import lazy_pattern

_PLACE = (
    r"(?:repo(?:sitory)?|project|code ?base|monorepo|workspace|package|team|company|org|app|frontend|backend|"
    r"tests?|test suite|ci|scripts?|shell|terminal|api|docs|code|future)"
)
GENERAL = lazy_pattern(
    r"\b(?:always|never|from now on|going forward|in (?:the )?future|next time|every ?where|every time|whenever|"
    r"in general|as a rule|by default|(?:in|for|throughout|across) (?:this|our|the) " + _PLACE + r"|"
    r"we (?:use|prefer|don'?t|do not)|here|i (?:told|asked) you|i said)\b",
    re.I,
)
# Marks of something asked for once, in one place.
LOCAL = lazy_pattern(
    r"\b(?:this (?:file|function|test|class|method|module|pr|branch|commit|case|one|time|once|request|task|component|"
    r"page|line|loop|query|script|call|change|example|step|endpoint|screen|view)|for (?:now|this)\b(?! "
    + _PLACE
    + r")|"
    r"for the moment|temporarily|(?:on )?lines? \d+|today|tonight|(?:first|second|third|last|other|previous) one|yet|"
    r"(?:in|inside) [\w./-]{1,60}\.(?:py|js|ts|tsx|jsx|rs|go|java|rb|c|h|cpp|cs|md|json|ya?ml|toml|sh|html|css|sql))\b",
    re.I,
)
SOMEWHERE = lazy_pattern(
    rf"^(?:in|on|for|inside|within|at|from) (?:the|this|that|these|those|my|your|its) (?!{_PLACE}\b)", re.I
)

_WORDS = (
    r"no|nope|nah|ok|okay|k|please|pls|plz|bitte|por favor|svp|also|and|but|so|then|just|hey|hi|hello|actually|"
    r"instead|btw|by the way|fyi|ps|note|note that|remember|remember to|reminder|hint|tip|again|next time|from now on|"
    r"going forward|in (?:the )?future|in general|as a rule|by default|here|always|thanks|thank you|great|nice|good|"
    r"cool|perfect|yes|yeah|yep|well|aber|und|mais|et|pero|y|sorry|important|careful|one more thing|one thing|"
    r"you (?:should|must|need to|have to|ought to|shall|are to|will)(?: always| never| really| please)?|"
    r"we(?: (?:should|must|always|only|generally|usually|normally))?|let'?s|lets|"
    r"i(?:'ve)? (?:already )?(?:told|asked) you (?:to|that we)|i said(?: to| we)?|"
    r"i (?:want|need|would like) you to|"
    r"i'd like you to|i'd rather you|i would rather you|be sure to|"
    r"(?:make sure|ensure) (?:to|you|that you|we)|"
    rf"(?:in|for|throughout|across) (?:this|our|the) {_PLACE}|whenever possible|where possible|when possible|"
    r"you got (?:that|it) wrong|that'?s wrong|that is wrong|wrong"
)
_LEAD = lazy_pattern(rf"(?:(?>(?:{_WORDS})(?=\s|$))\s*+)*+", re.I)
_SELF = lazy_pattern(r"(?:^|\s)i(?:'d| would)?(?: really| much| strongly)?$", re.I)
# People who say what they do themselves do not give an order.
_OWN = lazy_pattern(r"\b(?:myself|personally|but whatever|for my own)\b", re.I)
_BREAK = lazy_pattern(r"[,;:!?](?=\s|$)|\s[-(]|[–—()]|\.\.\.")
_JOINED = lazy_pattern(r"\s(?:and|but|so|then|aber|und|mais|et|pero|y)(?=\s|$)", re.I)
# Before an order in the same sentence they make it a condition, a doubt or a report.
_BLOCKS = lazy_pattern(
    r"\b(?:if|unless|whether|suppos\w+|assum\w+|imagine|perhaps|maybe|might|could|would|wonder\w*|consider|try|unsure|"
    r"not sure|says?|said|saying|told (?:me|us|him|her|them)|tells?|recommend\w*|suggest\w*|according|complain\w*|"
    r"claims?|wants?|asked (?:me|us)|mention\w*|advis\w+|the docs|documentation|why|how|what|which|when do|reason)\b",
    re.I,
)
_INTRODUCES = lazy_pattern(
    r"(?:^|\s)(?:notes?|remember|reminders?|things?|rules?|important|tips?|preferences?|conventions?|style|btw|fyi|"
    r"correction|corrections|again|ps|feedback|nits?(?: [^:]{0,24})?|"
    r"also|please|general|no|wrong|ok|okay|points?|future|forward|now on|first|start|else|"
    r"i(?:'ve)?(?: already)? (?:said|told you|asked you)(?: \w+){0,2})$",
    re.I,
)
_ASKS = lazy_pattern(
    r"(?:(?:and|so|but|ok|okay|hey|hi|well|also|no|then|btw)[\s,]+){0,3}"
    r"(?:should|shall|could|can|would|will|does|did|is|are|was|were|has|have|had|am|"
    r"do (?:i|we|you|they|the|these|those)|"
    r"why|what|whats|what's|how|where|which|who|whose|when (?:do|does|did|should|is|are|will|can))\b",
    re.I,
)


def asks(text: str) -> bool:
    """Return whether a sentence begins like a question."""
    return bool(_ASKS.match(text))


def leads(text: str, end: int, *, self_too: bool = False) -> bool:
    """Return whether the text before an order allows it to be a rule."""
    before = text[:end]
    start, colon = 0, False
    for found in _BREAK.finditer(before):
        start, colon = found.end(), found[0] == ":"
    head, tail = before[:start], before[start:]
    if head and (_BLOCKS.search(head) and not _told(head)):
        return False
    if colon and not _INTRODUCES.search(head.rstrip(": ")):
        return False
    joins = list(_JOINED.finditer(tail))
    if joins:
        if _BLOCKS.search(tail[: joins[-1].start()]):
            return False
        tail = tail[joins[-1].end() :]
    tail = tail.strip()
    if self_too and _SELF.search(tail):
        tail = _SELF.sub("", tail).strip()
    if self_too and _OWN.search(text, end):
        return False
    return not tail or bool(_LEAD.fullmatch(tail))


def _told(head: str) -> bool:
    return bool(re.search(r"\bi (?:said|told you|asked you)\b", head, re.I)) and not re.search(r"\bif\b", head, re.I)
