"""Find what a user asks to have remembered: "Remember: our staging cluster is called blue-otter"."""

from __future__ import annotations

import re

from tacit.text.patterns import lazy_pattern
from tacit.text.prompt_sentences import sentences

MOST_CHARS = 400
MOST_REQUESTS = 3
_READ_CHARS = 20_000
_LEAST_WORDS = 3
_ASKED = lazy_pattern(
    r"(?:(?:please|and|also|ok(?:ay)?|so)[, ]+){0,3}(?:(?:can|could|would|will) you (?:please )?)?"
    r"(?:(?:(?P<by>remember|note|keep in mind|do ?n[o']t forget|make a note|take note|bear in mind|memori[sz]e)"
    r"(?: (?:this|it|the following))?(?: (?:for (?:later|the future|next time|future (?:\w+ )?(?:sessions|chats|"
    r"conversations|work))|to (?:your )?memory))?"
    # Saved are files, too.
    r"|save(?: (?:this|it|the following))? (?:for (?:later|the future|next time|future (?:\w+ )?(?:sessions|chats|"
    r"conversations|work))|to (?:your )?memory))"
    r" ?(?P<mark>:|,? that\b|,? -|\u2014|,(?= (?:our|my|the|we|i|this|all|every)\b))"
    # Without a mark between them, only "remember" followed by what a statement begins with.
    r"|remember (?=(?:our|my|the|we|i|this (?:project|repo|repository|team)|in this|for this|all|every)\b)"
    r"|for (?:future reference|the record)[,:])"
    r" ?(?P<what>.{3,})",
    re.I,
)
# What is asked for may begin on the next line, unless somebody else's text does.
_NEXT_LINE = lazy_pattern(
    r"^([^\n]{0,60}\b(?:remember|keep in mind|memori[sz]e|memory|future reference|the record)\b[^\n:]{0,40}:)"
    r"[ \t]{0,20}\n(?:[-*][ \t])?(?=[^\s`~<>|])",
    re.I | re.M,
)
# Memories shared with the reader, tasks of the moment, and what points at something outside of the sentence.
_NO_STATEMENT = lazy_pattern(
    r"(?:we (?:need|have|want) to|i (?:need|want|can)|you can|when|how|what|why|where|who|if|to|doing|it|"
    r"this(?! \w+ (?:uses?|is|has|runs?|needs?|lives?|follows?)\b)|that|"
    r"them|these|"
    r"those)\b",
    re.I,
)
_TASK = lazy_pattern(
    r"\b(?:this (?:time|task|pr|change|commit|session)|for now|right now|before you (?:start|begin|commit))\b", re.I
)
_POLITE = lazy_pattern(r"(?:(?:please|and|also|ok(?:ay)?|so)[, ]+){0,3}(?:can|could|would|will) you\b", re.I)
_QUOTED_WHOLE = lazy_pattern(r'"[^"]+"')
_RULE = lazy_pattern(r"\b(?:always|never)\b", re.I)
_VERB = lazy_pattern(
    r"\b(?:is|are|was|were|be|has|have|uses?|runs?|lives?|needs?|must|should|listens?|deploys?|goes|go|works?|"
    r"requires?|prefers?|belongs?|contains?|means?|called|named|never|always|can(?:not|'t)?|do(?:es)?n't|"
    # Right after an article it is a noun: "the files in src".
    r"(?<!\bthe )(?<!\bour )(?<!\bmy )(?<!\ball )(?!this\b|its\b)\w+s)\b|=|->|\u2192",
    re.I,
)


def remember_requests(prompt: str) -> list[str]:
    """Return the statements that a user's own sentences ask to have remembered, in their order."""
    read = prompt[:_READ_CHARS].strip()
    if _QUOTED_WHOLE.fullmatch(read):
        read = read[1:-1].strip()  # some agents put the whole prompt in quotes
    statements = []
    for sentence in sentences(_NEXT_LINE.sub(r"\1 ", read)):
        found = _ASKED.match(sentence.text)
        # "Can you remember that …?" asks for it, too.
        if found is None or (sentence.asks and not _POLITE.match(sentence.text)):
            continue
        what = sentence.said(found["what"]).strip()
        # People write "Note:"; compilers and other programs begin a line with "note:" or "NOTE:".
        is_printed = found["mark"] == ":" and found["by"] in ("note", "NOTE")
        said_plainly = (found["by"] or "").lower() == "remember" and found["mark"] == ":"
        if not is_printed and len(what) <= MOST_CHARS and _is_statement(what, plainly=said_plainly):
            statements.append(what[:1].upper() + what[1:])
    return list(dict.fromkeys(statements))[:MOST_REQUESTS]


def _is_statement(text: str, *, plainly: bool) -> bool:
    """Return whether a text is worth keeping; after "Remember:" it needs no verb."""
    if len(text.split()) < _LEAST_WORDS or _NO_STATEMENT.match(text):
        return False
    return not (_TASK.search(text) and not _RULE.search(text)) and (plainly or bool(_VERB.search(text)))
