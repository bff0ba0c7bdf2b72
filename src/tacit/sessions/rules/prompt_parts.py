"""What a prompt is about and what it asks for, and both made shorter."""

from __future__ import annotations

import re

from tacit.sessions.rules.own_words import NAMED_ERROR, NEGATED, shortened, telling_words
from tacit.text.patterns import lazy_pattern

_LEAST_WORDS = 2
"""With fewer words that say something a request says little by itself."""
_SHORT_REQUEST, _FEW_SENTENCES = 40, 2
"""How long a request at the end is at most that is told although it says little; and of how few sentences the last one
is no end by itself."""
ERROR_AT_END = lazy_pattern(rf": ({NAMED_ERROR} .{{4,120}})\Z")
_REVIEW = lazy_pattern(r"\W*(?:\d{1,2}[.)]\s|(?:critical|high|medium|low|nit)\b|findings\b)", re.I)
_BUT = lazy_pattern(r"\b(?:but|ma|pero|aber|mais) (?=(?:\S+ ){3})", re.I)
_OPENING_CHARS = 80
WORKS = lazy_pattern(
    r"\b(?:works|working now|is fixed|fixed now|solved|resolved|(?:is|are) done|funziona|risolto|resuelto|solucionado"
    r"|funciona (?:bien|bem|ahora|agora|todo|tudo)|resolvido|(?:jetzt|nun) (?:geht|läuft|funktioniert)|gelöst|behoben"
    r"|ça marche|résolu|работает|решено)\b(?![^.!]*\b(?:but|ma|pero|aber|mais|mas)\b)"
    r"|(?:解決|直り|動き)まし?た|(?:直っ|動い)た|解决了",
    re.I,
)
# How people ask for something: in these words, or with a verb first.
REQUEST = lazy_pattern(
    r"\b(?:let'?s|i(?:'d| would)(?: \w+)? like|i (?:want|need)|how about|can (?:you|we)|could you|please"
    r"|we (?:need|should)|need to|should (?:we|i)|is it possible|how (?:do|can|could|should|would) (?:i|we|you|it))\b"
    r"|^\W*(?:(?:also|and|finally|first|just|lets|maybe|next|now|ok|okay|please|so|then) )*(?:"
    r"add|analy[sz]e|annotate|apply|build|bump|change|check|clean|compare|configure|convert|create|"
    r"debug|delete|deploy|design|disable|document|drop|eliminate|enable|explain|expose|extend|extract|"
    r"find|finish|fix|generate|go (?:for|through|with)|hide|implement|improve|inspect|install|integrate|"
    r"introduce|investigate|list|make|merge|migrate|move|optimi[sz]e|package|plan|port|prepare|publish|"
    r"put|reduce|refactor|release|remove|rename|replace|research|restructure|review|rewrite|set up|show|"
    r"simplify|sort|split|store|suggest|support|switch|test|track|translate|try|turn|update|upgrade|"
    r"use|write"
    r")\b",
    re.I,
)
# Where a sentence can be cut so that what is left says something.
_CLAUSE_CUT = lazy_pattern(r"(?<=[.!?;:,)])\s|\s(?=(?:and|but|because|which|where)\s|\()")
_CLAUSE_SHARE = 0.6
# What a list begins with says nothing without the list: `Review for: 1)`.
_LIST_BEGUN = lazy_pattern(r"[\s.:;,…(]*(?:(?:\A|(?<=\s))\(?(?:\d{1,2}|[a-z])[.)])?[\s.:;,…(]*\Z")
_SENTENCE_END = lazy_pattern(r"(?<=[.!?])\s+")
_SUBJECT_SHARE = 0.45
"""How much of the room of a prompt goes at least to what it begins with, if what it asks for comes later."""
_LEADING = lazy_pattern(
    r"(?:\s+(?:the|a|an|to|of|in|on|at|for|with|from|and|or|but|that|which|is|are|be|if|as|by|it|i|we|you|my|our))+…\Z",
    re.I,
)
_CLAUSE_END = lazy_pattern(r"(?<=[.!?,;])\s+(?=\S)")


def subject_and_request(said: str) -> tuple[str, str]:
    """Return a prompt that will not be told whole as what it begins with and what it asks for; it may be one."""
    # What failed is told with why, and what a program says below it is no request.
    if error := ERROR_AT_END.search(said):
        return said[: error.start()], error[1]
    # Cut before it, "it works now" would be the contrary of what is said.
    before_but = said[: but.start()] if (but := _BUT.search(said)) else ""
    if but and WORKS.search(before_but[:_OPENING_CHARS]) and not REQUEST.search(before_but):
        return before_but.rstrip(), said[but.start() :]
    clauses = _CLAUSE_END.split(said)
    # What is not to be done is no request.
    asks = (number for number, one in enumerate(clauses) if REQUEST.search(one) and not NEGATED.search(one))
    first = next(asks, 0)
    rest = " ".join(clauses[first:])
    # Without what stands before it, a request may be the contrary. What is pasted says nothing without its question.
    says = telling_words(rest) > _LEAST_WORDS or (rest.endswith("?") and first == len(clauses) - 1)
    before = clauses[first - 1] if first else ""
    is_contrary = not before.endswith((".", "!", "?")) and bool(NEGATED.search(before))
    is_short_end = first == len(clauses) - 1 and len(rest) <= _SHORT_REQUEST
    is_cut = first and (says or is_short_end) and not is_contrary
    return (" ".join(clauses[:first]), rest) if is_cut else ("", said)


def last_sentence(said: str) -> tuple[str, str]:
    """Return a prompt as what it begins with and how it ends, if it has no request: where the work stands then."""
    sentences = _SENTENCE_END.split(said)
    is_told = telling_words(sentences[-1]) > _LEAST_WORDS and not _REVIEW.match(said)
    if len(sentences) < _FEW_SENTENCES or REQUEST.search(said) or not is_told:
        return "", said
    # What is said against it comes last.
    last = sentences[-1]
    start = next((one.start() for one in _BUT.finditer(last)), 0)
    return f"{' '.join(sentences[:-1])} {last[:start]}".rstrip(), last[start:]


def shortened_prompt(subject: str, request: str, room: int) -> str:
    """Return the beginning of what a prompt is about, and that of what it asks for."""
    if not subject:
        return _shortened_to_clause(request, room)
    # Of the request the first sentence matters most, and what it is about is told as far as there is room.
    first = _SENTENCE_END.split(request, maxsplit=1)[0]
    most = room - min(len(first), round(room * (1 - _SUBJECT_SHARE))) - 1
    about = subject if len(subject) <= most else _shortened_to_clause(subject, most)
    asks = _shortened_to_clause(request, room - len(about) - 1)
    return f"{about} {asks}" if telling_words(about) else f"… {asks}"


def _shortened_to_clause(line: str, most: int) -> str:
    """Return the beginning of a line, cut after a clause if that leaves most of the room used, or else after a word."""
    if len(line) <= most:
        return line
    ends = [found.start() for found in _CLAUSE_CUT.finditer(line[:most]) if found.start() >= _CLAUSE_SHARE * most]
    if ends:
        # Behind the end of a sentence nothing is missing.
        whole = [end for end in ends if line[end - 1] in ".!?"]
        kept = f"{_LIST_BEGUN.sub('', line[: (whole or ends)[-1]])}…"
    else:
        kept = shortened(line, most)
    # What such a word leads to is cut.
    return _LEADING.sub("…", kept)
