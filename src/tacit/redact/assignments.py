"""A name and its value: assignments, flags, headers, fields of JSON, YAML, TOML and XML, and sentences."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import NamedTuple

from tacit.redact.apply_rule import TryBudget
from tacit.redact.dummy_values import PLACEHOLDER, is_dummy_value
from tacit.redact.literal_search import NAME_CHARS, places
from tacit.redact.rule import SecretRule, compiled
from tacit.redact.secret_names import Announces, announces
from tacit.redact.value_shapes import is_hex, is_place, is_uuid, looks_chosen, looks_drawn
from tacit.text.secret_marks import NAME_PARTS

MOST_NAME = 80
_NAME_REST = r"[A-Za-z0-9_.\-]{0,80}"
# What cannot be random: up to seven characters, a word with a number, or nothing that looks like an operator.
_SHORT = (
    r"""["']?[ ]?(?:[:=][ ]?+["']?+(?:[^\s"']{0,7}|[a-z]++[:_.-]\d++)(?:["'\s]|\Z)"""
    r"""|[^\s"'=:>|,?!\]`*{\\])"""
)
_GONE = rf"""\\?["'`]?[ \t]{{0,2}}[:=>]{{1,2}}[ \t]{{0,2}}\\?["'`]?{PLACEHOLDER}(?:["'`,;)\s\\]|\Z)"""
# Between a name and its value. XML, Kubernetes and CI settings have `value` in between.
_PAIR = r"""(?x)
    (?:\\?["'`]|\*\*|\])?\]?
    (?P<op>
        (?:[ \t]{1,2}(?:data|value|string|code|text)\b)?[ \t]{0,8}(?::=|=>|={1,3}|!={1,2}|\|\||\?=|:{1,3}=?|>)
      | [ \t]{0,4},(?=[ \t]{0,4}["'`])
      | ,?\s{1,60}["']?(?:value|content)["']?[ \t]{0,4}[=:]
      | [ \t]{0,4}\{[^{}]{0,200}?\b(?:default|value)[ \t]{0,8}=
      | [ \t]{1,4}(?:is|was|=)(?=[ \t:])(?:[ \t]{0,4}:)?
      | \s{1,8}(?=[^\s=:])
    )
    (?P<gap>[ \t=`]{0,8}(?:\*\*[ \t]{0,4})?)
    (?:
        [@$bruf]{0,2}\\"(?P<escaped>[^"\\\n]++)\\"
      | [@$bruf]{0,2}"(?P<double>(?=[^"])[^"\\\n]*+(?:\\.[^"\\\n]*+)*+)"
      | [$bruf]{0,2}'(?P<single>(?=[^'])[^'\\\n]*+(?:\\.[^'\\\n]*+)*+)'
      | `(?P<back>[^`\n]++)`
      | \\?["'`]?(?P<bare>[^\s"'`<>&;|\\]++)
    )"""
# A call, an index or a generic type, which a blank or a quote may have cut short.
_CALLED = r"[A-Za-z_][\w.:]*+(?:\(|\[[\w.:,|*\[\]-]*+\Z)"
_REFERENCE = r"[A-Za-z_]\w*(?:(?:\.|->|::)\w+)*(?:\(.*|\[.*|\.)?"
_TYPE = (
    r"(?i)(?:str|string|bytes|int|integer|bool|boolean|float|number|object|any|void|none|null|nil|true|false|undefined"
    r"|optional|text|varchar|char|secretstr|list|dict|map|uuid|date|datetime|yes|no|on|off|required|missing|empty|unset"
    r"|default)\b.{0,40}"
)
_EMAIL = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_SENTENCE = (
    r"(?i)\b(?:password|passwords|token|secret|key|your|please|enter|must|cannot|required|invalid|incorrect|wrong|the"
    r"|forgot)\b"
)
# To the end of the line or to a comment.
_LINE_REST = r"(?:(?! #)[^\n\r\x1b\"'])*+"
_ENTRIES = (["login"], ["machine"], ["account"], ["user"])
_TRAILING = ",.:)]}!?*"
_OPENERS = {")": "(", "]": "[", "}": "{"}


class NamedValue(NamedTuple):
    """A name, what separates it from its value, and the value."""

    name: str
    start: int
    """Where the name begins."""
    found: re.Match[str]
    says: Announces

    @property
    def bare(self) -> bool:
        """Whether the value has no quotes."""
        return self.found.lastgroup == "bare"

    @property
    def op(self) -> str:
        """The operator without the blanks around it."""
        return self.found["op"].strip()

    @property
    def value(self) -> str:
        """The value. If it is not quoted, punctuation of the surrounding sentence is removed."""
        value = self.found[self.found.lastgroup or "bare"]
        return _trimmed(value) if self.bare else value

    @property
    def is_listed(self) -> bool:
        """Whether the name is a quoted item of a list, so that the next text is another item and not its value."""
        before = self.found.string[max(0, self.start - 2) : self.start]
        return before[-1:] in ("'", '"') and before[:1] != "("

    @property
    def is_segment(self) -> bool:
        """Whether name and value are two parts of one identifier, as in `arn:…:secret:prod/db`."""
        text = self.found.string
        return self.found["op"] == ":" and not self.found["gap"] and text[max(0, self.start - 1) : self.start] == ":"

    @property
    def is_line(self) -> bool:
        """Whether it is a whole line of YAML. With more text after the value, it is a type annotation."""
        text = self.found.string
        before = text[max(0, self.start - 200) : self.start]
        is_first = not before.rpartition("\n")[2].strip(" \t-")
        return is_first and not compiled(r"[ \t]{0,8}[=|]").match(text, self.found.end())


def pairs(text: str, small: str) -> Iterator[tuple[int, int]]:
    """Return the positions of secrets that have a name; `small` is the text in lower case."""
    rest, short, gone, pattern = (compiled(one).match for one in (_NAME_REST, _SHORT, _GONE, _PAIR))
    tries, named, is_cleaned = TryBudget(), 0, "[redacted:" in text
    for at in sorted(at for anchor in NAME_PARTS if anchor in small for at in places(small, anchor)):
        # A name is judged once, however many anchors it contains.
        if at < named:
            continue
        named = end = rest(text, at).end()  # type: ignore[union-attr]  # it matches anything
        head = text[max(0, at - MOST_NAME) : at]
        name = head[len(head.rstrip(NAME_CHARS)) :] + text[at:end]
        says = announces(name)
        # Most values are too short to be random, or already redacted; this is checked before the expensive part.
        if not says or (says == "drawn" and short(text, end)) or tries.are_spent(end):
            continue
        if (is_cleaned and gone(text, end)) or not (found := pattern(text, end)):
            continue
        pair = NamedValue(name, end - len(name), found, says)
        is_secret = _is_secret(pair)
        tries.read(end, found.end(), claimed=is_secret and pair.bare)
        if is_secret:
            yield _span(pair)


def _trimmed(value: str) -> str:
    # A closing bracket belongs to the value if it was opened there, and three stars are a mask, not emphasis.
    kept = "".join(closer for closer, opener in _OPENERS.items() if opener in value) + "*" * value.endswith("***")
    return value.rstrip(_TRAILING.translate(dict.fromkeys(map(ord, kept))))


def _is_secret(pair: NamedValue) -> bool:
    value, op = pair.value, pair.op
    if len(value) < 3 or (pair.bare and (value.startswith("(") or _is_called(value))) or pair.is_segment:
        return False
    if op == "," and (pair.is_listed or value.startswith("-")):
        return False
    if op and pair.says == "drawn" and op not in ("is", "was", "is:", "was:"):
        return _drawn(pair.name, value, quoted=not pair.bare) and not is_dummy_value(value) and not is_place(value)
    if is_dummy_value(value) or is_place(value) or compiled(_TYPE).fullmatch(value):
        return False
    if not op:
        return _said_apart(pair, value)
    if op in ("is", "was", "is:", "was:"):
        return len(value) >= 6 and looks_chosen(value) and not compiled(rf"{_EMAIL}|.*-[a-z].*").fullmatch(value)
    return _kept(pair, value)


def _is_called(value: str) -> bool:
    return compiled(_CALLED).match(value) is not None


def _drawn(name: str, value: str, *, quoted: bool) -> bool:
    """Judge the value of a name that may mean anything: only random-looking text, not a digest, UUID or address."""
    if name[-4:].lower() == "auth" and _is_login(value):
        return True
    if not looks_drawn(value, 8 if quoted else 10):
        return False
    small = name.lower()
    if is_uuid(value) or (is_hex(value) and small.endswith(("key", "nonce", "salt"))):
        return "token" in small
    return not compiled(_EMAIL).fullmatch(value)


def _is_login(value: str) -> bool:
    """Return whether a value is `user:password` in base64, as Docker keeps it under `auth`."""
    try:
        return len(value) >= 8 and b":" in base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False


def _kept(pair: NamedValue, value: str) -> bool:
    """Judge the value of a name that clearly announces a secret."""
    if not pair.bare:
        return not (" " in value and compiled(_SENTENCE).search(value))
    if value.isdigit() and len(value) < 4:
        return False
    if not compiled(_REFERENCE).fullmatch(value) or looks_drawn(value, 8):
        return True
    # A word of letters alone: in a shell, an .env file or YAML it is the value, in code it is another name.
    spaced = pair.found["op"][:1] in (" ", "\t") or pair.found["gap"][:1] in (" ", "\t")
    if pair.op == ":" and spaced:
        return ("_" in pair.name or "-" in pair.name) and (looks_chosen(value) or pair.is_line)
    called = "(" in value or "." in value
    return not spaced and not called and (looks_chosen(value) or pair.name.isupper())


def _said_apart(pair: NamedValue, value: str) -> bool:
    """Judge a value that only blanks separate from its name: of a flag, in quotes, or in a .netrc file."""
    if pair.name.startswith("-"):
        return not value.startswith("-") and (looks_chosen(value) or "\n" not in pair.found["op"])
    if not pair.bare:
        looks = looks_chosen if pair.says == "secret" else looks_drawn
        return pair.name != "pass" and looks(value) and " " not in value
    before = pair.found.string[max(0, pair.start - 120) : pair.start].split()
    return pair.name.lower() in ("password", "passwd", "token") and before[-2:-1] in _ENTRIES


def _span(pair: NamedValue) -> tuple[int, int]:
    """Return the span of a value: quoted values whole, bare ones without punctuation, YAML ones to the line's end."""
    start, end = pair.found.span(pair.found.lastgroup or "bare")
    if not pair.bare:
        return start, end
    if pair.op == ":" and pair.found["gap"] and ("_" in pair.name or "-" in pair.name) and pair.is_line:
        rest = compiled(_LINE_REST).match(pair.found.string, end)
        return start, end + len(rest[0].rstrip() if rest else "")
    return start, start + len(pair.value)


def _reversed(found: re.Match[str]) -> bool:
    return (
        announces(found["name"]) == "secret" and looks_chosen(found["secret"]) and not is_dummy_value(found["secret"])
    )


COMPARED = SecretRule(
    "secret",
    (" ==", " !="),
    r"""["'](?P<secret>[^"'\n]{4,250})["'][ \t]{0,4}(?:={2,3}|!={1,2})[ \t]{0,4}(?P<name>[\w.-]{1,100})""",
    _reversed,
    "near",
)
