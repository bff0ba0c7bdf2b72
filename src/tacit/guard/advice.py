"""Decide what the memory may advise an agent to do: never a command that the guard would not allow.

A fix is a command, and is judged like one. A rule is a sentence: the commands in it are judged clause by clause, except
where the clause forbids them. A sentence that asks for less caution is never given as advice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from tacit.guard.judge import judge
from tacit.guard.known_programs import known_names
from tacit.guard.packs import RulePacks
from tacit.guard.verdict import CommandLocation
from tacit.text.patterns import lazy_pattern

MOST_CHARS = 4_000
_MOST_COMMANDS = 40
_CODE = lazy_pattern(r"```(?:\w*\n)?(.*?)```|`([^`\n]+)`", re.S)
_CLAUSE_END = lazy_pattern(
    r"[,;!?\n]|[.:](?=\s|$)|\b(?:but|instead(?! of)|then|always)\b"
    r"|(?<!never )(?<!not )(?<!n.t )(?<!to )\b(?:use|prefer|run|try|do(?! not|n.t))\b",
    re.I,
)
_NEGATED = lazy_pattern(
    r"\b(?:never|not|avoid|stop|forbid\w*|without|(?:do|does|must|should|ca|wo)n.t|instead of|rather than)\b", re.I
)
_ASK = r"(?:ask\w*|confirm\w*|prompt(?:s|ing|ed)?|check(?:ing)? with|wait\w* for|approv\w*|permission|double.check\w*)"
_MORE_CAUTION = lazy_pattern(rf"\b(?:never|not|n.t)\b[^.;\n]{{0,60}}\bwithout\b[^.;\n]{{0,40}}\b{_ASK}", re.I)
_LESS_CAUTION = lazy_pattern(
    rf"\b(?:never|not|(?:do|need)n.?t|no need(?: to| for)?|stop|without|skip\w*|no more|bypass\w*)\b"
    rf"[^.;\n]{{0,40}}\b{_ASK}"
    r"|\b(?:disable|turn(?:ing)? off|switch(?:ing)? off|ignore|bypass|override|skip)\w*\b[^.;\n]{0,30}"
    r"\b(?:guard|hooks?|tacit|warnings?|safety|safeguards?|confirmations?|permissions?|sandbox)\b"
    r"|\b(?:always|just|automatically)\s+(?:say yes|answer yes|approve|accept|allow|confirm)\b",
    re.I,
)


def is_safe_command(command: str, place: CommandLocation, packs: RulePacks) -> bool:
    """Return whether a command may be advised as a fix: only if the guard's verdict is allow."""
    return judge(command, place, packs).verdict == "allow"


def is_safe_advice(text: str, place: CommandLocation, packs: RulePacks) -> bool:
    """Return whether a sentence is safe advice: it asks neither for less caution nor for a command the guard stops."""
    if len(text) > MOST_CHARS or asks_for_less_caution(text):
        return False
    names = _names(packs)
    for clause in _asking(text):
        code = [first or second for first, second in _CODE.findall(clause)]
        whole = _CODE.sub(" ", clause).strip()
        prose = whole.strip(" .:\"'()")
        prose = prose[:1].lower() + prose[1:]  # a sentence may begin with a command
        words = prose.split()
        tails = [number for number, word in enumerate(words) if number and word.rpartition("/")[2] in names]
        if len(code) + len(tails) > _MOST_COMMANDS:
            return False  # too many to judge
        if any(judge(one, place, packs).verdict != "allow" for one in code):
            return False
        # Prose is often no command that a shell could read: only a plain denial or question counts.
        if judge(prose, place, packs).verdict in ("deny", "ask"):
            return False
        # A quote at the end belongs to the sentence, or to its last command: `bash -c '…'`.
        ends = dict.fromkeys(("", whole[len(whole.rstrip(" .:\"'()")) :]))
        commands = (" ".join(words[one:]) + end for one in (0, *tails) for end in ends)
        if any(judge(command, place, packs).verdict == "deny" for command in commands):
            return False
    return True


@lru_cache(4)
def _names(packs: RulePacks) -> frozenset[str]:
    """Return the programs that the guard knows. One set of rules judges many sentences."""
    return frozenset(known_names(packs)["names"])


def asks_for_less_caution(text: str) -> bool:
    """Return whether a sentence asks an agent not to ask, to approve by itself, or to switch a protection off."""
    return bool(_LESS_CAUTION.search(_MORE_CAUTION.sub(" ", _CODE.sub(" ", text))))


def _asking(text: str) -> Iterator[str]:
    """Return the clauses that ask for something, without those that forbid it; code stays whole."""
    code: list[str] = []

    def hidden(found: re.Match[str]) -> str:
        code.append(found.group())
        return f"\x00{len(code) - 1}\x00"

    start = 0
    plain = _CODE.sub(hidden, text.replace("\x00", " "))
    ends = [found.start() for found in _CLAUSE_END.finditer(plain)]
    for end in (*ends, len(plain)):
        clause = plain[start:end].lstrip(",;!?.: \n")
        start = end
        if not _NEGATED.search(clause):
            yield re.sub("\x00(\\d+)\x00", lambda found: code[int(found[1])], clause)
        elif "instead of" in clause.lower() or "rather than" in clause.lower():
            wanted = re.split("instead of|rather than", clause, maxsplit=1, flags=re.I)[0]
            yield re.sub("\x00(\\d+)\x00", lambda found: code[int(found[1])], wanted)
