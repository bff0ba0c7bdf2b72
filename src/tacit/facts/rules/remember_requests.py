"""Find what a user asks to have remembered: "Remember: our staging cluster is called blue-otter"."""

from __future__ import annotations

import re

from tacit.text.patterns import lazy_pattern

MOST_CHARS = 400
MOST_REQUESTS = 3
_LEAST_WORDS = 3
# What is quoted, fenced or pasted is not the user's own sentence.
_NOT_SAID = lazy_pattern(r"```.*?(?:```|\Z)|^[ \t]*>[^\n]*$|\"[^\"\n]*\"|“[^”\n]*”", re.S | re.M)
_ASKED = lazy_pattern(
    r"(?:^|(?<=[.!?])\s+|\n)[ \t]*(?:[-*][ \t]+)?(?:(?:please|and|also|ok(?:ay)?|so)[, ]+){0,3}"
    r"(?:(?:can|could|would|will) you (?:please )?)?"
    r"(?:(?:remember|note|keep in mind|do ?n[o']t forget|make a note|take note|bear in mind|memori[sz]e|save)"
    r"(?: (?:this|it|the following))?(?: (?:for (?:later|the future|next time|future sessions)|to (?:your )?memory))?"
    r"[ \t]*(?::|,? that\b|,? -|\u2014)"
    # Without a mark between them, only "remember" followed by what a statement begins with.
    r"|remember (?=(?:our|my|the|we|i|this (?:project|repo|repository|team)|in this|for this|all|every)\b)"
    r"|for (?:future reference|the record)[,:])"
    r"\s*(?P<what>[^\n]{3,}?)(?=(?<=[.!])\s|[ \t]*(?:\n|\Z))",
    re.I,
)
# Memories shared with the reader, tasks of the moment, and what points at something outside of the sentence.
_NO_STATEMENT = lazy_pattern(r"^(?:when|how|what|why|where|who|if|to|doing|it|this|that|them|these|those)\b", re.I)
_TASK = lazy_pattern(
    r"\b(?:this (?:time|task|pr|change|commit|session)|for now|right now|before you (?:start|begin|commit))\b", re.I
)
_VERB = lazy_pattern(
    r"\b(?:is|are|was|were|be|has|have|uses?|runs?|lives?|needs?|must|should|listens?|deploys?|goes|go|works?|"
    r"requires?|prefers?|belongs?|contains?|means?|called|named|never|always|can(?:not|'t)?|do(?:es)?n't|=|->|\u2192|\w+s)\b",
    re.I,
)


def remember_requests(prompt: str) -> list[str]:
    """Return the statements that a prompt asks to have remembered, each as one sentence, in their order."""
    said = _NOT_SAID.sub(lambda found: " " * (found.end() - found.start()), prompt[:20_000])
    statements = []
    for found in _ASKED.finditer(said):
        what = prompt[found.start("what") : found.end("what")].strip().rstrip(".").strip()
        if len(what) <= MOST_CHARS and _is_statement(what):
            statements.append(what[:1].upper() + what[1:])
    return list(dict.fromkeys(statements))[:MOST_REQUESTS]


def _is_statement(text: str) -> bool:
    if text.endswith("?") or len(text.split()) < _LEAST_WORDS:
        return False
    return not (_NO_STATEMENT.match(text) or _TASK.search(text)) and bool(_VERB.search(text))
