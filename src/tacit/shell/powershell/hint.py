"""A quick look at a line: only one that has something of PowerShell is worth reading as PowerShell."""

from __future__ import annotations

from tacit.shell.command import Script
from tacit.shell.powershell.names import ALIASES, SHARED, VERBS
from tacit.text.patterns import lazy_pattern

_WORD = lazy_pattern(r"[\w./-]+")
_CMDLET = lazy_pattern(r"([a-z]+)-[a-z]\w")
_MARK = lazy_pattern(
    r"[$@\]>|;&[:<](?:(?<=<)#|(?<=\$)(?:\w+(?::\w+)?[ \t]*\+?=|env:|_\b|PS\w|LASTEXITCODE|PROFILE\b)"
    r"|(?<=@)['\"({]|(?<=\])::"
    r"|(?<=>)[ \t]*\$null|(?<=[|;])[ \t]*[%?][ \t]*\{"
    r"|(?<=&)(?<!&&)(?<!>&)(?<!\|&(?=[ \t]))[ \t]*[.'\"\w$({]|(?<=\[)\w[\w.]*\][ \t]*\$|(?<=[A-Z]:)\\)", 2,
)  # fmt: skip
_HEAD = lazy_pattern(r"[ \t]*(?:[({]|-\w)")
_KEYWORDS = frozenset({"if", "elseif", "foreach", "while", "switch", "try", "else", "do"})
_ALIASES = frozenset(name for name in ALIASES if name not in SHARED)
_PARAMETERS = frozenset({
    "-recurse", "-force", "-erroraction", "-filter", "-path", "-itemtype", "-literalpath", "-fo", "-usebasicparsing",
})  # fmt: skip


def may_be_powershell(text: str) -> bool:
    """Return whether a line has something that PowerShell has."""
    if _MARK.search(text):
        return True
    for found in _WORD.finditer(text):
        word = found[0].lower()
        if word in _ALIASES or word in _PARAMETERS:
            return True
        if word in _KEYWORDS and _HEAD.match(text, found.end()):
            return True
        if "-" in word and (named := _CMDLET.match(word)) and named[1] in VERBS:
            return True
    return False


def with_powershell(text: str, plain: Script) -> Script:
    """Return what a text runs that another shell is given, and what it would run in PowerShell."""
    if not may_be_powershell(text):
        return plain
    from tacit.shell.powershell.reading import added_to

    return added_to(plain, text)
