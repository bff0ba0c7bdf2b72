"""Who wrote a prompt, and whether it is private.

What a program or another agent writes has the grammar of rules, and none of a person's. `#private` is a word of its
own in what a person typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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
PRIVATE = "#private"
# Not a part of code, of a link or of a longer name: `this.#private`, `#private = 1`, `#private(`, `#privateKey`.
_MARK = lazy_pattern(r"(?<![A-Za-z0-9_.#/\\&?=@$>-])(?<!\]\()#private(?![\w(/-]|\.\w|\s*[={]|;\s*\Z)")
_QUOTED = lazy_pattern(
    r"`[^`\n]{1,200}`|(?<!\w)\"(?=\S)[^\"\n]{1,300}(?<=\S)\"(?!\w)|“[^”\n]{1,300}”|«[^»\n]{1,300}»|„[^“”\n]{1,300}[“”]"
    r"|(?<!\w)'(?=\S)[^'\n]{1,200}(?<=\S)'(?!\w)|(?<!\w)‘[^’\n]{1,200}’(?!\w)"
)
_OPENS = lazy_pattern(r"\s{0,20}(?:(`{3}|~{3})|<([A-Za-z][\w-]{0,60})(?:\s[^<>]{0,300})?>)")
_FENCE_END = lazy_pattern(r"\s{0,20}(`{3}|~{3})[`~]*\s*\Z")
_TAG_END = lazy_pattern(r"</([A-Za-z][\w-]{0,60})>")
_QUOTES = (">", "|", "+")


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


def is_private(prompt: str) -> bool:
    """Return whether a prompt is marked as private, so that it is neither captured nor counted.

    At its beginning the mark always counts; elsewhere not in code, nor in what is quoted, fenced or put between tags.
    """
    small = prompt.lower()
    if PRIVATE not in small:
        return False
    # Some agents put what is typed at their command line into quotes.
    return small.lstrip(" \t\r\n\"'").startswith(PRIVATE) or any(
        _MARK.search(_QUOTED.sub(" ", line)) for line in _own_lines(small) if PRIVATE in line
    )


def _own_lines(text: str) -> Iterator[str]:
    """Return the lines of a text without quoted lines, and without blocks that somebody closed."""
    lines = text.splitlines()
    ends = _block_ends(lines)
    place = 0
    while place < len(lines):
        if place in ends:
            place, tag = ends[place]
            # What follows the block on its last line is outside it.
            yield lines[place].rpartition(tag)[2] if tag else ""
        elif not lines[place].lstrip().startswith(_QUOTES):
            yield lines[place]
        place += 1


def _block_ends(lines: list[str]) -> dict[int, tuple[int, str]]:
    """Return where each block ends that begins at a line, with the tag that ends it; one that is not closed is none."""
    found: dict[int, tuple[int, str]] = {}
    closed: dict[str, int] = {}
    for place in range(len(lines) - 1, -1, -1):
        line = lines[place]
        for name in _TAG_END.findall(line):
            closed[name] = place
        opens = _OPENS.match(line)
        if opens and (name := opens[1] or opens[2]) in closed:
            found[place] = closed[name], f"</{opens[2]}>" if opens[2] else ""
        if fence := _FENCE_END.match(line):
            closed[fence[1]] = place
    return found
