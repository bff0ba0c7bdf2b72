"""A short statement as a sequence of words that can be compared with another statement.

Parsing drops words without meaning (articles, "please", "now"), turns every negation into one word, splits a unit from
its number, and marks what must match letter by letter: identifiers, paths, flags and numbers.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from tacit.text.patterns import lazy_pattern
from tacit.text.tokens import tokens

MOST_WORDS = 400
MOST_CHARACTERS = 8_000
NOT = "not"

# Normalising a run of combining marks takes quadratic time, so a longer chunk is taken as it stands.
_LONGEST_CHUNK = 256
_LONGEST_KNOWN = 64
_CASED = lazy_pattern(r"[_/\\$=`@]|^-|^[\d.]*[KMGT]b\b")
_CUT = lazy_pattern(r"(?<!\d),|,(?!\d)|[;()\[\]{}\"\u201c\u201d]+|(?<=\w)=(?=\w)|^\*\*(?=\w)|(?<=\w)\*\*(?=\W?$)")
_LEAD = "'`,;:\u2018"
_TRAIL = "'`,;:.!?\u2019\u2026"
_DASHES = frozenset({"-", "--", "\u2013", "\u2014", "=", "->", "\u2192", "\u2022", "&"})
_NUMBER = lazy_pattern(r"[~+-]?\d+(?:\.\d+)?[%+]?")
_THOUSANDS = lazy_pattern(r"\d{1,3}(?:,\d{3})+")
_VERSION = lazy_pattern(r"[vV]\d+(?:\.\w+)*\+?|[~^]?\d+(?:\.\w+)+(?:[-+]\w[\w.]*)?\+?")
_DATE = lazy_pattern(r"\d{4}-\d\d(?:-\d\d)?")
_MEASURED = lazy_pattern(r"(\d+(?:\.\d+)?)([A-Za-z\u00b5]{1,3})")
_HYPHENED = lazy_pattern(r"[^\W\d_]{2,}(?:-[^\W\d_]{2,})+")
_NEGATED = lazy_pattern(r"(\w+)n't")
_SHORTENED = lazy_pattern(r"(\w+)'(s|re|ve|ll|d)")
_UNSPACED = lazy_pattern("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")
_DOUBLED = lazy_pattern(r"([bdgklmnprtv])(?:ed|ing)")

# "just" is a command and "your" is not "our": neither says nothing.
_FILLERS = frozenset({"a", "an", "the", "this", "that", "these", "those", "please", "we", "our", "you", "anymore"})
_FILLERS |= {
    "now",
    "currently",
    "simply",
    "really",
    "very",
    "actually",
    "basically",
    "do",
    "does",
    "did",
    "being",
    "been",
}
# Only the plain ones are one word in two spellings: "nobody" says more than "not".
_PLAIN_NO = frozenset({"not", "never", "no", "non", "dont", "doesnt", "didnt", "cant", "wont", "isnt", "arent"})
_OTHER_NO = frozenset({"nor", "neither", "none", "nobody", "nothing", "nowhere", "avoid"})
_NO_BASES = {"ca": "can", "wo": "will", "sha": "shall", "do": "", "does": "", "did": "", "is": "be", "are": "be"}
_BE = {"is": "be", "are": "be", "am": "be", "was": "be", "were": "be"}
_IRREGULAR = {"goes": "go", "has": "have", "ran": "run", "built": "build", "kept": "keep", "sent": "send"}
_IRREGULAR |= {"wrote": "write", "written": "write", "held": "hold", "chose": "choos", "chosen": "choos"}
_COUNTS = {"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9"}
_PRONOUNS = frozenset({"it", "that", "there", "he", "she", "what", "who"})
_UNIT_NAMES = {
    "ms": "ms millisecond milliseconds msec",
    "second": "s sec secs second seconds",
    "minute": "min mins minute minutes",
    "hour": "h hr hrs hour hours",
    "day": "d day days",
    "week": "week weeks",
    "month": "month months",
    "year": "year years",
    "byte": "byte bytes",
    "kb": "kb",
    "mb": "mb megabyte megabytes",
    "gb": "gb gigabyte gigabytes",
    "tb": "tb terabyte terabytes",
    "kib": "kib",
    "mib": "mib",
    "gib": "gib",
    "percent": "percent",
    "k": "k",
    "px": "px",
    "us": "\u00b5s",
}
_UNITS = {spelling: unit for unit, spellings in _UNIT_NAMES.items() for spelling in spellings.split()}
_PLACES = frozenset({"in", "on", "at", "for", "under", "during", "since", "from", "with"})
_CONTRASTS = frozenset({"prefer", "choos", "favor", "favour", "use", "pick"})
_MOST_CONTRAST_WORDS = 3
_MOST_OPENING_WORDS = 5
_ENDINGS = frozenset({"", "s", "es", "d", "ed", "ing", "e", "y", "ies", "ied"})


class WordKind(Enum):
    """The kind of a word, judged by its shape."""

    PLAIN = "plain"
    NAME = "name"
    NUMBER = "number"
    VERSION = "version"
    DATE = "date"
    UNIT = "unit"
    NOT = "not"


@dataclass(frozen=True, slots=True)
class StatementWord:
    """One word: `key` aligns two statements, `form` decides whether they mean the same, `shown` is for people."""

    key: str
    form: str
    shown: str
    sort: WordKind = WordKind.PLAIN
    exact: bool = False
    stop: str = ""


@dataclass(frozen=True, slots=True)
class Statement:
    """The words of a text in order, the words it rejects ("not npm"), and all keys it used."""

    words: tuple[StatementWord, ...]
    against: tuple[StatementWord, ...]
    keys: tuple[str, ...]


def fold(text: str) -> str:
    """Return the text with case, white space and composed characters normalised."""
    return " ".join(_folded(chunk) for chunk in text.split())


def read(text: str) -> Statement | None:
    """Parse a statement, or return None if the text is too long."""
    if len(text) > MOST_CHARACTERS:
        return None
    found: list[StatementWord] = []
    for chunk in text.split():
        found += _known_chunk(chunk) if len(chunk) <= _LONGEST_KNOWN else _chunk(chunk)
    if len(found) > MOST_WORDS:
        return None
    said = _no_longer([word for place, word in enumerate(found) if not _is_filler(word, place)])
    kept, against = _contrast(_opening_last(said))
    return Statement(tuple(kept), tuple(against), tuple(word.key for word in found if word.key))


def alike(one: StatementWord, other: StatementWord) -> bool:
    """Return whether two words mean the same: they are equal, or differ only in number or tense."""
    if one.form == other.form:
        return True
    return not (one.exact or other.exact) and one.key == other.key and _inflected(one.form, other.form)


def _is_filler(word: StatementWord, place: int) -> bool:
    # "Plan A" is not "a plan".
    named = word.exact or (place > 0 and word.shown.isupper())
    return word.key in _FILLERS and not named


def _inflected(one: str, other: str) -> bool:
    # A stem alone would also join "product" to "production" and "import" to "important".
    shared = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        shared += 1
    return shared >= 2 and _ending(one, shared) and _ending(other, shared)


def _ending(word: str, shared: int) -> bool:
    rest = word[shared:]
    doubled = _DOUBLED.fullmatch(rest)
    return rest in _ENDINGS or (doubled is not None and doubled[1] == word[shared - 1])


def _folded(chunk: str) -> str:
    if not chunk.isascii():
        chunk = chunk.replace("\u2019", "'")
        if len(chunk) <= _LONGEST_CHUNK:
            chunk = unicodedata.normalize("NFC", chunk)
    return chunk if _CASED.search(chunk) else chunk.lower()


def _chunk(chunk: str) -> Iterator[StatementWord]:
    """Words of one stretch of text without spaces."""
    if not chunk.isascii():
        chunk = chunk.replace("\u2019", "'")
        if len(chunk) <= _LONGEST_CHUNK:
            chunk = unicodedata.normalize("NFC", chunk)
    quoted = "`" in chunk
    pieces = [chunk] if _THOUSANDS.fullmatch(chunk.rstrip(".,;")) else _CUT.split(chunk)
    if len(pieces) > 1 and not pieces[0]:
        yield StatementWord("", "", "", stop="(")
    for place, piece in enumerate(pieces):
        core = piece.lstrip(_LEAD).rstrip(_TRAIL)
        tail = piece[len(piece.rstrip(_TRAIL)) :]
        stop = "," if place + 1 < len(pieces) else next((mark for mark in tail if mark in ",;:.!"), "")
        if core and core not in _DASHES:
            found = list(_split(core, quoted))
            yield from found[:-1]
            yield from (_stopped(word, stop) for word in found[-1:])
        elif stop and not core:
            yield StatementWord("", "", "", stop=stop)
        if "?" in tail:
            yield StatementWord("?", "?", "?", exact=True)


@lru_cache(8_192)
def _known_chunk(chunk: str) -> tuple[StatementWord, ...]:
    """The same, remembered: a new statement is laid beside many that use the same words."""
    return tuple(_chunk(chunk))


def _stopped(word: StatementWord, stop: str) -> StatementWord:
    return StatementWord(word.key, word.form, word.shown, word.sort, word.exact, stop)


def _split(core: str, quoted: bool) -> Iterator[StatementWord]:
    if _HYPHENED.fullmatch(core):
        for part in core.split("-"):
            yield from _word(part, quoted)
    elif not core.isascii() and _UNSPACED.search(core):
        for part in _UNSPACED.split(core):
            if part:
                yield from _word(part, quoted)
    else:
        yield from _word(core, quoted)


def _word(core: str, quoted: bool) -> Iterator[StatementWord]:
    lower = core.lower()
    negated = _NEGATED.fullmatch(lower)
    shortened = _SHORTENED.fullmatch(lower)
    measured = _MEASURED.fullmatch(core)
    if measured and measured[2].lower() in _UNITS:
        yield from (_shaped(measured[1], False), _unit(measured[2]))
    elif negated:
        base = _NO_BASES.get(negated[1], negated[1])
        if base:
            yield _plain(base, base)
        yield _no(NOT)
    elif lower == "cannot":
        yield from (_plain("can", "can"), _no(NOT))
    elif lower == "without":
        yield from (_plain("with", "with"), _no(NOT))
    elif lower in _PLAIN_NO:
        yield _no(NOT)
    elif lower in _OTHER_NO:
        yield _no(lower)
    elif shortened:
        yield _shaped(core[: len(shortened[1])], quoted)
        if shortened[2] == "re" or (shortened[2] == "s" and shortened[1] in _PRONOUNS):
            yield _plain("is", "is")
        elif shortened[2] == "ll":
            yield _plain("will", "will")
    else:
        yield _shaped(core, quoted)


def _no(form: str) -> StatementWord:
    return StatementWord(NOT, form, form, WordKind.NOT, exact=True)


def _unit(core: str) -> StatementWord:
    # Mb is not MB; mb may be either and is taken as the usual one.
    if core[0].isupper() and core[1:] == "b":
        return StatementWord(core, core, core, WordKind.UNIT, exact=True)
    name = _UNITS[core.lower()]
    return StatementWord(name, name, core, WordKind.UNIT, exact=True)


def _plain(lower: str, shown: str) -> StatementWord:
    key = _BE.get(lower) or _IRREGULAR.get(lower, lower)
    if key == lower and lower.isascii() and lower.isalpha() and key not in _FILLERS:
        key = (tokens(lower) or [lower])[0]
    form = "be" if lower in {"is", "are", "am"} else lower
    return StatementWord(key, form, shown, exact=key == "be")


def _shaped(core: str, quoted: bool) -> StatementWord:
    lower = core.lower()
    if lower in _COUNTS:
        return StatementWord(_COUNTS[lower], _COUNTS[lower], core, WordKind.NUMBER, exact=True)
    if lower in _UNITS and len(lower) > 1:
        return _unit(core)
    if core.isalpha():
        sort = WordKind.NAME if quoted or core[0].isupper() else WordKind.PLAIN
        plain = _plain(lower, core)
        return StatementWord(plain.key, plain.form, core, sort, plain.exact or quoted)
    if _THOUSANDS.fullmatch(core):
        core = lower = core.replace(",", "")
    form = core if _CASED.search(core) else lower
    for sort, shape in ((WordKind.DATE, _DATE), (WordKind.NUMBER, _NUMBER), (WordKind.VERSION, _VERSION)):
        if shape.fullmatch(core):
            return StatementWord(form, form, core, sort, exact=True)
    return StatementWord(form, form, core, WordKind.NAME, exact=True)


def _no_longer(words: list[StatementWord]) -> list[StatementWord]:
    """Make "no longer" one word: it says no, and that it once was so."""
    kept: list[StatementWord] = []
    for word in words:
        if word.form == "longer" and kept and kept[-1].sort is WordKind.NOT:
            kept[-1] = _stopped(_no("no longer"), word.stop)
        else:
            kept.append(word)
    return kept


def _opening_last(words: list[StatementWord]) -> list[StatementWord]:
    """Move "In CI, ..." to the end, where the other statement may have it."""
    marks = [word for word in words if word.key]
    if not marks or marks[0].key not in _PLACES:
        return words
    for place, word in enumerate(words[:_MOST_OPENING_WORDS]):
        if word.stop == "," and place + 1 < len(words):
            return [*words[place + 1 :], *words[:place], _stopped(word, "")]
    return words


def _contrast(words: list[StatementWord]) -> tuple[list[StatementWord], list[StatementWord]]:
    """Take "not npm", "instead of npm", "over npm" out of the words."""
    kept: list[StatementWord] = []
    against: list[StatementWord] = []
    place = 0
    while place < len(words):
        opened = _opens_contrast(words, place)
        end = _contrast_end(words, place + opened) if opened else place
        if opened and end > place + opened:
            against += [_stopped(word, "") for word in words[place + opened : end]]
            place = end
            continue
        kept.append(words[place])
        place += 1
    return _joined(kept), against


def _opens_contrast(words: list[StatementWord], place: int) -> int:
    """How many words open a contrast here; 0 when none is opened."""
    word, before = words[place], words[place - 1] if place else None
    if before is None:
        return 0
    following = words[place + 1].key if place + 1 < len(words) else ""
    if (word.form, following) in {("instead", "of"), ("rather", "than")}:
        return 2
    if word.sort is WordKind.NOT and before.stop in {",", "("}:
        return 1
    return int(word.key == "over" and any(earlier.key in _CONTRASTS for earlier in words[:place]))


def _contrast_end(words: list[StatementWord], start: int) -> int:
    end = start
    while end < len(words) and end - start < _MOST_CONTRAST_WORDS:
        if not words[end].key or words[end].key in _PLACES or words[end].sort is WordKind.NOT:
            break
        end += 1
        if words[end - 1].stop:
            break
    return end


def _joined(words: list[StatementWord]) -> list[StatementWord]:
    """Return a mark that stands alone to the word before it."""
    kept: list[StatementWord] = []
    for word in words:
        if word.key:
            kept.append(word)
        elif kept and not kept[-1].stop:
            kept[-1] = _stopped(kept[-1], word.stop)
    return kept
