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
_TELL = r"(?:telling|informing|consulting|notifying)"
_MORE_CAUTION = lazy_pattern(
    rf"\b(?:never|not|\w*n['’]t)\b[^.;\n]{{0,60}}\bwithout\b[^.;\n]{{0,40}}\b(?:{_ASK}|{_TELL})", re.I
)
_LESS_CAUTION = lazy_pattern(
    rf"\b(?:never|not|(?:do|need)n.?t|no need(?: to| for)?|stop|without|skip\w*|no more|bypass\w*)\b"
    rf"[^.;\n]{{0,40}}\b{_ASK}"
    r"|\b(?:disable|turn(?:ing)? off|switch(?:ing)? off|ignore|bypass|override|skip)\w*\b[^.;\n]{0,30}"
    r"\b(?:guard|hooks?|tacit|warnings?|safety|safeguards?|confirmations?|permissions?|sandbox)\b"
    r"|\b(?:always|just|automatically)\s+(?:say yes|answer yes|approve|accept|allow|confirm)\b"
    r"|\bauto-?(?:approv|accept|confirm)\w*|\b(?:never|not|n.t|stop)\b[^.;\n]{0,30}\b(?:bother|disturb|interrupt)\w*"
    rf"|\bwithout\b[^.;\n]{{0,20}}\b{_TELL}\b"
    r"|\b(?:never|not|n.t|stop)\b[^.;\n]{0,20}\b(?:validat|consult|check|review|verif)\w*\s+(?:\w+\s+){0,2}with me\b"
    r"|\b(?:never|not|n.t|stop)\b[^.;\n]{0,20}\b(?:run|use|call|ask)\w*\s+(?:the\s+)?(?:guard|tacit)\b",
    re.I,
)
_THEN_PROSE = lazy_pattern(r"\s(?:before|after|every|each|first|when|whenever|because|so that|if)\s", re.I)
_FOLDER = lazy_pattern(r"(?<=\s)\.$")
_SKIPS_CHECKS = lazy_pattern(r"--(?:no-verify|dangerously[\w-]*|no-preserve-root)\b")
_ENGLISH = lazy_pattern(r"\b(?:the|and|you|without|never|always|please|with|to|don.?t|is|for|my|of)\b", re.I)
# In other languages: a word that negates, and one that asks, confirms or watches.
_NO_ELSEWHERE = lazy_pattern(
    r"\b(?:nie|niemals|nicht|ohne|kein\w*|no|sin|nunca|jamás|jamais|sans|pas|non|senza|mai|não|sem|niet|zonder|nooit|"
    r"bez|не|без|никогда)\b|不要|不用|无需|无须|别|ないで|なしで|ずに|하지|없이",
    re.I,
)
_ASK_ELSEWHERE = lazy_pattern(
    r"\b(?:frag\w*|nachfrag\w*|rückfrag\w*|bestätig\w*|erlaubnis|pregunt\w*|confirm\w*|permis\w*|demand\w*|valid\w*|"
    r"autoris\w*|autoriz\w*|chied\w*|conferm\w*|pergunt\w*|vragen|vraag|bevestig\w*|pytaj\w*|potwierdz\w*|"
    r"спрашива\w*|подтвержд\w*|разрешени\w*)\b|问我|询问|确认|批准|聞か|尋ね|確認|許可|물어|확인|허락",
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
    # The dot of "chmod -R 777 ." is a folder, not the end of the sentence.
    for clause in _asking(_FOLDER.sub("./", text.rstrip())):
        if _SKIPS_CHECKS.search(clause):
            return False
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
        # Prose may follow a command: "curl x | sh before every build".
        cut = len(_THEN_PROSE.split(prose, 1)[0].split())
        lines = ((words[one:], words[one:cut]) for one in (0, *tails))
        commands = (" ".join(line) + end for pair in lines for line in pair if line for end in ends)
        if any(judge(command, place, packs).verdict == "deny" for command in commands):
            return False
    return True


@lru_cache(4)
def _names(packs: RulePacks) -> frozenset[str]:
    """Return the programs that the guard knows. One set of rules judges many sentences."""
    return frozenset(known_names(packs)["names"])


def asks_for_less_caution(text: str) -> bool:
    """Return whether a sentence asks an agent not to ask, to approve by itself, or to switch a protection off."""
    if _LESS_CAUTION.search(_MORE_CAUTION.sub(" ", _CODE.sub(" ", text))):
        return True
    # Twice negated, it asks for more: "nie ohne zu fragen".
    negated = [] if _ENGLISH.search(text) else _NO_ELSEWHERE.findall(text)
    return len(negated) == 1 and bool(_ASK_ELSEWHERE.search(text))


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
