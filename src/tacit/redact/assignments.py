"""Where a name and its value are: assignments, flags, headers, calls, fields of JSON, YAML and XML, sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tacit.redact.apply_rule import TryBudget
from tacit.redact.dummy_values import PLACEHOLDER, is_dummy_value
from tacit.redact.literal_search import NAME_CHARS
from tacit.redact.named_values import ENTRY_NAMES, NamedValue, rule_for
from tacit.redact.rule import SecretRule, compiled
from tacit.redact.secret_names import Announces, announces, without_setter
from tacit.redact.value_shapes import looks_chosen, looks_secret

MOST_NAME = 80
_NAME_REST = r"[A-Za-z0-9_.\-]{0,80}"
# What cannot be random: up to seven characters, a word with a number, or nothing that looks like an operator.
_SHORT = (
    r"""["']?[ ]?(?:[:=][ ]?+["']?+(?:[^\s"'|>]{1,7}|[a-z]++[:_.-]\d++)(?:["'\s]|\Z)"""
    r"""|[^\s"'=:>|,?!\]`*{\\(A-Za-z0-9])"""
)
_GONE = (
    rf"""\\?["'`]?[ \t]{{0,2}}(?:[:=>]{{1,2}}|is|was|to|[(|])?[ \t]{{0,2}}\\?["'`]?{PLACEHOLDER}(?:["'`,;)\s\\]|\Z)"""
)
# Between a name and its value. XML, Kubernetes and CI settings have `value` in between.
_PAIR = r"""(?x)
    (?:\\?["'`]|\*\*|\])?\]?
    (?P<op>
        :[ \t]{0,2}[&*\w'<>\[\].,?|][&*\w'<>\[\]., ?|]{0,40}?[ \t]{0,2}=(?=[ \t]{0,2}b?["'`])
      | (?:[ \t]{1,2}(?:data|value|string|code|text|\d{1,2})\b)?[ \t]{0,8}
        (?::=|=>|<-|={1,3}|!={1,2}|\|\||\?=|:{1,3}=?|>)
        (?:\*\*)?(?:[ \t]{0,2}[|>][-+]?\d?[ \t]{0,4}\r?\n[ \t]{1,40}
            |(?<=:)\r?\n[ \t]{0,40}(?=[^\s:=]{8,200}[ \t]*(?:\n|\Z)))?
      | [ \t]{0,4},(?=[ \t]{0,4}["'`])
      | ,?\s{1,60}["']?(?:value|content)["']?[ \t]{0,4}[=:]
      | [ \t]{0,4}\{[^{}]{0,200}?\b(?:default|value)[ \t]{0,8}=
      | \([ \t]{0,4}["'][^"'\n]{0,60}["'][ \t]{0,4},(?=[ \t]{0,4}["'])
      | \((?=[ \t]{0,4}[@NLRu]?["'`])
      | [ \t]{1,8}\|(?=[ \t])
      | (?:[ \t]{1,4}\([^()\n]{1,30}\))?
        (?:[ \t]{1,4}(?:for|FOR|of|on|at|in)[ \t]{1,4}[\w.@'-]{1,30}(?:[ ][\w.@'-]{1,20}){0,3}?)?
        (?:[ \t]{1,4}(?:(?:is|was)(?:[ ]now|[ ]set[ ]to|[ ]changed[ ]to|[ ]still|[ ]reset[ ]to)?
            |ist|lautet|est|es|to|=)(?=[ \t:])|(?=:[ \t]))
        (?:[ \t]{0,4}:)?
      | \s{1,8}(?=[^\s=:])
    )
    (?P<gap>[ \t=`]{0,8}(?:\*\*[ \t]{0,4}|\(\s{0,20}(?=["']))?)
    (?:
        [@$bruf]{0,2}\\"(?P<escaped>[^"\\\n]++)\\"
      | [@$brufNL]{0,2}"(?P<double>(?=[^"])[^"\\\n]*+(?:\\.[^"\\\n]*+)*+)"
      | [$brufNL]{0,2}'(?P<single>(?=[^'])[^'\\\n]*+(?:\\.[^'\\\n]*+)*+)'
      | `(?P<back>[^`\n]++)`
      | \\?["'`]?(?P<bare>[^\s"'`<>&;|\\]++)
    )"""

# A name in a sentence, followed by two words that join it to no value. Most names in prose are like this.
_IN_PROSE = (
    r"[ ](?!(?:is|was|ist|lautet|est|es|to|for|of|on|at|in|data|value|string|code|text|content)\b)[a-z]{1,20}+"
    r"[ ][A-Za-z]"
)

# "Use … as the password": the value is before the name.
_SAID_BEFORE = (
    r"""(?<!\S)["'`(]?(?P<value>[^\s"'`()]{6,60})["'`)]?[ \t]{1,2}as(?: [a-z]{1,4})?(?: [A-Za-z]{1,12})? \Z"""
)


def _said_before(text: str, at: int) -> tuple[int, int] | None:
    head = text[max(0, at - MOST_NAME) : at]
    if " as " not in head[-24:] or not (found := compiled(_SAID_BEFORE).search(head)):
        return None
    if not looks_secret(found["value"]) or is_dummy_value(found["value"]):
        return None
    start = at - len(head) + found.start("value")
    return start, start + len(found["value"])


def announced(text: str, anchors: Sequence[int]) -> Iterator[tuple[int, int, str, Announces]]:
    """Return the names that announce a secret: where the anchor is, where the name ends, the name, and what it says."""
    rest, short, named = compiled(_NAME_REST).match, compiled(_SHORT).match, 0
    for at in anchors:
        # A name is judged once, however many anchors it contains.
        if at < named:
            continue
        named = end = rest(text, at).end()  # type: ignore[union-attr]  # it matches anything
        if at and text[at - 1] in NAME_CHARS:
            head = text[max(0, at - MOST_NAME) : at]
            name = head[len(head.rstrip(NAME_CHARS)) :] + text[at:end]
        else:
            name = text[at:end]
        says = announces(without_setter(name) if text.startswith("(", end) else name)
        # Most values are too short to be random; this is checked before the expensive part.
        if says and not (says == "drawn" and short(text, end)):
            yield at, end, name, says


def pairs(text: str, anchors: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    """Return the positions of secrets that have a name, with their rules; `anchors` are where names have a part."""
    gone, in_prose, pattern = (compiled(one).match for one in (_GONE, _IN_PROSE, _PAIR))
    tries, is_cleaned = TryBudget(), "[redacted:" in text
    for at, end, name, says in announced(text, anchors):
        # The kind in a placeholder is not a name.
        if is_cleaned and text.startswith("[redacted:", end - len(name) - len("[redacted:")):
            continue
        if tries.are_spent(end):
            continue
        if text[at - 1 : at] == " " and (value := _said_before(text, at)):
            yield *value, "sentence"
        if in_prose(text, end) and name[0] != "-" and name.lower() not in ENTRY_NAMES:
            continue
        if (is_cleaned and gone(text, end)) or not (found := pattern(text, end)):
            continue
        pair = NamedValue(name, end - len(name), found, says)
        rule = rule_for(pair)
        tries.read(end, found.end(), claimed=bool(rule) and pair.bare)
        if rule:
            yield *pair.span, rule


def _reversed(found: re.Match[str]) -> bool:
    value = found["secret"]
    return announces(found["name"]) in ("secret", "key") and looks_chosen(value) and not is_dummy_value(value)


COMPARED = SecretRule(
    "compared",
    "it is compared with a name that announces a secret",
    "secret",
    (" ==", " !="),
    r"""["'](?P<secret>[^"'\n]{4,250})["'][ \t]{0,4}(?:={2,3}|!={1,2})[ \t]{0,4}(?P<name>[\w.-]{1,100})""",
    _reversed,
    "near",
)
