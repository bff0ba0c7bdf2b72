"""Which prompts say what a session was about: the first, and of each part of the rest the one that says most."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from tacit.model.payload import KeptTurn
from tacit.text.patterns import lazy_pattern
from tacit.text.program_prompts import is_by_program, typed_part

_MOST_ASKED = 4
_MOST_SHARE = 200
"""How long one of the prompts is at most; the first has twice the space of another."""
_LEAST_WORDS = 2
"""How many words that say something a prompt needs: with fewer it only goes on with what was said before."""
_FIRST_WORDS = 4
"""The first prompt is told if it has as many words and one of them says something."""
_COUNTED_WORDS = 6
_UNSPACED, _CHARS_A_WORD = "\u2e80", 4
_QUOTED_CHARS = 20
_EDIT = 3
"""A file that was written counts as this many commands."""
_SAME_CHARS = 60
# What programs put into the place of a prompt: marks of interruptions, pasted prompts of a shell, reports.
# Behind `.*` comes a character: then the engine looks only where that is.
_NOT_ASKED = lazy_pattern(
    r"\[[^\]]*\]|[^\w\s\"'(@`¿¡].*|.*\[Request interrupted.*|(?:\$|>|➜) .*|.*c(?<=\bc)ompleted? [—-].*"
    r"|Task: \[Read from.*|Tool budget (?:soft|hard) limit.*|[\w./-]+\.(?:[cm]?[jt]sx?|py|rb|go|php)(?:\?\S*)?:\d+\b.*",
    re.S,
)
# A line of a shell that was copied, and what it printed.
_COPIED = lazy_pattern(r"(?ms)^\s{0,4}(?:[❯➜$]|\S+[@:]\S*[$#%])\s+(?=\S)(?P<command>[^\n]*)\n?(?P<output>.*)\Z")
_COPIED_ERROR = lazy_pattern(r"(?mi)^\s*((?:error|fatal|panic|\w*(?:Error|Exception))\b:[^\n]+)")
_COPIED_CHARS = 100
# Lines of a log.
_LOGGED = lazy_pattern(r"(?m)^\W*\d{1,2}:\d\d:\d\d\b.*$")
# A program shows it before what a person types, and it is copied with it.
_SIGN = lazy_pattern(r"\A[❯›>]\s+(?=\S)")
_SIGNED_WORDS = 2
# A long path or address; its end says what it is.
_LONG_NAME = lazy_pattern(r"(?:[A-Za-z]:|https?:/)?[^\s/\\]*[/\\][^\s]{24,}")
_NAME_END = 24
_ANNOUNCED = lazy_pattern(r"((?:\w+ ){1,6}(?:plan|spec|design|proposal|tasks?):)\s*#{1,3}\s+([^\n]{3,200})", re.I)
_FENCED = lazy_pattern(r"(?s)```.*?(?:```|\Z)")
_PLACEHOLDER = lazy_pattern(r"\[(?:Image|Pasted text|Attachment)[^\]\n]{0,40}\]", re.I)
# What comes before the request itself.
_OPENING = lazy_pattern(
    r"\A(?:(?:hi|hey|hello|ok|okay|yes|yeah|yep|thanks|thank you|alright|sure|now|so|and|please)\b[\s,.!:;)-]+)+(?=\S)",
    re.I,
)  # fmt: skip
_WORD = lazy_pattern(r"[^\W\d_][\w']*")
# Words that only go on, agree, or point at what was said before.
_ONLY_GOING_ON = """
a about above after again ahead all also an and another any anything are as at be been before better both but by can
carry change changes check checking clear code commit commits complete continue correct could did do does doesn't
doing don't done else everything exactly fine finish first for from further get go goahead going good got great had
has have he hello help hey hi how i i'd i'll i'm i've if implement in into is isn't it it's its job just keep know
last leave let let's lgtm like look looks lot make makes many maybe me merge mind more my need needs next nice no not
now of off ok okay on one only or other our out over perfect phase plan please possible proceed push pushed ready
really redo remaining rest resume retry right run same see seems ship should show so some something sorry start step
still stop sure take task tasks tell test tests than thank thanks that that's the their them then there these they
thing things think this those to today together too top try two undo up update us use very wait want was way we we'll
well were what what's when where which why will with work worked working works would wrong yeah yep yes yet you you're
your yup
"""
_EMPTY = frozenset(_ONLY_GOING_ON.split())


class _Prompt(NamedTuple):
    said: str
    words: int
    work: int


def asked(turns: Sequence[tuple[KeptTurn, str]], agent: str, most_chars: int) -> Iterator[str]:
    """Return what a person asked in a session, in order: never a prompt that says nothing by itself."""
    prompts = list(_prompts(turns, agent, _LEAST_WORDS)) or list(_prompts(turns, agent, 1))
    if not prompts:
        return
    # A long session turns to other things: each part of it has its say.
    others, parts = prompts[1:], _MOST_ASKED - 1
    cuts = [len(others) * part // parts for part in range(parts + 1)]
    chosen = [prompts[0], *(max(others[one:end], key=_weight) for one, end in pairwise(cuts) if end > one)]
    short = [_LONG_NAME.sub(_name_end, one.said[: 4 * most_chars]) for one in chosen]

    def cut(share: int) -> list[str]:
        rooms = [2 * share] + [share] * (len(chosen) - 1)
        # One that fits is told as it is; of a long one the beginnings of long paths and addresses go first.
        return [one.said if len(one.said) <= room else shortened(name, room)
                for one, name, room in zip(chosen, short, rooms, strict=True)]  # fmt: skip

    shares = range(_MOST_SHARE, 0, -1)
    most = bisect_left(shares, True, key=lambda share: sum(map(len, cut(share))) <= most_chars)
    yield from cut(shares[most]) if most < len(shares) else ()


def _name_end(found: re.Match[str]) -> str:
    name = found[0]
    places = [place for place, char in enumerate(name) if char in "/\\"]
    ends = [place for place in places if len(name) - place <= _NAME_END]
    return f"…{name[ends[0] :]}" if ends else f"…{name[places[-1] :][:_NAME_END]}…"


def prompts_typed(turns: Sequence[tuple[KeptTurn, str]], agent: str) -> int:
    """Return how many prompts of a session a person typed that say something."""
    return sum(turn.role == "user" and turn.author != agent and telling_words(_said(text)) > 0 for turn, text in turns)


def _weight(prompt: _Prompt) -> tuple[float, int]:
    # What was worked at says more than what was talked about.
    return min(prompt.words, _COUNTED_WORDS) * (1 + math.log2(1 + prompt.work)), prompt.words


def _prompts(turns: Sequence[tuple[KeptTurn, str]], agent: str, least: int) -> Iterator[_Prompt]:
    found: dict[str, _Prompt] = {}
    last = ""
    answered: set[str] = set()
    for turn, text in turns:
        if turn.role == "assistant":
            answered |= {line.strip() for line in text.splitlines() if len(line) >= _QUOTED_CHARS}
        if turn.role == "user" and turn.author != agent:
            # What is copied from an answer is the agent's.
            own = [line for line in text.splitlines() if line.strip() not in answered] if answered else []
            said = _said("\n".join(own) if any(map(str.strip, own)) else text)
            words = telling_words(said)
            # A prompt that only goes on belongs to the one before it; the first has none before it.
            if words >= (least if found or len(said.split()) < _FIRST_WORDS else 1):
                last = said[:_SAME_CHARS]
                found.setdefault(last, _Prompt(said, words, 0))
        elif last:
            found[last] = found[last]._replace(work=found[last].work + (1 if turn.command else _EDIT * len(turn.paths)))
    yield from found.values()


def telling_words(text: str) -> int:
    """Return how many different words of a text say something by themselves."""
    words = {word for found in _WORD.findall(text.casefold()) if (word := found.strip("'")) not in _EMPTY}
    words = {word for word in words if len(word) > 1 or not word.isascii()}
    # Scripts without blanks have no words to count.
    unspaced = 0 if text.isascii() else sum(char >= _UNSPACED for char in text)
    return len(words) + unspaced // _CHARS_A_WORD


def _said(text: str) -> str:
    """Return what a person typed on one line; empty for what a program put there, or a command of the agent."""
    typed = _PLACEHOLDER.sub(" ", typed_part(text)).strip()
    if (sign := _SIGN.match(typed)) and sum(word in _EMPTY for word in typed.casefold().split()) >= _SIGNED_WORDS:
        typed = typed[sign.end() :]
    typed = _without_output(typed)
    if announced := _ANNOUNCED.match(typed):
        # What was agreed on is a long text that nobody typed; its title says what it is about.
        return " ".join(f"{announced[1]} {announced[2]}".split())
    if not typed or typed.startswith(("/", "<")) or is_by_program(typed) or _NOT_ASKED.fullmatch(typed):
        return ""
    said = _OPENING.sub("", in_one_line(_LOGGED.sub("", _FENCED.sub(" ", typed))), count=1)
    return "" if not said or _NOT_ASKED.fullmatch(said) else said


def _without_output(typed: str) -> str:
    """Return a prompt in which a copied command has its error beside it, and not the rest of its output."""
    copied = _COPIED.search(typed)
    own = typed[: copied.start()].strip() if copied else ""
    if not copied or not own:
        return typed
    command = shortened(" ".join(copied["command"].rstrip("\\ ").split()), _COPIED_CHARS)
    error = _COPIED_ERROR.search(copied["output"])
    said = f"{own} {command}"
    return f"{said}: {shortened(' '.join(error[1].split()), _COPIED_CHARS)}" if error else said


def in_one_line(text: str) -> str:
    """Return the lines of a text that say something as one line, without headings."""
    lines = [one.strip(" \t\"'>*-") for one in text.splitlines()]
    # A heading, or a line of marks, says less than the line after it.
    telling = [one for one in lines if not one.startswith("#") and any(map(str.isalpha, one))]
    return " ".join(" ".join(telling or [text]).split()).rstrip(".:;,")


def shortened(line: str, most: int) -> str:
    """Return the beginning of a line, cut after a word."""
    if len(line) <= most:
        return line
    return f"{line[: most - 1].rpartition(' ')[0].rstrip('.:;,') or line[: most - 1]}…"
