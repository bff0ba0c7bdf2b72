"""Which prompts say what a session was about: the first, those that most was done for, the last."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence, Set as AbstractSet
from functools import lru_cache
from heapq import nlargest
from typing import NamedTuple

from tacit.failures.rules.worked_next import LOOKING
from tacit.model.payload import KeptTurn
from tacit.sessions.rules.own_words import (
    NEGATED,
    by_a_person,
    own_words,
    telling_words,
    unspaced_share,
    with_short_names,
)
from tacit.sessions.rules.prompt_parts import (
    ERROR_AT_END,
    REQUEST,
    WORKS,
    last_sentence,
    shortened_prompt,
    subject_and_request,
)
from tacit.shell.programs.printing import seems_to_look
from tacit.text.patterns import lazy_pattern
from tacit.text.tokens import query_tokens

_MOST_ASKED = 7
_FEWEST_ASKED, _ROOM_FOR_ONE = 3, 95
_MOST_SHARE = 300
"""How long one of the prompts is at most; the first and the weightiest have twice the space of another."""
_SHORTEST = 4
_LEAST_WORDS = 2
"""How many words that say something a prompt needs: with fewer it only goes on with what was said before."""
_FIRST_WORDS = 4
"""The first prompt is told if it has as many words and one of them says something."""
_CHORE_WORDS, _PURPOSE_WORDS = 6, 10
"""If fewer words of the first prompt say something, the second is told too, if as many of its words do."""
_CHORE_WORK = 3
_CHORE = lazy_pattern(
    r"(?:(?:please|can you|could you|first|let'?s|just) )*(?:git )?(?:check ?out|pull|fetch|clone|switch to|sync)\b"
    r"(?= (?:(?:the|from) )?(?:latest|main|master|develop|branch|repo|origin|upstream|changes)\b|\W*\Z)",
    re.I,
)
_PURPOSE = lazy_pattern(
    r"\b(?:trying to|(?:my|the|our) (?:aim|goal|idea|plan) is|i(?:'d| would) like to|i (?:want|need)(?:ed)? to"
    r"|working on|i'?m building|(?:get|got|getting) (?:this|the following|an?) error)\b",
    re.I,
)
_FOREIGN_WORDS = 5
_SMALL_WORDS = frozenset(
    ["the", "to", "it", "this", "that", "and", "with", "my", "you", "your", "does", "can", "from", "should", "what"]
)
"""Nearly each English sentence of some length has one of them. So have some of a few other languages, whose last prompt
is then told only if it was worked at or asks."""
_END_WORDS = 4
"""The last prompt is told if so many of its words say something."""
_ONCE = 0.4
"""How much a word that only one prompt has says of what a session is about; one in twice as many says 1 more."""
_SUBJECT_CHARS = 160
"""How much of a prompt is read for what it is about: about as much as is told."""
_QUOTED_CHARS = 20
_WORK, _TROUBLED, _PASTED, _TYPED_SHARE = 0.5, 0.7, 0.5, 0.4
"""How much the work counts that was done for a prompt, one that says that something is wrong, and one that pastes it:
of which less than such a share was typed."""
_EDIT, _LOOK = 3, 0.25
"""A file that was written, and a command that only looks around, count as this many commands."""
_SAME_CHARS = 60
_COMPARED_CHARS = 120
_OPENING_CHARS, _BEGINS_ALIKE = 60, 0.5
_MOST_COMPARED = 60
_CODE_MARK = lazy_pattern(r"[{}\[\]()<>\\/_$'\"=:+]")
_MARK_SHARE = 0.09
_SAME_SHARE = 0.65
"""Prompts of which more parts than this are the same are told once."""
# Asked to know something, or said for its own sake: what is worked at is said in other prompts.
_ASIDE = lazy_pattern(
    r"(?:(?:just )?(?:a )?(?:quick |side )?question\b|just (?:an? )?(?:investigat|question|curious|wondering)"
    r"|ha(?:ha)+\b|lol\b"
    r"|(?:can|could|would) you (?:please )?(?:give me|show me|explain|summari[sz]e|list)\b[^.!?]{0,40}"
    r"\b(?:summary|overview|what (?:changed|you did)|status)\b|what (?:changed|did you (?:do|change))\b"
    r"|(?:did|have) you (?:use|used|read|follow)\b|(?:and )?(?:do you (?:believe|think)|is (?:this|that) how)\b)",
    re.I,
)
_ASIDE_SAYS = 0.3
# Answers to what the agent asked say little without the question.
_ANSWERS = lazy_pattern(r"\s*(?:\d{1,2}|[ab])\s?[.):]\s*\S")
# Said after a question, these mean that it was to be done.
_ORDER = lazy_pattern(
    r"(?:(?:yes|ok|okay|sure|please|now|(?:(?:that|this|it) )?(?:sounds|looks) (?:like a )?(?:good|great|fine|perfect)"
    r"(?: plan| idea)?|good (?:plan|idea))[\s,.!]*)*(?:implement|make|do|apply|fix|add|go ahead)\b[^\n]{0,40}",
    re.I,
)
# These have words of their own and still say nothing by themselves.
_MERE_ORDER = lazy_pattern(
    r"(?:(?:yes|ok|okay|sure|please|now|just|can (?:you|we)|let'?s)[\s,.]*)*"
    r"(?:create an? (?:task list|plan|list)(?: and)? )?(?:implement|make|do|apply|fix|add|build)"
    r"(?: (?:it|this|that|them|both|all|everything|of|now|please|the|changes?))*\W*",
    re.I,
)
# What a person says who takes back the last prompt, and whose trouble is over.
_TAKEN_BACK = lazy_pattern(
    r"(?:(?:oh|oops|sorry|no|wait|please|wrong (?:chat|window|session))\b\W*){0,4}"
    r"(?:ignore|disregard|forget) (?:my |the |that )?(?:last|previous) (?:message|prompt|one)(?:\W+please)?"
    r"(?:[.!,;:)]\W*|\s*\Z)",
    re.I,
)
# What a person says whose trouble is not over.
_TROUBLE = lazy_pattern(
    r"\b(?:still|not work\w*|doesn'?t|didn'?t|isn'?t|can'?t|won'?t|errors?|fail\w*|broken?|wrong|issues?|bugs?|"
    r"opposite|missing|fatal|[45]\d\d|\w+(?:Error|Exception))\b",
    re.I,
)


class _Prompt(NamedTuple):
    said: str
    words: int
    work: float
    commits: int = 0
    is_pasted: bool = False
    """Whether most of it is not what a person typed."""
    at: int = 0
    """Its place in the session."""


class Asked(NamedTuple):
    """What was asked, in order, and whether the last of it is what the person said last."""

    prompts: tuple[str, ...] = ()
    is_last: bool = False
    since: int = 0
    """How many of the last prompts came after all that was done."""
    since_more: bool = False
    """Whether more of them came then than are told."""
    is_answered: bool = True
    """Whether the agent said something after the first of these."""


def asked(turns: Sequence[tuple[KeptTurn, str]], most_chars: int) -> Asked:
    """Return what a person asked in a session; a prompt that says nothing by itself only if there is no other."""
    # If none says anything by itself, what was typed is still more than nothing.
    prompts = next(filter(None, (list(_prompts(turns, least)) for least in (_LEAST_WORDS, 1, 0))), [])
    if not prompts:
        return Asked()
    if len(prompts) < _FEWEST_ASKED:
        prompts = _with_short_requests(prompts, turns)
    # Where words have no blanks between them, fewer characters say as much.
    most_chars = round(most_chars / (1 + unspaced_share(" ".join(one.said for one in prompts))))
    ranked = _ranked(prompts)
    while len(ranked) > _FEWEST_ASKED and most_chars < _ROOM_FOR_ONE * len(ranked) < sum(
        len(one.said) for one in ranked
    ):
        # Fewer of them, and those told so far that one knows what they are about.
        ranked.pop()
    heaviest = max(ranked, key=lambda one: one.work)
    chosen = [one for one in prompts if one in ranked]
    # One that fits is told as it is; of a long one the beginnings of long paths and addresses go first.
    short = [with_short_names(one.said[: 4 * most_chars]) for one in chosen]
    parts = [subject_and_request(name) for name in short]
    if chosen[-1] is prompts[-1] and not parts[-1][0]:
        parts[-1] = last_sentence(short[-1])

    def cut(share: int) -> list[str]:
        # The first, and the one that most was done for, have twice the space of another.
        rooms = [2 * share if one in (chosen[0], heaviest) else share for one in chosen]
        return [
            one.said if len(one.said) <= room else name if len(name) <= room else shortened_prompt(*part, room)
            for one, name, part, room in zip(chosen, short, parts, rooms, strict=True)
        ]

    shares = range(_MOST_SHARE, 0, -1)
    most = bisect_left(shares, True, key=lambda share: sum(map(len, cut(share))) <= most_chars)
    told = cut(shares[most]) if most < len(shares) else []
    # Whatever is said after it, were it only "yes, commit", makes it not the last.
    final = next((own_words(text) for turn, text in reversed(turns) if by_a_person(turn, text)), "")
    is_last = len(told) > 1 and chosen[-1].said == final
    made = Asked(tuple(told), is_last)
    return _since_work(made, turns, chosen, prompts) if told else made


def _with_short_requests(prompts: Sequence[_Prompt], turns: Sequence[tuple[KeptTurn, str]]) -> list[_Prompt]:
    """Return a few prompts with the requests between them that say little, and that commands followed."""
    known = {one.at for one in prompts}
    more = (one for one in _prompts(turns, 1) if one.at not in known and one.work and REQUEST.search(one.said))
    return sorted([*prompts, *more], key=lambda one: one.at)


def _since_work(
    made: Asked, turns: Sequence[tuple[KeptTurn, str]], chosen: Sequence[_Prompt], prompts: Sequence[_Prompt]
) -> Asked:  # fmt: skip
    """Return what was asked, with how many of the last prompts came after all that was done."""
    worked = (turn.number for turn, _text in turns if (is_work(turn.command) if turn.command else turn.paths))
    last = max(worked, default=0)
    since = [one for one in chosen if one.at > last] if last else []
    if not since:
        return made
    is_answered = any(turn.role == "assistant" and turn.number > since[0].at for turn, _text in turns)
    more = sum(one.at > last for one in prompts) > len(since)
    return made._replace(since=len(since), since_more=more, is_answered=is_answered)


def _ranked(prompts: Sequence[_Prompt]) -> list[_Prompt]:
    """Return the first prompt, the last if it says enough, and then those that add most to what these tell."""
    others = list(prompts[1:])
    last = _telling_end(others)
    others = [one for one in others if one not in last]
    ranked = [*_opening_prompts([one for one in prompts if one not in last or one is prompts[0]]), *last]
    others = [one for one in others if one not in ranked]
    # Each is compared with all others.
    others = nlargest(_MOST_COMPARED, others, key=lambda one: (_weight(one) * math.log2(1 + one.words), one.words))
    about = {one: _subjects(one.said) for one in [*ranked, *others]} if others else {}
    counts = Counter(word for words in about.values() for word in words)
    told = {word for one in ranked for word in about.get(one, ())}
    openings = {one: _opening(one.said) for one in about}

    def adds(prompt: _Prompt) -> tuple[float, int]:
        news = sum(_ONCE + math.log2(counts[word]) for word in about[prompt] - told)
        # Those that begin alike are perhaps of one template.
        alike = sum(openings[one] == openings[prompt] for one in ranked)
        return _weight(prompt) * math.log2(1 + news) * _BEGINS_ALIKE**alike, prompt.words

    while others and len(ranked) < _MOST_ASKED:
        others.remove(best := max(others, key=adds))
        if not any(_is_like(best, other) for other in ranked):
            ranked.append(best)
            told |= about[best]
    return ranked


def _opening_prompts(prompts: Sequence[_Prompt]) -> list[_Prompt]:
    """Return the first prompt and the next one if it says what it is all for; without the first if that is a chore."""
    first, *others = prompts[:2]
    is_short = first.words < _CHORE_WORDS
    after = [one for one in others if is_short and one.words >= _PURPOSE_WORDS and _PURPOSE.search(one.said)]
    return after if after and _CHORE.match(first.said) and first.work <= _CHORE_WORK else [first, *after]


@lru_cache(256)
def _opening(said: str) -> str:
    return next(iter(query_tokens(said[:_OPENING_CHARS])), "")


@lru_cache(256)
def _subjects(said: str) -> AbstractSet[str]:
    """Return the words that say what a prompt is about."""
    return {word for word in query_tokens(said[:_SUBJECT_CHARS]) if telling_words(word)}


def _telling_end(prompts: Sequence[_Prompt]) -> list[_Prompt]:
    """Return the last prompt that tells where the work stands, if nothing was done for what was said after it."""
    for prompt in reversed(prompts):
        if _is_telling_end(prompt):
            return [prompt]
        if prompt.work:
            break
    return []


def _is_telling_end(prompt: _Prompt) -> bool:
    stands = not prompt.commits and bool(_TROUBLE.search(prompt.said) or _is_over(prompt.said))
    said = prompt.said
    # In another language nobody here knows what a request is.
    is_open = prompt.work > 0 or said.endswith("?") or bool(REQUEST.search(said)) or _is_foreign(said)
    # A short request is one if it was carried out.
    is_request = prompt.work > 0 and prompt.words >= _LEAST_WORDS and bool(REQUEST.search(said))
    return stands or (is_open and (prompt.words >= _END_WORDS or said.endswith("?") or is_request))


def _is_foreign(said: str) -> bool:
    """Return whether a prompt is in another language: with letters that English lacks, or without its small words."""
    if not said.isascii() and any(char.isalpha() and not char.isascii() for char in said):
        return True
    words = said.casefold().split()
    return len(words) >= _FOREIGN_WORDS and not any(word.strip(".,;:!?") in _SMALL_WORDS for word in words)


def _is_like(prompt: _Prompt, other: _Prompt) -> bool:
    """Return whether two prompts say nearly the same."""
    one, two = _parts(prompt.said[:_COMPARED_CHARS]), _parts(other.said[:_COMPARED_CHARS])
    same = len(one & two)
    return same > _SAME_SHARE * max(len(one) + len(two) - same, 1)


@lru_cache(256)
def _parts(text: str) -> frozenset[str]:
    return frozenset(text[at : at + 3] for at in range(len(text) - 2))


def prompts_typed(turns: Sequence[tuple[KeptTurn, str]]) -> int:
    """Return how many different prompts of a session a person typed that say something."""
    said = {own_words(text) for turn, text in turns if by_a_person(turn, text)}
    return sum(telling_words(one) > 0 for one in said)


def _is_over(said: str) -> bool:
    """Return whether a short prompt says that it works."""
    return len(said) <= _SAME_CHARS and bool(WORKS.search(said)) and not NEGATED.search(said) and "?" not in said


def _is_code_like(said: str) -> bool:
    """Return whether a prompt of some length has so many marks of code that nobody typed it as a sentence."""
    return len(said) >= _SAME_CHARS and len(_CODE_MARK.findall(said)) > _MARK_SHARE * len(said)


@lru_cache(2_048)
def is_work(line: str) -> bool:
    """Return whether a command does something, by the first words of its parts."""
    return bool(line.strip()) and not seems_to_look(line, LOOKING)


@lru_cache(256)
def _weight(prompt: _Prompt) -> float:
    """Return how much a prompt tells: a request more than an answer, and one that was worked at more than talk."""
    # Who has seen that it works tells the result.
    is_result = bool(WORKS.search(prompt.said)) and "?" not in prompt.said
    kind = 0.5 if _ANSWERS.match(prompt.said) else 1.5 if is_result or REQUEST.search(prompt.said) else 1.0
    kind *= _ASIDE_SAYS if _ASIDE.match(prompt.said) else 1.0
    kind *= _PASTED if prompt.is_pasted else _TROUBLED if _TROUBLE.search(prompt.said) and not is_result else 1.0
    return kind * (1 + _WORK * math.sqrt(prompt.work))


def _prompts(turns: Sequence[tuple[KeptTurn, str]], least: int) -> Iterator[_Prompt]:
    found: dict[str, _Prompt] = {}
    last = ""
    counts = is_open = False
    answered: set[str] = set()
    for turn, text in turns:
        if turn.role == "assistant":
            answered |= {line.strip() for line in text.splitlines() if len(line) >= _QUOTED_CHARS}
        if by_a_person(turn, text):
            # What is copied from an answer is the agent's.
            own = [line for line in text.splitlines() if line.strip() not in answered] if answered else []
            said = own_words("\n".join(own) if any(map(str.strip, own)) else text)
            if taken_back := _TAKEN_BACK.match(said):
                # What was said last may not be among them.
                found.pop(last if counts else "", None)
                last = next(reversed(found), "")
                said = said[taken_back.end() :]
            # A later question that says little is what it answers.
            after_question = is_open and bool(last) and found[last].said.endswith("?")
            counts, is_open = False, is_open and not said.endswith("?")
            words = max(telling_words(said), _LEAST_WORDS if said.startswith("/") or _is_over(said) else 0)
            # A prompt that only goes on belongs to the one before it; the first has none before it.
            needed = least if found or len(said.split()) < _FIRST_WORDS else min(least, 1)
            if len(said) >= _SHORTEST and words >= needed and not (after_question and _MERE_ORDER.fullmatch(said)):
                last, counts, is_open = said[:_SAME_CHARS], True, True
                is_pasted = len(said) < _TYPED_SHARE * len(text) or _is_code_like(said)
                made = _Prompt(said, words, 0, is_pasted=is_pasted, at=turn.number)
                # Run again, it failed otherwise.
                if again := found.pop(last, None) if ERROR_AT_END.search(said) else None:
                    made = made._replace(work=again.work, commits=again.commits)
                found.setdefault(last, made)
            elif after_question and (_ORDER.fullmatch(said) or _MERE_ORDER.fullmatch(said)):
                found[last] = found[last]._replace(said=f"{found[last].said} (then: {said})")
        elif last:
            before = found[last]
            work = before.work + ((1 if is_work(turn.command) else _LOOK) if turn.command else _EDIT * len(turn.paths))
            found[last] = before._replace(work=work, commits=before.commits + ("commit" in turn.command))
    yield from found.values()
