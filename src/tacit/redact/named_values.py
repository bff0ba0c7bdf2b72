"""A name and its value: whether the value is a secret, judged by the name, what is between them, and the value."""

from __future__ import annotations

import base64
import binascii
import re

from tacit.redact.dummy_values import is_dummy_value
from tacit.redact.rule import compiled
from tacit.redact.secret_names import Announces, announces
from tacit.redact.value_shapes import (
    is_amount,
    is_hex,
    is_name,
    is_passphrase,
    is_place,
    is_term,
    is_uuid,
    is_word_and_number,
    looks_chosen,
    looks_drawn,
    looks_secret,
)

WHY = {
    "named-value": "it is the value of a name that announces a secret",
    "named-random": "it looks random, and its name may announce a secret",
    "flag": "it follows a flag that announces a secret",
    "argument": "it is passed to a function that takes a secret",
    "after-blank": "it follows a name that announces a secret, on a command line that sets it",
    "sentence": "a sentence says that it is a password, a token or a key",
    "table": "it is next to a name that announces a secret, in a table",
}
"""The rules of this module, and why each takes a value."""

# A call, an index or a generic type, which a blank or a quote may have cut short.
_CALLED = r"[A-Za-z_][\w.:]*+(?:\(|\[[\w.:,|*\[\]-]*+\Z)"
_REFERENCE = r"[A-Za-z_]\w*(?:(?:\.|->|::)\w+)*(?:\(.*|\[.*|\.|!|\?)?"
_TYPE = (
    r"(?i)(?:str|string|bytes|int|integer|bool|boolean|float|number|object|any|void|none|null|nil|true|false|undefined"
    r"|optional|text|varchar|char|secretstr|list|dict|map|uuid|date|datetime|yes|no|on|off|required|missing|empty|unset"
    r"|default|inherit|valid|invalid|wrong|expired|incorrect|unknown|enabled|disabled|password|token|secret)\b.{0,40}"
)
_EMAIL = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_SENTENCE = (
    r"(?i)\b(?:password|passwords|token|secret|key|your|please|enter|must|cannot|required|invalid|incorrect|wrong|the"
    r"|forgot)\b"
)
# Words after a flag in a sentence or a list of options, where no value is.
_ABOUT_FLAGS = (
    r"(?i)flag|flags|option|options|argument|arg|value|string|text|is|are|was|to|from|for|with|and|or|the|a|an|in|on|of"
    r"|file|path|stdin|env|variable|must|can|will|should|not|required|if|when|as|by|instead|set|given|but|via"
)
# Command lines that set a value: the words before the name.
_SETS = (
    r"(?:^|[\s;&|($`])(?:set|setenv|setx|config|configure|config:set|put|add|secret|secrets|env|store|login|requirepass"
    r"|connect|ngrok|mysqladmin|nmcli|user|token|auth|ENV|with)(?:[ \t]{1,4}\S{1,80}){0,3}?[ \t]{1,4}\S{0,80}\Z"
)
# To the end of the line or to a comment.
_LINE_REST = r"(?:(?! #)[^\n\r\x1b\"'])*+"
ENTRY_NAMES = ("password", "passwd", "token")
"""What an entry of a .netrc file calls its secret."""
_ENTRIES = ("login", "machine", "account", "user")
_TRAILING = ",.:)]}!?*"
_OPENERS = {")": "(", "]": "[", "}": "{"}
_TOLD = r"(?:.*[ )])?(?:is|was|ist|lautet|est|es|to|now|still):?|(?:for|of|on|at|in) .*:"
_PHRASE = r"[a-z]+(?:[ -][a-z]+){2,9}"


class NamedValue:
    """A name, what separates it from its value, and the value."""

    __slots__ = ("bare", "found", "name", "op", "raw", "says", "start", "value")

    def __init__(self, name: str, start: int, found: re.Match[str], says: Announces) -> None:
        self.name, self.found, self.says = name, found, says
        self.start = start
        """Where the name begins."""
        group = found.lastgroup or "bare"
        self.bare = group == "bare"
        """Whether the value has no quotes."""
        self.op = found["op"].strip().rstrip("*")
        """The operator without the blanks around it."""
        self.raw = found[group]
        """The value with all that is attached to it."""
        self.value = _trimmed(self.raw, not self.op or self.op[-1].isalpha()) if self.bare else self.raw
        """The value. If it is not quoted, punctuation of the surrounding sentence is removed."""

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
    def line_head(self) -> str:
        """What is on the line before the name."""
        return self.found.string[max(0, self.start - 200) : self.start].rpartition("\n")[2]

    @property
    def is_line(self) -> bool:
        """Whether it is a whole line of YAML. With more text after the value, it is a type annotation."""
        is_first = not self.line_head.strip(" \t-")
        return is_first and not compiled(r"[ \t]{0,8}[=|]").match(self.found.string, self.found.end())

    @property
    def is_entry(self) -> bool:
        """Whether it is the password of an entry of a .netrc file."""
        if self.name.lower() not in ENTRY_NAMES:
            return False
        before = self.found.string[max(0, self.start - 120) : self.start].rsplit(None, 2)
        return len(before) > 1 and before[-2].endswith(_ENTRIES)

    @property
    def is_alone(self) -> bool:
        """Whether name and value are all that is on their line, as in the file of a server's settings."""
        rest = self.found.string[self.found.end() : self.found.end() + 1]
        return not self.line_head.strip() and rest in ("", "\n", "\r")

    @property
    def is_block(self) -> bool:
        """Whether the value is on the line after its name."""
        return "\n" in self.found["op"] and bool(self.op)

    @property
    def span(self) -> tuple[int, int]:
        """Where the value is: quoted whole, bare without punctuation, a line of YAML to its end."""
        start, end = self.found.span(self.found.lastgroup or "bare")
        if not self.bare:
            return start, end
        if self._takes_line:
            rest = compiled(_LINE_REST).match(self.found.string, end)
            return start, end + len(rest[0].rstrip() if rest else "")
        return start, start + len(self.value)

    @property
    def _takes_line(self) -> bool:
        if self.is_block:
            return True
        if self.op != ":" or not self.found["gap"] or not self.is_line:
            return False
        return "_" in self.name or "-" in self.name or self._is_phrase

    @property
    def _is_phrase(self) -> bool:
        """Whether the line gives a passphrase of several words."""
        if self.name.lower() not in ("passphrase", "mnemonic", "seed"):
            return False
        rest = compiled(_LINE_REST).match(self.found.string, self.found.end())
        phrase = self.raw + (rest[0].rstrip() if rest else "")
        return compiled(_PHRASE).fullmatch(phrase) is not None and not compiled(_SENTENCE).search(phrase)


def _trimmed(value: str, is_said: bool) -> str:
    # A password may end in a mark; in a sentence, the mark ends the sentence.
    if value[-1] not in _TRAILING or (value[-1] in "!?" and not is_said):
        return value
    # A closing bracket belongs to the value if it was opened there, and three stars are a mask, not emphasis.
    kept = "".join(closer for closer, opener in _OPENERS.items() if opener in value) + "*" * value.endswith("***")
    return value.rstrip(_TRAILING.translate(dict.fromkeys(map(ord, kept))))


def rule_for(pair: NamedValue) -> str:
    """Return the rule by which a value is a secret, or nothing if it is none."""
    value, op = pair.value, pair.op
    if not op and pair.bare and _is_prose(pair, value):
        return ""
    if len(value) < 3 or (pair.bare and (value.startswith("(") or _is_called(value))) or pair.is_segment:
        return ""
    if pair.bare and pair.raw.endswith(("...", "…")):
        return ""
    if op == "," and (pair.is_listed or value.startswith("-")):
        return ""
    if is_dummy_value(value) or is_place(value):
        return ""
    if op.startswith("("):
        return "argument" if _is_passed(pair, value) else ""
    is_told = op != "=" and compiled(_TOLD).fullmatch(op) is not None
    if op and not is_told and op != "|":
        return _assigned(pair, value)
    if compiled(_TYPE).fullmatch(value) or is_amount(value):
        return ""
    if not op:
        return _said_apart(pair, value)
    if not is_told:
        return "table" if _is_told(pair, value) else ""
    return "sentence" if _is_told(pair, value) else ""


def _is_prose(pair: NamedValue, value: str) -> bool:
    """Return whether a name and the word after it are no more than that: most are, so this is checked first."""
    if "\n" in pair.found["op"]:
        return True
    if not value.isalpha() or pair.name[0] == "-" or not (value.islower() or value.istitle()):
        return False
    return not pair.is_entry


def _assigned(pair: NamedValue, value: str) -> str:
    if pair.says == "drawn":
        if pair.name.lower() == "key" and not announces("_".join([*pair.line_head.split()[-1:], "key"])):
            return ""
        return "named-random" if _drawn(pair.name, value, quoted=not pair.bare) else ""
    if compiled(_TYPE).fullmatch(value) or (is_amount(value) and not (value.isdigit() and len(value) > 3)):
        return ""
    if pair.is_block:
        return "named-value" if _looks_named(pair, value) else ""
    if pair.name.lower() == "pass" and not _is_pass(pair, value):
        return ""
    if pair.says == "key" and is_name(value) and " " not in value:
        return ""
    return "named-value" if _kept(pair, value) else ""


def _looks_named(pair: NamedValue, value: str) -> bool:
    """Return whether a value looks like what its name announces."""
    if pair.says == "secret":
        return looks_secret(value) or is_passphrase(value) or is_word_and_number(value)
    return looks_drawn(value) and not is_term(value)


def _is_pass(pair: NamedValue, value: str) -> bool:
    """Judge the value of `pass`, which also reports that a test has passed."""
    if value.isdigit() or pair.line_head.rstrip().endswith("---") or not looks_secret(value):
        return pair.op != ":" and not value.isdigit() and pair.bare and not is_name(value)
    return pair.op != ":" or not pair.name.isupper()


def _is_called(value: str) -> bool:
    return compiled(_CALLED).match(value) is not None


def _drawn(name: str, value: str, *, quoted: bool) -> bool:
    """Judge the value of a name that may mean anything: only random-looking text, not a digest, UUID or address."""
    if name[-4:].lower() == "auth" and _is_login(value):
        return True
    if not looks_drawn(value, 8 if quoted else 10):
        return False
    small = name.lower()
    if is_uuid(value) or (is_hex(value) and small.endswith(("key", "nonce", "salt", "session", "login"))):
        return "token" in small
    return not compiled(_EMAIL).fullmatch(value) and not is_term(value)


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
    called = "(" in value or "." in value or value[-1] in "!?"
    if spaced and pair.op == "=" and looks_secret(value):
        return not called
    if pair.op == ":" and spaced:
        if looks_secret(value) or pair._is_phrase:
            return not called
        is_setting = "_" in pair.name or "-" in pair.name or pair.name.islower()
        return is_setting and pair.is_line and not called and not is_term(value) and _is_plain_password(pair, value)
    return not spaced and not called and (looks_chosen(value) or pair.name.isupper())


def _is_plain_password(pair: NamedValue, value: str) -> bool:
    """Judge a word on a line of YAML: a password may be a word, a token is not, and a type begins with a capital."""
    if "_" not in pair.name and "-" not in pair.name:
        return looks_chosen(value) and (not value[0].isupper() or is_word_and_number(value))
    return looks_chosen(value) or (pair.says == "secret" and value.islower())


def _is_passed(pair: NamedValue, value: str) -> bool:
    """Judge an argument of a function: what it looks up or shows is a name, what it sets is the secret."""
    if " " in value or compiled(_TYPE).fullmatch(value):
        return False
    return _looks_named(pair, value) and not is_hex(value) and not is_uuid(value)


def _said_apart(pair: NamedValue, value: str) -> str:
    """Judge a value that only blanks separate from its name: of a flag, in quotes, in a .netrc file, on a command."""
    blanks = pair.found["op"]
    if pair.name.startswith("-"):
        return "flag" if _is_flagged(pair, value, blanks) else ""
    if not pair.bare:
        looks = looks_secret if pair.says in ("secret", "key") else looks_drawn
        return "after-blank" if pair.name.lower() != "pass" and looks(value) and " " not in value else ""
    if "\n" in blanks:
        return ""
    if pair.is_entry:
        return "after-blank"
    if not _looks_named(pair, value):
        return ""
    if pair.is_alone:
        return "after-blank" if not is_hex(value) and not is_uuid(value) else ""
    return "after-blank" if compiled(_SETS).search(pair.line_head + " ") else ""


def _is_flagged(pair: NamedValue, value: str, blanks: str) -> bool:
    """Judge the value of a flag: in a list of options the flag's description follows in the next column."""
    if value.startswith("-") or "\n" in blanks:
        return False
    if pair.says == "drawn" or len(blanks) > 1 or "\t" in blanks:
        return looks_drawn(value, 8) or (pair.says == "secret" and looks_secret(value))
    if looks_secret(value) or (not pair.bare and " " not in value and pair.says == "secret"):
        return True
    if pair.says == "key" or value.isupper() or compiled(_ABOUT_FLAGS).fullmatch(value):
        return False
    return len(value) >= 4 and not value.endswith((":", ";"))


def _is_told(pair: NamedValue, value: str) -> bool:
    """Judge a value in a sentence or a table."""
    if pair.says == "secret" and (is_passphrase(value) or is_word_and_number(value)):
        return True
    if compiled(rf"{_EMAIL}|.*[^\d]-[a-z].*|[A-Za-z]+\d?|\d+\S{{0,3}}").fullmatch(value) and not (
        value.isalpha() and looks_secret(value)
    ):
        return False
    if pair.says == "secret":
        return looks_secret(value) or (len(value) >= 6 and looks_chosen(value) and not is_name(value))
    return looks_drawn(value, 10) and not is_uuid(value) and not is_hex(value)
