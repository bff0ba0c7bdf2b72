"""Decode texts that are written to get past a filter: return how a person or a model would read them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from tacit.text.patterns import lazy_pattern

_TWINS = str.maketrans(
    "авекмнорстухіјѕԁһԛԝӏєпгզαβγικνορτυχωɑɡıⅼοѵьչ–—−‐‑", "abekmhopctyxijsdhqwlenrqabyikvoptuxwagiIovbz-----".lower()
)
_LEET = str.maketrans("013457@$!|", "oieastasil")
_LEET_L = str.maketrans("013457@$!|", "oleastasil")
_LEET_USED = lazy_pattern(r"[a-z][013457@$!|]{1,2}[a-z]")
_APART = lazy_pattern(r"(?<!\w)(?:\w[ \t.\-_*/|·+,'’]{1,3}){4,400}\w(?!\w)")
_WIDE = lazy_pattern(r"[ \t.\-_*/|·+,'’]{2,3}")
_CLOSE = lazy_pattern(r"[ \t.\-_*/|·+,]")
_PIECE = lazy_pattern(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,8000}={0,2}")
_HEX = lazy_pattern(r"(?<![0-9a-f])(?:[0-9a-f]{2}[ :]?){10,4000}(?![0-9a-f])", re.I)
_ESCAPED = lazy_pattern(r"\\x([0-9a-f]{2})|\\u([0-9a-f]{4})", re.I)
_PERCENT = lazy_pattern(r"(?:%[0-9a-f]{2}[\w.-]{0,12}){3}", re.I)
_BREAK = lazy_pattern(r"[-\u00ad]?\r?\n")
_ODD = (*"013457@$|\n&%\\", "rongi", "tpmorp", "vtaber", "qvfertneq", "sbetrg")
_LONG_WORD = 20
_MOST_PIECES = 20
_LEAST_READABLE = 0.9
_MOST_NESTED = 2


def unaccented(text: str) -> str:
    """Return text with compatibility forms unified, without accents and without invisible characters."""
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text)
    return "".join(one for one in apart if unicodedata.category(one) not in ("Mn", "Cf", "Me"))


def folded(text: str) -> str:
    """Return text in the form that rules read: lower case, without accents and invisible characters."""
    return text.lower() if text.isascii() else unaccented(text.lower()).lower()


def may_be_disguised(text: str, small: str) -> bool:
    """Return whether a text could hide another text. The check is quick, because it runs on every text."""
    if not small.isascii() or any(map(text.__contains__, _ODD)):
        return True
    return max(map(len, text.split()), default=0) >= _LONG_WORD


def disguised(text: str, small: str, depth: int = 0) -> Iterator[str]:
    """Return other readings of a text: look-alikes and numbers as letters, broken words joined, encodings decoded."""
    if not small.isascii() and (twins := small.translate(_TWINS)) != small:
        yield twins
        small = twins
    if _LEET_USED.search(small):
        yield small.translate(_LEET)
        if "1" in small or "|" in small:
            yield small.translate(_LEET_L)
    if "\n" in small:
        yield _BREAK.sub("", small)
    if "rongi" in small or "tpmorp" in small:
        yield small[::-1]
    if "vtaber" in small or "qvfertneq" in small or "sbetrg" in small:
        yield _rot13(small)
    if depth < _MOST_NESTED:
        for inner in _decoded(text):
            deeper = folded(inner)
            yield deeper
            yield from disguised(inner, deeper, depth + 1)


def spelled_out(small: str) -> tuple[str, list[str]]:
    """Return the text with spaced-out letters joined, and the joined words alone."""
    parts: list[str] = []

    def together(found: re.Match[str]) -> str:
        run = found[0]
        parts.append(_CLOSE.sub("", run))
        return _CLOSE.sub("", _WIDE.sub("\0", run)).replace("\0", " ")

    whole = _APART.sub(together, small)
    return whole, parts


def _decoded(text: str) -> Iterator[str]:
    # Decoders are loaded only for the few texts that need them: this runs on every write.
    if "&" in text and ";" in text:
        from html import unescape

        yield unescape(text)
    if "%" in text and _PERCENT.search(text):
        from urllib.parse import unquote

        yield unquote(text)
    if "\\x" in text or "\\u" in text:
        yield _ESCAPED.sub(lambda found: chr(int(found[1] or found[2], 16)), text)
    for number, found in enumerate(_PIECE.finditer(text)):
        if number == _MOST_PIECES:
            break
        yield from _readable(_unbase64(found[0]))
    for number, found in enumerate(_HEX.finditer(text)):
        if number == _MOST_PIECES:
            break
        yield from _readable(_unhex(found[0]))


def _unbase64(piece: str) -> bytes:
    import base64
    import binascii

    plain = piece.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _unhex(piece: str) -> bytes:
    plain = piece.replace(" ", "").replace(":", "")
    return bytes.fromhex(plain[: len(plain) & ~1])


def _readable(raw: bytes) -> Iterator[str]:
    """Return bytes as text if they are text; compressed or encrypted bytes mean nothing to a reader."""
    if len(raw) < 10:
        return
    text = raw.decode("utf-8", errors="replace")
    if sum((one.isprintable() and one != "\ufffd") or one in "\n\t\r" for one in text) >= _LEAST_READABLE * len(text):
        yield text


def _rot13(text: str) -> str:
    import codecs

    return codecs.encode(text, "rot13")
