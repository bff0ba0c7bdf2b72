"""Dummy values in place of a secret: a variable, a mask, an example. Every rule uses this check.

There are three checks, because contexts differ in what they prove. A variable or a mask is never a secret. If the
context proves a password, as in a URL, everything else is redacted. If the shape proves a token, examples are kept too.
If only a name hints at a secret, repetitive values are kept as well.
"""

from __future__ import annotations

from functools import lru_cache

from tacit.redact.rule import compiled

PLACEHOLDER = r"\[redacted:[a-z0-9-]{1,40}:[0-9a-f]{8}\]"
LONGEST_JUDGED = 200
"""Only this much of a value is checked: a longer one does not look different at its end."""

# Filled in by a shell, a template, a formatter or a build: `$X`, `${X:-y}`, `{{ x }}`, `<x>`, `%X%`, `%(x)s`, `@X@`.
# The quantifiers are possessive, so that a long run of them is read once.
_VARIABLE = r"""(?x)
    (?: \$\{[^{}]*+\}?+ | \$\([^()]*+\)?+ | \$[\w.:?!-]*+ | \#?\{++[^{}]*+\}*+ | <[^<>]*+>?+
      | %\w*+% | %\(\w*+\)s | %[svdq] | @\w++@ | &?lt;.*+
      | \[[^\[\]]*+\]?+ | (?:\\\#)?\(\w*+\)? | [*•…] | \.\.\. | ["':] )*+"""
# Text after a dollar that no one would choose as the name of a variable, and the hash of a password.
_NO_NAME = (
    r"\$(?:(?=\w*[a-z])(?=\w*[A-Z])(?=\w*\d[A-Za-z])(?!\w*_)\w{8}|[a-z]*\d[a-z]+\d[a-z]|\d[a-z]?\$|argon2|y\$|scrypt)"
)
# A tag of YAML says how a value is made: `!Ref`, `!Sub`, `!vault`.
_YAML_TAG = r"!(?:Ref|Sub|GetAtt|ImportValue|FindInMap|Join|Select|vault|secret|env|ENV|env_var|include|unsafe)\b.*"
_MASK = r"[xX*.•_#?\-…=0]+"
_HIDDEN = (
    r"[*•#….]+|x{4,}|X{4,}|(?i:[\[<(*]{0,3}(?:redacted|masked|hidden|removed|filtered|censored|omitted|sanitized"
    r"|truncated)[\])>*]{0,3})"
)
_EXAMPLE = r"""(?xi)
    example | changeme | change[_-]me | placeholder | redacted | replace[_-]?(?:me|with|this) | helloworld | dummy
  | (?:^|[_\-. ])(?:your|my|the|some|insert|enter|put)[_\-. ]?(?:own[_\-. ]?)?(?:\w{1,40}[_\-. ])?
    (?:api|key|token|secret|pass|auth|access|client)
  | (?:key|token|secret|password)[_-]?here | \*{3} | \.{3} | \#{4} | (?:^|[-_.])x{3,}$ | … | not[_-]?a[_-]?real
  | ^[a-z]{1,40}(?:_[a-z]{1,40}){0,8}_(?:key|token|secret|password|passwd)$
  | ^(?:key|token|secret|password)(?:_[a-z]{1,40}){1,8}$ | ^(?:key|token|secret|password)-(?:value|key|token|name|data)$
  | ^(?:test|fake|mock|sample|stub|foo|bar)(?:[-_.]?(?:api|access|auth|refresh|client|key|token|secret|password|pass|pw
    |user|value|id)){0,3}[-_.]?\d{0,3}$"""
# Keys that are meant to be seen: publishable ones, and public halves of pairs.
_PUBLIC = r"pk_(?:live|test)_|pk\.eyJ|phc_|sb_publishable_|ssh-[a-z]|AAAA[BCE]3Nz|age1[a-z0-9]|ENC\["
_MASKED = "xxxxxx"
# In a shorter value, a run of one character may be a real choice; redacting a mask loses nothing.
_SHORTEST_MASKED = 16
_LOOKED_AT = 12
_MOST_OF_ONE = 0.7
LONGEST_ALPHABET = 7
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_ROWS = "|".join(_ALPHABET[at : at + LONGEST_ALPHABET] for at in range(len(_ALPHABET) - LONGEST_ALPHABET + 1))


def is_dummy_value(value: str) -> bool:
    """Return whether a value is not a secret but a dummy: a variable, an example, or a repetitive text."""
    return _is_dummy(_judged(value))


@lru_cache(4096)
def _is_dummy(value: str) -> bool:
    return (
        not value
        or compiled(_PUBLIC).match(value) is not None
        or is_variable(value)
        or is_example(value)
        or _is_dull(value)
    )


def is_variable(value: str) -> bool:
    """Return whether a value is filled in elsewhere: by a shell, a template, a build."""
    value = _judged(value)
    if value[:1] == "!":
        return compiled(_YAML_TAG).fullmatch(value) is not None
    if compiled(_VARIABLE).fullmatch(value) is None:
        return False
    return value[:1] != "$" or compiled(_NO_NAME).match(value) is None


def is_mask(value: str) -> bool:
    """Return whether a value was hidden by someone: `****`, `xxxx`, `REDACTED`."""
    return compiled(_HIDDEN).fullmatch(_judged(value)) is not None


def is_example(value: str) -> bool:
    """Return whether a value is a mask, or contains a word that marks an example."""
    value = _judged(value)
    if compiled(_MASK).fullmatch(value) or compiled(_EXAMPLE).search(value):
        return True
    return len(value) >= _SHORTEST_MASKED and _MASKED in value.lower()


def _is_dull(value: str) -> bool:
    """Return whether a value repeats a character or follows the alphabet: random values do neither."""
    if value == value[0] * len(value):
        return True
    if len(value) >= LONGEST_ALPHABET and compiled(_ROWS).search(value.lower()):
        return True
    most = _MOST_OF_ONE * len(value)
    return len(value) >= _SHORTEST_MASKED and any(value.count(char) > most for char in set(value[:_LOOKED_AT]))


def _judged(value: str) -> str:
    value = value[:LONGEST_JUDGED]
    # A value is not safer because one of our placeholders is next to it.
    return compiled(PLACEHOLDER).sub(" ", value).strip() if "[redacted:" in value else value.strip()
