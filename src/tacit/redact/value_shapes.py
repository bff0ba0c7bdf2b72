"""The shape of a value: a digest, a version, a word, a chosen password, or a random text."""

from __future__ import annotations

from collections import Counter
from math import log2

from tacit.redact.dummy_values import LONGEST_JUDGED
from tacit.redact.rule import compiled

_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_PLACE = (
    r"(?:[a-z][a-z0-9+.-]{1,12}://|\.{0,2}/|~/|[A-Za-z]:\\|arn:|urn:)\S*"
    r"|\S+\.(?:pem|cer|crt|key|pub|json|ya?ml|toml|txt|env|conf|ini|md|html?)"
)
# Names joined by dots, one of them letters alone: an attribute, a module, a class.
_DOTTED = r"(?=(?:\w+\.)*[A-Za-z]{3,}(?:\.|\Z))[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+"
_PLAIN = r"[A-Za-z]?[a-z]*|[A-Za-z][a-z]{2,}\d{1,2}|[A-Z]+|\d+"
_VERSION = (
    r"\d+\.\d+\.\d+|\d{4}-\d\d-\d\d|v?\d+\.\d+(?:\.|-|$)|SNAPSHOT"
    r"|\.(?:jar|whl|tgz|zip|gz|js|py|go|rs|java|rb|html?|png|svg)$"
)


def entropy(value: str) -> float:
    """Return the entropy of a value in bits per character, from the frequencies of its characters."""
    size = len(value)
    return -sum(count / size * log2(count / size) for count in Counter(value).values()) if value else 0.0


def is_uuid(value: str) -> bool:
    """Return whether a value is a UUID."""
    return compiled(_UUID).fullmatch(value) is not None


def is_hex(value: str) -> bool:
    """Return whether a value is hexadecimal in one case, as digests are printed."""
    return compiled(r"[0-9a-f]+|[0-9A-F]+").fullmatch(value) is not None


def is_place(value: str) -> bool:
    """Return whether a value is a location: an address, a path, a file name, an ARN."""
    return compiled(_PLACE).fullmatch(value) is not None


def looks_drawn(value: str, least: int = 10) -> bool:
    """Return whether a value looks random: long enough, letters and digits mixed, not a version, a path or words."""
    value = value[:LONGEST_JUDGED]
    size = len(value)
    # Few distinct characters are not random; checked first because it is fast.
    if size < least or len(set(value)) < (7 if size >= 14 else 6):
        return False
    digits = compiled(r"[0-9]").findall(value)
    if not digits or (len(digits) < 2 and size >= 16) or not compiled("[A-Za-z]").search(value):
        return False
    return value.count("/") <= 3 and not compiled(_VERSION).search(value) and not _words(value)


def _words(value: str) -> bool:
    """Return whether a value is words with a number at the end, such as `worker-pool-12` or `Standard_D4s_v3`."""
    parts = compiled(r"[_\-./:+=~]").split(value)
    if len(parts) == 1 or len(value) >= 60:
        return False
    if compiled(_DOTTED).fullmatch(value):
        return True
    plain = sum(len(part) for part in parts if compiled(_PLAIN).fullmatch(part))
    return plain >= 0.6 * sum(map(len, parts))


_ODD = r"""[^A-Za-z0-9\s_.\-,/:;()'"]|[A-Za-z]\d|\d[A-Za-z]|[a-z][A-Z].*[A-Z]|\d{4}"""


def looks_chosen(value: str) -> bool:
    """Return whether a word looks like a chosen password: letters with digits or symbols, or capitals in odd places."""
    value = value[:LONGEST_JUDGED]
    return compiled(_ODD).search(value) is not None and any(map(str.isalnum, value))
