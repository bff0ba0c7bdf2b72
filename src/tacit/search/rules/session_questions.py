"""What a question asks of sessions: the last one as a whole, a day or period, a topic, or a command."""

from __future__ import annotations

import re
from datetime import date

from tacit.search.rules.asked_times import NUMBER, TIME, asked_days, with_numbers
from tacit.text.patterns import lazy_pattern
from tacit.text.tokens import bare_word, only_common, query_tokens

_MOST_CHARS = 120
_NOISE = lazy_pattern(r"[^\w\s']+")
_WHO = r"(?:we|i|you|they|the agent|claude|codex|cursor|gemini|copilot)"
_LAST = r"(?:(?:in |during |from |on )?(?:the |our |my |your )?(?:very )?(?:last|previous|latest|most recent) "
_WHEN = _LAST + r"(?:session|conversation|chat)|(?:the )?(?:last|previous) time(?: around)?|previously)"
_DID = (
    r"(?:do|done|doing|did|work on|worked on|working on|get done|achieve|achieved|finish|finished|change|changed"
    r"|commit|committed|push|pushed|ship|shipped|merge|merged|fix|fixed|build|built|add|added|write|written)"
)
_OPENING = (
    r"(?:(?:so|ok|okay|hey|hi|and|please|remind me|tell me|show me|can you tell me|do you (?:know|remember))\s+)*"
)
_ASKED_OF_TIME = lazy_pattern(
    rf"{_OPENING}(?:what (?:did|have|had|were|was) {_WHO} (?:been )?{_DID}(?: here)? {TIME}"
    rf"|what (?:happened|was done|went on|got done) {TIME}|{TIME} what did {_WHO} {_DID})"
)
# The whole question must be this: with a topic in it, the topic is what is asked for.
_ASKED = lazy_pattern(
    _OPENING + r"(?:"
    rf"what (?:did|have|had|were|was|all did) {_WHO} (?:been )?{_DID}(?: here)? {_WHEN}(?: here)?"
    rf"|what {_WHO} {_DID} {_WHEN}"
    rf"|{_WHEN} what (?:did|have|were) {_WHO} (?:been )?{_DID}"
    rf"|what (?:happened|was done|went on|got done) {_WHEN}"
    rf"|what was (?:the |our |my )?(?:last|previous|latest) (?:session|conversation|chat) about"
    r"|what was the last thing (?:we|i|you) (?:did|worked on)"
    rf"|what (?:did|have|had|were|was) {_WHO} (?:last {_DID}|{_DID} last)"
    rf"|what (?:failed|broke|went wrong) {_WHEN}"
    rf"|where (?:did (?:we|i|you) (?:leave off|stop|end|get to)|were we)(?: {_WHEN})?"
    r"|(?:(?:a |the )?(?:recap|summary)(?: of)?|summari[sz]e) (?:the |our |my )?(?:last|previous|latest)"
    r" (?:session|chat)"
    r"|(?:the |our |my )?last session"
    r")"
)


_TIME = lazy_pattern(TIME)
_A_TIME = lazy_pattern(rf"{TIME}|(?:the )?(?:last|past|previous) .*|(?:the )?{NUMBER}")
# With a topic in it, only the topic is looked for: the other words of such a question stand in no answer.
_ASKED_OF_TOPIC = lazy_pattern(
    rf"{_OPENING}(?:{_WHEN},? )?what (?:did|have|had|were) {_WHO} (?:been )?(?:last )?{_DID} "
    rf"(?:in|on|to|with|about|at|for|around|inside) (?:the |our |my )?(?P<topic>\S.*?)(?: {_WHEN})?",
    re.I,
)


def session_topic(query: str) -> str:
    """Return what a question about sessions is about, as in "what did we do in the parser last session"; or empty."""
    asked = _ASKED_OF_TOPIC.fullmatch(_spaced(query))
    return asked["topic"] if asked and not _A_TIME.fullmatch(asked["topic"].casefold()) else ""


_AUXILIARY = r"(?:did|do|does|have|has|had|can|could|should)"
# The answer is a command, and seldom has the word in it.
_ASKED_OF_COMMAND = lazy_pattern(
    rf"{_OPENING}(?:which|what)(?: (?:was|is|were|are) the)?(?: exact| right| correct| shell| cli)? commands?"
    rf"(?! lines?\b| palettes?\b| prompts?\b| (?:is|are) in\b|(?! {_WHO}\b)(?: \w+){{1,2}} {_AUXILIARY}\b) "
    rf"(?:{_AUXILIARY} {_WHO} (?:use |run |need |execute |type )?"
    r"|(?:was|is|were|are) (?:used|run|needed|executed) |that |to use )?(?:to |for )?"
    r"(?:(?:ran|runs|did|does|fixed|fixes|solved|solves|resolved|made) )?(?P<what>\S.*)",
    re.I,
)


def asked_command(query: str) -> str:
    """Return what the command did that a question asks for, as in "which command fixed the login"; or empty."""
    asked = _ASKED_OF_COMMAND.fullmatch(_spaced(query))
    return asked["what"] if asked else ""


# Words with which people ask, and that no answer needs to have: they would be looked for, and found anywhere.
_ASKING = """
able actually again already always anything anyway around away back bother came cannot come comes complain complaining
decide decided decision end ended ending ends even eventually ever everything exactly
figure figured figuring finally finish finished found get gets getting give given goes going gone good got gotten
had happen happened happening happens have help helped inside instead just keep keeps kept kind know let letting like
little made makes making manage managed many maybe mean meant much must need needed needs never nobody nothing now
often once pick picked please properly put quite really reason remember right say saying says see seem seemed seems
seen somebody someone something somehow sometimes sort start started still stop stopped stops strange stuff supposed
sure take taken talk talked tell thing things think thought told took tried tries try trying turn turned turns use
used using want wanted wants way weird went whole without won't wonder work worked working works would yet
"""
_EMPTY = frozenset(_ASKING.split())
_LEAST_LEFT = 2


def topical_words(query: str) -> str:
    """Return a question without the words that say nothing of what it is about; all of it if too little is left."""
    words = query.split()
    kept = [word for word in words if bare_word(word) not in _EMPTY]
    left = " ".join(kept)
    return left if not only_common(left) and len(query_tokens(left)) >= _LEAST_LEFT else query


def asks_for_last_session(query: str) -> bool:
    """Return whether a query asks what was done in the last session."""
    return _ASKED.fullmatch(_words(query)) is not None


def asked_time(query: str, today: date) -> tuple[date, date] | None:
    """Return the days of which a query asks what was done; None if it asks for something else."""
    words = with_numbers(_words(query))
    return asked_days(words, today) if _ASKED_OF_TIME.fullmatch(words) else None


def named_days(text: str, today: date) -> tuple[date, date] | None:
    """Return the days that a text names, if it says nothing else: `5 November`, `last week`; None if it does not."""
    words = with_numbers(_words(text))
    return asked_days(words, today) if _TIME.fullmatch(words) else None


def _spaced(query: str) -> str:
    return " ".join(query.split()).rstrip(" ?!.") if len(query) <= _MOST_CHARS else ""


def _words(query: str) -> str:
    return " ".join(_NOISE.sub(" ", query.casefold()).split()) if len(query) <= _MOST_CHARS else ""
