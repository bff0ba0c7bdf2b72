"""Whether a program or another agent wrote a prompt: such a prompt has the grammar of rules, and none of a person's."""

from __future__ import annotations

import re

from tacit.text.patterns import lazy_pattern

# Editors wrap what the user typed.
_WRAPPERS = ("# Context from my IDE setup:", "# Files mentioned by the user:", "# Review findings:")
_WRAPPED = lazy_pattern(rf"(?s)^(?:{'|'.join(_WRAPPERS)}).*?^## My request for \w+:\s*", re.M)
_ROLE = lazy_pattern(
    r"\A\W*(?:(?:Context|Role|Instructions|System(?: prompt)?)\W+)?(?:Your name is \W*\w+|"
    r"You are (?:a|an|the|performing|now|running|working|in|\"|“|')|You have access to|Your (?:task|job|role|"
    r"goal) is|"
    r"IMPORTANT: (?:Before|After|When|You must)\b|Base directory for this skill|Caveat: |"
    r"This session is being continued|Task: \[Read from|<[a-z][\w-]*>)"
)
_HEADING = lazy_pattern(r"^#{1,4} \S", re.M)
_LABEL = lazy_pattern(r"^\s{0,6}(?:[-*] |\d{1,2}[.)] )?\*\*[^*\n]{2,60}\*\*", re.M)
_ITEM = lazy_pattern(r"^\s{0,6}(?:[-*•]|\d{1,2}[.)])\s+[A-Z`*]", re.M)
_TEMPLATE = lazy_pattern(
    r"\$ARGUMENTS|^Arguments:\s*$|\{\{\w+\}\}|^(?:Return|Output|Report back) (?:only|findings|a )", re.M
)
# Without one of these the pattern finds nothing; most prompts have none, and to look for them is much quicker.
_TEMPLATE_WORDS = ("$ARGUMENTS", "Arguments:", "{{", "Return ", "Output ", "Report back ")
_MOST_ITEMS = 5
# People write short lists; an agent's are long.
_LONG = 700


def typed_part(prompt: str) -> str:
    """Return what the user typed, without what an editor put before it."""
    return _WRAPPED.sub("", prompt, count=1) if any(map(prompt.__contains__, _WRAPPERS)) else prompt


def is_by_program(prompt: str) -> bool:
    """Return whether a prompt looks written by a program or an agent: a role, headings, labels, long lists."""
    if _ROLE.match(prompt) or (any(map(prompt.__contains__, _TEMPLATE_WORDS)) and _TEMPLATE.search(prompt)):
        return True
    headings = len(_HEADING.findall(prompt)) if "#" in prompt else 0
    labels = len(_LABEL.findall(prompt)) if "**" in prompt else 0
    return headings + labels >= 2 or (len(prompt) >= _LONG and len(_ITEM.findall(prompt)) >= _MOST_ITEMS)
