"""Orders: text that addresses the model which reads it, rather than stating something. It looks through disguise.

Precision counts as much as finding: a developer's "ignore previous test results" states what to do with results, and
an order quoted as test data is told of, not given. What this misses is framed as data and proves nothing; see caveats.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from tacit.judge.orders_rules import GLUED, RULES, Rule
from tacit.judge.orders_views import disguised, folded, spelled_out

FAMILIES = {
    "override": "it tells its reader to drop earlier instructions",
    "role": "it gives its reader another role",
    "markup": "it poses as a message of a system or developer",
    "exfiltration": "it asks its reader for secrets or prompts",
    "persistence": "it wants to stand as an order in later sessions",
    "permission": "it lifts approvals that are a person's",
    "download": "it has its reader run something on its own",
}
_ANCHORS = tuple(dict.fromkeys(anchor for rule in RULES for anchor in rule.anchors))
_PLAIN_ANCHORS = tuple(anchor for anchor in _ANCHORS if anchor.isascii())
_LEAD = re.compile(
    r"(?:^|[.!?:;,\n\"'`“”‘’«»()\[\]<>*#\-–—|/=]|\b(?:please|pls|kindly|and|then|now|now on|just|also|so|simply|first|instead|always|"
    r"immediately|but|or|you|assistant|agent|model|ai|claude|gpt|chatgpt|copilot|llm|bot|system|user|note|important|attention|urgent|"
    r"hereby|henceforth|ok|okay|hi|hello|hey|thanks|sure|task|must now|(?:you|assistants?|agents?|models?|ai|llms?|claude|gpt)\W{1,3}"
    r"(?:\w{1,12}\W{1,3}){0,3}(?:must|should|shall|will|can|may|to|need)))\W{0,3}$"
)  # fmt: skip
_BEFORE_CHARS = 80
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»"}
_QUOTED_CHARS = 300
# Who quotes an order with one of these before it tells of it.
_TOLD_OF = re.compile(
    r"\b(?:assert\w*|expect\w*|tests?|tested|testing|fixtures?|examples?|samples?|payloads?|detect\w*|block(?:s|ed)?|reject\w*|refus\w*|flag(?:s|ged)?|"
    r"inject\w*|attack\w*|jailbreak\w*|phrases?|strings?|patterns?|regex\w*|such as|like|filter\w*|malicious|poison\w*|attempt\w*|parametri\w*|"
    r"e\.g|corpus|dataset|literal|scann?\w*|search\w*|grep|rg|contain\w*|docs?|commit|titled|called|named)\b|\w\s?=\s?[\[(]?\s?$|def \w|^\s*[-*]?\s*$"
)  # fmt: skip


def orders(text: str) -> tuple[str, ...]:
    """Name the families of orders that a text gives its reader, in the order of the table; most texts give none."""
    small = folded(text)
    found = set(_given(small, RULES, plain=True))
    whole, parts = spelled_out(small)
    if parts:
        found.update(_given(whole, RULES))
        found.update(rule.family for part in parts for rule in GLUED if rule.pattern.search(part))
    for view in disguised(text, small):
        found.update(_given(view, RULES))
        if len(found) == len(FAMILIES):
            break
    return tuple(name for name in FAMILIES if name in found) if found else ()


def _given(small: str, rules: Sequence[Rule], *, plain: bool = False) -> Iterator[str]:
    anchors = _PLAIN_ANCHORS if small.isascii() else _ANCHORS
    there = set(filter(small.__contains__, anchors))
    if not there:
        return
    for rule in rules:
        if there.isdisjoint(rule.anchors):
            continue
        if any(_counts(small, found, rule, plain) for found in rule.pattern.finditer(small)):
            yield rule.family


def _counts(small: str, found: re.Match[str], rule: Rule, plain: bool) -> bool:
    """Say whether what was found is an order: it stands where one does, and is not told of as one."""
    before = small[max(0, found.start() - _BEFORE_CHARS) : found.start()]
    if rule.led and not _LEAD.search(before):
        return False
    return not (plain and _is_told_of(small, found.start(), found.end()))


def _is_told_of(small: str, start: int, end: int) -> bool:
    """Say whether a place stands in quotes, after words that say it is an example, test data, or what is refused."""
    line = small.rfind("\n", 0, start) + 1
    since = max(line, start - _QUOTED_CHARS)
    for opening, at in _openings(small, since, start + 1):
        closing = _QUOTES[opening]
        if small.find(closing, max(end - 1, at + 1), end + _QUOTED_CHARS) >= 0 and _TOLD_OF.search(small[since:at]):
            return True
    return False


def _openings(small: str, since: int, until: int) -> Iterable[tuple[str, int]]:
    """Give the quotation marks that open before a place, nearest first; an apostrophe inside a word opens nothing."""
    for at in range(min(until, len(small)) - 1, since - 1, -1):
        one = small[at]
        if one in _QUOTES and not (at > 0 and small[at - 1].isalnum()):
            yield one, at
