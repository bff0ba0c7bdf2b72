"""The shape of a value: a digest, a number, a path, words, a chosen password, or a random text."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from math import log2

from tacit.redact.dummy_values import LONGEST_JUDGED
from tacit.redact.letter_pairs import WORDS_HAVE, commonness
from tacit.redact.rule import compiled

_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
# The beginning is enough: outputs are often cut short.
_UUID_HEAD = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{1,4}(?:-[0-9a-fA-F]{1,12}){0,2}"
_PLACE = (
    r"(?:[a-z][a-z0-9+.-]{1,12}://|\.{1,2}/|~/|[A-Za-z]:\\|(?:arn|urn|vault|ssm|sops|secretsmanager|env|file|secret):)\S*"
    r"|\S+\.(?:pem|cer|crt|key|pub|json|ya?ml|toml|txt|env|conf|ini|md|html?|tsx?|jsx?|py|go|rs|java|rb|php|sh|sql)"
)
_ROOTS = (
    r"/(?:usr|etc|home|var|opt|tmp|run|root|mnt|data|dev|proc|srv|app|apps|src|bin|lib|sys|boot|Users|Library|secrets"
    r"|workspace|work|private|System|Volumes|api|v\d+|auth|oauth2?|login|static|assets|public|config|projects?)(?:/\S*)?"
)
# Names joined by dots, one of them letters alone: an attribute, a module, a class.
_DOTTED = r"(?=(?:\w+\.)*[A-Za-z]{3,}(?:\.|\Z))[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+"
_PLAIN = r"[A-Za-z]?[a-z]*|[A-Za-z][a-z]{2,}\d{1,2}|[A-Z]+|\d+"
_VERSION = (
    r"\d+\.\d+\.\d+|\d{4}-\d\d-\d\d|v?\d+\.\d+(?:\.|-|$)|SNAPSHOT"
    r"|\.(?:jar|whl|tgz|zip|gz|js|py|go|rs|java|rb|html?|png|svg)$"
)
# Numbers with signs and a unit: a share, a time, a size, a range, a count of a count.
_AMOUNT = r"[-+~<>=≈$€£]{0,2}\d[\d.,:_/x×\-]*\s?(?:%|°|[A-Za-zµ]{1,3}(?:/[a-z]{1,3})?)?\d{0,2}[a-z]{0,2}"
# Words with a number that name a type, an algorithm or a protocol.
_TERM = (
    r"(?i)u?int\d+|float\d+|utf-?\d+|sha-?\d+|md\d|base\d\d|oauth\d|http\d|ipv\d|[rhep]s\d{3}|aes-?\d*(?:-\w{3})?"
    r"|ed25519\w*|x509|secp\d+\w\d|p\d{2,3}|rsa-?\d*|argon2\w*|bcrypt\d*|pbkdf2|hmac-?\w*|k8s|i18n|s3|ec2|web3|e2e"
    r"|str\d*|[a-z]+v\d{1,2}|u?int\d+\w{0,20}|varchar\(?\d*\)?|erc\d+|nip\d+|mp[34]|b64|hs256|tls\d*|md5\w*|[a-z]\d"
)
_LONG = 60


def entropy(value: str) -> float:
    """Return the entropy of a value in bits per character, from the frequencies of its characters."""
    size = len(value)
    return -sum(count / size * log2(count / size) for count in Counter(value).values()) if value else 0.0


def is_uuid(value: str) -> bool:
    """Return whether a value is a UUID, or the beginning of one."""
    return compiled(_UUID_HEAD).fullmatch(value) is not None


def is_hex(value: str) -> bool:
    """Return whether a value is hexadecimal in one case, as digests are printed."""
    return compiled(r"[0-9a-f]+|[0-9A-F]+").fullmatch(value) is not None


def is_amount(value: str) -> bool:
    """Return whether a value is a number: a count, a share, a time, a size, with or without a unit."""
    return len(value) < 24 and compiled(_AMOUNT).fullmatch(value) is not None


def is_term(value: str) -> bool:
    """Return whether a value is a word with a number that names a type, an algorithm or a protocol."""
    return compiled(_TERM).fullmatch(value) is not None


def is_place(value: str) -> bool:
    """Return whether a value is a location: an address, a path, a file name, an ARN."""
    return _is_place(value[:LONGEST_JUDGED])


@lru_cache(4096)
def _is_place(value: str) -> bool:
    if value[:1] == "/":
        return compiled(_ROOTS).fullmatch(value) is not None or _is_path(value)
    return compiled(_PLACE).fullmatch(value) is not None


def _is_path(value: str) -> bool:
    """Return whether a value that begins with a slash has names between its slashes, and not random text."""
    parts = [part for part in value.split("/") if part]
    return not any(
        looks_drawn(part, 8)
        or (len(part) >= 8 and _is_scrambled(part))
        or not compiled(r"[\w.@~+,:{}()\[\]*-]*").fullmatch(part)
        for part in parts
    )


def is_name(value: str) -> bool:
    """Return whether a value is a name as people give them to things: words, with signs between them, and a number."""
    words = compiled(r"[-_.:/]").split(value)
    if not all(compiled(r"[A-Za-z]*\d{0,3}|\d+").fullmatch(word) for word in words):
        return False
    letters = "".join(filter(str.isalpha, value))
    return len(letters) >= 2 and (commonness(value) >= WORDS_HAVE or len(letters) < 4)


def looks_drawn(value: str, least: int = 10) -> bool:
    """Return whether a value looks random: long enough, letters and digits mixed, not a version, a path or words."""
    return _looks_drawn(value[:LONGEST_JUDGED], least)


@lru_cache(4096)
def _looks_drawn(value: str, least: int) -> bool:
    size = len(value)
    # Few distinct characters are not random; checked first because it is fast.
    if size < least or len(set(value)) < (7 if size >= 14 else 6):
        return False
    digits = len(compiled(r"[0-9]").findall(value))
    if not digits or (digits < 2 and size >= 16) or not compiled("[A-Za-z]").search(value):
        # Letters alone, or nearly: capitals between small ones, and pairs that words do not have.
        return size >= 16 and compiled(r"[A-Za-z0-9+/=_-]*").fullmatch(value) is not None and _is_scrambled(value)
    if compiled(_VERSION).search(value) or _words(value):
        return False
    return value.count("/") <= 3 or (size >= _LONG and " " not in value and _is_scrambled(value))


def _is_scrambled(value: str) -> bool:
    """Return whether the letters of a value are in both cases and follow each other as in no word."""
    mixed = compiled("[a-z][A-Z]").search(value) and compiled("[A-Z][a-z]?[A-Z]").search(value)
    return bool(mixed) and commonness(value) < WORDS_HAVE


def _words(value: str) -> bool:
    """Return whether a value is words with a number at the end, such as `worker-pool-12` or `Standard_D4s_v3`."""
    parts = compiled(r"[_\-./:+=~]").split(value)
    if len(value) >= _LONG:
        return False
    if len(parts) == 1:
        return _is_identifier(value)
    if compiled(_DOTTED).fullmatch(value):
        return True
    plain = sum(len(part) for part in parts if compiled(_PLAIN).fullmatch(part))
    return plain >= 0.6 * sum(map(len, parts))


def _is_identifier(value: str) -> bool:
    """Return whether a value is words written as one with few numbers between, such as `convertUtf8ToBase64`."""
    return (
        len(value) >= 12
        and compiled(r"[A-Za-z]?[a-z]+(?:[A-Z][a-z]*|[0-9])*").fullmatch(value) is not None
        and len(compiled(r"\d").findall(value)) <= len(value) // 4
        and len(compiled(r"[A-Z]+|\d+").findall(value)) <= len(value) // 4
        and commonness(value) >= WORDS_HAVE + 0.6
    )


_ODD = r"""[^A-Za-z0-9\s_.\-,/:;()'"]|[A-Za-z]\d|\d[A-Za-z]|[a-z][A-Z].*[A-Z]|\d{4}"""


def looks_chosen(value: str) -> bool:
    """Return whether a word looks like a chosen password: letters with digits or symbols, or capitals in odd places."""
    value = value[:LONGEST_JUDGED]
    return compiled(_ODD).search(value) is not None and any(map(str.isalnum, value)) and not is_term(value)


def is_passphrase(value: str) -> bool:
    """Return whether a value is several words and a number, as people make passwords that they can remember."""
    return compiled(r"[A-Za-z]{3,}(?:[-_.][A-Za-z]{3,}){2,}[-_.]?\d{1,4}[!?#$%]?").fullmatch(value) is not None


def is_word_and_number(value: str) -> bool:
    """Return whether a value is a word and a number, as people choose passwords, and not the name of a type."""
    return compiled(r"[A-Za-z][a-z]{2,}\d{3,6}[!?#$%]?").fullmatch(value) is not None and not is_term(value)


@lru_cache(4096)
def looks_secret(value: str) -> bool:
    """Return whether a word looks like a password even in a sentence: random, or mixed as no name is."""
    if is_amount(value) or is_term(value) or is_name(value):
        return False
    if looks_drawn(value, 8):
        return True
    if value.isalpha() and value.isascii():
        return len(value) >= 8 and commonness(value) < WORDS_HAVE - 0.8 and not value.isupper()
    return len(value) >= 6 and looks_chosen(value) and compiled(r"[^\W_].*[^\W_]").search(value) is not None
