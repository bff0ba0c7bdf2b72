"""Decide whether two short statements are the same fact, contradict each other, or may both be true.

Merging two different facts loses one of them for good, so every doubt is `Distinct`:

    Same            the words agree one by one, except for articles, case, punctuation, number and tense
    Contradiction   at least 0.6 of the words are shared, the subject is the same, and all that differs is
                    a number, a version, a date, a name after the same verb, or one negation; or two holders of
                    one role; or what one says is used no longer, the other says is used
    Similar         the same names, numbers and weighty words in other words: offered, never merged
    Distinct        everything else: other subjects, other circumstances, additions, other orders
"""

from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher

from tacit.records.rules.merge_vocabulary import (
    ADDITIONS,
    ASIDES,
    CARRIERS,
    COMMANDS,
    CONDITIONS,
    CROWDS,
    CYCLES,
    EXCLUSIVE,
    INCLUSIVE,
    JOINTS,
    LABELLED,
    LABELS,
    MODALS,
    OPPOSED,
    OPPOSED_QUALITIES,
    OWNERS,
    OWNERS_OWN,
    OWNS,
    PLACES,
    PREPOSITIONS,
    REASONS,
    SCALES,
    SINGLE,
    SURE_VERBS,
    TAKES_NAME,
    TAKES_PLACE,
    VERBS,
)
from tacit.records.rules.other_words import in_other_words
from tacit.records.rules.role_claims import role_claim, role_conflict
from tacit.records.rules.statement import NOT, Statement, StatementWord, WordKind, alike, fold, read
from tacit.records.rules.use_claims import ended_use, use_conflict

LEAST_OVERLAP = 0.6

# Two statements whose differences lie further apart than this are not one claim with another value.
_WIDEST_DIFFERENCE = 40
_MOST_VALUES = 3
_MOST_NAME_WORDS = 3
_OBJECT_REACH = 4
_SHOWN = 40
# Reading a longer figure takes more than linear time, and past a limit Python refuses.
_MOST_DIGITS = 15
_MOST_CLAIM_WORDS = 40
_NUMERIC = frozenset({WordKind.NUMBER, WordKind.VERSION, WordKind.DATE})


@dataclass(frozen=True, slots=True)
class SameFact:
    """The same fact in two spellings: merging them loses nothing."""

    why: str


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two values for the same claim: at most one of them is true."""

    why: str


@dataclass(frozen=True, slots=True)
class SimilarFact:
    """Nearly the same fact in other words: a person may want only one of them."""

    why: str = "the same in other words"


@dataclass(frozen=True, slots=True)
class DistinctFacts:
    """Two facts that may both be true."""


Verdict = SameFact | Contradiction | SimilarFact | DistinctFacts


@dataclass(frozen=True, slots=True)
class _Gap:
    """A stretch where two statements differ, with the words they share before and after it."""

    left: tuple[StatementWord, ...]
    right: tuple[StatementWord, ...]
    before: tuple[StatementWord, ...]
    after: tuple[StatementWord, ...]


@dataclass(frozen=True, slots=True)
class _Clash:
    """A gap both sides of which cannot hold: `flips` when it turns the statement into its opposite."""

    label: str
    left: str
    right: str
    flips: bool = False

    def why(self, swapped: bool) -> str:
        left, right = (self.right, self.left) if swapped else (self.left, self.right)
        return f"{self.label}: {left} / {right}" if left and right else self.label


def compare(a: str, b: str) -> Verdict:
    """Compare two statements. The order of the arguments does not matter for the kind of verdict."""
    folded_a, folded_b = fold(a), fold(b)
    if folded_a == folded_b:
        return SameFact("equal text")
    # Laying one sequence beside another may give another result the other way round, so the order is fixed here.
    swapped = folded_a > folded_b
    left, right = (read(b), read(a)) if swapped else (read(a), read(b))
    if left is None or right is None or not left.words or not right.words:
        return DistinctFacts()
    verdict = _compare_words(left, right, swapped)
    if not isinstance(verdict, DistinctFacts) or max(len(left.words), len(right.words)) > _MOST_CLAIM_WORDS:
        return verdict
    ordered = (right, left) if swapped else (left, right)
    if why := role_conflict(*map(role_claim, ordered)) or use_conflict(*ordered):
        return Contradiction("".join(mark if mark.isprintable() else "?" for mark in why))
    return SimilarFact() if in_other_words(left, right) else verdict


def may_claim(text: str) -> bool:
    """Return whether a text says who has a role, or what is used no longer: then few shared words are enough."""
    said = read(text)
    return said is not None and (role_claim(said) is not None or ended_use(said) is not None)


def _compare_words(left: Statement, right: Statement, swapped: bool) -> SameFact | Contradiction | DistinctFacts:
    if _overlap(left, right) < LEAST_OVERLAP:
        return DistinctFacts()
    gaps = _gaps(left, right)
    if not gaps:
        same = gaps is not None and _same_contrast(left, right)
        return SameFact("same words") if same else DistinctFacts()
    clash = _clash(gaps, left, right)
    return Contradiction(clash.why(swapped)) if clash else DistinctFacts()


def _overlap(left: Statement, right: Statement) -> float:
    """Share of words, counted as often as they occur, that the statements have in common."""
    shared = (Counter(left.keys) & Counter(right.keys)).total()
    return 2 * shared / (len(left.keys) + len(right.keys))


def _same_contrast(left: Statement, right: Statement) -> bool:
    same_length = len(left.against) == len(right.against)
    return same_length and all(alike(one, other) for one, other in zip(left.against, right.against, strict=True))


def _gaps(left: Statement, right: Statement) -> list[_Gap] | None:
    """The stretches that differ, in order; None when they are too far apart to be one claim."""
    one, other = left.words, right.words
    shorter = min(len(one), len(other))
    head = 0
    while head < shorter and alike(one[head], other[head]):
        head += 1
    tail = 0
    while tail < shorter - head and alike(one[-1 - tail], other[-1 - tail]):
        tail += 1
    ends = (len(one) - tail, len(other) - tail)
    if max(ends) - head > _WIDEST_DIFFERENCE:
        return None
    middle = [word.key for word in one[head : ends[0]]], [word.key for word in other[head : ends[1]]]
    spans: list[tuple[int, int, int, int]] = []
    for tag, i, i_end, j, j_end in SequenceMatcher(None, *middle, autojunk=False).get_opcodes():
        if tag != "equal":
            spans.append((head + i, head + i_end, head + j, head + j_end))
            continue
        # Words of one stem that are not forms of one word: product, production.
        pairs = zip(range(head + i, head + i_end), range(head + j, head + j_end), strict=True)
        spans += [(p, p + 1, q, q + 1) for p, q in pairs if not alike(one[p], other[q])]
    return [_Gap(one[i:i_end], other[j:j_end], one[:i], one[i_end:]) for i, i_end, j, j_end in spans]


def _clash(gaps: list[_Gap], left: Statement, right: Statement) -> _Clash | None:
    """What the statements contradict each other in, if that is all they differ in."""
    found: list[_Clash] = []
    for gap in gaps:
        if _says_nothing(gap):
            continue
        clash = _flip(gap) or _number(gap) or _cycle(gap) or _name(gap, left, right)
        if clash is None:
            return None
        found.append(clash)
    flips = sum(clash.flips for clash in found)
    # "must run on Linux" and "must not run on Windows" agree, and so do two negations.
    if not found or len(found) > _MOST_VALUES or (flips and len(found) > 1):
        return None
    return found[0]


def _says_nothing(gap: _Gap) -> bool:
    """A gap that does not change the claim once another gap contradicts it: a preposition, "port", a reason."""
    either = {word.key for word in (*gap.left, *gap.right)}
    if either <= ASIDES:
        return True
    if gap.left and gap.right:
        return either <= CARRIERS and not _opposite(gap)
    return not gap.after and (gap.left or gap.right)[0].key in REASONS


def _flip(gap: _Gap) -> _Clash | None:
    """A negation on one side only, or a word against its opposite."""
    nots = [sum(word.sort is WordKind.NOT for word in side) for side in (gap.left, gap.right)]
    if sum(nots) == 1:
        rest = {word.key for word in (*gap.left, *gap.right) if word.sort is not WordKind.NOT}
        return _Clash("negation", "", "", flips=True) if rest <= MODALS else None
    return _Clash("negation", gap.left[0].shown, gap.right[0].shown, flips=True) if _opposite(gap) else None


def _opposite(gap: _Gap) -> bool:
    if len(gap.left) != 1 or len(gap.right) != 1:
        return False
    one, other = gap.left[0], gap.right[0]
    pair = frozenset({one.key, other.key})
    short, long = sorted((one.form, other.form), key=len)
    negated = len(short) >= 4 and long in {"un" + short, "non" + short}
    # A quality of the subject tells two subjects apart: the public API, the private API.
    return pair in OPPOSED or ((pair in OPPOSED_QUALITIES or negated) and _is_predicate(gap))


def _number(gap: _Gap) -> _Clash | None:
    """A number, version or date in place of another, in what is said of the subject."""
    sides = [[word for word in side if word.sort in _NUMERIC] for side in (gap.left, gap.right)]
    if [len(side) for side in sides] != [1, 1]:
        return None
    rest = [word for word in (*gap.left, *gap.right) if word.sort not in _NUMERIC]
    if any(word.sort is not WordKind.UNIT and word.key not in ASIDES | CYCLES[1] for word in rest):
        return None
    if not (_is_predicate(gap) or _is_exclusive(gap)) or not _is_free(gap) or _is_label(gap):
        return None
    one, other = sides[0][0], sides[1][0]
    if _is_same_amount(gap):
        return None
    if one.sort is WordKind.DATE and _is_past(gap):
        return None
    label = "number"
    if WordKind.DATE in (one.sort, other.sort):
        label = "date"
    elif one.form.count(".") == other.form.count(".") == 3:
        label = "address"
    elif WordKind.VERSION in (one.sort, other.sort) or ("." in one.form + other.form and _follows_name(gap)):
        label = "version"
    return _Clash(label, _shown(gap.left), _shown(gap.right))


def _is_same_amount(gap: _Gap) -> bool:
    """True for 5 s and 5000 ms."""
    amounts = [_amount(side, gap.after) for side in (gap.left, gap.right)]
    return None not in amounts and amounts[0] == amounts[1]


def _amount(side: tuple[StatementWord, ...], after: tuple[StatementWord, ...]) -> tuple[str, int] | None:
    words = (*side, *after)[:2]
    if len(words) < 2 or words[1].key not in SCALES:
        return None
    figure = words[0].form
    if not (figure.isascii() and figure.isdecimal() and len(figure) <= _MOST_DIGITS):
        return None
    measure, scale = SCALES[words[1].key]
    return measure, int(figure) * scale


def _cycle(gap: _Gap) -> _Clash | None:
    """A day, month or frequency in place of another."""
    if len(gap.left) != 1 or len(gap.right) != 1 or not _is_predicate(gap) or not _is_free(gap) or _is_past(gap):
        return None
    pair = {gap.left[0].key, gap.right[0].key}
    if not any(pair <= cycle for cycle in CYCLES):
        return None
    return _Clash("time", _shown(gap.left), _shown(gap.right))


def _name(gap: _Gap, left: Statement, right: Statement) -> _Clash | None:
    """A name in place of another after the same verb, or before one that allows a single subject."""
    if not all(_is_name(side) for side in (gap.left, gap.right)):
        return None
    keys = [{word.key for word in side} for side in (gap.left, gap.right)]
    if _shown(gap.left).lower() == _shown(gap.right).lower() or keys[0] <= keys[1] or keys[1] <= keys[0]:
        return None
    values = _shown(gap.left), _shown(gap.right)
    if keys[0] <= {word.key for word in right.against} or keys[1] <= {word.key for word in left.against}:
        return _Clash("preference", *values)
    if not gap.before:
        return _Clash("owner", *values) if _names_owner(gap) else None
    if all(side & PLACES for side in keys) or not _is_free(gap):
        return None
    verb = _verb_before(gap)
    return _Clash(f"name after '{verb}'", *values) if verb else None


def _is_name(side: tuple[StatementWord, ...]) -> bool:
    inner = {word.key for word in side}
    barred = PREPOSITIONS | JOINTS | CONDITIONS | {NOT, "be", "?"}
    return 0 < len(side) <= _MOST_NAME_WORDS and not inner & barred and all(w.sort not in _NUMERIC for w in side)


def _names_owner(gap: _Gap) -> bool:
    following = [word.key for word in gap.after if word.key not in CROWDS][:2]
    if len(following) < 2:
        return False
    return (following[0] in OWNS and following[1] not in OWNERS_OWN) or (
        following[0] == "be" and following[1] in OWNERS
    )


def _verb_before(gap: _Gap) -> str:
    """The verb that takes the differing name, as it is written; empty when there is none."""
    before = list(gap.before)
    if before[-1].stop == ":":
        return before[-1].shown[:_SHOWN]
    if len(before) > 1 and before[-1].key in COMMANDS:
        before.pop()
    last = before[-1]
    if last.key in TAKES_NAME or (last.key == "be" and _is_single(before[:-1], gap)):
        return last.shown
    if last.key not in CARRIERS or len(before) < 2:
        return ""
    # "by" names who does it, and one does; elsewhere the verb decides whether there is one place only.
    if last.key == "by" and before[-2].key not in TAKES_NAME:
        return f"{before[-2].shown} {last.shown}"
    for word in before[-2 : -2 - _OBJECT_REACH : -1]:
        if word.key in TAKES_PLACE or (word.key == "be" and word is before[-2]):
            return f"{word.shown} {last.shown}"
    return ""


def _is_single(subject: list[StatementWord], gap: _Gap) -> bool:
    """A thing has many qualities, but one default, one owner; or else what differs is a proper name."""
    one, other = gap.left[0].sort, gap.right[0].sort
    return one is other and (one is WordKind.NAME or any(word.key in SINGLE for word in subject))


def _is_predicate(gap: _Gap) -> bool:
    """Return whether the gap lies in what is said of the subject, not in the subject."""
    words = (*gap.before, *gap.left, *gap.after)
    verb = next((place for place, word in enumerate(words) if word.key in SURE_VERBS), None)
    if verb is None:
        verb = next((place for place, word in enumerate(words) if word.key in VERBS), None)
    return bool(gap.before) and (verb is None or verb < len(gap.before))


def _is_exclusive(gap: _Gap) -> bool:
    following = [word.key for word in gap.after[:2]]
    return len(following) == 2 and following[0] == "be" and following[1] in EXCLUSIVE


def _is_free(gap: _Gap) -> bool:
    """Return whether nothing before the gap lets both values stand: a condition, a list, "also", a negation."""
    keys = [word.key for word in gap.before]
    if any(key in CONDITIONS or key in ADDITIONS for key in keys) or (keys and keys[-1] in JOINTS):
        return False
    if NOT in keys and not {"exceed", "than"} & set(keys):
        return False
    return not (len(gap.after) > 1 and gap.after[0].key in JOINTS and gap.after[1].sort in _NUMERIC)


def _is_label(gap: _Gap) -> bool:
    """Return whether the number tells two things apart instead of measuring one: issue 12, "tests pass on 3.11"."""
    keys = [word.key for word in gap.before]
    if keys and keys[-1] in LABELS:
        return True
    if gap.after and gap.after[0].key in LABELLED:
        return True
    verb = next((place for place, key in enumerate(keys) if key in SURE_VERBS), 0)
    if "for" in keys[verb:-1]:
        return True
    counted = bool(gap.after) and gap.after[0].sort is WordKind.PLAIN and gap.after[0].key not in PREPOSITIONS
    return not counted and any(key in INCLUSIVE for key in keys)


def _is_past(gap: _Gap) -> bool:
    """True for what happened: it may have happened twice."""
    forms = [word.form for word in gap.before]
    return "was" in forms or "were" in forms or ("be" not in forms and any(form.endswith("ed") for form in forms))


def _follows_name(gap: _Gap) -> bool:
    return bool(gap.before) and (gap.before[-1].sort is WordKind.NAME or gap.before[-1].key == "version")


def _shown(side: tuple[StatementWord, ...]) -> str:
    text = " ".join(word.shown for word in side)
    return "".join(mark if mark.isprintable() else "?" for mark in text[:_SHOWN])
