"""What a value looks like: a stand-in nobody needs to hide, a piece of code, a word, or something drawn by lot."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import log2

from tacit.judge.redact.rule import compiled

PLACEHOLDER = r"\[redacted:[a-z0-9-]{1,40}:[0-9a-f]{8}\]"
# A variable, a template, a mask: whole values that only stand for a secret.
_STAND_IN = r"""(?x)
    \$\w+ | \$?\{+[^{}]*\}+ | \$\([^()]*\) | %\w+% | %\(?\w*\)?s | %[svdq] | \#\{[^{}]*\}? | @\w+@
  | <[^<>]*>? | \[[^\[\]]*\]? | (?:\\\#)?\(\w* | &?lt;.* | <%.*
  | [xX*.•_#?\-…=0]+ | (.)\1*"""
_EXAMPLE = r"""(?xi)
    example | changeme | change[_-]me | placeholder | redacted | replace[_-]?(?:me|with|this) | helloworld | dummy
  | (?:^|[_\-. ])(?:your|my|the|some|insert|enter|put)[_\-. ]?(?:own[_\-. ]?)?(?:\w+[_\-. ])?
    (?:api|key|token|secret|pass|auth|access|client)
  | (?:key|token|secret|password)[_-]?here | x{6} | \*{3} | \.{3} | \#{4} | …
  | ^[a-z]+(?:_[a-z]+)*_(?:key|token|secret|password|passwd)$ | ^(?:key|token|secret|password)(?:_[a-z]+)+$"""
_VARIABLE = r"""(?x)
    (?:["']?(?:\$\{?[\w.:?!-]*\}? | \$\([^()]*\)? | \{\{?[^{}]*\}?\}? | <[^<>]*>? | %\w*% | %s | \*+ | \.\.\.
    | \[[^\[\]]*\]?)["']?)*"""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
LONGEST_ALPHABET = 7
LONGEST_JUDGED = 200
"""Values are judged by this much of them: what is longer does not look different at its end."""
_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_VERSION = (
    r"\d+\.\d+\.\d+|\d{4}-\d\d-\d\d|v?\d+\.\d+(?:\.|-|$)|SNAPSHOT"
    r"|\.(?:jar|whl|tgz|zip|gz|js|py|go|rs|java|rb|html?|png|svg)$"
)


def stands_in(value: str) -> bool:
    """Say whether a value only stands for a secret: a variable, a mask, an example."""
    # What stands beside a placeholder of ours is no safer for it.
    value = compiled(PLACEHOLDER).sub(" ", value[:LONGEST_JUDGED]).strip()
    if not value or compiled(_STAND_IN).fullmatch(value) or compiled(_EXAMPLE).search(value):
        return True
    # Nearly all of it one character: somebody leant on a key.
    held = len(value) >= 12 and any(value.count(char) > 0.7 * len(value) for char in set(value[:12]))
    return held or _alphabet(value)


def is_variable(value: str) -> bool:
    """Say whether a value is filled in elsewhere: by a shell, a template, a mask."""
    return compiled(_VARIABLE).fullmatch(value[:LONGEST_JUDGED].strip()) is not None


def _alphabet(value: str) -> bool:
    """Say whether letters stand in a row as in the alphabet: people type that, chance does not."""
    run = 1
    for one, next_one in pairwise(value.lower()):
        run = run + 1 if one in _LETTERS and ord(next_one) == ord(one) + 1 else 1
        if run >= LONGEST_ALPHABET:
            return True
    return False


def entropy(value: str) -> float:
    """Give the bits per character of a value, from how often each occurs."""
    size = len(value)
    return -sum(count / size * log2(count / size) for count in Counter(value).values()) if value else 0.0


def is_uuid(value: str) -> bool:
    """Say whether a value is a UUID."""
    return compiled(_UUID).fullmatch(value) is not None


def is_hex(value: str) -> bool:
    """Say whether a value is hexadecimal in one case, as digests are printed."""
    return compiled(r"[0-9a-f]+|[0-9A-F]+").fullmatch(value) is not None


def looks_drawn(value: str, least: int = 10) -> bool:
    """Say whether a value looks drawn by lot: long enough, letters and digits mixed, no version, path or words."""
    value = value[:LONGEST_JUDGED]
    size = len(value)
    # Few distinct characters are no lot; asked first, because it is quick.
    if size < least or len(set(value)) < (7 if size >= 14 else 6):
        return False
    digits = compiled(r"[0-9]").findall(value)
    if not digits or (len(digits) < 2 and size >= 16) or not compiled("[A-Za-z]").search(value):
        return False
    return value.count("/") <= 3 and not compiled(_VERSION).search(value) and not _words(value)


def _words(value: str) -> bool:
    """Say whether a value is words with a number at the end, such as `worker-pool-12` or `Standard_D4s_v3`."""
    parts = compiled(r"[_\-./:+=~]").split(value)
    if len(parts) == 1 or len(value) >= 60:
        return False
    plain = sum(len(part) for part in parts if compiled(r"[A-Za-z]?[a-z]*|[A-Z]+|\d+").fullmatch(part))
    return plain >= 0.6 * sum(map(len, parts))


_ODD = r"""[^A-Za-z0-9\s_.\-,/:;()'"]|[A-Za-z]\d|\d[A-Za-z]|[a-z][A-Z].*[A-Z]|\d{4}"""


def looks_chosen(value: str) -> bool:
    """Say whether a word looks chosen as a password: letters with digits or signs, or capitals in odd places."""
    return compiled(_ODD).search(value) is not None and any(map(str.isalnum, value))
