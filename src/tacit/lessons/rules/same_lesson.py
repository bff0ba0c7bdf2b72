"""Whether two lessons are the same: equal commands, or descriptions that say the same in nearly the same words."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from tacit.model.lesson import Lesson
from tacit.text.patterns import lazy_pattern
from tacit.text.stopwords import STOPWORDS
from tacit.text.tokens import tokens

# Of all words of both texts, so many may differ: one in five words more, or two in ten exchanged.
NEAR = 0.8
# Of a short text, two words more make no other lesson.
_SHORT, _ADDED = 6, 2
_PLACEHOLDER = "<"
"""A signature with one leaves out a path or a text, so that it stands for several commands."""
# A full stop inside a word belongs to a path or a version. A dash before a word is a flag's.
_PIECE = lazy_pattern(r"`[^`\n]*`|[^\s`]+")
_EDGES = ",;:!?()[]{}\"'“”‘’«»…"
_ENDS = tuple(",;:!?)…")
_HARD = lazy_pattern(r"[\d/\\_=<>@#$%*+~^|&]|^-|\w\.\w")
_INSTEAD = lazy_pattern(r"\b(?:instead|in\s+place|in\s+lieu)\s+of\b|\brather\s+than\b", re.I)
_REPLACE = lazy_pattern(r"\b(?:replace|swap|exchange)\s+(.{1,200}?)\s+(?:with|by|for)\s+", re.I | re.S)
_PREFER = lazy_pattern(r"\bprefer(?:s|red)?\b([^.;\n]{1,200}?)\s(?:over|to)\s", re.I)
_CANNOT = lazy_pattern(
    r"\b(?:do|does|did|must|should|can|could|will|would|may|is|are)\s*n(?:[o'’]t|ot)\b|\bcannot\b", re.I
)
_NOT = "not"
# In other languages too, since a text that differs only in such a word says the opposite.
_NEGATING = """
not never no none nor neither without avoid stop dont cant wont cannot
nicht nie niemals kein keine keinen ohne pas jamais non sans ne nunca jamás sin mai senza não sem
не нет никогда без niet geen nooit zonder
"""
_NEGATIONS = frozenset(_NEGATING.split())
_UNSPACED_NEGATIONS = frozenset("不没沒別别勿未無无非莫")
# What follows one of these is another thing than what stands before it: the word, and what it must agree with.
_RELATIONS = {
    "before": "time", "after": "time", "until": "time", "from": "way", "into": "way", "onto": "way", "to": "way",
    "than": "rank", "over": "rank", "under": "rank", "above": "rank", "below": "rank",
}  # fmt: skip
# These end what a negation is about: "don't use npm but bun".
_RESUMES = frozenset({"but", "use", "using", "prefer", "instead"})
# Words that ask for something, and say nothing about what.
_ASKING = """
always use using run running prefer call must should need needs make sure ensure remember note please rule lesson
important instead rather simply really better best correct correctly properly everywhere here now ever want wants
replace swap exchange go goes going
"""
_FILLERS = frozenset(_ASKING.split())


class LessonText(NamedTuple):
    """The parts of a lesson that say what it is: its description, and its commands if it has them."""

    description: str
    trigger: str = ""
    correction: str = ""

    @property
    def commands(self) -> tuple[str, str] | None:
        """The command it warns of and the one it recommends, if these are two different commands."""
        known = self.trigger and self.correction and self.trigger != self.correction
        return (self.trigger, self.correction) if known else None


def text_of_lesson(description: str, payload: Lesson) -> LessonText:
    """Return the text of a lesson. Its commands are signatures, or the whole lines if signatures leave out a part."""
    told = payload.narrative
    if told is None:
        return LessonText(description)
    pairs = ((payload.trigger_signature, told.trigger), (payload.correction_signature, told.correction))
    return LessonText(
        description,
        *(signature if _PLACEHOLDER not in signature else " ".join(line.split()) for signature, line in pairs),
    )


def same_lesson(one: LessonText, other: LessonText) -> bool:
    """Return whether two lessons are the same, so that a decision about one is a decision about the other."""
    if one.commands and one.commands == other.commands:
        return True
    if not same_words(one.description, other.description):
        return False
    differ = one.commands and other.commands
    # "Spell it right" may be about any command; words that name the command decide by themselves.
    return not differ or _names_commands(one) or _names_commands(other)


def same_words(one: str, other: str) -> bool:
    """Return whether two texts say the same in nearly the same words, whatever their order.

    Numbers, versions, paths, flags and code must be equal, and so must what is negated, and what stands on which side
    of "before", "after", "from" and "to".
    """
    first, second = _read(one), _read(other)
    if not (first.soft or first.hard or second.soft or second.hard):
        return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()
    if (first.hard, first.negations) != (second.hard, second.negations):
        return False
    if not (first.code <= second.every and second.code <= first.every and _same_sides(first.sides, second.sides)):
        return False
    every = first.soft | second.soft
    shared = first.soft & second.soft
    short = min(first.soft, second.soft, key=len)
    if len(every) - len(short) <= _ADDED and short == shared and 1 < len(short) <= _SHORT:
        return True
    return len(shared) + len(first.hard) >= NEAR * (len(every) + len(first.hard))


class _Said(NamedTuple):
    soft: frozenset[tuple[str, str]]
    """Base forms of words, each with whether it is negated."""
    hard: frozenset[tuple[str, str]]
    """Numbers, versions, paths and flags, which have no other form."""
    code: frozenset[str]
    """Words in backticks, as they are."""
    every: frozenset[str]
    """All words, as they are."""
    sides: frozenset[tuple[str, str]]
    """Words that stand behind a relation, each with the relation."""
    negations: int


def _read(text: str) -> _Said:
    soft: set[tuple[str, str]] = set()
    hard: set[tuple[str, str]] = set()
    sides: set[tuple[str, str]] = set()
    code: set[str] = set()
    every: set[str] = set()
    negations, negated, relation, started = 0, "", "", False
    for piece in _PIECE.findall(_plain(text)):
        if piece.startswith("`"):
            code |= set(piece.strip("`").casefold().split())
            words = [*piece.strip("`").split()]
        else:
            words = [piece]
        for number, word in enumerate(word.strip(_EDGES).rstrip(".") for word in words):
            bare = word.casefold().replace("'", "").replace("’", "")
            every |= {bare, word.casefold(), words[number].casefold()}
            if bare in _NEGATIONS:
                negations, negated, relation, started = negations + 1, _NOT, "", False
                continue
            if bare in _RELATIONS and started:
                relation = bare
                continue
            if bare in _RESUMES and started:
                negated = relation = ""
            found, is_hard = _forms(word, bare)
            negations += sum(one in _UNSPACED_NEGATIONS for one in word)
            (hard if is_hard else soft).update((negated, one) for one in found)
            sides.update((relation, one) for one in found if relation)
            started = started or bool(found)
        if piece.endswith((*_ENDS, ".")):
            negated, relation, started = "", "", False
    return _Said(frozenset(soft), frozenset(hard), frozenset(code), frozenset(every), frozenset(sides), negations)


def _forms(word: str, bare: str) -> tuple[Collection[str], bool]:
    """Return what a word stands for, and whether it has no other form; nothing for words that say nothing."""
    if not word or bare in _FILLERS or bare in STOPWORDS:
        return (), False
    if _HARD.search(word):
        return (word.casefold(),), True
    return set(tokens(word)) or (bare,), False


def _plain(text: str) -> str:
    """Return a text in which a contrast is always spelt the same way: "use A not B"."""
    text = _CANNOT.sub(" not ", text)
    text = _INSTEAD.sub(" not ", text)
    text = _PREFER.sub(lambda found: f"{found[1]} not ", text)
    return _REPLACE.sub(lambda found: f"not {found[1]}, ", text)


def _same_sides(one: frozenset[tuple[str, str]], other: frozenset[tuple[str, str]]) -> bool:
    """Return whether two texts agree about what stands behind a relation, if both have one of its sort."""
    first, second = _by_sort(one), _by_sort(other)
    return all(first[sort] & second[sort] for sort in first.keys() & second.keys())


def _by_sort(sides: frozenset[tuple[str, str]]) -> dict[str, set[tuple[str, str]]]:
    found: dict[str, set[tuple[str, str]]] = {}
    for relation, word in sides:
        found.setdefault(_RELATIONS[relation], set()).add((relation, word))
    return found


def _names_commands(lesson: LessonText) -> bool:
    """Return whether a description names a word of its commands."""
    words = {word for line in lesson.commands or () for word in line.casefold().split()}
    said = {word for _negated, word in (*_read(lesson.description).soft, *_read(lesson.description).hard)}
    return bool(said & (words | {form for word in words for form in tokens(word)}))
