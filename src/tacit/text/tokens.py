"""The words of a text, for the index and for queries.

One tokenizer feeds every store, so that two stores return the same results. A name such as `src/HttpServer.rate_limit`
is a token as a whole, and each of its parts is one too:

    path      src/httpserver.ratelimit     whatever is joined by / \\ : @ ~ $
    name      httpserver.ratelimit         dots stay; - and _ are dropped, so rate-limit = rate_limit = rateLimit
    word      httpserver, ratelimit        stemmed when it is letters only
    part      http, server, rate, limit    camelCase, snake_case, letters against digits

A token contains no space, control character or double quote and has at most 64 characters.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import lru_cache
from itertools import groupby
from threading import Lock

from tacit.text.patterns import lazy_pattern
from tacit.text.stopwords import STOPWORDS

TOKENS = "tokens-3"
"""The name of these rules in the index. Changed rules get a new name, which forces a rebuild."""

LONGEST = 64
MOST_QUERY_TOKENS = 64

# A stemmer keeps its last word inside and may serve only one thread at a time.
_STEMMER_LOCK = Lock()
_CACHED_WORDS = 32_768
_CACHED_PIECES = 1_024
# A longer stretch without a space is read in pieces: normalising a run of combining marks takes quadratic time.
_PIECE_LENGTH = 256
_PIECE = lazy_pattern(rf"[\s\S]{{1,{_PIECE_LENGTH}}}(?!\w)|[\s\S]{{1,{_PIECE_LENGTH}}}")

_BREAK = lazy_pattern(r"[\x00-\x20!\"%&()*,;<=>?\[\]^`{|}\x7f]+")
_PATH = lazy_pattern(r"[/\\:@~$]+")
_JOINT = lazy_pattern(r"[_\-+#']+")
_EDGE = "._-/\\:@+#$~'"
_SOFT_JOINT = lazy_pattern(r"(?<!\d)[_\-]+|[_\-]+(?!\d)")
_THOUSANDS = lazy_pattern(r"(?<=\d),(?=\d{3}(?!\d))")
_CONTRACTION = lazy_pattern(r"'(?:[sS](?![^\W_])|(?=(?:t|re|ve|ll|d|m|T|RE|VE|LL|D|M)(?![^\W_])))")
_VERSION = lazy_pattern(r"[vV](\d+(?:\.\w+)+)")
_CAMEL = lazy_pattern(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[^\WA-Z\d_]+|\d+")
_MOST_CAMEL_PARTS = 8
_PREFIXES = frozenset({".", "-", "--", "#"})
_SUFFIXES = frozenset({"+", "++", "#"})
# What may stand between a mark and the end of its word: "in C++.", "'C#'", "C++-based", "C++17".
_AFTER_MARK = "._-'~"
_MARKED = lazy_pattern(r"([^\W\d_]{1,3}(?:\+\+|#))(?:\d{1,2}|[-_].*)")
_AMPERSAND = lazy_pattern(r"(?<!\w)[^\W_]{1,3}&[^\W_]{1,3}(?!\w)")

# Scripts written without spaces, first and one past the last character: Thai to Lao, Myanmar, Khmer, iteration marks,
# kana, kana extensions, Han, Hangul, Han. Compiling a regular expression of these takes longer than reading a page.
_UNSPACED = (
    "\u0e00\u0f00\u1000\u10a0\u1780\u1800\u3005\u3008\u3040\u3100\u31f0\u3200\u3400\u4dc0\u4e00\ua000"
    "\uac00\ud7a4\uf900\ufb00\U00020000\U00040000"
)
_MONTHS: tuple[str, ...] = ("january", "february", "march", "april", "may", "june")
_MONTHS += ("july", "august", "september", "october", "november", "december")
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_FOLDED = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ħ": "h", "Ħ": "H", "\u0131": "i"}
    | {"æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "\u2019": "'", "\u02bc": "'", "\u2010": "-", "\u2011": "-"}
)


def tokens(text: str) -> list[str]:
    """Return the tokens of `text` in order, with repetitions."""
    found: list[str] = []
    for chunk in text.split():
        if len(chunk) <= LONGEST:
            found += _known_chunk(chunk)
        else:
            for piece in _PIECE.findall(chunk):
                found += _known_piece(piece)
    return found


def token_stream(text: str) -> str:
    """Return the tokens of `text` with blanks between them, as an index reads them."""
    chunks = text.split()
    is_long = max(map(len, chunks), default=0) > LONGEST
    return " ".join(filter(None, map(_stream if is_long else _known_stream, chunks)))


def _stream(chunk: str) -> str:
    if len(chunk) <= LONGEST:
        return _known_stream(chunk)
    return " ".join([token for piece in _PIECE.findall(chunk) for token in _known_piece(piece)])


def query_tokens(text: str) -> list[str]:
    """Return the distinct tokens of a query, without stopwords unless it has nothing else."""
    kept = _topical(text) or list(dict.fromkeys(tokens(text)))
    return _without_covered_characters(_without_covered_letters(text, kept))[:MOST_QUERY_TOKENS]


def has_mark(token: str) -> bool:
    """Return whether a token is a name that its mark makes: `c++`, `c#`, `.net`, `r&d`."""
    return len(token) > 1 and (token[0] in ".#" or token[-1] in "+#" or "&" in token)


def only_common(text: str) -> bool:
    """Return whether all words of a text are stopwords, so that its topic is unknown."""
    return not _topical(text) and bool(tokens(text))


def _topical(text: str) -> list[str]:
    """Return the distinct tokens that are not stopwords."""
    wanted = (chunk for chunk in text.split() if bare_word(chunk) not in STOPWORDS)
    return [token for token in dict.fromkeys(tokens(" ".join(wanted))) if token not in STOPWORDS]


def telling_tokens(text: str, most: int = 16) -> list[str]:
    """Return the tokens that best identify a text: the longest, since those are the rarest.

    The cost of a ranked search grows with the number of records that contain its words, and a whole text has many
    common words.
    """
    return sorted(query_tokens(text), key=lambda token: (-len(token), token))[:most]


def date_tokens(at: datetime) -> list[str]:
    """Return the words that a person may use for a day: `2023-05-08 2023 may 8 monday`, stemmed like `tokens`."""
    return list(_day_tokens((at.astimezone(UTC) if at.tzinfo else at).date()))


@lru_cache(512)  # the turns of a session are of a day or two
def _day_tokens(day: date) -> tuple[str, ...]:
    # strftime would use the machine's language.
    return f"{day:%Y-%m-%d}", *tokens(f"{day.year} {_MONTHS[day.month - 1]} {day.day} {_DAYS[day.weekday()]}")


def bare_word(chunk: str) -> str:
    """Return the chunk as the stopword list spells it."""
    return chunk[:LONGEST].strip("\"'()[]{}<>,;:.!?*_`").replace("\u2019", "'").replace("'", "").lower()


def _without_covered_letters(text: str, kept: list[str]) -> list[str]:
    """Drop single letters that are only the part of a name: `c` of `c++` means a grade or a vitamin as well."""
    letters = {token for token in kept if len(token) == 1 and token.isascii() and token.isalpha()}
    if not letters:
        return kept
    chunks = [tokens(chunk) for chunk in text.split()]
    named = {token for found in chunks if any(len(token) > 1 for token in found) for token in found}
    alone = {token for found in chunks if all(len(token) == 1 for token in found) for token in found}
    return [token for token in kept if token not in letters or token not in named or token in alone] or kept


def _without_covered_characters(kept: list[str]) -> list[str]:
    """Drop single characters of unspaced scripts that are part of a pair: alone they match almost anything."""
    pairs = {character for token in kept if len(token) == 2 and is_unspaced(token[0]) for character in token}
    return [token for token in kept if token not in pairs]


def _chunk(chunk: str) -> tuple[str, ...]:
    """Return the tokens of one stretch of text without spaces."""
    if chunk.isascii() and chunk.isalpha() and chunk[1:].islower():
        return (stemmed(chunk),)  # most are plain words, which have no parts
    if not chunk.isascii():
        chunk = folded_letters(chunk)
    if "," in chunk:
        chunk = _THOUSANDS.sub("", chunk)
    if "'" in chunk:
        chunk = _CONTRACTION.sub("", chunk)
    found: list[str] = []
    if "&" in chunk:
        found += map(str.casefold, _AMPERSAND.findall(chunk))
    for unit in _BREAK.split(chunk):
        if unit.isascii() and unit.isalpha() and unit[1:].islower():
            found.append(stemmed(unit))
        elif unit:
            _path(unit, found)
    return tuple([token[:LONGEST] for token in found])


_known_chunk = lru_cache(_CACHED_WORDS)(_chunk)
_known_stream = lru_cache(_CACHED_WORDS)(lambda chunk: " ".join(_chunk(chunk)))
# The long paths of a session come again in its turns.
_known_piece = lru_cache(_CACHED_PIECES)(_chunk)


def folded_letters(chunk: str) -> str:
    """Fold compatibility forms and Latin accents; every other character that is not part of a word becomes a space."""
    kept: list[str] = []
    latin = False
    # Some ligatures expand to eighteen letters: a text of nothing else must not grow without bound.
    spelt = unicodedata.normalize("NFKD", chunk.translate(_FOLDED))[: LONGEST + 4 * len(chunk)]
    for character in spelt:
        if character.isascii() or character.isalnum():
            latin = character < "\u0250" or "\u1e00" <= character < "\u1f00"
            kept.append(character)
            continue
        category = unicodedata.category(character)
        if category[0] == "M":
            if not latin:
                kept.append(character)
        elif category != "Cf":  # zero-width and soft hyphens vanish inside a word; the rest ends it
            kept.append(" ")
            latin = False
    return unicodedata.normalize("NFC", "".join(kept))


def _path(unit: str, found: list[str]) -> None:
    names = [name for name in _PATH.split(unit) if name.strip(_EDGE)]
    if len(names) > 1:
        whole = unit.strip(_EDGE).replace("\\", "/").casefold()
        found.append(whole)
        place = _without_line(_without_line(whole))
        if place != whole and _PATH.search(place):
            found.append(place)
    for name in names:
        found += _known_name(name) if len(name) <= LONGEST else _name(name)


def _without_line(place: str) -> str:
    """Return the file of `file:line` or `file:line:column`, removing one number at a time."""
    file, _, line = place.rpartition(":")
    return file if line.isdigit() else place


def _name(name: str) -> tuple[str, ...]:
    found: list[str] = []
    if name.isascii() and name.isalnum():
        _spaced_word(name, found)  # most names of folders
        return tuple(found)
    core = name.strip(_EDGE)
    dotted = core.split(".")
    if len(dotted) > 1:
        found.append(_SOFT_JOINT.sub("", core).casefold())
        version = _VERSION.fullmatch(core)
        if version:
            found.append(version[1].casefold())
    elif not _JOINT.search(core):
        head, _, tail = name.partition(core)
        head, tail = head.lstrip("'"), tail.rstrip(_AFTER_MARK)
        prefix = head if head in _PREFIXES else ""
        suffix = tail if tail in _SUFFIXES else ""
        if prefix or suffix:
            found.append(prefix + core.casefold() + suffix)
    elif marked := _MARKED.fullmatch(core):
        found.append(marked[1].casefold())
    for part in dotted:
        words = [word for word in _JOINT.split(part) if word]
        if len(words) > 1:
            found.append(stemmed(_SOFT_JOINT.sub("", part.strip(_EDGE))))
        for word in words:
            _word(word, found)
    return tuple(found)


# The names of folders come again in many paths.
_known_name = lru_cache(_CACHED_WORDS)(_name)


def _word(word: str, found: list[str]) -> None:
    if word.isascii():
        _spaced_word(word, found)
        return
    for unspaced, characters in groupby(word, is_unspaced):
        run = "".join(characters)
        if unspaced:
            # The pairs find words; the single characters answer a query of one character.
            found += [run[i : i + 2] for i in range(len(run) - 1)]
            found += run
        else:
            _spaced_word(run, found)


def is_unspaced(character: str) -> bool:
    """Return whether a character belongs to a script that is written without spaces between words."""
    return bisect_right(_UNSPACED, character) % 2 == 1


def _spaced_word(word: str, found: list[str]) -> None:
    found.append(stemmed(word))
    if word.isalpha() and word[1:].islower():
        return
    parts = _CAMEL.findall(word)
    if 1 < len(parts) <= _MOST_CAMEL_PARTS:
        found += [stemmed(part) for part in parts if len(part) > 1 or part.isdigit()]


def stemmed(word: str) -> str:
    """Return the stem of a word of letters; anything else in small letters."""
    word = word.casefold()
    if not (word.isascii() and word.isalpha() and 2 < len(word) <= LONGEST):
        return word
    with _STEMMER_LOCK:
        return _stem()(word)


@lru_cache(1)
def _stem() -> Callable[[str], str]:
    """Return the stemmer, loaded with the first word so that importing this module costs nothing."""
    import Stemmer

    stem: Callable[[str], str] = Stemmer.Stemmer("english", 0).stemWord
    return stem
